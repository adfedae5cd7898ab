//! Messages that are confirmed: their sender is told that a receive has met them (MPI: synchronous
//! mode).
//!
//! Keeps rules ORD-2 and CLK-1 of SEMANTICS.md.
//!
//! Such a message states [`Envelope::CONFIRMED`] in the place of an element's size. The receiver
//! answers with an empty message in the lane [`Lane::Library`], with the same tag. The sender posts
//! a receive for that before it sends.
//!
//! # Correctness
//!
//! Several messages of one sender and tag are confirmed by equal answers. That is sound: receives
//! meet them in the order in which they were sent, so so many answers say that the first so many
//! have been met. A message is marked as confirmed where it is kept, and is so confirmed once.

use super::{Engine, Envelope};
use crate::message::matching::{Context, Lane, Pattern, RecvId};
use crate::order::Rank;
use crate::verbs::Nic;

/// The element of a message that needs no confirmation, or no more.
const NOT_STATED: u8 = 0;

impl<N: Nic> Engine<N> {
    /// Tells the sender of a message with this context and tag that a receive has met it.
    #[cold]
    pub(super) fn confirm(&mut self, to: Rank, context: Context, tag: u32) {
        let context = Context::new(context.group(), Lane::Library);
        let envelope = Envelope { context, tag, element: NOT_STATED };
        // A sender that has gone waits for nothing, and what else fails does so again in the next call.
        let _ = self.post_answer(to, envelope);
    }

    /// Confirms the message that a posted receive has met, if its sender asks for it.
    pub(super) fn confirm_matched(&mut self, id: RecvId) {
        let Some(matched) = self.matching.matched_mut(id) else { return };
        if matched.message.element == Envelope::CONFIRMED {
            matched.message.element = NOT_STATED;
            let (source, context, tag) = (matched.source, matched.message.context, matched.tag);
            self.confirm(source, context, tag);
        }
    }

    /// As [`confirm_matched`](Engine::confirm_matched), of the message that a receive of this pattern
    /// will take.
    pub(super) fn confirm_first(&mut self, context: Context, pattern: Pattern) {
        let Some((source, tag, _)) = self.matching.peek(context, pattern) else { return };
        let Some(message) = self.matching.peek_mut(context, pattern) else { return };
        if message.element == Envelope::CONFIRMED {
            message.element = NOT_STATED;
            self.confirm(source, context, tag);
        }
    }
}
