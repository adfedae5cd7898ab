//! Words of one rank on their way to another host, under every interleaving: what is under way by a rank of that host that
//! leaves may come late or be lost; one that dies loses it and is missed later. The paths are the code itself; the network
//! is simulated.
//!
//! The words are those of a place of the board: a number, and the mark that says of which group it is. In every state,
//! whoever sees a mark there sees no number of a group before. Where nothing happens any more the words of the host are
//! those that were written last, if anybody needs them; and so they are whenever the writer may leave, or go on to another
//! group. The planted faults show that the search notices.

use std::cell::RefCell;
use std::collections::VecDeque;

use runahead_testkit::search::{Counterexample, Searched, Steps, System, search};

use super::*;
use crate::message::barriers::board::Load;

/// The writer is rank 0 on the one host; these are on the other.
const OTHERS: usize = 3;
/// The last of them stays.
const STAYS: Rank = OTHERS;

const NUMBER: usize = 0;
const MARK: usize = 1;

/// What the writer writes: two groups at one place, one after the other. The value is the index in this list, from 1 on. The
/// fourth says that the writer is done with the first group: after that it goes on when all has come.
const STORES: [usize; 7] = [NUMBER, MARK, NUMBER, MARK, NUMBER, MARK, NUMBER];
const DONE_AT: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    /// The mark is written again before the number.
    MarkFirst,
    /// What was written is not written again.
    ForgetsAll,
    /// The writer goes on to the second group at once.
    GoesOnAtOnce,
    /// The network says too early that nothing is under way by one that has gone.
    SaysArrived,
    /// The network never says that nothing is under way.
    NeverSaysArrived,
    /// The network does not say that somebody has gone.
    SaysNothingOfTheDead,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Here,
    /// It has said farewell, and what is under way may come yet.
    Leaving,
    Closed,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    /// What the copy shows.
    copy: [u64; 2],
    /// For each rank of the other host.
    lines: [VecDeque<(usize, u64)>; OTHERS + 1],
    phases: [Phase; OTHERS + 1],
    /// The writer knows that it has gone.
    is_missed: [bool; OTHERS + 1],
    has_lost: [bool; OTHERS + 1],
}

/// The network as the writer sees it.
struct Sim {
    world: RefCell<World>,
    plant: Plant,
}

impl Load for Sim {
    fn load(&self, _: usize) -> u64 {
        unreachable!("words of other hosts only")
    }
}

impl Words for Sim {
    fn store(&self, _: usize, _: u64) {
        unreachable!("words of other hosts only")
    }

    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        let world = &mut *self.world.borrow_mut();
        if world.is_missed[peer] {
            return false;
        }
        match world.phases[peer] {
            Phase::Closed => world.has_lost[peer] = true,
            _ => world.lines[peer].push_back((word, value)),
        }
        true
    }

    fn written_at(&self, peer: Rank) -> Written {
        let world = self.world.borrow();
        match self.plant {
            Plant::SaysArrived if world.is_missed[peer] => return Written::Arrived,
            Plant::NeverSaysArrived => return Written::UnderWay,
            _ => {}
        }
        // Of one that has died the network finds it out when it is missed.
        let unknown = world.has_lost[peer] && !world.is_missed[peer];
        match world.lines[peer].is_empty() && !unknown {
            false => Written::UnderWay,
            true if world.has_lost[peer] => Written::Lost,
            true => Written::Arrived,
        }
    }
}

/// The writer and its world.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    path: Path,
    /// The ways of the second group, which begin with another rank.
    next: Path,
    stored: usize,
    world: World,
}

impl State {
    fn new() -> State {
        let world = World {
            copy: [0; 2],
            lines: std::array::from_fn(|_| VecDeque::new()),
            phases: [Phase::Here; OTHERS + 1],
            is_missed: [false; OTHERS + 1],
            has_lost: [false; OTHERS + 1],
        };
        let path = |first| Path::new(first, (1..=OTHERS).collect());
        State { path: path(0), next: path(1), stored: 0, world }
    }

    /// The number and the mark that the writer has stored last.
    fn last(&self, word: usize) -> u64 {
        let stored = &STORES[..self.stored];
        stored.iter().rposition(|&it| it == word).map_or(0, |at| at as u64 + 1)
    }

    /// Does something with the path of the group and the network.
    fn with<R>(
        &mut self,
        plant: Plant,
        act: impl FnOnce(&mut Path, &Sim, &dyn Fn() -> std::vec::IntoIter<(usize, u64)>) -> R,
    ) -> R {
        let sim = Sim { world: RefCell::new(self.world.clone()), plant };
        let mut all = vec![(NUMBER, self.last(NUMBER)), (MARK, self.last(MARK))];
        // What was written for the group before need not be written again.
        all.retain(|&(_, value)| (value as usize > DONE_AT) == (self.stored > DONE_AT));
        match plant {
            Plant::MarkFirst => all.reverse(),
            Plant::ForgetsAll => all.clear(),
            _ => {}
        }
        let path = if self.stored > DONE_AT { &mut self.next } else { &mut self.path };
        let done = act(path, &sim, &|| all.clone().into_iter());
        self.world = sim.world.into_inner();
        done
    }

    /// The writer stores its next word.
    fn store(&mut self, plant: Plant) {
        let word = STORES[self.stored];
        self.stored += 1;
        let value = self.stored as u64;
        self.with(plant, |path, sim, all| {
            path.write(sim, (word, value), all);
        });
    }

    fn look_around(&mut self, plant: Plant) {
        let missed = self.world.is_missed;
        self.with(plant, |path, sim, all| {
            if let Some(via) = path.via().filter(|&via| missed[via]) {
                path.handle_gone(sim, via, all);
            }
            path.catch_up(sim, all);
        });
    }

    /// Adds all steps that can follow. Others may stay or go; what the writer and the network do is certain.
    fn steps(&self, plant: Plant, to: &mut Steps<Writing>) {
        let after = |change: &dyn Fn(&mut State)| {
            let mut state = self.clone();
            change(&mut state);
            state
        };
        // It is done with a group when all has come, and only then goes on to the next; that may be lost and written again.
        if self.stored == DONE_AT && plant != Plant::GoesOnAtOnce {
            let next = after(&|state| {
                if state.with(plant, |path, sim, all| path.is_settled(sim, all)) {
                    state.store(plant);
                }
            });
            to.certain(("store if all has come", 0), next);
        } else if self.stored < STORES.len() {
            to.certain(("store", 0), after(&|state| state.store(plant)));
        }
        to.certain(("look around", 0), after(&|state| state.look_around(plant)));
        for rank in 1..=STAYS {
            let (phase, is_missed) = (self.world.phases[rank], self.world.is_missed[rank]);
            if !self.world.lines[rank].is_empty() {
                let next = after(&|state| {
                    if let Some((word, value)) = state.world.lines[rank].pop_front() {
                        state.world.copy[word] = value;
                    }
                });
                to.certain(("arrive", rank), next);
            }
            if phase == Phase::Here && rank != STAYS {
                let next = after(&|state| {
                    state.world.phases[rank] = Phase::Leaving;
                    state.world.is_missed[rank] = true;
                });
                to.possible(("leave", rank), next);
            }
            // It has left, or it dies.
            if phase == Phase::Leaving || phase == Phase::Here && rank != STAYS {
                let next = after(&|state| {
                    state.world.phases[rank] = Phase::Closed;
                    state.world.has_lost[rank] |= !state.world.lines[rank].is_empty();
                    state.world.lines[rank].clear();
                });
                to.possible(("close", rank), next);
            }
            if phase == Phase::Closed && !is_missed && plant != Plant::SaysNothingOfTheDead {
                to.certain(("miss", rank), after(&|state| state.world.is_missed[rank] = true));
            }
        }
    }

    fn check(&self, plant: Plant) -> Result<(), &'static str> {
        let [number, mark] = self.world.copy;
        // What was stored last of the number when this mark was.
        let before = &STORES[..(mark as usize).saturating_sub(1)];
        let least = before.iter().rposition(|&word| word == NUMBER).map_or(0, |at| at + 1);
        if number < least as u64 {
            return Err("an old number stands beside a new mark");
        }
        let may_leave = self.clone().with(plant, |path, sim, all| path.is_settled(sim, all));
        if may_leave && !self.has_all() { Err("the writer leaves too early") } else { Ok(()) }
    }

    fn has_all(&self) -> bool {
        self.world.copy == [self.last(NUMBER), self.last(MARK)]
            && self.world.lines.iter().all(VecDeque::is_empty)
    }
}

/// A writer, with what is planted.
struct Writing(Plant);

impl System for Writing {
    type State = State;
    /// What happens, and at which rank of the other host.
    type Step = (&'static str, Rank);

    fn start(&self) -> State {
        State::new()
    }

    fn steps(&mut self, state: &State, to: &mut Steps<Writing>) -> Result<(), String> {
        state.steps(self.0, to);
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), String> {
        state.check(self.0).map_err(str::to_owned)
    }

    fn is_end(&self, state: &State) -> bool {
        state.stored == STORES.len() && state.has_all()
    }
}

fn explore(plant: Plant) -> Result<Searched, Counterexample> {
    search(&mut Writing(plant))
}

// SEMANTICS: BAR-1, BAR-4, END-1
#[test]
fn another_host_is_brought_up_to_date_whoever_leaves() {
    match explore(Plant::Nothing) {
        Ok(Searched { states, .. }) => {
            println!("{states} states");
            assert!(states > 1000, "{states} states");
        }
        Err(error) => panic!("{error}"),
    }
}

// SEMANTICS: BAR-1, BAR-4, END-1
#[test]
fn faults_of_paths_are_noticed() {
    for (plant, says) in [
        (Plant::MarkFirst, "an old number"),
        (Plant::ForgetsAll, "no end"),
        (Plant::GoesOnAtOnce, "an old number"),
        (Plant::SaysArrived, "an old number"),
        (Plant::NeverSaysArrived, "no end"),
        (Plant::SaysNothingOfTheDead, "no end"),
    ] {
        let found = explore(plant).err();
        let found =
            found.map(|found| found.fault.contains(says) || found.fault.contains("too early"));
        assert_eq!(found, Some(true), "{plant:?}");
    }
}
