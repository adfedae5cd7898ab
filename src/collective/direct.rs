//! Everybody with everybody, and nobody passes anything on: each rank sends what it has for each
//! other itself, to whoever has room, and takes what comes from whoever is first.
//!
//! It goes on receiving while it cannot send, so that it ends with any window; and it waits for
//! nobody in particular, so that a rank which is slow to come delays only its own part.
//!
//! Keeps rules COL-1 and SAFE-1 of SEMANTICS.md.

use super::Exchange;
use super::call::Call;
use super::pieces::Piece;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Every other rank says something, if only that it has nothing.
    FromAll,
    /// So many elements; who has none for this rank says nothing.
    Elements(u64),
}

/// An exchange under way at one rank.
pub(super) struct Direct<'a, T: Element, N: Nic> {
    comm: &'a Comm<N>,
    call: Call,
    how: Exchange,
    /// What there is for each rank; its own part is left out.
    outgoing: &'a [&'a [T]],
    /// How much has been sent to each rank; None before the first piece.
    sent: Vec<Option<usize>>,
    /// How many elements each rank has still to send here; None before its first piece.
    left: Vec<Option<u64>>,
    expected: Expected,
    /// How many elements must come, or ranks, to be done.
    missing: u64,
    heard_from: Option<Rank>,
    /// How far the first neighbour with something left is from this rank.
    first: usize,
}

impl<'a, T: Element, N: Nic> Direct<'a, T, N> {
    pub(super) fn new(
        comm: &'a Comm<N>,
        call: Call,
        how: Exchange,
        outgoing: &'a [&'a [T]],
        expected: Expected,
    ) -> Direct<'a, T, N> {
        let size = comm.size();
        let missing = match expected {
            Expected::FromAll => size as u64 - 1,
            Expected::Elements(count) => count,
        };
        let (sent, left) = (vec![None; size], vec![None; size]);
        let (heard_from, first) = (None, 1);
        Direct { comm, call, how, outgoing, sent, left, expected, missing, heard_from, first }
    }

    /// Sends all, and hands all that comes to `deliver`.
    pub(super) fn run(mut self, mut deliver: impl FnMut(Rank, &[T])) -> Result<()> {
        // What was received last. The program sees this copy, so that it may call the runtime while
        // it looks.
        let mut piece = Vec::new();
        while self.has_more() || self.missing > 0 {
            let sent = self.send_some()?;
            let taken = match self.missing {
                0 => None,
                _ => self.comm.try_take_any(&self.call, &self.left, &mut piece)?,
            };
            match taken {
                Some((from, left)) => {
                    self.note(from, left, piece.len() as u64)?;
                    deliver(from, &piece);
                }
                None if !sent => self.wait()?,
                None => {}
            }
        }
        Ok(())
    }

    /// Counts a piece of `from`, of which so many elements were `left` before.
    fn note(&mut self, from: Rank, left: u64, count: u64) -> Result<()> {
        self.heard_from = Some(from);
        self.left[from] = Some(left - count);
        self.missing = match self.expected {
            Expected::FromAll => self.missing - u64::from(left == count),
            Expected::Elements(_) => self.missing.checked_sub(count).ok_or_else(|| {
                self.call.wrong_piece(from, count as usize, self.missing as usize)
            })?,
        };
        Ok(())
    }

    fn is_done_with(&self, to: Rank) -> bool {
        match (self.sent[to], self.expected) {
            (None, Expected::FromAll) => false,
            (sent, _) => sent.unwrap_or(0) == self.outgoing[to].len(),
        }
    }

    /// Whether something is left to send; moves on to the first neighbour for whom there is.
    fn has_more(&mut self) -> bool {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        while self.first < size && self.is_done_with((rank + self.first) % size) {
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
        for to in self.candidates() {
            if self.is_done_with(to) {
                continue;
            }
            let all = self.outgoing[to];
            let piece = Piece::eager::<T>(self.sent[to], all.len(), self.comm.eager_bytes());
            if self.comm.try_send_in(&self.call, to, all, &piece)? {
                self.sent[to] = Some(piece.range.end);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits until a piece has come or one can be sent.
    fn wait(&self) -> Result<()> {
        let to: Vec<Rank> = self.candidates().filter(|&to| !self.is_done_with(to)).collect();
        let must_hear = self.expected == Expected::FromAll;
        let left = (self.missing > 0).then_some(self.left.as_slice());
        self.comm.wait_any(&self.call, left, must_hear, &to)
    }
}
