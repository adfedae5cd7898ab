//! Memory that a program lends, on a network that exposes it to its receiver: what becomes of it where the program wants
//! it back, or the message.

use std::sync::{Arc, Mutex};

use runahead::Config;
use runahead::internals::message::{
    BULK, CONTROL, Context, Engine, Envelope, Header, Kind, MessageError, SendId,
};
use runahead::internals::verbs::{RemoteBuffer, Revoke};

use super::scripted::{Access, Script, Scripted};

const PAYLOAD: [u8; 50] = [7; 50];
const BUFFER: RemoteBuffer = RemoteBuffer { address: 0x1000, key: 1 };

/// Rank 0 of 3, which has lent rank 1 a payload that this may be reading.
fn lent() -> (Engine<Scripted>, Arc<Mutex<Script>>, SendId) {
    let (nic, script) = Scripted::new(3);
    script.lock().unwrap().read_from = Some(40);
    let config = Config { eager_bytes: 16, segment_bytes: 32, ..Config::new(3) };
    let mut engine = Engine::new(nic, config).unwrap();
    let envelope = Envelope { context: Context::WORLD, tag: 0, element: 0 };
    // SAFETY: it is a constant.
    let id = unsafe { engine.lend_unless_sent(1, envelope, &PAYLOAD) }.unwrap();
    assert_eq!(accesses(&script), [Access::Exposed(1, 50)]);
    (engine, script, id.expect("it waits to be read"))
}

fn accesses(script: &Mutex<Script>) -> Vec<Access> {
    script.lock().unwrap().accesses.iter().map(|(access, _)| *access).collect()
}

/// Its receiver may be reading it: to revoke it would lose the message, and each its connection to the other.
/// (Planted: what is exposed to a living receiver is revoked.)
// SEMANTICS: FLOW-4, SAFE-1
#[test]
fn what_is_lent_and_exposed_is_not_taken_back_from_a_receiver_that_is_served() {
    let (mut engine, script, id) = lent();
    assert!(!engine.cancel_send(id) && !engine.reclaim(id));
    assert_eq!((accesses(&script).len(), engine.is_sent(id)), (1, false));
    let header = Header {
        kind: Kind::Reads,
        element: 0,
        context: Context::WORLD,
        tag: 0,
        stamp: 0,
        len: 0,
        transfer: 1,
    };
    script.lock().unwrap().inboxes[usize::from(BULK.0)].push_back((3, 1, header.encode().to_vec()));
    assert_eq!(engine.wait_sent(id), Ok(()));
    assert!(!engine.cancel_send(id) && engine.reclaim(id), "it is the program's");
    assert_eq!(accesses(&script)[1..], [Access::Revoked(1, BUFFER, Revoke::AfterRead)]);
}

/// Nobody waits for such a peer any more: the program has its memory, and it is revoked before.
/// (Planted: what is exposed is never taken back.)
// SEMANTICS: FLOW-4, END-2, SAFE-1
#[test]
fn what_is_lent_and_exposed_is_taken_back_where_nobody_is_served() {
    let revoked = [Access::Exposed(1, 50), Access::Revoked(1, BUFFER, Revoke::AtOnce)];

    let (mut engine, script, id) = lent();
    script.lock().unwrap().left.push(1);
    assert_eq!(engine.wait_sent(id), Err(MessageError::PeerLost { rank: 1 }));
    assert!(engine.reclaim(id));
    assert_eq!(accesses(&script), revoked);

    let (mut engine, script, id) = lent();
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)].push_back((0, 2, vec![99; 32]));
    assert!(matches!(engine.wait_sent(id), Err(MessageError::Protocol { from: 2, .. })));
    assert_eq!(accesses(&script), revoked[..1]);
    assert!(engine.reclaim(id));
    assert_eq!(accesses(&script), revoked);
}
