//! Sending memory that the program lends until the message has left, and taking messages back.
//! The program may read what it has lent meanwhile (MPI: Isend), and gets it back in any case.
//!
//! Keeps rules FLOW-4 and ORD-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! What is lent is read by calls of this rank, and by the network while it is exposed. Both have
//! ended when the message has left: an exposure is revoked before that is said. A program whose
//! message can never leave takes the memory back; a copy is kept then, or nothing is. What a peer may
//! be reading is not taken back: to revoke it would lose the message, and the connection with it. The
//! peer reads without the program there, so a wait for it ends.

use std::time::Duration;

use super::{Blocking, Envelope, Kept, SendId};
use crate::message::engine::Engine;
use crate::message::engine::lending::patience;
use crate::message::engine::transfers::Giving;
use crate::message::error::MessageError;
use crate::message::transfers::LendWhen;
use crate::message::waiting::WaitsFor;
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// A payload is lent for so many times the patience of its sender at most.
const LENT_FOR: u32 = 4;

impl<N: Nic> Engine<N> {
    /// As [`post_send`](Engine::post_send). None if the message has left in this call, as most do.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`].
    #[inline(always)]
    pub fn post_unless_sent(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        if self.send_by_template(to, envelope, payload) {
            return Ok(None);
        }
        self.post_asking(to, envelope, payload)
    }

    /// As [`post_unless_sent`](Engine::post_unless_sent), of a message that fits no template.
    #[inline(never)]
    fn post_asking(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        if self.send_directly(to, envelope, payload)? {
            return Ok(None);
        }
        let posted = self.send_generally(to, envelope, payload, Blocking::Queue)?;
        Ok(posted.filter(|&id| !self.is_sent(id)))
    }

    /// As [`post_unless_sent`](Engine::post_unless_sent), of memory that the program lends: no copy is
    /// kept.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`]; then nothing is lent.
    ///
    /// # Safety
    ///
    /// `payload` can be read, and nobody writes to it, until the message [has left](Engine::is_sent) or
    /// the memory is [reclaimed](Engine::reclaim), or until the engine is dropped.
    #[inline(always)]
    pub unsafe fn lend_unless_sent(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        if self.send_by_template(to, envelope, payload) {
            return Ok(None);
        }
        // SAFETY: the caller promises it.
        unsafe { self.lend_when(LendWhen::Better, to, envelope, payload) }
    }

    /// As [`lend_unless_sent`](Engine::lend_unless_sent), of a payload that its receiver reads where it lies, also where single
    /// messages have been faster by way of a copy; unless it has not come in time lately.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`]; then nothing is lent.
    ///
    /// # Safety
    ///
    /// As for [`lend_unless_sent`](Engine::lend_unless_sent).
    pub unsafe fn lend_unless_in_vain(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        // SAFETY: the caller promises it.
        unsafe { self.lend_when(LendWhen::NotInVain, to, envelope, payload) }
    }

    /// # Safety
    ///
    /// As for [`lend_unless_sent`](Engine::lend_unless_sent).
    unsafe fn lend_when(
        &mut self,
        when: LendWhen,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<Option<SendId>, MessageError> {
        // SAFETY: the caller promises it.
        let giving = unsafe { Giving::lend(self, when) };
        if giving.engine.send_directly(to, envelope, payload)? {
            return Ok(None);
        }
        let posted = giving.engine.send_generally(to, envelope, payload, Blocking::Queue)?;
        drop(giving);
        posted.iter().for_each(|&id| self.take_back_from_one_gone(id));
        Ok(posted.filter(|&id| !self.is_sent(id)))
    }

    /// A message counts as sent whose receiver was found gone by the post itself. Nothing of it stays lent.
    fn take_back_from_one_gone(&mut self, id: SendId) {
        if self.links.is_cut(id.peer) {
            let is_back = self.reclaim(id);
            debug_assert!(is_back, "nobody reads it");
        }
    }

    /// As [`post_send`](Engine::post_send), of memory that the program lends: no copy is kept.
    ///
    /// # Errors
    ///
    /// As by [`Engine::send`]; then nothing is lent.
    ///
    /// # Safety
    ///
    /// As for [`lend_unless_sent`](Engine::lend_unless_sent).
    pub unsafe fn post_send_lent(
        &mut self,
        to: Rank,
        envelope: Envelope,
        payload: &[u8],
    ) -> Result<SendId, MessageError> {
        if self.send_by_template(to, envelope, payload) {
            return Ok(SendId::done(to, self.order().post(to)));
        }
        // SAFETY: the caller promises it.
        let giving = unsafe { Giving::lend(self, LendWhen::Better) };
        let posted = giving.engine.post_send(to, envelope, payload);
        drop(giving);
        posted.inspect(|&id| self.take_back_from_one_gone(id))
    }

    /// As [`reclaim`](Engine::reclaim), of all that the program has lent. Waits for receivers that may
    /// be reading it where it lies.
    pub fn reclaim_all(&mut self) {
        while !self.try_reclaim_all() {
            // An error may be about another rank. Those that read are served all the same.
            let _ = self.wait_until(
                WaitsFor::HandOver,
                |engine| Ok(engine.try_reclaim_all().then_some(())),
                |_| Ok(()),
            );
        }
    }

    /// Returns false if something stays lent.
    fn try_reclaim_all(&mut self) -> bool {
        (0..self.size()).all(|to| {
            self.links.reclaim_waiting(to);
            while let Some(transfer) = self.transfers.first_lent(to) {
                if self.links.has_request(to, transfer) {
                    self.withdraw_transfer(to, transfer);
                }
                if !self.reclaim_transfer(to, transfer) {
                    return false;
                }
            }
            true
        })
    }

    /// The program wants back what it had [lent](Engine::lend_unless_sent) for a message that may not
    /// have left. Where it still can leave, a copy does. Returns false if its receiver may be reading
    /// it where it lies: then it stays lent, and the program waits until it [was
    /// read](Engine::wait_sent), or the receiver has gone.
    #[must_use]
    pub fn reclaim(&mut self, id: SendId) -> bool {
        let waiting = self.links.waiting_mut(id.peer, id.after);
        let is_waiting = waiting.map(|message| message.payload.reclaim()).is_some();
        id.transfer.is_none_or(|transfer| {
            if is_waiting {
                self.withdraw_transfer(id.peer, transfer);
            }
            self.reclaim_transfer(id.peer, transfer)
        })
    }

    /// For how long its sender waits for the receiver of a message to take the payload where it is lent; None if it was taken or
    /// copied, or if this rank has waited long enough. It has, too, when it has been lent for several times as long: a
    /// program that computes between its looks is told that it is complete.
    pub fn patience_with(&self, id: SendId) -> Option<Duration> {
        let lent = self.transfers.waited(id.peer, id.transfer?)?;
        let longest = patience(lent.len);
        let is_over = Instant::now().saturating_since(lent.since) >= LENT_FOR * longest;
        longest.checked_sub(lent.waited).filter(|left| !left.is_zero() && !is_over)
    }

    /// The program is to have back what it had lent for a message, which its receiver may take `until` then. A copy is kept of what
    /// has not left by that time.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`]; the program has its memory back all the same.
    pub(crate) fn take_back(
        &mut self,
        id: SendId,
        until: Option<Instant>,
    ) -> Result<(), MessageError> {
        let stands = until.filter(|_| self.patience_with(id).is_some());
        let waited = stands.map_or(Ok(None), |until| {
            self.wait_deadline(
                WaitsFor::Send { to: id.peer, context: None },
                Some(until),
                |engine| Ok(engine.patience_with(id).is_none().then_some(())),
                |_| Ok(()),
            )
        });
        while !self.reclaim(id) {
            // It is being read, which needs nothing of this rank. An error may be about another one.
            let _ = self.wait_until(
                WaitsFor::HandOver,
                |engine| Ok(engine.reclaim(id).then_some(())),
                |_| Ok(()),
            );
        }
        waited.map(drop)
    }

    /// Takes back a message of which nothing has left (MPI: Cancel). Returns false if something has:
    /// then it goes on.
    pub fn cancel_send(&mut self, id: SendId) -> bool {
        let Some(message) = self.links.waiting_mut(id.peer, id.after) else { return false };
        message.is_cancelled = true;
        message.payload = Kept::NONE;
        if let Some(transfer) = id.transfer {
            self.close_unrequested(id.peer, transfer);
        }
        true
    }
}
