//! When nonblocking calls send messages though their group deposits: while readers are far behind.
//!
//! Keeps rules COL-8 and COL-9 of SEMANTICS.md.
//!
//! Such a call does not wait for room. A rank that runs ahead of its readers, in calls in which it waits for nobody, finds
//! none once they are as many calls behind as there are slots. From then on it sends messages, until they have caught up.
//! If it deposited whenever there is room, each call would look for it where its reader has just written, and the reader look
//! for two kinds in turn: a loop of broadcasts of 8 bytes without a barrier took 1.5 times as long so as with messages alone.
//!
//! # Correctness
//!
//! A rank may always send a message in place of a deposit.

use super::layout::{RESTS, SLOTS};
use super::occupancy::has_rest;
use super::{Deposits, Readers, at_mut};
use crate::verbs::SharedWords;

/// So often a rank finds no room before it sends messages for a while.
const MOST_MISSES: u8 = 4;

/// After so many calls it looks again how far its readers are.
const LOOKS_EACH: u64 = 16;

impl Deposits {
    /// Whether this rank sends what it has for a nonblocking call, of so many `bytes`, though it might find room.
    #[inline]
    pub(in crate::message) fn is_apart<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
        bytes: usize,
    ) -> bool {
        match self.at(place).occupancy.apart_until {
            0 => false,
            until if index < until => true,
            _ => self.stays_apart(words, place, (index, readers), bytes),
        }
    }

    #[cold]
    fn stays_apart<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
        bytes: usize,
    ) -> bool {
        let Deposits { layout, groups, .. } = self;
        let joined = at_mut(groups, place);
        // Then there is room for as many more.
        let most_behind = if has_rest(bytes) { RESTS / 2 } else { SLOTS / 2 } as u64;
        let is_behind = readers.set().iter().any(|member| {
            let finished = words.load(layout.finished(place, joined.members[member]));
            index.saturating_sub(finished) > most_behind
        });
        joined.occupancy.apart_until = if is_behind { index + LOOKS_EACH } else { 0 };
        is_behind
    }

    /// There is no room for a nonblocking call. (A reader that is not known to be here yet is not behind.)
    pub(in crate::message) fn handle_no_room(
        &mut self,
        place: usize,
        (index, readers): (u64, Readers),
    ) {
        let joined = self.at_mut(place);
        if !readers.set().without(joined.known).is_empty() {
            return;
        }
        let occupancy = &mut joined.occupancy;
        occupancy.misses += 1;
        if occupancy.misses == MOST_MISSES {
            (occupancy.misses, occupancy.apart_until) = (0, index + LOOKS_EACH);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::message::deposits::MemberSet;
    use crate::message::deposits::tests::{GROUP, PLACE, group, memory, of, outgoing};

    use super::*;

    /// A rank runs ahead by all its slots, of messages with a rest or without. It finds no room some times, and sends then until
    /// its reader has read about half. (Planted: it looks each time; it never looks again; one miss is enough.)
    /// SEMANTICS: COL-9
    #[test]
    fn who_finds_no_room_sends_until_its_readers_have_caught_up() {
        for (bytes, room) in [(8, SLOTS as u64), (500, RESTS as u64)] {
            let (memory, message) = (memory(2), vec![1; bytes]);
            let mut all = group(&memory, 2, GROUP);
            let readers = Readers::from(MemberSet::only(1));
            let writer = &mut all[1];
            for index in 1..=room {
                assert!(writer.is_free(&memory, PLACE, (index, readers), bytes));
                writer.deposit(&memory, PLACE, outgoing(index, MemberSet::only(1), &message));
            }
            let (mut index, mut missed) = (room, 0);
            loop {
                index += 1;
                if writer.is_apart(&memory, PLACE, (index, readers), bytes) {
                    break;
                }
                assert!(!writer.is_free(&memory, PLACE, (index, readers), bytes));
                writer.handle_no_room(PLACE, (index, readers));
                missed += 1;
            }
            assert_eq!(missed, MOST_MISSES);
            // The reader has read all but a little more than half of what goes, until the rank looks.
            let look = index - 1 + LOOKS_EACH;
            all[0].handle_finished(&memory, PLACE, look - room / 2 - 1);
            let goes_apart = |deposits: &mut Deposits, index| {
                deposits.is_apart(&memory, PLACE, (index, readers), bytes)
            };
            assert!((index..=look).all(|index| goes_apart(&mut all[1], index)));
            all[0].handle_finished(&memory, PLACE, look + LOOKS_EACH - room / 2);
            assert!((look + 1..look + LOOKS_EACH).all(|index| goes_apart(&mut all[1], index)));
            assert!(!goes_apart(&mut all[1], look + LOOKS_EACH));
            assert!(!goes_apart(&mut all[1], look + LOOKS_EACH + 1), "it is over");
        }
    }

    /// SEMANTICS: COL-9
    #[test]
    fn who_is_not_here_yet_is_not_behind() {
        let memory = memory(2);
        let mut writer = of(&memory, 2, 1);
        writer.join(&memory, PLACE, GROUP, &[1, 0]);
        let first = (1, Readers::from(MemberSet::only(1)));
        (0..2 * MOST_MISSES).for_each(|_| writer.handle_no_room(PLACE, first));
        assert!(!writer.is_apart(&memory, PLACE, first, 8));
    }
}
