//! The halves of transfers by themselves. Of the sender's: the stages, what is revoked on each way, and
//! the obstacles. Of the receiver's: in which order payloads begin, and what the sender is told.

use std::time::Duration;

use super::gathering::{Added, Gathering, Payload, Read, ReadEnd, Start};
use super::*;
use crate::sys::time::Instant;

/// The peer that payloads of [`LEAST`] bytes and more are exposed to; 1 reads none.
const READER: Rank = 0;
const LEAST: usize = 8;
const SEGMENT: usize = 4;

struct Sender {
    transfers: Transfers,
    obstacles: Obstacles,
    revoked: Vec<u64>,
}

impl Sender {
    fn new() -> Sender {
        Sender::on(false)
    }

    /// On a network that exposes copies, or not.
    fn on(copies: bool) -> Sender {
        let reading = [Some(Reading { least_bytes: LEAST, copies }), None];
        let transfers = Transfers::new(SEGMENT, reading.into_iter());
        Sender { transfers, obstacles: Obstacles::NONE, revoked: Vec::new() }
    }

    fn open(&mut self, to: Rank, payload: &[u8]) -> u32 {
        let id = self.transfers.open(&mut self.obstacles, to, payload.len());
        self.transfers.keep(to, id, payload);
        id
    }

    /// Exposes a payload at an address; returns its number.
    fn expose(&mut self, to: Rank, id: u32, given: Option<&[u8]>, address: u64) -> Option<u8> {
        let at = |_: Exposable<'_>| Some(RemoteBuffer { address, key: 0 });
        self.transfers
            .expose(&mut self.obstacles, to, id, given, at)
            .map(|exposure| exposure.number)
    }

    fn clear(&mut self, from: Rank, id: u32) -> Result<(), Violation> {
        let revoke = |buffer: RemoteBuffer| self.revoked.push(buffer.address);
        self.transfers.handle_clear_to_send(&mut self.obstacles, from, id, revoke)
    }

    fn reads(&mut self, from: Rank, word: u32) -> Result<(), Violation> {
        let revoke = |buffer: RemoteBuffer| self.revoked.push(buffer.address);
        self.transfers.handle_reads(&mut self.obstacles, from, word, revoke)
    }

    fn close(&mut self, to: Rank, id: u32) {
        let revoke = |buffer: RemoteBuffer| self.revoked.push(buffer.address);
        self.transfers.close(&mut self.obstacles, to, id, revoke);
    }

    fn revoke_all(&mut self) {
        let revoke = |buffer: RemoteBuffer| self.revoked.push(buffer.address);
        self.transfers.revoke_all(&mut self.obstacles, READER, revoke);
    }

    /// Sends the next segment of what is kept.
    fn send(&mut self, to: Rank) -> Option<(u32, Vec<u8>)> {
        let (id, segment) = self.transfers.poll_segment(to)?;
        let segment = segment.to_vec();
        self.transfers.handle_segment_sent(&mut self.obstacles, to, id, segment.len());
        Some((id, segment))
    }

    /// What is in the way, which is what a recount finds.
    fn obstacles(&self) -> Obstacles {
        assert_eq!(self.obstacles, self.transfers.recount());
        self.obstacles
    }
}

// SEMANTICS: FLOW-4
#[test]
fn a_payload_leaves_in_segments_once_there_is_room_for_it() {
    let mut sender = Sender::new();
    let id = sender.open(1, b"0123456789");
    assert_eq!(sender.expose(1, id, None, 1), None, "peer 1 reads nothing");
    assert_eq!((sender.send(1), sender.obstacles()), (None, Obstacles::TRANSFERS));
    assert_eq!(sender.clear(1, id), Ok(()));
    assert_eq!(sender.clear(1, id), Ok(()));
    assert_eq!(sender.transfers.streaming(), [1]);
    let both = Obstacles::TRANSFERS.and(Obstacles::STREAMING);
    for segment in [&b"0123"[..], b"4567", b"89"] {
        assert_eq!(sender.obstacles(), both);
        assert_eq!(sender.send(1), Some((id, segment.to_vec())));
        sender.transfers.settle_streaming(&mut sender.obstacles);
    }
    assert_eq!((sender.send(1), sender.obstacles()), (None, Obstacles::NONE));
    assert!(!sender.transfers.is_owed(1, id));
    assert_eq!(sender.clear(1, id), Err(Violation::UnknownTransfer(id)));
}

// SEMANTICS: FLOW-4
#[test]
fn a_payload_kept_by_the_caller_leaves_in_segments_on_request() {
    let (mut sender, payload) = (Sender::new(), b"01234567");
    let id = sender.transfers.open(&mut sender.obstacles, 1, payload.len());
    assert_eq!(sender.transfers.poll_segment_of(1, id, payload), None);
    assert_eq!(sender.clear(1, id), Ok(()));
    assert_eq!((sender.send(1), sender.obstacles()), (None, Obstacles::TRANSFERS));
    for segment in [b"0123", b"4567"] {
        assert_eq!(sender.transfers.poll_segment_of(1, id, payload), Some(&segment[..]));
        sender.transfers.handle_segment_sent(&mut sender.obstacles, 1, id, SEGMENT);
    }
    assert_eq!((sender.transfers.is_owed(1, id), sender.obstacles()), (false, Obstacles::NONE));
}

// SEMANTICS: FLOW-4, SAFE-1
#[test]
fn an_exposed_payload_is_revoked_once_however_its_transfer_ends() {
    let mut sender = Sender::new();
    let short = sender.open(READER, b"0123");
    assert_eq!(sender.expose(READER, short, None, 9), None);
    let long: Vec<u32> = (0..4).map(|_| sender.open(READER, b"01234567")).collect();
    let given = sender.transfers.open(&mut sender.obstacles, READER, LEAST);
    for (number, &id) in long.iter().enumerate() {
        // The network may have had no room for the request: the exposure stays the same.
        assert_eq!(sender.expose(READER, id, None, number as u64), Some(number as u8));
        assert_eq!(sender.expose(READER, id, None, 99), Some(number as u8));
    }
    assert_eq!(sender.expose(READER, given, None, 4), None, "its payload is with the caller");
    assert_eq!(sender.expose(READER, given, Some(b"01234567"), 4), Some(4));
    // Read; sent in segments instead; closed; and the peer gone.
    assert_eq!(sender.reads(READER, 1 << 0), Ok(()));
    assert_eq!(sender.revoked, [0]);
    assert!(!sender.transfers.is_owed(READER, long[0]));
    assert_eq!(sender.clear(READER, long[1]), Ok(()));
    assert_eq!(sender.revoked, [0, 1]);
    assert_eq!(sender.send(READER), Some((long[1], b"0123".to_vec())));
    sender.close(READER, long[2]);
    sender.close(READER, long[2]);
    assert_eq!(sender.revoked, [0, 1, 2]);
    sender.transfers.cut(READER);
    assert_eq!(sender.revoked, [0, 1, 2], "the peer may be reading");
    assert_eq!(sender.send(READER), None);
    sender.revoke_all();
    sender.revoke_all();
    assert_eq!(sender.revoked, [0, 1, 2, 3, 4]);
    // They stay open, so that it can be told that they have not left.
    assert_eq!(sender.transfers.open_to(READER), 4);
    [short, long[1], long[3], given].into_iter().for_each(|id| sender.close(READER, id));
    sender.transfers.settle_streaming(&mut sender.obstacles);
    assert_eq!((sender.revoked.len(), sender.obstacles()), (5, Obstacles::NONE));
}

/// Its sender has nothing more to do with it: it owes nothing, and nothing stands in the way.
// SEMANTICS: FLOW-4, END-1, SAFE-1
#[test]
fn a_copy_that_is_exposed_is_owed_no_more() {
    let mut sender = Sender::on(true);
    let copied: Vec<u32> = (0..3).map(|_| sender.open(READER, b"01234567")).collect();
    let kept = sender.open(READER, b"01234567");
    for (number, &id) in copied.iter().enumerate() {
        assert!(sender.transfers.is_owed(READER, id));
        assert_eq!(sender.expose(READER, id, None, number as u64), Some(number as u8));
        assert!(!sender.transfers.is_owed(READER, id));
    }
    // One that is not copied is.
    assert_eq!((sender.transfers.owes(READER), sender.obstacles()), (true, Obstacles::TRANSFERS));
    assert_eq!(sender.clear(READER, kept), Ok(()));
    while sender.send(READER).is_some() {}
    sender.transfers.settle_streaming(&mut sender.obstacles);
    assert_eq!((sender.transfers.owes(READER), sender.obstacles()), (false, Obstacles::NONE));
    assert_eq!(sender.transfers.open_to(READER), 3, "the receiver has copies to read");
    assert!(sender.transfers.has_copied());
    // Nobody asks for the segments of what is in its hands already.
    assert_eq!(sender.clear(READER, copied[0]), Err(Violation::UnknownTransfer(copied[0])));
    // Read; and the peer gone.
    assert_eq!(sender.reads(READER, 1 << 1), Ok(()));
    assert_eq!((&sender.revoked[..], sender.transfers.open_to(READER)), (&[1][..], 2));
    sender.transfers.cut(READER);
    sender.revoke_all();
    assert_eq!((&sender.revoked[..], sender.transfers.open_to(READER)), (&[1, 0, 2][..], 0));
    assert!(!sender.transfers.has_copied());
    assert_eq!(sender.obstacles(), Obstacles::NONE);
}

/// What was queued for a peer before may be exposed while it is: that is another payload. (Planted: no
/// regard to whether a payload is given.)
// SEMANTICS: FLOW-4
#[test]
fn one_copy_serves_all_to_whom_it_is_given() {
    let reading = || Some(Reading { least_bytes: LEAST, copies: true });
    let (mut obstacles, mut did) = (Obstacles::NONE, Vec::new());
    let mut transfers = Transfers::new(SEGMENT, (0..4).map(|_| reading()));
    let mut open = |transfers: &mut Transfers, to| transfers.open(&mut obstacles, to, LEAST);
    let queued = open(&mut transfers, 2);
    transfers.keep(2, queued, b"earlier_");
    let ids: Vec<u32> = (0..4).map(|to| open(&mut transfers, to)).collect();
    let mut expose = |transfers: &mut Transfers, to, id, given: Option<&[u8]>, can_share: bool| {
        let exposed = transfers.expose(&mut obstacles, to, id, given, |what| {
            let buffer = match what {
                Exposable::Payload(payload) => {
                    let address = did.len() as u64;
                    did.push(format!("{to} {}", String::from_utf8_lossy(payload)));
                    return Some(RemoteBuffer { address, key: 0 });
                }
                Exposable::Copy(buffer) => buffer,
                Exposable::Kept(buffer) => {
                    did.push(format!("kept {}", buffer.address));
                    return Some(buffer);
                }
            };
            can_share.then_some(buffer)
        });
        exposed.map(|exposure| exposure.buffer.address)
    };
    let payload = Some(&b"01234567"[..]);
    assert_eq!(expose(&mut transfers, 0, ids[0], payload, true), Some(0));
    assert_eq!(transfers.end_one_copy(), None, "that was for one");
    transfers.begin_one_copy();
    assert_eq!(expose(&mut transfers, 1, ids[1], payload, true), Some(1));
    assert_eq!(expose(&mut transfers, 2, queued, None, true), Some(3));
    assert_eq!(expose(&mut transfers, 2, ids[2], payload, true), Some(1));
    assert_eq!(expose(&mut transfers, 3, ids[3], payload, false), Some(4), "where it cannot be");
    assert_eq!(transfers.end_one_copy(), Some((1, RemoteBuffer { address: 1, key: 0 })));
    assert_eq!(transfers.end_one_copy(), None);
    assert_eq!(did, ["0 01234567", "1 01234567", "kept 1", "2 earlier_", "3 01234567"]);
}

/// Behind a copy that was made before lies what no other copy has. So a payload that could not be told of then leaves in
/// segments. (Planted: it is exposed by another copy, when its request leaves.)
// SEMANTICS: COL-11, FLOW-4
#[test]
fn what_has_a_copy_of_its_own_is_exposed_by_no_other() {
    let (mut sender, payload) = (Sender::on(true), b"01234567");
    for _ in 0..exposures::MOST {
        let id = sender.transfers.open(&mut sender.obstacles, READER, LEAST);
        assert!(sender.expose(READER, id, Some(payload), 4).is_some());
    }
    sender.transfers.begin_given_copy(RemoteBuffer { address: 7, key: 0 });
    let id = sender.transfers.open(&mut sender.obstacles, READER, LEAST);
    assert_eq!(sender.expose(READER, id, Some(payload), 4), None, "no number is free");
    sender.transfers.keep(READER, id, payload);
    assert_eq!(sender.transfers.end_one_copy(), None, "its maker gives it back");
    sender.reads(READER, 1).unwrap();
    assert_eq!(sender.expose(READER, id, None, 4), None);
    let another = sender.open(READER, payload);
    assert!(sender.expose(READER, another, None, 4).is_some(), "there is a number for it");
    sender.clear(READER, id).unwrap();
}

// SEMANTICS: SAFE-1
#[test]
fn an_exposure_number_is_reused_only_after_the_receiver_has_named_it() {
    let mut sender = Sender::new();
    assert_eq!(sender.reads(READER, 1), Err(Violation::NotExposed));
    let mut sender = Sender::new();
    let first = sender.open(READER, b"01234567");
    assert_eq!(sender.expose(READER, first, None, 0), Some(0));
    // The receiver may still name a payload that was revoked.
    sender.close(READER, first);
    let second = sender.open(READER, b"01234567");
    assert_eq!(sender.expose(READER, second, None, 1), Some(1));
    assert_eq!(sender.reads(READER, 1), Ok(()));
    assert!(sender.transfers.is_owed(READER, second));
    let third = sender.open(READER, b"01234567");
    assert_eq!(sender.expose(READER, third, None, 2), Some(0));
}

/// What a receiver gathers from peer 0: payloads that were read are strings, segments have no
/// descriptors.
struct Receiver {
    gathering: Gathering<&'static str, ()>,
    obstacles: Obstacles,
}

impl Receiver {
    fn new() -> Receiver {
        Receiver { gathering: Gathering::new(1, 4), obstacles: Obstacles::NONE }
    }

    /// A receive has matched a request, whose payload is exposed at the address of its number, if it
    /// is.
    fn add(&mut self, transfer: u32, len: usize, number: Option<u8>) -> usize {
        let exposure = number.map(|number| {
            assert!(self.gathering.handle_exposed(0, number));
            Exposure { number, buffer: at(number) }
        });
        let room = exposure.is_none().then(Vec::new);
        self.gathering.add(&mut self.obstacles, 0, (transfer, len), (room, exposure))
    }

    fn start(&mut self) -> Option<Start> {
        self.gathering.poll_start(&mut self.obstacles, 0)
    }

    fn segment(&mut self, transfer: u32, bytes: &[u8]) -> Result<Added, Violation> {
        self.gathering.handle_segment(&mut self.obstacles, 0, transfer, bytes)
    }

    fn read(&mut self, payload: Option<&'static str>) -> ReadEnd<&'static str> {
        let payload = payload.map(|payload| (payload, payload.len()));
        self.gathering.handle_read(&mut self.obstacles, 0, payload, false)
    }

    /// Reads the next payload where it lies with the peer.
    fn read_in_place(&mut self, payload: &'static str) -> ReadEnd<&'static str> {
        self.read_so_far(payload, payload.len())
    }

    /// The same, of which so many bytes are there.
    fn read_so_far(&mut self, payload: &'static str, here: usize) -> ReadEnd<&'static str> {
        assert!(matches!(self.start(), Some(Start::Read(..))));
        self.gathering.handle_read_begun(0);
        self.gathering.handle_read(&mut self.obstacles, 0, Some((payload, here)), true)
    }

    fn take(&mut self, slot: usize) -> Option<Vec<u8>> {
        self.gathering.take(&mut self.obstacles, slot).map(|payload| match payload {
            Payload::Gathered(payload) => payload,
            Payload::Read(read) => read.payload.as_bytes().to_vec(),
        })
    }

    fn is_settled(&self) -> bool {
        assert_eq!(self.obstacles, self.gathering.recount());
        self.gathering.is_empty()
    }
}

fn at(number: u8) -> RemoteBuffer {
    RemoteBuffer { address: number.into(), key: 0 }
}

// SEMANTICS: FLOW-4, SAFE-1
#[test]
fn payloads_begin_one_at_a_time_and_accept_only_their_own_segments() {
    let mut receiver = Receiver::new();
    let (first, second) = (receiver.add(7, 6, None), receiver.add(5, 2, None));
    assert_eq!(
        receiver.segment(7, b"abc"),
        Err(Violation::UnknownTransfer(7)),
        "it was not asked for"
    );
    assert_eq!(receiver.start(), Some(Start::Clear(7)));
    receiver.gathering.handle_cleared(0);
    assert_eq!(receiver.start(), None);
    assert_eq!(receiver.segment(5, b"ab"), Err(Violation::UnknownTransfer(5)));
    assert_eq!(receiver.segment(7, b"abcd").map(|added| added.whole), Ok(false));
    let too_much = Err(Violation::TooMuchPayload { transfer: 7 });
    assert_eq!(receiver.segment(7, b"efg"), too_much);
    assert_eq!(receiver.take(first), None);
    let whole = Added { whole: true, is_kept: false, tells: false };
    assert_eq!(receiver.segment(7, b"ef"), Ok(whole));
    assert_eq!(receiver.take(first).as_deref(), Some(&b"abcdef"[..]));
    assert_eq!(receiver.start(), Some(Start::Clear(5)));
    receiver.gathering.handle_cleared(0);
    // Nobody receives it any more: what comes is thrown away.
    assert_eq!(receiver.gathering.discard(&mut receiver.obstacles, second), None);
    assert!(!receiver.is_settled());
    assert_eq!(receiver.segment(5, b"ab").map(|added| added.whole), Ok(true));
    assert!(receiver.is_settled());
}

// SEMANTICS: FLOW-4
#[test]
fn an_exposed_payload_is_read_or_skipped_or_sent_in_segments() {
    let mut receiver = Receiver::new();
    let slots: Vec<_> = (0..4).map(|number| receiver.add(9, 3, Some(number))).collect();
    assert!(!receiver.gathering.handle_exposed(0, 3), "the number stands for another");
    assert_eq!(receiver.start(), Some(Start::Read(at(0), 3)));
    assert_eq!(receiver.read(Some("old")), ReadEnd::Unknown);
    receiver.gathering.handle_read_begun(0);
    assert_eq!((receiver.start(), receiver.gathering.is_reading()), (None, true));
    assert_eq!(receiver.read(Some("abc")), ReadEnd::Done);
    assert_eq!((receiver.gathering.reads_word(0), receiver.gathering.is_reading()), (0b1, false));
    assert_eq!(receiver.take(slots[0]).as_deref(), Some(&b"abc"[..]));
    // The next is not wanted any more before it begins, and that after it while it is read.
    assert_eq!(receiver.gathering.discard(&mut receiver.obstacles, slots[1]), None);
    assert_eq!(receiver.start(), Some(Start::Skipped));
    assert_eq!(receiver.gathering.reads_word(0), 0b11);
    assert_eq!(receiver.start(), Some(Start::Read(at(2), 3)));
    receiver.gathering.handle_read_begun(0);
    assert_eq!(receiver.gathering.forget(&mut receiver.obstacles, 0, slots[2]), None);
    let unwanted = ReadEnd::Unwanted(Read { payload: "def", untold: None, len: 3, taken: None });
    assert_eq!(receiver.read(Some("def")), unwanted);
    assert_eq!(receiver.gathering.reads_word(0), 0b111);
    // The network has no room for the last.
    assert_eq!(receiver.start(), Some(Start::Read(at(3), 3)));
    receiver.gathering.gather_instead(0, Vec::new());
    assert_eq!(receiver.start(), Some(Start::Clear(9)));
    receiver.gathering.handle_cleared(0);
    let whole = Added { whole: true, is_kept: false, tells: true };
    assert_eq!(receiver.segment(9, b"ghi"), Ok(whole));
    assert_eq!(receiver.take(slots[3]).as_deref(), Some(&b"ghi"[..]));
    assert_eq!((receiver.gathering.reads_word(0), receiver.is_settled()), (0b1111, true));
}

/// On each way out of its slot its sender can be told, and is not before.
// SEMANTICS: FLOW-4
#[test]
fn a_payload_that_is_read_in_place_is_told_of_when_it_is_released() {
    let mut receiver = Receiver::new();
    let slots: Vec<_> = (0..4).map(|number| receiver.add(9, 3, Some(number))).collect();
    let read = |number| Read { payload: "abc", untold: Some((0, number)), len: 3, taken: None };
    // Several lie there at a time. Nobody receives the last.
    for _ in 0..3 {
        assert_eq!(receiver.read_in_place("abc"), ReadEnd::Done);
    }
    assert_eq!(receiver.gathering.discard(&mut receiver.obstacles, slots[3]), None);
    let Start::Skipped = receiver.start().unwrap() else { panic!("it is read") };
    assert_eq!(
        (receiver.gathering.reads_word(0), receiver.gathering.is_reading()),
        (0b1000, false)
    );
    let taken = receiver.gathering.take(&mut receiver.obstacles, slots[0]);
    let Some(Payload::Read(taken)) = taken else { panic!("it was read") };
    let discarded = receiver.gathering.discard(&mut receiver.obstacles, slots[1]);
    let forgotten = receiver.gathering.forget(&mut receiver.obstacles, 0, slots[2]);
    let all = [Some(taken), discarded, forgotten];
    assert_eq!(all, [Some(read(0)), Some(read(1)), Some(read(2))]);
    assert_eq!((receiver.gathering.reads_word(0), receiver.is_settled()), (0b1000, true));
    for (from, number) in all.into_iter().flatten().filter_map(|read| read.untold) {
        receiver.gathering.handle_released(from, number);
    }
    assert_eq!(receiver.gathering.reads_word(0), 0b1111);
}

/// One that its sender still copies. It can be discarded and given up like any other.
// SEMANTICS: FLOW-4
#[test]
fn a_payload_is_whole_when_its_copy_is() {
    let mut receiver = Receiver::new();
    let slots: Vec<_> = (0..3).map(|number| receiver.add(9, 3, Some(number))).collect();
    for here in [1, 3, 0] {
        assert_eq!(receiver.read_so_far("abc", here), ReadEnd::Done);
    }
    let is_whole = |receiver: &Receiver| [0, 1, 2].map(|at| receiver.gathering.is_whole(slots[at]));
    assert_eq!(
        (is_whole(&receiver), receiver.gathering.has_filling()),
        ([false, true, false], true)
    );
    assert_eq!(receiver.take(slots[0]), None);
    let discarded = receiver.gathering.discard(&mut receiver.obstacles, slots[2]);
    assert_eq!(discarded.map(|read| (read.untold, read.taken)), Some((Some((0, 2)), Some(0))));
    receiver.gathering.read_of(slots[0]).unwrap().taken = None;
    assert_eq!(
        (is_whole(&receiver), receiver.gathering.has_filling()),
        ([true, true, false], false)
    );
    assert_eq!(receiver.take(slots[0]), Some(b"abc".to_vec()));
    let forgotten = receiver.gathering.forget(&mut receiver.obstacles, 0, slots[1]);
    assert!(forgotten.is_some() && receiver.is_settled());
}

// SEMANTICS: END-2
#[test]
fn no_transfer_begins_after_a_failed_read() {
    let mut receiver = Receiver::new();
    let (first, second) = (receiver.add(1, 3, Some(0)), receiver.add(2, 3, None));
    receiver.gathering.handle_read_begun(0);
    assert_eq!(receiver.read(None), ReadEnd::Failed);
    assert_eq!((receiver.start(), receiver.gathering.is_reading()), (None, false));
    assert_eq!(receiver.segment(1, b"abc"), Err(Violation::UnknownTransfer(1)));
    for slot in [first, second] {
        assert_eq!(receiver.gathering.forget(&mut receiver.obstacles, 0, slot), None);
    }
    assert_eq!((receiver.gathering.reads_word(0), receiver.is_settled()), (0, true));
}

/// The receiver was not told of it: no peer gives its number back. (Planted: a number that stays in use.)
/// SEMANTICS: FLOW-4
#[test]
fn what_was_exposed_for_a_request_that_did_not_leave_is_withdrawn() {
    let mut sender = Sender::new();
    for round in 0..2 * u64::from(exposures::MOST) {
        let id = sender.open(READER, b"01234567");
        assert_eq!(sender.expose(READER, id, None, round), Some(0));
        sender.transfers.withdraw(READER, id, |buffer| sender.revoked.push(buffer.address));
        sender.transfers.withdraw(READER, id, |_| panic!("it is exposed no more"));
        assert_eq!(sender.revoked.last(), Some(&round));
        assert!(sender.transfers.is_owed(READER, id));
        sender.close(READER, id);
    }
    assert_eq!(sender.obstacles(), Obstacles::NONE);
}

/// What is lent is kept as it is, what is the same for several as one copy, and else each is a copy. Memory is its
/// owner's alone again once the last transfer of it has ended. (Planted: a payload that is shared for ever; a copy for
/// each.)
/// SEMANTICS: FLOW-4
#[test]
fn memory_that_is_shared_is_not_copied() {
    let mut sender = Sender::new();
    let start = |sender: &Sender, to| sender.transfers.poll_segment(to).expect("some").1.as_ptr();
    let lent: Arc<Vec<u8>> = Arc::new(b"lent____".to_vec());
    sender.transfers.begin_sharing(lent.clone());
    let (first, second) = (sender.open(0, &lent), sender.open(1, &lent));
    sender.transfers.end_giving();
    let copied = sender.open(1, &lent);
    for (to, id) in [(0, first), (1, second)] {
        sender.clear(to, id).unwrap();
        assert_eq!(start(&sender, to), lent.as_ptr());
        assert!(Arc::strong_count(&lent) > 1);
        sender.close(to, id);
    }
    assert_eq!(Arc::strong_count(&lent), 1);
    sender.clear(1, copied).unwrap();
    assert_ne!(start(&sender, 1), lent.as_ptr());
    sender.close(1, copied);

    sender.transfers.begin_one_copy();
    let (first, second) = (sender.open(0, b"the same"), sender.open(1, b"the same"));
    assert_eq!(sender.transfers.end_one_copy(), None);
    sender.clear(0, first).unwrap();
    sender.clear(1, second).unwrap();
    assert_eq!(start(&sender, 0), start(&sender, 1));
    let other = sender.open(1, b"another_");
    sender.close(1, second);
    sender.clear(1, other).unwrap();
    assert_ne!(start(&sender, 0), start(&sender, 1));
}

/// A sender's times decide, of the receiver and the length that they are of; those of a wait in which it computed do not.
/// (Planted: times of another receiver count; times of a wait that was none.)
///
/// SEMANTICS: FLOW-4
#[test]
fn the_faster_way_of_both_is_taken() {
    const OTHER: Rank = 1;
    let us = Duration::from_micros;
    let reading = || Some(Reading { least_bytes: LEAST, copies: true });
    let (payload, longest) = (vec![0; 16 << 10], us(2));
    for (waited, copied, is_lent) in [(20, 5, false), (4, 5, true)] {
        let mut transfers = Transfers::new(SEGMENT, [reading(), reading()].into_iter());
        let (mut obstacles, mut read) = (Obstacles::NONE, [0; 2]);
        // Whether the next is lent; if so, it is waited for, for so long beside so long a computation.
        let mut next = |to, waited: Duration, computed: Duration| {
            let id = transfers.open(&mut obstacles, to, payload.len());
            let at = |_: &[u8]| Some(RemoteBuffer { address: 8, key: 0 });
            // SAFETY: it is closed before the payload changes.
            let lent = unsafe { transfers.lend(to, (id, &payload), LendWhen::Better, at) };
            if let Some(exposure) = &lent {
                let until = Instant::now().after(waited + computed).expect("a time");
                transfers.handle_waited(0, waited);
                transfers.handle_lent_until(0, until, (false, longest));
                transfers.handle_settled(&mut obstacles, to, id);
                // Its number is free again.
                read[to] ^= 1 << exposure.number;
                transfers.handle_reads(&mut obstacles, to, read[to], |_| {}).expect("it was lent");
            } else {
                transfers.handle_copied_in(to, payload.len(), (us(copied), false));
                transfers.close(&mut obstacles, to, id, |_| {});
            }
            lent.is_some()
        };
        let mut lent_of = |to, waited, computed| {
            (0..64 * 3).filter(|_| next(to, us(waited), us(computed))).count()
        };
        lent_of(READER, waited, 0);
        let lent = lent_of(READER, waited, 0);
        assert_eq!(lent, if is_lent { 64 * 3 - 9 } else { 9 }, "{waited} and {copied} us");
        // To the other nothing is known of lending, which was never waited for alone.
        assert_eq!(lent_of(OTHER, 1, 1000), 64 * 3 - 9);
    }
}
