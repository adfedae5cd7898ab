//! A hostile peer below the message layer: rank 0 uses its interface to shared memory, and rank 1, besides
//! doing the same, writes any bytes anywhere into that memory between any two steps. Rank 0 may get wrong
//! messages, lose some, or be told that the peer wrote what is impossible; then it counts as gone. As long
//! as nobody has scribbled, every message arrives, in order and as it was sent.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use std::collections::VecDeque;
use std::time::Duration;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::internals::provider::shm::{Frame, Segment, ShmNic};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{
    Cq, LentEnd, Nic, Offer as _, PeerState, PostError, PutMode, ROOM_WORDS, ReadCompletion,
    RegionKey, Reliability, RemoteBuffer, RemoteRead, RemoteWords, Revoke, Room as _, SharedWords,
    VerbsError, Vi, ViSpec, WakeOn,
};

use scribbler::{Scribble, Scribbler};

#[path = "../shared/scribbler.rs"]
mod scribbler;

const DESCRIPTORS: [u32; 2] = [3, 2];
const LONGEST: [usize; 2] = [200, 32];
const SHARED_WORDS: usize = 8;
const HEAP_BYTES: usize = 16 << 12;
/// Shorter payloads are copied before their receiver is told.
const FOLLOWED_BYTES: usize = 32 << 10;

#[derive(Arbitrary, Debug)]
enum Step {
    Send {
        hostile: bool,
        queue: bool,
        header: u8,
        payload: u8,
        byte: u8,
    },
    /// Rank 1 sends, and changes what it has written for that; then rank 0 takes it, if it does.
    Lie {
        queue: bool,
        payload: u8,
        scribble: Scribble,
        taken: bool,
    },
    Poll {
        hostile: bool,
        queue: bool,
    },
    /// Looks again at what it holds, then gives it back.
    Return {
        hostile: bool,
        which: u8,
    },
    Wait {
        any: bool,
        queues: u16,
    },
    Register {
        words: u8,
    },
    Put {
        hostile: bool,
        key: u8,
        word: u8,
        value: u64,
    },
    Read {
        key: u8,
        word: u8,
    },
    Shared {
        word: u8,
        value: u64,
    },
    Ring {
        hostile: bool,
    },
    /// A payload is exposed, and read by the other, which is told where it lies, or something else.
    Expose {
        hostile: bool,
        len: u16,
        lie: Option<(u64, u64)>,
        given_back: bool,
    },
    /// A payload is lent, and copied or not, and taken by the other.
    Lend {
        hostile: bool,
        len: u16,
        copies: bool,
    },
    /// A payload is copied while the other reads it, and somebody may write between.
    Fill {
        hostile: bool,
        len: u16,
        between: Option<Scribble>,
    },
    /// A payload is offered, and accepted or withdrawn; where it lies may be told wrong. Somebody may write between.
    Offer {
        hostile: bool,
        len: u16,
        lie: Option<(u64, u16)>,
        withdrawn: bool,
        between: Option<Scribble>,
    },
    /// A payload with a room behind it, whose owner tells and writes something there. Somebody may write between.
    Room {
        hostile: bool,
        len: u16,
        bytes: u16,
        told: u16,
        between: Option<Scribble>,
    },
    Scribble(Scribble),
    /// The segment is opened by somebody who comes late, and may be told another size.
    Open {
        size: u8,
        rank: u8,
    },
    Leave,
}

#[derive(Arbitrary, Debug)]
struct Input {
    unreliable: bool,
    /// Rank 0 joins after these were written.
    before: Vec<Scribble>,
    steps: Vec<Step>,
}

struct Rank {
    nic: ShmNic,
    held: Vec<(Vi, Frame, usize)>,
    /// What the other has sent and this one has not seen, for each queue.
    due: [VecDeque<Vec<u8>>; 2],
}

impl Rank {
    fn peer(&self) -> usize {
        1 - self.nic.rank()
    }
}

fn spec() -> FabricSpec {
    let queue =
        |(recv_descriptors, descriptor_bytes)| QueueSpec { recv_descriptors, descriptor_bytes };
    let queues = DESCRIPTORS.into_iter().zip(LONGEST).map(queue).collect();
    FabricSpec { queues, shared_words: SHARED_WORDS, heap_bytes: HEAP_BYTES }
}

fn join(segment: &Segment, rank: usize, reliability: Reliability) -> Result<Rank, VerbsError> {
    let mut nic = segment.nic(rank, &spec())?;
    for (cq, (recv_descriptors, descriptor_bytes)) in
        DESCRIPTORS.into_iter().zip(LONGEST).enumerate()
    {
        let vi = Vi { peer: 1 - rank, cq: Cq(cq as u8) };
        nic.open_vi(vi, &ViSpec { recv_descriptors, descriptor_bytes, reliability })?;
    }
    Ok(Rank { nic, held: Vec::new(), due: Default::default() })
}

fn send(ranks: &mut [Option<Rank>; 2], from: usize, cq: usize, message: [u8; 3], honest: bool) {
    let [header, payload, byte] = message;
    let Some(rank) = &mut ranks[from] else { return };
    let vi = Vi { peer: 1 - from, cq: Cq(cq as u8) };
    let header = vec![byte; usize::from(header)];
    let payload = vec![!byte; usize::from(payload)];
    let len = header.len() + payload.len();
    match rank.nic.post_send(vi, &header, &payload) {
        Ok(()) => {
            assert!(len <= LONGEST[cq]);
            if honest && let Some(other) = &mut ranks[1 - from] {
                other.due[cq].push_back([header, payload].concat());
            }
        }
        Err(PostError::TooLong { .. }) => assert!(len > LONGEST[cq]),
        Err(PostError::NoDescriptor(_)) => {}
        Err(PostError::PeerGone(_)) => assert!(!honest || ranks[1 - from].is_none()),
        Err(other) => panic!("{other}"),
    }
}

fn poll(rank: &mut Rank, cq: usize, honest: bool) {
    let peer = rank.peer();
    // What is shown is what comes next.
    if let Some(bytes) = rank.nic.peek_recv(Vi { peer, cq: Cq(cq as u8) }) {
        assert!(bytes.len() <= LONGEST[cq]);
        if honest {
            assert_eq!(Some(bytes), rank.due[cq].front().map(|due| &due[..]));
        }
        let len = bytes.len();
        // Some are taken so.
        if len % 3 == 0 {
            rank.nic.take_peeked(Vi { peer, cq: Cq(cq as u8) });
            rank.due[cq].pop_front();
            return;
        }
    }
    match rank.nic.poll_recv(Cq(cq as u8)) {
        Ok(None) => assert!(!honest || rank.due[cq].is_empty(), "a message was lost"),
        Ok(Some(arrived)) => {
            assert_eq!(arrived.peer, peer);
            let bytes = rank.nic.bytes(&arrived.frame);
            assert!(bytes.len() <= LONGEST[cq]);
            if honest {
                assert_eq!(Some(bytes), rank.due[cq].pop_front().as_deref());
            }
            let len = bytes.len();
            rank.held.push((Vi { peer, cq: Cq(cq as u8) }, arrived.frame, len));
            let of_queue = rank.held.iter().filter(|(vi, ..)| vi.cq.0 == cq as u8).count();
            assert!(of_queue <= DESCRIPTORS[cq] as usize, "no more frames than descriptors");
        }
        Err(VerbsError::Corrupted { peer: culprit, .. }) => {
            assert!(!honest);
            assert_eq!(culprit, peer);
            assert_eq!(rank.nic.peer_state(peer), PeerState::Gone);
            let vi = Vi { peer, cq: Cq(cq as u8) };
            assert_eq!(rank.nic.post_send(vi, &[], &[]), Err(PostError::PeerGone(vi)));
        }
        Err(other) => panic!("{other}"),
    }
}

/// Rank `from` lends a payload, and copies it or not; the other takes it.
fn lend(ranks: &mut [Option<Rank>; 2], from: usize, len: usize, copies: bool, honest: bool) {
    let [Some(zero), Some(one)] = ranks else { return };
    let (sender, receiver) = if from == 0 { (zero, one) } else { (one, zero) };
    let payload = vec![len as u8; len];
    let Some(buffer) = sender.nic.lend(1 - from, &payload) else { return };
    let is_copied = copies && sender.nic.copy_lent(1 - from, buffer, &payload);
    let vi = Vi { peer: from, cq: Cq(0) };
    assert!(receiver.nic.post_read(vi, buffer, len));
    let read = receiver.nic.poll_read(vi.cq).expect("it is done at once");
    let Some(mut found) = read.payload else {
        assert!(!honest);
        return sender.nic.revoke(1 - from, buffer, Revoke::AtOnce);
    };
    let mut room = vec![!(len as u8); len];
    let end = receiver.nic.take_lent(from, &mut found, &mut room);
    if honest {
        assert_eq!(end, if is_copied { LentEnd::Copied } else { LentEnd::Taken });
        let bytes = if is_copied { found.as_ref() } else { &room };
        assert!(bytes == payload && sender.nic.is_taken(1 - from, buffer) != is_copied);
    } else if end == LentEnd::Copied {
        assert_eq!(found.as_ref().len(), len);
    }
    receiver.nic.release(found);
    sender.nic.revoke(1 - from, buffer, Revoke::AfterRead);
}

/// Rank `from` copies a payload, which the other follows.
fn fill(
    ranks: &mut [Option<Rank>; 2],
    from: usize,
    len: usize,
    between: impl FnOnce(),
    honest: bool,
) {
    let [Some(zero), Some(one)] = ranks else { return };
    let (sender, receiver) = if from == 0 { (zero, one) } else { (one, zero) };
    let payload: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
    let Some(buffer) = sender.nic.begin_copy(1 - from, len) else { return };
    let vi = Vi { peer: from, cq: Cq(0) };
    assert!(receiver.nic.post_read(vi, buffer, len));
    let read = receiver.nic.poll_read(vi.cq).expect("it is done at once");
    let mut found = read.payload;
    assert!(found.is_some() || !honest);
    let mut look = |is_filled: bool| {
        let Some(found) = &mut found else { return };
        let here = receiver.nic.bytes_here(from, found);
        assert!(here <= len && found.as_ref().len() == here);
        assert!(!honest || here == if is_filled { len } else { 0 });
        assert!(!honest || found.as_ref() == &payload[..here]);
    };
    look(false);
    between();
    look(false);
    sender.nic.fill_copy(1 - from, buffer, &payload);
    look(true);
    found.into_iter().for_each(|found| receiver.nic.release(found));
    sender.nic.revoke(1 - from, buffer, Revoke::AfterRead);
}

/// Rank `from` exposes a payload and the other reads it, by what it is told.
fn expose(
    ranks: &mut [Option<Rank>; 2],
    from: usize,
    len: usize,
    lie: Option<(u64, u64)>,
    given_back: bool,
    honest: bool,
) {
    let [Some(zero), Some(one)] = ranks else { return };
    let (sender, receiver) = if from == 0 { (zero, one) } else { (one, zero) };
    let Some(buffer) = sender.nic.expose(1 - from, &vec![len as u8; len]) else { return };
    let (told, asked) = match lie {
        Some((address, len)) => (RemoteBuffer { address, ..buffer }, len as usize),
        None => (buffer, len),
    };
    let vi = Vi { peer: from, cq: Cq(0) };
    assert!(receiver.nic.post_read(vi, told, asked));
    let read = receiver.nic.poll_read(vi.cq).expect("it is done at once");
    let ReadCompletion { peer, payload } = read;
    assert_eq!(peer, from);
    match payload {
        // Said to be lent. It never was.
        Some(mut payload) if receiver.nic.is_lent(&payload) => {
            assert!(lie.is_some());
            let mut room = vec![0; asked.min(HEAP_BYTES)];
            let end = receiver.nic.take_lent(from, &mut payload, &mut room);
            assert!(!honest || end == LentEnd::Failed);
        }
        Some(mut payload) => {
            let here = receiver.nic.bytes_here(from, &mut payload);
            assert!(
                here == asked || here < asked && lie.is_some(),
                "it is said to be copied still"
            );
            assert_eq!(payload.as_ref().len(), here);
            assert!(asked <= HEAP_BYTES);
            if honest && lie.is_none() {
                assert!(payload.as_ref().iter().all(|&byte| byte == len as u8));
            }
            receiver.nic.release(payload);
        }
        None => {
            assert!(!honest || lie.is_some());
            assert_eq!(receiver.nic.peer_state(from), PeerState::Gone);
        }
    }
    let how = if given_back { Revoke::AfterRead } else { Revoke::AtOnce };
    sender.nic.revoke(1 - from, buffer, how);
}

/// Rank `from` offers a payload; the other accepts it by what it is told, or finds it withdrawn.
fn offer(
    ranks: &mut [Option<Rank>; 2],
    from: usize,
    len: usize,
    lie: Option<(u64, u16)>,
    withdrawn: bool,
    between: impl FnOnce(),
    honest: bool,
) {
    let [Some(zero), Some(one)] = ranks else { return };
    let (sender, receiver) = if from == 0 { (zero, one) } else { (one, zero) };
    let payload = vec![len as u8; len];
    let Some(offer) = sender.nic.offer(1 - from, &payload) else {
        // Nothing is offered to a rank that has not said that it can read; it says so now, if it can.
        let none = RemoteBuffer { address: 0, key: 0 };
        assert!(!honest || !receiver.nic.accept(from, none, &mut []));
        return;
    };
    let buffer = offer.buffer();
    let (told, asked) = match lie {
        Some((address, len)) => (RemoteBuffer { address, ..buffer }, usize::from(len)),
        None => (buffer, len),
    };
    let mut room = vec![!(len as u8); asked];
    between();
    if withdrawn {
        assert!(offer.withdraw() || !honest);
        assert!(!receiver.nic.accept(from, told, &mut room) || !honest);
        return;
    }
    let is_accepted = receiver.nic.accept(from, told, &mut room);
    if honest && lie.is_none() {
        assert!(is_accepted && room == payload);
    }
    if honest {
        assert_eq!(offer.is_accepted(), is_accepted);
        assert_eq!(offer.withdraw(), !is_accepted);
    }
}

/// Rank `from` exposes a payload with a room behind it, and the other reads of both what it is told is there.
fn room(
    ranks: &mut [Option<Rank>; 2],
    from: usize,
    (len, bytes, told): (usize, usize, usize),
    between: impl FnOnce(),
    honest: bool,
) {
    let [Some(zero), Some(one)] = ranks else { return };
    let (sender, receiver) = if from == 0 { (zero, one) } else { (one, zero) };
    let payload = vec![len as u8; len];
    let Some((buffer, mut own)) = sender.nic.open_room(1 - from, &payload, bytes) else { return };
    assert!(sender.nic.share(1 - from, buffer));
    let written = vec![bytes as u8; bytes];
    own.write(0, &written);
    own.store(ROOM_WORDS - 1, bytes as u64);
    between();
    let vi = Vi { peer: from, cq: Cq(0) };
    assert!(receiver.nic.post_read(vi, buffer, len));
    let read = receiver.nic.poll_read(vi.cq).expect("it is done at once");
    match read.payload {
        Some(found) if honest || !receiver.nic.is_lent(&found) => {
            if let Some(behind) = receiver.nic.room_behind(from, &found, told) {
                // What it reads is what it was told is there, at most.
                let mut into = vec![0; told];
                behind.read(0, &mut into);
                if honest {
                    assert_eq!((behind.load(0), behind.load(ROOM_WORDS - 1)), (0, bytes as u64));
                    let both = told.min(bytes);
                    assert!(found.as_ref() == payload && into[..both] == written[..both]);
                }
            } else {
                assert!(!honest || told > bytes);
            }
            receiver.nic.release(found);
        }
        Some(found) => receiver.nic.release(found),
        None => assert!(!honest),
    }
    sender.nic.close_room(buffer, own);
    sender.nic.revoke(1 - from, buffer, Revoke::AfterRead);
}

fuzz_target!(|input: Input| {
    let reliability =
        if input.unreliable { Reliability::Unreliable } else { Reliability::ReliableDelivery };
    let segment = Segment::create(2).expect("memory");
    let Ok(hostile) = join(&segment, 1, reliability) else { panic!("nobody has written yet") };
    let scribbler = Scribbler::new(&segment, &spec());
    let mut honest = input.before.is_empty();
    input.before.iter().take(20).for_each(|scribble| scribbler.scribble(scribble));
    let victim = match join(&segment, 0, reliability) {
        Ok(victim) => victim,
        Err(VerbsError::RankTaken { rank: 0 } | VerbsError::OtherLayout) if !honest => return,
        Err(other) => panic!("{other}"),
    };
    let mut ranks = [Some(victim), Some(hostile)];
    for step in input.steps.iter().take(300) {
        match *step {
            Step::Send { hostile, queue, header, payload, byte } => {
                let kept = honest && !input.unreliable;
                send(&mut ranks, hostile.into(), queue.into(), [header, payload, byte], kept);
            }
            Step::Lie { queue, payload, ref scribble, taken } => {
                honest = false;
                scribbler.look();
                let payload = payload % (LONGEST[usize::from(queue)] as u8 + 1);
                send(&mut ranks, 1, queue.into(), [0, payload, 0], false);
                scribbler.scribble(scribble);
                if let Some(rank) = &mut ranks[0].as_mut().filter(|_| taken) {
                    poll(rank, queue.into(), false);
                }
            }
            Step::Poll { hostile, queue } => {
                if let Some(rank) = &mut ranks[usize::from(hostile)] {
                    poll(rank, queue.into(), honest && !input.unreliable);
                }
            }
            Step::Return { hostile, which } => {
                let Some(rank) = &mut ranks[usize::from(hostile)] else { continue };
                if rank.held.is_empty() {
                    continue;
                }
                let which = usize::from(which) % rank.held.len();
                let (vi, frame, len) = rank.held.swap_remove(which);
                assert_eq!(rank.nic.bytes(&frame).len(), len, "the length was read again");
                rank.nic.post_recv(vi, frame);
            }
            Step::Wait { any, queues } => {
                let wake_on =
                    if any { WakeOn::ANYTHING } else { WakeOn { queues, ..WakeOn::ANYTHING } };
                let Some(rank) = &mut ranks[0] else { continue };
                rank.nic.wait_unless(wake_on, |_| false, Some(Duration::ZERO));
            }
            Step::Register { words } => {
                match ranks[0].as_mut().map(|r| r.nic.register(words.into())) {
                    None | Some(Ok(_) | Err(VerbsError::AboveLimit { .. })) => {}
                    Some(Err(other)) => panic!("{other}"),
                }
            }
            Step::Put { hostile, key, word, value } => {
                let Some(rank) = &mut ranks[usize::from(hostile)] else { continue };
                let (key, peer) = (RegionKey(u32::from(key % 18)), rank.peer());
                let mode = if value % 2 == 0 { PutMode::Silent } else { PutMode::Immediate };
                match rank.nic.post_put(peer, key, word.into(), value, mode) {
                    Ok(true) | Err(VerbsError::NoSuchWord { .. }) => {}
                    other => panic!("{other:?}"),
                }
            }
            Step::Read { key, word } => {
                let Some(rank) = &ranks[0] else { continue };
                let _ = rank.nic.read(rank.peer(), RegionKey(u32::from(key % 18)), word.into());
            }
            Step::Shared { word, value } => {
                let Some(rank) = &ranks[0] else { continue };
                let word = usize::from(word) % SHARED_WORDS;
                rank.nic.store(word, value);
                assert_eq!(rank.nic.load(word), value);
            }
            Step::Ring { hostile } => {
                let Some(rank) = &ranks[usize::from(hostile)] else { continue };
                rank.nic.wake(rank.peer());
                rank.nic.wake_many(0..3);
            }
            Step::Expose { hostile, len, lie, given_back } => {
                let from = usize::from(hostile);
                expose(&mut ranks, from, len.into(), lie, given_back, honest);
                honest &= lie.is_none();
            }
            Step::Lend { hostile, len, copies } => {
                lend(&mut ranks, usize::from(hostile), len.into(), copies, honest);
            }
            Step::Fill { hostile, len, ref between } => {
                honest &= between.is_none();
                let between = || between.iter().for_each(|scribble| scribbler.scribble(scribble));
                let len = FOLLOWED_BYTES + usize::from(len) / 2;
                fill(&mut ranks, hostile.into(), len, between, honest);
            }
            Step::Offer { hostile, len, lie, withdrawn, ref between } => {
                honest &= between.is_none();
                let between = || between.iter().for_each(|scribble| scribbler.scribble(scribble));
                offer(&mut ranks, hostile.into(), len.into(), lie, withdrawn, between, honest);
            }
            Step::Room { hostile, len, bytes, told, ref between } => {
                honest &= between.is_none();
                let between = || between.iter().for_each(|scribble| scribbler.scribble(scribble));
                let lens = (len.into(), bytes.into(), told.into());
                room(&mut ranks, hostile.into(), lens, between, honest);
                // A room beyond the heap ends the connection.
                honest &= told <= bytes;
            }
            Step::Scribble(ref scribble) => {
                honest = false;
                scribbler.scribble(scribble);
            }
            Step::Open { size, rank } => {
                let fd = segment.fd().try_clone_to_owned().expect("a file");
                let size = usize::from(size % 4);
                match Segment::open(fd, size) {
                    Ok(opened) => {
                        let nic = opened.nic(rank.into(), &spec());
                        assert!(!honest || size == 2 && nic.is_err());
                        // It would be one more that leaves in the name of the rank.
                        honest &= nic.is_err();
                    }
                    Err(error) => assert!(!honest || size != 2, "{error}"),
                }
            }
            Step::Leave => ranks[1] = None,
        }
    }
});
