//! Containment, end to end: what a rank that ran ahead keeps back, and which calls wait for it.
//!
//! Ranks 0 and 1 have a group of their own; rank 1 is late for its barrier, and rank 2 must not
//! notice that rank 0 has called it.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use runahead::HostNic;
use runahead::internals::message::{Context, Engine, Envelope, Pattern};
use runahead::internals::order::GroupId;
use runahead::{Algorithm, Config, Launch, MessageError, Ordering, Source, Tag};

const PAIR: GroupId = GroupId(1);
const OTHER: GroupId = GroupId(2);
const ENVELOPE: Envelope = Envelope { context: Context::WORLD, tag: 7, element: 1 };
const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

type Rank = Engine<HostNic>;
type Call = fn(&mut Rank) -> Result<(), MessageError>;

/// Three ranks with the groups {0, 1} and {0, 2}.
fn ranks(config: Config) -> [Rank; 3] {
    let nics = Launch::new(3).options(config.clone()).connect().expect("three ranks");
    let engines = nics.into_iter().enumerate().map(|(rank, nic)| {
        let mut engine = Engine::new(nic, config.clone()).expect("a network of threads");
        for (group, members) in [(PAIR, [0, 1]), (OTHER, [0, 2])] {
            if members.contains(&rank) {
                engine.add_group(group, &members, Algorithm::default(), None).expect("a group");
            }
        }
        engine
    });
    engines.collect::<Vec<_>>().try_into().expect("three of them")
}

/// Lets all make progress until nothing is under way: each look takes in all that was sent before.
fn settle(ranks: &mut [Rank; 3]) {
    for _ in 0..8 {
        for rank in &mut *ranks {
            rank.progress().expect("correct ranks");
        }
    }
}

fn received(rank: &mut Rank) -> Option<Vec<u8>> {
    let read = |_: &_, bytes: &[u8]| bytes.to_vec();
    rank.try_recv::<_, MessageError>(Context::WORLD, ANY, |_| Ok(()), read).expect("correct ranks")
}

/// SEMANTICS: CON-1, CON-3
#[test]
fn what_is_queued_leaves_in_order_when_the_barrier_completes() {
    let config = Config { window_messages: 3, ..Config::new(3) };
    let mut ranks = ranks(config);
    let first = ranks[0].post_send(2, ENVELOPE, &[0]).unwrap();
    ranks[0].barrier(PAIR).unwrap();
    let queued = ranks[0].post_send(2, ENVELOPE, &[1]).unwrap();
    assert!(ranks[0].try_send(2, ENVELOPE, &[2]).unwrap());
    assert!(ranks[0].try_send(2, ENVELOPE, &[3]).unwrap());
    // As many as the window has messages, and no more.
    assert!(!ranks[0].try_send(2, ENVELOPE, &[4]).unwrap());
    // A member of the group is not outside it.
    assert!(ranks[0].try_send(1, ENVELOPE, &[9]).unwrap());
    settle(&mut ranks);
    assert!(ranks[0].is_sent(first) && !ranks[0].is_sent(queued));
    assert_eq!(received(&mut ranks[2]), Some(vec![0]));
    assert_eq!(received(&mut ranks[2]), None, "it was posted after a barrier that is open");
    assert_eq!(received(&mut ranks[1]), None, "it is held until rank 1 has called the barrier");

    ranks[1].barrier(PAIR).unwrap();
    settle(&mut ranks);
    assert!(ranks[0].is_sent(queued));
    for number in 1..=3 {
        assert_eq!(received(&mut ranks[2]), Some(vec![number]));
    }
    assert_eq!(received(&mut ranks[1]), Some(vec![9]));
}

/// SEMANTICS: CON-2, CON-3
#[test]
fn a_barrier_of_another_group_is_deferred() {
    let mut ranks = ranks(Config::new(3));
    ranks[0].barrier(PAIR).unwrap();
    let deferred = ranks[0].try_barrier(OTHER).unwrap();
    let theirs = ranks[2].barrier(OTHER).unwrap();
    settle(&mut ranks);
    assert!(!ranks[2].test_barrier(theirs).unwrap(), "rank 0 has not entered it");
    assert!(!ranks[0].test_barrier(deferred).unwrap());
    ranks[1].barrier(PAIR).unwrap();
    settle(&mut ranks);
    assert!(ranks[2].test_barrier(theirs).unwrap());
    assert!(ranks[0].test_barrier(deferred).unwrap());
}

/// The thesis's rules, for those who ask for them.
///
/// SEMANTICS: CON-3
#[test]
fn without_containment_nothing_is_kept_back() {
    let config = Config { ordering: Ordering::Pakin, ..Config::new(3) };
    let mut ranks = ranks(config);
    ranks[0].barrier(PAIR).unwrap();
    ranks[0].send(2, ENVELOPE, &[1]).unwrap();
    ranks[0].barrier(OTHER).unwrap();
    let theirs = ranks[2].barrier(OTHER).unwrap();
    settle(&mut ranks);
    assert_eq!(received(&mut ranks[2]), Some(vec![1]));
    assert!(ranks[2].test_barrier(theirs).unwrap());
}

/// A blocking send and a `barrier()` that would be contained return only after the earlier barrier
/// has completed, and so after its last member has called it.
///
/// SEMANTICS: CON-3, FLOW-3
#[test]
fn blocking_calls_wait_for_the_earlier_barrier() {
    let calls: [Call; 3] = [
        |rank| rank.send(2, ENVELOPE, &[1]),
        |rank| rank.send(2, ENVELOPE, &[1; 100_000]),
        |rank| rank.barrier(OTHER).map(drop),
    ];
    for call in calls {
        let called = AtomicBool::new(false);
        let [mut first, mut late, mut outside] = ranks(Config::new(3));
        thread::scope(|scope| {
            scope.spawn(|| {
                first.barrier(PAIR).unwrap();
                // Rank 1 hears of it, and lets this rank run into its call.
                first.send(1, ENVELOPE, &[0]).unwrap();
                call(&mut first).unwrap();
                assert!(called.load(SeqCst), "it did not wait");
                first.end(false).unwrap();
            });
            scope.spawn(|| {
                while late.stats().messages_received == 0 {
                    late.progress().unwrap();
                }
                for _ in 0..1000 {
                    late.progress().unwrap();
                    thread::yield_now();
                }
                called.store(true, SeqCst);
                late.barrier(PAIR).unwrap();
                late.end(false).unwrap();
            });
            scope.spawn(|| {
                outside.barrier(OTHER).unwrap();
                // Receives what is for it, or learns that nothing will come.
                let _ = outside.recv::<_, MessageError>(Context::WORLD, ANY, |_| Ok(()), |_, _| ());
                let _ = outside.end(false);
            });
        });
    }
}

/// SEMANTICS: CLK-4
#[test]
fn a_group_can_be_dropped_with_its_barrier_open() {
    let mut ranks = ranks(Config::new(3));
    ranks[0].barrier(PAIR).unwrap();
    ranks[0].drop_group(PAIR).unwrap();
    assert!(ranks[0].barrier(PAIR).is_err(), "it was dropped");
    assert!(ranks[0].try_send(1, ENVELOPE, &[1]).unwrap());
    settle(&mut ranks);
    assert_eq!(received(&mut ranks[1]), None);
    ranks[1].barrier(PAIR).unwrap();
    settle(&mut ranks);
    assert_eq!(received(&mut ranks[1]), Some(vec![1]));
    assert!(ranks[0].try_send(2, ENVELOPE, &[2]).unwrap());
    assert_eq!(received(&mut ranks[2]), Some(vec![2]), "nothing is open any more");
    let twice = ranks[1].add_group(GroupId(5), &[1, 1], Algorithm::default(), None);
    assert!(matches!(twice, Err(MessageError::Group(_))), "{twice:?}");
}
