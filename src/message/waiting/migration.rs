//! Whether a rank that has a core to itself, by their number, shares one all the same, and should ask for
//! another.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.
//!
//! Linux chooses a core when a process starts and when one is woken. Two ranks that it has put on one may
//! stay there for tens of milliseconds, while another core idles: each lets the other run, so none of them
//! sleeps, and the system's balancing finds now this one waiting for its turn and now that. A rank that has
//! noticed asks for any other core, and then allows itself its own again. (A short sleep did not help, though
//! the system chooses a core then too.)
//!
//! Linux takes any core that the rank may use, not one that idles. On two cores that is the right one. Where
//! it is not, another pair of ranks shares a core, which is no worse, and one of these asks. So ranks ask
//! seldom.

use std::time::Duration;

use super::notify::{Crowd, OnHost};
use crate::sys::time::Instant;

/// So long takes a yield after which another has run, at least. One after which none has takes a tenth.
const SWITCH: Duration = Duration::from_micros(3);
/// So many such yields follow each other before a rank asks what runs, or a multiple.
const YIELDS: u32 = 4;
/// Ranks ask after different multiples, so that of two one mostly stays.
const MULTIPLES: usize = 8;
/// A rank that has asked does not ask again for so long.
const PAUSE: Duration = Duration::from_millis(5);

/// What a rank knows of its core.
#[derive(Clone, Debug, Default)]
pub(super) struct Migration {
    /// How many yields in a row have let another run since it last asked.
    shared: u32,
    asked_at: Option<Instant>,
}

impl Migration {
    /// A rank of this crowd, in which each has a core, has let others run, and was `away` for so long. What is `on_host` it says, if it
    /// can. Returns whether somebody runs here again and again while another core has nothing to run.
    pub(super) fn handle_yield(
        &mut self,
        (away, now): (Duration, Instant),
        crowd: Crowd,
        on_host: impl FnOnce() -> Option<OnHost>,
    ) -> bool {
        if away < SWITCH {
            self.shared = 0;
            return false;
        }
        self.shared += 1;
        let yields = YIELDS * (1 + crowd.index % MULTIPLES) as u32;
        let pauses = self.asked_at.is_some_and(|at| now.saturating_since(at) < PAUSE);
        if self.shared < yields || pauses {
            return false;
        }
        (self.shared, self.asked_at) = (0, Some(now));
        on_host().is_some_and(|on_host| on_host.runnable <= crowd.cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: Crowd = Crowd { ranks: 2, cores: 2, index: 0 };

    /// A rank that lets others run at times of its choice.
    struct Rank(Migration, Instant);

    impl Rank {
        /// How often it moves, of so many yields, each of them so long.
        fn moves(&mut self, yields: u32, away: Duration, crowd: Crowd, runnable: usize) -> usize {
            let on_host = || Some(OnHost { runnable, asleep: 0 });
            let moves = |_: &u32| self.0.handle_yield((away, self.1), crowd, on_host);
            (0..yields).filter(moves).count()
        }

        fn rest(&mut self) {
            self.1 = self.1.after(PAUSE).unwrap();
        }
    }

    /// SEMANTICS: FLOW-3
    #[test]
    fn a_rank_that_shares_a_core_while_another_idles_moves_from_time_to_time() {
        let mut rank = Rank(Migration::default(), Instant::now());
        for _ in 0..2 {
            assert_eq!(rank.moves(YIELDS - 1, SWITCH, APART, 2), 0);
            assert_eq!(rank.moves(1, SWITCH / 2, APART, 2), 0, "it has the core again");
            assert_eq!(rank.moves(YIELDS - 1, SWITCH, APART, 2), 0);
            assert_eq!(rank.moves(1, SWITCH, APART, 2), 1);
            assert_eq!(rank.moves(4 * YIELDS, SWITCH, APART, 2), 0, "it has just moved");
            rank.rest();
            assert_eq!(rank.moves(1, SWITCH, APART, 2), 1);
            rank.rest();
        }
    }

    /// Another had the core for a moment only, or all cores have something to run.
    #[test]
    fn a_rank_stays_where_another_core_would_not_be_its_own() {
        let mut rank = Rank(Migration::default(), Instant::now());
        for (away, runnable) in [(SWITCH / 2, 2), (SWITCH, 3)] {
            let moves = rank.moves(4 * YIELDS, away, APART, runnable);
            assert_eq!(moves, 0, "{away:?} {runnable}");
            rank.rest();
        }
        assert!(!(0..9).any(|_| rank.0.handle_yield((SWITCH, rank.1), APART, || None)));
    }

    /// Two that share a core find that out at once. (Planted: both move after as many yields. So they met on the
    /// other core.)
    #[test]
    fn one_of_two_stays() {
        let start = Instant::now();
        let moves = [0, 1].map(|index| {
            let mut rank = Rank(Migration::default(), start);
            rank.moves(YIELDS, SWITCH, Crowd { index, ..APART }, 2)
        });
        assert_eq!(moves, [1, 0]);
    }
}
