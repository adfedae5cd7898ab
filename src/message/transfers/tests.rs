//! The sender's half of transfers by itself: their stages, what is revoked on each way, and the
//! obstacles.

use super::*;

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
        let transfers = Transfers::new(SEGMENT, [Some(LEAST), None].into_iter());
        Sender { transfers, obstacles: Obstacles::NONE, revoked: Vec::new() }
    }

    fn open(&mut self, to: Rank, payload: &[u8]) -> u32 {
        let kept = Some(payload.to_vec());
        self.transfers.open(&mut self.obstacles, to, payload.len(), kept)
    }

    /// Exposes a payload at an address; returns its number.
    fn expose(&mut self, to: Rank, id: u32, given: Option<&[u8]>, address: u64) -> Option<u8> {
        let at = |_: &[u8]| Some(RemoteBuffer { address, key: 0 });
        self.transfers.expose(to, id, given, at).map(|exposure| exposure.number)
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
    assert!(!sender.transfers.is_open(1, id));
    assert_eq!(sender.clear(1, id), Err(Violation::UnknownTransfer(id)));
}

// SEMANTICS: FLOW-4
#[test]
fn what_the_caller_keeps_leaves_in_segments_and_is_no_stream() {
    let (mut sender, payload) = (Sender::new(), b"01234567");
    let id = sender.transfers.open(&mut sender.obstacles, 1, payload.len(), None);
    assert_eq!(sender.transfers.poll_segment_of(1, id, payload), None);
    assert_eq!(sender.clear(1, id), Ok(()));
    assert_eq!((sender.send(1), sender.obstacles()), (None, Obstacles::TRANSFERS));
    for segment in [b"0123", b"4567"] {
        assert_eq!(sender.transfers.poll_segment_of(1, id, payload), Some(&segment[..]));
        sender.transfers.handle_segment_sent(&mut sender.obstacles, 1, id, SEGMENT);
    }
    assert_eq!((sender.transfers.is_open(1, id), sender.obstacles()), (false, Obstacles::NONE));
}

// SEMANTICS: FLOW-4, SAFE-1
#[test]
fn an_exposed_payload_is_revoked_once_on_each_way() {
    let mut sender = Sender::new();
    let short = sender.open(READER, b"0123");
    assert_eq!(sender.expose(READER, short, None, 9), None);
    let long: Vec<u32> = (0..4).map(|_| sender.open(READER, b"01234567")).collect();
    let given = sender.transfers.open(&mut sender.obstacles, READER, LEAST, None);
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
    assert!(!sender.transfers.is_open(READER, long[0]));
    assert_eq!(sender.clear(READER, long[1]), Ok(()));
    assert_eq!(sender.revoked, [0, 1]);
    assert_eq!(sender.send(READER), Some((long[1], b"0123".to_vec())));
    sender.close(READER, long[2]);
    sender.close(READER, long[2]);
    assert_eq!(sender.revoked, [0, 1, 2]);
    sender.transfers.cut(READER);
    assert_eq!(sender.revoked, [0, 1, 2], "the peer may be reading");
    assert_eq!(sender.send(READER), None);
    let revoked = &mut sender.revoked;
    sender.transfers.revoke_all(READER, |buffer| revoked.push(buffer.address));
    sender.transfers.revoke_all(READER, |_| panic!("it was revoked before"));
    assert_eq!(sender.revoked, [0, 1, 2, 3, 4]);
    // They stay open, so that it can be told that they have not left.
    assert_eq!(sender.transfers.open_to(READER), 4);
    [short, long[1], long[3], given].into_iter().for_each(|id| sender.close(READER, id));
    sender.transfers.settle_streaming(&mut sender.obstacles);
    assert_eq!((sender.revoked.len(), sender.obstacles()), (5, Obstacles::NONE));
}

// SEMANTICS: SAFE-1
#[test]
fn a_number_is_used_again_only_after_the_receiver_has_named_it() {
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
    assert!(sender.transfers.is_open(READER, second));
    let third = sender.open(READER, b"01234567");
    assert_eq!(sender.expose(READER, third, None, 2), Some(0));
}
