//! A signal as one word, which its sender writes into the memory of its receiver: an epoch cell
//! that lies with the network (kini-2003 §3.1 and §3.2, hoefler-2005 §4.1.3).
//!
//! Each member of a group has, at each other member, one cell that it alone writes. So a word does
//! not say its sender. It does not say the step either: no schedule has a rank signal another
//! twice. The word says the rest:
//!
//! | bits | what |
//! |---|---|
//! | 56 to 63 | a tag, of epoch and group |
//! | 32 to 55 | the group's id and one; 0 says nothing |
//! | 22 to 31 | the epoch, modulo 2^10 |
//! | 8 to 21 | the sender's count of barriers that include the receiver, modulo 2^14; 0 says nothing |
//! | 0 to 7 | the tag once more |
//!
//! A card writes a word whole. Soft-RoCE copies it as a processor likes, byte by byte where that is
//! emulated. A reader may then see the beginning of the new word and the end of the old one. Then
//! the two tags differ, as the epochs of two words that follow one another are less than 256 apart:
//! such a word says nothing yet.
//!
//! The receiver knows the rest: two members are never further apart than
//! the barriers that may be open, of which there are few enough where words are used
//! ([`MOST_OPEN`]). Cells are used again by other groups, whose ids differ, as ids are never used
//! twice and those above [`MOST_ID`] signal by messages.
//!
//! A cell only grows. The newest word says all that older ones said, so it does not matter how
//! often, or whether ever, an older one was looked at.
//!
//! This is not a cell: it does not know where words lie, nor which rank reads them.
//!
//! Keeps rules BAR-3, BAR-7 and SAFE-1 of SEMANTICS.md.

use super::{Clock, Epoch, GroupId};

/// Groups above this id signal by messages.
pub const MOST_ID: u32 = (1 << 24) - 2;

/// The most open barriers of a group where words are used; so much that counts of several groups
/// together stay well below half of what a word can tell apart.
pub const MOST_OPEN: usize = 120;

const EPOCHS: u64 = (1 << 10) - 1;
const CLOCKS: u64 = (1 << 14) - 1;

/// A release that goes to all members at once: the group and the epoch that all have entered, both
/// in full. So a release that comes late is told from a newer one, however late it is.
pub type Datagram = [u64; 2];

/// The release of `epoch`.
pub const fn datagram_of(group: GroupId, epoch: Epoch) -> Datagram {
    [group.0 as u64, epoch]
}

/// The group and the epoch of a release; None if there can be no such group.
pub fn read_datagram(datagram: Datagram) -> Option<(GroupId, Epoch)> {
    Some((GroupId(u32::try_from(datagram[0]).ok()?), datagram[1]))
}

/// The meaning of a word.
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
    /// Something of a group that was made later. As long as this group is in use, no sender says
    /// that here.
    Later,
}

/// The word for a signal of `group`, whose id is at most [`MOST_ID`].
#[inline]
pub const fn word_of(group: GroupId, epoch: Epoch, clock: Clock) -> u64 {
    let tag = tag_of(group, epoch);
    tag << 56 | (group.0 as u64 + 1) << 32 | (epoch & EPOCHS) << 22 | (clock & CLOCKS) << 8 | tag
}

/// That of another epoch near by differs, and mostly that of another group.
#[inline]
const fn tag_of(group: GroupId, epoch: Epoch) -> u64 {
    epoch.wrapping_add(group.0 as u64 * 37) & 0xff
}

#[inline]
const fn group_in(word: u64) -> u64 {
    word >> 32 & 0xff_ffff
}

/// Whether it was seen while it was being written.
#[inline]
pub const fn is_torn(word: u64) -> bool {
    word >> 56 != word & 0xff
}

/// The meaning of `word` for `group`, at a rank that has entered `entered` and counts `clock`
/// barriers that include the sender.
#[inline]
pub const fn read(word: u64, group: GroupId, entered: Epoch, clock: Clock) -> Said {
    let (theirs, ours) = (group_in(word), group.0 as u64 + 1);
    if theirs < ours {
        return Said::Nothing;
    }
    if theirs > ours {
        return Said::Later;
    }
    let epoch = nearest(word >> 22 & EPOCHS, EPOCHS, entered);
    let low = word >> 8 & CLOCKS;
    let clock = if low == 0 { 0 } else { nearest(low, CLOCKS, clock) };
    Said::Reached { epoch, clock }
}

/// The number nearest to `known` that has these low bits. Below 0 it wraps around, to a number that
/// no rank has.
#[inline]
const fn nearest(low: u64, mask: u64, known: u64) -> u64 {
    let more = low.wrapping_sub(known) & mask;
    if more <= mask / 2 {
        known.wrapping_add(more)
    } else {
        known.wrapping_sub((known & mask).wrapping_sub(low) & mask)
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
        assert_eq!(group_in(word_of(last, 0, 0)), (1 << 24) - 1);
    }

    /// Nobody is so far behind the first epoch: what looks like it is above every limit.
    // SEMANTICS: SAFE-1
    #[test]
    fn what_lies_before_the_first_epoch_is_impossible() {
        let Said::Reached { epoch, .. } = read(word_of(GROUP, EPOCHS, 1), GROUP, 0, 0) else {
            panic!("it is of this group");
        };
        assert_eq!(epoch, u64::MAX);
    }

    /// The beginning of the next word and the end of the one before it, whatever they say.
    // SEMANTICS: BAR-3 SAFE-1
    #[test]
    fn a_word_that_is_half_written_is_told() {
        for epoch in [0, 71, 255, 1023, (1 << 20) - 1] {
            for more in 1..=2 * MOST_OPEN as u64 {
                let (old, new) = (word_of(GROUP, epoch, epoch), word_of(GROUP, epoch + more, 9));
                assert!(!is_torn(old) && !is_torn(new));
                for bytes in 1..8 {
                    let low = (1_u64 << (8 * bytes)) - 1;
                    assert!(is_torn(new & low | old & !low) && is_torn(old & low | new & !low));
                }
            }
        }
    }

    // SEMANTICS: SAFE-1
    #[test]
    fn a_datagram_is_read_as_it_was_written() {
        assert_eq!(read_datagram(datagram_of(GROUP, 7)), Some((GROUP, 7)));
        assert_eq!(read_datagram([1 << 32, 7]), None);
    }

    proptest! {
        /// Whatever two ranks can be apart is read as it was said, at the edges of every counter
        /// too.
        // SEMANTICS: BAR-3 BAR-7 CLK-3
        #[test]
        fn what_is_said_is_read(
            entered in prop_oneof![0..1_u64 << 13, any::<u64>(), (1_u64 << 20) - 4..(1 << 20) + 4],
            ours in prop_oneof![0..1_u64 << 19, any::<u64>()],
            ahead in -(MOST_OPEN as i64)..MOST_OPEN as i64,
            more in -(1_i64 << 10)..1 << 10,
        ) {
            let epoch = u64::checked_add_signed(entered, ahead);
            let clock = u64::checked_add_signed(ours, more);
            if let (Some(epoch), Some(clock)) = (epoch, clock) {
                let said = read(word_of(GROUP, epoch, clock), GROUP, entered, ours);
                let clock = if clock & CLOCKS == 0 { 0 } else { clock };
                prop_assert_eq!(said, Said::Reached { epoch, clock });
            }
        }
    }
}
