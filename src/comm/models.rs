//! Loom models of the ordering rules end to end: ranks run small programs through [`Comm`] itself,
//! each in a thread, and loom takes them through their schedules. What runs is all of a rank:
//! `Comm`, the message layer with its progress and its sleep, the order core, and a network.
//!
//! There are three networks, and a fourth for ranks of [several hosts](hosts). [`ThreadsNic`] and
//! [`ShmNic`] are the providers themselves, the one with a stand-in for crossbeam's channels, the
//! other with one for mapped memory: with them loads may return what the memory model allows.
//! [`Coarse`] is made for models: each verb is one step, and a rank that sleeps is woken by what it
//! said would wake it and by nothing else. It has far fewer schedules, so more of them can be
//! looked at, and no needless wake-up hides one that the message layer owes.
//!
//! Windows are of one message or two, and ranks wait by sleeping at once ([`Notify::Block`]): every
//! wake-up that is lost is a deadlock, of which loom tells. A model has no time. Ranks are made
//! before the threads start, and those that do not end in the program end when all threads have: so
//! nobody's end wakes who should have been woken before.
//!
//! All schedules are explored with up to 2 preemptions (switches away from a rank that could go on)
//! for two ranks, and for three where messages could overtake; with 1 for three that sleep for one
//! another, and for two on the shm provider of which one ends. A wake-up is lost, and a message
//! overtakes, by one rank that is stopped between two of its own steps while others do all of
//! theirs; the second stop is the other rank's, between two of its. So what takes two stops of
//! three ranks that sleep is not looked for, and more than three ranks are not. What a load may
//! return is never bounded. The numbers of executions are from some hundred to ten thousand for
//! each network; the test tells them.
//!
//! Not modelled: rendezvous, other ways of waiting, networks that lose signals, and ranks that are
//! made or make groups at the same time.
//!
//! Which changes the models notice is listed in `.ci/weakenings`.

#[cfg(all(test, loom))]
use crate::sys::{
    beats::{self, counted},
    explore::{explore, explore_beats, spawn},
};

mod coarse;

use std::time::Duration;

use self::coarse::Coarse;
use super::Comm;
use super::tuning::Members;
use crate::message::{Config, Notify};
use crate::order::{Algorithm, GroupId, Ordering, Rank};
use crate::provider::shm::{self, ShmNic};
use crate::provider::threads::{self, ThreadsNic};
use crate::provider::{FabricSpec, QueueSpec};
use crate::verbs::Nic;

const TAG: u32 = 7;

/// Where ranks meet.
trait Network: Nic + Sized + 'static {
    fn connect(size: usize, spec: &FabricSpec) -> Vec<Self>;
}

impl Network for ThreadsNic {
    fn connect(size: usize, spec: &FabricSpec) -> Vec<Self> {
        threads::connect(size, spec).unwrap()
    }
}

impl Network for ShmNic {
    fn connect(size: usize, spec: &FabricSpec) -> Vec<Self> {
        shm::connect(size, spec).unwrap()
    }
}

impl Network for Coarse {
    fn connect(size: usize, spec: &FabricSpec) -> Vec<Self> {
        Coarse::connect(size, spec)
    }
}

/// A rank's communicators: the world, and the groups of the model that it is in.
struct Place<N: Nic> {
    groups: Vec<Option<Comm<N>>>,
    // Dropped behind its groups.
    world: Comm<N>,
}

impl<N: Nic> Place<N> {
    fn group(&self, group: usize) -> &Comm<N> {
        self.groups[group].as_ref().expect("a member")
    }
}

/// What a rank does. It keeps what it gives back until all have come to their ends.
type Program<N> = fn(Place<N>) -> Option<Place<N>>;

/// What all models of a kind have in common.
#[derive(Clone, Copy)]
struct Model {
    name: &'static str,
    algorithm: Algorithm,
    window: u32,
    /// Beside the world, by their members.
    groups: &'static [&'static [Rank]],
    ordering: Ordering,
    preemptions: usize,
    /// Where there is time: how many beats there are in the run that has most.
    beats: Option<usize>,
}

impl Model {
    const fn new(name: &'static str, algorithm: Algorithm, preemptions: usize) -> Model {
        let ordering = Ordering::Contained;
        Model { name, algorithm, window: 2, groups: &[], ordering, preemptions, beats: None }
    }

    fn config(&self, size: usize) -> Config {
        Config {
            window_messages: self.window,
            signal_window: 2,
            bulk_window: 1,
            eager_bytes: 8,
            segment_bytes: 8,
            open_barriers: 2,
            algorithm: self.algorithm,
            ordering: self.ordering,
            notify: Notify::Block,
            stall_after: Duration::ZERO,
            ..Config::new(size)
        }
    }

    /// The ranks, before anything has happened.
    fn ranks<N: Network>(&self, size: usize) -> Vec<Place<N>> {
        let config = self.config(size);
        let queues = config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        let publishes = self.algorithm == Algorithm::Board;
        let shared_words = if publishes { config.shared_words(size) } else { 0 };
        let nics =
            N::connect(size, &FabricSpec { queues: queues.to_vec(), shared_words, heap_bytes: 0 });
        let world = |nic| Comm::new(nic, config.clone()).unwrap();
        nics.into_iter().map(|nic| self.place(world(nic))).collect()
    }

    fn place<N: Nic>(&self, world: Comm<N>) -> Place<N> {
        let group = |(at, ranks): (usize, &&[Rank])| {
            let own = ranks.iter().position(|&rank| rank == world.rank())?;
            let (id, members) = (GroupId(at as u32 + 1), Members { ranks, own });
            let place = (self.algorithm == Algorithm::Board).then_some(at + 1);
            Some(world.make_as(id, place, members, self.algorithm, self.algorithm).unwrap())
        };
        let groups = self.groups.iter().enumerate().map(group).collect();
        Place { groups, world }
    }

    /// Explores the programs, one for each rank.
    fn run<N: Network, const SIZE: usize>(self, programs: [Program<N>; SIZE]) {
        let network = std::any::type_name::<N>().rsplit("::").next().unwrap_or_default();
        let name = format!("{} ({:?}, {network})", self.name, self.algorithm);
        let model = move || {
            let ranks = self.ranks::<N>(SIZE).into_iter().zip(programs);
            if let Some(most) = self.beats {
                beats::begin(SIZE, most);
            }
            let threads: Vec<_> =
                ranks.map(|(place, program)| spawn(counted(move || program(place)))).collect();
            let stayed: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            drop(stayed);
        };
        match self.beats {
            Some(most) => explore_beats(&name, self.preemptions, most, model),
            None => explore(&name, self.preemptions, model),
        }
    }
}

/// Explores a model on each network.
macro_rules! everywhere {
    ($model:expr, [$($program:ident),*]) => {
        $model.run::<ThreadsNic, _>([$($program),*]);
        $model.run::<ShmNic, _>([$($program),*]);
        $model.run::<Coarse, _>([$($program),*]);
    };
}

/// As `everywhere`, where a rank ends. The shm provider then tells all ranks on all queues, which
/// makes for many schedules.
macro_rules! with_an_end {
    ($model:expr, $programs:tt) => {
        let few = Model { preemptions: 1, ..$model };
        few.run::<ShmNic, _>($programs);
        $model.run::<ThreadsNic, _>($programs);
        $model.run::<Coarse, _>($programs);
    };
}

/// A message from rank `from`.
fn receive<N: Nic>(comm: &Comm<N>, from: Rank) -> u64 {
    comm.recv::<u64>(from, TAG).unwrap().data[0]
}

/// As `receive`, if it is there.
fn poll<N: Nic>(comm: &Comm<N>, from: Rank) -> Option<u64> {
    comm.try_recv::<u64>(from, TAG).unwrap().map(|message| message.data[0])
}

fn send<N: Nic>(comm: &Comm<N>, to: Rank, value: u64) {
    comm.send(to, TAG, &[value]).unwrap();
}

fn wait<N: Nic>(comm: &Comm<N>) {
    comm.barrier().unwrap().wait().unwrap();
}

// ---- Two ranks and a barrier

/// It runs ahead: its message stands behind a barrier that nobody else may have entered.
fn barrier_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.barrier().unwrap();
    send(&at.world, 1, 1);
    Some(at)
}

/// It looks before it enters, and sleeps for the message afterwards.
fn poll_barrier_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(poll(&at.world, 0), None, "a message was seen before its barrier");
    at.world.barrier().unwrap();
    assert_eq!(receive(&at.world, 0), 1);
    Some(at)
}

fn barrier_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.barrier().unwrap();
    assert_eq!(receive(&at.world, 0), 1);
    Some(at)
}

fn barrier_wait<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    wait(&at.world);
    Some(at)
}

/// Enters, and is not seen again.
fn barrier<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.barrier().unwrap();
    Some(at)
}

/// What it sends stands before the barrier.
fn send_barrier<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    send(&at.world, 1, 1);
    at.world.barrier().unwrap();
    Some(at)
}

fn wait_poll<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    wait(&at.world);
    assert_eq!(poll(&at.world, 0), Some(1), "what was sent before a barrier is not seen behind it");
    Some(at)
}

/// As above, of the third rank.
fn wait_poll_third<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    wait(&at.world);
    assert_eq!(poll(&at.world, 2), Some(1), "what was sent before a barrier is not seen behind it");
    Some(at)
}

// SEMANTICS: ORD-1, HOLD-1
#[test]
fn no_message_overtakes_its_barrier() {
    let model = Model::new("no message overtakes its barrier", Algorithm::Board, 2);
    everywhere!(model, [barrier_send, poll_barrier_receive]);
    let model = Model { algorithm: Algorithm::Butterfly, ..model };
    everywhere!(model, [barrier_send, poll_barrier_receive]);
}

// SEMANTICS: FEN-1
#[test]
fn a_fence_makes_earlier_messages_visible() {
    let model = Model::new("a fence makes earlier messages visible", Algorithm::Board, 2);
    everywhere!(model, [send_barrier, wait_poll]);
    // Of three ranks on the board, one learns from another that the third has entered, too.
    model.run::<Coarse, _>([send_barrier, wait_poll, barrier]);
    model.run::<Coarse, _>([barrier, wait_poll_third, send_barrier]);
    // On this the fast path is not taken, and on that it is.
    let few = Model { preemptions: 1, ..model };
    few.run::<ShmNic, _>([barrier, wait_poll_third, send_barrier]);
    let model = Model { algorithm: Algorithm::Butterfly, ..model };
    everywhere!(model, [send_barrier, wait_poll]);
}

// SEMANTICS: BAR-4, BAR-8
#[test]
fn no_rank_sleeps_through_a_barrier() {
    let model = Model::new("no rank sleeps through a barrier", Algorithm::Board, 2);
    everywhere!(model, [barrier_wait, barrier_wait]);
    model.run::<Coarse, _>([barrier, barrier_wait, barrier]);
    let model = Model { algorithm: Algorithm::Butterfly, ..model };
    everywhere!(model, [barrier_wait, barrier_wait]);
}

/// The message is here, and held: it is the third rank that releases it.
// SEMANTICS: HOLD-1, BAR-4
#[test]
fn a_rank_asleep_for_a_held_message_is_woken() {
    let model = Model::new("a rank asleep for a held message is woken", Algorithm::Board, 1);
    everywhere!(model, [barrier_send, barrier_receive, barrier]);
}

// ---- Room

fn send_three<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (1..=3).for_each(|value| send(&at.world, 1, value));
    Some(at)
}

fn receive_three<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (1..=3).for_each(|value| assert_eq!(receive(&at.world, 0), value));
    Some(at)
}

// SEMANTICS: FLOW-1, ORD-2
#[test]
fn a_rank_asleep_for_credit_is_woken() {
    let model = Model::new("a rank asleep for credit is woken", Algorithm::Board, 2);
    let model = Model { window: 1, ..model };
    everywhere!(model, [send_three, receive_three]);
}

fn send_two_barrier<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (1..=2).for_each(|value| send(&at.world, 1, value));
    at.world.barrier().unwrap();
    Some(at)
}

/// Both messages have their receives before it waits for something else.
fn post_two_wait<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    let posted = [(); 2].map(|()| at.world.irecv::<u64>(0, TAG).unwrap());
    wait(&at.world);
    for (value, posted) in (1..).zip(posted) {
        assert_eq!(posted.wait().unwrap().data, [value]);
    }
    Some(at)
}

// SEMANTICS: FLOW-5, FLOW-3
#[test]
fn posted_receives_return_credit_while_their_rank_sleeps() {
    let model =
        Model::new("posted receives return credit while their rank sleeps", Algorithm::Board, 2);
    let model = Model { window: 1, ..model };
    everywhere!(model, [send_two_barrier, post_two_wait]);
}

/// Nobody will receive what it sends in the group, and the window holds one.
fn send_unwanted<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (1..=2).for_each(|value| send(at.group(0), 1, value));
    at.world.barrier().unwrap();
    Some(at)
}

fn drop_wait<N: Nic>(mut at: Place<N>) -> Option<Place<N>> {
    drop(at.groups[0].take());
    wait(&at.world);
    Some(at)
}

// SEMANTICS: GRP-3
#[test]
fn a_dropped_group_returns_credit_while_its_rank_sleeps() {
    let model =
        Model::new("a dropped group returns credit while its rank sleeps", Algorithm::Board, 2);
    let model = Model { window: 1, groups: &[&[0, 1]], ..model };
    everywhere!(model, [send_unwanted, drop_wait]);
}

// ---- Three ranks

fn relay<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.barrier().unwrap();
    let value = receive(&at.world, 0);
    send(&at.world, 2, value);
    Some(at)
}

fn poll_barrier_receive_relayed<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(poll(&at.world, 1), None, "a message was seen before its barrier");
    at.world.barrier().unwrap();
    assert_eq!(receive(&at.world, 1), 1);
    Some(at)
}

// SEMANTICS: ORD-1, HOLD-1
#[test]
fn no_relayed_message_overtakes_its_barrier() {
    let model = Model::new("no relayed message overtakes its barrier", Algorithm::Board, 2);
    model.run::<Coarse, _>([barrier_send, relay, poll_barrier_receive_relayed]);
}

mod ends;
mod hosts;
mod pairs;
mod steady;
