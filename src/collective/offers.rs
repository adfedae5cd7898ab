//! The offers of a rank in an exchange of more than fits its heap: long parts that their receivers read where they
//! lie, in one copy instead of two. Both do as much as they can at once, and neither waits for the other but for a moment.
//!
//! Keeps rules COL-5 and COL-10 of SEMANTICS.md.
//!
//! A rank that has got all it needs cannot return while an offer stands, since what it offers is then the
//! program's again. It waits for about as long as the copy takes that the offer spares. Then it withdraws, and
//! makes that copy. So a rank that is off its core costs it at most twice the time.

use std::time::Duration;

use smallvec::SmallVec;

use super::call::Call;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::{Nic, Offer, OfferOf};

/// From this length on a part is offered, in bytes.
const OFFERED_BYTES: usize = 32 << 10;

/// How long a rank waits for those who have yet to read what it offers: this, and as long as a copy takes at so
/// many bytes a nanosecond.
const PATIENCE: Duration = Duration::from_micros(50);
const BYTES_PER_NS: u64 = 4;

/// The offers of one rank in one call.
pub(super) struct Offers<N: Nic> {
    standing: SmallVec<[(Rank, OfferOf<N>); 4]>,
    bytes: u64,
}

impl<N: Nic> Default for Offers<N> {
    fn default() -> Offers<N> {
        Offers { standing: SmallVec::new(), bytes: 0 }
    }
}

impl<N: Nic> Offers<N> {
    /// Offers `part` to a rank, if it is long and can be read there, in place of the first piece. It must not
    /// change until this is dropped.
    pub(super) fn try_offer<T: Element>(
        &mut self,
        comm: &Comm<N>,
        call: &Call,
        to: Rank,
        part: &[T],
    ) -> Result<bool> {
        if size_of_val(part) < OFFERED_BYTES {
            return Ok(false);
        }
        let Some(offer) = comm.try_offer_in(call, to, part)? else { return Ok(false) };
        self.bytes += size_of_val(part) as u64;
        self.standing.push((to, offer));
        Ok(true)
    }

    /// Waits until all was read, but not for long. Withdraws what was not, and hands `resend` to whom it was
    /// offered. Returns whether there was any.
    pub(super) fn settle(&mut self, comm: &Comm<N>, mut resend: impl FnMut(Rank)) -> Result<bool> {
        if self.standing.is_empty() {
            return Ok(false);
        }
        let copying = Duration::from_nanos(self.bytes / BYTES_PER_NS);
        let offers = self.standing.iter().map(|(to, offer)| (comm.to_world(*to), offer));
        comm.engine()?.wait_accepted(offers, PATIENCE + copying)?;
        let mut withdrawn = false;
        for (to, offer) in self.standing.drain(..) {
            if offer.withdraw() {
                withdrawn = true;
                resend(to);
            }
        }
        Ok(withdrawn)
    }
}
