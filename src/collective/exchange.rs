//! All to all, with counts that only the senders know (pakin-2001 algorithm 5.6).
//!
//! Each rank sends and receives whatever is possible next, until it has sent and received
//! everything: see [`Direct`].

use std::cell::RefCell;

use super::blocks::SendBlocks;
use super::call::Call;
use super::direct::{Direct, Expected};
use super::{CollectiveError, Kind};
use super::{Parts, Tree};
use crate::comm::element::copy_elements;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::names::named;
use crate::order::Rank;
use crate::verbs::Nic;

/// The rule by which a rank chooses its next receiver in an exchange ([pakin-2001] §5.4.1).
///
/// [pakin-2001]: crate::bibliography#pakin-2001
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// In the order of ranks, one receiver at a time: the next neighbour is served when the one
    /// before it has all of its data. (The *dumb* exchange of [pakin-2001].)
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    Pairwise,
    /// First the rank that was heard from last, since it is likely to be running; then the first
    /// neighbour that has room. (The *smart* exchange of [pakin-2001].)
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    #[default]
    FirstArrived,
}

named!("exchange", Exchange { Pairwise = "pairwise" | "dumb", FirstArrived = "first-arrived" | "smart" });

impl<N: Nic> Comm<N> {
    /// Sends `outgoing[r]` to each rank `r`, and passes the data of the others for this rank to
    /// `deliver`, piece by piece: first its own part, then the others' as they arrive. The pieces
    /// of one sender come in order. The receivers need not know the lengths.
    ///
    /// With [`Tree::Binary`] and other trees that forward, the ranks first learn how much to
    /// expect, by a reduction in that tree ([pakin-2001] algorithm 5.6 has one for each rank). Then
    /// only ranks that have data for each other exchange messages. With [`Tree::Flat`] and
    /// [`Tree::Auto`], every rank tells every other itself, together with the first piece.
    ///
    /// # Errors
    ///
    /// [`CollectiveError::WrongCount`] if there is not one slice for each rank;
    /// [`CollectiveError::Mismatch`] and others as for [`Comm::reduce`].
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    pub fn exchange<T: Element>(
        &self,
        outgoing: &[&[T]],
        how: Exchange,
        mut deliver: impl FnMut(Rank, &[T]),
    ) -> Result<()> {
        let rank = self.rank();
        self.check_outgoing(outgoing)?;
        deliver(rank, outgoing[rank]);
        let direct = self.prepare_exchange(outgoing, how)?;
        // The program sees this copy of the last piece, so it may call the runtime meanwhile.
        let piece = RefCell::new(Vec::new());
        direct.run_and(
            |_, _, bytes| copy_elements(bytes, &mut piece.borrow_mut()),
            |from| deliver(from, &piece.borrow()),
        )
    }

    /// Like [`exchange`](Comm::exchange), and collects the data: part `r` of the result is the
    /// slice of rank `r` for this one.
    ///
    /// ```
    /// runahead::launch(3, |world| {
    ///     let words: [&[u8]; 3] = [b"to 0", b"", b"to rank 2"];
    ///     let parts = world.exchange_parts(&words)?;
    ///     assert!(parts.iter().all(|part| part == words[world.rank()]));
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`exchange`](Comm::exchange).
    pub fn exchange_parts<T: Element>(&self, outgoing: &[&[T]]) -> Result<Parts<T>> {
        self.check_outgoing(outgoing)?;
        self.prepare_exchange(outgoing, Exchange::default())?.collect()
    }

    fn check_outgoing<T>(&self, outgoing: &[&[T]]) -> Result<()> {
        let (given, size) = (outgoing.len(), self.size());
        if given == size {
            return Ok(());
        }
        Err(CollectiveError::wrong_count(Kind::Exchange, "outgoing", given, size))
    }

    /// Learns how much to expect, if the tree requires that beforehand.
    fn prepare_exchange<'a, T: Element>(
        &'a self,
        outgoing: &'a [&'a [T]],
        how: Exchange,
    ) -> Result<Direct<'a, T, N>> {
        let expected = match self.tree() {
            Tree::Auto | Tree::Flat => Expected::FromAll,
            _ => Expected::Elements(self.expected_from_others(outgoing)?),
        };
        let call = Call::new::<T, N>(self, Kind::Exchange, 0, None)?;
        Ok(Direct::new(self, call, how, SendBlocks::Listed(outgoing), expected))
    }

    /// Tells each rank how many elements it is to expect, by a reduction of all counts in the tree
    /// and a broadcast of the result. What a rank gives itself is not counted.
    fn expected_from_others<T: Element>(&self, outgoing: &[&[T]]) -> Result<u64> {
        let rank = self.rank();
        let mut counts: Vec<u64> = outgoing.iter().map(|slice| slice.len() as u64).collect();
        counts[rank] = 0;
        // Counts are bytes from a peer: they must not overflow here.
        if let Some(totals) = self.reduce(0, &counts, |a, b| a.saturating_add(b))? {
            counts = totals;
        }
        self.broadcast(0, &mut counts)?;
        Ok(counts[rank])
    }
}

#[cfg(test)]
mod tests {
    use super::Exchange;

    #[test]
    fn an_unknown_name_lists_all() {
        assert_eq!("smart".parse(), Ok(Exchange::FirstArrived), "the name in pakin-2001");
        let message = "clever".parse::<Exchange>().unwrap_err().to_string();
        assert_eq!(message, "unknown exchange \"clever\": expected pairwise or first-arrived");
    }
}
