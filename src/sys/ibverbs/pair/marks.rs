//! Marks: a value in the place that a read is to fill, so that a read that reads nothing is
//! noticed.
//!
//! A completion says that a read is done. If a device says so wrongly, a program would take the old
//! contents of the buffer for the peer's data. Soft-RoCE in Linux 6.1 does that. Suppose the peer's
//! device cannot send the first packet of an answer, because its cable has just been pulled out.
//! When asked again, it continues with the second packet. The asking device finds that this does
//! not fit. It completes the read with success, and fails the queue pair after that. (`read_reply`
//! in rxe_resp.c keeps the answer that it has begun. `COMPST_ERROR` in rxe_comp.c warns once in the
//! kernel's log that the status is not an error.) In between, a read seems done.
//!
//! Later requests on that queue pair fail, so it is enough to check the last piece of a payload.

use std::hash::{BuildHasher, RandomState};

/// The length of a mark, in bytes.
pub(crate) const MARK_BYTES: usize = size_of::<u64>();

/// A random mark: a peer's data equal it with a probability of one in 2^64.
pub(super) fn new() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_marks_are_equal() {
        let marks = [(); 100].map(|()| super::new());
        assert!((1..100).all(|at| !marks[..at].contains(&marks[at])));
    }
}
