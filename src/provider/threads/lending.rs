//! Payloads that one rank has lent to others: copies, under a lock, since what is lent here is read by other threads.
//!
//! It stands in for a device that reads memory by itself, so that what is done with such can be tested everywhere. It is
//! no faster than messages, and locks: nobody but tests asks for it.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::lock::Lock;
use crate::verbs::Lent;

/// What a rank has lent.
#[derive(Default)]
pub(super) struct Lending(Lock<Loans>);

#[derive(Default)]
struct Loans {
    /// The key of the last one.
    last: u32,
    out: Vec<Loan>,
}

struct Loan {
    to: Rank,
    lent: Lent,
    payload: Arc<[u8]>,
}

impl Lending {
    pub(super) fn lend(&self, to: Rank, payload: &[u8]) -> Lent {
        let address = payload.as_ptr().addr() as u64;
        let payload = payload.into();
        self.0.with(|loans| {
            loans.last = loans.last.wrapping_add(1);
            let lent = Lent { address, key: loans.last };
            loans.out.push(Loan { to, lent, payload });
            lent
        })
    }

    pub(super) fn take_back(&self, to: Rank, lent: Lent) {
        self.0.with(|loans| loans.out.retain(|loan| (loan.to, loan.lent) != (to, lent)));
    }

    /// What was lent to a rank so, if it is lent still.
    pub(super) fn find(&self, to: Rank, lent: Lent) -> Option<Arc<[u8]>> {
        self.0.with(|loans| {
            let found = loans.out.iter().find(|loan| (loan.to, loan.lent) == (to, lent));
            found.map(|loan| Arc::clone(&loan.payload))
        })
    }
}
