//! All to all, with counts that only the senders know (pakin-2001 algorithm 5.6).
//!
//! Each rank learns by reductions how many elements to expect, and then sends and receives in the
//! order that suits the moment, until it has sent and received all.

use std::fmt;
use std::str::FromStr;

use super::call::{Call, CollectiveError, Kind};
use crate::comm::element::elements;
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

impl FromStr for Exchange {
    type Err = String;

    fn from_str(name: &str) -> Result<Exchange, String> {
        let found = Exchange::ALL.into_iter().find(|exchange| exchange.name() == name);
        found.ok_or_else(|| format!("unknown exchange {name:?}; known are dumb, smart"))
    }
}

impl<N: Nic> Comm<N> {
    /// Sends `outgoing[r]` to each rank `r`, and hands what the others have for this rank to
    /// `deliver`, piece by piece: first its own part, then the others' as they come. The pieces of
    /// one sender come in order. Lengths need not be known to the receivers. Elements without a size
    /// are refused at compile time.
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
        const { assert!(size_of::<T>() > 0, "an exchange counts its elements by their bytes") };
        let (rank, size) = (self.rank(), self.size());
        if outgoing.len() != size {
            return Err(CollectiveError::WrongCount { given: outgoing.len(), size }.into());
        }
        deliver(rank, outgoing[rank]);
        // Tell each rank how many elements to expect, its own not counted.
        let mut expected = 0;
        for (to, slice) in outgoing.iter().enumerate() {
            let tally = if to == rank { 0 } else { slice.len() as u64 };
            if let Some(total) = self.reduce(to, &[tally], |a, b| a + b)? {
                expected = total[0];
            }
        }
        let call = Call::new(self, Kind::Exchange, 0)?;
        let mut exchange = Ongoing {
            comm: self,
            call,
            how,
            sent: vec![0; size],
            outgoing,
            heard_from: None,
            first: 1,
        };
        while exchange.has_more() || expected > 0 {
            let sent = exchange.send_some()?;
            let received = if expected > 0 { exchange.try_receive()? } else { None };
            match received {
                Some((from, piece)) => {
                    let count = piece.len() as u64;
                    expected = expected.checked_sub(count).ok_or_else(|| too_much(from))?;
                    deliver(from, &piece);
                }
                None if !sent => exchange.wait(expected > 0)?,
                None => {}
            }
        }
        Ok(())
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
            if self.comm.engine().try_send(to, envelope, bytes)? {
                self.sent[to] += count;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn pattern(&self) -> Pattern {
        Pattern { source: Source::Any, tag: Tag::Is(self.call.tag()) }
    }

    fn try_receive(&mut self) -> Result<Option<(Rank, Vec<T>)>> {
        let context = self.comm.collective_context();
        let call = self.call;
        let received = self.comm.engine().try_recv::<_, Error>(
            context,
            self.pattern(),
            |info| call.accept::<T>(info, info.len / size_of::<T>().max(1)),
            |info, bytes| (info.source, elements(bytes)),
        )?;
        if let Some((from, _)) = received {
            self.heard_from = Some(from);
        }
        Ok(received)
    }

    /// Waits until a piece has come or one can be sent.
    fn wait(&self, expects: bool) -> Result<()> {
        let context = self.comm.collective_context();
        let pattern = expects.then(|| self.pattern());
        let to: Vec<Rank> = self.candidates().filter(|&to| !self.left_for(to).is_empty()).collect();
        Ok(self.comm.engine().wait_any(context, pattern, &to)?)
    }
}
