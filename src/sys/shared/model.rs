//! The turns of a place on a machine that delays stores as x86 does: every run of the favourite and of
//! other threads that use the value, one of which takes it away.
//!
//! In every state one thread at most has the value; and every thread comes to its end, unless it is
//! refused for ever, which is a fault too. The steps here are those of [`Place`](super::Place), as a
//! list; loom cannot run the code itself, since it has no fence that a thread executes for another.

use runahead_testkit::search::{Steps, System, search};
use runahead_testkit::tso::{Memory, SystemFence};

/// The words: the gate is open (1) or closed (0).
const GATE: usize = 0;
const BUSY: usize = 1;
const TAKEN: usize = 2;
/// Whether the value is there.
const VALUE: usize = 3;

const FAVOURITE: usize = 0;

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutant {
    None,
    /// The favourite does not look at the gate again once it is busy.
    LooksOnce,
    /// The thread that closes the gate has no fence executed by the favourite.
    NoSystemFence,
    /// The thread that closes the gate does not look whether the favourite is busy.
    IgnoresBusy,
    /// A thread that is refused keeps its turn.
    KeepsItsTurn,
    /// A thread that finds the gate closed says no more that it is busy, and uses the value all the same.
    UsesBehindTheGate,
    /// The thread that takes the value away leaves it.
    LeavesTheValue,
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum At {
    /// Between two uses, or before the first.
    Outside,
    /// The favourite has seen the gate open.
    SawTheGateOpen,
    /// The favourite has said that it is busy.
    IsBusy,
    /// It asks for the turn as any thread does.
    Otherwise,
    /// It has the turn, and looks at the gate.
    HasTurn,
    /// It has closed the gate.
    Fences(SystemFence),
    /// It looks whether the favourite is busy.
    LooksAtBusy,
    /// It uses the value, having come through the gate or not.
    Uses {
        through_the_gate: bool,
    },
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    at: At,
    /// How often it is yet to use the value.
    uses: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    threads: Vec<Thread>,
}

struct Turns {
    /// How often each thread uses the value; the favourite is the first. The last one takes it away.
    uses: &'static [u8],
    mutant: Mutant,
}

impl Turns {
    /// One step of a thread, in all ways in which it can be taken.
    fn step(&self, state: &State, thread: usize) -> Vec<State> {
        let mut next = state.clone();
        let State { memory, threads } = &mut next;
        let Thread { at, uses } = &mut threads[thread];
        match at {
            At::Outside if *uses == 0 => *at = At::Ended,
            At::Outside => {
                let open = thread == FAVOURITE && memory.load(thread, GATE) == 1;
                *at = if open { At::SawTheGateOpen } else { At::Otherwise };
            }
            At::SawTheGateOpen => {
                memory.store(thread, BUSY, 1);
                *at = At::IsBusy;
            }
            At::IsBusy if self.mutant == Mutant::LooksOnce || memory.load(thread, GATE) == 1 => {
                *at = At::Uses { through_the_gate: true };
            }
            At::IsBusy => {
                memory.store(thread, BUSY, 0);
                *at = match self.mutant {
                    Mutant::UsesBehindTheGate => At::Uses { through_the_gate: true },
                    _ => At::Otherwise,
                };
            }
            At::Otherwise => match memory.update(thread, TAKEN, |_| 1) {
                0 => *at = At::HasTurn,
                _ => *at = At::Outside,
            },
            At::HasTurn if memory.load(thread, GATE) == 0 => *at = At::LooksAtBusy,
            At::HasTurn => {
                memory.update(thread, GATE, |_| 0);
                let fences = thread != FAVOURITE && self.mutant != Mutant::NoSystemFence;
                *at = match fences {
                    true => At::Fences(SystemFence::begin(memory, thread)),
                    false => At::LooksAtBusy,
                };
            }
            At::Fences(fence) if fence.is_done() => *at = At::LooksAtBusy,
            At::Fences(fence) => {
                let reached = fence.next(memory);
                return reached
                    .into_iter()
                    .map(|(fence, memory)| {
                        let mut next = State { memory, ..state.clone() };
                        next.threads[thread].at = At::Fences(fence);
                        next
                    })
                    .collect();
            }
            At::LooksAtBusy => {
                let is_busy = memory.load(thread, BUSY) == 1 && self.mutant != Mutant::IgnoresBusy;
                if is_busy || memory.load(thread, VALUE) == 0 {
                    *at = if is_busy { At::Outside } else { At::Ended };
                    if self.mutant != Mutant::KeepsItsTurn {
                        memory.store(thread, TAKEN, 0);
                    }
                } else {
                    *at = At::Uses { through_the_gate: false };
                }
            }
            At::Uses { through_the_gate } => {
                let takes = thread + 1 == self.uses.len() && *uses == 1;
                if takes && self.mutant != Mutant::LeavesTheValue {
                    memory.update(thread, VALUE, |_| 0);
                }
                memory.store(thread, if *through_the_gate { BUSY } else { TAKEN }, 0);
                *uses -= 1;
                *at = At::Outside;
            }
            At::Ended => return Vec::new(),
        }
        vec![next]
    }
}

impl System for Turns {
    type State = State;
    /// The thread, and where it is then; None where a store of it arrives.
    type Step = (usize, Option<At>);

    fn start(&self) -> State {
        let thread = |&uses: &u8| Thread { at: At::Outside, uses };
        let threads: Vec<Thread> = self.uses.iter().map(thread).collect();
        State { memory: Memory::new(&[1, 0, 0, 1], threads.len()), threads }
    }

    fn steps(&mut self, state: &State, to: &mut Steps<Turns>) -> Result<(), String> {
        for thread in 0..state.threads.len() {
            let mut arrived = state.clone();
            if arrived.memory.arrive(thread) {
                to.certain((thread, None), arrived);
            }
            for next in self.step(state, thread) {
                to.certain((thread, Some(next.threads[thread].at.clone())), next);
            }
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), String> {
        let users = state.threads.iter().filter(|thread| matches!(thread.at, At::Uses { .. }));
        let ended = |thread: &Thread| thread.at == At::Ended;
        let gone = state.memory.load(self.uses.len() - 1, VALUE) == 0;
        match users.count() {
            0 | 1 if state.threads.last().is_some_and(ended) && !gone => {
                Err("it was taken away, and is there".to_owned())
            }
            0 | 1 => Ok(()),
            users => Err(format!("{users} threads use it")),
        }
    }

    fn is_end(&self, state: &State) -> bool {
        state.threads.iter().all(|thread| thread.at == At::Ended)
    }
}

/// SEMANTICS: GRP-3
#[test]
fn one_thread_at_a_time_has_the_value() {
    for uses in [&[2, 2][..], &[3, 1], &[1, 3], &[2, 1, 1], &[1, 1, 2]] {
        match search(&mut Turns { uses, mutant: Mutant::None }) {
            Ok(found) => {
                println!("{uses:?}: {found:?}");
                assert!(found.states > 100 && found.ends > 0, "{uses:?}: {found:?}");
            }
            Err(error) => panic!("{uses:?}: {error}"),
        }
    }
}

#[test]
fn mutants_of_the_turns_are_found() {
    for (mutant, fault) in [
        (Mutant::LooksOnce, "2 threads use it"),
        (Mutant::NoSystemFence, "2 threads use it"),
        (Mutant::IgnoresBusy, "2 threads use it"),
        (Mutant::KeepsItsTurn, "no end can be reached"),
        (Mutant::UsesBehindTheGate, "2 threads use it"),
        (Mutant::LeavesTheValue, "it was taken away, and is there"),
    ] {
        let found = search(&mut Turns { uses: &[2, 2], mutant });
        assert_eq!(found.map_err(|found| found.fault), Err(fault.to_owned()), "{mutant:?}");
    }
}
