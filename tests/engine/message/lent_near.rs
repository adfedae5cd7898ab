//! Lent payloads between two ranks that share memory and can read each other's, step by step: which of both copies
//! them, where they go, and when memory is the program's again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use runahead::internals::message::{
    Destination, Envelope, Lane, Memory, MessageError, Pattern, RecvId, SendId, Source, Stats, Tag,
};
use runahead::internals::order::Rank;
use runahead::{Comm, Config, Message};

use super::{settle_all, worlds, worlds_that_lend};

/// Above the eager limit.
const LEN: usize = 20_000;
/// So long a sender waits at most for a receiver, and more: see `patience` in `engine/lending.rs`.
const PATIENCE: Duration = Duration::from_micros(10);

/// Two worlds that have found out that each can read the other.
fn pair(heap_bytes: usize) -> Vec<Comm> {
    worlds_that_lend(2, &Config { heap_bytes, eager_bytes: 4096, ..Config::new(2) })
}

fn bytes(seed: usize) -> Vec<u8> {
    (0..LEN).map(|at| ((at + seed) % 251) as u8).collect()
}

fn stats(comm: &Comm) -> Stats {
    comm.stats().unwrap()
}

/// Posts a message of memory that stays as it is until it has left.
fn lend(comm: &Comm, tag: u32, payload: &[u8]) -> SendId {
    let envelope = Envelope { context: comm.context_in(Lane::Program), tag, element: 1 };
    let to = 1 - comm.rank();
    // SAFETY: as each test sees to.
    let lent = comm.with_engine(|engine| unsafe { engine.post_send_lent(to, envelope, payload) });
    lent.unwrap().unwrap()
}

/// Whether it has left, by one look.
fn is_sent(comm: &Comm, id: SendId) -> bool {
    comm.with_engine(|engine| engine.is_sent(id)).unwrap()
}

fn progress(comm: &Comm) {
    comm.with_engine(|engine| engine.progress()).unwrap().unwrap();
}

fn from(rank: Rank, tag: u32) -> Pattern {
    Pattern { source: Source::Rank(rank), tag: Tag::Exactly(tag) }
}

/// Posts a receive that fills this memory.
fn post_into(comm: &Comm, tag: u32, room: &mut [u8]) -> RecvId {
    let (context, pattern) = (comm.context_in(Lane::Program), from(1 - comm.rank(), tag));
    let room = std::ptr::from_mut(room);
    // SAFETY: as each test sees to: it looks there between calls only.
    let posted =
        comm.with_engine(|engine| unsafe { engine.post_recv_into(context, pattern, room) });
    posted.unwrap().unwrap()
}

fn finish_into(comm: &Comm, id: RecvId, room: &mut [u8]) -> Result<usize, MessageError> {
    let source = Source::Rank(1 - comm.rank());
    let accept = |_: &_| Ok::<_, MessageError>(());
    comm.with_engine(|engine| engine.finish_recv_into(id, source, accept, Memory(room)))
        .unwrap()
        .map(|info| info.len)
}

/// It is there before the receive is waited for, without a copy between, and the sender has its memory back by one
/// look. (Planted: a receive that leaves it until it is waited for; a sender that looks at the word of the queue alone.)
/// SEMANTICS: FLOW-4
#[test]
fn a_posted_receive_brings_it_to_its_memory() {
    let ranks = pair(1 << 20);
    for round in 0..10 {
        let (payload, mut room) = (bytes(round), vec![0; LEN]);
        let posted = post_into(&ranks[1], 1, &mut room);
        let id = lend(&ranks[0], 1, &payload);
        assert!(!is_sent(&ranks[0], id), "nobody has read it");
        progress(&ranks[1]);
        assert!(room == payload, "round {round}");
        progress(&ranks[0]);
        assert!(is_sent(&ranks[0], id));
        assert_eq!(finish_into(&ranks[1], posted, &mut room), Ok(LEN));
        settle_all(&ranks);
    }
    assert_eq!(stats(&ranks[1]).payloads_fetched, 10);
}

/// A sender whose receiver does not come copies the payload, and goes on. What the program writes then is not seen.
/// (Planted: a sender that waits for its receiver; a receiver that reads what has changed.)
/// SEMANTICS: FLOW-4
#[test]
fn a_sender_waits_for_no_receiver() {
    let ranks = pair(1 << 20);
    let mut payload = bytes(3);
    let id = lend(&ranks[0], 1, &payload);
    progress(&ranks[0]);
    assert!(!is_sent(&ranks[0], id), "it has some patience");
    // Looks count, and not the time between them.
    thread::sleep(PATIENCE);
    progress(&ranks[0]);
    assert!(!is_sent(&ranks[0], id), "it computed meanwhile");
    ranks[0].with_engine(|engine| engine.wait_sent(id)).unwrap().unwrap();
    payload.fill(0);
    settle_all(&ranks);
    let Message { data, .. } = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it is there");
    assert!(data == bytes(3));
    assert_eq!((stats(&ranks[0]).sleeps, stats(&ranks[1]).payloads_fetched), (0, 0));
}

/// Nor does one that does not know yet whether its receiver can read its memory, nor the next one: they are
/// copied at once. (Planted: a payload that is not lent and waits for room at its receiver's, which hangs.)
/// SEMANTICS: FLOW-4
#[test]
fn blocking_sends_in_a_ring_wait_for_nobody() {
    let ranks = worlds(3, &Config { eager_bytes: 4096, ..Config::new(3) });
    for round in 0..4 {
        for (rank, comm) in ranks.iter().enumerate() {
            comm.send((rank + 1) % 3, 1, &bytes(round + rank)).unwrap();
            comm.send((rank + 1) % 3, 2, &bytes(round + rank + 3)).unwrap();
        }
        for (rank, comm) in ranks.iter().enumerate() {
            let before = (rank + 2) % 3;
            let (mut first, mut second) = (vec![0; LEN], vec![0; LEN]);
            comm.recv_into(&mut first, before, 1).unwrap();
            comm.recv_into(&mut second, before, 2).unwrap();
            assert!(first == bytes(round + before) && second == bytes(round + before + 3));
        }
        settle_all(&ranks);
    }
    assert!(ranks.iter().all(|comm| stats(comm).sleeps == 0));
}

/// A receiver that sends nothing large itself lets its sender know all the same that it can read what is lent.
/// SEMANTICS: FLOW-4
#[test]
fn what_goes_one_way_is_lent_too() {
    let ranks = worlds(2, &Config { eager_bytes: 4096, ..Config::new(2) });
    for round in 0..3 {
        let (payload, mut room) = (bytes(round), vec![0; LEN]);
        let posted = post_into(&ranks[1], 1, &mut room);
        let id = lend(&ranks[0], 1, &payload);
        settle_all(&ranks);
        assert!(is_sent(&ranks[0], id));
        assert_eq!(finish_into(&ranks[1], posted, &mut room), Ok(LEN));
        assert!(room == payload, "round {round}");
        settle_all(&ranks);
    }
    assert_eq!(stats(&ranks[1]).payloads_fetched, 2, "all but the first");
}

/// A receiver that the post itself finds gone reads nothing: what it was lent is the program's at once. (Planted: it stays lent until
/// somebody notes the loss.)
/// SEMANTICS: FLOW-4, END-2
#[test]
fn what_is_lent_to_one_that_has_gone_is_taken_back() {
    let mut ranks = pair(1 << 20);
    drop(ranks.pop());
    let payload = bytes(1);
    let id = lend(&ranks[0], 1, &payload);
    let left = ranks[0].with_engine(|engine| (engine.is_sent(id), engine.patience_with(id)));
    assert_eq!(left.unwrap(), (true, None));
    drop(payload);
    ranks[0].with_engine(|engine| engine.progress()).unwrap().unwrap();
}

/// Nor does one that only polls.
/// SEMANTICS: FLOW-4
#[test]
fn a_sender_that_polls_has_its_memory_back() {
    let ranks = pair(1 << 20);
    let payload = bytes(2);
    let id = lend(&ranks[0], 1, &payload);
    let mut polls = (0..1_000_000).inspect(|_| progress(&ranks[0]));
    assert!(polls.any(|_| is_sent(&ranks[0], id)));
}

/// A call that has room for all of it gets no piece.
struct Whole(Vec<u8>);

impl Destination for &mut Whole {
    fn whole(&mut self) -> Option<&mut [u8]> {
        Some(&mut self.0)
    }

    fn put(&mut self, _: usize, _: &[u8]) {
        panic!("it is copied once more");
    }
}

/// SEMANTICS: FLOW-4
#[test]
fn a_call_that_waits_reads_it_into_its_memory() {
    let ranks = pair(1 << 20);
    let payload = bytes(1);
    let _ = lend(&ranks[0], 1, &payload);
    let context = ranks[1].context_in(Lane::Program);
    let mut into = Whole(vec![0; LEN]);
    let received = ranks[1].with_engine(|engine| {
        let refuse = |_: &_| MessageError::NothingCanArrive;
        engine.recv_pieces(context, from(0, 1), |_| true, refuse, |info| info.len, &mut into)
    });
    assert_eq!(received.unwrap(), Ok(LEN));
    assert!(into.0 == payload);
}

/// Of more than the heap has room for, nothing is lost, and what is received late is right.
/// SEMANTICS: FLOW-4
#[test]
fn what_has_no_room_for_a_copy_stays_lent() {
    let ranks = pair(8192);
    let payload = bytes(4);
    let id = lend(&ranks[0], 1, &payload);
    for _ in 0..1000 {
        progress(&ranks[0]);
    }
    assert!(!is_sent(&ranks[0], id));
    settle_all(&ranks);
    let Message { data, .. } = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it is there");
    assert!(data == payload);
    settle_all(&ranks);
    assert!(is_sent(&ranks[0], id));
}

/// A program that takes its memory back leaves a copy, whether the heap has room for one or not.
/// (Planted: one that is told it has it back, and nothing is copied.)
/// SEMANTICS: FLOW-4
#[test]
fn what_is_reclaimed_is_received_all_the_same() {
    for heap_bytes in [8192, 1 << 20] {
        let ranks = pair(heap_bytes);
        let mut payload = bytes(5);
        let id = lend(&ranks[0], 1, &payload);
        assert!(ranks[0].with_engine(|engine| engine.reclaim(id)).unwrap());
        payload.fill(0);
        settle_all(&ranks);
        let Message { data, .. } = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it is there");
        assert!(data == bytes(5), "{heap_bytes}");
        settle_all(&ranks);
        assert!(is_sent(&ranks[0], id));
    }
}

/// A receive that names no memory, and is not waited for, reads it all the same: else two that send to each other
/// more than their heaps have room for would wait for ever.
/// SEMANTICS: FLOW-4
#[test]
fn a_receive_without_memory_frees_its_sender() {
    let ranks = pair(8192);
    let payload = bytes(6);
    let posted = ranks[1].irecv::<u8>(0, 1).unwrap();
    let id = lend(&ranks[0], 1, &payload);
    progress(&ranks[1]);
    progress(&ranks[0]);
    assert!(is_sent(&ranks[0], id));
    assert!(posted.wait().unwrap().data == payload);
}

/// A receive that is cancelled when its memory is full gives the message back, as it is.
/// (Planted: one that is lost; one that lies in the memory still.)
/// SEMANTICS: FLOW-4, ORD-2
#[test]
fn a_cancelled_receive_gives_the_message_back() {
    let ranks = pair(1 << 20);
    let (payload, mut room) = (bytes(7), vec![0; LEN + 100]);
    let posted = post_into(&ranks[1], 1, &mut room);
    let _ = lend(&ranks[0], 1, &payload);
    progress(&ranks[1]);
    assert!(room[..LEN] == payload);
    ranks[1].with_engine(|engine| engine.cancel_recv(posted)).unwrap();
    room.fill(0);
    let Message { data, .. } = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it came");
    assert!(data == payload);
}

/// A call that is unwound leaves its receive posted, and not its memory.
/// (Planted: a receive that has the memory still, and what was brought there.)
/// SEMANTICS: FLOW-4
#[test]
fn a_call_that_is_unwound_has_its_memory_back() {
    let ranks = pair(1 << 20);
    let (payload, mut room) = (bytes(11), vec![0; LEN]);
    let context = ranks[1].context_in(Lane::Program);
    let posted = ranks[1].with_engine(|engine| engine.post_recv(context, from(0, 1)));
    let posted = posted.unwrap().unwrap();
    let _ = lend(&ranks[0], 1, &payload);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        ranks[1].with_engine(|engine| {
            let accept = |_: &_| -> Result<(), MessageError> { panic!("as a handler may") };
            engine.finish_recv_into(posted, Source::Rank(0), accept, Memory(&mut room)).map(drop)
        })
    }));
    assert!(unwound.is_err());
    // It was brought there, and is the program's to write.
    assert!(room == payload);
    room.fill(0);
    ranks[1].with_engine(|engine| engine.cancel_recv(posted)).unwrap();
    assert!(ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it came").data == payload);
}

/// What waits to leave is taken back before its receiver knows of it, and leaves as it was.
/// SEMANTICS: FLOW-4
#[test]
fn what_has_not_left_is_taken_back_too() {
    let ranks = pair(8192);
    let mut payload = bytes(12);
    // One more than its receiver has room for.
    let window = Config::new(2).window_messages;
    for _ in 0..window {
        ranks[0].isend(1, 5, &[1u8]).unwrap();
    }
    let id = lend(&ranks[0], 1, &payload);
    assert!(ranks[0].with_engine(|engine| engine.reclaim(id)).unwrap());
    payload.fill(0);
    for _ in 0..window {
        settle_all(&ranks);
        assert!(ranks[1].try_recv::<u8>(0, 5).unwrap().is_some());
    }
    let mut polls = (0..100).inspect(|_| settle_all(&ranks));
    let found = polls.find_map(|_| ranks[1].try_recv::<u8>(0, 1).unwrap());
    assert!(found.expect("it leaves now").data == bytes(12));
}

/// What is cancelled before it leaves stands in nobody's way. (Planted: its number and its place stay in use.)
/// SEMANTICS: FLOW-4
#[test]
fn what_was_cancelled_leaves_no_trace() {
    let ranks = pair(8192);
    let payload = bytes(13);
    let window = Config::new(2).window_messages;
    for _ in 0..window {
        ranks[0].isend(1, 5, &[1u8]).unwrap();
    }
    // More often than payloads have numbers.
    for _ in 0..40 {
        let id = lend(&ranks[0], 1, &payload);
        assert!(ranks[0].with_engine(|engine| engine.cancel_send(id)).unwrap());
    }
    for _ in 0..window {
        settle_all(&ranks);
        assert!(ranks[1].try_recv::<u8>(0, 5).unwrap().is_some());
    }
    settle_all(&ranks);
    let _ = lend(&ranks[0], 2, &payload);
    assert!(ranks[1].try_recv::<u8>(0, 2).unwrap().expect("it is there").data == payload);
    assert_eq!(stats(&ranks[1]).payloads_fetched, 1);
}

/// Memory that is too short is left alone until the call says what becomes of that.
/// SEMANTICS: FLOW-4
#[test]
fn memory_that_is_too_short_is_left_alone() {
    let ranks = pair(1 << 20);
    let (payload, mut room) = (bytes(8), vec![0; LEN - 1]);
    let posted = post_into(&ranks[1], 1, &mut room);
    let _ = lend(&ranks[0], 1, &payload);
    progress(&ranks[1]);
    assert!(room.iter().all(|&byte| byte == 0));
    let source = Source::Rank(0);
    let too_long = |_: &_| Err(MessageError::NothingCanArrive);
    let refused = ranks[1].with_engine(|engine| {
        engine.finish_recv_into(posted, source, too_long, Memory(&mut room)).map(drop)
    });
    assert_eq!(refused.unwrap(), Err(MessageError::NothingCanArrive));
    assert!(room.iter().all(|&byte| byte == 0));
    assert!(ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it was refused").data == payload);
}

/// What is for nobody is not read, and its sender has its memory back.
/// SEMANTICS: FLOW-4, GRP-3
#[test]
fn what_nobody_wants_is_given_back() {
    let ranks = pair(8192);
    let (payload, mut room) = (bytes(9), vec![0; LEN]);
    for is_matched in [false, true] {
        let posted = post_into(&ranks[1], 1, &mut room);
        let id = if is_matched {
            let id = lend(&ranks[0], 1, &payload);
            progress(&ranks[1]);
            id
        } else {
            ranks[1].with_engine(|engine| engine.discard_recv(posted)).unwrap();
            lend(&ranks[0], 1, &payload)
        };
        if is_matched {
            ranks[1].with_engine(|engine| engine.discard_recv(posted)).unwrap();
        }
        settle_all(&ranks);
        assert!(is_sent(&ranks[0], id));
        assert!(ranks[1].try_recv::<u8>(0, 1).unwrap().is_none());
        assert_eq!(room == payload, is_matched);
        room.fill(0);
    }
}

/// Of many, some go the other way, whichever is the better: else no sender would notice that this has changed. What
/// cannot be copied is lent all the same. (Planted: all are lent; what is not the better way is asked for.)
/// SEMANTICS: FLOW-4
#[test]
fn both_ways_are_tried_where_both_are_possible() {
    for (heap_bytes, fetched) in [(1 << 20, 16..=197), (8192, 200..=200)] {
        let ranks = pair(heap_bytes);
        for round in 0..200 {
            let payload = bytes(round);
            let id = lend(&ranks[0], 1, &payload);
            let found = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it is there");
            assert!(found.data == payload, "round {round}");
            settle_all(&ranks);
            assert!(is_sent(&ranks[0], id));
        }
        let count = stats(&ranks[1]).payloads_fetched;
        assert!(fetched.contains(&count), "{count} of 200, with a heap of {heap_bytes} bytes");
    }
    // The same of sends that wait.
    let mut ranks = pair(8192);
    let receiver = ranks.pop().unwrap();
    let receives = thread::spawn(move || {
        (0..20).for_each(|round| assert!(receiver.recv::<u8>(0, 1).unwrap().data == bytes(round)));
        stats(&receiver).payloads_fetched
    });
    (0..20).for_each(|round| ranks[0].send(1, 1, &bytes(round)).unwrap());
    assert_eq!(receives.join().unwrap(), 20);
}

/// Several to one peer, of which the first is lent, received in any order.
/// SEMANTICS: FLOW-4, ORD-2
#[test]
fn several_at_a_time_are_told_apart() {
    let ranks = pair(1 << 20);
    let payloads: Vec<_> = (0..8).map(bytes).collect();
    // So many are lent whatever that takes.
    for round in 0..16 {
        let ids: Vec<_> =
            payloads.iter().zip(0..).map(|(payload, tag)| lend(&ranks[0], tag, payload)).collect();
        for at in 0..payloads.len() {
            let tag = (at * 3 + round) % payloads.len();
            let found = ranks[1].try_recv::<u8>(0, tag as u32).unwrap().expect("it is there");
            assert!(found.data == payloads[tag], "round {round}, tag {tag}");
        }
        settle_all(&ranks);
        assert!(ids.iter().all(|&id| is_sent(&ranks[0], id)));
    }
    let Stats { payloads_read, payloads_fetched, .. } = stats(&ranks[1]);
    assert_eq!((payloads_read, payloads_fetched), (1 + 8 * 16, 16));
}

/// What a rank that returned an error had lent is not taken for something else.
/// SEMANTICS: FLOW-4, END-2
#[test]
fn what_a_failed_rank_had_lent_is_an_error() {
    let mut ranks = pair(8192);
    let (payload, mut room) = (bytes(10), vec![0; LEN]);
    let _ = lend(&ranks[0], 1, &payload);
    settle_all(&ranks);
    let failing = ranks.remove(0);
    failing.with_engine(|engine| engine.end(true)).unwrap().unwrap();
    drop(failing);
    let result = ranks[0].recv_into(&mut room, 0, 1);
    assert!(result.is_err(), "{result:?}");
}

/// What a request owns is lent as well, and comes back. (Planted: a request that copies them.)
/// SEMANTICS: FLOW-4
#[test]
fn what_a_request_owns_is_lent() {
    let ranks = pair(1 << 20);
    let (data, mut room) = (bytes(12), vec![0; LEN]);
    let start = data.as_ptr();
    let posted = post_into(&ranks[1], 1, &mut room);
    let sent = ranks[0].isend_owned(1, 1, data).unwrap();
    assert!(!sent.test().unwrap() && sent.data() == bytes(12), "nobody has read it");
    progress(&ranks[1]);
    assert!(sent.test().unwrap());
    let back = sent.wait().unwrap();
    assert!(back.as_ptr() == start && back == bytes(12));
    assert_eq!(finish_into(&ranks[1], posted, &mut room), Ok(LEN));
    assert!(room == back);
    assert_eq!(stats(&ranks[1]).payloads_fetched, 1);
}

/// One that is dropped before its message was read frees them, and one that is forgotten does not. The messages come all the
/// same, also where there is no room for a copy. (Planted: a request that frees what is lent.)
/// SEMANTICS: FLOW-4
#[test]
fn a_request_that_is_dropped_takes_its_data_back() {
    for heap_bytes in [1 << 20, 8192] {
        let ranks = pair(heap_bytes);
        for round in 0..4 {
            let sent = ranks[0].isend_owned(1, 1, bytes(round)).unwrap();
            match round {
                0..3 => drop(sent),
                _ => std::mem::forget(sent),
            }
            // In the memory that was theirs.
            let others = vec![0xff_u8; LEN];
            settle_all(&ranks);
            let Message { data, .. } = ranks[1].try_recv::<u8>(0, 1).unwrap().expect("it is there");
            assert!(data == bytes(round), "round {round}, heap of {heap_bytes}");
            drop(others);
            settle_all(&ranks);
        }
    }
}
