//! Static-window flow control as in Fast Messages (pakin-2001 §5.1.1): the right to put one more
//! message into a peer's receive window, and its return in batches.
//!
//! Counts are cumulative, so a return that comes twice, or stands for earlier ones, does no harm.
//!
//! Keeps rules FLOW-1, FLOW-5 and SAFE-1 of SEMANTICS.md.

/// The credit of one queue between this rank and a peer, both ways.
#[derive(Debug)]
pub(super) struct Credit {
    /// For what this rank sends.
    pub(super) window: Window,
    /// For what it receives.
    pub(super) returns: Returns,
}

impl Credit {
    /// As of [`Window::new`].
    pub(super) fn new(messages: Option<u32>) -> Credit {
        Credit { window: Window::new(messages), returns: Returns::new(messages) }
    }
}

/// The sender's side: how many more messages the peer has room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    size: u64,
    sent: u64,
    returned: u64,
}

impl Window {
    /// A window of `messages`, all free; at most [`Window::MAX`]. None means without limit: for
    /// unreliable VIs, where a message too many is merely lost, and no count means anything.
    pub fn new(messages: Option<u32>) -> Window {
        debug_assert!(messages.is_none_or(|messages| (1..=Self::MAX).contains(&messages)));
        Window { size: messages.map_or(u64::MAX, u64::from), sent: 0, returned: 0 }
    }

    /// The largest window: counts travel in 16 bits.
    pub const MAX: u32 = 1 << 14;

    /// Whether one more message may be sent.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.sent - self.returned < self.size
    }

    /// One more message has been sent.
    #[inline]
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
        if self.size == u64::MAX {
            return true;
        }
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
    /// Of the window, rounded up.
    half: u64,
    received: u64,
    consumed: u64,
    told: u64,
}

impl Returns {
    /// For a window of `messages`. None means without limit: then no count is ever due.
    pub fn new(messages: Option<u32>) -> Returns {
        let window = messages.map_or(u64::MAX, u64::from);
        let half = messages.map_or(u64::MAX, |messages| u64::from(messages.div_ceil(2)));
        Returns { window, half, received: 0, consumed: 0, told: 0 }
    }

    /// One more message has come. Returns whether the peer should be told what was consumed.
    #[inline]
    pub fn handle_received(&mut self) -> bool {
        self.received += 1;
        self.is_due()
    }

    /// One of those received has been consumed. Returns whether the peer should be told.
    #[inline]
    pub fn handle_consumed(&mut self) -> bool {
        self.consumed += 1;
        self.is_due()
    }

    /// One more message has come and been consumed. Returns whether the peer should be told.
    #[inline]
    pub fn handle_received_and_consumed(&mut self) -> bool {
        self.received += 1;
        self.consumed += 1;
        let untold = self.consumed - self.told;
        // Most often neither; and what was received is never less than what was consumed.
        untold >= self.half || self.received - self.told >= self.window
    }

    /// Whether more than three quarters of the window is taken by messages that have come and were not
    /// consumed; so also if it is full.
    pub fn is_crowded(&self) -> bool {
        (self.received - self.consumed) * 4 > self.window.saturating_mul(3)
    }

    /// How many messages have come in all.
    #[inline]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The count to send, modulo 2^16.
    #[inline]
    pub fn count(&self) -> u16 {
        self.consumed as u16
    }

    /// The count has been sent: the peer counts as told.
    pub fn handle_told(&mut self) {
        self.told = self.consumed;
    }

    /// Whether the peer should be told.
    #[inline]
    pub fn is_due(&self) -> bool {
        let untold = self.consumed - self.told;
        let used_up = self.received - self.told >= self.window;
        untold >= self.half || untold > 0 && used_up
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// One sender and one receiver, and the counts on their way back, in order.
    struct Line {
        size: u32,
        window: Window,
        returns: Returns,
        sent: u64,
        received: u64,
        consumed: u64,
        known: u64,
        /// Each with whether it was told for the sake of this window.
        counts: VecDeque<(u64, bool)>,
    }

    impl Line {
        /// As if `before` messages had been sent, consumed and told.
        fn new(size: u32, before: u64) -> Line {
            let (mut window, mut returns) = (Window::new(Some(size)), Returns::new(Some(size)));
            (window.sent, window.returned) = (before, before);
            (returns.received, returns.consumed, returns.told) = (before, before, before);
            let (sent, received, consumed, known) = (before, before, before, before);
            let counts = VecDeque::new();
            Line { size, window, returns, sent, received, consumed, known, counts }
        }

        fn tell(&mut self, own: bool) {
            self.counts.push_back((self.consumed, own));
            self.returns.handle_told();
            // What `CONTROL_DESCRIPTORS` has room for.
            let own = self.counts.iter().filter(|(_, own)| *own).count();
            assert!(own <= 2, "{:?} of {}", self.counts, self.size);
        }

        fn step(&mut self, what: u8) {
            match what {
                0 => {
                    let free = self.sent - self.known < u64::from(self.size);
                    assert_eq!(self.window.is_open(), free);
                    if free {
                        self.window.handle_sent();
                        self.sent += 1;
                    }
                }
                1 if self.received < self.sent => {
                    self.received += 1;
                    if self.returns.handle_received() {
                        self.tell(true);
                    }
                }
                2 if self.consumed < self.received => {
                    self.consumed += 1;
                    if self.returns.handle_consumed() {
                        self.tell(true);
                    }
                }
                3 => {
                    if let Some((count, _)) = self.counts.pop_front() {
                        assert!(self.window.handle_returned(count as u16));
                        self.known = count;
                    }
                }
                // Any control frame tells it.
                4 => self.tell(false),
                _ => {}
            }
        }
    }

    fn size() -> impl Strategy<Value = u32> {
        prop_oneof![1..9u32, Just(Window::MAX)]
    }

    proptest! {
        // SEMANTICS: FLOW-1
        #[test]
        fn a_window_keeps_to_its_size(
            size in size(),
            before in prop_oneof![Just(0u64), (1 << 16) - 20..(1u64 << 16), (1 << 32) - 9..(1u64 << 32)],
            steps in vec(0..5u8, 0..300),
        ) {
            let mut line = Line::new(size, before);
            for step in steps {
                line.step(step);
                prop_assert!(line.sent - line.consumed <= u64::from(size));
                let taken = line.received - line.consumed;
                prop_assert!(line.returns.is_crowded() || taken < u64::from(size));
                prop_assert!(!line.returns.is_crowded() || taken * 2 > u64::from(size));
            }
            // Whoever waits for one message to be consumed gets to know of it.
            for step in [1, 2, 3] {
                (0..size.max(300)).for_each(|_| line.step(step));
            }
            prop_assert!(line.window.is_open());
        }

        /// To receive and consume at once is to do one after the other, whatever else was received. (Planted: one that
        /// does not look whether the window is used up.)
        /// SEMANTICS: FLOW-1
        #[test]
        fn both_at_once_is_one_after_the_other(
            size in size(), told in 0..99u64, consumed in 0..99u64, left in 0..99u64,
        ) {
            let mut at_once = Returns::new(Some(size));
            let consumed = told + consumed % u64::from(size);
            let received = (consumed + left).min(told + u64::from(size) - 1);
            prop_assume!(received >= consumed);
            (at_once.received, at_once.consumed, at_once.told) = (received, consumed, told);
            let mut in_turn = at_once.clone();
            in_turn.handle_received();
            prop_assert_eq!(at_once.handle_received_and_consumed(), in_turn.handle_consumed());
            prop_assert_eq!(at_once, in_turn);
        }

        #[test]
        fn one_place_that_is_free_is_told(size in 1..20u32, left in 0..20u32) {
            // All but `left` are consumed, one after the other, and each lets one through.
            prop_assume!(left < size);
            let mut line = Line::new(size, 0);
            (0..size).for_each(|_| line.step(0));
            (0..size).for_each(|_| line.step(1));
            for _ in 0..40 {
                prop_assert!(!line.window.is_open() || line.consumed + u64::from(left) >= line.sent);
                if line.consumed + u64::from(left) < line.received {
                    line.step(2);
                }
                (0..2).for_each(|_| line.step(3));
                line.step(0);
                line.step(1);
            }
            prop_assert!(line.sent >= 20);
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn any_count_is_taken_or_refused(size in size(), counts in vec(any::<u16>(), 0..60)) {
            let mut window = Window::new(Some(size));
            for count in counts {
                while window.is_open() && window.sent() % 7 != u64::from(count % 7) {
                    window.handle_sent();
                }
                let before = window.clone();
                let ahead = count.wrapping_sub(before.returned as u16);
                let possible = u64::from(ahead) <= before.sent - before.returned;
                let old = ahead > u16::MAX / 2;
                prop_assert_eq!(window.handle_returned(count), possible || old);
                let returned = before.returned + if possible { u64::from(ahead) } else { 0 };
                prop_assert_eq!(&window, &Window { returned, ..before });
            }
        }
    }

    #[test]
    fn without_limit_a_window_is_always_open_and_nothing_is_told() {
        let Credit { mut window, mut returns } = Credit::new(None);
        for count in 0..100_000u32 {
            window.handle_sent();
            assert!(window.is_open() && window.handle_returned((count * 31) as u16));
            assert!(!returns.handle_received() && !returns.handle_consumed());
            assert!(!returns.handle_received_and_consumed());
        }
    }
}
