//! Messages that are confirmed: their sender is told that a receive has met them (MPI: synchronous
//! mode).
//!
//! Keeps rules ORD-2, ORD-3 and FLOW-4 of SEMANTICS.md.
//!
//! Such a message states [`Envelope::CONFIRMED`] in the place of an element's size. Where a library
//! has asked for it, the receiver answers with a frame on the queue BULK. It is no message: it has no
//! stamp, is not held or contained, and has credit of its own. The sender posts a receive for it
//! before it sends, in the lane [`Lane::Library`] and with the same tag.
//!
//! # Correctness
//!
//! A confirmation says that its receive was posted, and so that the barriers before that have
//! completed. It leaves when they have. A barrier that was called later keeps it no longer: its sender
//! may have to hear of it before it comes to that barrier.
//!
//! Several messages of one sender and tag are confirmed by a count. That is sound: receives meet them
//! in the order in which they were sent, so so many answers say that the first so many have been
//! met. A message is marked as confirmed where it is kept, and is so confirmed once. A message that
//! is discarded is confirmed too, since nobody will ever receive it.
//!
//! What nobody has asked for changes nothing: a confirmation without a posted receive is dropped.

use super::{Engine, Envelope};
use crate::message::config::BULK;
use crate::message::header::{Header, Kind};
use crate::message::links::Confirmed;
use crate::message::matching::{Context, Lane, Pattern, RecvId};
use crate::message::obstacles::Obstacles;
use crate::order::Rank;
use crate::order::clocks::Seq;
use crate::verbs::{Nic, PostError, Vi};

/// The element of a message that needs no confirmation, or no more.
const NOT_STATED: u8 = 0;

/// A confirmation that may not leave before the barriers up to `after` have completed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Confirming {
    to: Rank,
    context: Context,
    tag: u32,
    after: Seq,
}

impl<N: Nic> Engine<N> {
    /// The place of the latest barrier that this rank has initiated.
    #[inline]
    pub(super) fn initiated(&self) -> Seq {
        self.order().latest()
    }

    /// Whether anything here waits for the completion of a barrier: what is held, or a confirmation.
    #[inline]
    pub(super) fn keeps_for_barriers(&self) -> bool {
        self.matching.holds_any() || self.obstacles.has_any(Obstacles::CONFIRMING)
    }

    /// Tells the sender of a message with this context and tag that a receive has met it, which was
    /// posted after the barriers up to `after`.
    #[cold]
    pub(super) fn confirm(&mut self, to: Rank, (context, tag): (Context, u32), after: Seq) {
        if !self.keeps_unexpected || !self.is_open() || context.lane() != Some(Lane::Program) {
            return;
        }
        if to == self.rank() {
            self.handle_confirmed(to, (context, tag), 1);
        } else if self.links.is_cut(to) {
            // It waits for nothing more.
        } else if self.order().is_complete_through(after) {
            self.links.tell_confirmed(&mut self.obstacles, to, (context, tag));
        } else {
            let confirming = Confirming { to, context, tag, after };
            self.confirming.change(&mut self.obstacles, |all| all.push(confirming));
        }
    }

    /// Barriers have completed: sends the confirmations that have waited for them.
    #[inline]
    pub(super) fn confirm_completed(&mut self) {
        if self.obstacles.has_any(Obstacles::CONFIRMING) {
            self.confirm_all_completed();
        }
    }

    #[cold]
    fn confirm_all_completed(&mut self) {
        let order = self.barriers.order();
        let completed = self.confirming.change(&mut self.obstacles, |all| {
            let is_complete = |one: &mut Confirming| order.is_complete_through(one.after);
            all.extract_if(.., is_complete).collect::<Vec<_>>()
        });
        for Confirming { to, context, tag, .. } in completed {
            // Nor does it if this rank has failed: that would come after its last word.
            if !self.links.is_cut(to) {
                self.links.tell_confirmed(&mut self.obstacles, to, (context, tag));
            }
        }
    }

    /// A peer confirms so many messages of this context and tag.
    pub(super) fn handle_confirmed(
        &mut self,
        from: Rank,
        (context, tag): (Context, u32),
        count: u32,
    ) {
        let answer = (Context::new(context.group(), Lane::Library), tag);
        for _ in 0..count {
            if !self.matching.deliver_if_posted(&mut self.obstacles, from, answer) {
                return;
            }
        }
    }

    /// Confirms the message that a posted receive has met, if its sender asks for it.
    pub(super) fn confirm_matched(&mut self, id: RecvId) {
        let after = self.matching.after_of(id).unwrap_or_else(|| self.initiated());
        let Some(matched) = self.matching.matched_mut(id) else { return };
        if matched.message.element == Envelope::CONFIRMED {
            matched.message.element = NOT_STATED;
            let (source, context, tag) = (matched.source, matched.message.context, matched.tag);
            self.confirm(source, (context, tag), after);
        }
    }

    /// As [`confirm_matched`](Engine::confirm_matched), of the message that a receive of this pattern
    /// will take.
    pub(super) fn confirm_first(&mut self, context: Context, pattern: Pattern) {
        let Some((source, tag, _)) = self.matching.peek(context, pattern) else { return };
        let Some(message) = self.matching.peek_mut(context, pattern) else { return };
        if message.element == Envelope::CONFIRMED {
            message.element = NOT_STATED;
            self.confirm(source, (context, tag), self.initiated());
        }
    }
}

/// Tells a peer that receives have met messages of it.
pub(super) fn post_confirmed<N: Nic>(
    nic: &mut N,
    to: Rank,
    Confirmed { context, tag, count }: Confirmed,
) -> Result<(), PostError> {
    let kind = Kind::Confirmed;
    let header = Header { kind, element: 0, context, tag, stamp: 0, len: 0, transfer: count };
    nic.post_send(Vi { peer: to, cq: BULK }, &header.encode(), &[])
}
