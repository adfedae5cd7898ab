//! Confirmations and barriers: a sender hears that a receive has met its message as soon as, and no
//! sooner than, it could have heard it under blocking barriers.

use runahead::HostNic;
use runahead::internals::message::{
    BULK, Context, EAGER, Engine, Envelope, Header, Kind, Lane, Pattern, RecvId,
};
use runahead::internals::order::{GroupId, Ticket};
use runahead::internals::verbs::Vi;
use runahead::{Algorithm, Config, Launch, MessageError, Source, Tag};

use super::scripted::Scripted;

type Rank = Engine<HostNic>;

/// The group of ranks 1 and 2.
const PAIR: GroupId = GroupId(1);
const LIBRARY: fn() -> Context = || Context::new(GroupId::WORLD, Lane::Library);
const FROM_FIRST: Pattern = Pattern { source: Source::Rank(0), tag: Tag::Exactly(7) };
const FROM_SECOND: Pattern = Pattern { source: Source::Rank(1), tag: Tag::Exactly(7) };
const CONFIRMED: Envelope =
    Envelope { context: Context::WORLD, tag: 7, element: Envelope::CONFIRMED };

/// Three ranks, with a library that asks for confirmations.
fn ranks(config: &Config) -> [Rank; 3] {
    let nics = Launch::new(3).options(config.clone()).connect().expect("three ranks");
    let engines = nics.into_iter().enumerate().map(|(rank, nic)| {
        let mut engine = Engine::new(nic, config.clone()).expect("a network of threads");
        engine.keep_unexpected();
        if rank > 0 {
            engine.add_group(PAIR, &[1, 2], Algorithm::default(), None).expect("a group");
        }
        engine
    });
    engines.collect::<Vec<_>>().try_into().expect("three of them")
}

fn settle(ranks: &mut [Rank; 3]) {
    for _ in 0..8 {
        for rank in &mut *ranks {
            rank.progress().expect("correct ranks");
        }
    }
}

/// Rank 0 sends a message to rank 1 and waits for the answer.
fn post_confirmed(from: &mut Rank, payload: &[u8]) -> RecvId {
    let answer = from.post_recv(LIBRARY(), FROM_SECOND).unwrap();
    from.post_send(1, CONFIRMED, payload).unwrap();
    answer
}

fn enter(ranks: &mut [Rank; 3], who: &[usize], group: GroupId) -> Ticket {
    let tickets = who.iter().map(|&rank| ranks[rank].barrier(group).unwrap());
    tickets.last().expect("someone enters")
}

fn try_recv(rank: &mut Rank) -> Option<usize> {
    let read = |_: &_, bytes: &[u8]| bytes.len();
    rank.try_recv::<_, MessageError>(Context::WORLD, FROM_FIRST, |_| Ok(()), read).unwrap()
}

const PAYLOADS: [usize; 2] = [8, 100_000];

/// The receiver waits in a barrier which the sender calls after its message was confirmed.
/// (Planted: a confirmation that is a message of that moment; one that waits for all open barriers.)
/// SEMANTICS: FLOW-4, ORD-3
#[test]
fn a_receive_that_was_posted_before_a_barrier_confirms_while_it_is_open() {
    for (group, rest) in [(GroupId::WORLD, &[0, 2][..]), (PAIR, &[2])] {
        for len in PAYLOADS {
            for comes_first in [false, true] {
                let mut ranks = ranks(&Config::new(3));
                let early = comes_first.then(|| post_confirmed(&mut ranks[0], &vec![1; len]));
                settle(&mut ranks);
                ranks[1].post_recv(Context::WORLD, FROM_FIRST).unwrap();
                let ticket = enter(&mut ranks, &[1], group);
                let answer = early.unwrap_or_else(|| post_confirmed(&mut ranks[0], &vec![1; len]));
                settle(&mut ranks);
                assert!(ranks[0].is_whole(answer), "{group:?}, {len} bytes");
                assert!(!ranks[1].order().is_complete_through(ticket.seq));
                enter(&mut ranks, rest, group);
                settle(&mut ranks);
                assert!(ranks[1].order().is_complete_through(ticket.seq));
            }
        }
    }
}

/// (Planted: a confirmation that leaves at once; one that nobody remembers when the barrier completes.)
/// SEMANTICS: FLOW-4, ORD-3
#[test]
fn a_receive_after_an_open_barrier_confirms_when_that_is_complete() {
    for (group, rest) in [(GroupId::WORLD, &[0, 2][..]), (PAIR, &[2])] {
        for len in PAYLOADS {
            for posts in [false, true] {
                let mut ranks = ranks(&Config::new(3));
                let answer = post_confirmed(&mut ranks[0], &vec![1; len]);
                settle(&mut ranks);
                enter(&mut ranks, &[1], group);
                if posts {
                    ranks[1].post_recv(Context::WORLD, FROM_FIRST).unwrap();
                } else {
                    while try_recv(&mut ranks[1]).is_none() {
                        settle(&mut ranks);
                    }
                }
                settle(&mut ranks);
                assert!(!ranks[0].is_whole(answer), "it tells that rank 1 has run ahead");
                for &rank in &rest[1..] {
                    ranks[rank].barrier(group).unwrap();
                    settle(&mut ranks);
                    assert!(!ranks[0].is_whole(answer), "one is late still");
                }
                enter(&mut ranks, &rest[..1], group);
                settle(&mut ranks);
                assert!(ranks[0].is_whole(answer), "{group:?}, {len} bytes, {posts}");
            }
        }
    }
}

/// What was posted and given up before it met its message still counts as before the barrier.
/// SEMANTICS: GRP-3, FLOW-4
#[test]
fn a_message_that_is_discarded_is_confirmed() {
    for len in PAYLOADS {
        let mut ranks = ranks(&Config::new(3));
        let recv = ranks[1].post_recv(Context::WORLD, FROM_FIRST).unwrap();
        ranks[1].discard_recv(recv);
        enter(&mut ranks, &[1], GroupId::WORLD);
        let answer = post_confirmed(&mut ranks[0], &vec![1; len]);
        settle(&mut ranks);
        assert!(ranks[0].is_whole(answer), "{len} bytes");
    }
}

/// (Planted: answers go to whoever asks.)
/// SEMANTICS: SAFE-1
#[test]
fn nothing_is_confirmed_where_no_library_asks_for_it_nor_kept_where_nobody_waits() {
    let config = Config::new(2);
    let (first, second) = super::pair(&config);
    let post = |engine: &mut Rank| {
        let answer = engine.post_recv(LIBRARY(), FROM_SECOND).unwrap();
        engine.post_send(1, CONFIRMED, &[1; 8]).unwrap();
        answer
    };
    let answer = first.with_engine(post).unwrap();
    super::settle(&[&first, &second]);
    assert_eq!(second.try_recv::<u64>(0, 7).unwrap().map(|message| message.data.len()), Some(1));
    super::settle(&[&first, &second]);
    assert!(!first.with_engine(|engine| engine.is_whole(answer)).unwrap());

    // Now it is asked for, but the sender no longer waits for the answer.
    second.with_engine(|engine| engine.keep_unexpected()).unwrap();
    first.with_engine(|engine| engine.cancel_recv(answer)).unwrap();
    let other = first.with_engine(post).unwrap();
    first.with_engine(|engine| engine.cancel_recv(other)).unwrap();
    super::settle(&[&first, &second]);
    second.recv_bytes(0, 7).unwrap();
    super::settle(&[&first, &second]);
    let kept = first.with_engine(|engine| engine.try_probe(LIBRARY(), FROM_SECOND).unwrap());
    assert_eq!(kept.unwrap(), None);
}

/// (Planted: a confirmation that leaves at once.)
/// SEMANTICS: END-1, SAFE-1
#[test]
fn a_rank_that_fails_confirms_nothing_after_its_last_word() {
    let mut ranks = ranks(&Config::new(3));
    let answer = post_confirmed(&mut ranks[0], &[1; 8]);
    settle(&mut ranks);
    enter(&mut ranks, &[1], GroupId::WORLD);
    ranks[1].post_recv(Context::WORLD, FROM_FIRST).unwrap();
    settle(&mut ranks);
    let _ = ranks[1].end(true);
    enter(&mut ranks, &[0, 2], GroupId::WORLD);
    for _ in 0..8 {
        // The rank that has failed still looks at what comes.
        let _ = ranks[1].progress();
        ranks[0].progress().unwrap();
        ranks[2].progress().unwrap();
    }
    let looked = ranks[0].test_recv(answer, Source::Rank(1));
    assert!(matches!(looked, Err(MessageError::PeerEnded { rank: 1, failed: true })), "{looked:?}");
}

/// What comes when it has said its last word would be answered after that: a violation.
/// (Planted: a rank that confirms whatever it meets.)
/// SEMANTICS: END-1, SAFE-1
#[test]
fn a_rank_that_has_ended_confirms_nothing() {
    let (nic, script) = Scripted::new(3);
    let mut engine = Engine::new(nic, Config::new(3)).unwrap();
    engine.keep_unexpected();
    let Envelope { context, tag, element } = CONFIRMED;
    let header = Header { kind: Kind::Eager, element, context, tag, stamp: 0, len: 0, transfer: 0 };
    let come = || {
        let inboxes = &mut script.lock().unwrap().inboxes;
        inboxes[usize::from(EAGER.0)].push_back((0, 1, header.encode().to_vec()));
    };
    let confirmations = || -> Vec<Header> {
        let sent = &script.lock().unwrap().sent;
        let of_bulk = sent.iter().filter(|(vi, _)| *vi == Vi { peer: 1, cq: BULK });
        of_bulk.map(|(_, frame)| Header::decode(frame).unwrap().0).collect()
    };
    for _ in 0..2 {
        engine.post_recv(context, FROM_SECOND).unwrap();
    }
    come();
    engine.progress().unwrap();
    let expected = Header { kind: Kind::Confirmed, element: 0, transfer: 1, ..header };
    assert_eq!(confirmations(), [expected]);
    engine.end(false).unwrap();
    come();
    engine.progress().unwrap();
    assert_eq!(confirmations(), [expected], "after its last word");
}
