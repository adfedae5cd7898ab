//! A signal as one word, which its sender writes into the memory of its receiver: an epoch cell that lies with
//! the network (kini-2003 §3.1 and §3.2, hoefler-2005 §4.1.3).
//!
//! Each member of a group has, at each other member, one cell that it alone writes, so the sender need not be
//! said, nor the step: no built-in schedule holds two signals of one sender to one receiver. The word says the rest:
//!
//! | bits | what |
//! |---|---|
//! | 40 to 63 | the group's id and one; 0 says nothing |
//! | 20 to 39 | the epoch, modulo 2^20 |
//! | 0 to 19 | the sender's count of barriers that include the receiver, modulo 2^20; 0 says nothing |
//!
//! What is left out follows from what the receiver knows: two members are never further apart than the barriers
//! that may be open, of which there are few enough where words are used ([`MOST_OPEN`]). Cells are used again by
//! other groups, whose ids differ, as ids are never used twice and those above [`MOST_ID`] signal by messages.
//!
//! A cell only grows. The newest word says all that older ones said, so it does not matter how often, or whether
//! ever, an older one was looked at.
//!
//! This is not a cell: it knows neither where words lie, nor who is told of them.
//!
//! Keeps rules BAR-3, BAR-7 and SAFE-1 of SEMANTICS.md.

use super::{Clock, Epoch, GroupId};

/// Groups above this id signal by messages.
pub const MOST_ID: u32 = (1 << 24) - 2;

/// The most open barriers of a group where words are used; so much that counts of several groups together stay
/// well below half of what a word can tell apart.
pub const MOST_OPEN: usize = 1 << 12;

const BITS: u32 = 20;
const MASK: u64 = (1 << BITS) - 1;

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing of this group, and nothing of a later one.
    Nothing,
    /// The sender has got so far.
    Reached {
        /// The epoch.
        epoch: Epoch,
        /// The sender's own count; 0 says nothing.
        clock: Clock,
    },
    /// Something of a group that was made later. As long as this one is in use, nobody says that here.
    Later,
}

/// The word for a signal of `group`, whose id is at most [`MOST_ID`].
#[inline]
pub const fn word_of(group: GroupId, epoch: Epoch, clock: Clock) -> u64 {
    (group.0 as u64 + 1) << (2 * BITS) | (epoch & MASK) << BITS | clock & MASK
}

/// What `word` says of `group`, to one who has entered `entered` and counts `clock` barriers that include the
/// sender.
#[inline]
pub const fn read(word: u64, group: GroupId, entered: Epoch, clock: Clock) -> Said {
    let (theirs, ours) = (word >> (2 * BITS), group.0 as u64 + 1);
    if theirs < ours {
        return Said::Nothing;
    }
    if theirs > ours {
        return Said::Later;
    }
    let epoch = nearest(word >> BITS & MASK, entered);
    let clock = if word & MASK == 0 { 0 } else { nearest(word & MASK, clock) };
    Said::Reached { epoch, clock }
}

/// Whether the signal in `word` is of the same group as that in `wanted`, and not older.
#[inline]
pub const fn reaches(word: u64, wanted: u64) -> bool {
    let ahead = (word >> BITS & MASK).wrapping_sub(wanted >> BITS & MASK) & MASK;
    wanted != 0 && word >> (2 * BITS) == wanted >> (2 * BITS) && ahead <= MASK / 2
}

/// The number nearest to `known` that has these low bits. Below 0 it wraps around, to one that nobody has.
#[inline]
const fn nearest(low: u64, known: u64) -> u64 {
    let more = low.wrapping_sub(known) & MASK;
    if more <= MASK / 2 {
        known.wrapping_add(more)
    } else {
        known.wrapping_sub((known & MASK).wrapping_sub(low) & MASK)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GROUP: GroupId = GroupId(7);

    // SEMANTICS: SAFE-1
    #[test]
    fn other_groups_are_told_from_this() {
        assert_eq!(read(0, GroupId::WORLD, 5, 5), Said::Nothing);
        let word = word_of(GROUP, 3, 3);
        assert_eq!(read(word, GroupId(8), 5, 5), Said::Nothing);
        assert_eq!(read(word, GroupId(6), 5, 5), Said::Later);
        assert_eq!(read(word, GROUP, 5, 5), Said::Reached { epoch: 3, clock: 3 });
        let last = GroupId(MOST_ID);
        assert_eq!(read(word_of(last, 1, 0), last, 0, 9), Said::Reached { epoch: 1, clock: 0 });
        assert_eq!(word_of(last, 0, 0) >> 40, (1 << 24) - 1);
    }

    /// Nobody is so far behind the first epoch: what looks like it is above every limit.
    // SEMANTICS: SAFE-1
    #[test]
    fn what_lies_before_the_first_epoch_is_impossible() {
        let Said::Reached { epoch, .. } = read(word_of(GROUP, MASK, 1), GROUP, 0, 0) else {
            panic!("it is of this group");
        };
        assert_eq!(epoch, u64::MAX);
    }

    // SEMANTICS: BAR-3
    #[test]
    fn a_word_reaches_what_is_not_later() {
        let wanted = word_of(GROUP, 1 << 20, 0);
        assert!(reaches(word_of(GROUP, 1 << 20, 9), wanted));
        assert!(reaches(word_of(GROUP, (1 << 20) + 5, 9), wanted));
        assert!(!reaches(word_of(GROUP, (1 << 20) - 1, 9), wanted));
        assert!(!reaches(word_of(GroupId(8), 1 << 20, 9), wanted));
        assert!(!reaches(0, 0) && !reaches(0, wanted) && !reaches(wanted, 0));
    }

    proptest! {
        /// Whatever two ranks can be apart is read as it was said, at the edges of every counter too.
        // SEMANTICS: BAR-3 BAR-7 CLK-3
        #[test]
        fn what_is_said_is_read(
            entered in prop_oneof![0..1_u64 << 13, any::<u64>(), (1_u64 << 20) - 4..(1 << 20) + 4],
            ours in prop_oneof![0..1_u64 << 19, any::<u64>()],
            ahead in -(MOST_OPEN as i64)..MOST_OPEN as i64,
            more in -(1_i64 << 18)..1 << 18,
        ) {
            let epoch = u64::checked_add_signed(entered, ahead);
            let clock = u64::checked_add_signed(ours, more);
            if let (Some(epoch), Some(clock)) = (epoch, clock) {
                let said = read(word_of(GROUP, epoch, clock), GROUP, entered, ours);
                let clock = if clock & MASK == 0 { 0 } else { clock };
                prop_assert_eq!(said, Said::Reached { epoch, clock });
                let own = word_of(GROUP, entered, 0);
                prop_assert_eq!(reaches(word_of(GROUP, epoch, clock), own), ahead >= 0);
            }
        }
    }
}
