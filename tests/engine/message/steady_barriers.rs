//! Steady barriers take the fast path, whatever a rank did before, and what stands in the way is seen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use runahead::internals::message::{CONTROL, Control, MessageError, Notify, Returned};
use runahead::internals::verbs::{Nic, SharedWords, Vi};
use runahead::{Algorithm, Comm, Config, Error};

use super::fast_path::beside_a_stranger;
use super::steady::{Rank, pass, ranks, ranks_as};

/// All call a barrier, the first of them first, and all wait. Returns how often each asked about all.
fn synchronise(ranks: &[Rank]) -> Vec<usize> {
    ranks.iter().for_each(|rank| _ = rank.asked());
    let barriers: Vec<_> = ranks.iter().map(|rank| rank.world.barrier().unwrap()).collect();
    barriers.into_iter().for_each(|barrier| barrier.wait().unwrap());
    ranks.iter().map(Rank::asked).collect()
}

/// The first barrier is asked about, those after it are not, whatever messages go between them.
///
/// SEMANTICS: BAR-1 BAR-4
#[test]
fn steady_barriers_ask_nothing() {
    for size in [1, 2, 3, 5] {
        let ranks = ranks(size, Config::new(size));
        assert!(synchronise(&ranks).iter().all(|&asked| asked > 0), "{size}");
        for round in 0..12 {
            assert_eq!(synchronise(&ranks), vec![0; size], "{round} of {size}");
            if size > 1 && round % 3 == 1 {
                let asked = pass(&ranks[0], &ranks[1], round);
                assert!(asked.0 > 0 && asked.1 > 0, "the stamp is another");
                assert_eq!(pass(&ranks[0], &ranks[1], round), (0, 0));
            }
        }
        for rank in &ranks {
            let stats = rank.world.stats().unwrap();
            assert_eq!((stats.publications, stats.messages_held), (13, 0));
        }
    }
}

/// Every so many barriers all is asked.
///
/// SEMANTICS: FLOW-2
#[test]
fn all_is_asked_in_time() {
    let ranks = ranks(2, Config::new(2));
    let rounds = (0..320).map(|_| synchronise(&ranks));
    let asking = rounds.fold([0, 0], |[first, second], asked| {
        [first + usize::from(asked[0] > 0), second + usize::from(asked[1] > 0)]
    });
    assert!(asking.iter().all(|asking| (5..40).contains(asking)), "{asking:?}");
    // Also by who never waits.
    let asking = (0..320).filter(|_| {
        ranks.iter().for_each(|rank| _ = rank.world.barrier().unwrap());
        ranks[0].asked() > 0
    });
    let asking = asking.count();
    assert!((3..40).contains(&asking), "{asking}");
}

/// Whatever else a rank does in between, the next barrier is as fast as before once that is over. What the order core
/// entered otherwise is asked about once, and a large message as long as it is under way.
#[test]
fn whatever_else_is_done_costs_nothing_after_it() {
    type Other = fn(&Rank);
    let others: [(&str, Other); 7] = [
        ("progress", |rank| rank.world.progress().unwrap()),
        ("try_barrier", |rank| assert!(rank.world.try_barrier().unwrap().is_some())),
        ("receive posted and given up", |rank| drop(rank.world.irecv::<u8>(1, 9).unwrap())),
        ("look for a message", |rank| assert!(rank.world.try_recv::<u8>(1, 9).unwrap().is_none())),
        ("message to itself", |rank| rank.world.send(rank.world.rank(), 9, &[0_u8]).unwrap()),
        ("way of waiting", |rank| rank.world.set_notify(Notify::Poll).unwrap()),
        ("message of more than eager bytes", |rank| {
            let large = vec![0_u8; rank.world.config().eager_bytes + 1];
            let _ = rank.world.isend(1 - rank.world.rank(), 9, &large).unwrap();
        }),
    ];
    for (what, other) in others {
        let ranks = ranks(2, Config::new(2));
        (0..3).for_each(|_| _ = synchronise(&ranks));
        ranks.iter().for_each(other);
        let asked = synchronise(&ranks);
        let asks = ["try_barrier", "message of more than eager bytes"].contains(&what);
        assert!(asked.iter().all(|&asked| (asked > 0) == asks), "{what}: {asked:?}");
    }
}

/// A posted receive is not in the way of the call of a barrier. The wait serves the sender that may want room.
///
/// SEMANTICS: BAR-4 FLOW-3
#[test]
fn a_posted_receive_is_not_in_the_way_of_a_call() {
    let ranks = ranks(2, Config::new(2));
    synchronise(&ranks);
    for round in 0..4_u64 {
        let posted = [0, 1].map(|rank| ranks[rank].world.irecv::<u64>(1 - rank, 4).unwrap());
        ranks.iter().for_each(|rank| _ = rank.asked());
        let barriers = [0, 1].map(|rank| ranks[rank].world.barrier().unwrap());
        assert_eq!([ranks[0].asked(), ranks[1].asked()], [0, 0], "{round}");
        barriers.into_iter().for_each(|barrier| barrier.wait().unwrap());
        assert!(ranks.iter().all(|rank| rank.asked() > 0), "{round}");
        (0..2).for_each(|rank| ranks[rank].world.send(1 - rank, 4, &[round]).unwrap());
        posted.into_iter().for_each(|it| assert_eq!(it.wait().unwrap().data, [round]));
    }
}

/// While anything is expected, waits look for it too: a posted receive, and a large message under way.
///
/// SEMANTICS: FLOW-3 FLOW-4
#[test]
fn what_is_expected_is_looked_for() {
    let config = Config { eager_bytes: 64, segment_bytes: 64, bulk_window: 4, ..Config::new(2) };
    let ranks = ranks(2, config);
    let [first, second] = &ranks[..] else { unreachable!() };
    (0..3).for_each(|_| _ = synchronise(&ranks));
    let posted = first.world.irecv::<u8>(1, 4).unwrap();
    let sent = second.world.isend(0, 4, &[3_u8; 300]).unwrap();
    for _ in 0..3 {
        let asked = synchronise(&ranks);
        assert!(asked.iter().all(|&asked| asked > 0), "{asked:?}");
    }
    assert!(posted.test().unwrap() && sent.test().unwrap());
    assert_eq!(posted.wait().unwrap().data, [3_u8; 300]);
    sent.wait().unwrap();
    (0..2).for_each(|_| _ = synchronise(&ranks));
    assert_eq!(synchronise(&ranks), [0, 0]);
}

/// A barrier on the fast path counts like any other: what is sent behind it is held until the receiver's own barrier
/// releases it, be it by calling that as the last, or by waiting for the last.
///
/// SEMANTICS: CLK-1 ORD-1 HOLD-1
#[test]
fn what_is_ahead_of_a_barrier_is_held_and_released() {
    for last in [true, false] {
        let ranks = ranks(3, Config::new(3));
        let [first, second, third] = &ranks[..] else { unreachable!() };
        (0..3).for_each(|_| _ = synchronise(&ranks));
        let looks = |value: u64| {
            let ahead = first.world.barrier().unwrap();
            first.world.send(1, 0, &[value]).unwrap();
            ahead
        };
        let ahead = looks(7);
        assert_eq!(second.world.try_recv::<u64>(0, 0).unwrap().map(|found| found.data), None);
        assert_eq!(second.world.stats().unwrap().messages_held, 1);
        // With a message held.
        if last {
            third.world.barrier().unwrap();
            second.world.barrier().unwrap();
        } else {
            let waits = second.world.barrier().unwrap();
            third.world.barrier().unwrap();
            waits.wait().unwrap();
        }
        let found = second.world.try_recv::<u64>(0, 0).unwrap();
        assert_eq!(found.map(|found| found.data), Some(vec![7]), "{last}");
        ahead.wait().unwrap();
    }
}

/// As the test before, where the barrier that releases takes the fast path itself: the message came while the receiver
/// waited for something else.
///
/// SEMANTICS: HOLD-1 ORD-2
#[test]
fn a_barrier_on_the_fast_path_releases_what_is_held() {
    let ranks = ranks(2, Config::new(2));
    let [first, second] = &ranks[..] else { unreachable!() };
    (0..3).for_each(|_| _ = synchronise(&ranks));
    for value in 0..8 {
        first.world.send(1, 1, &[value]).unwrap();
        // Two ahead, so that the first releases nothing of the second.
        let ahead = [(); 2].map(|()| {
            let ahead = first.world.barrier().unwrap();
            first.world.send(1, 0, &[value]).unwrap();
            ahead
        });
        second.world.progress().unwrap();
        assert_eq!(second.world.recv::<u64>(0, 1).unwrap().data, [value]);
        second.world.barrier().unwrap();
        second.asked();
        second.world.barrier().unwrap();
        assert_eq!(second.asked(), 0, "{value}");
        assert_eq!([second.receive(0), second.receive(0)], [value; 2]);
        ahead.into_iter().for_each(|ahead| ahead.wait().unwrap());
    }
    assert_eq!(second.world.stats().unwrap().messages_held, 16);
}

/// A wait is for the barriers of all communicators that were called before.
///
/// SEMANTICS: BAR-6 GRP-1
#[test]
fn barriers_of_others_are_waited_for_as_well() {
    let mut ranks = ranks(2, Config::new(2));
    let twice = |rank: Rank| (rank.world.dup().unwrap(), rank);
    let (second, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
    let (of_first, of_second) = thread::scope(|scope| {
        let other = scope.spawn(move || twice(first));
        (twice(second), other.join().unwrap())
    });
    let ((of_second, second), (of_first, first)) = (of_first, of_second);
    let both = [first, second];
    (0..3).for_each(|_| _ = synchronise(&both));
    let [first, second] = both;
    let called = AtomicBool::new(false);
    thread::scope(|scope| {
        let called = &called;
        let waiting = scope.spawn(move || {
            of_first.barrier().unwrap();
            first.world.barrier().unwrap().wait().unwrap();
            assert!(called.load(Ordering::Acquire), "a barrier before it was open");
        });
        second.world.progress().unwrap();
        let before = of_second;
        // Long enough for a wait that does not look to end.
        thread::sleep(Duration::from_millis(30));
        called.store(true, Ordering::Release);
        before.barrier().unwrap();
        second.world.barrier().unwrap().wait().unwrap();
        waiting.join().unwrap();
    });
}

/// No more barriers are open than may be, and a call that would open one more waits.
///
/// SEMANTICS: BAR-6
#[test]
fn no_more_are_open_than_may_be() {
    let mut ranks = ranks(2, Config { open_barriers: 4, ..Config::new(2) });
    (0..3).for_each(|_| _ = synchronise(&ranks));
    let (second, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
    (0..4).for_each(|_| _ = first.world.barrier().unwrap());
    assert!(first.world.try_barrier().unwrap().is_none());
    let called = AtomicBool::new(false);
    thread::scope(|scope| {
        let called = &called;
        let other = scope.spawn(move || {
            thread::sleep(Duration::from_millis(20));
            called.store(true, Ordering::Release);
            second.world.barrier().unwrap();
            // So that it stays until the first has gone on.
            second
        });
        let fifth = first.world.barrier().unwrap();
        assert!(called.load(Ordering::Acquire));
        assert_eq!(fifth.epoch(), 8);
        drop(other.join().unwrap());
    });
}

/// A rank that sleeps for a barrier is woken by a last one that enters on the fast path.
///
/// SEMANTICS: BAR-4 FLOW-3
#[test]
fn a_barrier_on_the_fast_path_wakes_who_sleeps() {
    let ranks = ranks(2, Config::new(2));
    let alternate = |rank: Rank, late: u64| {
        rank.world.set_notify(Notify::Block).unwrap();
        for round in 0..40 {
            if round % 2 == late {
                thread::sleep(Duration::from_millis(1));
            }
            rank.world.barrier().unwrap().wait().unwrap();
        }
        rank.world.stats().unwrap().ranks_woken
    };
    let woken = thread::scope(|scope| {
        let ranks = ranks.into_iter().zip(0..);
        let running = ranks.map(|(rank, late)| scope.spawn(move || alternate(rank, late)));
        let running: Vec<_> = running.collect();
        running.into_iter().map(|rank| rank.join().unwrap()).sum::<u64>()
    });
    assert!(woken > 0);
}

/// Also where it is known beforehand that all others have entered: they are two barriers ahead.
///
/// SEMANTICS: BAR-3 BAR-4
#[test]
fn who_catches_up_wakes_those_that_are_ahead() {
    let woken = |pause_ms| {
        let mut ranks = ranks(2, Config::new(2));
        (0..3).for_each(|_| _ = synchronise(&ranks));
        let (second, first) = (ranks.pop().unwrap(), ranks.pop().unwrap());
        thread::scope(|scope| {
            let ahead = scope.spawn(move || {
                first.world.set_notify(Notify::Block).unwrap();
                first.world.barrier().unwrap();
                first.world.barrier().unwrap().wait().unwrap();
                first
            });
            // Until it sleeps, as far as can be told. It wakes for its second barrier alone.
            thread::sleep(Duration::from_millis(pause_ms));
            second.world.barrier().unwrap();
            second.world.barrier().unwrap();
            assert_eq!(second.asked(), 0);
            drop(ahead.join().unwrap());
            second.world.stats().unwrap().ranks_woken
        })
    };
    assert!((1..100).any(|pause_ms| woken(pause_ms) == 1), "nobody was woken");
}

/// The words of the board, as `src/message/barriers/board.rs` lays them out: the epoch of rank 1 in the world.
const EPOCH_OF_1: usize = 1;

fn begun() -> (Comm, impl Nic + SharedWords) {
    let config = Config { algorithm: Algorithm::Board, notify: Notify::Poll, ..Config::new(2) };
    let (world, stranger) = beside_a_stranger(&config);
    let tag = Config::BOARD_SLOTS * 16 + 1;
    stranger.store(tag, 2);
    for epoch in 1..=4 {
        let barrier = world.barrier().unwrap();
        stranger.store(EPOCH_OF_1, epoch);
        barrier.wait().unwrap();
    }
    (world, stranger)
}

/// Who publishes what it cannot have entered is named, whether it did so before the barrier was called or after,
/// and by all that comes later. (Of two ranks the call itself does not look.)
///
/// SEMANTICS: SAFE-1
#[test]
fn an_impossible_epoch_is_not_believed() {
    for waits in [false, true] {
        let (world, stranger) = begun();
        let found = match waits {
            false => {
                stranger.store(EPOCH_OF_1, 1 << 40);
                world.barrier().and_then(|barrier| barrier.wait())
            }
            true => {
                let barrier = world.barrier().unwrap();
                stranger.store(EPOCH_OF_1, 1 << 40);
                barrier.wait()
            }
        };
        let protocol =
            |error: &Error| matches!(error, Error::Message(MessageError::Protocol { from: 1, .. }));
        assert!(protocol(&found.unwrap_err()), "{waits}");
        // As if nothing had been.
        stranger.store(EPOCH_OF_1, 5);
        for later in [world.barrier().map(|_| ()), world.send(1, 0, &[0_u8])] {
            assert!(protocol(&later.unwrap_err()), "{waits}");
        }
    }
}

/// A wait ends, with the name, if who is waited for has ended, or is lost.
///
/// SEMANTICS: END-2 BAR-7
#[test]
fn who_has_gone_is_not_waited_for() {
    let (world, mut stranger) = begun();
    let frame = Control::Closing { clock: 4, failed: false, cause: None, reads: 0 };
    let frame = frame.encode(Returned { eager: 0, signal: 0, bulk: 0 });
    stranger.post_send(Vi { peer: 0, cq: CONTROL }, &frame, &[]).unwrap();
    let ended = world.barrier().unwrap().wait().unwrap_err();
    assert!(matches!(
        ended,
        Error::Message(MessageError::EndedBeforeBarrier { rank: 1, epoch: 5, .. })
    ));

    let (world, stranger) = begun();
    let barrier = world.barrier().unwrap();
    drop(stranger);
    let lost = barrier.wait().unwrap_err();
    assert!(matches!(lost, Error::Message(MessageError::PeerLost { rank: 1 })), "{lost}");
}

/// In groups that signal each call asks: others wait for what this rank passes on.
///
/// SEMANTICS: BAR-4 FLOW-3
#[test]
fn barriers_by_signals_are_asked_about() {
    let config =
        Config { notify: Notify::Poll, algorithm: Algorithm::Dissemination, ..Config::new(2) };
    let ranks = ranks_as(2, config);
    for _ in 0..4 {
        let barriers: Vec<_> = ranks.iter().map(|rank| rank.world.barrier().unwrap()).collect();
        // The signals of the second.
        ranks[0].world.progress().unwrap();
        ranks.iter().for_each(|rank| _ = rank.asked());
        barriers.into_iter().for_each(|barrier| barrier.wait().unwrap());
        assert!(ranks.iter().all(|rank| rank.asked() > 0));
    }
}
