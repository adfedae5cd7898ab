//! How many receives of a peer are free: a sender's count.
//!
//! The peer posts a fixed number of receives when it connects, and shows how many of them it has
//! posted again; a sender counts what it has sent, and reads the other count only when its own
//! knowledge runs out. So a message meets a receive, and a sender whose messages are counted above
//! hears nothing of this.

/// The receives of one lane of a peer, as a sender knows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Descriptors {
    limit: u64,
    sent: u64,
    returned: u64,
}

/// A count that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Impossible;

impl Descriptors {
    /// A lane with so many receives.
    pub(super) fn new(limit: u32) -> Descriptors {
        Descriptors { limit: limit.into(), sent: 0, returned: 0 }
    }

    fn under_way(&self) -> u64 {
        self.sent - self.returned
    }

    /// Whether one is free, as far as is known.
    #[inline(always)]
    pub(super) fn has_one(&self) -> bool {
        self.under_way() < self.limit
    }

    /// Whether it is time to ask for the peer's count, so that the answer is there when it is
    /// needed. Where there are few receives it would mostly come too early.
    #[inline(always)]
    pub(super) fn should_ask(&self) -> bool {
        self.limit >= 8 && self.under_way() > self.limit / 2
    }

    /// Takes one.
    #[inline(always)]
    pub(super) fn count_sent(&mut self) {
        self.sent += 1;
    }

    /// The peer shows this count. An older one says nothing.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if it is above the number that was sent.
    pub(super) fn note_returned(&mut self, returned: u64) -> Result<(), Impossible> {
        if returned > self.sent {
            return Err(Impossible);
        }
        self.returned = self.returned.max(returned);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn returned_receives_are_free_again() {
        let mut lane = Descriptors::new(2);
        for _ in 0..2 {
            assert!(lane.has_one());
            lane.count_sent();
        }
        assert!(!lane.has_one());
        assert_eq!(lane.note_returned(1), Ok(()));
        assert!(lane.has_one());
        lane.count_sent();
        assert_eq!(lane.note_returned(0), Ok(()), "an old count");
        assert!(!lane.has_one());
        assert_eq!(lane.note_returned(4), Err(Impossible));
        assert_eq!(lane.note_returned(u64::MAX), Err(Impossible));
        assert!(!lane.has_one(), "what cannot be changes nothing");
    }

    #[test]
    fn a_sender_with_many_receives_asks_early() {
        let mut lane = Descriptors::new(8);
        (0..4).for_each(|_| lane.count_sent());
        assert!(!lane.should_ask());
        lane.count_sent();
        assert!(lane.should_ask() && lane.has_one());
        let mut few = Descriptors::new(1);
        few.count_sent();
        assert!(!few.should_ask());
    }

    proptest! {
        /// Against a peer that counts: there are never more under way than receives, and after the
        /// truth was heard the count is exact.
        #[test]
        fn messages_in_flight_never_exceed_the_receives(limit in 1..20_u32, steps in proptest::collection::vec(0..4_u8, 1..200)) {
            let mut lane = Descriptors::new(limit);
            let (mut sent, mut returned, mut heard) = (0_u64, 0_u64, 0_u64);
            for step in steps {
                match step {
                    0 | 1 if lane.has_one() => {
                        lane.count_sent();
                        sent += 1;
                        prop_assert!(sent - returned <= u64::from(limit));
                    }
                    2 if returned < sent => returned += 1,
                    3 => {
                        prop_assert_eq!(lane.note_returned(heard), Ok(()));
                        heard = returned;
                        prop_assert_eq!(lane.note_returned(heard), Ok(()));
                        prop_assert_eq!(lane.has_one(), sent - returned < u64::from(limit));
                    }
                    _ => {}
                }
            }
        }
    }
}
