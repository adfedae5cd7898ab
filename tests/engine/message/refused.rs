//! Messages that the network refuses with an error: they stay where they are, and what is posted meanwhile counts as
//! posted.

use std::sync::{Arc, Mutex};

use runahead::Config;
use runahead::internals::message::{Context, EAGER, Engine, Envelope, Header, MessageError};
use runahead::internals::order::Rank;
use runahead::internals::verbs::{PostError, Vi};

use super::scripted::{Refusal, Script, Scripted};

/// Short, and above the eager limit.
const LENS: [usize; 2] = [8, 50];

fn engine() -> (Engine<Scripted>, Arc<Mutex<Script>>) {
    let (nic, script) = Scripted::new(3);
    let config = Config { eager_bytes: 16, segment_bytes: 32, ..Config::new(3) };
    (Engine::new(nic, config).unwrap(), script)
}

fn envelope(tag: u32) -> Envelope {
    Envelope { context: Context::WORLD, tag, element: 0 }
}

fn refuse(script: &Mutex<Script>, refuses: &[Refusal]) {
    script.lock().unwrap().refuses = refuses.to_vec();
}

/// To whom messages and requests went, with which tags.
fn sent(script: &Mutex<Script>) -> Vec<(Rank, u32)> {
    let script = script.lock().unwrap();
    let eager = script.sent.iter().filter(|(vi, _)| vi.cq == EAGER);
    eager.map(|(vi, frame)| (vi.peer, Header::decode(frame).unwrap().0.tag)).collect()
}

const REFUSED: MessageError =
    MessageError::Post(PostError::NoDescriptor(Vi { peer: 1, cq: EAGER }));

/// The message of another rank is refused while one is queued: that one is posted all the same, since it may leave.
/// The next call reports what was refused. (Planted: a call that fails by the message of another.)
/// SEMANTICS: FLOW-4
#[test]
fn a_message_that_is_queued_is_posted_whatever_becomes_of_others() {
    for len in LENS {
        let (mut engine, script) = engine();
        refuse(&script, &[(1, PostError::QueueFull), (2, PostError::QueueFull)]);
        let first = engine.post_send(1, envelope(1), &vec![1; len]).unwrap();
        refuse(&script, &[(1, PostError::NoDescriptor), (2, PostError::QueueFull)]);
        let payload = vec![2; len];
        // SAFETY: it lives until the message has left, and nobody writes to it.
        let lent = unsafe { engine.lend_unless_sent(2, envelope(2), &payload) };
        let lent = lent.unwrap().expect("the network is full");
        assert_eq!(engine.progress(), Err(REFUSED));
        assert_eq!(sent(&script), []);
        refuse(&script, &[]);
        engine.progress().unwrap();
        assert_eq!(sent(&script), [(1, 1), (2, 2)]);
        assert_eq!(engine.is_sent(first), len == LENS[0]);
        assert!(engine.reclaim(lent));
    }
}

/// What the network refuses of one rank keeps nothing of another. (Planted: the rest is left for later.)
/// SEMANTICS: FLOW-2, FLOW-4
#[test]
fn a_message_that_is_refused_keeps_nobody_elses() {
    for len in LENS {
        let (mut engine, script) = engine();
        refuse(&script, &[(1, PostError::QueueFull), (2, PostError::QueueFull)]);
        for to in [1, 2] {
            engine.post_send(to, envelope(to as u32), &vec![1; len]).unwrap();
        }
        refuse(&script, &[(1, PostError::NoDescriptor)]);
        assert_eq!(engine.progress(), Err(REFUSED));
        assert_eq!(sent(&script), [(2, 2)]);
    }
}

/// What is refused stands first again, so what is taken back is the message that is meant. (Planted: a message that is
/// lost where its post fails.)
/// SEMANTICS: ORD-1, FLOW-4
#[test]
fn a_message_that_is_refused_stays_first() {
    for len in LENS {
        let (mut engine, script) = engine();
        refuse(&script, &[(1, PostError::QueueFull)]);
        let mut post = |tag| engine.post_send(1, envelope(tag), &vec![1; len]).unwrap();
        let ids = [1, 2, 3].map(&mut post);
        refuse(&script, &[(1, PostError::NoDescriptor)]);
        assert_eq!(engine.progress(), Err(REFUSED));
        assert!(ids.iter().all(|&id| !engine.is_sent(id)));
        assert!(engine.cancel_send(ids[1]));
        refuse(&script, &[]);
        engine.progress().unwrap();
        assert_eq!(sent(&script), [(1, 1), (1, 3)]);
        assert!(ids.iter().all(|&id| !engine.cancel_send(id)));
    }
}
