//! Ranks with all their blocking calls, each in a thread of its own, of which one runs at a time.
//!
//! Who runs is drawn from a seed, anew with every third call of the network on average. A rank that
//! sleeps runs again when something was sent to it for which it wakes. Where all sleep and none has a time limit,
//! nobody can go on: the run is *stuck*, which is told, and all networks count as closed, so that
//! every call returns. Where some have a limit, time passes for one of them.
//!
//! This knows no message and no barrier; [`super::wired`] calls it from below the runtime.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use fastrand::Rng;
use runahead::internals::order::Rank;
use runahead::internals::verbs::{Cq, WakeOn};

/// Who runs.
pub struct Turns {
    state: Mutex<State>,
    /// One for each rank: it may be its turn.
    changed: Vec<Condvar>,
}

struct State {
    rng: Rng,
    running: Option<Rank>,
    ranks: Vec<Seat>,
    stuck: bool,
    /// How often somebody slept after that.
    vain: u32,
}

#[derive(Clone, Copy, Default)]
struct Seat {
    has_ended: bool,
    sleeps: bool,
    /// The messages for which it does not sleep on; None for all.
    wake_on: Option<WakeOn>,
    has_limit: bool,
    /// Something has happened for it since it last slept.
    has_news: bool,
}

impl Turns {
    pub fn new(size: usize, seed: u64) -> Arc<Turns> {
        let ranks = vec![Seat::default(); size];
        let mut rng = Rng::with_seed(seed);
        let running = Some(rng.usize(..size));
        let state = Mutex::new(State { rng, running, ranks, stuck: false, vain: 0 });
        Arc::new(Turns { state, changed: (0..size).map(|_| Condvar::new()).collect() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits for the first turn of a rank; it ends when the guard is dropped.
    pub fn begin(self: &Arc<Turns>, rank: Rank) -> Seated {
        drop(self.wait_turn(rank, self.state()));
        Seated { turns: Arc::clone(self), rank }
    }

    pub fn is_stuck(&self) -> bool {
        self.state().stuck
    }

    /// Now and then lets another rank run.
    pub fn offer(&self, rank: Rank) {
        let mut state = self.state();
        if state.rng.u8(..3) == 0 {
            state.choose();
            drop(self.wait_turn(rank, state));
        }
    }

    /// Something has happened for `rank`.
    pub fn tell(&self, rank: Rank) {
        self.state().ranks[rank].has_news = true;
    }

    /// A message of `from` on `cq` has come for `rank`, which need not be told if it sleeps for
    /// others.
    pub fn tell_message(&self, rank: Rank, from: Rank, cq: Cq) {
        let seat = &mut self.state().ranks[rank];
        let wakes = seat.wake_on.is_none_or(|wake_on| wake_on.includes(from, cq));
        seat.has_news |= wakes || !seat.sleeps;
    }

    /// Sleeps until there is news. Returns false if instead the time has come to pass.
    pub fn sleep(&self, rank: Rank, limit: Option<Duration>) -> bool {
        self.sleep_for(rank, None, limit)
    }

    /// As `sleep`, over messages that `wake_on` does not include.
    pub fn sleep_for(&self, rank: Rank, wake_on: Option<WakeOn>, limit: Option<Duration>) -> bool {
        let mut state = self.state();
        state.vain += u32::from(state.stuck);
        assert!(state.vain < 10_000, "a call does not return though all others have gone");
        let seat = &mut state.ranks[rank];
        (seat.sleeps, seat.wake_on, seat.has_limit) = (true, wake_on, limit.is_some());
        state.choose();
        state = self.wait_turn(rank, state);
        let seat = &mut state.ranks[rank];
        seat.sleeps = false;
        std::mem::take(&mut seat.has_news)
    }

    /// A rank computes, without a call of the runtime, until `done`.
    pub fn compute(&self, rank: Rank, done: impl Fn() -> bool) {
        while !done() && !self.is_stuck() {
            self.sleep(rank, None);
        }
        // What was sent meanwhile has not been looked at.
        self.tell(rank);
    }

    fn wait_turn<'s>(&self, rank: Rank, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        if let Some(next) = state.running {
            self.changed[next].notify_one();
        }
        while state.running != Some(rank) {
            state = self.changed[rank].wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state
    }
}

impl State {
    /// Draws who runs next, of those who can.
    fn choose(&mut self) {
        let mut able = self.those(|seat| !seat.sleeps || seat.has_news);
        if able.is_empty() {
            able = self.those(|seat| seat.has_limit);
        }
        if able.is_empty() {
            able = self.those(|_| true);
            self.stuck |= !able.is_empty();
        }
        self.running = match able.len() {
            0 => None,
            count => Some(able[self.rng.usize(..count)]),
        };
    }

    fn those(&self, can: impl Fn(&Seat) -> bool) -> Vec<Rank> {
        let seats = self.ranks.iter().enumerate();
        seats.filter(|(_, seat)| !seat.has_ended && can(seat)).map(|(rank, _)| rank).collect()
    }
}

/// A rank that takes its turns.
pub struct Seated {
    turns: Arc<Turns>,
    rank: Rank,
}

impl Drop for Seated {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.ranks[self.rank].has_ended = true;
        state.ranks.iter_mut().for_each(|seat| seat.has_news = true);
        state.choose();
        if let Some(next) = state.running {
            self.turns.changed[next].notify_one();
        }
    }
}

/// Somebody must be found stuck who waits for what never comes, and nobody else.
#[test]
fn sleepers_whom_nobody_wakes_are_stuck() {
    for (wakes, seed) in [false, true].into_iter().zip(0..) {
        let turns = Turns::new(2, seed);
        std::thread::scope(|scope| {
            for rank in 0..2 {
                let turns = &turns;
                scope.spawn(move || {
                    let _seated = turns.begin(rank);
                    if wakes && rank == 1 {
                        turns.tell(0);
                    }
                    if !(wakes && rank == 1) {
                        turns.sleep(rank, None);
                    }
                });
            }
        });
        // The end of one is news for the other.
        assert_eq!(turns.is_stuck(), !wakes);
    }
}
