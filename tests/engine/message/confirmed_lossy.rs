//! Confirmations over a network that loses, repeats and delays: each message is confirmed once, and none is before its
//! barrier is complete. The layer that repairs the network is beneath.

use std::time::Duration;

use runahead::internals::message::{Context, Engine, Envelope, Lane, Pattern};
use runahead::internals::order::GroupId;
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::reliable::{Reliable, Timeouts, beneath};
use runahead::internals::provider::threads::{self, ThreadsNic};
use runahead::internals::verbs::Cq;
use runahead::{Config, Launch, MessageError, Source, Tag};

type Rank = Engine<Reliable<Fault<ThreadsNic>>>;

const LIBRARY: fn() -> Context = || Context::new(GroupId::WORLD, Lane::Library);
const CONFIRMED: Envelope =
    Envelope { context: Context::WORLD, tag: 7, element: Envelope::CONFIRMED };
const SENT: Pattern = Pattern { source: Source::Rank(0), tag: Tag::Exactly(7) };
const ANSWER: Pattern = Pattern { source: Source::Rank(1), tag: Tag::Exactly(7) };

/// Two ranks. Each leaves when the other has acknowledged its last frames, so they leave at the same time.
struct Both(Vec<Rank>);

impl Drop for Both {
    fn drop(&mut self) {
        std::thread::scope(|scope| {
            for rank in self.0.drain(..) {
                scope.spawn(move || drop(rank));
            }
        });
    }
}

/// Two ranks of a library that asks for confirmations. `drop_per_mille` of all that is sent is lost.
fn ranks(drop_per_mille: u16) -> Both {
    let config = Config::new(2);
    let fabric =
        Launch::new(2).options(config.clone()).fabric().expect("the configuration is right");
    let beneath = beneath(&fabric);
    let plan = FaultPlan {
        seed: 41,
        lossy: (0..beneath.queues.len() as u8).map(Cq).collect(),
        drop_per_mille,
        duplicate_per_mille: 50,
        max_delay_ticks: 20,
        ..FaultPlan::default()
    };
    let nics = threads::connect(2, &beneath).expect("the fabric can be made").into_iter();
    let engines = nics.map(|nic| {
        let faulty = Fault::new(nic, plan.clone());
        let nic = Reliable::numbered_from(faulty, &fabric, Timeouts::default(), 0);
        let mut engine = Engine::new(nic.expect("it is laid out for that"), config.clone())
            .expect("a network of threads");
        engine.keep_unexpected();
        engine
    });
    Both(engines.collect())
}

/// Lets both go on until something is so. What was lost is sent again after some time, so they pause.
fn until(ranks: &mut [Rank], mut holds: impl FnMut(&mut [Rank]) -> bool) {
    while !holds(ranks) {
        for rank in ranks.iter_mut() {
            rank.progress().expect("correct ranks");
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Takes the message of a receive that is whole, and returns its length.
fn take(rank: &mut Rank, posted: runahead::internals::message::RecvId, source: usize) -> usize {
    let read = |_: &_, bytes: &[u8]| bytes.len();
    let taken = rank.finish_recv::<_, MessageError>(posted, Source::Rank(source), |_| Ok(()), read);
    taken.expect("it is whole")
}

/// SEMANTICS: FLOW-4, ORD-3, NET-1
#[test]
fn what_is_lost_is_confirmed_once_and_not_before_its_barrier() {
    let mut both = ranks(60);
    let ranks = &mut both.0[..];
    for round in 0..60 {
        let len = [8, 3_000, 100_000][round % 3];
        let answer = ranks[0].post_recv(LIBRARY(), ANSWER).unwrap();
        ranks[0].post_send(1, CONFIRMED, &vec![round as u8; len]).unwrap();
        let after = round % 2 == 0;
        let early = (!after).then(|| ranks[1].post_recv(Context::WORLD, SENT).unwrap());
        let ticket = ranks[1].barrier(GroupId::WORLD).unwrap();
        let recv = early.unwrap_or_else(|| ranks[1].post_recv(Context::WORLD, SENT).unwrap());
        until(ranks, |ranks| ranks[1].is_whole(recv));
        assert_eq!(take(&mut ranks[1], recv, 0), len);
        if after {
            // What could have gone wrong has had its time, several times over.
            let mut turns = 0;
            until(ranks, |_| {
                turns += 1;
                turns > 40
            });
            assert!(
                !ranks[0].is_whole(answer),
                "round {round}: it tells that rank 1 has run ahead"
            );
        } else {
            until(ranks, |ranks| ranks[0].is_whole(answer));
            assert!(!ranks[1].order().is_complete_through(ticket.seq));
        }
        ranks[0].barrier(GroupId::WORLD).unwrap();
        until(ranks, |ranks| ranks[0].is_whole(answer));
        assert_eq!(take(&mut ranks[0], answer, 1), 0);
        let kept = ranks[0].try_probe(LIBRARY(), ANSWER).unwrap();
        assert_eq!(kept, None, "round {round}: it is confirmed twice");
    }
}
