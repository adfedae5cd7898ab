//! Steady traffic goes by header templates, whatever a rank did before, and what stands in the way is seen. All ranks
//! are driven in one thread, so what each call asks of the network is determined.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use runahead::internals::message::{
    CONTROL, Control, EAGER, Header, MessageError, Notify, Returned,
};
use runahead::internals::verbs::{Completion, Cq, Nic, PostError, VerbsError, Vi};
use runahead::{Algorithm, Comm, Config, Error, HostNic, Launch};

use super::fast_path::{beside_a_stranger, eager, say};

/// A network that counts how often it is asked about all peers: that is what a message costs that fits no
/// template.
pub struct Counting {
    inner: HostNic,
    asked: Arc<AtomicUsize>,
}

impl Nic for Counting {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = <HostNic as Nic>::SharedWords;
    type Multicast = runahead::internals::verbs::Absent;

    fn is_empty(&mut self, cq: Cq) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.is_empty(cq)
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.poll_recv(cq)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let posted = self.inner.post_send(vi, header, payload);
        assert!(!matches!(posted, Err(PostError::NoDescriptor(_))), "there is no credit for it");
        posted
    }

    forward!(peek_recv, the_rest);
}

pub struct Rank {
    pub world: Comm<Counting>,
    asked: Arc<AtomicUsize>,
}

impl Rank {
    /// How often it has asked about all since it was asked this.
    pub fn asked(&self) -> usize {
        self.asked.swap(0, Ordering::Relaxed)
    }

    pub fn receive(&self, from: usize) -> u64 {
        let mut room = [0];
        self.world.recv_into(&mut room, from, 0).unwrap();
        room[0]
    }
}

/// On the board, where no signals are to be looked for.
pub fn ranks(size: usize, config: Config) -> Vec<Rank> {
    ranks_as(size, Config { notify: Notify::Poll, algorithm: Algorithm::Board, ..config })
}

pub fn ranks_as(size: usize, config: Config) -> Vec<Rank> {
    let nics = Launch::new(size).options(config.clone()).connect().unwrap();
    let rank = |inner| {
        let asked = Arc::<AtomicUsize>::default();
        let nic = Counting { inner, asked: Arc::clone(&asked) };
        Rank { world: Comm::new(nic, config.clone()).unwrap(), asked }
    };
    let ranks: Vec<Rank> = nics.into_iter().map(rank).collect();
    ranks.iter().for_each(|rank| rank.world.progress().unwrap());
    ranks
}

/// A message from `from` to `to`; returns how often the two asked about all.
pub fn pass(from: &Rank, to: &Rank, value: u64) -> (usize, usize) {
    (_, _) = (from.asked(), to.asked());
    from.world.send(to.world.rank(), 0, &[value]).unwrap();
    assert_eq!(to.receive(from.world.rank()), value);
    (from.asked(), to.asked())
}

/// A message that is as the last one but for its tag, its element or its length is taken only by who asks for that.
/// (Planted: a template that takes any tag, any element or any length.)
///
/// SEMANTICS: ORD-2
#[test]
fn what_was_asked_for_is_what_is_taken() {
    let ranks = ranks(2, Config::new(2));
    let [first, second] = &ranks[..] else { unreachable!() };
    let warm = || (0..3).for_each(|value| _ = pass(first, second, value));
    let send = |tag, data: &[u64]| first.world.send(1, tag, data).unwrap();
    let mut room = [0_u64];

    warm();
    send(1, &[10]);
    send(0, &[20]);
    assert_eq!(second.receive(0), 20, "another tag was taken");
    assert_eq!(second.world.recv_into(&mut room, 0, 1).unwrap().bytes, 8);
    assert_eq!(room, [10]);

    // Two tags in turn are as good as one.
    warm();
    for value in 0..4 {
        send(value as u32 % 2, &[value]);
        (_, _) = (first.asked(), second.asked());
        second.world.recv_into(&mut room, 0, value as u32 % 2).unwrap();
        assert_eq!((room[0], second.asked()), (value, 0));
    }

    warm();
    send(0, &[1, 2]);
    let truncated = second.world.recv_into(&mut room, 0, 0).unwrap_err();
    assert!(matches!(truncated, Error::Truncated { bytes: 16, room: 8, .. }), "{truncated}");
    assert_eq!(second.world.recv::<u64>(0, 0).unwrap().data, [1, 2]);

    warm();
    first.world.send(1, 0, &[1_u32, 2]).unwrap();
    let other = second.world.recv_into(&mut room, 0, 0).unwrap_err();
    assert!(matches!(other, Error::ElementSize { sent: 4, asked: 8, .. }), "{other}");
    assert_eq!(second.world.recv::<u32>(0, 0).unwrap().data, [1, 2]);

    // An empty one, and one of several numbers.
    warm();
    for len in [0, 3] {
        let data = vec![7_u64; len];
        send(0, &data);
        let mut room = [0_u64; 4];
        assert_eq!(second.world.recv_into(&mut room, 0, 0).unwrap().bytes, 8 * len);
        assert_eq!(room[..len], data);
    }
}

/// The first message is asked about, those after it are not: to one peer or to several in turn.
///
/// SEMANTICS: ORD-2
#[test]
fn steady_traffic_asks_nothing() {
    let config = Config { window_messages: 128, ..Config::new(3) };
    let ranks = ranks(3, config);
    let [first, second, third] = &ranks[..] else { unreachable!() };
    for to in [second, third] {
        let asked = pass(first, to, 0);
        assert!(asked.0 > 0 && asked.1 > 0, "{asked:?}");
    }
    for value in 1..10 {
        for to in [second, third] {
            assert_eq!(pass(first, to, value), (0, 0));
        }
    }
    for value in 0..10 {
        let (back, there) = (pass(second, first, value), pass(first, second, value));
        assert!(value == 0 || (back, there) == ((0, 0), (0, 0)), "{value}: {back:?} {there:?}");
    }
    for rank in [first, second] {
        assert_eq!(rank.world.stats().unwrap().messages_held, 0);
    }
}

/// Every so many messages all is asked, by who only sends and by who only receives.
///
/// SEMANTICS: FLOW-2
#[test]
fn all_is_asked_in_time() {
    let config = Config { window_messages: 1024, ..Config::new(2) };
    let ranks = ranks(2, config);
    let [first, second] = &ranks[..] else { unreachable!() };
    let asking = (0..320).map(|value| pass(first, second, value));
    let asking = asking.fold((0, 0), |(sends, receives), (sent, received)| {
        (sends + usize::from(sent > 0), receives + usize::from(received > 0))
    });
    for count in [asking.0, asking.1] {
        assert!((320 / 80..320 / 30).contains(&count), "{asking:?}");
    }
}

/// Whatever else a rank does in between, the next message is as fast as before once that is over. A barrier changes the
/// stamps, so the first message after it is asked about; and so is each while a large message is under way.
#[test]
fn whatever_else_is_done_costs_nothing_after_it() {
    type Other = fn(&Rank);
    let barrier: Other = |rank| _ = rank.world.barrier().unwrap();
    let others: [(&str, Other); 7] = [
        ("progress", |rank| rank.world.progress().unwrap()),
        ("barrier", barrier),
        ("receive posted and given up", |rank| drop(rank.world.irecv::<u8>(1, 9).unwrap())),
        ("look for a message", |rank| assert!(rank.world.try_recv::<u8>(1, 9).unwrap().is_none())),
        ("message to itself", |rank| rank.world.send(rank.world.rank(), 9, &[0_u8]).unwrap()),
        ("way of waiting", |rank| rank.world.set_notify(Notify::Poll).unwrap()),
        ("message of more than eager bytes", |rank| {
            let large = vec![0_u8; rank.world.config().eager_bytes + 1];
            let _ = rank.world.isend(1, 9, &large).unwrap();
        }),
    ];
    for (what, other) in others {
        let ranks = ranks(2, Config::new(2));
        let [first, second] = &ranks[..] else { unreachable!() };
        for value in 0..3 {
            pass(second, first, value);
            pass(first, second, value);
        }
        other(first);
        first.asked();
        // Behind a barrier it is held, until the other has called that, too.
        first.world.send(1, 0, &[7_u64]).unwrap();
        let asks = ["barrier", "message of more than eager bytes"].contains(&what);
        assert_eq!(first.asked() > 0, asks, "a send after: {what}");
        other(first);
        second.world.send(0, 0, &[8_u64]).unwrap();
        first.asked();
        assert_eq!(first.receive(1), 8);
        assert_eq!(first.asked() > 0, asks, "a receive after: {what}");
        if what == "barrier" {
            (0..2).for_each(|_| barrier(second));
        }
        assert_eq!(second.receive(0), 7, "{what}");
    }
}

/// While a large message is under way, whoever waits for this rank's part in it is looked for each time.
///
/// SEMANTICS: FLOW-4
#[test]
fn large_messages_are_not_kept_waiting() {
    for sends in [false, true] {
        let config = Config { eager_bytes: 64, segment_bytes: 64, ..Config::new(3) };
        // So that the receiver has to return room for most of them.
        let ranks = ranks(3, Config { bulk_window: 2, ..config });
        let [own, peer, third] = &ranks[..] else { unreachable!() };
        let (from, to) = if sends { (own, third) } else { (third, own) };
        let (large, [sender, receiver]) = ([7_u8; 300], [from, to].map(|rank| rank.world.rank()));
        let call = |value| [pass(own, peer, value), pass(peer, own, value)];
        (0..3).for_each(|value| _ = call(value));
        let received = to.world.irecv::<u8>(sender, 1).unwrap();
        let sent = from.world.isend(receiver, 1, &large).unwrap();
        for value in 0..12 {
            // In the second nothing has come of it, so nothing but its being under way is in the way of the message.
            (0..2).for_each(|_| _ = call(value));
            third.world.progress().unwrap();
        }
        // What is asked here makes one step, not several.
        let done = if sends { received.test() } else { sent.test() };
        assert!(done.unwrap(), "{sends}");
        // All is over, and what comes now is steady.
        assert_eq!(received.wait().unwrap().data, large);
        sent.wait().unwrap();
        call(0);
        assert_eq!(call(1), [(0, 0), (0, 0)], "{sends}");
    }
}

/// A message behind a barrier has another stamp than the one before it, and is held like any other.
///
/// SEMANTICS: CLK-1, ORD-1, HOLD-1
#[test]
fn what_is_ahead_is_held() {
    let ranks = ranks(2, Config::new(2));
    let [first, second] = &ranks[..] else { unreachable!() };
    (0..3).for_each(|value| _ = pass(first, second, value));
    assert_eq!(pass(first, second, 3), (0, 0));
    first.world.send(1, 0, &[4_u64]).unwrap();
    first.world.barrier().unwrap();
    first.world.send(1, 0, &[5_u64]).unwrap();
    assert_eq!(second.receive(0), 4);
    // It is not there yet for who looks, and for who waits once the barrier is over.
    assert!(second.world.try_recv::<u64>(0, 0).unwrap().is_none());
    assert_eq!(second.world.stats().unwrap().messages_held, 1);
    second.world.barrier().unwrap();
    assert_eq!(second.receive(0), 5);
}

/// Two ranks, each with two communicators of both.
fn two_worlds() -> ([Comm<Counting>; 2], [Comm<Counting>; 2]) {
    let mut ranks = ranks(2, Config::new(2));
    let twice = |rank: Rank| (rank.world.dup().unwrap(), rank.world);
    let (second, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
    let other = std::thread::spawn(move || twice(first));
    let (of_second, second) = twice(second);
    let (of_first, first) = other.join().unwrap();
    ([of_first, of_second], [first, second])
}

/// A message of one communicator is not taken for one of another's.
///
/// SEMANTICS: ORD-2, GRP-1
#[test]
fn communicators_are_kept_apart() {
    let ([of_first, of_second], [first, second]) = two_worlds();
    let receive = |world: &Comm<Counting>| world.recv::<u64>(0, 0).unwrap().data[0];
    of_first.send(1, 0, &[1_u64]).unwrap();
    for value in 2..6_u64 {
        first.send(1, 0, &[value]).unwrap();
        assert_eq!(receive(&second), value);
    }
    of_first.send(1, 0, &[6_u64]).unwrap();
    assert_eq!([receive(&of_second), receive(&of_second)], [1, 6]);
}

/// A receive that is given up puts its message back before all that come after it, however steady these are: here the
/// message was copied to make room for others.
///
/// SEMANTICS: ORD-2, FLOW-5
#[test]
fn what_is_put_back_comes_first() {
    let ranks = ranks(2, Config { window_messages: 4, ..Config::new(2) });
    let [first, second] = &ranks[..] else { unreachable!() };
    let posted = second.world.irecv::<u64>(0, 9).unwrap();
    first.world.send(1, 9, &[1_u64]).unwrap();
    (2..5_u64).for_each(|value| first.world.send(1, 0, &[value]).unwrap());
    second.world.progress().unwrap();
    (2..5).for_each(|value| assert_eq!(second.receive(0), value));
    (5..8).for_each(|value| _ = pass(first, second, value));
    assert_eq!(pass(first, second, 8).1, 0);
    drop(posted);
    first.world.send(1, 9, &[10_u64]).unwrap();
    let receive = || second.world.recv::<u64>(0, 9).unwrap().data[0];
    assert_eq!([receive(), receive()], [1, 10]);
}

/// A message that a posted receive of another communicator has met lies in a descriptor, which the next messages may
/// need: so they are asked about.
///
/// SEMANTICS: FLOW-5
#[test]
fn what_another_communicator_keeps_is_asked_about() {
    let (of, world) = two_worlds();
    of[0].send(1, 0, &[1_u64]).unwrap();
    let pass = |value: u64| {
        world[0].send(1, 0, &[value]).unwrap();
        assert_eq!(world[1].recv::<u64>(0, 0).unwrap().data, [value]);
    };
    (2..5).for_each(pass);
    let posted = of[1].irecv::<u64>(0, 0).unwrap();
    (5..20).for_each(pass);
    assert_eq!(posted.wait().unwrap().data, [1]);
}

/// By template no more leaves than there is room for.
///
/// SEMANTICS: FLOW-1
#[test]
fn the_window_is_kept_to() {
    let ranks = ranks(2, Config { window_messages: 4, ..Config::new(2) });
    let [first, second] = &ranks[..] else { unreachable!() };
    (0..9).for_each(|value| _ = pass(first, second, value));
    for round in 0..3 {
        let sends = (0..6_u64).map(|value| first.world.isend(1, 0, &[value]).unwrap());
        let sends: Vec<_> = sends.collect();
        // What was received since half a window was told may not have been told.
        let left = sends.iter().filter(|sent| sent.test().unwrap()).count();
        assert!((3..=4).contains(&left), "{left} in round {round}");
        for value in 0..6 {
            first.world.progress().unwrap();
            assert_eq!(second.receive(0), value);
        }
    }
}

/// A message that is too long is refused, however many short ones came before it.
#[test]
fn what_is_too_long_is_refused() {
    let ranks = ranks(2, Config { message_bytes: 8, ..Config::new(2) });
    let [first, second] = &ranks[..] else { unreachable!() };
    (0..3).for_each(|value| _ = pass(first, second, value));
    let refused = first.world.send(1, 0, &[1_u64, 2]).unwrap_err();
    assert!(matches!(refused, Error::Message(MessageError::TooLarge { len: 16, limit: 8 })));
    pass(first, second, 3);
}

/// What a stranger says behind messages that fitted a template is not taken for another of them: one with another
/// stamp, or in another place, or that lies about its length; and a receiver that has ended is sent nothing.
///
/// SEMANTICS: SAFE-1, END-2
#[test]
fn a_stranger_is_judged() {
    let config = Config { first_epoch: 5, algorithm: Algorithm::Board, ..Config::new(2) };
    let begun = || {
        let (world, mut stranger) = beside_a_stranger(&config);
        for _ in 0..3 {
            say(&mut stranger, &Header { stamp: 5, ..eager() });
            assert_eq!(world.recv::<u8>(1, 0).unwrap().data, [7]);
            world.send(1, 0, &[1_u8]).unwrap();
        }
        (world, stranger)
    };
    let (world, mut stranger) = begun();
    say(&mut stranger, &Header { stamp: 4, ..eager() });
    let fell = world.recv::<u8>(1, 0).unwrap_err();
    assert!(fell.to_string().contains("stamps went backwards"), "{fell}");

    let (world, mut stranger) = begun();
    let lies = Header { stamp: 5, len: 2, ..eager() };
    stranger.post_send(Vi { peer: 0, cq: EAGER }, &lies.encode(), &[7]).unwrap();
    assert_eq!(world.recv::<u8>(1, 0).unwrap_err().culprit(), Some(1));
    assert_eq!(world.send(1, 0, &[1_u8]).unwrap_err().culprit(), Some(1));

    let (world, mut stranger) = begun();
    let frame = Control::Closing { clock: 0, failed: false, cause: None, reads: 0 };
    let frame = frame.encode(Returned { eager: 3, signal: 0, bulk: 0 });
    stranger.post_send(Vi { peer: 0, cq: CONTROL }, &frame, &[]).unwrap();
    assert_eq!(world.send(1, 0, &[1_u8]).unwrap_err().culprit(), Some(1));

    let (world, stranger) = begun();
    drop(stranger);
    assert_eq!(world.send(1, 0, &[1_u8]).unwrap_err().culprit(), Some(1));
}
