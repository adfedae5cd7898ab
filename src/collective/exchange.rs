//! All to all, with counts that only the senders know (pakin-2001 algorithm 5.6).
//!
//! Each rank learns by reductions how many elements to expect, and then sends and receives in the
//! order that suits the moment, until it has sent and received all.

use std::fmt;
use std::str::FromStr;

use super::call::{Call, CollectiveError, Kind};
use crate::comm::element::copy_elements;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Pattern, Source, Tag};
use crate::order::Rank;
use crate::verbs::Nic;

/// Whom a rank sends to next in an exchange (pakin-2001 §5.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exchange {
    /// The first neighbour for whom there is something; nobody else until that is sent.
    Dumb,
    /// Whoever was heard from last, since that rank is likely to be running; then the first
    /// neighbour who has room.
    #[default]
    Smart,
}

impl Exchange {
    /// Both, in the order in which they are listed to users.
    pub const ALL: [Exchange; 2] = [Exchange::Dumb, Exchange::Smart];

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Dumb => "dumb",
            Exchange::Smart => "smart",
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No exchange has this name; the message lists those that there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown exchange {0:?}; known are {known}", known = known())]
pub struct UnknownExchange(pub String);

fn known() -> String {
    Exchange::ALL.map(Exchange::name).join(", ")
}

impl FromStr for Exchange {
    type Err = UnknownExchange;

    fn from_str(name: &str) -> Result<Exchange, UnknownExchange> {
        let found = Exchange::ALL.into_iter().find(|exchange| exchange.name() == name);
        found.ok_or_else(|| UnknownExchange(name.to_owned()))
    }
}

impl<N: Nic> Comm<N> {
    /// Sends `outgoing[r]` to each rank `r`, and hands what the others have for this rank to
    /// `deliver`, piece by piece: first its own part, then the others' as they come. The pieces of
    /// one sender come in order. Lengths need not be known to the receivers.
    ///
    /// # Errors
    ///
    /// [`CollectiveError::WrongCount`] if there is not one slice for each rank;
    /// [`CollectiveError::Mismatch`] and others as by [`Comm::reduce`].
    pub fn exchange<T: Element>(
        &self,
        outgoing: &[&[T]],
        how: Exchange,
        mut deliver: impl FnMut(Rank, &[T]),
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        if outgoing.len() != size {
            return Err(CollectiveError::WrongCount { given: outgoing.len(), size }.into());
        }
        deliver(rank, outgoing[rank]);
        let mut expected = self.expected_from_others(outgoing)?;
        let call = Call::new(self, Kind::Exchange, 0)?;
        let mut exchange = Ongoing {
            comm: self,
            call,
            how,
            sent: vec![0; size],
            outgoing,
            heard_from: None,
            first: 1,
            piece: Vec::new(),
        };
        while exchange.has_more() || expected > 0 {
            let sent = exchange.send_some()?;
            let received = if expected > 0 { exchange.try_receive()? } else { None };
            match received {
                Some(from) => {
                    let count = exchange.piece.len() as u64;
                    expected = expected.checked_sub(count).ok_or_else(|| too_much(from))?;
                    deliver(from, &exchange.piece);
                }
                None if !sent => exchange.wait(expected > 0)?,
                None => {}
            }
        }
        Ok(())
    }
}

impl<N: Nic> Comm<N> {
    /// Tells each rank how many elements it is to expect, by a reduction to each, and returns how
    /// many this one is. What a rank gives itself is not counted.
    fn expected_from_others<T: Element>(&self, outgoing: &[&[T]]) -> Result<u64> {
        let (rank, size) = (self.rank(), self.size());
        let tallies = outgoing.iter().map(|slice| slice.len() as u64).enumerate();
        let calls: Vec<(Call, u64)> = tallies
            .map(|(to, tally)| Ok((Call::new(self, Kind::Reduce, to)?, tally)))
            .collect::<Result<_>>()?;
        // Who is a leaf in all trees but its own can send all that others need before it waits
        // for anybody: they run concurrently (Pakin §5.1.1). An interior rank must keep the order.
        let is_leaf = |root| self.tree().children(rank, root, size).next().is_none();
        let own_last = (0..size).all(|root| root == rank || is_leaf(root));
        let mut expected = 0;
        for (call, tally) in &calls {
            if call.root != rank {
                self.reduce_in(call, &[*tally], |a, b| a + b)?;
            } else if !own_last {
                expected = self.reduce_in(call, &[0], |a, b| a + b)?.map_or(0, |total| total[0]);
            }
        }
        if own_last {
            let own = &calls[rank].0;
            expected = self.reduce_in(own, &[0], |a, b| a + b)?.map_or(0, |total| total[0]);
        }
        Ok(expected)
    }
}

fn too_much(from: Rank) -> Error {
    let theirs = "an exchange with more elements than it had announced".to_owned();
    CollectiveError::Mismatch { from, theirs, ours: "exchange".to_owned() }.into()
}

/// An exchange under way at one rank.
struct Ongoing<'a, T: Element, N: Nic> {
    comm: &'a Comm<N>,
    call: Call,
    how: Exchange,
    outgoing: &'a [&'a [T]],
    /// How many elements each rank has been sent.
    sent: Vec<usize>,
    heard_from: Option<Rank>,
    /// How far the first neighbour with something left is from this rank.
    first: usize,
    /// What was received last. The program sees this copy, so that it may call the runtime while it
    /// looks.
    piece: Vec<T>,
}

impl<T: Element, N: Nic> Ongoing<'_, T, N> {
    fn left_for(&self, to: Rank) -> &[T] {
        &self.outgoing[to][self.sent[to]..]
    }

    /// Whether something is left to send; moves on to the first neighbour for whom there is.
    fn has_more(&mut self) -> bool {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        while self.first < size && self.left_for((rank + self.first) % size).is_empty() {
            self.first += 1;
        }
        self.first < size
    }

    /// The ranks to try, most wanted first.
    fn candidates(&self) -> impl Iterator<Item = Rank> + use<T, N> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let (last, preferred) = match self.how {
            Exchange::Dumb => ((self.first + 1).min(size), None),
            Exchange::Smart => (size, self.heard_from),
        };
        let neighbours = (self.first..last).map(move |distance| (rank + distance) % size);
        preferred.into_iter().chain(neighbours)
    }

    /// Sends one piece to one rank; returns whether it did.
    fn send_some(&mut self) -> Result<bool> {
        let whole = (self.comm.engine().config().eager_bytes / size_of::<T>().max(1)).max(1);
        for to in self.candidates() {
            let left = self.left_for(to);
            if left.is_empty() {
                continue;
            }
            let piece = &left[..left.len().min(whole)];
            let envelope = self.call.envelope::<T>(self.comm.collective_context());
            let bytes = zerocopy::IntoBytes::as_bytes(piece);
            let count = piece.len();
            if self.comm.engine().try_send_now(to, envelope, bytes)? {
                self.sent[to] += count;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The number in a tag wraps, but a rank sends pieces of a later exchange only when all have
    /// sent their tallies for it, and so are done with this one.
    fn pattern(&self) -> Pattern {
        Pattern { source: Source::Any, tag: Tag::Is(self.call.tag()) }
    }

    /// Receives a piece, if one has come, and returns whose it is.
    fn try_receive(&mut self) -> Result<Option<Rank>> {
        let context = self.comm.collective_context();
        let (call, pattern, piece) = (self.call, self.pattern(), &mut self.piece);
        let received = self.comm.engine().try_recv::<_, Error>(
            context,
            pattern,
            |info| call.accept::<T>(info, info.len / size_of::<T>().max(1)),
            |info, bytes| {
                copy_elements(bytes, piece);
                info.source
            },
        )?;
        self.heard_from = received.or(self.heard_from);
        Ok(received)
    }

    /// Waits until a piece has come or one can be sent.
    fn wait(&self, expects: bool) -> Result<()> {
        let context = self.comm.collective_context();
        let pattern = expects.then(|| self.pattern());
        let to: Vec<Rank> = self.candidates().filter(|&to| !self.left_for(to).is_empty()).collect();
        Ok(self.comm.engine_in(&self.call).wait_any(context, pattern, &to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::Exchange;

    #[test]
    fn an_unknown_name_lists_all() {
        assert_eq!("smart".parse(), Ok(Exchange::Smart));
        let message = "clever".parse::<Exchange>().unwrap_err().to_string();
        assert_eq!(message, "unknown exchange \"clever\"; known are dumb, smart");
    }
}
