//! Words of one rank on their way to the copy of another host, under every interleaving: what is under way by a rank of that
//! host that leaves may come late or be lost, one that dies loses it and is missed later. The copies are the real ones'
//! code; the network is simulated.
//!
//! The words are those of a place of the board: a number, and the mark that says of which group it is. In every state, who
//! sees a mark there sees no number of a group before. Where nothing happens any more the copy holds what was stored
//! last, if anybody needs it; and so it does whenever the writer may leave. Numbers go to all copies, or to this one
//! alone. The planted faults show that the search notices.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use super::*;
use crate::verbs::{
    Completion, Cq, NicAttributes, PostError, RegionKey, Reliability, VerbsError, Vi, ViSpec,
    WakeOn,
};

/// The writer is rank 0 on the one host; these are on the other.
const OTHERS: usize = 3;
/// The last of them stays.
const STAYS: Rank = OTHERS;

const NUMBER: usize = 0;
const MARK: usize = 1;

/// What the writer stores: two groups at one place, one after the other. The value is the place in this list, from 1 on.
/// Numbers are published. The fourth says that the writer is done with the first group.
const STORES: [usize; 7] = [NUMBER, MARK, NUMBER, MARK, NUMBER, MARK, NUMBER];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    /// All words are written again in the order in which they were stored last.
    InTheOrderOfStores,
    /// Words for this copy alone are not written again.
    ForgetsAlone,
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

impl Far for Sim {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
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

    fn written_by(&self, peer: Rank) -> Written {
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

impl Nic for Sim {
    type Frame = ();
    type RemoteRead = crate::verbs::Absent;
    type Multicast = crate::verbs::Absent;

    fn peer_state(&self, peer: Rank) -> PeerState {
        let is_missed = self.world.borrow().is_missed[peer];
        if is_missed { PeerState::Gone } else { PeerState::Connected }
    }

    fn attributes(&self) -> &NicAttributes {
        unreachable!("words only")
    }

    fn rank(&self) -> Rank {
        0
    }

    fn size(&self) -> usize {
        1 + OTHERS
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        unreachable!("words only")
    }

    fn post_send(&mut self, _: Vi, _: &[u8], _: &[u8]) -> Result<(), PostError> {
        unreachable!("words only")
    }

    fn poll_recv(&mut self, _: Cq) -> Result<Option<Completion<()>>, VerbsError> {
        unreachable!("words only")
    }

    fn bytes<'f>(&self, _: &'f ()) -> &'f [u8] {
        unreachable!("words only")
    }

    fn post_recv(&mut self, _: Vi, _: ()) {
        unreachable!("words only")
    }

    fn register(&mut self, _: usize) -> Result<RegionKey, VerbsError> {
        unreachable!("words only")
    }

    fn put(&mut self, _: Rank, _: RegionKey, _: usize, _: u64) -> Result<(), VerbsError> {
        unreachable!("words only")
    }

    fn read(&self, _: RegionKey, _: usize) -> Result<u64, VerbsError> {
        unreachable!("words only")
    }

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        unreachable!("words only")
    }
}

/// The writer and its world.
#[derive(Clone)]
struct State {
    spread: Spread,
    /// Whether numbers go to this copy alone.
    alone: bool,
    stored: usize,
    world: World,
}

/// All that makes a difference.
type Key = (usize, usize, bool, [Vec<(usize, u64)>; 2], World);

impl State {
    fn new(alone: bool) -> State {
        let hosts = Hosts::of_ids(&[0, 1, 1, 1]);
        let world = World {
            copy: [0; 2],
            lines: std::array::from_fn(|_| VecDeque::new()),
            phases: [Phase::Here; OTHERS + 1],
            is_missed: [false; OTHERS + 1],
            has_lost: [false; OTHERS + 1],
        };
        State { spread: Spread::new(0, &hosts, 2), alone, stored: 0, world }
    }

    fn key(&self) -> Key {
        let copy = &self.spread.hosts[0];
        let stored = self.spread.stored.borrow();
        let all = stored.published().chain(stored.merely_stored()).collect();
        let all = [all, copy.stored.borrow().iter().collect()];
        (self.stored, copy.by.get(), copy.again.get(), all, self.world.clone())
    }

    /// Does something with the network.
    fn with<R>(&mut self, plant: Plant, act: impl FnOnce(&Spread, &Sim) -> R) -> R {
        let sim = Sim { world: RefCell::new(self.world.clone()), plant };
        let done = act(&self.spread, &sim);
        self.world = sim.world.into_inner();
        done
    }

    /// The writer stores its next word.
    fn store(&mut self, plant: Plant) {
        let word = STORES[self.stored];
        self.stored += 1;
        let value = self.stored as u64;
        let is_published = word == NUMBER && plant != Plant::InTheOrderOfStores;
        let alone = self.alone && is_published;
        self.with(plant, |spread, sim| match alone {
            true => assert_eq!(spread.store_at(sim, 1, word, value), !spread.is_changing()),
            false => spread.store(sim, word, value, is_published),
        });
        if plant == Plant::ForgetsAlone {
            self.spread.hosts[0].stored.take();
        }
    }

    /// All that may happen next.
    fn next(&self, plant: Plant) -> Vec<State> {
        let mut next = Vec::new();
        let mut after = |change: &dyn Fn(&mut State)| {
            let mut state = self.clone();
            change(&mut state);
            next.push(state);
        };
        if self.stored < STORES.len() {
            after(&|state| state.store(plant));
        }
        after(&|state| state.with(plant, Spread::look_around));
        for rank in 1..=STAYS {
            let (phase, is_missed) = (self.world.phases[rank], self.world.is_missed[rank]);
            if !self.world.lines[rank].is_empty() {
                after(&|state| {
                    if let Some((word, value)) = state.world.lines[rank].pop_front() {
                        state.world.copy[word] = value;
                    }
                });
            }
            if phase == Phase::Here && rank != STAYS {
                after(&|state| {
                    state.world.phases[rank] = Phase::Leaving;
                    state.world.is_missed[rank] = true;
                });
            }
            // It has left, or it dies.
            if phase == Phase::Leaving || phase == Phase::Here && rank != STAYS {
                after(&|state| {
                    state.world.phases[rank] = Phase::Closed;
                    state.world.has_lost[rank] |= !state.world.lines[rank].is_empty();
                    state.world.lines[rank].clear();
                });
            }
            if phase == Phase::Closed && !is_missed && plant != Plant::SaysNothingOfTheDead {
                after(&|state| state.world.is_missed[rank] = true);
            }
        }
        next
    }

    fn check(&self, plant: Plant) -> Result<(), &'static str> {
        let [number, mark] = self.world.copy;
        // What was stored last of the number when this mark was.
        let before = &STORES[..(mark as usize).saturating_sub(1)];
        let least = before.iter().rposition(|&word| word == NUMBER).map_or(0, |at| at + 1);
        if number < least as u64 {
            return Err("an old number stands beside a new mark");
        }
        let may_leave = self.clone().with(plant, |spread, sim| spread.is_settled(sim));
        if may_leave && !self.has_all() { Err("the writer leaves too early") } else { Ok(()) }
    }

    fn has_all(&self) -> bool {
        let last = |word| {
            let stored = &STORES[..self.stored];
            stored.iter().rposition(|&it| it == word).map_or(0, |at| at as u64 + 1)
        };
        self.world.copy == [last(NUMBER), last(MARK)]
            && self.world.lines.iter().all(VecDeque::is_empty)
    }
}

/// The number of states, or what is wrong in one.
fn explore(plant: Plant, alone: bool) -> Result<usize, &'static str> {
    let (mut seen, mut open) = (HashSet::new(), vec![State::new(alone)]);
    while let Some(state) = open.pop() {
        let key = state.key();
        if seen.contains(&key) {
            continue;
        }
        state.check(plant)?;
        let next = state.next(plant);
        // Others may stay or go; what the writer and the network do is sure to happen.
        if next.iter().all(|next| next.key() == key || next.world.phases != state.world.phases)
            && !(state.stored == STORES.len() && state.has_all())
        {
            return Err("nothing happens any more, and words are missing");
        }
        open.extend(next);
        seen.insert(key);
    }
    Ok(seen.len())
}

// SEMANTICS: BAR-1, BAR-4, END-1
#[test]
fn a_copy_is_brought_up_to_date_whoever_leaves() {
    for alone in [false, true] {
        match explore(Plant::Nothing, alone) {
            Ok(states) => {
                println!("{states} states");
                assert!(states > 1000, "{states} states");
            }
            Err(error) => panic!("{error}, {alone}"),
        }
    }
}

// (Planted in the code: words for one copy alone that are written again after marks; that count for nothing where a rank
// asks whether it may leave.)
// SEMANTICS: BAR-1, BAR-4, END-1
#[test]
fn faults_of_copies_are_noticed() {
    for (plant, says) in [
        (Plant::InTheOrderOfStores, "an old number"),
        (Plant::SaysArrived, "an old number"),
        (Plant::NeverSaysArrived, "words are missing"),
        (Plant::SaysNothingOfTheDead, "words are missing"),
    ] {
        for alone in [false, true] {
            let found = explore(plant, alone).err();
            let found = found.map(|said| said.contains(says) || said.contains("too early"));
            assert_eq!(found, Some(true), "{plant:?}, {alone}");
        }
    }
    let forgets = [false, true].map(|alone| explore(Plant::ForgetsAlone, alone).is_err());
    assert_eq!(forgets, [false, true]);
}
