//! What is run under callgrind: messages and barriers of ranks that take turns in one thread.
//!
//! | scenario | ranks |
//! |---|---|
//! | `message` | two, over shared memory: 8 bytes from one to the other |
//! | `held` | the same, where the sender has run ahead: the message is held, released and received |
//! | `barriers` | two, over shared memory: one calls a barrier, the other calls it, both wait for it |
//! | `posted` | the same, where each has posted a receive just before it calls the barrier |
//! | `shm-ALGORITHM-SIZE` | all of the job, over shared memory |
//! | `flat-ALGORITHM-SIZE` | all of the job, over a network that costs the same at every size |
//! | `lone-ALGORITHM-SIZE` | a few of the job, over that network; the scenario plays the others |
//!
//! A superstep of a barrier scenario: all call the barrier, in a new random order each time, and send
//! to a neighbour what it must not receive before; then all receive that.

use std::fmt;
use std::str::FromStr;

use runahead::internals::message::{
    Context, EAGER, Header, Kind, SIGNAL, STAMP_BITS, encode_signal,
};
use runahead::internals::order::{GroupId, Signal, SignalKind};
use runahead::internals::provider::shm;
use runahead::internals::verbs::Nic;
use runahead::launch::Launch;
use runahead::{Algorithm, Comm, Config, HostNic, Rank};

use crate::flat::{Flat, Frame, Net};
use crate::marks;

const TAG: u32 = 1;
/// Whole windows of messages, so that what is done once in a window counts in full.
const MESSAGES: u64 = 20 * 128;
/// Supersteps that are counted.
const BARRIERS: usize = 256;
const WARM_UP: usize = 64;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scenario {
    Message,
    Held,
    Barriers,
    Posted,
    Barrier { ranks: Ranks, kind: Kinds, size: usize },
}

/// Which ranks there really are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ranks {
    Shm,
    Flat,
    Lone,
}

/// The algorithms of barriers that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kinds {
    Board,
    Dissemination,
    Butterfly,
}

const RANKS: [(&str, Ranks); 3] =
    [("shm", Ranks::Shm), ("flat", Ranks::Flat), ("lone", Ranks::Lone)];
const KINDS: [(&str, Kinds); 3] = [
    ("board", Kinds::Board),
    ("dissemination", Kinds::Dissemination),
    ("butterfly", Kinds::Butterfly),
];

impl Scenario {
    pub fn all() -> Vec<Scenario> {
        let mut all = vec![Scenario::Message, Scenario::Held, Scenario::Barriers, Scenario::Posted];
        for (_, kind) in KINDS {
            let sizes = |ranks, sizes: &[usize]| -> Vec<Scenario> {
                sizes.iter().map(|&size| Scenario::Barrier { ranks, kind, size }).collect()
            };
            all.extend(sizes(Ranks::Shm, &[2, 8, 64]));
            all.extend(sizes(Ranks::Flat, &[2, 8, 64]));
            all.extend(sizes(Ranks::Lone, &[64, 1024]));
        }
        all
    }

    pub fn run(self) {
        match self {
            Scenario::Message => messages(false),
            Scenario::Held => messages(true),
            Scenario::Barriers => barriers(),
            Scenario::Posted => barriers_with_receives_posted(),
            Scenario::Barrier { ranks: Ranks::Shm, kind, size } => {
                whole(&shm_ranks(size, kind), kind)
            }
            Scenario::Barrier { ranks: Ranks::Flat, kind, size } => {
                let net = Net::new(size, &config(size, kind));
                let ranks: Vec<_> =
                    (0..size).map(|rank| flat_rank(rank, &net, size, kind)).collect();
                whole(&ranks, kind);
            }
            Scenario::Barrier { ranks: Ranks::Lone, kind: Kinds::Board, size } => {
                few_on_board(size)
            }
            Scenario::Barrier { ranks: Ranks::Lone, kind, size } => one_with_signals(size, kind),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn name<T: PartialEq>(names: &[(&'static str, T)], of: T) -> &'static str {
            names.iter().find(|(_, known)| *known == of).map_or("", |(name, _)| name)
        }
        match *self {
            Scenario::Message => f.write_str("message"),
            Scenario::Held => f.write_str("held"),
            Scenario::Barriers => f.write_str("barriers"),
            Scenario::Posted => f.write_str("posted"),
            Scenario::Barrier { ranks, kind, size } => {
                write!(f, "{}-{}-{size}", name(&RANKS, ranks), name(&KINDS, kind))
            }
        }
    }
}

impl FromStr for Scenario {
    type Err = String;

    fn from_str(name: &str) -> Result<Scenario, String> {
        let found = Scenario::all().into_iter().find(|scenario| scenario.to_string() == name);
        found.ok_or_else(|| format!("there is no scenario {name:?}"))
    }
}

fn algorithm(kind: Kinds) -> Algorithm {
    match kind {
        Kinds::Board => Algorithm::Board,
        Kinds::Dissemination => Algorithm::Dissemination,
        Kinds::Butterfly => Algorithm::Butterfly,
    }
}

/// The sizes of barrier scenarios: small, so that many ranks fit, and with room for all signals, since
/// nobody plays the part of those who return it.
fn config(size: usize, kind: Kinds) -> Config {
    let mut config = Config::new(size);
    config.algorithm = algorithm(kind);
    config.window_messages = 8;
    config.signal_window = if kind == Kinds::Board { 1 } else { 512 };
    config.bulk_window = 1;
    (config.eager_bytes, config.segment_bytes) = (40, 40);
    config
}

fn shm_ranks(size: usize, kind: Kinds) -> Vec<Comm<HostNic>> {
    connected(size, config(size, kind))
}

fn connected(size: usize, config: Config) -> Vec<Comm<HostNic>> {
    let fabric = Launch::new(size).options(config.clone()).fabric().expect("the sizes are right");
    let nics = shm::connect(size, &fabric).expect("there is memory for it");
    let world = |nic| Comm::new(nic, config.clone()).expect("the sizes are right");
    nics.into_iter().map(world).collect()
}

fn flat_rank(rank: Rank, net: &std::sync::Arc<Net>, size: usize, kind: Kinds) -> Comm<Flat> {
    Comm::new(Flat::new(rank, net), config(size, kind)).expect("the sizes are right")
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn new() -> Dice {
        Dice(2026)
    }

    /// A number below `limit`.
    fn roll(&mut self, limit: usize) -> usize {
        // Knuth's constants for 64 bits; the upper half is the better one.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle(&mut self, ranks: &mut [Rank]) {
        for at in (1..ranks.len()).rev() {
            ranks.swap(at, self.roll(at + 1));
        }
    }
}

/// 8 bytes from rank 0 to rank 1. With `held` it has run ahead, and each is held for a while.
fn messages(held: bool) {
    let ranks = connected(2, Config::new(2));
    let [from, to] = &ranks[..] else { unreachable!("there are two") };
    let send = |number: u64| from.send(1, TAG, &[number]).expect("it hears");
    let take_in = || to.progress().expect("nobody fails");
    let barrier = |rank: &Comm<HostNic>| {
        let _ = rank.barrier().expect("it goes on at once");
    };
    let receive = |number: u64| {
        let mut room = [0u64];
        to.recv_into(&mut room, 0, TAG).expect("it has come");
        assert_eq!(room, [number]);
    };
    for number in 0..MESSAGES {
        if held {
            barrier(from);
            send(number);
            take_in();
            barrier(to);
        } else {
            send(number);
        }
        receive(number);
    }
    let before = to.stats().expect("nobody else uses it").messages_held;
    for number in MESSAGES..2 * MESSAGES {
        if held {
            barrier(from);
            marks::send(|| send(number));
            marks::progress(take_in);
            marks::enter_last(|| barrier(to));
        } else {
            marks::send(|| send(number));
        }
        marks::receive(|| receive(number));
    }
    let count = to.stats().expect("nobody else uses it").messages_held - before;
    // Without stamps nothing is held, and the receiver sees all of it too early.
    assert!(count == 0 || count == MESSAGES);
    let calls = MESSAGES as usize;
    marks::tell(&[("send", calls), ("receive", calls)]);
    if held {
        marks::tell(&[("progress", calls), ("enter_last", calls)]);
    }
}

/// Nothing but barriers, on the board: each rank calls it and waits for it.
fn barriers() {
    let ranks = connected(2, Config::new(2));
    let [first, last] = &ranks[..] else { unreachable!("there are two") };
    for barrier in 0..WARM_UP + BARRIERS {
        if barrier < WARM_UP {
            let handles = [first, last].map(|rank| rank.barrier().expect("it goes on at once"));
            handles.into_iter().for_each(|handle| handle.wait().expect("both have called it"));
            continue;
        }
        let earlier = marks::enter(|| first.barrier().expect("it goes on at once"));
        let later = marks::enter_last(|| last.barrier().expect("it goes on at once"));
        marks::release_last(|| later.wait().expect("both have called it"));
        marks::release(|| earlier.wait().expect("both have called it"));
    }
    let each = ["enter", "enter_last", "release", "release_last"].map(|mark| (mark, BARRIERS));
    marks::tell(&each);
}

/// As `barriers`, where each rank has posted a receive before it calls the barrier, and another barrier follows that with
/// the receive still open: as a program does that computes while it waits for its neighbours.
fn barriers_with_receives_posted() {
    let ranks = connected(2, Config::new(2));
    let [first, last] = &ranks[..] else { unreachable!("there are two") };
    for barrier in 0..WARM_UP + BARRIERS {
        let number = barrier as u64;
        let posted = [first, last]
            .map(|rank| rank.irecv::<u64>(1 - rank.rank(), TAG).expect("nobody fails"));
        if barrier < WARM_UP {
            let handles = [first, last].map(|rank| rank.barrier().expect("it goes on at once"));
            handles.into_iter().for_each(|handle| handle.wait().expect("both have called it"));
        } else {
            let earlier = marks::enter(|| first.barrier().expect("it goes on at once"));
            let later = marks::enter_last(|| last.barrier().expect("it goes on at once"));
            marks::release_last(|| later.wait().expect("both have called it"));
            marks::release(|| earlier.wait().expect("both have called it"));
        }
        [first, last].into_iter().for_each(|rank| send(rank, 1 - rank.rank(), number));
        posted
            .into_iter()
            .for_each(|posted| assert_eq!(posted.wait().expect("it comes").data, [number]));
    }
    let each = ["enter", "enter_last", "release", "release_last"].map(|mark| (mark, BARRIERS));
    marks::tell(&each);
}

fn call<N: Nic>(rank: &Comm<N>) {
    let _ = rank.barrier().expect("it goes on at once");
}

fn send<N: Nic>(rank: &Comm<N>, to: Rank, number: u64) {
    rank.send(to, TAG, &[number]).expect("it hears");
}

fn receive<N: Nic>(rank: &Comm<N>, from: Rank, number: u64) {
    let mut room = [0u64];
    rank.recv_into(&mut room, from, TAG).expect("it has come");
    assert_eq!(room, [number]);
}

/// How many rounds of progress a barrier takes after the last has called it.
fn rounds(kind: Kinds, size: usize) -> usize {
    if kind == Kinds::Board { 0 } else { size.next_power_of_two().ilog2() as usize }
}

/// All ranks of the job are there.
fn whole<N: Nic>(ranks: &[Comm<N>], kind: Kinds) {
    let size = ranks.len();
    let (mut dice, mut order) = (Dice::new(), (0..size).collect::<Vec<Rank>>());
    let rounds = rounds(kind, size);
    for barrier in 0..WARM_UP + BARRIERS {
        let (number, counted) = (barrier as u64, barrier >= WARM_UP);
        dice.shuffle(&mut order);
        let last = order[size - 1];
        for &rank in &order {
            match counted {
                true if rank == last => marks::enter_last(|| call(&ranks[rank])),
                true => marks::enter(|| call(&ranks[rank])),
                false => call(&ranks[rank]),
            }
            send(&ranks[rank], (rank + 1) % size, number);
        }
        for &rank in (0..rounds).flat_map(|_| &order) {
            let progress = || ranks[rank].progress().expect("nobody fails");
            if counted { marks::progress(progress) } else { progress() }
        }
        for &rank in &order {
            let receive = || receive(&ranks[rank], (rank + size - 1) % size, number);
            match counted {
                true if rank == last => marks::release_last(receive),
                true => marks::release(receive),
                false => receive(),
            }
        }
    }
    let most = (size - 1) * BARRIERS;
    marks::tell(&[("enter", most), ("enter_last", BARRIERS)]);
    marks::tell(&[("release", most), ("release_last", BARRIERS)]);
    if rounds > 0 {
        marks::tell(&[("progress", size * rounds * BARRIERS)]);
    }
}

/// Where the words of the world's board lie: as in `src/message/barriers/board.rs`, which keeps that to itself.
struct Words {
    size: usize,
}

impl Words {
    fn epoch(&self, rank: Rank) -> usize {
        rank
    }

    fn tag(&self, rank: Rank) -> usize {
        Config::BOARD_SLOTS * self.size.next_multiple_of(16) + rank
    }
}

/// What the tag of a rank says that is in the world.
const IN_WORLD: u64 = 2;

/// Three ranks of a job, of which the third always comes last; the others' words are written for them.
fn few_on_board(size: usize) {
    let net = Net::new(size, &config(size, Kinds::Board));
    let (first, third) = (size / 3, size - 1);
    let there = [first, size / 2, third];
    let ranks = there.map(|rank| flat_rank(rank, &net, size, Kinds::Board));
    let words = Words { size };
    for rank in 0..size {
        if there.contains(&rank) {
            assert_eq!(net.load(words.tag(rank)), IN_WORLD, "the board is laid out otherwise");
        } else {
            net.store(words.tag(rank), IN_WORLD);
        }
    }
    let mut order: Vec<Rank> = (0..size).filter(|&rank| rank != third).collect();
    let mut dice = Dice::new();
    for barrier in 0..WARM_UP + BARRIERS {
        let (number, counted) = (barrier as u64, barrier >= WARM_UP);
        let epoch = number + 1;
        dice.shuffle(&mut order);
        for &rank in order.iter().chain([&third]) {
            let Some(at) = there.iter().position(|&known| known == rank) else {
                net.store(words.epoch(rank), epoch);
                continue;
            };
            match counted {
                true if rank == third => marks::enter_last(|| call(&ranks[at])),
                true => marks::enter(|| call(&ranks[at])),
                false => call(&ranks[at]),
            }
            assert_eq!(net.load(words.epoch(rank)), epoch, "the board is laid out otherwise");
            send(&ranks[at], there[(at + 1) % there.len()], number);
        }
        for at in 0..there.len() {
            let receive = || receive(&ranks[at], there[(at + 2) % there.len()], number);
            match counted {
                true if there[at] == third => marks::release_last(receive),
                true => marks::release(receive),
                false => receive(),
            }
        }
    }
    let most = (there.len() - 1) * BARRIERS;
    marks::tell(&[("enter", most), ("enter_last", BARRIERS)]);
    marks::tell(&[("release", most), ("release_last", BARRIERS)]);
}

/// Rank 0 of a job, by an algorithm that signals: the scenario signals for the others, one step after
/// the other.
fn one_with_signals(size: usize, kind: Kinds) {
    assert!(size.is_power_of_two(), "else a butterfly has other partners");
    let net = Net::new(size, &config(size, kind));
    let rank = flat_rank(0, &net, size, kind);
    let rounds = rounds(kind, size);
    let partner = |round: usize| match kind {
        Kinds::Butterfly => 1 << round,
        _ => size - (1 << round),
    };
    for barrier in 0..WARM_UP + BARRIERS {
        let (number, counted) = (barrier as u64, barrier >= WARM_UP);
        let epoch = number + 1;
        let enter = || call(&rank);
        if counted {
            marks::enter(enter)
        } else {
            enter()
        }
        // From whom its first signal comes it also gets the message that the barrier releases.
        let header = Header {
            kind: Kind::Eager,
            element: 8,
            context: Context::WORLD,
            tag: TAG,
            stamp: epoch & ((1 << STAMP_BITS) - 1),
            len: 8,
            transfer: 0,
        };
        net.put(partner(0), 0, EAGER, Frame::new(&header.encode(), &number.to_le_bytes()));
        for round in 0..rounds {
            let (kind, step) = (SignalKind::Reached, round as u16);
            let signal = Signal { kind, group: GroupId::WORLD, step, epoch, clock: epoch };
            net.put(partner(round), 0, SIGNAL, Frame::new(&encode_signal(&signal), &[]));
            let progress = || rank.progress().expect("nobody fails");
            if counted { marks::progress(progress) } else { progress() }
        }
        let receive = || receive(&rank, partner(0), number);
        if counted {
            marks::release(receive)
        } else {
            receive()
        }
        (1..size).for_each(|other| net.discard(other, SIGNAL));
    }
    marks::tell(&[("enter", BARRIERS), ("release", BARRIERS)]);
    marks::tell(&[("progress", rounds * BARRIERS)]);
}
