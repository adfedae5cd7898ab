//! Groups in the message layer: whose messages get into one, and what a rank says of one that it has
//! forgotten.

use std::sync::{Arc, Mutex};

use runahead::internals::message::{
    CONTROL, Context, Control, EAGER, Engine, Envelope, Header, Kind, Lane, Pattern, Returned,
    SIGNAL, Violation, encode_signal,
};
use runahead::internals::order::{GroupId, InvalidGroup, Signal, SignalKind};
use runahead::internals::verbs::Cq;
use runahead::{Activity, Algorithm, Config, Launch, MessageError, Rank, Source, Tag};

use super::scripted::{Script, Scripted};

const GROUP: GroupId = GroupId(1);
const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

fn arrive(script: &Arc<Mutex<Script>>, from: Rank, cq: Cq, frame: &[u8]) {
    let inboxes = &mut script.lock().unwrap().inboxes;
    inboxes[usize::from(cq.0)].push_back((0, from, frame.to_vec()));
}

fn message(group: GroupId, stamp: u64) -> Vec<u8> {
    let context = Context::new(group, Lane::Program);
    let header =
        Header { kind: Kind::Eager, element: 1, context, tag: 0, stamp, len: 1, transfer: 0 };
    [&header.encode()[..], &[7]].concat()
}

fn signal(group: GroupId, epoch: u64, clock: u64) -> Vec<u8> {
    let kind = SignalKind::Reached;
    encode_signal(&Signal { kind, group, step: 0, epoch, clock }).to_vec()
}

/// A member that asks late is told that its barrier was entered, though nothing is known of the
/// group any more; and not so of a barrier that this rank never called.
/// SEMANTICS: BAR-9, GRP-3
#[test]
fn who_has_completed_a_barrier_and_dropped_its_group_says_so() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, Config::new(2)).unwrap();
    engine.add_group(GROUP, &[0, 1], Algorithm::default(), None).unwrap();
    let first = engine.barrier(GroupId::WORLD).unwrap();
    let second = engine.barrier(GROUP).unwrap();
    arrive(&script, 1, SIGNAL, &signal(GroupId::WORLD, 1, 1));
    arrive(&script, 1, SIGNAL, &signal(GROUP, 1, 2));
    assert!(engine.test_barrier(first).unwrap() && engine.test_barrier(second).unwrap());
    engine.drop_group(GROUP).unwrap();
    assert_eq!(engine.order().progress_of(GROUP), None, "nothing is left of it");
    let mut asked = |group, epoch, clock| {
        let query = Control::Query { group, epoch, clock };
        arrive(&script, 1, CONTROL, &query.encode(Returned::default()));
        engine.progress().unwrap();
        let sent = std::mem::take(&mut script.lock().unwrap().sent);
        let answers = sent.iter().filter_map(|(vi, frame)| match vi.cq {
            CONTROL => Control::decode(frame).ok().map(|(control, _)| control),
            _ => None,
        });
        answers.rev().find(|control| matches!(control, Control::Answer { .. }))
    };
    let activity = Activity::Nothing;
    let answer = |group, entered| Some(Control::Answer { group, entered, activity });
    assert_eq!(asked(GROUP, 1, 2), answer(GROUP, 1));
    assert_eq!(asked(GROUP, 2, 3), answer(GROUP, 0));
    assert_eq!(asked(GroupId(2), 1, 2), answer(GroupId(2), 0), "it is yet to be made here");
    assert_eq!(asked(GroupId::WORLD, 2, 3), answer(GroupId::WORLD, 1));
}

/// A message of a rank that is no member is a violation, whether it comes before the group is made,
/// is held until then, or comes after.
/// SEMANTICS: SAFE-1, GRP-1
#[test]
fn nobody_else_gets_a_message_into_a_group() {
    for (early, stamp) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
        let (nic, script) = Scripted::new(3);
        let mut engine = Engine::new(nic, Config::new(3)).unwrap();
        let make = |engine: &mut Engine<Scripted>| {
            engine.add_group(GROUP, &[0, 1], Algorithm::default(), None)
        };
        let error = if early {
            // A member's is none.
            arrive(&script, 1, EAGER, &message(GROUP, stamp));
            arrive(&script, 2, EAGER, &message(GROUP, stamp));
            engine.progress().unwrap();
            make(&mut engine).unwrap_err()
        } else {
            make(&mut engine).unwrap();
            arrive(&script, 1, EAGER, &message(GROUP, stamp));
            arrive(&script, 2, EAGER, &message(GROUP, stamp));
            engine.progress().unwrap_err()
        };
        let violation = Violation::UnknownContext(Context::new(GROUP, Lane::Program));
        assert_eq!(error, MessageError::Protocol { from: 2, violation });
        assert_eq!(engine.progress(), Err(error), "the world has ended");
    }
}

/// No id is used twice, and there is a last one.
/// SEMANTICS: GRP-2
#[test]
fn ids_only_grow() {
    let (nic, _) = Scripted::new(2);
    let mut engine = Engine::new(nic, Config::new(2)).unwrap();
    let mut make = |id| engine.add_group(GroupId(id), &[0], Algorithm::default(), None).map(drop);
    assert_eq!(make(0), Err(InvalidGroup::InUse(GroupId(0)).into()));
    assert_eq!(make(5), Ok(()));
    for id in 0..6 {
        assert_eq!(make(id), Err(InvalidGroup::InUse(GroupId(id)).into()));
    }
    assert_eq!(make(Context::GROUPS), Err(InvalidGroup::NoIdsLeft.into()));
    assert_eq!(make(Context::GROUPS - 1), Ok(()));
    assert_eq!(
        make(Context::GROUPS - 1),
        Err(InvalidGroup::InUse(GroupId(Context::GROUPS - 1)).into())
    );
}

/// Receives that are still posted when their group goes, and what they have got, go with it.
/// SEMANTICS: GRP-3, FLOW-1
#[test]
fn posted_receives_go_with_their_group() {
    let config = Config { window_messages: 1, eager_bytes: 16, ..Config::new(2) };
    for bytes in [1, 100] {
        let nics = Launch::new(2).options(config.clone()).connect().unwrap();
        let mut ranks: Vec<_> =
            nics.into_iter().map(|nic| Engine::new(nic, config.clone()).unwrap()).collect();
        let context = Context::new(GROUP, Lane::Program);
        for rank in &mut ranks {
            rank.add_group(GROUP, &[1, 0], Algorithm::default(), None).unwrap();
        }
        let settle = |ranks: &mut Vec<Engine<_>>| {
            for _ in 0..8 {
                ranks.iter_mut().for_each(|rank| assert!(rank.progress().is_ok()));
            }
        };
        // One has a message, the other waits for one.
        ranks[0].post_recv(context, ANY).unwrap();
        ranks[0].post_recv(context, ANY).unwrap();
        let envelope = Envelope { context, tag: 1, element: 1 };
        let sent = ranks[1].post_send(0, envelope, &vec![1; bytes]).unwrap();
        settle(&mut ranks);
        ranks[0].drop_group(GROUP).unwrap();
        settle(&mut ranks);
        assert!(ranks[1].is_sent(sent));
        let envelope = Envelope { context: Context::WORLD, ..envelope };
        assert!(ranks[1].try_send(0, envelope, &[2]).unwrap(), "no credit came back");
        settle(&mut ranks);
        // Nothing posted for the group gets anything of the world.
        let read = |_: &_, bytes: &[u8]| bytes.to_vec();
        let received =
            ranks[0].try_recv::<_, MessageError>(Context::WORLD, ANY, |_| Ok(()), read).unwrap();
        assert_eq!(received, Some(vec![2]));
    }
}
