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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returns {
    consumed: u64,
    told: u64,
    batch: u64,
}

impl Returns {
    /// For a window of `messages`: due as soon as half of it is consumed.
    pub fn new(messages: u32) -> Returns {
        Returns { consumed: 0, told: 0, batch: u64::from(messages).div_ceil(2) }
    }

    /// One more message has been consumed. Returns whether the peer should be told without waiting
    /// for a control frame that goes there anyway; true once in a batch.
    pub fn handle_consumed(&mut self) -> bool {
        self.consumed += 1;
        self.consumed - self.told == self.batch
    }

    /// The count to send, modulo 2^16.
    pub fn count(&self) -> u16 {
        self.consumed as u16
    }

    /// The count has been sent: the peer counts as told.
    pub fn handle_told(&mut self) {
        self.told = self.consumed;
    }

    /// Whether a batch has been consumed and not told.
    pub fn is_due(&self) -> bool {
        self.consumed - self.told >= self.batch
    }
}
