//! The exchange between all ranks, without forwarding: each rank sends its data to each other rank
//! itself, first to those that have room, and receives in the order of arrival.
//!
//! A rank keeps receiving while it cannot send, so the exchange ends with any window. It waits for
//! no rank in particular, so a late rank delays only its own part.
//!
//! Keeps rules COL-1, COL-5, COL-7 and SAFE-1 of SEMANTICS.md.

use super::Exchange;
use super::call::Call;
use super::edge::{Lack, put_off};
use super::parts::Parts;
use super::pieces::Piece;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

/// What a rank waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Every other rank sends a message, if only to say that it has nothing.
    FromAll,
    /// This many elements; a rank that has none for this one sends nothing.
    Elements(u64),
}

/// An exchange in progress at one rank.
pub(super) struct Direct<'a, T: Element, N: Nic> {
    comm: &'a Comm<N>,
    call: Call,
    how: Exchange,
    /// The data for each rank; this rank's own part is not sent.
    outgoing: &'a [&'a [T]],
    /// How many elements were sent to each rank; None before the first piece.
    sent: Vec<Option<usize>>,
    /// How many elements each rank still has to send here; None before its first piece.
    left: Vec<Option<u64>>,
    expected: Expected,
    /// How many elements each rank must have for this one, if known.
    counts: Option<&'a [usize]>,
    /// How many more elements, or ranks, are expected.
    missing: u64,
    heard_from: Option<Rank>,
    /// The first failure to serve a rank that has ended. It is returned after the others are
    /// served.
    unserved: Result<()>,
    /// The distance from this rank to the first neighbour with something left to send.
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
        let (heard_from, first, counts) = (None, 1, None);
        Direct {
            comm,
            call,
            how,
            outgoing,
            sent,
            left,
            expected,
            counts,
            missing,
            heard_from,
            unserved: Ok(()),
            first,
        }
    }

    /// An exchange with known counts: each rank has `counts[r]` elements for this one.
    pub(super) fn known(
        comm: &'a Comm<N>,
        call: Call,
        outgoing: &'a [&'a [T]],
        counts: &'a [usize],
    ) -> Direct<'a, T, N> {
        let direct = Direct::new(comm, call, Exchange::default(), outgoing, Expected::FromAll);
        Direct { counts: Some(counts), ..direct }
    }

    /// Sends everything, and returns the data of all ranks concatenated in rank order. This rank's
    /// own part is the one for itself. All `counts` must be known.
    pub(super) fn collect_known(self, counts: &[usize]) -> Result<Parts<T>> {
        let rank = self.comm.rank();
        let mut parts = Parts::zeroed(counts);
        parts.part_mut(rank).copy_from_slice(self.outgoing[rank]);
        self.run(|from, left, piece| {
            let part = parts.part_mut(from);
            let at = part.len() - left as usize;
            part[at..at + piece.len()].copy_from_slice(piece);
        })?;
        Ok(parts)
    }

    /// Like [`collect_known`](Direct::collect_known), with unknown counts. A part that is as long
    /// as this rank's own part, which is common, is not copied twice.
    pub(super) fn collect(self) -> Result<Parts<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let count = self.outgoing[rank].len();
        let mut guessed = Parts::zeroed(&vec![count; size]);
        guessed.part_mut(rank).copy_from_slice(self.outgoing[rank]);
        // The parts with another length.
        let mut others: Vec<Option<Vec<T>>> = vec![None; size];
        let mut filled = vec![0; size];
        filled[rank] = count;
        self.run(|from, left, piece| {
            let first = filled[from] == 0 && others[from].is_none();
            if first && left != count as u64 {
                others[from] = Some(Vec::new());
            }
            match &mut others[from] {
                Some(part) => part.extend_from_slice(piece),
                None => {
                    let start = filled[from];
                    filled[from] += piece.len();
                    guessed.part_mut(from)[start..filled[from]].copy_from_slice(piece);
                }
            }
        })?;
        // A rank that has sent no message has no data.
        let all_equal = filled.iter().all(|&filled| filled == count);
        if all_equal && others.iter().all(Option::is_none) {
            return Ok(guessed);
        }
        let parts = others.into_iter().enumerate().map(|(from, part)| match part {
            Some(part) => part,
            None => guessed[from][..filled[from]].to_vec(),
        });
        Ok(parts.collect())
    }

    /// Sends everything, and passes each piece to `deliver`: its sender, how many elements of that
    /// sender were still expected before it, and the piece.
    pub(super) fn run(mut self, mut deliver: impl FnMut(Rank, u64, &[T])) -> Result<()> {
        // The piece received last. The program sees this copy, so it may call the runtime
        // meanwhile.
        let mut piece = Vec::new();
        while self.has_more() || self.missing > 0 {
            let sent = self.send_some()?;
            let taken = match self.missing {
                0 => None,
                _ => self.comm.try_take_any(&self.call, &self.left, self.counts, &mut piece)?,
            };
            match taken {
                Some((from, left)) => {
                    self.note(from, left, piece.len() as u64)?;
                    deliver(from, left, &piece);
                }
                None if !sent => self.wait()?,
                None => {}
            }
        }
        self.unserved
    }

    /// Counts a piece from `from`, before which `left` elements of that rank were expected.
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

    /// Whether something is left to send. Moves on to the first such neighbour.
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
        candidates(rank, size, self.first, self.how, self.heard_from)
    }

    /// Sends one piece to one rank, and returns whether it did.
    fn send_some(&mut self) -> Result<bool> {
        for to in self.candidates() {
            if self.is_done_with(to) {
                continue;
            }
            let all = self.outgoing[to];
            let piece = Piece::eager::<T>(self.sent[to], all.len(), self.comm.eager_bytes());
            let mut sent = false;
            let tried = self.comm.try_send_in(&self.call, to, all, &piece).map(|done| sent = done);
            if put_off(tried, &mut self.unserved)? {
                self.sent[to] = Some(all.len());
                return Ok(true);
            }
            if sent {
                self.sent[to] = Some(piece.range.end);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The ranks from which something is still expected. With counts told beforehand, only their
    /// sum is known. If the ranks that have begun do not account for all of it, some of the others
    /// have it.
    fn lacking(&self) -> impl Iterator<Item = (Rank, Lack)> + Clone + use<'_, T, N> {
        // Counts are bytes from a peer: they must not overflow here.
        let begun = || self.left.iter().flatten().fold(0u64, |sum, &left| sum.saturating_add(left));
        let unheard = match self.expected {
            _ if self.missing == 0 => None,
            Expected::FromAll => Some(Lack::FromThis),
            Expected::Elements(_) => (self.missing > begun()).then_some(Lack::FromSome),
        };
        let own = self.comm.rank();
        self.left.iter().enumerate().filter_map(move |(rank, left)| match left {
            _ if rank == own => None,
            None => unheard.map(|lack| (rank, lack)),
            Some(0) => None,
            Some(_) => Some((rank, Lack::FromThis)),
        })
    }

    /// Waits until a piece has arrived or one can be sent.
    fn wait(&self) -> Result<()> {
        let to: Vec<Rank> = self.candidates().filter(|&to| !self.is_done_with(to)).collect();
        let must_hear = self.expected == Expected::FromAll;
        let unheard = self.lacking().map(|(rank, _)| rank);
        let unheard = unheard.filter(|&rank| must_hear && self.left[rank].is_none());
        self.comm.wait_any(&self.call, self.lacking(), unheard, &to)
    }
}

/// The ranks to try, from the neighbour at distance `first` on, most wanted first. No rank is tried
/// twice: a rank that has ended is judged only after its messages were taken.
fn candidates(
    rank: Rank,
    size: usize,
    first: usize,
    how: Exchange,
    heard_from: Option<Rank>,
) -> impl Iterator<Item = Rank> {
    let (last, preferred) = match how {
        Exchange::Pairwise => ((first + 1).min(size), None),
        Exchange::FirstArrived => (size, heard_from),
    };
    let neighbours = (first..last).map(move |distance| (rank + distance) % size);
    preferred.into_iter().chain(neighbours.filter(move |&to| Some(to) != preferred))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rank_heard_from_is_tried_first_and_no_rank_twice() {
        let tried = |first, how, heard_from| -> Vec<Rank> {
            candidates(2, 5, first, how, heard_from).collect()
        };
        assert_eq!(tried(1, Exchange::FirstArrived, None), [3, 4, 0, 1]);
        assert_eq!(tried(1, Exchange::FirstArrived, Some(0)), [0, 3, 4, 1]);
        assert_eq!(tried(3, Exchange::FirstArrived, Some(4)), [4, 0, 1]);
        assert_eq!(tried(1, Exchange::Pairwise, Some(0)), [3]);
        assert!(tried(5, Exchange::Pairwise, Some(0)).is_empty());
    }
}
