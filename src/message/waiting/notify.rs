//! How a rank that waits learns of news: it looks without a pause, lets others run between two looks,
//! or sleeps until it is woken (pakin-2001 §5.1 compares polling with blocking).
//!
//! This decides, and does nothing itself: it is told what came of the last look and for how long the
//! rank was away, and answers with the next [`WaitStep`]. What the rank waits for is
//! [`WaitsFor`](super::WaitsFor)'s.
//!
//! None of the fixed ways suits every machine. Spinning is the fastest where every rank has a core of
//! its own, and burns whole time slices where it has not; letting others run is the fastest among
//! ranks that share a core, and gives a slice away each time where a foreign program wants it;
//! sleeping costs a wake-up each time. [`Notify::Adaptive`] chooses by what it has seen.

use std::fmt;
use std::time::Duration;

use crate::names::named;
use crate::order::Rank;

/// How a waiting rank learns of news. Ranks may differ, and results do not depend on it.
///
/// As text, also in `RUNAHEAD_NOTIFY`: `poll`, `yield`, `block`, `spin-then-block` or `adaptive`.
///
/// | | suits |
/// |---|---|
/// | [`Poll`](Notify::Poll) | a core for each rank, and nobody else on the machine |
/// | [`Yield`](Notify::Yield) | ranks that share cores among themselves alone |
/// | [`Block`](Notify::Block) | other programs on the cores, and long waits |
/// | [`SpinThenBlock`](Notify::SpinThenBlock) | a core for each rank, and waits of any length |
/// | [`Adaptive`](Notify::Adaptive) | where it is not known, or changes |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notify {
    /// It looks again and again, and never lets go of its core.
    Poll,
    /// It looks, and lets others run between two looks.
    Yield,
    /// It looks once and sleeps until it is woken.
    Block,
    /// It looks for about as long as a wake-up takes, then sleeps.
    SpinThenBlock,
    /// It looks, lets others run, or sleeps, by what waiting has cost so far in this job.
    #[default]
    Adaptive,
    /// It looks so often, lets others run so often, then sleeps.
    Fixed(Patience),
}

/// How often a waiting rank looks before it goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Patience {
    /// Looks without a pause between them.
    pub polls: u32,
    /// Looks after these, each after letting another thread run.
    pub yields: u32,
}

named!(
    some "way of waiting",
    Notify {
        Poll = "poll",
        Yield = "yield",
        Block = "block",
        SpinThenBlock = "spin-then-block",
        Adaptive = "adaptive",
    }
);

impl fmt::Display for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (Notify::NAMED.iter().find(|(_, notify)| notify == self), self) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Notify::Fixed(Patience { polls, yields })) => {
                write!(f, "{polls} polls, {yields} yields, then block")
            }
            (None, _) => write!(f, "{self:?}"),
        }
    }
}

/// What a waiting rank does before it looks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum WaitStep {
    /// Nothing.
    Spin,
    /// It lets another run that wants its core.
    Yield,
    /// It sleeps until there is news.
    Sleep,
}

/// About what it costs to wake a rank on another core.
const WAKE_UP: Duration = Duration::from_micros(30);
/// As `SpinThenBlock` has it: the sum of spinning and waking is then at most twice the better one.
const SPIN: Duration = WAKE_UP;
/// Ranks that have a core of their own let others run so long after spinning, before they sleep.
const ALONE: Duration = Duration::from_micros(200);
/// As long as it takes ranks that share a core to let each other run in turn: after a longer absence
/// a foreign program has had a time slice, or a rank that computes.
const ABSENCE: Duration = Duration::from_micros(900);
/// Ranks that share a core let each other run so long before they sleep.
const SHARED: Duration = Duration::from_millis(20);
/// So many waits pass before absences are forgotten for the first time, and twice as many each time
/// that the next ones follow soon: to find out costs time slices.
const MEMORY: u32 = 64;
const LONGEST_MEMORY: u32 = 4096;
/// So much must several absences in a row say for a foreign program. (With a third of that, ranks of
/// LULESH were taken for one, alone on the machine.)
const SURE: u32 = 6;

/// The ranks that share the cores of one host.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct Crowd {
    /// How many ranks there are on this host.
    pub(in crate::message) ranks: usize,
    /// How many cores they have.
    pub(in crate::message) cores: usize,
    /// Which of these ranks this one is.
    pub(in crate::message) index: usize,
}

impl Crowd {
    /// The ranks on the host of this one, of a world of `size`.
    pub(in crate::message) fn of(
        rank: Rank,
        size: usize,
        host_of: impl Fn(Rank) -> usize,
        cores: usize,
    ) -> Crowd {
        let host = host_of(rank);
        let below = |end| (0..end).filter(|&peer| host_of(peer) == host).count();
        Crowd { ranks: below(size), cores, index: below(rank) }
    }
}

/// What wants the cores of one host.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct OnHost {
    /// The threads that run or want to, as the system counts them.
    pub(in crate::message) runnable: usize,
    /// The ranks that sleep.
    pub(in crate::message) asleep: usize,
}

impl OnHost {
    /// How much this speaks for a foreign program among so many ranks. Something always runs for a
    /// moment. And Linux counts a thread that fell asleep among those that run until it is its turn
    /// again (since 6.12), so ranks that sleep may be counted twice.
    fn beyond(self, ranks: usize) -> u32 {
        if self.runnable > ranks { 2 } else { u32::from(self.runnable + self.asleep > ranks) }
    }
}

/// The way of waiting of one rank, and what it has learnt.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    notify: Notify,
    crowd: Crowd,
    /// Whether there are more ranks on this host than cores.
    crowded: bool,
    /// How much the last absences speak for a foreign program, up to [`SURE`].
    suspicion: u32,
    /// How many more waits remember that a foreign program wants this core.
    disturbed: u32,
    /// How many waits the next absence is remembered for.
    memory: u32,
    /// Waits since an absence was forgotten.
    peaceful: u32,
    /// Looks of this wait since the last news.
    idle: u32,
}

impl Waiter {
    pub(super) fn new(notify: Notify, crowd: Crowd) -> Waiter {
        let crowded = crowd.ranks > crowd.cores;
        Waiter {
            notify,
            crowd,
            crowded,
            suspicion: 0,
            disturbed: 0,
            memory: MEMORY,
            peaceful: 0,
            idle: 0,
        }
    }

    /// From now on the rank waits so. What it had learnt is forgotten.
    pub(super) fn set_notify(&mut self, notify: Notify) {
        *self = Waiter::new(notify, self.crowd);
    }

    /// Whether a wait begins with looks that nothing comes between.
    #[inline]
    pub(super) fn spins(&self) -> bool {
        match self.notify {
            Notify::Poll | Notify::SpinThenBlock => true,
            Notify::Yield | Notify::Block => false,
            Notify::Adaptive => !self.crowded,
            Notify::Fixed(Patience { polls, .. }) => polls > 0,
        }
    }

    /// Whether a rank that waits begins by letting others run.
    #[inline]
    pub(super) fn lets_go(&self) -> bool {
        match self.notify {
            Notify::Yield => true,
            Notify::Adaptive => self.crowded && self.disturbed == 0,
            _ => false,
        }
    }

    /// The ranks that share the cores of this host.
    #[inline]
    pub(super) fn crowd(&self) -> Crowd {
        self.crowd
    }

    /// A wait begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.idle = 0;
        if self.disturbed > 0 {
            (self.disturbed, self.peaceful) = (self.disturbed - 1, 0);
        } else if self.memory > MEMORY {
            self.peaceful += 1;
            if self.peaceful >= self.memory {
                (self.memory, self.peaceful) = (self.memory / 2, 0);
            }
        }
    }

    /// The rank wanted to go on and was away for so long, since a yield or since its last look. What is
    /// `on_host` it says, if it can.
    ///
    /// Where that is no more than the ranks, one that computes is taken to have had the core: letting
    /// that run costs nothing. Where it is more, the next absences must say so too.
    #[inline]
    pub(super) fn note_absence(
        &mut self,
        away: Duration,
        on_host: impl FnOnce() -> Option<OnHost>,
    ) {
        if away < ABSENCE || self.disturbed > 0 || self.notify != Notify::Adaptive {
            return;
        }
        let weight = on_host().map_or(SURE, |on_host| on_host.beyond(self.crowd.ranks));
        self.suspicion = if weight == 0 { 0 } else { SURE.min(self.suspicion + weight) };
        if self.suspicion == SURE {
            // From now on one absence suffices, of those with more threads than ranks.
            self.suspicion = SURE - 2;
            (self.disturbed, self.memory) = (self.memory, (2 * self.memory).min(LONGEST_MEMORY));
        }
    }

    /// Whether there is a core for each rank, and the rank may choose which is its own.
    #[inline]
    pub(super) fn has_own_core(&self) -> bool {
        self.notify == Notify::Adaptive && !self.crowded
    }

    /// Whether [`next`](Waiter::next) makes use of the time.
    #[inline]
    pub(super) fn wants_time(&self) -> bool {
        matches!(self.notify, Notify::SpinThenBlock | Notify::Adaptive)
    }

    /// What to do after a look that found `news`, or none, so long after the last news.
    #[inline]
    pub(super) fn next(&mut self, news: bool, idle_for: Duration) -> WaitStep {
        self.idle = if news { 0 } else { self.idle.saturating_add(1) };
        match self.notify {
            Notify::Poll => WaitStep::Spin,
            Notify::Yield => WaitStep::Yield,
            Notify::Block if news => WaitStep::Spin,
            Notify::Block => WaitStep::Sleep,
            Notify::SpinThenBlock if idle_for < SPIN => WaitStep::Spin,
            Notify::SpinThenBlock => WaitStep::Sleep,
            Notify::Adaptive => self.adapt(idle_for),
            Notify::Fixed(Patience { polls, yields }) => match self.idle {
                idle if idle <= polls => WaitStep::Spin,
                idle if idle <= polls.saturating_add(yields) => WaitStep::Yield,
                _ => WaitStep::Sleep,
            },
        }
    }

    fn adapt(&mut self, idle_for: Duration) -> WaitStep {
        if self.disturbed > 0 {
            // Whoever lets go of the core here loses it for a slice; who sleeps is owed the time, but
            // must wait until he gets it. So a short wait is spun through, unless fellow ranks want the
            // core.
            let is_short = if self.crowded { self.idle < 4 } else { idle_for < SPIN };
            return if is_short { WaitStep::Spin } else { WaitStep::Sleep };
        }
        if self.crowded {
            return match idle_for {
                idle if idle < SHARED => WaitStep::Yield,
                _ => WaitStep::Sleep,
            };
        }
        match idle_for {
            idle if idle < SPIN => WaitStep::Spin,
            idle if idle < ALONE => WaitStep::Yield,
            _ => WaitStep::Sleep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;
    const LONG: Duration = Duration::from_secs(1);
    const ALONE: Crowd = Crowd { ranks: 2, cores: 2, index: 0 };
    const CROWD: Crowd = Crowd { ranks: 4, cores: 2, index: 0 };
    /// More than all ranks.
    const FOREIGN: fn() -> Option<OnHost> = || on_host(5, 0);

    fn on_host(runnable: usize, asleep: usize) -> Option<OnHost> {
        Some(OnHost { runnable, asleep })
    }

    fn first(waiter: &mut Waiter, idle_for: Duration) -> WaitStep {
        waiter.begin();
        waiter.next(false, idle_for)
    }

    #[test]
    fn ways_of_waiting_parse_from_their_names() {
        for (name, notify) in Notify::NAMED {
            assert_eq!((notify.to_string().as_str(), name.parse()), (name, Ok(notify)));
        }
        let error = "spinning".parse::<Notify>().unwrap_err().to_string();
        assert!(Notify::NAMED.iter().all(|(name, _)| error.contains(name)), "{error}");
        assert!(error.contains("\"spinning\""), "{error}");
    }

    /// SEMANTICS: FLOW-3
    #[test]
    fn fixed_ways_of_waiting_take_fixed_steps() {
        for crowd in [ALONE, CROWD] {
            for (notify, early, late) in [
                (Notify::Poll, WaitStep::Spin, WaitStep::Spin),
                (Notify::Yield, WaitStep::Yield, WaitStep::Yield),
                (Notify::Block, WaitStep::Sleep, WaitStep::Sleep),
                (Notify::SpinThenBlock, WaitStep::Spin, WaitStep::Sleep),
            ] {
                let mut waiter = Waiter::new(notify, crowd);
                assert_eq!(first(&mut waiter, NOW), early, "{notify}");
                waiter.note_absence(LONG, FOREIGN);
                assert_eq!(waiter.next(false, LONG), late, "{notify}");
            }
        }
    }

    #[test]
    fn patience_is_counted_from_the_last_news() {
        let mut waiter = Waiter::new(Notify::Fixed(Patience { polls: 2, yields: 1 }), ALONE);
        for _ in 0..2 {
            waiter.begin();
            let steps: Vec<WaitStep> = (0..4).map(|_| waiter.next(false, LONG)).collect();
            assert_eq!(steps, [WaitStep::Spin, WaitStep::Spin, WaitStep::Yield, WaitStep::Sleep]);
            assert_eq!(waiter.next(true, NOW), WaitStep::Spin);
            assert_eq!(waiter.next(false, NOW), WaitStep::Spin);
        }
    }

    #[test]
    fn adaptive_spins_alone_and_shares_in_a_crowd() {
        assert_eq!(first(&mut Waiter::new(Notify::Adaptive, ALONE), NOW), WaitStep::Spin);
        assert_eq!(first(&mut Waiter::new(Notify::Adaptive, CROWD), NOW), WaitStep::Yield);
        for crowd in [ALONE, CROWD] {
            assert_eq!(first(&mut Waiter::new(Notify::Adaptive, crowd), LONG), WaitStep::Sleep);
        }
    }

    /// Some absences make it sleep and never yield: at once in a crowd, else after having spun for a while.
    /// After enough waits without one it tries the other way, until the next.
    #[test]
    fn adaptive_remembers_that_a_foreign_program_took_the_core() {
        for (crowd, soon) in [(ALONE, SPIN), (CROWD, NOW)] {
            let mut waiter = Waiter::new(Notify::Adaptive, crowd);
            let untroubled = first(&mut waiter, soon);
            assert_eq!(untroubled, WaitStep::Yield);
            (0..3).for_each(|_| waiter.note_absence(ABSENCE, FOREIGN));
            let steps = |waiter: &mut Waiter| -> Vec<WaitStep> {
                waiter.begin();
                (0..8).map(|_| waiter.next(false, soon)).collect()
            };
            let waits = (0..2 * MEMORY).take_while(|_| {
                let steps = steps(&mut waiter);
                assert!(!steps.contains(&WaitStep::Yield) || !steps.contains(&WaitStep::Sleep));
                steps.contains(&WaitStep::Sleep)
            });
            assert_eq!(waits.count() as u32, MEMORY - 1);
            assert_eq!(first(&mut waiter, soon), untroubled);
            // Sleepers may have been counted twice.
            waiter.note_absence(ABSENCE, || on_host(crowd.ranks, 1));
            assert_eq!(first(&mut waiter, soon), untroubled);
            waiter.note_absence(ABSENCE, FOREIGN);
            assert_eq!(first(&mut waiter, NOW), WaitStep::Spin);
        }
    }

    /// (Planted: one is enough; and ranks that sleep are not counted.)
    #[test]
    fn adaptive_believes_some_absences_in_a_row() {
        for (threads, absences) in [(on_host(5, 0), 3), (on_host(3, 2), 6)] {
            let mut waiter = Waiter::new(Notify::Adaptive, CROWD);
            for none in [on_host(3, 1), on_host(4, 0)] {
                (1..absences).for_each(|_| waiter.note_absence(ABSENCE, || threads));
                assert_eq!(first(&mut waiter, NOW), WaitStep::Yield);
                waiter.note_absence(ABSENCE, || none);
            }
            (0..absences).for_each(|_| waiter.note_absence(ABSENCE, || threads));
            assert_eq!(first(&mut waiter, NOW), WaitStep::Spin);
        }
    }

    /// (Planted: all ranks of the world, which are more than the cores.)
    #[test]
    fn ranks_of_other_hosts_make_no_crowd() {
        let on_two = |rank| Crowd::of(rank, 5, |peer| peer / 2, 2);
        assert_eq!([0, 3, 4].map(|rank| on_two(rank).ranks), [2, 2, 1]);
        assert_eq!([0, 3, 4].map(|rank| on_two(rank).index), [0, 1, 0]);
        assert_eq!(first(&mut Waiter::new(Notify::Adaptive, on_two(0)), NOW), WaitStep::Spin);
    }

    /// A host that does not say how much runs may have a foreign program. (Planted: no question.)
    #[test]
    fn adaptive_does_not_take_a_rank_that_computes_for_a_foreign_program() {
        let mut waiter = Waiter::new(Notify::Adaptive, CROWD);
        waiter.note_absence(LONG, || on_host(CROWD.ranks, 0));
        assert_eq!(first(&mut waiter, NOW), WaitStep::Yield);
        waiter.note_absence(LONG, || None);
        assert_eq!(first(&mut waiter, NOW), WaitStep::Spin);
        // Where nothing is learnt, nobody asks.
        let mut waiter = Waiter::new(Notify::Yield, CROWD);
        waiter.note_absence(LONG, || unreachable!());
    }
}
