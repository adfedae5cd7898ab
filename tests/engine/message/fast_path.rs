//! What goes straight between program and network, and that it leaves to the general way what is not its
//! own. All ranks are driven in one thread, so what each call asks of the network is determined.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use runahead::internals::message::{
    CONTROL, Context, Control, EAGER, Header, Kind, Lane, Notify, Returned, SIGNAL,
};
use runahead::internals::order::GroupId;
use runahead::internals::verbs::{Completion, Cq, Nic, PostError, VerbsError, Vi};
use runahead::{Algorithm, Comm, Config, HostNic, Launch, Rank};

/// What a rank asked its network for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// For a message of anybody.
    Poll(Cq),
    /// For a message of this rank.
    Peek(Rank),
}

use Asked::{Peek, Poll};

use crate::any_nic::AnyNic;

/// A network that tells what was asked of it.
struct Watched {
    inner: HostNic,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Whether it has no room for control frames.
    full: Arc<AtomicBool>,
}

impl Watched {
    fn note(&self, asked: Asked) {
        self.asked.lock().unwrap().push(asked);
    }
}

impl Nic for Watched {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = <HostNic as Nic>::SharedWords;
    type Multicast = runahead::internals::verbs::Absent;

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        self.note(Poll(cq));
        self.inner.poll_recv(cq)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        match vi.cq == CONTROL && self.full.load(Ordering::Relaxed) {
            true => Err(PostError::QueueFull(vi)),
            false => self.inner.post_send(vi, header, payload),
        }
    }

    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        assert_eq!(vi.cq, EAGER);
        self.note(Peek(vi.peer));
        self.inner.peek_recv(vi)
    }

    forward!(is_empty, the_rest);
}

/// The worlds of all ranks, and what each has asked since it was looked at last.
struct Job {
    worlds: Vec<Comm<AnyNic>>,
    asked: Vec<Arc<Mutex<Vec<Asked>>>>,
    full: Vec<Arc<AtomicBool>>,
}

fn job(size: usize, config: Config) -> Job {
    let config = Config { notify: Notify::Poll, ..config };
    let nics = Launch::new(size).options(config.clone()).connect().unwrap();
    let asked: Vec<_> = (0..size).map(|_| Arc::default()).collect();
    let full: Vec<_> = (0..size).map(|_| Arc::default()).collect();
    let watched = nics.into_iter().zip(asked.iter().zip(&full)).map(|(inner, (asked, full))| {
        let nic = Watched { inner, asked: Arc::clone(asked), full: Arc::clone(full) };
        Comm::new(AnyNic::new(nic), config.clone()).unwrap()
    });
    let worlds = watched.collect();
    let job = Job { worlds, asked, full };
    job.worlds.iter().for_each(|world| world.progress().unwrap());
    (0..size).for_each(|rank| drop(job.asked(rank)));
    job
}

impl Job {
    fn asked(&self, rank: Rank) -> Vec<Asked> {
        std::mem::take(&mut *self.asked[rank].lock().unwrap())
    }
}

/// A short message for which nothing stands in the way asks the network for nothing but itself.
///
/// SEMANTICS: ORD-2
#[test]
fn a_short_message_goes_straight() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    for value in 0..8_u64 {
        // The first one is looked at, judged and taken.
        let peeks = if value == 0 { 3 } else { 1 };
        first.send(1, 3, &[value]).unwrap();
        assert_eq!(job.asked(0), []);
        let mut room = [0];
        second.recv_into(&mut room, 0, 3).unwrap();
        assert_eq!((room, job.asked(1)), ([value], vec![Peek(0); peeks]));
        second.isend(0, 1, &[value + 1]).unwrap().wait().unwrap();
        assert_eq!(first.recv::<u64>(1, 1).unwrap().data, [value + 1]);
        assert_eq!((job.asked(0), job.asked(1)), (vec![Peek(1); peeks], vec![]));
    }
    for world in [first, second] {
        let stats = world.stats().unwrap();
        assert_eq!((stats.messages_sent, stats.messages_received, stats.messages_held), (8, 8, 0));
    }
}

/// What a receive gives back of the window is told at once: the receiver may not call again for long.
///
/// SEMANTICS: FLOW-1
#[test]
fn credit_is_told_at_once() {
    let job = job(2, Config { window_messages: 2, ..Config::new(2) });
    let [first, second] = &job.worlds[..] else { unreachable!() };
    (0..2_u64).for_each(|value| first.send(1, 0, &[value]).unwrap());
    assert!(!first.try_send(1, 0, &[2_u64]).unwrap());
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [0]);
    assert!(first.try_send(1, 0, &[2_u64]).unwrap());
}

/// What could not leave is tried again by calls that need nothing of it.
///
/// SEMANTICS: FLOW-1 FLOW-2
#[test]
fn what_is_due_goes_before() {
    type Call = fn(&Comm<AnyNic>);
    let sends: Call = |world| world.send(0, 1, &[0_u8]).unwrap();
    let receives: Call = |world| drop(world.recv::<u64>(0, 1).unwrap());
    let barriers: Call = |world| {
        world.barrier().unwrap();
    };
    for (what, call) in [("sends", sends), ("receives", receives), ("barriers", barriers)] {
        let config = Config { window_messages: 4, algorithm: Algorithm::Board, ..Config::new(2) };
        let job = job(2, config);
        let [first, second] = &job.worlds[..] else { unreachable!() };
        // One before, so that it could go by template.
        second.send(0, 0, &[0_u8]).unwrap();
        if what == "barriers" {
            [first, second].into_iter().for_each(|world| _ = world.barrier().unwrap());
        }
        (0..3).for_each(|_| first.send(1, 0, &[0_u64]).unwrap());
        first.send(1, 1, &[0_u64]).unwrap();
        job.full[1].store(true, Ordering::Relaxed);
        // Half a window at least; a receive more would have noticed itself that something is due.
        let received = if what == "barriers" { 2 } else { 3 };
        (0..received).for_each(|_| drop(second.recv::<u64>(0, 0).unwrap()));
        assert!(!first.try_send(1, 2, &[0_u64]).unwrap(), "{what}");
        job.full[1].store(false, Ordering::Relaxed);
        call(second);
        assert!(first.try_send(1, 2, &[0_u64]).unwrap(), "{what}");
    }
}

/// A barrier that all have called is waited for at the board alone.
///
/// SEMANTICS: BAR-4
#[test]
fn a_barrier_on_the_board_is_waited_for_there() {
    let job = job(2, Config { algorithm: Algorithm::Board, ..Config::new(2) });
    let [first, second] = &job.worlds[..] else { unreachable!() };
    for _ in 0..8 {
        let early = first.barrier().unwrap();
        second.barrier().unwrap().wait().unwrap();
        early.wait().unwrap();
        assert_eq!((job.asked(0), job.asked(1)), (vec![], vec![]));
    }
}

/// Though each message is there when it is asked for, whoever receives them looks at everything now and then.
/// So does who waits for barriers alone.
///
/// SEMANTICS: FLOW-2
#[test]
fn who_always_finds_its_message_looks_at_the_rest_in_time() {
    let config = Config { window_messages: 1024, algorithm: Algorithm::Board, ..Config::new(2) };
    let job = job(2, config);
    let [first, second] = &job.worlds[..] else { unreachable!() };
    let looks = |job: &Job| {
        let asked = job.asked(1);
        [SIGNAL, CONTROL, EAGER].map(|cq| asked.iter().filter(|&&asked| asked == Poll(cq)).count())
    };
    for value in 0..30_000_u64 {
        first.send(1, 0, &[value]).unwrap();
        assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [value]);
    }
    let looks_of_receives = looks(&job);
    assert!(looks_of_receives.iter().all(|&looks| looks >= 3), "{looks_of_receives:?}");
    // It is what lies there that a look for everything finds.
    first.send(1, 0, &[0_u64]).unwrap();
    for _ in 0..10_000 {
        first.barrier().unwrap();
        second.barrier().unwrap().wait().unwrap();
        if looks(&job)[2] > 0 {
            return;
        }
    }
    panic!("it has looked for nothing but barriers");
}

/// A rank that only sends passes on the signals of others' barriers.
///
/// SEMANTICS: FLOW-3, BAR-4
#[test]
fn who_only_sends_passes_signals_on() {
    let job = job(4, Config { algorithm: Algorithm::Dissemination, ..Config::new(4) });
    let send = || job.worlds[1].send(0, 0, &[1_u8]).unwrap();
    // Rank 1 first: then it has yet to hear of the others. And some messages before, which could be templates.
    let first = job.worlds[1].barrier().unwrap();
    (0..2).for_each(|_| send());
    let others = [0, 2, 3].map(|rank| (rank, job.worlds[rank].barrier().unwrap()));
    for _ in 0..4 {
        send();
        for rank in [0, 2, 3] {
            job.worlds[rank].progress().unwrap();
        }
    }
    for (rank, barrier) in &others {
        assert!(barrier.test().unwrap(), "rank {rank}");
    }
    assert!(first.test().unwrap());
}

/// A rank that only receives what is there passes on the signals of others' barriers.
///
/// SEMANTICS: FLOW-3, BAR-4
#[test]
fn who_only_receives_passes_signals_on() {
    let job = job(4, Config { algorithm: Algorithm::Dissemination, ..Config::new(4) });
    (0..6).for_each(|value| job.worlds[0].send(1, 0, &[value]).unwrap());
    let receive = |value| assert_eq!(job.worlds[1].recv::<i32>(0, 0).unwrap().data, [value]);
    // Rank 1 first, as above.
    let first = job.worlds[1].barrier().unwrap();
    (0..2).for_each(receive);
    let others = [0, 2, 3].map(|rank| (rank, job.worlds[rank].barrier().unwrap()));
    for value in 2..6 {
        receive(value);
        for rank in [0, 2, 3] {
            job.worlds[rank].progress().unwrap();
        }
    }
    for (rank, barrier) in &others {
        assert!(barrier.test().unwrap(), "rank {rank}");
    }
    assert!(first.test().unwrap());
}

/// Large messages go on, to and from a rank whose calls all find what they want at once.
///
/// SEMANTICS: FLOW-4
#[test]
fn who_is_served_at_once_serves_large_messages() {
    type Call = fn(&Comm<AnyNic>, &Comm<AnyNic>);
    let receives: Call = |own, peer| {
        peer.send(own.rank(), 1, &[1_u8]).unwrap();
        own.recv::<u8>(peer.rank(), 1).unwrap();
    };
    let sends: Call = |own, peer| {
        own.send(peer.rank(), 1, &[1_u8]).unwrap();
        peer.recv::<u8>(own.rank(), 1).unwrap();
    };
    let waits: Call = |own, peer| {
        let early = peer.barrier().unwrap();
        own.barrier().unwrap().wait().unwrap();
        early.wait().unwrap();
    };
    // Few enough that none goes the general way because it is its turn.
    const CALLS: usize = 24;
    for (what, call) in [("receives", receives), ("sends", sends), ("waits", waits)] {
        for to_it in [false, true] {
            let config = Config { eager_bytes: 64, algorithm: Algorithm::Board, ..Config::new(3) };
            let job = job(3, Config { segment_bytes: 64, ..config });
            let [own, peer, third] = &job.worlds[..] else { unreachable!() };
            let (from, to) = if to_it { (third, own) } else { (own, third) };
            let large = [7_u8; 200];
            let sent = from.isend(to.rank(), 2, &large).unwrap();
            let received = to.irecv::<u8>(from.rank(), 2).unwrap();
            for _ in 0..CALLS {
                if what == "waits" {
                    let _open = third.barrier().unwrap();
                    call(own, peer);
                } else {
                    call(own, peer);
                }
                third.progress().unwrap();
            }
            // What is asked here makes progress itself, but no more than one step of several.
            let done = if to_it { sent.test() } else { received.test() };
            assert!(done.unwrap(), "{what}, to it: {to_it}");
        }
    }
}

/// The next message of a sender that is not the one asked for keeps its place, whatever makes it another.
///
/// SEMANTICS: ORD-2, HOLD-1, GRP-1
#[test]
fn another_message_keeps_its_place() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    // Another tag.
    (0..3).for_each(|tag| first.send(1, tag, &[u64::from(tag)]).unwrap());
    for tag in [2, 0, 1] {
        assert_eq!(second.recv::<u64>(0, tag).unwrap().data, [u64::from(tag)]);
    }
    // Another type: it is refused, and then received as what it is.
    first.send(1, 0, &[7_u32]).unwrap();
    first.send(1, 0, &[8_u64]).unwrap();
    assert!(second.recv::<u64>(0, 0).is_err());
    assert_eq!(second.recv::<u32>(0, 0).unwrap().data, [7]);
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [8]);
    let mut room = [0_u8; 4];
    first.send(1, 0, &[1_u8; 5]).unwrap();
    assert!(second.recv_into(&mut room, 0, 0).is_err());
    assert_eq!((room, second.recv::<u8>(0, 0).unwrap().data), ([0; 4], vec![1; 5]));
    // A receive that was posted before.
    let posted = second.irecv::<u64>(0, 0).unwrap();
    first.send(1, 0, &[1_u64]).unwrap();
    first.send(1, 0, &[2_u64]).unwrap();
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [2]);
    assert_eq!(posted.wait().unwrap().data, [1]);
    // One that was noticed before.
    first.send(1, 0, &[1_u64]).unwrap();
    second.probe(0, 0).unwrap();
    first.send(1, 0, &[2_u64]).unwrap();
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [1]);
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [2]);
    // One to oneself.
    second.send(1, 0, &[5_u64]).unwrap();
    assert_eq!(second.recv::<u64>(1, 0).unwrap().data, [5]);
    // One that is too long to be sent at once.
    let large = vec![3_u8; first.config().eager_bytes + 1];
    let sent = first.isend(1, 0, &large).unwrap();
    assert!(!sent.test().unwrap());
    let received = second.irecv::<u8>(0, 0).unwrap();
    while !received.test().unwrap() {
        sent.test().unwrap();
    }
    assert_eq!(received.wait().unwrap().data, large);
}

/// A message from beyond a barrier is held.
///
/// SEMANTICS: ORD-1, HOLD-1
#[test]
fn what_is_ahead_is_held() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    first.barrier().unwrap();
    first.send(1, 0, &[1_u64]).unwrap();
    assert!(second.try_recv::<u64>(0, 0).unwrap().is_none());
    first.send(1, 0, &[2_u64]).unwrap();
    second.barrier().unwrap();
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [1]);
    assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [2]);
}

/// A large message that was held goes on as soon as its barrier has completed, though the call that completes it
/// asks for nothing of it.
///
/// SEMANTICS: HOLD-1, FLOW-4
#[test]
fn what_a_barrier_releases_goes_on_at_once() {
    let config = Config { eager_bytes: 64, algorithm: Algorithm::Board, ..Config::new(2) };
    let job = job(2, Config { segment_bytes: 64, ..config });
    let [first, second] = &job.worlds[..] else { unreachable!() };
    first.barrier().unwrap();
    let (large, received) = ([7_u8; 200], second.irecv::<u8>(0, 2).unwrap());
    let sent = first.isend(1, 2, &large).unwrap();
    second.progress().unwrap();
    first.progress().unwrap();
    assert_eq!(second.stats().unwrap().messages_held, 1);
    job.asked(1);
    second.barrier().unwrap();
    assert_eq!(job.asked(1), [], "it went the general way");
    assert!(sent.test().unwrap());
    assert_eq!(received.wait().unwrap().data, large);
}

/// A rank, and the bare network of another, which says what it likes.
pub fn beside_a_stranger(config: &Config) -> (Comm, HostNic) {
    let mut nics = Launch::new(2).options(config.clone()).connect().unwrap();
    let mut stranger = nics.pop().unwrap();
    for (cq, spec) in (0..).map(Cq).zip(config.vi_specs()) {
        stranger.open_vi(Vi { peer: 0, cq }, &spec).unwrap();
    }
    let world = Comm::new(nics.pop().unwrap(), config.clone()).unwrap();
    // The first call looks for everything.
    world.progress().unwrap();
    (world, stranger)
}

/// A message of a byte, tag 0.
pub fn eager() -> Header {
    let (kind, context) = (Kind::Eager, Context::WORLD);
    Header { kind, element: 1, context, tag: 0, stamp: 0, len: 1, transfer: 0 }
}

pub fn say(stranger: &mut HostNic, header: &Header) {
    let payload: &[u8] = if header.kind == Kind::Eager { &[7] } else { &[] };
    stranger.post_send(Vi { peer: 0, cq: EAGER }, &header.encode(), payload).unwrap();
}

/// What only looks like the message that is asked for is not it: one from beyond a barrier, one in another
/// context, and one whose payload is yet to come.
///
/// SEMANTICS: ORD-1, HOLD-1, SAFE-1
#[test]
fn what_looks_like_it_is_not_it() {
    let ahead = Header { stamp: 1, ..eager() };
    let elsewhere = Header { context: Context::new(GroupId::WORLD, Lane::Collective), ..eager() };
    let request = Header { kind: Kind::Request, ..eager() };
    for header in [ahead, elsewhere, request] {
        let (world, mut stranger) = beside_a_stranger(&Config::new(2));
        say(&mut stranger, &eager());
        assert_eq!(world.recv::<u8>(1, 0).unwrap().data, [7]);
        say(&mut stranger, &header);
        // Else it would be waited for without end.
        drop(stranger);
        let lost = world.recv::<u8>(1, 0).unwrap_err();
        assert_eq!(lost.culprit(), Some(1), "{header:?}: {lost}");
    }
}

/// A message that is longer than any may be is noticed.
///
/// SEMANTICS: SAFE-1
#[test]
fn what_is_too_long_is_noticed() {
    let (world, mut stranger) = beside_a_stranger(&Config { message_bytes: 8, ..Config::new(2) });
    let header = Header { len: 9, ..eager() };
    stranger.post_send(Vi { peer: 0, cq: EAGER }, &header.encode(), &[7; 9]).unwrap();
    assert_eq!(world.recv::<u8>(1, 0).unwrap_err().culprit(), Some(1));
}

/// A stamp below the one before it is noticed, also where both would be delivered.
///
/// SEMANTICS: SAFE-1
#[test]
fn a_stamp_that_falls_is_noticed() {
    let (world, mut stranger) = beside_a_stranger(&Config { first_epoch: 5, ..Config::new(2) });
    say(&mut stranger, &Header { stamp: 5, ..eager() });
    say(&mut stranger, &Header { stamp: 4, ..eager() });
    assert_eq!(world.recv::<u8>(1, 0).unwrap().data, [7]);
    let fell = world.recv::<u8>(1, 0).unwrap_err();
    assert!(fell.to_string().contains("stamps went backwards"), "{fell}");
}

/// Once a peer has broken the protocol, or said that it receives nothing more, no call goes on as if it had not.
///
/// SEMANTICS: SAFE-1, END-2
#[test]
fn what_is_over_stays_over() {
    let config = Config { algorithm: Algorithm::Board, ..Config::new(2) };
    let (world, mut stranger) = beside_a_stranger(&config);
    stranger.post_send(Vi { peer: 0, cq: CONTROL }, &[0xff], &[]).unwrap();
    let broken = world.progress().unwrap_err().to_string();
    say(&mut stranger, &eager());
    for error in [
        world.send(1, 0, &[1_u8]).unwrap_err(),
        world.recv::<u8>(1, 0).unwrap_err(),
        world.barrier().map(drop).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), broken);
    }

    let (world, mut stranger) = beside_a_stranger(&config);
    let mut tell = |control: Control| {
        let frame = control.encode(Returned { eager: 0, signal: 0, bulk: 0 });
        stranger.post_send(Vi { peer: 0, cq: CONTROL }, &frame, &[]).unwrap();
    };
    tell(Control::Closing { clock: 0, failed: false, cause: None, reads: 0 });
    // Whether it has been looked for or not.
    for _ in 0..2 {
        assert_eq!(world.send(1, 0, &[1_u8]).unwrap_err().culprit(), Some(1));
    }
    tell(Control::Ended { eager: 0, segments: 0 });
    world.progress().unwrap();
    say(&mut stranger, &eager());
    assert_eq!(world.recv::<u8>(1, 0).unwrap_err().culprit(), Some(1));
}
