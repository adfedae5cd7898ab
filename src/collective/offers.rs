//! The offers of a rank in an exchange: long parts that their receivers read where they lie, in one copy instead of two.
//! An offer lets neither wait for the other but for a moment.
//!
//! Keeps rules COL-5 and COL-10 of SEMANTICS.md.
//!
//! A rank offers what does not fit its heap. Where it waits as one with a core to itself, it also offers what is not short, if
//! [that was the faster way](super::block_ways). (A rank that shares its core would keep it from others while it waits for its receivers.)
//!
//! A rank that has got all it needs cannot return while an offer stands, since what it offers is then the
//! program's again. It waits for about as long as the copy takes that the offer spares. Then it withdraws. What would have gone
//! at once it [copies](super::offered). The rest it sends in pieces: from there on it waits for its receiver where it would
//! without an offer, for room in the window.

use std::time::Duration;

use smallvec::SmallVec;

use super::call::Call;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::{Nic, Offer, OfferOf};

/// From this length on a part is offered that does not fit the heap, in bytes.
const OFFERED_BYTES: usize = 32 << 10;

/// From this length on, in bytes, a part may be offered that would go at once. [`BlockWays`](super::block_ways) chooses.
const BEFORE_COPIES_BYTES: usize = 48 << 10;

/// The most ranks of a group in which they are. To read a part where it lies takes 1.25 times as long as to read a copy, and a
/// copy for all is spared once. The last to come reads the parts of all others, who wait for it.
const MOST_OFFERING: usize = 4;

/// How long a rank waits for those who have yet to read what it offers: this, and as long as a copy takes at so
/// many bytes a nanosecond.
const PATIENCE: Duration = Duration::from_micros(50);
const BYTES_PER_NS: u64 = 4;

/// The same where it copies what it withdraws, and has no need to wait then.
const PATIENCE_BEFORE_COPY: Duration = Duration::from_micros(10);

/// How long a rank waits for those who have yet to read so many bytes.
fn longest_wait(patience: Duration, bytes: usize) -> Duration {
    patience + Duration::from_nanos(bytes as u64 / BYTES_PER_NS)
}

/// A part that is offered to one rank.
struct Standing<N: Nic> {
    to: Rank,
    bytes: usize,
    offer: OfferOf<N>,
}

/// The offers of one rank in one call.
pub(super) struct Offers<N: Nic> {
    standing: SmallVec<[Standing<N>; 4]>,
    /// What it waits longer than a copy takes.
    patience: Duration,
    /// Whether one copy would do for all.
    same: bool,
}

impl<N: Nic> Comm<N> {
    /// Whether a part of so many bytes may be offered though it goes at once. All members say the same. What travels with the
    /// call's word never is.
    pub(super) fn may_offer(&self, bytes: usize) -> bool {
        self.copies_payloads() && bytes >= BEFORE_COPIES_BYTES && bytes > self.eager_bytes()
    }

    /// Whether a rank offers such parts at all. Each decides for itself.
    pub(super) fn can_offer(&self) -> Result<bool> {
        Ok(self.size() <= MOST_OFFERING && self.engine()?.has_core())
    }
}

impl<N: Nic> Offers<N> {
    /// None yet. What is withdrawn goes in pieces, which may have to wait.
    pub(super) fn before_pieces() -> Offers<N> {
        Offers { standing: SmallVec::new(), patience: PATIENCE, same: false }
    }

    /// None yet. What is withdrawn is copied at once, and only once if all are offered the `same`.
    pub(super) fn before_copies(same: bool) -> Offers<N> {
        Offers { standing: SmallVec::new(), patience: PATIENCE_BEFORE_COPY, same }
    }

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
        self.standing.push(Standing { to, bytes: size_of_val(part), offer });
        Ok(true)
    }

    /// Waits until all was read, but not for long.
    pub(super) fn wait_accepted(&self, comm: &Comm<N>) -> Result<()> {
        let unread = self.standing.iter().filter(|standing| !standing.offer.is_accepted());
        let each = unread.clone().map(|standing| standing.bytes);
        let bytes = if self.same { each.max().unwrap_or(0) } else { each.sum() };
        if bytes == 0 {
            return Ok(());
        }
        let offers = unread.map(|Standing { to, offer, .. }| (comm.to_world(*to), offer));
        Ok(comm.engine()?.wait_accepted(offers, longest_wait(self.patience, bytes))?)
    }

    /// Withdraws what was not read, and hands `resend` to whom it was offered. Returns whether there was any.
    pub(super) fn withdraw(&mut self, mut resend: impl FnMut(Rank)) -> bool {
        let mut has_withdrawn = false;
        for Standing { to, offer, .. } in self.standing.drain(..) {
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
            for patience in [PATIENCE, PATIENCE_BEFORE_COPY] {
                assert_eq!(longest_wait(patience, bytes), copy + patience, "{bytes} bytes");
                assert!(patience <= Duration::from_micros(50));
            }
        }
    }
}
