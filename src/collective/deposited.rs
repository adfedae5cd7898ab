//! How much payload of which call is deposited. Pure: all members say the same.
//!
//! Keeps rules COL-4 and COL-9 of SEMANTICS.md.
//!
//! What is short lies in a slot. Of more the sender makes one copy, which all that need it read where it lies. That takes the place of
//! a message to each, and of a copy for each where messages are eager.
//!
//! # What it gains
//!
//! Measured with 2 cores, in times of messages, old and new in turn: with 8 ranks and 8 KiB 0.47 (`broadcast`), 0.41
//! (`all_reduce`), 0.47 (`all_gather`), 0.62 (`all_to_all`) and 0.49 (`exclusive_scan`); 0.6 to 0.8 with 4 ranks. The three that move
//! data take 0.58 to 1.07 with 16 to 256 KiB, where 1.07 is one of 24, and 0.85 to 1.03 between two ranks.

use super::Kind;
use super::at_once::COPIED_SHARE;
use super::call::Word;
use super::calls::KEPT_BYTES;
use crate::message::{Config, LEAST_MEMBERS, MOST_BYTES, MOST_HEAD_BYTES, MOST_MEMBERS};

/// The longest payload that is deposited in a slot, in bytes.
const SLOT_PAYLOAD: usize = MOST_BYTES - Word::BYTES;

const _: () = assert!(Word::BYTES <= MOST_HEAD_BYTES && Word::BYTES.is_multiple_of(8));

/// A broadcast of more goes in pieces, which are read while the root copies the next.
const BROADCAST_BYTES: usize = 256 << 10;

/// Up to so many bytes each of two ranks combines what the other deposits. (With 256 KiB it takes 1.05 of the time of messages.)
const TWO_COMBINE_BYTES: usize = 64 << 10;

/// The longest payload that members deposit, in bytes: of each, or of each for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MostDeposited {
    slot: usize,
    combined: usize,
    scattered: usize,
    moved: usize,
    broadcast: usize,
}

impl MostDeposited {
    /// In a group of this size, which may have areas: a place to deposit, and memory in which all read what one has
    /// copied. None in one that is too large to deposit.
    pub(super) fn of(config: &Config, size: usize, has_areas: bool) -> Option<MostDeposited> {
        let eager = config.eager_bytes.min(config.message_bytes);
        let is_group_small = (LEAST_MEMBERS..=MOST_MEMBERS).contains(&size);
        let eager_payload = eager.checked_sub(Word::BYTES).filter(|_| is_group_small)?;
        let slot = eager_payload.min(SLOT_PAYLOAD);
        if !has_areas {
            let [combined, scattered, moved, broadcast] = [slot; 4];
            return Some(MostDeposited { slot, combined, scattered, moved, broadcast });
        }
        // As much as a rank copies before it receives.
        let copied = config.heap_bytes / COPIED_SHARE;
        let most = |bytes: usize| bytes.min(config.message_bytes).max(slot);
        let (moved, broadcast) = (most(copied / size), most(copied.min(BROADCAST_BYTES)));
        let combined = match size {
            2 => TWO_COMBINE_BYTES,
            // Of more, ranks share the work.
            _ => config.eager_bytes,
        };
        let combined = combined.clamp(slot, moved);
        // An operator of the program combines copies of all parts, which have place in what a communicator keeps.
        let scattered = (KEPT_BYTES / size).clamp(slot, moved);
        Some(MostDeposited { slot, combined, scattered, moved, broadcast })
    }

    /// In a slot.
    #[inline]
    pub(super) fn in_slot(self) -> usize {
        self.slot
    }

    /// Whether so much is deposited in a call of this kind.
    #[inline(always)]
    pub(super) fn includes(self, kind: Kind, bytes: usize) -> bool {
        bytes <= self.slot || bytes <= self.in_call(kind)
    }

    #[inline(never)]
    fn in_call(self, kind: Kind) -> usize {
        match kind {
            Kind::AllGather | Kind::AllToAll | Kind::IallGather | Kind::IallToAll => self.moved,
            Kind::ReduceScatter | Kind::IreduceScatter => self.scattered,
            Kind::Broadcast | Kind::Ibroadcast => self.broadcast,
            Kind::AllReduce
            | Kind::Scan
            | Kind::ExclusiveScan
            | Kind::IallReduce
            | Kind::Iscan
            | Kind::IexclusiveScan => self.combined,
            // Each has one reader, or parts of different lengths.
            _ => self.slot,
        }
    }
}
