//! Groups that are released by multicast: whole runtimes over a network that loses, repeats and delays what goes to all
//! at once, and a peer that sends anything that way.
//!
//! Words and messages go by the threads' network, which loses nothing; only the datagrams are this file's. They come
//! late on purpose: some lie until the next one is sent, and come after it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use runahead::internals::message::{Engine, Stats};
use runahead::internals::order::{GroupId, Rank};
use runahead::internals::provider::threads::ThreadsNic;
use runahead::internals::verbs::{Multicast, Nic, NoMulticast};
use runahead::launch::run_on;
use runahead::{Algorithm, Comm, Config, Result, Signals};

use super::simulated::{self, Wire, goes_on_or_names};

type Datagram = (Rank, [u64; 2]);

/// What is sent to all at once.
struct Air {
    multicast: Result<(), NoMulticast>,
    /// For each rank what has come, and what is late.
    come: Vec<VecDeque<Datagram>>,
    late: Vec<Vec<Datagram>>,
    random: fastrand::Rng,
    loss_percent: u32,
    /// How many of a hundred come twice, or late.
    trouble_percent: u32,
}

impl Nic for Wire<Air> {
    type Frame = <ThreadsNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = ThreadsNic;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = Wire<Air>;

    forward!(
        attributes,
        open_vi,
        post_send,
        poll_recv,
        bytes,
        post_recv,
        remote_words,
        wait_unless,
        wake,
        peer_state
    );

    fn multicast(&mut self) -> Result<&mut Wire<Air>, NoMulticast> {
        let has = self.shared().multicast;
        has.map(|()| self)
    }
}

impl Multicast for Wire<Air> {
    fn post(&mut self, words: [u64; 2]) {
        let (rank, size) = (self.inner.rank(), self.inner.size());
        for to in (0..size).filter(|&to| to != rank) {
            let mut air = self.shared();
            let late = std::mem::take(&mut air.late[to]);
            let mut percent = || air.random.u32(..100);
            let (lost, twice, delayed) = (percent(), percent(), percent());
            if lost >= air.loss_percent {
                let again = twice < air.trouble_percent;
                if delayed < air.trouble_percent {
                    air.late[to].push((rank, words));
                } else {
                    air.come[to].push_back((rank, words));
                }
                if again {
                    air.late[to].push((rank, words));
                }
            }
            air.come[to].extend(late);
            let come = !air.come[to].is_empty();
            drop(air);
            if come {
                self.inner.wake(to);
            }
        }
    }

    fn poll(&mut self) -> Option<Datagram> {
        let rank = self.inner.rank();
        self.shared().come[rank].pop_front()
    }
}

fn wires(
    size: usize,
    config: &Config,
    (loss_percent, trouble_percent): (u32, u32),
    multicast: Result<(), NoMulticast>,
) -> (Vec<Wire<Air>>, Arc<Mutex<Air>>) {
    let air = Air {
        multicast,
        come: vec![VecDeque::new(); size],
        late: vec![Vec::new(); size],
        random: fastrand::Rng::with_seed(u64::from(loss_percent) + 7),
        loss_percent,
        trouble_percent,
    };
    simulated::wires(size, config, air)
}

const MINUTE: Duration = Duration::from_secs(60);

fn config(size: usize, fan_in: u8, resend_after: Duration) -> Config {
    let algorithm: Algorithm = format!("gather-multicast:{fan_in}").parse().unwrap();
    let (signals, open_barriers) = (Signals::Words, 3);
    Config { algorithm, signals, open_barriers, resend_after, ..Config::new(size) }
}

fn sum(stats: &[Stats], of: impl Fn(&Stats) -> u64) -> u64 {
    stats.iter().map(of).sum()
}

/// Barriers of the world, of groups that are made and dropped, and of one that nobody waits for at the end.
fn program(world: &Comm<Wire<Air>>) -> Result<Stats> {
    for epoch in 1..=20 {
        let barrier = world.barrier()?;
        if epoch % 3 > 0 {
            barrier.wait()?;
        }
    }
    for round in 0..3 {
        // Each rank is the root now and then. Another rank of the world has the same place for another group.
        let key = (world.rank() as i64 + round) % 4;
        let half = world.split(u32::from(world.rank() + 1 == world.size()), key)?;
        for _ in 0..5 {
            half.barrier()?;
        }
        drop(half);
    }
    let stats = world.stats()?;
    world.barrier()?;
    Ok(stats)
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, END-1, GRP-2
#[test]
fn barriers_complete_whatever_is_lost() {
    for (size, fan_in) in [(3, 2), (5, 2), (8, 7)] {
        for (loss, trouble) in [(0, 0), (2, 20), (40, 40), (100, 0)] {
            let config = config(size, fan_in, Duration::from_micros(300));
            let (nics, _) = wires(size, &config, (loss, trouble), Ok(()));
            let stats = run_on(nics, &config, program).unwrap();
            let what = format!("{size} ranks, {loss} % lost, {trouble} % late or twice: {stats:?}");
            assert!(stats[0].releases_sent >= 7, "{what}");
            assert_eq!(stats[size - 1].releases_sent, 0, "{what}");
            // What is lost is asked for by those who wait for it.
            let missed = sum(&stats, |stats| stats.releases_missed);
            let asked = sum(&stats, |stats| stats.releases_asked);
            assert!(missed <= asked, "{what}");
            assert!(loss < 100 || missed > 0, "{what}");
        }
    }
}

/// The last release is lost, and the root ends before anybody asks for it.
/// SEMANTICS: BAR-4, END-1
#[test]
fn a_root_that_ends_leaves_nobody_behind() {
    for _ in 0..20 {
        // Nobody asks before it has gone.
        let config = config(4, 3, MINUTE);
        let (nics, _) = wires(4, &config, (100, 0), Ok(()));
        run_on(nics, &config, |world| world.barrier().map(drop)).unwrap();
    }
}

/// SEMANTICS: BAR-4
#[test]
fn where_there_is_no_multicast_words_release() {
    for multicast in
        [Err(NoMulticast::NotOffered), Err(NoMulticast::Unavailable("the test says so"))]
    {
        let config = config(5, 2, MINUTE);
        let (nics, _) = wires(5, &config, (100, 0), multicast);
        let stats = run_on(nics, &config, program).unwrap();
        assert_eq!(sum(&stats, |stats| stats.releases_sent + stats.releases_asked), 0);
        let written = sum(&stats, |stats| stats.signals_written);
        assert_eq!(written, sum(&stats, |stats| stats.signals_sent));
        assert!(written >= 20 * 2 * 4);
    }
}

/// Set in the process whose warnings are read.
const IS_READ: &str = "RUNAHEAD_TEST_WARNINGS_ARE_READ";

/// Once in a process, however many groups there are and whoever their roots are; and not where the user wants no
/// multicast. (Planted: a warning of each group; one where there is nothing to warn of.)
#[test]
fn missing_multicast_is_said_once() {
    let name = "message::released::missing_multicast_is_said_once";
    let groups = |multicast| {
        let config = config(6, 2, MINUTE);
        let (nics, _) = wires(6, &config, (100, 0), multicast);
        let two_rounds = |world: &Comm<Wire<Air>>| {
            for round in 0..2 {
                let half = world.split((world.rank() % 2) as u32, round)?;
                half.barrier()?.wait()?;
            }
            world.barrier()?.wait()
        };
        run_on(nics, &config, two_rounds).unwrap();
    };
    match std::env::var(IS_READ).as_deref() {
        Ok("unwanted") => return groups(Err(NoMulticast::NotOffered)),
        Ok(_) => return groups(Err(NoMulticast::Unavailable("the test says so"))),
        Err(_) => {}
    }
    let said = |what: &str| {
        let program = std::env::current_exe().expect("it runs");
        let mut command = std::process::Command::new(program);
        command.args(["--exact", name, "--nocapture"]).env(IS_READ, what);
        let output = command.output().expect("it runs once more");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && out.contains("1 passed"), "{output:?}");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        err.lines().filter(|line| line.starts_with("runahead: ")).map(str::to_owned).collect()
    };
    let warnings: Vec<String> = said("missing");
    let warning = "runahead: barriers by gather-multicast:2 are released by a word to each member, and not by \
                   multicast: the test says so";
    assert_eq!(warnings, [warning]);
    let none: Vec<String> = said("unwanted");
    assert!(none.is_empty(), "{none:?}");
}

/// Two need no multicast: it would be one word all the same.
/// SEMANTICS: BAR-4
#[test]
fn two_are_released_by_a_word() {
    let config = config(2, 1, MINUTE);
    let (nics, _) = wires(2, &config, (100, 0), Ok(()));
    let stats = run_on(nics, &config, program).unwrap();
    assert_eq!(sum(&stats, |stats| stats.releases_sent), 0);
}

/// What completes where all is lost does so because members ask; if they do not, it does not. Ranks are driven in
/// turn, by calls that do not wait.
/// SEMANTICS: BAR-1, BAR-4
#[test]
fn who_does_not_ask_waits() {
    for (resend_after, completes) in [(Duration::ZERO, true), (Duration::from_secs(60), false)] {
        let config = config(4, 3, resend_after);
        let (nics, _) = wires(4, &config, (100, 0), Ok(()));
        let new = |nic| Engine::new(nic, config.clone()).unwrap();
        let mut ranks: Vec<_> = nics.into_iter().map(new).collect();
        let mut tickets: Vec<_> =
            ranks.iter_mut().map(|rank| rank.barrier(GroupId::WORLD).unwrap()).collect();
        for _ in 0..100 {
            for rank in &mut ranks {
                rank.progress().unwrap();
            }
        }
        let root = tickets.remove(0);
        assert_eq!(ranks[0].test_barrier(root), Ok(true), "it hears the others by words");
        for (rank, ticket) in ranks[1..].iter_mut().zip(tickets) {
            assert_eq!(rank.test_barrier(ticket), Ok(completes));
            let stats = rank.stats();
            let asked = u64::from(completes);
            // Once for each release, at most twice: it may have been too early.
            assert!((asked..=2 * asked).contains(&stats.releases_asked), "{stats:?}");
            assert_eq!(stats.releases_missed, asked);
        }
    }
}

/// A root that computes has entered, and releases nobody: that is what this schedule costs.
/// SEMANTICS: BAR-2
#[test]
fn a_root_that_computes_releases_nobody() {
    let config = config(4, 3, Duration::ZERO);
    let (nics, _) = wires(4, &config, (0, 0), Ok(()));
    let new = |nic| Engine::new(nic, config.clone()).unwrap();
    let mut ranks: Vec<_> = nics.into_iter().map(new).collect();
    let tickets: Vec<_> =
        ranks.iter_mut().map(|rank| rank.barrier(GroupId::WORLD).unwrap()).collect();
    for round in 0..3 {
        for (rank, &ticket) in ranks[1..].iter_mut().zip(&tickets[1..]) {
            for _ in 0..50 {
                rank.progress().unwrap();
            }
            assert_eq!(rank.test_barrier(ticket), Ok(round > 1));
        }
        if round == 1 {
            ranks[0].progress().unwrap();
        }
    }
    // Each had asked in vain, and nothing was lost.
    let stats: Vec<_> = ranks[1..].iter().map(Engine::stats).collect();
    assert!(stats.iter().all(|it| it.releases_asked > 0 && it.releases_missed == 0), "{stats:?}");
}

fn datagram() -> impl Strategy<Value = [u64; 2]> {
    let group = prop_oneof![6 => Just(0_u64), 1 => 0..4_u64, 1 => any::<u64>()];
    let epoch = prop_oneof![6 => 0..5_u64, 1 => any::<u64>()];
    (group, epoch).prop_map(|(group, epoch)| [group, epoch])
}

proptest! {
    /// It goes on, or names who is said to have sent it.
    /// SEMANTICS: SAFE-1
    #[test]
    fn no_datagram_does_harm(datagrams in vec((0..3_usize, datagram(), 0..3_u8), 1..40)) {
        let config = config(3, 2, MINUTE);
        let (mut nics, air) = wires(3, &config, (0, 0), Ok(()));
        let mut engine = Engine::new(nics.pop().unwrap(), config).unwrap();
        let mut ticket = None;
        for (from, words, then) in datagrams {
            let from = from.min(1);
            air.lock().unwrap().come[2].push_back((from, words));
            if !goes_on_or_names(&mut engine, &mut ticket, then, from)? {
                break;
            }
        }
    }
}
