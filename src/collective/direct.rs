//! The exchange between all ranks, without forwarding: each rank sends its data to each other rank
//! itself, first to those that have room, and receives in the order of arrival.
//!
//! A rank keeps receiving while it cannot send, so the exchange ends with any window. It waits for
//! no rank in particular, so a late rank delays only its own part.
//!
//! Keeps rules COL-1, COL-5, COL-7 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;

use super::Exchange;
use super::blocks::{RecvBlocks, SendBlocks};
use super::call::Call;
use super::calls::Progress;
use super::edge::{Lack, put_off};
use super::parts::{EqualParts, GuessedParts, Parts, PutParts, place};
use super::pieces::Piece;
use crate::comm::element::copy;
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
    outgoing: SendBlocks<'a, T>,
    /// Memory of the communicator, which has it back at the end.
    progress: Progress,
    expected: Expected,
    incoming: RecvBlocks<'a>,
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
    /// An exchange in which only the senders know how much they send.
    pub(super) fn new(
        comm: &'a Comm<N>,
        call: Call,
        how: Exchange,
        outgoing: SendBlocks<'a, T>,
        expected: Expected,
    ) -> Direct<'a, T, N> {
        let size = comm.size();
        let missing = match expected {
            Expected::FromAll => size as u64 - 1,
            Expected::Elements(count) => count,
        };
        Direct {
            comm,
            call,
            how,
            outgoing,
            progress: comm.collectives.scratch.take_progress(size),
            expected,
            incoming: RecvBlocks::Unknown,
            missing,
            heard_from: None,
            unserved: Ok(()),
            first: 1,
        }
    }

    /// An exchange in which every rank knows how much it gets.
    pub(super) fn known(
        comm: &'a Comm<N>,
        call: Call,
        outgoing: SendBlocks<'a, T>,
        incoming: RecvBlocks<'a>,
    ) -> Direct<'a, T, N> {
        let direct = Direct::new(comm, call, Exchange::default(), outgoing, Expected::FromAll);
        Direct { incoming, ..direct }
    }

    /// Sends everything, and collects the data of all ranks, of which each has as many elements for
    /// this one: concatenated in rank order, with this rank's own part. They fill `room`.
    pub(super) fn collect_into(self, room: &mut [T]) -> Result<()> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let count = room.len() / size;
        copy(self.outgoing.part(rank, size), &mut room[rank * count..][..count]);
        let mut parts = EqualParts { room, count };
        self.run(|from, left, bytes| parts.put(from, left, bytes))
    }

    /// As [`collect_into`](Direct::collect_into), where each rank has `counts[r]` elements for this
    /// one, and into new memory.
    pub(super) fn collect_known(self, counts: &[usize]) -> Result<Parts<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let mut parts = Parts::zeroed(counts);
        copy(self.outgoing.part(rank, size), parts.part_mut(rank));
        self.run(|from, left, bytes| {
            let part = parts.part_mut(from);
            let at = part.len() - left as usize;
            place(part, at, bytes);
        })?;
        Ok(parts)
    }

    /// Like [`collect_known`](Direct::collect_known), with unknown counts. A part that is as long
    /// as this rank's own part, which is common, is not copied twice.
    pub(super) fn collect(self) -> Result<Parts<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let mut parts = GuessedParts::new(rank, size, self.outgoing.part(rank, size));
        self.run(|from, left, bytes| parts.put(from, left, bytes))?;
        Ok(parts.into_parts())
    }

    /// Sends everything, and passes each piece to `take`: its sender, how many elements of that
    /// sender were still expected before it, and their bytes. It must not call the runtime.
    pub(super) fn run(self, take: impl FnMut(Rank, u64, &[u8])) -> Result<()> {
        self.run_and(take, |_| {})
    }

    /// As [`run`](Direct::run), with `then`, which is called after each piece with its sender, and
    /// may call the runtime.
    pub(super) fn run_and(
        mut self,
        mut take: impl FnMut(Rank, u64, &[u8]),
        mut then: impl FnMut(Rank),
    ) -> Result<()> {
        while self.has_more() || self.missing > 0 {
            let sent = self.send_some()?;
            let (call, left) = (&self.call, &self.progress.left);
            let taken = match self.missing {
                0 => None,
                _ => self.comm.try_take_any::<T>(call, left, self.incoming, &mut take)?,
            };
            match taken {
                Some((from, left, count)) => {
                    self.note(from, left, count)?;
                    then(from);
                }
                None if !sent => self.wait()?,
                None => {}
            }
        }
        self.comm.collectives.scratch.keep_progress(self.progress);
        self.unserved
    }

    /// Counts a piece from `from`, before which `left` elements of that rank were expected.
    fn note(&mut self, from: Rank, left: u64, count: u64) -> Result<()> {
        self.heard_from = Some(from);
        self.progress.left[from] = Some(left - count);
        self.missing = match self.expected {
            Expected::FromAll => self.missing - u64::from(left == count),
            Expected::Elements(_) => self.missing.checked_sub(count).ok_or_else(|| {
                self.call.wrong_piece(from, count as usize, self.missing as usize)
            })?,
        };
        Ok(())
    }

    /// The data for rank `to`.
    fn part(&self, to: Rank) -> &'a [T] {
        self.outgoing.part(to, self.comm.size())
    }

    fn is_done_with(&self, to: Rank) -> bool {
        match (self.progress.sent[to], self.expected) {
            (None, Expected::FromAll) => false,
            (sent, _) => sent.unwrap_or(0) == self.part(to).len(),
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
            let all = self.part(to);
            let piece =
                Piece::eager::<T>(self.progress.sent[to], all.len(), self.comm.eager_bytes());
            let mut sent = false;
            let tried = self.comm.try_send_in(&self.call, to, all, &piece).map(|done| sent = done);
            if put_off(tried, &mut self.unserved)? {
                self.progress.sent[to] = Some(all.len());
                return Ok(true);
            }
            if sent {
                self.progress.sent[to] = Some(piece.range.end);
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
        let begun = || {
            self.progress.left.iter().flatten().fold(0u64, |sum, &left| sum.saturating_add(left))
        };
        let unheard = match self.expected {
            _ if self.missing == 0 => None,
            Expected::FromAll => Some(Lack::FromThis),
            Expected::Elements(_) => (self.missing > begun()).then_some(Lack::FromSome),
        };
        let own = self.comm.rank();
        self.progress.left.iter().enumerate().filter_map(move |(rank, left)| match left {
            _ if rank == own => None,
            None => unheard.map(|lack| (rank, lack)),
            Some(0) => None,
            Some(_) => Some((rank, Lack::FromThis)),
        })
    }

    /// Waits until a piece has arrived or one can be sent.
    fn wait(&self) -> Result<()> {
        let to: SmallVec<[Rank; 16]> =
            self.candidates().filter(|&to| !self.is_done_with(to)).collect();
        let must_hear = self.expected == Expected::FromAll;
        let unheard = self.lacking().map(|(rank, _)| rank);
        let unheard = unheard.filter(|&rank| must_hear && self.progress.left[rank].is_none());
        let deposits = self.comm.unheard(&self.progress.left);
        self.comm.wait_for_piece(&self.call, self.lacking(), unheard, deposits, &to)
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
