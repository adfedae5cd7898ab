//! Static-window flow control as in Fast Messages (pakin-2001 §5.1.1): the right to put one more
//! message into a peer's receive window, and its return in batches.
//!
//! Counts are cumulative, so a return that comes twice, or stands for earlier ones, does no harm.
//!
//! Keeps rules FLOW-1 and SAFE-1 of SEMANTICS.md.

/// The sender's side: how many more messages the peer has room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    size: u64,
    sent: u64,
    returned: u64,
}

impl Window {
    /// A window of `messages`, all free; at most [`Window::MAX`]. None means without limit: for
    /// unreliable VIs, where a message too many is merely lost.
    pub fn new(messages: Option<u32>) -> Window {
        debug_assert!(messages.is_none_or(|messages| (1..=Self::MAX).contains(&messages)));
        Window { size: messages.map_or(u64::MAX, u64::from), sent: 0, returned: 0 }
    }

    /// The largest window: counts travel in 16 bits.
    pub const MAX: u32 = 1 << 14;

    /// Whether one more message may be sent.
    pub fn is_open(&self) -> bool {
        self.sent - self.returned < self.size
    }

    /// One more message has been sent.
    pub fn handle_sent(&mut self) {
        self.sent += 1;
    }

    /// How many messages have been sent in all.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The peer has consumed `low` messages so far, modulo 2^16. Returns false if that is more
    /// than were sent, which no correct peer says.
    #[must_use]
    pub fn handle_returned(&mut self, low: u16) -> bool {
        let more = low.wrapping_sub(self.returned as u16);
        if u64::from(more) > self.sent - self.returned {
            // A count that a newer one has overtaken looks like a huge step forward.
            return more > u16::MAX / 2;
        }
        self.returned += u64::from(more);
        true
    }
}

/// The receiver's side: what was consumed, and what the peer has been told of it.
///
/// A count is due when half a window has been consumed and not told. It is also due when anything
/// has been consumed and the sender has used up all that it knows of: it may wait for that one.
///
/// Counts travel in control frames alone. A sender then learns of one only by taking in the frames
/// before it, and at most two that were sent for the sake of a window are under way: say that the
/// sender knows of `s`. At most `s + window` were received. A count that is told because the sender
/// has used up what it knows of follows a told count of `s` at most, so it is the first of them;
/// every other is at least half a window higher than the one before it, and the third would be
/// above `s + window`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returns {
    window: u64,
    received: u64,
    consumed: u64,
    told: u64,
}

impl Returns {
    /// For a window of `messages`.
    pub fn new(messages: u32) -> Returns {
        Returns { window: u64::from(messages), received: 0, consumed: 0, told: 0 }
    }

    /// One more message has come. Returns whether the peer should be told what was consumed.
    pub fn handle_received(&mut self) -> bool {
        self.received += 1;
        self.is_due()
    }

    /// One of those received has been consumed. Returns whether the peer should be told.
    pub fn handle_consumed(&mut self) -> bool {
        self.consumed += 1;
        self.is_due()
    }

    /// How many messages have come in all.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The count to send, modulo 2^16.
    pub fn count(&self) -> u16 {
        self.consumed as u16
    }

    /// The count has been sent: the peer counts as told.
    pub fn handle_told(&mut self) {
        self.told = self.consumed;
    }

    /// Whether the peer should be told.
    pub fn is_due(&self) -> bool {
        let untold = self.consumed - self.told;
        let used_up = self.received - self.told >= self.window;
        untold >= self.window.div_ceil(2) || untold > 0 && used_up
    }
}
