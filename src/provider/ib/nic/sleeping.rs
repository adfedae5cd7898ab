//! How a rank sleeps on the channel of its device, and for what it wakes. The order of the steps,
//! by which no wake-up is lost, is [`armed`](crate::provider::armed)'s.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use super::{CqInbox, IbNic};
use crate::provider::armed::Armed;

impl IbNic {
    /// Whether there is something for this rank: a message, or what it could not send before.
    pub(super) fn has_news(&mut self) -> bool {
        let has_message = |inbox: &mut CqInbox| inbox.has_something().unwrap_or(true);
        !self.faults.is_empty()
            || self.inboxes.iter_mut().any(has_message)
            || self.caster.as_mut().is_ok_and(|caster| caster.has_news())
            || self.woke_itself.replace(false)
            || !self.payloads.under_way.is_empty() && self.has_read()
            || self.starved && self.reap() && std::mem::take(&mut self.starved)
            || self.starved_of_words && self.has_room_for_words()
    }

    /// Whether there is room for words again at all peers.
    pub(super) fn has_room_for_words(&mut self) -> bool {
        let control = self.control.get_mut();
        control.reap(&self.losses);
        self.starved_of_words = !control.has_room();
        !self.starved_of_words
    }

    /// Takes in the news of the control queue pairs; returns whether there was any.
    pub(super) fn hear(&mut self) -> bool {
        self.control.get_mut().hear(&self.losses)
    }
}

impl Armed for IbNic {
    /// Has each queue tell the channel of its next completion.
    fn arm(&mut self) -> bool {
        let control = self.control.borrow();
        let queues = self.inboxes.iter().map(|inbox| &inbox.cq).chain([&control.receives]);
        let awaits_sends = self.starved || !self.payloads.under_way.is_empty();
        let starved = awaits_sends.then_some(&self.sends);
        let words = self.starved_of_words.then_some(&control.sends);
        let datagrams = self.caster.as_ref().ok().and_then(|caster| caster.awaited());
        queues.chain(starved).chain(words).chain(datagrams).all(|cq| cq.arm().is_ok())
    }

    fn has_come(&mut self) -> bool {
        self.has_news() | self.hear() || self.look_around()
    }

    fn rest(&mut self, longest: Duration) {
        self.channel.wait(Some(longest));
    }

    fn drain(&mut self) {
        self.channel.drain();
    }
}
