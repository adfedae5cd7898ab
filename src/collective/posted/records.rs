//! Records of nonblocking collectives, kept from one call to the next: a record is large, and a library on top makes
//! many calls.

use std::cell::RefCell;

use super::Assembly;
use super::request::Underway;
use crate::comm::HostNic;
use crate::verbs::Nic;

/// How many records are kept.
const MOST_KEPT: usize = 64;

/// The place of a call's record. None before the call, and after.
pub(super) type Record<A, N> = Box<Option<Underway<A, N>>>;

/// Records that no call has.
pub struct Records<A: Assembly, N: Nic = HostNic>(RefCell<Vec<Record<A, N>>>);

impl<A: Assembly, N: Nic> Records<A, N> {
    /// No records.
    #[must_use]
    pub const fn new() -> Records<A, N> {
        Records(RefCell::new(Vec::new()))
    }

    /// A record for this call.
    #[inline]
    pub(super) fn take(&self, call: Underway<A, N>) -> Record<A, N> {
        let mut record = self.0.borrow_mut().pop().unwrap_or_default();
        *record = Some(call);
        record
    }

    /// Takes a record back. The call is over.
    #[inline]
    pub(super) fn keep(&self, mut record: Record<A, N>) {
        // Before anything is borrowed: what the call had may be dropped here.
        *record = None;
        let mut kept = self.0.borrow_mut();
        if kept.len() < MOST_KEPT {
            kept.push(record);
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
        write!(f, "{} records", self.0.borrow().len())
    }
}
