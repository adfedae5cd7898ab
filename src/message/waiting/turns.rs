//! How many calls in a row may go the fast path, which does not serve others, before one looks for
//! what they may wait for.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

/// How often a call looks for what it waits for alone before it looks for everything: for about a
/// microsecond, some times as long as a peer that is waiting, too, takes to answer. (With 64 looks
/// most answers came just after, and went the general way.) In a model each look is a choice.
pub(super) const LOOKS: u32 = if cfg!(loom) { 1 } else { 512 };
/// How often a call lets others run, and looks for what it waits for alone. Each may take as long as
/// they compute, and meanwhile nobody is served.
pub(super) const FOR_OTHERS: u32 = if cfg!(loom) { 0 } else { 2 };
/// So many messages in a row may go by template, without a look for what others may wait for ...
pub(super) const TURNS: u32 = 64;
/// ... and so many calls may be served without one for everything, which takes in also messages
/// that are for later calls.
pub(super) const TURNS_IN_ALL: u32 = 128 * TURNS;
/// One of so many receives that are posted looks whether others wait for this rank.
pub(super) const POSTS: u32 = 8;
/// Others run for so long in all before a call looks for everything.
const LONGEST_AWAY: Duration = Duration::from_millis(2);

/// How many more there may be of each.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Calls without a look for everything. At multiples of [`TURNS`] no template is used.
    pub(super) in_all: u32,
    /// Messages sent by template without a look for what others may wait for.
    pub(super) to_send: u32,
    /// The same for barriers that are entered.
    pub(super) to_enter: u32,
    /// Receives that were posted since a message was taken in.
    pub(super) posted: u32,
    /// For how long others ran since the last look for everything.
    away: Duration,
}

impl Turns {
    /// All was looked for.
    #[inline(always)]
    pub(super) fn renew(&mut self) {
        (self.in_all, self.posted, self.away) = (TURNS_IN_ALL - 1, 0, Duration::ZERO);
    }

    /// A call let others run for so long. What is under way may take its turn; the next looks for
    /// everything, if it was too long in all.
    #[inline]
    pub(super) fn handle_away(&mut self, away: Duration) {
        self.away = self.away.saturating_add(away);
        if self.away >= LONGEST_AWAY {
            self.in_all = self.in_all.min(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SEMANTICS: FLOW-3. (Planted: each call may let others run, and none of them counts.)
    #[test]
    fn a_call_that_let_others_run_for_long_has_one_turn_left() {
        let mut turns = Turns::default();
        for away in [LONGEST_AWAY / 2, LONGEST_AWAY] {
            turns.renew();
            turns.handle_away(away);
            assert_eq!(turns.in_all > 1, away < LONGEST_AWAY);
            turns.handle_away(LONGEST_AWAY / 2);
            assert_eq!(turns.in_all, 1);
        }
        turns.in_all = 0;
        turns.handle_away(LONGEST_AWAY);
        assert_eq!(turns.in_all, 0);
    }
}
