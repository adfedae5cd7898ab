//! Ranks that share their cores: what a call does for itself, and for others, where it lets others run.
//!
//! The network of rank 0 lets something happen between two of its looks, as if another rank had run then.

use std::sync::{Arc, Mutex};

use runahead::internals::message::{CONTROL, EAGER, Notify, SIGNAL};
use runahead::internals::verbs::{Completion, Cq, Nic, VerbsError, Vi};
use runahead::{Algorithm, Comm, Config, HostNic, Launch, ops};

use crate::any_nic::AnyNic;

/// What a rank asks its network for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// For a message of anybody.
    Poll(Cq),
    /// Whether there is nothing of anybody.
    Any(Cq),
    /// Whether there is nothing of this peer.
    From(Vi),
}

/// What happens once, behind the first look of this kind that finds nothing.
type Next = Option<(Look, Box<dyn FnOnce() + Send>)>;

#[derive(Default)]
struct Seen {
    looks: Vec<Look>,
    next: Next,
}

struct Crowded {
    inner: HostNic,
    seen: Arc<Mutex<Seen>>,
}

impl Crowded {
    fn note(&self, look: Look, has_found: bool) {
        let mut seen = self.seen.lock().unwrap();
        seen.looks.push(look);
        let is_it = !has_found && seen.next.as_ref().is_some_and(|(expected, _)| *expected == look);
        let next = if is_it { seen.next.take() } else { None };
        drop(seen);
        if let Some((_, happens)) = next {
            happens();
        }
    }
}

impl Nic for Crowded {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = <HostNic as Nic>::SharedWords;
    type Multicast = runahead::internals::verbs::Absent;

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        let found = self.inner.poll_recv(cq)?;
        self.note(Look::Poll(cq), found.is_some());
        Ok(found)
    }

    fn is_empty(&mut self, cq: Cq) -> bool {
        let is_empty = self.inner.is_empty(cq);
        self.note(Look::Any(cq), !is_empty);
        is_empty
    }

    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        let has_nothing = self.inner.has_nothing_from(vi);
        self.note(Look::From(vi), !has_nothing);
        has_nothing
    }

    forward!(attributes, open_vi, post_send, peek_recv, take_peeked);
    forward!(bytes, post_recv, wait_unless, shared_words, wake, peer_state);
}

/// Rank 0, what its network has seen, and the other ranks.
struct Job {
    own: Comm<AnyNic>,
    seen: Arc<Mutex<Seen>>,
    others: Vec<Comm>,
}

fn job(config: Config, size: usize) -> Job {
    let config = Config { notify: Notify::Yield, ..config };
    let mut nics = Launch::new(size).options(config.clone()).connect().unwrap();
    let others = nics.split_off(1);
    let others = others.into_iter().map(|nic| Comm::new(nic, config.clone()).unwrap()).collect();
    let seen: Arc<Mutex<Seen>> = Arc::default();
    let own = Crowded { inner: nics.pop().unwrap(), seen: seen.clone() };
    let own = Comm::new(AnyNic::new(own), config).unwrap();
    own.progress().unwrap();
    Job { own, seen, others }
}

impl Job {
    /// Forgets what was asked, and lets this happen behind the next look of this kind that finds
    /// nothing. What it needs is given back.
    fn happens<T: Send + 'static>(
        &self,
        look: Look,
        needs: T,
        happens: impl FnOnce(&T) + Send + 'static,
    ) -> Arc<Mutex<Option<T>>> {
        let back = Arc::new(Mutex::new(None));
        let gives_back = back.clone();
        let next: Box<dyn FnOnce() + Send> = Box::new(move || {
            happens(&needs);
            *gives_back.lock().unwrap() = Some(needs);
        });
        *self.seen.lock().unwrap() = Seen { looks: Vec::new(), next: Some((look, next)) };
        back
    }

    fn count(&self, look: Look) -> usize {
        self.seen.lock().unwrap().looks.iter().filter(|&&seen| seen == look).count()
    }
}

const FROM_1: Look = Look::From(Vi { peer: 1, cq: EAGER });

/// A receive that let others run takes its message where it lies, and the others stay there. (Planted: no
/// turn for others.)
///
/// SEMANTICS: FLOW-3, ORD-2
#[test]
fn a_receive_that_lets_others_run_takes_its_message_alone() {
    let mut job = job(Config::new(2), 2);
    let peer = job.others.pop().unwrap();
    let send = |peer: &Comm| (0..3_u64).for_each(|value| peer.send(0, 4, &[value]).unwrap());
    let peer = job.happens(FROM_1, peer, send);
    for value in 0..3_u64 {
        assert_eq!(job.own.recv::<u64>(1, 4).unwrap().data, [value]);
        // If others ran for long, the next receive looks for everything.
        assert!(value > 0 || job.count(Look::Poll(EAGER)) == 0);
    }
    assert!(peer.lock().unwrap().is_some(), "it has happened");
}

/// If signals have come meanwhile, it passes them on before it returns. (Planted: it does not ask.)
///
/// SEMANTICS: FLOW-3, BAR-4
#[test]
fn a_receive_that_lets_others_run_serves_them() {
    let mut job = job(Config { algorithm: Algorithm::Dissemination, ..Config::new(3) }, 3);
    let others = std::mem::take(&mut job.others);
    let own = job.own.barrier().unwrap();
    let others = job.happens(FROM_1, others, |others| {
        others[0].send(0, 4, &[7_u64]).unwrap();
        for other in others {
            let _runs_ahead = other.barrier().unwrap();
        }
    });
    assert_eq!(job.own.recv::<u64>(1, 4).unwrap().data, [7]);
    assert!(job.count(Look::Poll(SIGNAL)) > 0);
    let others = others.lock().unwrap().take().expect("it has happened");
    for other in &others {
        other.progress().unwrap();
        // Nothing more of rank 0 is needed.
        other.barrier().unwrap();
    }
    assert!(own.test().unwrap());
}

/// A send that finds the window full lets its receiver run, and leaves at once if that has made room.
/// (Planted: it is kept.)
///
/// SEMANTICS: FLOW-1, FLOW-4
#[test]
fn a_send_that_fills_the_window_lets_its_receiver_run() {
    let mut job = job(Config { window_messages: 2, ..Config::new(2) }, 2);
    let peer = job.others.pop().unwrap();
    for value in 0..2_u64 {
        let _left = job.own.isend(1, 0, &[value]).unwrap();
    }
    let peer = job.happens(Look::Any(CONTROL), peer, |peer| {
        for value in 0..2 {
            assert_eq!(peer.recv::<u64>(0, 0).unwrap().data, [value]);
        }
    });
    let last = job.own.isend(1, 0, &[2_u64]).unwrap();
    let peer = peer.lock().unwrap().take().expect("it has happened");
    assert_eq!(peer.try_recv::<u64>(0, 0).unwrap().expect("it has left").data, [2]);
    // No look for more than was urgent.
    assert_eq!(job.count(Look::Poll(EAGER)), 0);
    assert!(last.test().unwrap());
}

/// What was taken in of a member is found without a look whether it deposits soon. (Planted: looks.)
///
/// SEMANTICS: COL-9
#[test]
fn what_was_taken_in_of_a_member_is_found_at_once() {
    const CALLS: u64 = 12;
    // What is so long finds a place a few times only.
    const COUNT: usize = 40;
    let job = job(Config::new(2), 2);
    for value in 0..CALLS {
        job.others[0].reduce_into(0, &[value; COUNT], &mut [], ops::sum).unwrap();
    }
    let deposits = job.others[0].stats().unwrap().deposits;
    assert!((1..CALLS).contains(&deposits), "{deposits}");
    let reduce = |value| {
        let mut sum = [0; COUNT];
        job.own.reduce_into(0, &[value; COUNT], &mut sum, ops::sum).unwrap();
        assert_eq!(sum, [2 * value; COUNT]);
    };
    (0..deposits).for_each(reduce);
    job.own.progress().unwrap();
    job.seen.lock().unwrap().looks.clear();
    (deposits..CALLS).for_each(reduce);
    assert_eq!(job.count(FROM_1), 0);
}

/// How many short deposits a rank makes that nobody reads.
const PLACES: u64 = 64;

/// A root that finds no place for its deposit lets its receivers run, and deposits if that has made room. (Planted: it
/// sends.)
///
/// SEMANTICS: COL-9
#[test]
fn a_root_that_finds_no_place_lets_its_receivers_run() {
    let mut job = job(Config::new(2), 2);
    let peer = job.others.pop().unwrap();
    (0..PLACES).for_each(|value| job.own.broadcast(0, &mut [value]).unwrap());
    let reads = |peer: &Comm, value| {
        let mut got = [0];
        peer.broadcast(0, &mut got).unwrap();
        assert_eq!(got, [value]);
    };
    let happens = move |peer: &Comm| (0..PLACES).for_each(|value| reads(peer, value));
    let peer = job.happens(Look::Any(CONTROL), peer, happens);
    job.own.broadcast(0, &mut [PLACES]).unwrap();
    let stats = job.own.stats().unwrap();
    assert_eq!((stats.deposits, stats.messages_sent), (PLACES + 1, 0));
    reads(&peer.lock().unwrap().take().expect("it has happened"), PLACES);
}

/// If that makes no room, it sends, and does not let them run again before there was some. (Planted: each call does.)
///
/// SEMANTICS: COL-9
#[test]
fn a_root_that_found_no_place_gives_none_of_its_time_again() {
    let job = job(Config::new(2), 2);
    let peer = &job.others[0];
    let broadcasts = |value| {
        job.seen.lock().unwrap().looks.clear();
        job.own.broadcast(0, &mut [value]).unwrap();
        job.count(Look::Any(CONTROL))
    };
    let reads = |value| {
        let mut got = [0];
        peer.broadcast(0, &mut got).unwrap();
        assert_eq!(got, [value]);
    };
    for round in 0..2 {
        let first = round * (PLACES + 2);
        let looks: Vec<usize> = (first..first + PLACES + 2).map(broadcasts).collect();
        let stats = job.own.stats().unwrap();
        assert_eq!((stats.deposits, stats.messages_sent), ((round + 1) * PLACES, 2 * (round + 1)));
        let [full, again] = *looks.last_chunk().expect("there are more calls than places");
        // How often it let them run depends on what else runs on this machine.
        assert!(full > 0 && again == 0, "{full} {again}");
        (first..first + PLACES + 2).for_each(reads);
    }
}

/// A rank whose deposits lie there when it asks for them looks now and then what others may want of it, and not for each.
/// (Planted: never within 64 calls; in each.)
///
/// SEMANTICS: FLOW-3
#[test]
fn a_rank_that_finds_deposits_looks_for_what_others_want() {
    let job = job(Config::new(2), 2);
    let peer = &job.others[0];
    for round in 0..3 {
        (0..PLACES).for_each(|value| peer.broadcast(1, &mut [round + value]).unwrap());
        job.seen.lock().unwrap().looks.clear();
        for value in 0..PLACES {
            let mut got = [0];
            job.own.broadcast(1, &mut got).unwrap();
            assert_eq!(got, [round + value]);
        }
        let looks = job.count(Look::Any(CONTROL));
        assert!((1..8).contains(&looks), "{looks} looks in {PLACES} calls");
    }
}

/// What it owes leaves with the next deposit that it finds, if there is room by then. (Planted: it reads what lies there,
/// whatever is due.)
///
/// SEMANTICS: FLOW-2
#[test]
fn a_rank_that_finds_a_deposit_sends_what_is_due() {
    const MESSAGES: u32 = 12;
    let job = job(Config { window_messages: 4, ..Config::new(2) }, 2);
    let peer = &job.others[0];
    // Both know each other's words from here on.
    for root in [0, 1] {
        peer_and_own(&job, root);
    }
    let mut sent: Vec<_> =
        (0..MESSAGES).map(|tag| job.own.isend(1, tag, &[tag]).unwrap()).collect();
    let receives = || (0..MESSAGES).filter(|&tag| peer.try_recv::<u32>(0, tag).unwrap().is_some());
    let first = receives().count();
    assert!((1..MESSAGES as usize).contains(&first), "some have to wait: {first} came");
    peer.broadcast(1, &mut [5]).unwrap();
    let mut got = [0];
    job.own.broadcast(1, &mut got).unwrap();
    assert_eq!(got, [5]);
    assert!(receives().count() > 0, "there is room for them");
    sent.clear();
}

/// A broadcast from `root`, which the other one reads.
fn peer_and_own(job: &Job, root: usize) {
    let peer = &job.others[0];
    let (mut given, mut got) = ([7], [0]);
    match root {
        0 => job.own.broadcast(0, &mut given).and_then(|()| peer.broadcast(0, &mut got)).unwrap(),
        _ => peer.broadcast(1, &mut given).and_then(|()| job.own.broadcast(1, &mut got)).unwrap(),
    }
    assert_eq!(got, given);
}

/// And it takes in what has come, however often it finds deposits, in blocking calls and others. (Planted: it reads the
/// next one all the same.)
///
/// SEMANTICS: FLOW-3
#[test]
fn a_rank_that_finds_deposits_takes_in_what_others_want() {
    type Reads = fn(&Comm<AnyNic>) -> runahead::Result<u64>;
    const ROUNDS: u64 = 200;
    // More than half a window: the receiver tells of the room that it has again.
    const MESSAGES: u64 = 70;
    let blocking: Reads = |own| {
        let mut got = [0];
        own.broadcast(1, &mut got).map(|()| got[0])
    };
    let posted: Reads = |own| {
        let mut got = [0];
        own.ibroadcast(1, &mut got)?.wait()?;
        Ok(got[0])
    };
    let gives = |peer: &Comm, value, is_posted| match is_posted {
        true => peer.ibroadcast(1, &mut [value]).unwrap().wait().unwrap(),
        false => peer.broadcast(1, &mut [value]).unwrap(),
    };
    for (reads, is_posted) in [(blocking, false), (posted, true)] {
        let job = job(Config::new(2), 2);
        let peer = &job.others[0];
        let mut served = 0;
        for round in 0..ROUNDS {
            if round % 50 == 0 {
                for tag in 0..MESSAGES as u32 {
                    job.own.send(1, tag, &[round]).unwrap();
                }
                for tag in 0..MESSAGES as u32 {
                    assert_eq!(peer.recv::<u64>(0, tag).unwrap().data, [round]);
                }
            }
            (0..PLACES).for_each(|value| gives(peer, round + value, is_posted));
            job.seen.lock().unwrap().looks.clear();
            (0..PLACES).for_each(|value| assert_eq!(reads(&job.own).unwrap(), round + value));
            served += usize::from(job.count(Look::Poll(CONTROL)) > 0);
        }
        assert!(served >= 4, "{served} times in {ROUNDS} rounds");
    }
}
