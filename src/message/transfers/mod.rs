//! Transfers: the payloads of large messages, which travel once the receiver has made room. One of
//! the parts of the engine.
//!
//! | file | holds |
//! |---|---|
//! | this | the sender's half: what it keeps, and how far each payload has got |
//! | `gathering`, `incoming` | the receiver's half: where payloads come together; what comes next from a peer |
//! | `kept` | a payload that this rank keeps: a copy, or shared memory |
//! | `lent` | payloads that are lent to their receivers, and for how long their senders have waited |
//! | `ways` | whether a payload is better lent or copied, by the time that both have taken |
//! | `one_copy` | whether one copy serves several peers |
//! | `exposures` | the numbers by which both speak of payloads that the receiver reads |
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! Nothing here posts or polls: the engine tells what has come from a peer (`handle_*`) and asks for
//! what is to be sent (`poll_*`).
//!
//! # Correctness
//!
//! The receiver reads an exposed payload where it lies, so nobody may change or free it before the
//! exposure is revoked. Each way out of [`SendStage::Exposed`] therefore hands the buffer to `revoke`,
//! and drops the payload after that only. Where the network exposes copies, the payload is dropped
//! before: what is revoked is the copy, and nobody waits until it was read.

pub(super) mod exposures;
pub(super) mod gathering;
mod incoming;
pub(super) mod kept;
mod lent;
mod one_copy;
#[cfg(test)]
mod tests;
pub(super) mod warm;
mod ways;

pub(in crate::message) use lent::LendWhen;
use std::collections::VecDeque;
use std::sync::Arc;

use super::error::Violation;
use super::obstacles::{Obstacles, Watched};
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::RemoteBuffer;
use exposures::{Exposure, Exposures};
use kept::{Given, Kept, SharedPayload};
use lent::LentList;
pub(super) use one_copy::Exposable;
use one_copy::OneCopy;
use warm::{Copied, WarmMemory};

/// How the payloads of one large message are read by their receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// From which length on, in bytes.
    pub(super) least_bytes: usize,
    /// Whether the network exposes copies of them:
    /// [`RemoteRead::copies`](crate::verbs::RemoteRead::copies).
    pub(super) copies: bool,
}

/// The payload of one large message at its sender, from when the message is posted until the payload
/// has left.
#[derive(Debug)]
struct Transfer {
    id: u32,
    /// None where the caller of a blocking send keeps it, and where a copy of it is exposed.
    payload: Option<Kept>,
    len: usize,
    stage: SendStage,
    /// Whether it is exposed by a copy that was made before, or not at all: no other copy has what lies behind that one.
    has_own_copy: bool,
}

/// How far a transfer has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendStage {
    /// The receiver has yet to make room.
    Requested,
    /// The receiver may read the payload where it lies.
    Exposed(Exposure),
    /// The same where the network copies, and there is no copy yet.
    Lent(Exposure),
    /// The receiver has made room: so many bytes have left in segments.
    Clear { sent_bytes: usize },
    /// The receiver takes nothing more. The transfer stays, to say that its payload has not left.
    Cut,
}

impl Transfer {
    /// The next segment of its payload, if one may leave.
    fn segment<'p>(&self, payload: &'p [u8], segment_bytes: usize) -> Option<&'p [u8]> {
        let SendStage::Clear { sent_bytes } = self.stage else { return None };
        let rest = payload.get(sent_bytes..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..rest.len().min(segment_bytes)])
    }

    fn is_streaming(&self) -> bool {
        self.payload.is_some() && matches!(self.stage, SendStage::Clear { .. })
    }

    /// Leaves its stage for another, and revokes the payload on the way, if that is exposed.
    fn turn(&mut self, stage: SendStage, revoke: impl FnOnce(RemoteBuffer)) {
        if let SendStage::Exposed(exposure) | SendStage::Lent(exposure) =
            std::mem::replace(&mut self.stage, stage)
        {
            revoke(exposure.buffer);
        }
    }

    /// Whether it was exposed under this number.
    fn has_number(&self, number: u8) -> bool {
        let (SendStage::Exposed(exposure) | SendStage::Lent(exposure)) = self.stage else {
            return false;
        };
        exposure.number == number
    }
}

/// The transfers to one peer.
#[derive(Debug)]
struct ToPeer {
    last_id: u32,
    open: VecDeque<Transfer>,
    exposures: Exposures,
    /// How the receiver reads payloads, if it does.
    reading: Option<Reading>,
    /// Stands in the list of peers with segments to get.
    is_streaming: bool,
}

impl ToPeer {
    fn position(&self, id: u32) -> Option<usize> {
        self.open.iter().position(|transfer| transfer.id == id)
    }

    fn find_mut(&mut self, id: u32) -> Option<&mut Transfer> {
        self.open.iter_mut().find(|transfer| transfer.id == id)
    }

    fn copies(&self) -> bool {
        self.reading.is_some_and(|reading| reading.copies)
    }

    fn first_copied(&self) -> Option<usize> {
        self.open.iter().position(|transfer| self.is_copied(transfer))
    }

    /// Whether what is left to do for a transfer is the receiver's alone: it has a copy.
    fn is_copied(&self, transfer: &Transfer) -> bool {
        self.copies() && matches!(transfer.stage, SendStage::Exposed(_))
    }
}

/// All that this rank keeps as the sender of large payloads.
pub(super) struct Transfers {
    peers: Vec<ToPeer>,
    /// The longest segment, in bytes.
    segment_bytes: usize,
    /// How many are open, to all peers, whose payload this rank has in its hands.
    owed: Watched<usize>,
    /// How many are, whose receiver has a copy to read.
    copied: usize,
    /// Those that are lent.
    lent: LentList,
    /// Peers that are to get segments of payloads that are kept here.
    streaming: Watched<Vec<Rank>>,
    one_copy: OneCopy,
    /// The payload that is given now.
    given: Given,
    /// Where copies lie.
    warm: Arc<WarmMemory>,
}

impl Transfers {
    /// None yet, with how each peer reads payloads, if it does.
    pub(super) fn new(
        segment_bytes: usize,
        reading: impl ExactSizeIterator<Item = Option<Reading>>,
    ) -> Transfers {
        let streaming = Vec::with_capacity(reading.len());
        let to_peer = |reading| ToPeer {
            last_id: 0,
            open: VecDeque::new(),
            exposures: Exposures::default(),
            reading,
            is_streaming: false,
        };
        Transfers {
            peers: reading.map(to_peer).collect(),
            segment_bytes,
            owed: Watched::new(Obstacles::TRANSFERS, 0),
            copied: 0,
            lent: LentList::default(),
            streaming: Watched::new(Obstacles::STREAMING, streaming),
            one_copy: OneCopy::No,
            given: Given::ForNow,
            warm: Arc::default(),
        }
    }

    /// A copy in memory of this rank that is warm, with one of `head` before it.
    pub(super) fn copy_behind(&self, head: &[u8], payload: &[u8]) -> Copied {
        self.warm.copy_behind(head, payload)
    }

    /// Gives back memory for copies that has been idle for long.
    pub(super) fn give_back_idle_memory(&self) {
        self.warm.give_back_idle(Instant::now);
    }

    /// Whether payloads of `len` bytes between this rank and `peer` are read by their receiver,
    /// where there is room for that. Both ranks say the same.
    pub(super) fn are_read(&self, peer: Rank, len: usize) -> bool {
        self.peers[peer].reading.is_some_and(|reading| len >= reading.least_bytes)
    }

    /// Whether what this rank and `peer` expose to each other are copies.
    pub(super) fn copies(&self, peer: Rank) -> bool {
        self.peers[peer].copies()
    }

    /// Whether this peer may be told of a copy before it is made: nothing else is on its way to it, so it has nothing
    /// else to read. (Of several payloads both ranks copy at the same time in any case.)
    pub(super) fn may_begin_copy(&self, to: Rank) -> bool {
        let peer = &self.peers[to];
        peer.copies() && peer.open.len() <= 1 && self.one_copy == OneCopy::No
    }

    /// Opens a transfer of `len` bytes. Returns its id.
    pub(super) fn open(&mut self, obstacles: &mut Obstacles, to: Rank, len: usize) -> u32 {
        let peer = &mut self.peers[to];
        peer.last_id = peer.last_id.wrapping_add(1);
        let id = peer.last_id;
        let has_own_copy = matches!(self.one_copy, OneCopy::Given(_));
        let stage = SendStage::Requested;
        peer.open.push_back(Transfer { id, payload: None, len, stage, has_own_copy });
        self.owed.change(obstacles, |owed| *owed += 1);
        id
    }

    /// Keeps the payload of a transfer, which else stays with the caller. It is a copy, unless this
    /// payload is shared already or lent; the first of several that are the same is shared from then
    /// on.
    pub(super) fn keep(&mut self, to: Rank, id: u32, payload: &[u8]) {
        let Some(transfer) = self.peers[to].find_mut(id) else { return };
        debug_assert_eq!(payload.len(), transfer.len);
        transfer.payload = Some(match &self.given {
            Given::Shared(shared) => Kept::Shared(shared.clone()),
            Given::ForNow if self.one_copy != OneCopy::No => {
                let shared: SharedPayload = Arc::new(self.warm.copy_of(payload));
                self.given = Given::Shared(shared.clone());
                Kept::Shared(shared)
            }
            given => given.kept(&self.warm, payload),
        });
    }

    /// What is kept of a payload that goes without a transfer: a copy, unless it is lent.
    pub(super) fn kept_short(&self, payload: &[u8]) -> Kept {
        self.given.kept(&self.warm, payload)
    }

    /// The payload that is given from now on is this one, until [`end_giving`](Transfers::end_giving).
    pub(super) fn begin_sharing(&mut self, payload: SharedPayload) {
        self.given = Given::Shared(payload);
    }

    /// The payload that is given from now on is lent, until [`end_giving`](Transfers::end_giving), and read where it lies then.
    ///
    /// # Safety
    ///
    /// It can be read, and nobody writes to it, until the message has left or is
    /// [reclaimed](Transfers::reclaim).
    pub(super) unsafe fn begin_lending(&mut self, when: LendWhen) {
        self.given = Given::Lent(when);
    }

    /// It is the caller's alone from now on.
    pub(super) fn end_giving(&mut self) {
        self.given = Given::ForNow;
    }

    /// The first transfer to a peer of which the payload is lent.
    pub(super) fn first_lent(&self, to: Rank) -> Option<u32> {
        let is_lent = |transfer: &&Transfer| matches!(transfer.payload, Some(Kept::Lent(_)));
        self.peers[to].open.iter().find(is_lent).map(|transfer| transfer.id)
    }

    /// The program wants back what it had lent for a transfer. Returns false if its receiver may be
    /// reading it: then it stays lent. If nobody `is_served` any more, it is revoked instead.
    pub(super) fn reclaim(
        &mut self,
        to: Rank,
        id: u32,
        is_served: bool,
        revoke: impl FnOnce(RemoteBuffer),
    ) -> bool {
        let peer = &mut self.peers[to];
        let copies = peer.copies();
        let Some(transfer) = peer.find_mut(id) else { return true };
        let Some(kept) = &mut transfer.payload else { return true };
        match transfer.stage {
            SendStage::Exposed(_) if copies => {}
            SendStage::Exposed(_) | SendStage::Lent(_) if matches!(kept, Kept::Lent(_)) => {
                if is_served {
                    return false;
                }
                self.lent.remove(to, id);
                transfer.turn(SendStage::Cut, revoke);
                transfer.payload = None;
            }
            _ => kept.reclaim(),
        }
        true
    }

    /// The request of a transfer did not leave with its exposure, which nobody knows of: the payload is
    /// exposed no more.
    pub(super) fn withdraw(&mut self, to: Rank, id: u32, revoke: impl FnOnce(RemoteBuffer)) {
        let peer = &mut self.peers[to];
        let copies = peer.copies();
        let Some(transfer) = peer.open.iter_mut().find(|transfer| transfer.id == id) else {
            return;
        };
        let number = match transfer.stage {
            SendStage::Exposed(Exposure { number, .. }) if !copies => number,
            SendStage::Lent(Exposure { number, .. }) => number,
            _ => return,
        };
        self.lent.remove(to, id);
        transfer.turn(SendStage::Requested, revoke);
        peer.exposures.handle_withdrawn(number);
    }

    /// Ends a transfer, if it is open still.
    pub(super) fn close(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        id: u32,
        revoke: impl FnOnce(RemoteBuffer),
    ) {
        if let Some(at) = self.peers[to].position(id) {
            self.close_at(obstacles, to, at, revoke);
        }
    }

    fn close_at(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        at: usize,
        revoke: impl FnOnce(RemoteBuffer),
    ) {
        let peer = &mut self.peers[to];
        let Some(mut closed) = peer.open.remove(at) else { return };
        self.lent.remove(to, closed.id);
        match peer.is_copied(&closed) {
            true => self.copied -= 1,
            false => self.owed.change(obstacles, |owed| *owed -= 1),
        }
        closed.turn(SendStage::Cut, revoke);
    }

    /// Whether the payload has yet to leave, or to be read where this rank has it.
    pub(super) fn is_owed(&self, to: Rank, id: u32) -> bool {
        let peer = &self.peers[to];
        peer.position(id).is_some_and(|at| !peer.is_copied(&peer.open[at]))
    }

    /// Whether any has to a peer.
    pub(super) fn owes(&self, to: Rank) -> bool {
        let peer = &self.peers[to];
        !peer.open.iter().all(|transfer| peer.is_copied(transfer))
    }

    /// Whether any peer has a copy to read.
    pub(super) fn has_copied(&self) -> bool {
        self.copied > 0
    }

    /// How many are open to a peer.
    pub(super) fn open_to(&self, to: Rank) -> usize {
        self.peers[to].open.len()
    }

    /// Payloads that are given from now on until [`end_one_copy`](Transfers::end_one_copy) are all the
    /// same.
    pub(super) fn begin_one_copy(&mut self) {
        self.one_copy = OneCopy::Wanted;
    }

    /// As [`begin_one_copy`](Transfers::begin_one_copy), of a copy that was made before.
    pub(super) fn begin_given_copy(&mut self, copy: RemoteBuffer) {
        self.one_copy = OneCopy::Given(copy);
    }

    /// They are not any more. Returns the copy, and to whom it was exposed first, to be revoked.
    pub(super) fn end_one_copy(&mut self) -> Option<(Rank, RemoteBuffer)> {
        self.end_giving();
        match std::mem::replace(&mut self.one_copy, OneCopy::No) {
            OneCopy::Made(to, buffer) => Some((to, buffer)),
            OneCopy::No | OneCopy::Wanted | OneCopy::Given(_) => None,
        }
    }

    /// Exposes the payload of a transfer by `expose`, if it is long enough and a number is free; what
    /// is `given` is a payload that the caller keeps. (A payload that was exposed before is not
    /// exposed again: the network had no room for the request then.) Where the network exposes a
    /// copy, nothing else is kept from then on. What was posted with a copy of its own, and could not be exposed by it
    /// then, is not exposed later.
    pub(super) fn expose(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        id: u32,
        given: Option<&[u8]>,
        mut expose: impl FnMut(Exposable<'_>) -> Option<RemoteBuffer>,
    ) -> Option<Exposure> {
        let ToPeer { open, exposures, reading, .. } = &mut self.peers[to];
        let Reading { least_bytes, copies } = (*reading)?;
        let transfer = open.iter_mut().find(|transfer| transfer.id == id)?;
        match transfer.stage {
            SendStage::Exposed(exposure) | SendStage::Lent(exposure) => Some(exposure),
            SendStage::Requested if transfer.len >= least_bytes => {
                let number = exposures.free()?;
                let is_kept = given.is_none();
                if is_kept && transfer.has_own_copy {
                    return None;
                }
                let payload = transfer.payload.as_ref().map(Kept::bytes).or(given)?;
                // What was queued before is no part of it.
                let one_copy = Some(&mut self.one_copy).filter(|_| copies && given.is_some());
                let buffer = match one_copy {
                    Some(one_copy) => one_copy.expose(to, payload, expose)?,
                    None => expose(Exposable::Payload(payload))?,
                };
                exposures.handle_exposed(number);
                let exposure = Exposure { number, buffer };
                transfer.stage = SendStage::Exposed(exposure);
                if copies {
                    transfer.payload = None;
                    self.owed.change(obstacles, |owed| *owed -= 1);
                    self.copied += 1;
                }
                Some(exposure)
            }
            _ => None,
        }
    }

    /// The receiver has made room for a payload: it leaves in segments, and is read no more.
    ///
    /// # Errors
    ///
    /// A violation, if there is no such transfer, or the receiver has a copy of its payload.
    pub(super) fn handle_clear_to_send(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        id: u32,
        revoke: impl FnOnce(RemoteBuffer),
    ) -> Result<(), Violation> {
        let peer = &mut self.peers[from];
        let copies = peer.copies();
        let transfer = peer.find_mut(id).ok_or(Violation::UnknownTransfer(id))?;
        if copies && matches!(transfer.stage, SendStage::Exposed(_) | SendStage::Lent(_)) {
            return Err(Violation::UnknownTransfer(id));
        }
        if let SendStage::Requested | SendStage::Exposed(_) = transfer.stage {
            transfer.turn(SendStage::Clear { sent_bytes: 0 }, revoke);
        }
        if transfer.is_streaming() && !std::mem::replace(&mut peer.is_streaming, true) {
            self.streaming.change(obstacles, |all| all.push(from));
        }
        Ok(())
    }

    /// The receiver says by one word which payloads it has read: their transfers are done.
    ///
    /// # Errors
    ///
    /// A violation, if the word names one that was not exposed.
    pub(super) fn handle_reads(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        word: u32,
        mut revoke: impl FnMut(RemoteBuffer),
    ) -> Result<(), Violation> {
        let read = self.peers[from].exposures.handle_word(word).ok_or(Violation::NotExposed)?;
        for number in read {
            let is_read = |transfer: &Transfer| transfer.has_number(number);
            // One of which the receiver has asked for segments is not exposed any more.
            if let Some(at) = self.peers[from].open.iter().position(is_read) {
                self.close_at(obstacles, from, at, &mut revoke);
            }
        }
        Ok(())
    }

    /// The next segment to a peer of what is kept here, with its transfer.
    pub(super) fn poll_segment(&self, to: Rank) -> Option<(u32, &[u8])> {
        let next = self.peers[to].open.iter().find(|transfer| transfer.is_streaming())?;
        let segment = next.segment(next.payload.as_ref()?.bytes(), self.segment_bytes)?;
        Some((next.id, segment))
    }

    /// The same, of a `payload` that the caller keeps.
    pub(super) fn poll_segment_of<'p>(
        &self,
        to: Rank,
        id: u32,
        payload: &'p [u8],
    ) -> Option<&'p [u8]> {
        let peer = &self.peers[to];
        peer.open[peer.position(id)?].segment(payload, self.segment_bytes)
    }

    /// A segment of so many bytes has left. With the last one its transfer is done.
    pub(super) fn handle_segment_sent(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        id: u32,
        bytes: usize,
    ) {
        let peer = &mut self.peers[to];
        let Some(at) = peer.position(id) else { return };
        let Transfer { len, stage, .. } = &mut peer.open[at];
        let SendStage::Clear { sent_bytes } = stage else { return };
        *sent_bytes += bytes;
        if *sent_bytes == *len {
            self.close_at(obstacles, to, at, |_| {});
        }
    }

    /// Peers that are to get segments of payloads that are kept here.
    pub(super) fn streaming(&self) -> &[Rank] {
        &self.streaming
    }

    /// Forgets the peers of [`streaming`](Transfers::streaming) that have got all.
    pub(super) fn settle_streaming(&mut self, obstacles: &mut Obstacles) {
        let peers = &mut self.peers;
        self.streaming.change(obstacles, |streaming| {
            streaming.retain(|&to| {
                let more = peers[to].open.iter().any(Transfer::is_streaming);
                peers[to].is_streaming = more;
                more
            });
        });
    }

    /// A peer receives nothing more. What is exposed to it stays where it is as long as it is
    /// exposed.
    pub(super) fn cut(&mut self, to: Rank) {
        for transfer in &mut self.peers[to].open {
            if !matches!(transfer.stage, SendStage::Exposed(_) | SendStage::Lent(_)) {
                transfer.stage = SendStage::Cut;
                transfer.payload = None;
            }
        }
    }

    /// A peer reads nothing more: it has said so, or has gone.
    pub(super) fn revoke_all(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        mut revoke: impl FnMut(RemoteBuffer),
    ) {
        // Of these the sender has nothing more to tell: they have left.
        while let Some(at) = self.peers[from].first_copied() {
            self.close_at(obstacles, from, at, &mut revoke);
        }
        for transfer in &mut self.peers[from].open {
            if let SendStage::Exposed(_) | SendStage::Lent(_) = transfer.stage {
                self.lent.remove(from, transfer.id);
                transfer.turn(SendStage::Cut, &mut revoke);
                transfer.payload = None;
            }
        }
    }

    /// The obstacles that it is now, counted anew.
    pub(super) fn recount(&self) -> Obstacles {
        self.owed.recount().and(self.streaming.recount())
    }
}
