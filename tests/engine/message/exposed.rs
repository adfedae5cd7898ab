//! Payloads that are exposed, frame by frame: what goes over the wire, when memory is the owner's again, and what a peer
//! may not say.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::message::{
    BULK, CONTROL, Context, Control, EAGER, Engine, Envelope, Header, Kind, MessageError, Pattern,
    Returned, Source, Tag, Violation,
};
use runahead::internals::order::GroupId;
use runahead::internals::verbs::{Cq, RemoteBuffer, Revoke, Vi};
use runahead::{Algorithm, Config};

use super::scripted::{Access, Script, Scripted};

pub(super) const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };
pub(super) const ENVELOPE: Envelope = Envelope { context: Context::WORLD, tag: 0, element: 0 };
pub(super) const BUFFER: RemoteBuffer = RemoteBuffer { address: 0x7f12_3456_789a, key: 0xab };

pub(super) fn config() -> Config {
    Config { eager_bytes: 16, segment_bytes: 32, message_bytes: 1 << 16, ..Config::new(3) }
}

pub(super) type Ranked = (Engine<Scripted>, Arc<Mutex<Script>>);

/// Rank 0 of 3, on a network that exposes payloads from 40 bytes on.
fn engine() -> Ranked {
    let (nic, script) = Scripted::new(3);
    script.lock().unwrap().read_from = Some(40);
    (Engine::new(nic, config()).unwrap(), script)
}

pub(super) fn header(kind: Kind, len: u64, transfer: u32) -> Header {
    Header { kind, element: 0, context: Context::WORLD, tag: 0, stamp: 0, len, transfer }
}

/// A request that exposes its payload.
pub(super) fn exposed(number: u32, len: u64) -> Vec<u8> {
    let header = header(Kind::Exposed, len, 7 + number).encode();
    let (address, key) = (BUFFER.address.to_le_bytes(), BUFFER.key.to_le_bytes());
    [&header[..], &address, &key, &number.to_le_bytes()].concat()
}

pub(super) fn come(script: &Mutex<Script>, cq: Cq, frame: &[u8]) {
    script.lock().unwrap().inboxes[usize::from(cq.0)].push_back((0, 1, frame.to_vec()));
}

fn control(script: &Mutex<Script>, control: Control) {
    come(script, CONTROL, &control.encode(Returned::default()));
}

pub(super) fn sent_on(script: &Mutex<Script>, cq: Cq) -> Vec<Vec<u8>> {
    let script = script.lock().unwrap();
    script.sent.iter().filter(|(vi, _)| *vi == Vi { peer: 1, cq }).map(|(_, b)| b.clone()).collect()
}

/// The words on accesses that were sent.
pub(super) fn words(script: &Mutex<Script>) -> Vec<u32> {
    let of_bulk = sent_on(script, BULK).into_iter();
    let headers = of_bulk.map(|frame| Header::decode(&frame).unwrap().0);
    headers.filter(|header| header.kind == Kind::Reads).map(|header| header.transfer).collect()
}

fn clears(script: &Mutex<Script>) -> usize {
    let of_control = sent_on(script, CONTROL).into_iter();
    let decoded = of_control.map(|frame| Control::decode(&frame).unwrap().0);
    decoded.filter(|control| matches!(control, Control::ClearToSend { .. })).count()
}

pub(super) fn accesses(script: &Mutex<Script>) -> Vec<Access> {
    script.lock().unwrap().accesses.iter().map(|(access, _)| *access).collect()
}

pub(super) fn receive(engine: &mut Engine<Scripted>) -> Result<Vec<u8>, MessageError> {
    engine.recv(Context::WORLD, ANY, |_| Ok::<_, MessageError>(()), |_, bytes| bytes.to_vec())
}

fn violation(result: Result<bool, MessageError>) -> Violation {
    match result {
        Err(MessageError::Protocol { from: 1, violation }) => violation,
        other => panic!("{other:?}"),
    }
}

/// The receiver reads it, in the order in which it has matched requests and one at a time, and says so by one word.
// SEMANTICS: FLOW-4
#[test]
fn what_is_exposed_is_read_and_acknowledged() {
    let (mut engine, script) = engine();
    for (number, len) in [(4, 50), (31, 60)] {
        come(&script, EAGER, &exposed(number, len));
        engine.post_recv(Context::WORLD, ANY).unwrap();
    }
    engine.progress().unwrap();
    let vi = Vi { peer: 1, cq: BULK };
    assert_eq!(accesses(&script), [Access::Read(vi, BUFFER, 50)], "one at a time");
    assert_eq!((words(&script), clears(&script)), (vec![], 0));
    script.lock().unwrap().reads.push_back((0, 1, Some(vec![5; 50])));
    engine.progress().unwrap();
    assert_eq!(accesses(&script)[1..], [Access::Read(vi, BUFFER, 60)]);
    script.lock().unwrap().reads.push_back((0, 1, Some(vec![6; 60])));
    engine.progress().unwrap();
    assert_eq!((words(&script), clears(&script)), (vec![1 << 4, 1 << 31 | 1 << 4], 0));
    // The same number stands for the next.
    come(&script, EAGER, &exposed(4, 70));
    script.lock().unwrap().reads.push_back((1, 1, Some(vec![7; 70])));
    assert_eq!(receive(&mut engine), Ok(vec![7; 70]));
    assert_eq!(words(&script).last(), Some(&(1 << 31)));
}

/// Where the network has no room to read into, the payload comes in segments, and goes back when it is whole.
// SEMANTICS: FLOW-4
#[test]
fn what_cannot_be_read_comes_in_segments() {
    let (mut engine, script) = engine();
    script.lock().unwrap().refuses_reads = true;
    come(&script, EAGER, &exposed(2, 50));
    engine.post_recv(Context::WORLD, ANY).unwrap();
    engine.progress().unwrap();
    assert_eq!((accesses(&script), words(&script), clears(&script)), (vec![], vec![], 1));
    for (at, len) in [(0, 32), (32, 18)] {
        assert_eq!(words(&script), [0u32; 0], "{at} of 50 bytes are there");
        let header = header(Kind::Segment, len, 9).encode();
        come(&script, BULK, &[&header[..], &vec![3; len as usize]].concat());
        engine.progress().unwrap();
    }
    assert_eq!(words(&script), [1 << 2]);
}

// SEMANTICS: GRP-3
#[test]
fn what_nobody_receives_is_acknowledged_unread() {
    let (mut engine, script) = engine();
    let early = engine.post_recv(Context::WORLD, ANY).unwrap();
    let late = engine.post_recv(Context::WORLD, ANY).unwrap();
    engine.discard_recv(early);
    come(&script, EAGER, &exposed(0, 50));
    engine.progress().unwrap();
    assert_eq!((accesses(&script), words(&script)), (vec![], vec![1]));
    // One that waits for its turn, behind one that is being read.
    let third = engine.post_recv(Context::WORLD, ANY).unwrap();
    come(&script, EAGER, &exposed(1, 50));
    come(&script, EAGER, &exposed(2, 50));
    engine.progress().unwrap();
    engine.discard_recv(third);
    engine.discard_recv(late);
    assert_eq!(accesses(&script).len(), 1);
    script.lock().unwrap().reads.push_back((0, 1, Some(vec![1; 50])));
    engine.progress().unwrap();
    assert_eq!((accesses(&script).len(), words(&script).last()), (1, Some(&0b111)));
}

/// It is lost, once what it had said before was looked at.
// SEMANTICS: END-2, SAFE-1
#[test]
fn who_cannot_be_read_from_is_lost() {
    for says_why in [false, true] {
        let (mut engine, script) = engine();
        come(&script, EAGER, &exposed(0, 50));
        if says_why {
            let closing = Control::Closing { clock: 0, failed: true, cause: None, reads: 0 };
            for (polls, said) in
                [closing, Control::Ended { eager: 1, segments: 0 }].into_iter().enumerate()
            {
                let frame = said.encode(Returned::default()).to_vec();
                let inbox = usize::from(CONTROL.0);
                script.lock().unwrap().inboxes[inbox].push_back((polls as u32 * 2, 1, frame));
            }
        }
        script.lock().unwrap().reads.push_back((0, 1, None));
        let error = receive(&mut engine).unwrap_err();
        let expected = match says_why {
            false => MessageError::PeerLost { rank: 1 },
            true => MessageError::PeerEnded { rank: 1, failed: true },
        };
        assert_eq!(error, expected);
    }
}

// SEMANTICS: SAFE-1
#[test]
fn nobody_exposes_what_was_not_agreed() {
    let answer = |read_from, frames: &[Vec<u8>]| {
        let (nic, script) = Scripted::new(3);
        script.lock().unwrap().read_from = read_from;
        let mut engine = Engine::new(nic, config()).unwrap();
        frames.iter().for_each(|frame| come(&script, EAGER, frame));
        engine.progress()
    };
    let unasked = |transfer, len| Violation::ExposedUnasked { transfer, len };
    assert_eq!(violation(answer(None, &[exposed(0, 50)])), unasked(7, 50));
    assert_eq!(violation(answer(Some(51), &[exposed(1, 50)])), unasked(8, 50));
    assert_eq!(violation(answer(Some(0), &[exposed(0, 0)])), unasked(7, 0));
    assert_eq!(answer(Some(50), &[exposed(0, 50)]), Ok(true));
    let limit = 1 << 16;
    let too_large = Violation::TooLarge { len: limit + 1, limit };
    assert_eq!(violation(answer(Some(50), &[exposed(0, limit as u64 + 1)])), too_large);
    for number in [32, u32::MAX] {
        assert_eq!(
            violation(answer(Some(50), &[exposed_as(number)])),
            Violation::FalseExposure(number)
        );
    }
    assert_eq!(
        violation(answer(Some(50), &[exposed(3, 50), exposed(3, 60)])),
        Violation::FalseExposure(3)
    );
    for len in [39, 41] {
        let mut frame = exposed(0, 50);
        frame.resize(len, 0);
        assert!(matches!(violation(answer(Some(50), &[frame])), Violation::Malformed(_)));
    }
    let word = header(Kind::Reads, 0, 0).encode().to_vec();
    assert_eq!(violation(answer(Some(50), &[word])), Violation::UnknownTransfer(0));
}

fn exposed_as(number: u32) -> Vec<u8> {
    let mut frame = exposed(0, 50);
    frame[36..].copy_from_slice(&number.to_le_bytes());
    frame
}

/// What is said of a payload that is read is no segment, and none that is read comes in segments.
// SEMANTICS: SAFE-1
#[test]
fn nobody_sends_what_is_read() {
    let (mut engine, script) = engine();
    come(&script, EAGER, &exposed(0, 50));
    engine.post_recv(Context::WORLD, ANY).unwrap();
    engine.progress().unwrap();
    let header = header(Kind::Segment, 10, 7).encode();
    come(&script, BULK, &[&header[..], &[3; 10]].concat());
    assert_eq!(violation(engine.progress()), Violation::UnknownTransfer(7));
}

/// What the sender exposes goes with the request, and comes back with the word of its number.
// SEMANTICS: FLOW-4, END-1
#[test]
fn what_was_given_back_is_sent() {
    let (mut engine, script) = engine();
    let sends: Vec<_> = [50, 39, 60]
        .map(|len| engine.post_send(1, ENVELOPE, &vec![1; len]).unwrap())
        .into_iter()
        .collect();
    let kinds = sent_on(&script, EAGER).into_iter().map(|frame| {
        let (header, behind) = Header::decode(&frame).unwrap();
        (header.kind, header.len, behind.last_chunk().map(|bytes| u32::from_le_bytes(*bytes)))
    });
    let expected =
        [(Kind::Exposed, 50, Some(0)), (Kind::Request, 39, None), (Kind::Exposed, 60, Some(1))];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    come(&script, BULK, &header(Kind::Reads, 0, 1 << 1).encode());
    engine.progress().unwrap();
    assert_eq!(
        sends.iter().map(|&id| engine.is_sent(id)).collect::<Vec<_>>(),
        [false, false, true]
    );
    let back = Access::Revoked(1, RemoteBuffer { address: 0x1000, key: 2 }, Revoke::AfterRead);
    assert_eq!(accesses(&script), [Access::Exposed(1, 50), Access::Exposed(1, 60), back]);
    // By the last word of a peer that ends: the first was read as well. What it says later is older.
    control(&script, Control::Closing { clock: 0, failed: false, cause: None, reads: 0b11 });
    engine.progress().unwrap();
    come(&script, BULK, &header(Kind::Reads, 0, 1 << 1).encode());
    engine.progress().unwrap();
    assert_eq!(engine.wait_sent(sends[0]), Ok(()));
    let ended = MessageError::PeerEnded { rank: 1, failed: false };
    assert_eq!(engine.wait_sent(sends[1]), Err(ended));
}

// SEMANTICS: SAFE-1
#[test]
fn nobody_acknowledges_what_was_not_exposed() {
    let answer = |by_closing: bool, word| {
        let (mut engine, script) = engine();
        engine.post_send(1, ENVELOPE, &[1; 50]).unwrap();
        if by_closing {
            control(
                &script,
                Control::Closing { clock: 0, failed: false, cause: None, reads: word },
            );
        } else {
            come(&script, BULK, &header(Kind::Reads, 0, word).encode());
        }
        engine.progress()
    };
    for by_closing in [false, true] {
        assert_eq!(answer(by_closing, 1), Ok(true));
        for word in [0b10, 0b11, u32::MAX] {
            assert_eq!(violation(answer(by_closing, word)), Violation::NotExposed);
        }
    }
}

/// A receiver that cannot read it asks for it: it is not exposed any more when the first segment leaves.
// SEMANTICS: FLOW-4
#[test]
fn what_is_asked_for_is_taken_back_and_sent() {
    let (mut engine, script) = engine();
    control(&script, Control::ClearToSend { transfer: 1 });
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)][0].0 = 3;
    engine.send(1, ENVELOPE, &[9; 50]).unwrap();
    let accesses = script.lock().unwrap().accesses.clone();
    let back = Access::Revoked(1, RemoteBuffer { address: 0x1000, key: 1 }, Revoke::AfterRead);
    assert_eq!(
        accesses,
        [(Access::Exposed(1, 50), 0), (back, 1)],
        "only the request was sent before"
    );
    assert_eq!(sent_on(&script, BULK).len(), 2);
    // Its number is free when it has come.
    come(&script, BULK, &header(Kind::Reads, 0, 1).encode());
    engine.progress().unwrap();
    engine.post_send(1, ENVELOPE, &[9; 50]).unwrap();
    assert_eq!(sent_on(&script, EAGER)[1][36..], [0; 4]);
}

/// Whatever ends a blocking send, its payload is exposed no more: a receiver that goes, a peer that breaks the protocol,
/// and a panic under which the stack is unwound.
// SEMANTICS: END-2, SAFE-1
#[test]
fn a_send_that_fails_leaves_nothing_exposed() {
    // The receiver may be reading it.
    let taken_back = Access::Revoked(1, RemoteBuffer { address: 0x1000, key: 1 }, Revoke::AtOnce);
    let back = [Access::Exposed(1, 50), taken_back];
    let send = |engine: &mut Engine<Scripted>| engine.send(1, ENVELOPE, &[9; 50]);

    let (mut goes, script) = engine();
    assert_eq!(send(&mut goes), Err(MessageError::PeerLost { rank: 1 }));
    assert_eq!(accesses(&script), back);

    let (mut ends, script) = engine();
    control(&script, Control::Closing { clock: 0, failed: true, cause: None, reads: 0 });
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)][0].0 = 5;
    assert_eq!(send(&mut ends), Err(MessageError::PeerEnded { rank: 1, failed: true }));
    assert_eq!(accesses(&script), back);

    let (mut broken, script) = engine();
    come(&script, CONTROL, &[99; 32]);
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)][0].0 = 5;
    assert!(matches!(send(&mut broken), Err(MessageError::Protocol { from: 1, .. })));
    assert_eq!(accesses(&script), back);

    let (nic, script) = Scripted::new(3);
    script.lock().unwrap().read_from = Some(40);
    let config = Config { stall_after: Duration::from_nanos(1), ..config() };
    let mut unwound = Engine::new(nic, config).unwrap();
    unwound.on_stall(Arc::new(|_| std::panic::resume_unwind(Box::new("on purpose"))), |_| "");
    // Whom it asks, and who says nothing, is reported.
    for _ in 0..1000 {
        control(&script, Control::Query { group: GroupId::WORLD, epoch: 1, clock: 1 });
    }
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)]
        .iter_mut()
        .for_each(|frame| frame.0 = 50);
    assert!(catch_unwind(AssertUnwindSafe(|| send(&mut unwound))).is_err());
    assert_eq!(accesses(&script), back);
}

/// Its peers may revoke what they have exposed as soon as they hear that it ends.
// SEMANTICS: END-1
#[test]
fn who_ends_reads_to_the_end_what_it_has_begun() {
    for failed in [false, true] {
        let (mut engine, script) = engine();
        come(&script, EAGER, &exposed(3, 50));
        come(&script, EAGER, &exposed(5, 50));
        for _ in 0..2 {
            engine.post_recv(Context::WORLD, ANY).unwrap();
        }
        engine.progress().unwrap();
        script.lock().unwrap().reads.push_back((20, 1, Some(vec![1; 50])));
        engine.end(failed).unwrap();
        assert!(script.lock().unwrap().reads.is_empty(), "it was waited for");
        assert_eq!(accesses(&script).len(), 1, "the other is not begun");
        let told =
            sent_on(&script, CONTROL).into_iter().find_map(|frame| match Control::decode(&frame) {
                Ok((Control::Closing { reads, .. }, _)) => Some(reads),
                _ => None,
            });
        assert_eq!(told, Some(1 << 3));
    }
}

/// Rank 0 of 3, on a network that exposes copies which their receivers read in place.
fn copying() -> Ranked {
    let (nic, script) = Scripted::new(3);
    (script.lock().unwrap().read_from, script.lock().unwrap().copies) = (Some(1), true);
    (Engine::new(nic, config()).unwrap(), script)
}

/// Its request leaves with it, and the sender waits for nobody.
// SEMANTICS: FLOW-4
#[test]
fn a_send_whose_copy_is_exposed_is_complete_at_once() {
    let (mut engine, script) = copying();
    let sends = [50, 60].map(|len| engine.post_send(1, ENVELOPE, &vec![1; len]).unwrap());
    assert_eq!(accesses(&script), [Access::Exposed(1, 50), Access::Exposed(1, 60)]);
    assert_eq!(sent_on(&script, EAGER).len(), 2);
    assert!(sends.iter().all(|&id| engine.is_sent(id)));
    assert_eq!(sends.map(|id| engine.wait_sent(id)), [Ok(()), Ok(())]);
    // What was read makes room before the next is copied.
    come(&script, BULK, &header(Kind::Reads, 0, 1 << 1).encode());
    engine.post_send(1, ENVELOPE, &[1; 70]).unwrap();
    let back = Access::Revoked(1, RemoteBuffer { address: 0x1000, key: 2 }, Revoke::AfterRead);
    assert_eq!(accesses(&script)[2..], [back, Access::Exposed(1, 70)]);
    // A receiver that ends reads no more; what was for it has left all the same.
    control(&script, Control::Closing { clock: 0, failed: false, cause: None, reads: 1 << 1 });
    engine.progress().unwrap();
    assert_eq!(accesses(&script).len(), 6);
    assert_eq!(engine.wait_sent(sends[0]), Ok(()));
}

/// It is there until all have been served, and each reads it by itself.
// SEMANTICS: FLOW-4
#[test]
fn one_copy_of_a_large_payload_serves_several_receivers() {
    let (mut engine, script) = copying();
    let mut sent = Vec::new();
    let receivers = [(7, 1), (8, 2)].into_iter();
    let noted = engine.post_send_to_each(receivers, ENVELOPE, &[1; 50], |name, waiting| {
        sent.push((name, waiting.unwrap()));
        if name == 8 { Err("the last") } else { Ok(()) }
    });
    assert_eq!((noted, sent), (Err("the last"), vec![(7, None), (8, None)]));
    let copy = RemoteBuffer { address: 0x1000, key: 1 };
    let back = |peer| Access::Revoked(peer, copy, Revoke::AfterRead);
    assert_eq!(
        accesses(&script),
        [Access::Exposed(1, 50), Access::Shared(1, copy), Access::Shared(2, copy), back(1)]
    );
    assert_eq!(engine.stats().payloads_exposed, 2);
    come(&script, BULK, &header(Kind::Reads, 0, 1).encode());
    // A caller that panics leaves no copy behind. The next is another, and what is short is exposed to
    // nobody.
    let panics = catch_unwind(AssertUnwindSafe(|| {
        engine.post_send_to_each(
            [((), 1)].into_iter(),
            ENVELOPE,
            &[1; 50],
            |(), _| -> Result<(), ()> { panic!("the caller's") },
        )
    }));
    assert!(panics.is_err());
    let panicked = RemoteBuffer { address: 0x1000, key: 6 };
    let revoked = Access::Revoked(1, panicked, Revoke::AfterRead);
    assert_eq!(
        accesses(&script)[4..],
        [back(1), Access::Exposed(1, 50), Access::Shared(1, panicked), revoked]
    );
    engine.post_send(2, ENVELOPE, &[1; 60]).unwrap();
    let receivers = [((), 1), ((), 2)].into_iter();
    engine.post_send_to_each(receivers, ENVELOPE, &[1; 10], |(), sent| sent.map(drop)).unwrap();
    assert_eq!(accesses(&script)[8..], [Access::Exposed(2, 60)]);
}

/// A message that a barrier keeps back lies where its receiver will read it; its request does not.
// SEMANTICS: CON-1
#[test]
fn a_copy_is_made_when_its_message_is_posted_and_sent_when_it_may_leave() {
    let (mut engine, script) = copying();
    engine.add_group(GroupId(5), &[0, 2], Algorithm::default(), None).unwrap();
    engine.barrier(GroupId(5)).unwrap();
    let contained = engine.post_send(1, ENVELOPE, &[1; 50]).unwrap();
    assert_eq!(accesses(&script), [Access::Exposed(1, 50)]);
    assert!(sent_on(&script, EAGER).is_empty() && !engine.is_sent(contained));
}

/// Where there is no room, the receiver is asked, as ever; and copied is what is kept as soon as there is.
// SEMANTICS: FLOW-4
#[test]
fn a_payload_without_room_for_a_copy_is_kept_and_asked_for() {
    let (mut engine, script) = copying();
    script.lock().unwrap().room = Some(0);
    let kept = engine.post_send(1, ENVELOPE, &[9; 50]).unwrap();
    let request = Header::decode(&sent_on(&script, EAGER)[0]).unwrap().0;
    assert_eq!(
        (request.kind, accesses(&script), engine.is_sent(kept)),
        (Kind::Request, vec![], false)
    );
    control(&script, Control::ClearToSend { transfer: request.transfer });
    engine.progress().unwrap();
    assert_eq!(sent_on(&script, BULK).len(), 2);
    assert!(engine.is_sent(kept));
}

/// A blocking send copies its payload where its receiver will read it, and waits for nobody. (Planted: one that asks
/// its receiver for room, which hangs.)
// SEMANTICS: FLOW-4
#[test]
fn a_blocking_send_waits_for_no_receiver() {
    let (mut engine, script) = copying();
    engine.send(1, ENVELOPE, &[9; 50]).unwrap();
    let request = Header::decode(&sent_on(&script, EAGER)[0]).unwrap().0;
    assert_eq!((request.kind, accesses(&script)), (Kind::Exposed, vec![Access::Exposed(1, 50)]));
    assert!(sent_on(&script, BULK).is_empty());
}

/// Where there is no room for a copy, its segments leave while its receiver takes others.
// SEMANTICS: FLOW-4
#[test]
fn a_blocking_send_without_room_for_a_copy_asks_for_it() {
    let (mut engine, script) = copying();
    script.lock().unwrap().room = Some(0);
    control(&script, Control::ClearToSend { transfer: 1 });
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)][0].0 = 3;
    engine.send(1, ENVELOPE, &[9; 50]).unwrap();
    assert_eq!((accesses(&script), sent_on(&script, BULK).len()), (vec![], 2));
}

/// The sender may use the memory again only when the program has the payload.
// SEMANTICS: FLOW-4
#[test]
fn what_is_read_in_place_is_acknowledged_when_it_is_released() {
    let (mut engine, script) = copying();
    let mut ids = Vec::new();
    for number in [3, 5, 6] {
        come(&script, EAGER, &exposed(number, 50));
        script.lock().unwrap().reads.push_back((0, 1, Some(vec![number as u8; 50])));
        ids.push(engine.post_recv(Context::WORLD, ANY).unwrap());
    }
    engine.progress().unwrap();
    assert_eq!((accesses(&script).len(), words(&script)), (3, vec![]), "all are read at once");
    let take = |engine: &mut Engine<Scripted>, id| {
        let accept = |_: &_| Ok::<_, MessageError>(());
        engine.finish_recv(id, Source::Any, accept, |_, bytes| bytes.to_vec())
    };
    assert_eq!(take(&mut engine, ids[1]), Ok(vec![5; 50]));
    assert_eq!((words(&script), script.lock().unwrap().released), (vec![1 << 5], 1));
    engine.discard_recv(ids[0]);
    assert_eq!(take(&mut engine, ids[2]), Ok(vec![6; 50]));
    assert_eq!(words(&script).last(), Some(&(1 << 3 | 1 << 5 | 1 << 6)));
    assert_eq!(script.lock().unwrap().released, 3);
}

/// What a rank has posted does not need it any more.
// SEMANTICS: END-1, END-2
#[test]
fn a_copy_is_received_when_its_sender_is_lost() {
    let (mut engine, script) = copying();
    come(&script, EAGER, &exposed(0, 50));
    engine.progress().unwrap();
    script.lock().unwrap().left.push(1);
    script.lock().unwrap().reads.push_back((0, 1, Some(vec![4; 50])));
    let any =
        engine.try_recv(Context::WORLD, ANY, |_| Ok::<_, MessageError>(()), |_, b| b.to_vec());
    assert_eq!(any, Ok(Some(vec![4; 50])));
    assert_eq!(receive(&mut engine), Err(MessageError::PeerLost { rank: 1 }));
}

/// It leaves without waiting for those who have copies to read.
// SEMANTICS: END-1
#[test]
fn who_ends_waits_for_nobody_to_read_its_copies() {
    let (mut engine, script) = copying();
    engine.post_send(1, ENVELOPE, &[1; 50]).unwrap();
    assert_eq!(engine.end(false), Ok(()));
    assert_eq!(accesses(&script), [Access::Exposed(1, 50)], "nothing was revoked");
}

// SEMANTICS: SAFE-1
#[test]
fn nobody_asks_for_a_payload_of_which_it_has_a_copy() {
    let (mut engine, script) = copying();
    engine.post_send(1, ENVELOPE, &[1; 50]).unwrap();
    control(&script, Control::ClearToSend { transfer: 1 });
    assert_eq!(violation(engine.progress()), Violation::UnknownTransfer(1));
}
