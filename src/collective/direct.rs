//! The exchange between all ranks, without forwarding: each rank sends its data to each other rank
//! itself, first to those that have room, and receives in the order of arrival.
//!
//! A rank keeps receiving while it cannot send, so the exchange ends with any window. It waits for
//! no rank in particular, so a late rank delays only its own part.
//!
//! Where each part has its place at the receiver, what does not go at once is offered ([`Offers`]), and read where it
//! lies.
//!
//! Keeps rules COL-1, COL-5, COL-7, COL-10 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;

use super::Exchange;
use super::any_source::CamePiece;
use super::blocks::{RecvBlocks, SendBlocks};
use super::call::Call;
use super::calls::Progress;
use super::edge::{Lack, PostedSends, is_of_one_gone, put_off};
use super::offers::Offers;
use super::parts::{GuessedParts, Parts, Places, Put, Sink, Take};
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
    /// None where receivers have no place for a part as a whole.
    offers: Option<Offers<N>>,
    /// Whether an offer of another rank could not be read, and this rank has not withdrawn its own since.
    has_missed: bool,
    /// What was copied for its receivers, and has not left.
    posted: PostedSends,
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
            offers: None,
            has_missed: false,
            posted: PostedSends::default(),
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

    /// Sends everything, and collects the data of all ranks, each part in its place. This rank's own is
    /// there. A rank that collects otherwise reads nothing that is offered, and gets it all the same.
    pub(super) fn collect_in(mut self, places: &mut impl Places<T>) -> Result<()> {
        self.offers = Some(Offers::before_pieces());
        self.run_with(&mut Put(places), |_| {})
    }

    /// As [`collect_in`](Direct::collect_in), where each rank has `counts[r]` elements for this one,
    /// and into new memory.
    pub(super) fn collect_known(self, counts: &[usize]) -> Result<Parts<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let mut parts = Parts::zeroed(counts);
        copy(self.outgoing.part(rank, size), parts.part_mut(rank));
        self.collect_in(&mut parts)?;
        Ok(parts)
    }

    /// Like [`collect_known`](Direct::collect_known), with unknown counts. A part that is as long
    /// as this rank's own part, which is common, has its place, and is not copied twice.
    pub(super) fn collect(mut self) -> Result<Parts<T>> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let mut parts = GuessedParts::new(rank, size, self.outgoing.part(rank, size));
        self.offers = Some(Offers::before_pieces());
        self.run_with(&mut parts, |_| {})?;
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
        self,
        take: impl FnMut(Rank, u64, &[u8]),
        then: impl FnMut(Rank),
    ) -> Result<()> {
        self.run_with(&mut Take(take), then)
    }

    fn run_with(mut self, sink: &mut impl Sink<T>, then: impl FnMut(Rank)) -> Result<()> {
        if let Err(error) = self.exchange(sink, then) {
            if is_of_one_gone(&error) {
                self.leave_rest();
            }
            return Err(error);
        }
        self.comm.see_off(self.posted)?;
        self.comm.collectives.scratch.keep_progress(self.progress);
        // Others may have deposited what was little of theirs.
        if self.call.kind.is_deposited() {
            self.comm.finish_in(&self.call)?;
        }
        self.unserved
    }

    /// A rank has gone, so this one makes no more of the call. Others may need what it has for them, and
    /// not that rank any more. So copies are kept of that until they leave.
    fn leave_rest(&mut self) {
        self.withdraw_offers();
        let (rank, size) = (self.comm.rank(), self.comm.size());
        for to in (1..size).map(|distance| (rank + distance) % size) {
            let all = self.part(to);
            while !self.is_done_with(to) {
                let piece =
                    Piece::eager::<T>(self.progress.sent[to], all.len(), self.comm.eager_bytes());
                let posted = self.comm.post_in(&self.call, to, all, &piece, &mut self.posted);
                // It may be the one that has gone. The call has failed before.
                let Ok(()) = posted else { break };
                self.progress.sent[to] = Some(piece.range.end);
            }
        }
    }

    fn exchange(&mut self, sink: &mut impl Sink<T>, mut then: impl FnMut(Rank)) -> Result<()> {
        loop {
            while self.has_more() || self.missing > 0 {
                let sent = self.send_some()?;
                match self.take_some(sink)? {
                    Some(from) => then(from),
                    None if !sent => self.wait_or_withdraw()?,
                    None => {}
                }
            }
            // What is withdrawn is sent after all.
            if !self.settle_offers()? {
                return Ok(());
            }
        }
    }

    /// Takes a piece, if one is missing and has arrived; returns its sender.
    fn take_some(&mut self, sink: &mut impl Sink<T>) -> Result<Option<Rank>> {
        if self.missing == 0 {
            return Ok(None);
        }
        let (comm, call) = (self.comm, &self.call);
        let put = |from, left, bytes: &[u8]| sink.put(from, left, bytes);
        let taken = comm.try_take_any::<T>(call, &self.progress.left, self.incoming, put)?;
        let Some(CamePiece { from, left, count, offer }) = taken else { return Ok(None) };
        self.note(from, left, count)?;
        if let Some(buffer) = offer {
            // Without a place here it comes otherwise: its sender calls the form that has one.
            let is_accepted = match sink.place(from) {
                Some(room) if room.len() as u64 == left => comm.accept_in(from, buffer, room)?,
                _ => false,
            };
            match is_accepted {
                true => {
                    sink.handle_placed(from);
                    self.note(from, left, left)?;
                }
                false => self.has_missed = true,
            }
        }
        Ok(Some(from))
    }

    /// Waits until a piece has arrived or one can be sent. A rank that could not read what it was offered first
    /// withdraws what it offers itself: others may have missed that too, and if each waited for the part of
    /// another, all would wait for ever.
    fn wait_or_withdraw(&mut self) -> Result<()> {
        match std::mem::take(&mut self.has_missed) && self.withdraw_offers() {
            true => Ok(()),
            false => self.wait(),
        }
    }

    /// Waits a while for those who have yet to read what is offered, and withdraws what was not. Returns
    /// whether there is more to send then.
    fn settle_offers(&mut self) -> Result<bool> {
        if let Some(offers) = &self.offers {
            offers.wait_accepted(self.comm)?;
        }
        Ok(self.withdraw_offers())
    }

    /// Withdraws what is offered and was not read. Returns whether there is more to send then.
    fn withdraw_offers(&mut self) -> bool {
        let Some(offers) = &mut self.offers else { return false };
        let sent = &mut self.progress.sent;
        let has_withdrawn = offers.withdraw(|to| sent[to] = Some(0));
        if has_withdrawn {
            self.first = 1;
        }
        has_withdrawn
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

    /// Sends one piece to one rank, or all that is copied at once, and returns whether it did.
    fn send_some(&mut self) -> Result<bool> {
        for to in self.candidates() {
            if self.is_done_with(to) {
                continue;
            }
            let mut sent = None;
            let tried = self.send_some_to(to).map(|count| sent = count);
            if put_off(tried, &mut self.unserved)? {
                sent = Some(self.part(to).len());
            }
            if sent.is_some() {
                self.progress.sent[to] = sent;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends something to `to`, if that needs no waiting. Returns how many elements it has been sent then.
    fn send_some_to(&mut self, to: Rank) -> Result<Option<usize>> {
        let (comm, call, all) = (self.comm, &self.call, self.part(to));
        let sent = self.progress.sent[to];
        if let (None, Some(offers)) = (sent, &mut self.offers) {
            // Its receiver finds a copy of its own then, and this rank is needed no more.
            if comm.goes_at_once::<T>(all.len()) {
                for piece in comm.pieces_in::<T>(call, all.len(), false) {
                    comm.post_in(call, to, all, &piece, &mut self.posted)?;
                }
                return Ok(Some(all.len()));
            }
            if offers.try_offer(comm, call, to, all)? {
                return Ok(Some(all.len()));
            }
        }
        let piece = Piece::eager::<T>(sent, all.len(), comm.eager_bytes());
        let done = comm.try_send_in(call, to, all, &piece)?;
        Ok(done.then_some(piece.range.end))
    }

    /// The ranks from which something is still expected. With counts told beforehand, only their
    /// sum is known. If the ranks that have begun do not account for all of it, some of the others
    /// have it.
    fn lacking(&self) -> impl Iterator<Item = (Rank, Lack)> {
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
        let lacking: SmallVec<[(Rank, Lack); 16]> = self.lacking().collect();
        let must_hear = self.expected == Expected::FromAll;
        let unheard = lacking.iter().map(|&(rank, _)| rank);
        let unheard = unheard.filter(|&rank| must_hear && self.progress.left[rank].is_none());
        let unheard: SmallVec<[Rank; 16]> = unheard.collect();
        let deposits = self.comm.unheard(&self.progress.left);
        self.comm.wait_for_piece(&self.call, &lacking, &unheard, deposits, &to)
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
