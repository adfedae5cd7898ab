//! Signals as words: whole runtimes over a network that writes them when it likes, and a peer that writes anything.
//!
//! The network is simulated: words lie on a line between two ranks until the test delivers them, in order, or a
//! question overtakes none of them; now and then there is no room for one. Messages go by threads' network. The
//! ranks are driven in one thread by calls that do not wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use runahead::internals::message::{Engine, MessageError, Notify};
use runahead::internals::order::written::word_of;
use runahead::internals::order::{GroupId, Rank};
use runahead::internals::provider::threads::ThreadsNic;
use runahead::internals::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, VerbsError};
use runahead::{Algorithm, Barrier, Comm, Config, Signals};

use super::simulated::{Wire, fabric, goes_on_or_names, wires};

use crate::any_nic::AnyNic;

/// The memory of all ranks, and what is on its way there.
struct Network {
    regions: Vec<Vec<u64>>,
    /// For each receiver and sender.
    lines: Vec<Vec<VecDeque<(usize, u64)>>>,
    random: fastrand::Rng,
    /// How many of a hundred words find no room.
    full_percent: u32,
}

impl Network {
    fn deliver(&mut self, to: Rank, from: Rank) -> bool {
        let next = self.lines[to][from].pop_front();
        next.map(|(word, value)| self.regions[to][word] = value).is_some()
    }
}

type Simulated = Wire<Network>;

impl Nic for Simulated {
    type Frame = <ThreadsNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = Simulated;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    forward!(
        attributes,
        open_vi,
        post_send,
        poll_recv,
        bytes,
        post_recv,
        wait_unless,
        wake,
        peer_state
    );

    fn remote_words(&self) -> Option<&Simulated> {
        Some(self)
    }

    fn remote_words_mut(&mut self) -> Option<&mut Simulated> {
        Some(self)
    }
}

impl RemoteWords for Simulated {
    fn is_one_sided(&self) -> bool {
        true
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        let rank = self.inner.rank();
        self.shared().regions[rank].resize(words, 0);
        Ok(RegionKey(0))
    }

    fn read(&self, _: Rank, _: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(self.shared().regions[self.inner.rank()][word])
    }

    fn post_put(
        &mut self,
        peer: Rank,
        _: RegionKey,
        word: usize,
        value: u64,
        _: PutMode,
    ) -> Result<bool, VerbsError> {
        let rank = self.inner.rank();
        let mut network = self.shared();
        if peer == rank {
            network.regions[rank][word] = value;
        } else if network.random.u32(..100) < network.full_percent {
            return Ok(false);
        } else {
            network.lines[peer][rank].push_back((word, value));
        }
        Ok(true)
    }

    fn fetch(&mut self, peer: Rank, _: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        let rank = self.inner.rank();
        let mut network = self.shared();
        while network.deliver(peer, rank) {}
        Ok(Fetched::Word(network.regions[peer][word]))
    }
}

fn worlds(size: usize, config: &Config, seed: u64) -> (Vec<Comm<AnyNic>>, Arc<Mutex<Network>>) {
    let network = Network {
        regions: vec![Vec::new(); size],
        lines: vec![vec![VecDeque::new(); size]; size],
        random: fastrand::Rng::with_seed(seed),
        full_percent: 20,
    };
    let (wires, network) = wires(size, config, network);
    let world = |wire| Comm::new(AnyNic::new(wire), config.clone()).unwrap();
    (wires.into_iter().map(world).collect(), network)
}

/// Whether anything completes early, or what is delivered in the end completes nothing.
fn run(size: usize, algorithm: Algorithm, seed: u64, steps: usize) {
    let config = Config { algorithm, open_barriers: 3, ..Config::new(size) };
    let (worlds, network) = worlds(size, &config, seed);
    let mut random = fastrand::Rng::with_seed(seed ^ 0x5eed);
    let mut open: Vec<VecDeque<(u64, Barrier<AnyNic>)>> =
        (0..size).map(|_| VecDeque::new()).collect();
    let mut entered = vec![0_u64; size];
    let look = |open: &mut Vec<VecDeque<(u64, Barrier<AnyNic>)>>, entered: &[u64], rank: Rank| {
        let Some((epoch, barrier)) = open[rank].front() else { return };
        if barrier.test().unwrap() {
            let all = entered.iter().all(|entered| entered >= epoch);
            assert!(all, "{algorithm}, {size} ranks, seed {seed}: {epoch} of {entered:?}");
            open[rank].pop_front();
        }
    };
    for _ in 0..steps {
        let rank = random.usize(..size);
        match random.u32(..4) {
            // A rank is at most one ahead of the last, so that all enter as many.
            0 if entered[rank] <= *entered.iter().min().unwrap() + 1 => {
                if let Some(barrier) = worlds[rank].try_barrier().unwrap() {
                    entered[rank] += 1;
                    open[rank].push_back((entered[rank], barrier));
                }
            }
            1 => look(&mut open, &entered, rank),
            _ => {
                network.lock().unwrap().deliver(rank, random.usize(..size));
            }
        }
    }
    let most = *entered.iter().max().unwrap();
    for _ in 0..100 * (most + 1) {
        if open.iter().all(VecDeque::is_empty) && entered.iter().all(|&entered| entered == most) {
            break;
        }
        for rank in 0..size {
            if entered[rank] < most
                && let Some(barrier) = worlds[rank].try_barrier().unwrap()
            {
                entered[rank] += 1;
                open[rank].push_back((entered[rank], barrier));
            }
            worlds[rank].progress().unwrap();
            for from in 0..size {
                while network.lock().unwrap().deliver(rank, from) {}
            }
            look(&mut open, &entered, rank);
        }
    }
    for (rank, open) in open.iter().enumerate() {
        assert!(open.is_empty(), "{algorithm}, {size} ranks, seed {seed}: rank {rank} waits");
        let stats = worlds[rank].stats().unwrap();
        assert_eq!(stats.signals_written, stats.signals_sent);
    }
    assert!(most > 0);
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-6, FLOW-2
#[test]
fn barriers_complete_whenever_words_come() {
    for (nth, algorithm) in Algorithm::ALL.into_iter().enumerate() {
        for size in [2, 3, 5] {
            for seed in 0..8 {
                run(size, algorithm, seed + 100 * nth as u64, 150 * size);
            }
        }
    }
}

/// Who has written its last signal and gone is not missed, though others have yet to signal before it in the order of the
/// steps. In the dissemination of five, rank 1 is done without rank 3, which has entered and does nothing more; rank 0
/// is not. (Planted: to go by the signals that were taken in.)
///
/// SEMANTICS: END-1, BAR-4
#[test]
fn the_last_word_of_who_has_gone_counts() {
    let (algorithm, notify) = (Algorithm::Dissemination, Notify::Poll);
    let config = Config { algorithm, notify, ..Config::new(5) };
    let (mut worlds, network) = worlds(5, &config, 1);
    network.lock().unwrap().full_percent = 0;
    let deliver = || {
        let mut network = network.lock().unwrap();
        for (to, from) in (0..5).flat_map(|to| (0..5).map(move |from| (to, from))) {
            while network.deliver(to, from) {}
        }
    };
    for world in &worlds {
        world.barrier().unwrap();
    }
    for _ in 0..10 {
        deliver();
        for rank in [0, 1, 2, 4] {
            worlds[rank].progress().unwrap();
        }
    }
    worlds.remove(1).end(false).unwrap();
    let late = worlds.remove(2);
    let first = worlds.remove(0);
    thread::scope(|scope| {
        let ending = scope.spawn(move || first.end(false));
        // Long enough for it to see that rank 1 has gone.
        thread::sleep(Duration::from_millis(50));
        while !ending.is_finished() {
            late.progress().unwrap();
            deliver();
        }
        ending.join().unwrap().unwrap();
    });
}

/// Rank 0, and its one peer, which writes what it likes.
fn besieged() -> (Engine<ThreadsNic>, ThreadsNic, RegionKey) {
    let config = Config {
        algorithm: Algorithm::AllToAll,
        signals: Signals::Words,
        open_barriers: 3,
        stall_after: Duration::ZERO,
        ..Config::new(2)
    };
    let mut nics = fabric(2, &config);
    let mut peer = nics.pop().unwrap();
    for (cq, spec) in (0..4).map(runahead::internals::verbs::Cq).zip(config.vi_specs()) {
        peer.open_vi(runahead::internals::verbs::Vi { peer: 0, cq }, &spec).unwrap();
    }
    // As many as the other has at most.
    let key = peer.register(3 * 2 * Config::BOARD_SLOTS).unwrap();
    (Engine::new(nics.pop().unwrap(), config).unwrap(), peer, key)
}

fn word() -> impl Strategy<Value = u64> {
    let low = || prop_oneof![4 => 0..6_u64, 1 => 0..1_u64 << 20];
    let group = prop_oneof![6 => Just(0_u64), 1 => 0..4_u64, 1 => 0..(1_u64 << 24) - 1];
    prop_oneof![
        8 => (group, low(), low()).prop_map(|(group, epoch, clock)| word_of(GroupId(group as u32), epoch, clock)),
        1 => any::<u64>(),
    ]
}

proptest! {
    /// It goes on, or names the peer.
    /// SEMANTICS: SAFE-1
    #[test]
    fn no_word_of_a_peer_does_harm(words in vec((0..12_usize, word(), 0..3_u8), 1..40)) {
        let (mut engine, mut peer, key) = besieged();
        let mut ticket = None;
        for (at, word, then) in words {
            // Mostly its own cell.
            let at = if at < 6 { at } else { 1 };
            prop_assert_eq!(peer.post_put(0, key, at, word, PutMode::Silent), Ok(true));
            if !goes_on_or_names(&mut engine, &mut ticket, then, 1)? {
                break;
            }
        }
    }
}

/// SEMANTICS: SAFE-1, BAR-7
#[test]
fn a_word_that_falls_names_its_writer() {
    let (mut engine, mut peer, key) = besieged();
    let word = |epoch: u64| word_of(GroupId::WORLD, epoch, epoch);
    let ticket = engine.barrier(GroupId::WORLD).unwrap();
    peer.post_put(0, key, 1, word(1), PutMode::Silent).unwrap();
    assert_eq!(engine.test_barrier(ticket), Ok(true));
    engine.barrier(GroupId::WORLD).unwrap();
    peer.post_put(0, key, 1, word(0), PutMode::Silent).unwrap();
    let error = engine.progress().unwrap_err();
    assert!(matches!(error, MessageError::Protocol { from: 1, .. }), "{error}");
    let said = error.to_string();
    assert!(said.contains("rank 1's epoch of world went backwards: 1 -> 0"), "{said}");
}
