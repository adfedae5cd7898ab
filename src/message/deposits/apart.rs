//! When nonblocking calls send messages though their group deposits: while readers are far behind.
//!
//! Keeps rules COL-8 and COL-9 of SEMANTICS.md.
//!
//! Such a call does not wait for room. A rank that runs ahead of its readers, in calls in which it waits for nobody, finds
//! none once they are as many calls behind as there are slots. From then on it sends messages, until they have caught up. (Who
//! has no room for a longer deposit may not be ahead at all: a few calls that are pending together take all of it.)
//! If it deposited whenever there is room, each call would look for it where its reader has just written, and the reader look
//! for two kinds in turn: a loop of broadcasts of 8 bytes without a barrier took 1.5 times as long so as with messages alone.
//!
//! # Correctness
//!
//! A rank may always send a message in place of a deposit.

use super::layout::SLOTS;
use super::occupancy::has_rest;
use super::{Deposits, Readers, at_mut};
use crate::verbs::SharedWords;

/// So often a rank finds no room before it sends messages for a while.
const MOST_MISSES: u8 = 4;

/// After so many calls it looks again how far its readers are.
const LOOKS_EACH: u64 = 16;

/// They have caught up when they are so many calls behind at most. Then there is room for as many more.
const MOST_BEHIND: u64 = SLOTS as u64 / 2;

impl Deposits {
    /// Whether this rank sends what it has for a nonblocking call, though it might find room.
    #[inline]
    pub(in crate::message) fn is_apart<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
    ) -> bool {
        match self.at(place).occupancy.apart_until {
            0 => false,
            until if index < until => true,
            _ => self.stays_apart(words, place, (index, readers)),
        }
    }

    #[cold]
    fn stays_apart<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
    ) -> bool {
        let Deposits { layout, groups, .. } = self;
        let joined = at_mut(groups, place);
        let is_behind = readers.set().iter().any(|member| {
            let finished = words.load(layout.finished(place, joined.members[member]));
            index.saturating_sub(finished) > MOST_BEHIND
        });
        joined.occupancy.apart_until = if is_behind { index + LOOKS_EACH } else { 0 };
        is_behind
    }

    /// There is no room for so many `bytes` for a nonblocking call. (A reader that is not known to be here yet is not behind.)
    pub(in crate::message) fn handle_no_room(
        &mut self,
        place: usize,
        (index, readers): (u64, Readers),
        bytes: usize,
    ) {
        let joined = self.at_mut(place);
        if has_rest(bytes) || !readers.set().without(joined.known).is_empty() {
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
    use crate::message::deposits::tests::{GROUP, Memory, PLACE, group, memory, of, outgoing};

    use super::*;

    const READER: MemberSet = MemberSet::only(1);

    /// The last of two ranks, which has deposited for all slots; and the other.
    fn run_ahead(memory: &Memory) -> (Deposits, Deposits) {
        let mut all = group(memory, 2, GROUP);
        let (mut writer, reader) = (all.pop().unwrap(), all.pop().unwrap());
        for index in 1..=SLOTS as u64 {
            assert!(writer.is_free(memory, PLACE, (index, READER.into()), 8));
            writer.deposit(memory, PLACE, outgoing(index, READER, b"8 bytes."));
        }
        (writer, reader)
    }

    /// A rank runs ahead by all its slots. It finds no room some times, and sends then until its reader has read about half.
    /// (Planted: it looks each time; it never looks again; one miss is enough; it deposits when any has been read.)
    /// SEMANTICS: COL-9
    #[test]
    fn who_finds_no_room_sends_until_its_readers_have_caught_up() {
        let memory = memory(2);
        let (mut writer, mut reader) = run_ahead(&memory);
        let mut goes_apart = |index| writer.is_apart(&memory, PLACE, (index, READER.into()));
        let (first, mut missed) = (SLOTS as u64 + 1, 0);
        assert!(!goes_apart(first));
        let index = (first..).find(|&index| {
            let of = (index, Readers::from(READER));
            let is_apart = writer.is_apart(&memory, PLACE, of);
            if !is_apart {
                assert!(!writer.is_free(&memory, PLACE, of, 8));
                writer.handle_no_room(PLACE, of, 8);
                missed += 1;
            }
            is_apart
        });
        let index = index.unwrap();
        assert_eq!(missed, 4);
        // The reader has read a call too few when the writer looks, and then enough.
        let look = index - 1 + LOOKS_EACH;
        reader.handle_finished(&memory, PLACE, look - MOST_BEHIND - 1);
        let mut goes_apart = |index| writer.is_apart(&memory, PLACE, (index, READER.into()));
        assert!((index..=look).all(&mut goes_apart));
        reader.handle_finished(&memory, PLACE, look + LOOKS_EACH - MOST_BEHIND);
        assert!((look + 1..look + LOOKS_EACH).all(&mut goes_apart));
        assert!(!goes_apart(look + LOOKS_EACH) && !goes_apart(look + LOOKS_EACH + 1));
    }

    /// Five calls of a KiB that are pending together find room for four, always. (Noticed: all went by messages then.)
    /// SEMANTICS: COL-9
    #[test]
    fn who_has_no_room_for_a_long_one_deposits_the_next() {
        let memory = memory(2);
        let (mut writer, _) = run_ahead(&memory);
        for index in 100..120 {
            writer.handle_no_room(PLACE, (index, READER.into()), 500);
            assert!(!writer.is_apart(&memory, PLACE, (index + 1, READER.into())));
        }
    }

    /// SEMANTICS: COL-9
    #[test]
    fn who_is_not_here_yet_is_not_behind() {
        let memory = memory(2);
        let mut writer = of(&memory, 2, 1);
        writer.join(&memory, PLACE, GROUP, &[1, 0]);
        let first = (1, Readers::from(READER));
        (0..2 * MOST_MISSES).for_each(|_| writer.handle_no_room(PLACE, first, 8));
        assert!(!writer.is_apart(&memory, PLACE, first));
    }
}
