//! Large payloads at their sender: the request that goes before, and the payload, in segments or
//! exposed for the receiver to read. What is kept meanwhile is the part
//! [`transfers`](crate::message::transfers).
//!
//! Keeps rules FLOW-4, END-1 and SAFE-1 of SEMANTICS.md.
//!
//! The request takes its place in the FIFO of ordinary messages, stamped like them. Where the
//! network has remote read, and the payload is long enough, it exposes the payload. The sender then
//! only hears that it was read. It exposes when the request leaves and not before, so what is
//! exposed at a time is bounded. Otherwise, and where the receiver asks for that, the payload goes
//! in segments, which have a window and descriptors of their own. None of this is stamped anew,
//! held or contained: it belongs to a message already posted.
//!
//! Where the network exposes copies, the copy of a payload is made there at once, if there is room, and
//! the sender is done with it: also that of a blocking call, which so waits for no receiver. Where the
//! receiver can read the memory of this rank, what blocking calls send, and what the program has lent, is
//! [lent](super::lending) instead, if nothing else is on its way.
//!
//! # Correctness
//!
//! The owner of a payload gets it back after the exposure was revoked. What the engine keeps is
//! freed by the part, which sees to that. What a blocking call keeps is under an [`OpenTransfer`],
//! however the call ends.

use super::Engine;
use crate::message::config::BULK;
use crate::message::error::MessageError;
use crate::message::header::{Header, Kind};
use crate::message::matching::Context;
use crate::message::transfers::exposures::Exposure;
use crate::message::transfers::kept::SharedPayload;
use crate::message::transfers::{Exposable, LendWhen};
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::{Nic, PostError, RemoteBuffer, RemoteRead, Revoke, SharedWords, Vi};

/// How the receiver of a payload finds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    exposure: Exposure,
    /// The copy that is to be made.
    pub(super) begun: Option<RemoteBuffer>,
}

/// A transfer whose payload belongs to the caller of a blocking send. It is closed when this is
/// dropped: on return, on an error, and when the stack is unwound, as where a handler of stalls
/// panics. So no peer reads memory that the caller has back.
pub(super) struct OpenTransfer<'e, N: Nic> {
    pub(super) engine: &'e mut Engine<N>,
    pub(super) to: Rank,
    pub(super) id: u32,
    /// Whether the request has left, so that the receiver knows of it.
    pub(super) is_requested: bool,
}

impl<N: Nic> Drop for OpenTransfer<'_, N> {
    fn drop(&mut self) {
        if !self.is_requested {
            return self.engine.close_unrequested(self.to, self.id);
        }
        // What was taken or copied goes on by itself.
        if !self.engine.transfers.is_owed(self.to, self.id) {
            return;
        }
        if self.engine.transfers.lent(self.to, self.id).is_some() {
            return self.engine.take_back_lent(self.to, self.id);
        }
        // Nobody has said that it was read.
        let Engine { nic, transfers, obstacles, .. } = &mut *self.engine;
        let revoke = revoking(nic, self.to, Revoke::AtOnce);
        transfers.close(obstacles, self.to, self.id, revoke);
    }
}

/// While it is there, all large payloads that are posted are one and the same: one copy serves all
/// receivers. When it is dropped, also when the stack is unwound, the copy is its receivers' alone.
/// So no later payload is taken for this one.
pub(super) struct CopyingOnce<'e, N: Nic> {
    pub(super) engine: &'e mut Engine<N>,
}

impl<'e, N: Nic> CopyingOnce<'e, N> {
    pub(super) fn begin(engine: &'e mut Engine<N>) -> CopyingOnce<'e, N> {
        engine.transfers.begin_one_copy();
        CopyingOnce { engine }
    }

    /// The copy was made before. Who has made it gives it back.
    pub(super) fn begin_given(engine: &'e mut Engine<N>, copy: RemoteBuffer) -> CopyingOnce<'e, N> {
        engine.transfers.begin_given_copy(copy);
        CopyingOnce { engine }
    }
}

impl<N: Nic> Drop for CopyingOnce<'_, N> {
    fn drop(&mut self) {
        if let Some((to, buffer)) = self.engine.transfers.end_one_copy() {
            revoking(&mut self.engine.nic, to, Revoke::AfterRead)(buffer);
        }
    }
}

/// While it is there, the payload that is posted is memory that is shared or lent: it is kept as it is,
/// and no copy.
pub(super) struct Giving<'e, N: Nic> {
    pub(super) engine: &'e mut Engine<N>,
}

impl<'e, N: Nic> Giving<'e, N> {
    pub(super) fn share(engine: &'e mut Engine<N>, payload: SharedPayload) -> Giving<'e, N> {
        engine.transfers.begin_sharing(payload);
        Giving { engine }
    }

    /// # Safety
    ///
    /// As for [`Transfers::begin_lending`](crate::message::transfers::Transfers::begin_lending).
    pub(super) unsafe fn lend(engine: &'e mut Engine<N>, when: LendWhen) -> Giving<'e, N> {
        // SAFETY: the caller promises it.
        unsafe { engine.transfers.begin_lending(when) };
        Giving { engine }
    }
}

impl<N: Nic> Drop for Giving<'_, N> {
    fn drop(&mut self) {
        self.engine.transfers.end_giving();
    }
}

impl<N: Nic> Engine<N> {
    /// Posts the request of a transfer, for which there is credit; as
    /// [`post_data`](Engine::post_data). What is `given` is a payload that stays with the caller, under an
    /// [`OpenTransfer`].
    #[inline(never)]
    pub(super) fn post_request(
        &mut self,
        to: Rank,
        header: Header,
        given: Option<&[u8]>,
    ) -> Result<bool, MessageError> {
        let lends = given.filter(|_| self.transfers.copies(to)).map(|it| (it, LendWhen::Better));
        // SAFETY: the caller has an `OpenTransfer`, which takes the payload back before that is its again.
        let shown = unsafe { self.show(to, header.transfer, given, lends) };
        let posted = match shown {
            Some(Shown { exposure, .. }) => {
                let header = Header { kind: Kind::Exposed, ..header };
                self.post_data(to, header, &exposure.encode())
            }
            None => self.post_data(to, header, &[]),
        };
        if let (Some(shown), Some(payload)) = (shown, given) {
            self.fill_copy(to, shown, payload);
        }
        posted
    }

    /// Lets the receiver read the payload of a transfer, by the best way that there is: `lends` if it may be lent, and when that
    /// comes first. None if it cannot. The caller sees to the [copy](Engine::fill_copy) if there is none yet.
    ///
    /// # Safety
    ///
    /// As for [`Transfers::lend`](crate::message::transfers::Transfers::lend), if it is lent.
    unsafe fn show(
        &mut self,
        to: Rank,
        id: u32,
        given: Option<&[u8]>,
        lends: Option<(&[u8], LendWhen)>,
    ) -> Option<Shown> {
        let lend = |engine: &mut Engine<N>, (payload, when)| {
            // SAFETY: the caller promises it.
            unsafe { engine.lend_payload(to, (id, payload), when) }
        };
        // What had no room at its receiver's is posted again: it is lent or exposed already. And what cannot be copied
        // is lent, whichever is better: else its receiver would have to ask for it.
        if let Some(exposure) = lends.and_then(|lends| lend(self, lends)) {
            return Some(Shown { exposure, begun: None });
        }
        // What is kept here is copied at once: nobody has it in hands to copy it afterwards.
        if let Some((exposure, begun)) = given.and_then(|given| self.begin_copy(to, id, given)) {
            return Some(Shown { exposure, begun: Some(begun) });
        }
        let exposure = self.expose(to, id, given);
        let exposure = exposure.or_else(|| lend(self, (lends?.0, LendWhen::Possible)))?;
        Some(Shown { exposure, begun: None })
    }

    /// Exposes the payload of a transfer, if that can be done.
    fn expose(&mut self, to: Rank, id: u32, given: Option<&[u8]>) -> Option<Exposure> {
        let (nic, stats, copies) = (&mut self.nic, &mut self.stats, self.transfers.copies(to));
        let mut copied = None;
        let exposure = self.transfers.expose(&mut self.obstacles, to, id, given, |what| {
            let network = nic.remote_read()?;
            let buffer = match what {
                Exposable::Payload(payload) if copies => {
                    let begin = Instant::now();
                    let buffer = network.expose(to, payload)?;
                    copied = Some((payload.len(), Instant::now().saturating_since(begin)));
                    buffer
                }
                Exposable::Payload(payload) => network.expose(to, payload)?,
                Exposable::Copy(buffer) => network.share(to, buffer).then_some(buffer)?,
                // For nobody yet.
                Exposable::Kept(buffer) => return network.share(to, buffer).then_some(buffer),
            };
            stats.payloads_exposed += 1;
            Some(buffer)
        });
        if let Some((len, took)) = copied {
            self.transfers.handle_copied_in(to, len, (took, false));
        }
        exposure
    }

    /// Whether large payloads between this rank and `peer` are copied where the receiver reads
    /// them. Of two ranks both say the same.
    pub fn copies_payloads_to(&self, peer: Rank) -> bool {
        self.transfers.copies(peer)
    }

    /// The host of `peer`, by a number: two ranks see the same memory if theirs is the same. All
    /// ranks say the same of one peer.
    pub fn host_of(&self, peer: Rank) -> usize {
        let words = self.nic.shared_words().filter(|words| words.count() > 0);
        words.map_or(peer, |words| words.host_of(peer))
    }

    /// Takes in which copies were read: they make room for the next, and their memory is warm.
    pub(super) fn poll_copies(&mut self) -> Result<(), MessageError> {
        if !self.transfers.has_copied() {
            return Ok(());
        }
        let polled = self.poll_bulk();
        self.remember(polled).map(drop)
    }

    /// Keeps a copy of the payload of a transfer: where the receiver can read it, or else here. The caller sees to the
    /// [copy](Engine::fill_copy) if there is none yet.
    pub(super) fn keep_payload(&mut self, to: Rank, id: u32, payload: &[u8]) -> Option<Shown> {
        let given = Some(payload).filter(|_| self.transfers.copies(to));
        let lends = given.zip(self.transfers.is_given_lent());
        // SAFETY: who has called `begin_lending` has promised it.
        let shown = unsafe { self.show(to, id, given, lends) };
        if shown.is_none() {
            self.transfers.keep(to, id, payload);
        }
        shown
    }

    /// The receiver has made room for a payload.
    pub(super) fn handle_clear_to_send(&mut self, from: Rank, id: u32) -> Result<(), MessageError> {
        // What has come too late for its own end.
        if self.links.is_cut(from) {
            return Ok(());
        }
        // The receiver could not read it, and will not.
        let revoke = revoking(&mut self.nic, from, Revoke::AfterRead);
        self.transfers
            .handle_clear_to_send(&mut self.obstacles, from, id, revoke)
            .map_err(|violation| MessageError::protocol(from, violation))
    }

    /// The receiver says which payloads it has read.
    pub(super) fn handle_reads(&mut self, from: Rank, word: u32) -> Result<(), MessageError> {
        let revoke = revoking(&mut self.nic, from, Revoke::AfterRead);
        self.transfers
            .handle_reads(&mut self.obstacles, from, word, revoke)
            .map_err(|violation| MessageError::protocol(from, violation))
    }

    /// The program wants back what it had lent for a transfer. Returns false if a peer that is served
    /// still may be reading it.
    pub(super) fn reclaim_transfer(&mut self, to: Rank, id: u32) -> bool {
        let is_served = !self.links.is_cut(to) && self.check_broken().is_ok();
        if is_served {
            self.take_back_lent(to, id);
        }
        let revoke = revoking(&mut self.nic, to, Revoke::AtOnce);
        self.transfers.reclaim(to, id, is_served, revoke)
    }

    /// The request of a transfer has yet to leave: its payload is not exposed meanwhile.
    pub(super) fn withdraw_transfer(&mut self, to: Rank, id: u32) {
        let revoke = revoking(&mut self.nic, to, Revoke::AtOnce);
        self.transfers.withdraw(to, id, revoke);
    }

    /// Ends a transfer whose request has not left.
    pub(super) fn close_unrequested(&mut self, to: Rank, id: u32) {
        self.withdraw_transfer(to, id);
        let revoke = revoking(&mut self.nic, to, Revoke::AtOnce);
        self.transfers.close(&mut self.obstacles, to, id, revoke);
    }

    /// Revokes all that is exposed to a peer which reads no more: it has said so, or has gone.
    pub(super) fn revoke_all(&mut self, from: Rank) {
        let revoke = revoking(&mut self.nic, from, Revoke::AtOnce);
        self.transfers.revoke_all(&mut self.obstacles, from, revoke);
    }

    /// A peer receives nothing more: what waits for it is dropped.
    pub(super) fn cut(&mut self, to: Rank) {
        self.links.cut(to);
        self.transfers.cut(to);
    }

    /// The network has not taken a post. Returns false if it has no room now, or if the peer's
    /// interface is closed, which cuts the peer. Apart, since most posts are taken.
    #[cold]
    #[inline(never)]
    pub(super) fn handle_refused(
        &mut self,
        to: Rank,
        refused: PostError,
    ) -> Result<bool, MessageError> {
        match refused {
            PostError::QueueFull(_) => Ok(false),
            PostError::PeerGone(_) => {
                self.links.handle_failure(to);
                self.cut(to);
                Ok(false)
            }
            error => Err(error.into()),
        }
    }

    /// Sends what peers have made room for, as much as their windows take.
    pub(super) fn flush_streams(&mut self) -> Result<(), MessageError> {
        let streaming = self.transfers.streaming().len();
        let result = (0..streaming).try_for_each(|at| {
            let to = self.transfers.streaming()[at];
            self.flush_stream(to)
        });
        self.transfers.settle_streaming(&mut self.obstacles);
        result
    }

    fn flush_stream(&mut self, to: Rank) -> Result<(), MessageError> {
        while self.links.peer(to).has_credit(BULK) {
            let Some((id, segment)) = self.transfers.poll_segment(to) else { return Ok(()) };
            let bytes = segment.len();
            let posted = post_segment(&mut self.nic, to, id, segment);
            if !self.handle_segment_posted(to, (id, bytes), posted)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Streams a payload that stays with the caller, and waits until all of it has left; or until
    /// the receiver has read it.
    pub(super) fn stream_until_done(
        &mut self,
        to: Rank,
        id: u32,
        context: Context,
        payload: &[u8],
    ) -> Result<(), MessageError> {
        self.wait_until(
            WaitsFor::Payload { peer: to, context },
            |engine| {
                while engine.links.peer(to).has_credit(BULK)
                    && let Some(segment) = engine.transfers.poll_segment_of(to, id, payload)
                {
                    let posted = post_segment(&mut engine.nic, to, id, segment);
                    if !engine.handle_segment_posted(to, (id, segment.len()), posted)? {
                        break;
                    }
                }
                Ok((!engine.transfers.is_owed(to, id)).then_some(()))
            },
            |engine| engine.links.check_hears(to),
        )
    }

    /// Returns whether the segment of so many bytes has left.
    fn handle_segment_posted(
        &mut self,
        to: Rank,
        (id, bytes): (u32, usize),
        posted: Result<(), PostError>,
    ) -> Result<bool, MessageError> {
        match posted {
            Ok(()) => {
                self.links.handle_sent(to, BULK);
                self.transfers.handle_segment_sent(&mut self.obstacles, to, id, bytes);
                Ok(true)
            }
            Err(refused) => self.handle_refused(to, refused),
        }
    }
}

fn post_segment<N: Nic>(
    nic: &mut N,
    to: Rank,
    transfer: u32,
    segment: &[u8],
) -> Result<(), PostError> {
    let header = Header {
        kind: Kind::Segment,
        element: 0,
        context: Context::WORLD,
        tag: 0,
        stamp: 0,
        len: segment.len() as u64,
        transfer,
    };
    nic.post_send(Vi { peer: to, cq: BULK }, &header.encode(), segment)
}

/// Revokes what is exposed to a peer.
fn revoking<N: Nic>(nic: &mut N, to: Rank, how: Revoke) -> impl FnMut(RemoteBuffer) {
    move |buffer| {
        if let Some(network) = nic.remote_read() {
            network.revoke(to, buffer, how);
        }
    }
}
