//! Stall reports: what a peer said before it was asked counts for nothing, and one question at a time
//! is under way to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::message::{
    Activity, BULK, CONTROL, Context, Control, EAGER, Engine, Header, Kind, MessageError, Pattern,
    Returned, Source, Tag, Whereabouts,
};
use runahead::internals::order::GroupId;
use runahead::internals::verbs::Vi;
use runahead::{Comm, Config};

use super::scripted::{Script, Scripted};

const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

fn config() -> Config {
    Config { stall_after: Duration::from_nanos(1), ..Config::new(2) }
}

fn message() -> Vec<u8> {
    let kind = Kind::Eager;
    Header { kind, element: 0, context: Context::WORLD, tag: 0, stamp: 0, len: 0, transfer: 0 }
        .encode()
        .to_vec()
}

fn answer(activity: Activity) -> Vec<u8> {
    let answer = Control::Answer { group: GroupId::WORLD, entered: 0, activity };
    answer.encode(Returned::default()).to_vec()
}

fn arrive(script: &Mutex<Script>, polls: u32, activity: Activity) {
    let inbox = &mut script.lock().unwrap().inboxes[usize::from(CONTROL.0)];
    inbox.push_back((polls, 1, answer(activity)));
}

fn queries(script: &Mutex<Script>) -> usize {
    let asks = |control| matches!(control, Control::Query { group: GroupId::WORLD, .. });
    let is_query = |(vi, frame): &&(Vi, Vec<u8>)| {
        vi.cq == CONTROL && Control::decode(frame).is_ok_and(|(control, _)| asks(control))
    };
    script.lock().unwrap().sent.iter().filter(is_query).count()
}

// SEMANTICS: HANG-1
#[test]
fn an_old_answer_places_nobody() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, config()).unwrap();
    // Something is still to come, so that the peer does not count as gone.
    let credit = Control::Credit.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(BULK.0)].push_back((u32::MAX, 1, credit));
    let places = Arc::new(Mutex::new(Vec::new()));
    let (told, sender) = (Arc::clone(&places), Arc::clone(&script));
    engine.on_stall(
        Arc::new(move |report| {
            told.lock().unwrap().extend(report.others.iter().map(|&(_, place)| place));
            // What it waits for comes now.
            let inbox = &mut sender.lock().unwrap().inboxes[usize::from(EAGER.0)];
            inbox.push_back((0, 1, message()));
        }),
        |_| "a collective",
    );
    let mut receive = || {
        let accept = |_: &runahead::internals::message::Info| Ok::<(), MessageError>(());
        engine.recv(Context::WORLD, ANY, accept, |_, _| ()).unwrap();
        places.lock().unwrap().pop().expect("it has told")
    };
    let (old, new) = (Activity::Send { to: 0 }, Activity::Ending);
    // An answer to nothing.
    arrive(&script, 0, old);
    assert_eq!((receive(), queries(&script)), (Whereabouts::NoAnswer, 1));
    // The answer to the first question, while the second waits to be put.
    arrive(&script, 40, old);
    assert_eq!((receive(), queries(&script)), (Whereabouts::NoAnswer, 2));
    // The answer to the second, and then to the third.
    arrive(&script, 40, old);
    arrive(&script, 40, new);
    assert_eq!((receive(), queries(&script)), (Whereabouts::In(new), 3));
    // Nothing is left to be answered.
    arrive(&script, 40, new);
    assert_eq!((receive(), queries(&script)), (Whereabouts::In(new), 4));
}

#[test]
fn without_a_handler_nobody_is_asked() {
    let (nic, script) = Scripted::new(2);
    let world = Comm::new(nic, config()).unwrap();
    world.recv::<u8>(1, 0).unwrap_err();
    assert_eq!(queries(&script), 0);
}

// SEMANTICS: BAR-9
#[test]
fn an_answer_to_nothing_is_not_believed() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, config()).unwrap();
    let credit = Control::Credit.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(BULK.0)].push_back((u32::MAX, 1, credit));
    let (group, activity) = (GroupId::WORLD, Activity::Nothing);
    let boast = Control::Answer { group, entered: u64::MAX, activity };
    let boast = boast.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)].push_back((0, 1, boast));
    let ticket = engine.barrier(group).unwrap();
    let error = engine.wait_barrier_timeout(ticket, Duration::ZERO).unwrap_err();
    let MessageError::BarrierTimeout { not_entered, no_answer, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((not_entered, no_answer, queries(&script)), (vec![], vec![1], 1));
}
