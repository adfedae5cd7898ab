//! The offers of a rank in an exchange of more than fits its heap: long parts that their receivers read where they
//! lie, in one copy instead of two. An offer lets neither wait for the other but for a moment.
//!
//! Keeps rules COL-5 and COL-10 of SEMANTICS.md.
//!
//! A rank that has got all it needs cannot return while an offer stands, since what it offers is then the
//! program's again. It waits for about as long as the copy takes that the offer spares. Then it withdraws, and
//! sends the part in pieces. From there on it waits for its receiver where it would without an offer: for room in
//! the window.

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

/// How long a rank waits for those who have yet to read so many bytes.
fn longest_wait(bytes: usize) -> Duration {
    PATIENCE + Duration::from_nanos(bytes as u64 / BYTES_PER_NS)
}

/// A part that is offered to one rank.
struct Standing<N: Nic> {
    to: Rank,
    bytes: usize,
    offer: OfferOf<N>,
}

/// The offers of one rank in one call.
pub(super) struct Offers<N: Nic>(SmallVec<[Standing<N>; 4]>);

impl<N: Nic> Default for Offers<N> {
    fn default() -> Offers<N> {
        Offers(SmallVec::new())
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
        self.0.push(Standing { to, bytes: size_of_val(part), offer });
        Ok(true)
    }

    /// Waits until all was read, but not for long.
    pub(super) fn wait_accepted(&self, comm: &Comm<N>) -> Result<()> {
        let unread = self.0.iter().filter(|standing| !standing.offer.is_accepted());
        let bytes = unread.clone().map(|standing| standing.bytes).sum();
        if bytes == 0 {
            return Ok(());
        }
        let offers = unread.map(|Standing { to, offer, .. }| (comm.to_world(*to), offer));
        Ok(comm.engine()?.wait_accepted(offers, longest_wait(bytes))?)
    }

    /// Withdraws what was not read, and hands `resend` to whom it was offered. Returns whether there was any.
    pub(super) fn withdraw(&mut self, mut resend: impl FnMut(Rank)) -> bool {
        let mut has_withdrawn = false;
        for Standing { to, offer, .. } in self.0.drain(..) {
            if offer.withdraw() {
                has_withdrawn = true;
                resend(to);
            }
        }
        has_withdrawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (Planted: a wait of a thousand times as long.)
    #[test]
    fn nobody_waits_for_much_longer_than_one_copy_takes() {
        for bytes in [OFFERED_BYTES, 1 << 20, 1 << 30] {
            // A copy at 4 GB/s.
            let copy = Duration::from_nanos(bytes as u64 / 4);
            assert_eq!(longest_wait(bytes), copy + Duration::from_micros(50), "{bytes} bytes");
        }
    }
}
