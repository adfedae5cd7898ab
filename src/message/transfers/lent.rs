//! Payloads that are lent to their receivers: which they are, and for how long their sender has waited.
//!
//! Plain state; whoever calls brings the time.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use std::time::Duration;

use super::exposures::Exposure;
use super::kept::{Kept, Lent};
use super::warm::Copied;
use super::ways::Ways;
use super::{Given, SendStage, Transfers};
use crate::message::obstacles::Obstacles;
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::RemoteBuffer;

/// One that is lent.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Waiting {
    to: Rank,
    id: u32,
    pub(in crate::message) len: usize,
    /// For how long its sender has waited, by its looks.
    pub(in crate::message) waited: Duration,
    /// Since when it is lent.
    pub(in crate::message) since: Instant,
}

/// For so long has a sender waited that waits no more.
const GIVEN_UP: Duration = Duration::MAX;

/// When a payload is lent that can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum LendWhen {
    /// Where that is the better way, or is tried.
    Better,
    /// Unless the receiver has not come in time lately, but now and then.
    NotInVain,
    /// In any case.
    Possible,
}

/// All that is lent, oldest first.
#[derive(Debug, Default)]
pub(super) struct LentList {
    all: Vec<Waiting>,
    last_look: Option<Instant>,
    /// By receiver, what is known of both ways to it.
    ways: Vec<Ways>,
}

impl LentList {
    pub(super) fn remove(&mut self, to: Rank, id: u32) {
        self.all.retain(|lent| (lent.to, lent.id) != (to, id));
    }

    fn ways(&mut self, to: Rank) -> &mut Ways {
        if self.ways.len() <= to {
            self.ways.resize_with(to + 1, Ways::default);
        }
        &mut self.ways[to]
    }
}

impl Transfers {
    /// A payload was copied into shared memory in so much time, and its receiver could follow the copy, or not.
    pub(in crate::message) fn handle_copied_in(
        &mut self,
        to: Rank,
        len: usize,
        (took, is_followed): (Duration, bool),
    ) {
        self.lent.ways(to).handle_copied(len, took, is_followed);
    }

    /// A payload that was lent has been taken, or `is_copied` now, since nobody has taken it. Where its sender has looked for
    /// that all the time, but for `longest`, it tells how long this way takes.
    pub(in crate::message) fn handle_lent_until(
        &mut self,
        at: usize,
        now: Instant,
        (is_copied, longest): (bool, Duration),
    ) {
        let Some(&Waiting { to, len, waited, since, .. }) = self.lent.all.get(at) else { return };
        // What was given up was in vain.
        if waited == GIVEN_UP {
            return;
        }
        let took = now.saturating_since(since);
        self.lent.ways(to).handle_ended(is_copied);
        if is_copied {
            self.lent.ways(to).handle_lent_in_vain(len, took.min(waited + longest));
        } else if took <= waited + longest {
            self.lent.ways(to).handle_lent(len, took);
        }
    }

    /// Lends the payload of a transfer by `lend`, if a number is free, nothing else is open to that peer, and it is `when`
    /// that is to be.
    ///
    /// # Safety
    ///
    /// `payload` can be read, and nobody writes to it, until the transfer is settled, moved, withdrawn or closed.
    pub(in crate::message) unsafe fn lend(
        &mut self,
        to: Rank,
        (id, payload): (u32, &[u8]),
        when: LendWhen,
        lend: impl FnOnce(&[u8]) -> Option<RemoteBuffer>,
    ) -> Option<Exposure> {
        let peer = &mut self.peers[to];
        // Of several on their way both ranks copy some, which is faster than if one copies all. This one is open.
        if !peer.copies() || peer.open.len() > 1 {
            return None;
        }
        let transfer = peer.open.iter_mut().find(|transfer| transfer.id == id)?;
        if transfer.stage != SendStage::Requested {
            return None;
        }
        let number = peer.exposures.free()?;
        // It could be: whether it is goes by the time that both ways have taken.
        let is_lent = match when {
            LendWhen::Better => self.lent.ways(to).next_is_lent(payload.len()),
            LendWhen::NotInVain => self.lent.ways(to).next_is_hopeful(),
            LendWhen::Possible => true,
        };
        if !is_lent {
            return None;
        }
        let buffer = lend(payload)?;
        peer.exposures.handle_exposed(number);
        let exposure = Exposure { number, buffer };
        transfer.stage = SendStage::Lent(exposure);
        // SAFETY: the caller promises it.
        transfer.payload = Some(Kept::Lent(unsafe { Lent::new(payload) }));
        let (len, waited, since) = (payload.len(), Duration::ZERO, Instant::now());
        self.lent.all.push(Waiting { to, id, len, waited, since });
        Some(exposure)
    }

    /// When the payload that is given now is to be read where it lies, if it is lent by the program.
    pub(in crate::message) fn is_given_lent(&self) -> Option<LendWhen> {
        match self.given {
            Given::Lent(when) => Some(when),
            _ => None,
        }
    }

    /// Whether anything is lent to any receiver.
    #[inline(always)]
    pub(in crate::message) fn has_lent(&self) -> bool {
        !self.lent.all.is_empty()
    }

    /// The payload of a transfer that is lent, if it is the program's, by what its receiver finds it.
    pub(in crate::message) fn lent(&self, to: Rank, id: u32) -> Option<(Exposure, Option<&[u8]>)> {
        let transfer = self.peers[to].open.iter().find(|transfer| transfer.id == id)?;
        let SendStage::Lent(exposure) = transfer.stage else { return None };
        match &transfer.payload {
            Some(kept @ Kept::Lent(_)) => Some((exposure, Some(kept.bytes()))),
            _ => Some((exposure, None)),
        }
    }

    /// What is lent at this place in the list: to whom, its transfer, and its length.
    pub(in crate::message) fn lent_at(&self, at: usize) -> Option<(Rank, u32, usize)> {
        self.lent.all.get(at).map(|lent| (lent.to, lent.id, lent.len))
    }

    /// A payload that is lent.
    pub(in crate::message) fn waited(&self, to: Rank, id: u32) -> Option<&Waiting> {
        self.lent.all.iter().find(|lent| (lent.to, lent.id) == (to, id))
    }

    /// A payload that is lent was taken, or `is_copied` now. (Of none that is not lent.)
    pub(in crate::message) fn handle_came(&mut self, to: Rank, id: u32, is_copied: bool) {
        // What was given up was in vain.
        if self.waited(to, id).is_some_and(|lent| lent.waited != GIVEN_UP) {
            self.lent.ways(to).handle_ended(is_copied);
        }
    }

    /// How much time has passed since the last look, at most so much.
    pub(in crate::message) fn pass_time(&mut self, now: Instant, longest: Duration) -> Duration {
        let last = self.lent.last_look.replace(now);
        last.map_or(Duration::ZERO, |last| now.saturating_since(last).min(longest))
    }

    /// The sender has waited so much longer; returns for how long now.
    pub(in crate::message) fn handle_waited(&mut self, at: usize, passed: Duration) -> Duration {
        let Some(lent) = self.lent.all.get_mut(at) else { return Duration::ZERO };
        if lent.waited != GIVEN_UP {
            lent.waited += passed;
        }
        lent.waited
    }

    /// The sender waits for its receiver no more, and cannot copy the payload to where that one finds it. Returns whether that is new.
    pub(in crate::message) fn handle_given_up(&mut self, at: usize) -> bool {
        let Some(lent) = self.lent.all.get_mut(at) else { return false };
        let (to, is_new) = (lent.to, lent.waited != GIVEN_UP);
        lent.waited = GIVEN_UP;
        if is_new {
            self.lent.ways(to).handle_ended(true);
        }
        is_new
    }

    /// A payload that was lent was taken or copied: what is left is the receiver's to do.
    pub(in crate::message) fn handle_settled(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        id: u32,
    ) {
        let Some(transfer) = self.peers[to].find_mut(id) else { return };
        let SendStage::Lent(exposure) = transfer.stage else { return };
        transfer.stage = SendStage::Exposed(exposure);
        transfer.payload = None;
        self.lent.remove(to, id);
        self.owed.change(obstacles, |owed| *owed -= 1);
        self.copied += 1;
    }

    /// What is lent is this copy from now on.
    pub(in crate::message) fn handle_moved(&mut self, to: Rank, id: u32, copy: Copied) {
        if let Some(at) = self.lent.all.iter().position(|lent| (lent.to, lent.id) == (to, id)) {
            self.handle_given_up(at);
        }
        if let Some(transfer) = self.peers[to].find_mut(id) {
            transfer.payload = Some(Kept::Copy(copy));
        }
    }
}
