//! The rooms of ranks in a call: what each says that it has combined, and the results themselves.
//!
//! Keeps rules COL-3 and COL-11 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A rank writes a unit into its own room once, and then says that it is done; whoever reads that word sees what was
//! written before ([`Room::load`]). So a reader copies whole units, which do not change any more. That a rank has claimed a unit is
//! a hint: two that claim it at once both combine it, each in a room of its own.

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::tree::EACH_READS_RANKS;
use super::units::Told;
use crate::comm::Element;
use crate::order::Rank;
use crate::verbs::Room;

/// The words of a room: a bit for each unit.
const CLAIMED: usize = 0;
const DONE: usize = 1;

/// The room of a rank, and those of others, by rank, as far as they have one.
pub(super) struct Rooms<R> {
    pub(super) own: Option<R>,
    pub(super) others: SmallVec<[Option<R>; EACH_READS_RANKS]>,
    told: Told,
}

impl<R> Default for Rooms<R> {
    fn default() -> Self {
        Rooms { own: None, others: SmallVec::new(), told: Told::default() }
    }
}

impl<R: Room> Rooms<R> {
    /// What the others say of the units.
    pub(super) fn told(&self) -> impl Iterator<Item = (Rank, Told)> + Clone {
        self.others.iter().enumerate().filter_map(|(rank, room)| {
            let room = room.as_ref()?;
            Some((rank, Told { claimed: room.load(CLAIMED), done: room.load(DONE) }))
        })
    }

    /// Forgets all, for another call.
    pub(super) fn clear(&mut self) {
        self.own = None;
        self.others.clear();
        self.told = Told::default();
    }

    /// Whether what this rank publishes is seen.
    pub(super) fn are_seen(&self) -> bool {
        self.own.is_some()
    }

    /// Tells the others that this rank has begun with a unit.
    pub(super) fn claim(&mut self, unit: usize) {
        self.told.claimed |= 1 << unit;
        if let Some(own) = &mut self.own {
            own.store(CLAIMED, self.told.claimed);
        }
    }

    /// Lets the others copy a unit, which begins with this element of the result. Once for each.
    pub(super) fn publish<T: Element>(&mut self, unit: usize, start: usize, combined: &[T]) {
        self.write(start, combined);
        self.tell_done(unit);
    }

    /// Writes a part of a unit, which begins with this element of the result, for the others, before they are told that it is
    /// done. Once for each.
    pub(super) fn write<T: Element>(&mut self, start: usize, combined: &[T]) {
        if let Some(own) = &mut self.own {
            own.write(start * size_of::<T>(), combined.as_bytes());
        }
    }

    /// Lets the others copy a unit, all of which is [written](Rooms::write).
    pub(super) fn tell_done(&mut self, unit: usize) {
        debug_assert!(self.told.done >> unit & 1 == 0, "unit {unit} is told twice");
        self.told.done |= 1 << unit;
        if let Some(own) = &mut self.own {
            own.store(DONE, self.told.done);
        }
    }

    /// Copies what a rank has said to have done, from this element of the result on.
    pub(super) fn copy<T: Element>(&self, from: Rank, start: usize, into: &mut [T]) {
        if let Some(room) = &self.others[from] {
            room.read(start * size_of::<T>(), into.as_mut_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was done with a room, in order.
    #[derive(Debug, PartialEq, Eq)]
    enum Done {
        Stored(usize, u64),
        Wrote(usize, Vec<u8>),
    }

    #[derive(Default)]
    struct Noted(Vec<Done>);

    impl Room for Noted {
        fn load(&self, word: usize) -> u64 {
            [0b01, 0b10][word]
        }

        fn store(&mut self, word: usize, value: u64) {
            self.0.push(Done::Stored(word, value));
        }

        fn write(&mut self, at: usize, bytes: &[u8]) {
            self.0.push(Done::Wrote(at, bytes.to_vec()));
        }

        fn read(&self, at: usize, into: &mut [u8]) {
            into.fill(at as u8);
        }
    }

    /// (Planted: the word before the unit.)
    /// SEMANTICS: COL-11
    #[test]
    fn a_unit_is_written_before_it_is_told() {
        let mut rooms = Rooms { own: Some(Noted::default()), ..Rooms::default() };
        rooms.claim(3);
        rooms.publish(3, 5, &[1u16, 2]);
        rooms.claim(0);
        rooms.publish(0, 0, &[3u16]);
        let bytes = |elements: &[u16]| elements.as_bytes().to_vec();
        let noted = [
            Done::Stored(CLAIMED, 0b1000),
            Done::Wrote(10, bytes(&[1, 2])),
            Done::Stored(DONE, 0b1000),
            Done::Stored(CLAIMED, 0b1001),
            Done::Wrote(0, bytes(&[3])),
            Done::Stored(DONE, 0b1001),
        ];
        assert_eq!(rooms.own.as_ref().unwrap().0, noted);
    }

    #[test]
    fn ranks_without_a_room_say_nothing() {
        let mut rooms = Rooms { own: None, ..Rooms::default() };
        rooms.others.extend([None, Some(Noted::default()), None]);
        rooms.claim(1);
        rooms.publish(1, 0, &[1u8]);
        let told: Vec<_> = rooms.told().collect();
        assert_eq!(told, [(1, Told { claimed: 0b01, done: 0b10 })]);
        let mut unit = [0u32; 2];
        rooms.copy(1, 2, &mut unit);
        assert_eq!(unit.as_bytes(), [8; 8], "from its third element on");
        rooms.copy(0, 1, &mut unit);
        assert_eq!(unit.as_bytes(), [8; 8], "nothing is copied");
    }
}
