//! What a communicator keeps from one collective to the next: how many it has called, whom it has
//! heard, and memory that its calls use in turn, so that a steady loop allocates nothing.
//!
//! The communicator alone counts calls and uses the memory. What its nonblocking calls need too is
//! shared with their requests, which may be on another thread.
//!
//! Keeps rules COL-2 and COL-4 of SEMANTICS.md.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use zerocopy::{FromBytes, IntoBytes};

use super::block_ways::BlockWays;
use super::call::operator_code;
use super::deposited::MostDeposited;
use super::{Hosts, ShapeRules};
use crate::comm::Element;
use crate::error::{Error, Result};
use crate::message::{Config, SendId};
use crate::order::Rank;
use crate::sys::lock::Lock;
use crate::sys::shared::{Exclusive, OneAtATime};

/// The most memory of one kind that is kept from one call to the next, in bytes. What a call needs
/// above that is allocated for it, and freed when it ends.
pub(super) const KEPT_BYTES: usize = 1 << 20;

/// The most buffers that are kept: a call uses at most two at once.
const KEPT_BUFFERS: usize = 2;

/// A communicator's record of its collectives.
pub(crate) struct Calls {
    /// The shape rules of the job, and those for groups like this one.
    pub(super) shape_rules: RefCell<ShapeRules>,
    pub(super) group_rules: RefCell<ShapeRules>,
    /// The number of calls.
    number: Cell<u64>,
    /// The name of the operator of the last call that had one, and its code.
    operator: Cell<(&'static str, u32)>,
    pub(super) scratch: Scratch,
    /// How long blocks have taken that were offered, and that were not.
    pub(super) block_ways: RefCell<BlockWays>,
    /// The longest payload that members may deposit, if their group is small enough.
    pub(super) most_deposited: Option<MostDeposited>,
    /// Whether they have a place to deposit.
    pub(super) has_place: bool,
    shared: Arc<Shared>,
}

/// The part of the record that the requests have too.
struct Shared {
    /// Which members are on which host.
    hosts: Hosts,
    /// The last pieces of large payloads that were kept for receivers.
    kept: OneAtATime<Vec<(Rank, SendId)>>,
    /// For each rank, the newest call from which it has sent a message that was received.
    heard: Lock<Vec<Option<u32>>>,
}

impl Calls {
    /// The record of a communicator whose members are on these hosts, may have a place to deposit, and may read copies of each
    /// other where they lie.
    pub(crate) fn of(
        hosts: impl Iterator<Item = usize>,
        config: &Config,
        (has_place, copies): (bool, bool),
    ) -> Calls {
        let hosts = Hosts::of(hosts);
        Calls {
            shape_rules: RefCell::default(),
            group_rules: RefCell::default(),
            number: Cell::default(),
            operator: Cell::default(),
            scratch: Scratch::default(),
            block_ways: RefCell::default(),
            most_deposited: MostDeposited::of(config, hosts.members(), has_place && copies),
            has_place,
            shared: Arc::new(Shared { hosts, kept: OneAtATime::default(), heard: Lock::default() }),
        }
    }

    /// The record as a request of this communicator has it.
    pub(crate) fn for_request(&self) -> Calls {
        // Field by field: the `shared` of another record would be allocated in vain.
        Calls {
            shape_rules: RefCell::default(),
            group_rules: RefCell::default(),
            number: Cell::default(),
            operator: Cell::default(),
            scratch: Scratch::default(),
            block_ways: RefCell::default(),
            most_deposited: self.most_deposited,
            has_place: self.has_place,
            shared: self.shared.clone(),
        }
    }

    /// Which members are on which host.
    pub(super) fn hosts(&self) -> &Hosts {
        &self.shared.hosts
    }

    /// The index of a new call, from 1 on.
    pub(super) fn next_index(&self) -> u64 {
        self.number.set(self.number.get() + 1);
        self.number.get()
    }

    /// The [code](operator_code) of an operator with this name. Most programs call again with the
    /// operator of the last call.
    #[inline]
    pub(super) fn operator_code(&self, name: &'static str) -> u32 {
        let (last, code) = self.operator.get();
        if std::ptr::eq(last, name) {
            return code;
        }
        let code = operator_code(name);
        self.operator.set((name, code));
        code
    }

    /// The pieces that were kept, for one call at a time.
    pub(super) fn kept(&self) -> Result<Exclusive<'_, Vec<(Rank, SendId)>>> {
        self.shared.kept.try_use().ok_or(Error::Busy)
    }

    /// Notes that a message of call `number` was received from `from`.
    ///
    /// Without a request nobody asks: a later one asks only for calls that are later still.
    #[inline]
    pub(super) fn note_heard(&self, from: Rank, number: u32) {
        if Arc::strong_count(&self.shared) > 1 {
            self.note_heard_for_requests(from, number);
        }
    }

    #[cold]
    fn note_heard_for_requests(&self, from: Rank, number: u32) {
        self.shared.heard.with(|heard| {
            if heard.len() <= from {
                heard.resize(from + 1, None);
            }
            if heard[from].is_none_or(|before| is_later(number, before)) {
                heard[from] = Some(number);
            }
        })
    }

    /// The newest call from which a message of `from` was received.
    pub(super) fn newest_heard(&self, from: Rank) -> Option<u32> {
        self.shared.heard.with(|heard| heard.get(from).copied().flatten())
    }
}

/// Whether call `number` was made after call `other`. Numbers wrap around: half of all are before,
/// half after.
pub(super) fn is_later(number: u32, other: u32) -> bool {
    number.wrapping_sub(other) as i32 > 0
}

/// Memory that the calls of one communicator use in turn. It grows to what they need, keeps at most
/// [`KEPT_BYTES`] of each kind, and is freed with the communicator.
#[derive(Default)]
pub(super) struct Scratch {
    /// Buffers for elements.
    rooms: RefCell<Vec<Vec<u64>>>,
    /// A message: the word, and the payload behind it.
    message: Cell<Vec<u8>>,
    progress: Cell<Progress>,
}

/// How far an exchange has come with each rank.
#[derive(Default)]
pub(super) struct Progress {
    /// How many elements were sent to each rank; None before the first piece.
    pub(super) sent: Vec<Option<usize>>,
    /// How many elements each rank still has to send here; None before its first piece.
    pub(super) left: Vec<Option<u64>>,
}

impl Scratch {
    /// Lends room for `count` elements to `use_room`. What stands in it is left from other calls.
    #[inline]
    pub(super) fn with_room<T: Element, R>(
        &self,
        count: usize,
        use_room: impl FnOnce(&mut [T]) -> R,
    ) -> R {
        if align_of::<T>() > align_of::<u64>() {
            return use_room(&mut vec![T::new_zeroed(); count]);
        }
        let bytes = count.saturating_mul(size_of::<T>());
        let mut words = self.take_room(bytes);
        let room = <[T]>::mut_from_bytes(&mut words.as_mut_bytes()[..bytes]);
        let result = use_room(room.expect("words are aligned as the elements are"));
        self.keep_room(words);
        result
    }

    /// Room for so many bytes.
    #[inline(never)]
    fn take_room(&self, bytes: usize) -> Vec<u64> {
        let mut words = self.rooms.borrow_mut().pop().unwrap_or_default();
        if words.len() < bytes.div_ceil(size_of::<u64>()) {
            words.resize(bytes.div_ceil(size_of::<u64>()), 0);
        }
        words
    }

    #[inline(never)]
    fn keep_room(&self, words: Vec<u64>) {
        let mut rooms = self.rooms.borrow_mut();
        if rooms.len() < KEPT_BUFFERS && words.capacity() <= KEPT_BYTES / size_of::<u64>() {
            rooms.push(words);
        }
    }

    /// Lends a message that consists of these two parts to `use_message`.
    #[inline]
    pub(super) fn with_message<R>(
        &self,
        parts: [&[u8]; 2],
        use_message: impl FnOnce(&[u8]) -> R,
    ) -> R {
        let mut message = self.message.take();
        message.clear();
        parts.into_iter().for_each(|part| message.extend_from_slice(part));
        let result = use_message(&message);
        if message.capacity() <= KEPT_BYTES {
            self.message.set(message);
        }
        result
    }

    /// The memory for an exchange with `size` ranks, in which nothing was sent or received yet.
    pub(super) fn take_progress(&self, size: usize) -> Progress {
        let mut progress = self.progress.take();
        progress.sent.clear();
        progress.sent.resize(size, None);
        progress.left.clear();
        progress.left.resize(size, None);
        progress
    }

    /// Takes the memory of an exchange back, for the next one.
    pub(super) fn keep_progress(&self, progress: Progress) {
        self.progress.set(progress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_later_than_those_before_also_where_numbers_wrap_around() {
        assert!(is_later(3, 2) && !is_later(2, 2) && !is_later(2, 3));
        assert!(is_later(1, u32::MAX) && !is_later(u32::MAX, 1));
    }

    #[test]
    fn whom_a_request_may_ask_about_is_noted_while_there_is_one() {
        let calls = Calls::of([0].into_iter(), &Config::new(1), (false, false));
        calls.note_heard(2, 7);
        assert_eq!(calls.newest_heard(2), None, "nobody could ask");
        let request = calls.for_request();
        calls.note_heard(2, 9);
        calls.note_heard(2, 8);
        assert_eq!((request.newest_heard(2), request.newest_heard(0)), (Some(9), None));
    }

    #[test]
    fn room_is_lent_again_and_what_is_large_is_given_back() {
        let scratch = Scratch::default();
        let first = scratch.with_room(3, |room: &mut [u16]| {
            room.fill(7);
            scratch.with_room(2, |other: &mut [u64]| other.fill(1));
            assert_eq!(room, [7; 3], "a second loan is other memory");
            room.as_ptr() as usize
        });
        let again = scratch.with_room(1, |room: &mut [u8]| room.as_ptr() as usize);
        assert_eq!(first, again);
        scratch.with_room(KEPT_BYTES + 1, |room: &mut [u8]| assert_eq!(room.len(), KEPT_BYTES + 1));
        assert!(scratch.rooms.borrow().iter().all(|room| room.capacity() * 8 <= KEPT_BYTES));
        #[derive(Clone, Copy, FromBytes, IntoBytes, zerocopy::Immutable)]
        #[repr(C, align(64))]
        struct Wide([u8; 64]);
        scratch.with_room(2, |room: &mut [Wide]| assert_eq!(room.len(), 2));
        scratch.with_message([b"ab", b"c"], |message| assert_eq!(message, b"abc"));
        scratch.with_message([b"", b"d"], |message| assert_eq!(message, b"d"));
    }
}
