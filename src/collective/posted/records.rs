//! Records of nonblocking collectives, kept from one call to the next: a record is large, and a library on top makes
//! many calls.

use std::cell::RefCell;

use super::Assembly;
use super::sharing::Sharing;
use super::underway::Underway;
use crate::comm::HostNic;
use crate::verbs::Nic;

/// How many records are kept.
const MOST_KEPT: usize = 64;

/// The place of a call's record. None before the call, and after.
pub(super) type Record<A, N> = Box<Option<Underway<A, N>>>;

/// Records that no call has.
pub struct Records<A: Assembly, N: Nic = HostNic> {
    calls: RefCell<Vec<Record<A, N>>>,
    /// What is left of calls in which ranks combined for each other: the memory.
    sharing: RefCell<Vec<Box<Sharing<N>>>>,
}

impl<A: Assembly, N: Nic> Records<A, N> {
    /// No records.
    #[must_use]
    pub const fn new() -> Records<A, N> {
        Records { calls: RefCell::new(Vec::new()), sharing: RefCell::new(Vec::new()) }
    }

    /// A record for this call.
    #[inline]
    pub(super) fn take(&self, call: Underway<A, N>) -> Record<A, N> {
        let mut record = self.calls.borrow_mut().pop().unwrap_or_default();
        *record = Some(call);
        record
    }

    /// The same, where it may stay.
    pub(super) fn placed(&self, sharing: Sharing<N>) -> Box<Sharing<N>> {
        match self.sharing.borrow_mut().pop() {
            Some(mut place) => {
                *place = sharing;
                place
            }
            None => Box::new(sharing),
        }
    }

    /// Takes a record back. The call is over.
    #[inline]
    pub(super) fn keep(&self, mut record: Record<A, N>) {
        let sharing = record.as_mut().as_mut().and_then(Underway::take_sharing);
        // Before anything is borrowed: what the call had may be dropped here.
        *record = None;
        let mut kept = self.calls.borrow_mut();
        if kept.len() < MOST_KEPT {
            kept.push(record);
        }
        let mut kept = self.sharing.borrow_mut();
        if kept.len() < MOST_KEPT {
            kept.extend(sharing);
        }
    }
}

impl<A: Assembly, N: Nic> Default for Records<A, N> {
    fn default() -> Self {
        Records::new()
    }
}

// Not derived: that would require a network that is `Debug`.
impl<A: Assembly, N: Nic> std::fmt::Debug for Records<A, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} records", self.calls.borrow().len())
    }
}
