//! Marks: what stands in the place that a read is to fill, so that one of which nothing has come is noticed.
//!
//! A completion says that a read is done, and a device that says so wrongly would have a program take what lay in the
//! room before for what the peer has sent. soft-RoCE does that, in Linux 6.1: where the peer's device cannot
//! send the first packet of an answer, as its cable has just been pulled out, it goes on with the second when it is asked
//! again; the one that asked finds that this does not fit, completes the read with the status of success, and fails the
//! queue pair after that (`read_reply` in rxe_resp.c keeps the answer that it has begun; `COMPST_ERROR` in rxe_comp.c
//! warns in the kernel's log, once, that the status is none of an error). In between there is a read that is done.
//!
//! What comes later on that queue pair fails, so it is enough to look at the last piece of a payload.

use std::hash::{BuildHasher, RandomState};

/// How long a mark is, in bytes.
pub(crate) const MARK_BYTES: usize = size_of::<u64>();

/// One that nobody else knows: what a peer sends is none but by a chance of one in 2^64.
pub(super) fn new() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_are_alike() {
        let marks = [(); 100].map(|()| super::new());
        assert!((1..100).all(|at| !marks[..at].contains(&marks[at])));
    }
}
