//! Payloads with a room behind them, and payloads that a receiver holds, frame by frame.

use std::sync::{Arc, Mutex};

use runahead::Config;
use runahead::internals::message::{
    BULK, Context, EAGER, Engine, Envelope, Header, Kind, MessageError, Pattern, Source, Tag,
};
use runahead::internals::verbs::{Cq, RemoteBuffer, Revoke, Room, Vi};

use super::scripted::{Access, Script, Scripted};

const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };
const ENVELOPE: Envelope = Envelope { context: Context::WORLD, tag: 0, element: 0 };
const BUFFER: RemoteBuffer = RemoteBuffer { address: 0x4000, key: 0xab };

/// Rank 0 of 3, on a network that exposes copies which their receivers read in place.
fn copying() -> (Engine<Scripted>, Arc<Mutex<Script>>) {
    let config =
        Config { eager_bytes: 16, segment_bytes: 32, message_bytes: 1 << 16, ..Config::new(3) };
    let (nic, script) = Scripted::new(3);
    (script.lock().unwrap().read_from, script.lock().unwrap().copies) = (Some(1), true);
    (Engine::new(nic, config).unwrap(), script)
}

fn header(kind: Kind, len: u64, transfer: u32) -> Header {
    Header { kind, element: 0, context: Context::WORLD, tag: 0, stamp: 0, len, transfer }
}

fn come(script: &Mutex<Script>, cq: Cq, frame: &[u8]) {
    script.lock().unwrap().inboxes[usize::from(cq.0)].push_back((0, 1, frame.to_vec()));
}

fn accesses(script: &Mutex<Script>) -> Vec<Access> {
    script.lock().unwrap().accesses.iter().map(|(access, _)| *access).collect()
}

/// What was sent to rank 1, by kind.
fn kinds(script: &Mutex<Script>, cq: Cq) -> Vec<Kind> {
    let script = script.lock().unwrap();
    let to_1 = script.sent.iter().filter(|(vi, _)| *vi == Vi { peer: 1, cq });
    to_1.map(|(_, frame)| Header::decode(frame).unwrap().0.kind).collect()
}

fn held(engine: &mut Engine<Scripted>) -> runahead::internals::message::Held<Scripted> {
    engine.recv_held(Context::WORLD, ANY, |_| Ok::<_, MessageError>(())).unwrap().1
}

/// All receivers read the copy before the room, and no other, and its owner gives it back by itself.
// SEMANTICS: COL-11
#[test]
fn the_payload_before_a_room_is_copied_once() {
    let (mut engine, script) = copying();
    let (key, room) = engine.open_room(1, &[1; 50], 90).unwrap();
    let mut sent = 0;
    let receivers = [((), 1), ((), 2)].into_iter();
    let posted = engine.post_with_room(&key, receivers, ENVELOPE, &[1; 50], |(), waiting| {
        sent += usize::from(waiting.unwrap().is_none());
        Ok::<_, ()>(())
    });
    assert_eq!((posted, sent), (Ok(()), 2));
    let copy = RemoteBuffer { address: 0x3000, key: 1 };
    let all = [Access::Opened(1, 50, 90), Access::Shared(1, copy), Access::Shared(2, copy)];
    assert_eq!(accesses(&script), all);
    assert_eq!(kinds(&script, EAGER), [Kind::Exposed]);
    // Whatever is posted next is a payload of its own.
    engine.post_send(1, ENVELOPE, &[1; 60]).unwrap();
    assert_eq!(accesses(&script)[3..], [Access::Exposed(1, 60)]);
    // A receiver has read it; the room is its owner's still.
    come(&script, BULK, &header(Kind::Reads, 0, 1).encode());
    engine.progress().unwrap();
    assert_eq!(accesses(&script)[4..], [Access::Revoked(1, copy, Revoke::AfterRead)]);
    engine.close_room(key, room);
    assert_eq!(accesses(&script)[5..], [Access::Closed(copy)]);
}

/// Where all numbers are taken by which a peer knows payloads, it is asked, and gets the payload without the room.
// SEMANTICS: COL-11
#[test]
fn a_receiver_without_a_number_gets_the_payload_otherwise() {
    let (mut engine, script) = copying();
    for _ in 0..32 {
        engine.post_send(1, ENVELOPE, &[1; 50]).unwrap();
    }
    let (key, _room) = engine.open_room(2, &[1; 50], 90).unwrap();
    let receivers = [(1, 1), (2, 2)].into_iter();
    let mut kept = Vec::new();
    let posted = engine.post_with_room(&key, receivers, ENVELOPE, &[1; 50], |to, waiting| {
        kept.extend(waiting.unwrap().map(|_| to));
        Ok::<_, ()>(())
    });
    assert_eq!((posted, kept), (Ok(()), vec![1]), "rank 1 has yet to take it");
    let copy = RemoteBuffer { address: 0x3000, key: 33 };
    assert_eq!(accesses(&script)[32..], [Access::Opened(2, 50, 90), Access::Shared(2, copy)]);
    assert_eq!(kinds(&script, EAGER).last(), Some(&Kind::Request));
}

#[test]
fn where_the_network_has_no_memory_no_room_is_opened() {
    let (mut engine, script) = copying();
    script.lock().unwrap().room = Some(0);
    assert!(engine.open_room(1, &[1; 50], 90).is_none());
    assert_eq!(accesses(&script), []);
}

/// The sender is told when the payload is released, not when it is received.
// SEMANTICS: COL-11, FLOW-4
#[test]
fn what_is_held_is_acknowledged_when_it_is_released() {
    let (mut engine, script) = copying();
    let (address, key) = (BUFFER.address.to_le_bytes(), BUFFER.key.to_le_bytes());
    let frame = [&header(Kind::Exposed, 50, 9).encode()[..], &address, &key, &2u32.to_le_bytes()];
    come(&script, EAGER, &frame.concat());
    script.lock().unwrap().reads.push_back((0, 1, Some(vec![5; 50])));
    let payload = held(&mut engine);
    assert_eq!(payload.bytes(), [5; 50]);
    engine.progress().unwrap();
    assert_eq!((kinds(&script, BULK), script.lock().unwrap().released), (vec![], 0));
    let room = engine.room_behind(&payload, 3).expect("the network has rooms");
    let mut bytes = [0; 3];
    room.read(0, &mut bytes);
    assert_eq!(bytes, [5; 3], "it lies behind this payload");
    engine.release_held(payload);
    engine.tell_released();
    assert_eq!((kinds(&script, BULK), script.lock().unwrap().released), (vec![Kind::Reads], 1));
}

/// What came with its message has no room, and what a caller does not accept stays.
#[test]
fn a_short_payload_is_held_too() {
    let (mut engine, script) = copying();
    let frame = [&header(Kind::Eager, 3, 0).encode()[..], b"abc"].concat();
    come(&script, EAGER, &frame);
    let refused =
        engine.recv_held(Context::WORLD, ANY, |_| Err(MessageError::NothingCanArrive)).map(drop);
    assert_eq!(refused, Err(MessageError::NothingCanArrive));
    let payload = held(&mut engine);
    assert_eq!(payload.bytes(), b"abc");
    assert!(engine.room_behind(&payload, 3).is_none());
    engine.release_held(payload);
}
