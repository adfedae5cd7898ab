//! Whatever a peer sends, a rank neither panics nor hangs: it goes on, or says who broke the
//! protocol, in every call from then on.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use runahead::Config;
use runahead::internals::message::{
    Activity, BULK, CONTROL, Cause, Context, Control, EAGER, Engine, Envelope, Header, Kind, Lane,
    MessageError, Pattern, Returned, SIGNAL, Source, Tag, Violation, encode_signal,
};
use runahead::internals::order::{GroupId, Signal, SignalKind};
use runahead::internals::verbs::{Cq, Vi};
use runahead_testkit::effort::bound;

use super::scripted::{Script, Scripted};

const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };
const HOSTILE: usize = 1;

fn config() -> Config {
    Config {
        window_messages: 4,
        eager_bytes: 16,
        segment_bytes: 16,
        message_bytes: 1 << 16,
        open_barriers: 3,
        stall_after: Duration::from_nanos(1),
        ..Config::new(3)
    }
}

/// Numbers that are near to what is going on, or near to where counters wrap around.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..6u64,
        1 => (1u64 << 47) - 2..(1 << 47) + 3,
        1 => (1u64 << 48) - 3..(1 << 48) + 3,
        1 => u64::MAX - 3..=u64::MAX,
        1 => any::<u64>(),
    ]
}

fn activity() -> impl Strategy<Value = Activity> {
    let rank = || number().prop_map(|rank| rank as u32 as usize);
    let group = || number().prop_map(|group| GroupId(group as u32));
    prop_oneof![
        Just(Activity::Nothing),
        (group(), number()).prop_map(|(group, epoch)| Activity::Barrier { group, epoch }),
        rank().prop_map(|to| Activity::Send { to }),
        rank().prop_map(|peer| Activity::Rendezvous { peer }),
        (any::<u8>(), group(), rank()).prop_map(|(kind, group, peer)| {
            Activity::Collective { kind, number: 1, group, peer: Some(peer) }
        }),
    ]
}

fn cause() -> impl Strategy<Value = Cause> {
    let group = prop_oneof![3 => Just(0u32), 1 => any::<u32>()].prop_map(GroupId);
    let ended = (0..4usize, group, 0..3u32).prop_map(|(rank, group, epoch)| Cause::Ended {
        rank,
        group,
        epoch,
    });
    prop_oneof![(0..4usize).prop_map(Cause::Lost), ended]
}

fn control() -> impl Strategy<Value = Control> {
    let group = prop_oneof![3 => Just(0u32), 1 => any::<u32>()].prop_map(GroupId);
    prop_oneof![
        2 => Just(Control::Credit),
        2 => (0..4u32).prop_map(|transfer| Control::ClearToSend { transfer }),
        1 => (group.clone(), number(), number())
            .prop_map(|(group, epoch, clock)| Control::Query { group, epoch, clock }),
        1 => (group, number(), activity())
            .prop_map(|(group, entered, activity)| Control::Answer { group, entered, activity }),
        1 => (number(), any::<bool>(), proptest::option::of(cause()), 0..3u32).prop_map(
            |(clock, failed, cause, reads)| Control::Closing { clock, failed, cause, reads }
        ),
        1 => (number(), number())
            .prop_map(|(eager, segments)| Control::Ended { eager, segments }),
    ]
}

/// A data frame: kind, context, tag, stamp, stated length, transfer, and the payload that is there.
fn data() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![
        3 => Just(Kind::Eager),
        3 => Just(Kind::Request),
        3 => Just(Kind::Segment),
        1 => Just(Kind::Exposed),
        1 => Just(Kind::Reads),
        1 => Just(Kind::Confirmed),
    ];
    let payload = vec(any::<u8>(), 0..17);
    let len = prop_oneof![4 => Just(None), 1 => (0..100_000u64).prop_map(Some), 1 => (0..1u64 << 37).prop_map(Some)];
    (kind, 0..9u32, 0..3u32, number(), len, 0..4u32, payload).prop_map(
        |(kind, context, tag, stamp, len, transfer, payload)| {
            let there = if kind == Kind::Request { 40 } else { payload.len() as u64 };
            let len = len.unwrap_or(there);
            let context = Context::from_bits(context);
            let header = Header { kind, element: 0, context, tag, stamp, len, transfer };
            let payload = if kind == Kind::Request { &[] } else { &payload[..] };
            [&header.encode(), payload].concat()
        },
    )
}

/// A queue and what comes on it: frames nearly like those of a correct peer, or any bytes.
fn frame() -> impl Strategy<Value = (Cq, Vec<u8>)> {
    let returned = || prop_oneof![4 => 0..3u16, 1 => any::<u16>()];
    let returned = (returned(), returned(), returned());
    let control = (control(), returned).prop_map(|(control, (eager, signal, bulk))| {
        (CONTROL, control.encode(Returned { eager, signal, bulk }).to_vec())
    });
    let kind = prop_oneof![3 => Just(SignalKind::Reached), 1 => Just(SignalKind::Ask)];
    let group = prop_oneof![3 => Just(0u32), 1 => 0..9u32];
    let step = prop_oneof![3 => 0..3u16, 1 => any::<u16>()];
    let signal =
        (kind, group, step, number(), number()).prop_map(|(kind, group, step, epoch, clock)| {
            let signal = Signal { kind, group: GroupId(group), step, epoch, clock };
            (SIGNAL, encode_signal(&signal).to_vec())
        });
    let data = (prop_oneof![3 => Just(EAGER), 2 => Just(BULK)], data());
    let bytes = ((0..4u8).prop_map(Cq), vec(any::<u8>(), 0..48));
    prop_oneof![3 => control, 3 => signal, 5 => data, 1 => bytes]
}

/// What the rank does between frames.
#[derive(Clone, Debug)]
enum Call {
    Progress,
    Barrier,
    WaitBarrier,
    Send(usize),
    BlockingSend(usize),
    TrySend(usize),
    TryRecv,
    Recv,
    Post,
    Test,
    Probe,
    Arrive(Vec<(Cq, Vec<u8>)>),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => Just(Call::Progress),
        2 => Just(Call::Barrier),
        1 => Just(Call::WaitBarrier),
        2 => (0..60usize).prop_map(Call::Send),
        1 => (0..60usize).prop_map(Call::BlockingSend),
        1 => (0..60usize).prop_map(Call::TrySend),
        2 => Just(Call::TryRecv),
        1 => Just(Call::Recv),
        1 => Just(Call::Post),
        1 => Just(Call::Test),
        1 => Just(Call::Probe),
        8 => vec(frame(), 1..4).prop_map(Call::Arrive),
    ]
}

fn arrive(script: &mut Script, frames: &[(Cq, Vec<u8>)]) {
    for (cq, bytes) in frames {
        script.inboxes[usize::from(cq.0)].push_back((0, HOSTILE, bytes.clone()));
    }
}

fn accept(_: &runahead::internals::message::Info) -> Result<(), MessageError> {
    Ok(())
}

/// Makes all calls, and returns the outcome of each.
fn run(calls: &[Call]) -> Vec<Result<(), MessageError>> {
    let (nic, script) = Scripted::new(3);
    let mut engine = Engine::new(nic, config()).unwrap();
    // It reports at once, with whatever the peer says of itself.
    engine.on_stall(Arc::new(|report| drop(report.to_string())), |_| "a collective");
    let envelope = Envelope { context: Context::WORLD, tag: 1, element: 0 };
    let mut posted = Vec::new();
    let mut ticket = None;
    let mut outcomes = Vec::new();
    for call in calls {
        let outcome = match call {
            Call::Arrive(frames) => {
                arrive(&mut script.lock().unwrap(), frames);
                continue;
            }
            Call::Progress => engine.progress().map(drop),
            Call::Barrier => engine.try_barrier(GroupId::WORLD).map(|new| ticket = Some(new)),
            Call::WaitBarrier => match ticket {
                Some(ticket) => engine.wait_barrier(ticket),
                None => continue,
            },
            Call::Send(len) => engine.post_send(HOSTILE, envelope, &[7; 60][..*len]).map(drop),
            Call::BlockingSend(len) => engine.send(HOSTILE, envelope, &[7; 60][..*len]),
            Call::TrySend(len) => engine.try_send(HOSTILE, envelope, &[7; 60][..*len]).map(drop),
            Call::TryRecv => {
                engine.try_recv(Context::WORLD, ANY, accept, |_, bytes| bytes.len()).map(drop)
            }
            Call::Recv => {
                engine.recv(Context::WORLD, ANY, accept, |_, bytes| bytes.len()).map(drop)
            }
            Call::Post => engine
                .post_recv(Context::new(GroupId::WORLD, Lane::Collective), ANY)
                .map(|id| posted.push(id)),
            Call::Test => match posted.last() {
                Some(&id) => engine.test_recv(id, Source::Any).map(drop),
                None => continue,
            },
            Call::Probe => engine.probe(Context::WORLD, ANY).map(drop),
        };
        outcomes.push(outcome);
    }
    outcomes.push(engine.end(false));
    outcomes
}

fn check(outcomes: &[Result<(), MessageError>]) {
    let mut broken: Option<&MessageError> = None;
    for outcome in outcomes {
        if let Some(broken) = broken {
            assert_eq!(outcome.as_ref(), Err(broken));
        }
        match outcome {
            Err(error @ MessageError::Protocol { from, .. }) => {
                assert_eq!(*from, HOSTILE);
                broken = Some(error);
            }
            Err(MessageError::Post(error)) => panic!("{error}"),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(bound([150, 1500, 1500])) })]

    // SEMANTICS: SAFE-1
    #[test]
    fn any_frames_are_survived_or_refused(calls in vec(call(), 1..30)) {
        check(&run(&calls));
    }
}

fn eager(stamp: u64) -> (Cq, Vec<u8>) {
    let header = Header {
        kind: Kind::Eager,
        element: 0,
        context: Context::WORLD,
        tag: 0,
        stamp,
        len: 1,
        transfer: 0,
    };
    (EAGER, [&header.encode()[..], &[1]].concat())
}

// SEMANTICS: SAFE-1
#[test]
fn a_violation_is_told_by_every_later_call() {
    // A message that can be received is there too: the world has ended all the same.
    let garbage = (CONTROL, vec![9; 32]);
    for call in [
        Call::Progress,
        Call::Barrier,
        Call::Send(1),
        Call::BlockingSend(1),
        Call::TrySend(1),
        Call::TryRecv,
        Call::Recv,
        Call::Post,
        Call::Probe,
    ] {
        let frames = Call::Arrive(vec![eager(0)]);
        let calls = [frames, Call::Progress, Call::Arrive(vec![garbage.clone()]), Call::Progress];
        let outcomes = run(&[&calls[..], &[call]].concat());
        assert!(outcomes[0].is_ok());
        for outcome in &outcomes[1..] {
            let Err(MessageError::Protocol { from: HOSTILE, violation }) = outcome else {
                panic!("{outcome:?}");
            };
            assert!(matches!(violation, Violation::Malformed(_)));
        }
    }
}

// SEMANTICS: SAFE-1, END-2
#[test]
fn an_end_that_was_not_announced_is_a_violation() {
    let ended =
        |eager| (CONTROL, Control::Ended { eager, segments: 0 }.encode(Returned::default()));
    let closing = Control::Closing { clock: 0, failed: false, cause: None, reads: 0 }
        .encode(Returned::default());
    let closing = (CONTROL, closing);
    for frames in [vec![ended(0)], vec![closing, closing], vec![closing, ended(0), ended(0)]] {
        let frames = frames.into_iter().map(|(cq, frame)| (cq, frame.to_vec())).collect();
        let outcomes = run(&[Call::Arrive(frames), Call::Progress, Call::BlockingSend(50)]);
        let violation = Violation::EndOutOfOrder;
        assert_eq!(outcomes[0], Err(MessageError::Protocol { from: HOSTILE, violation }));
    }
}

fn arrive_from(from: usize, script: &Mutex<Script>, control: Control) {
    let frame = control.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)].push_back((0, from, frame));
}

/// What rank 0 of 4 is told when rank 2 has failed, and says of what `cause`: by its barrier, and by a receive from
/// anybody.
fn told_after(cause: Option<Cause>, others: &[(usize, Control)]) -> [Option<MessageError>; 2] {
    let engine = || {
        let (nic, script) = Scripted::new(4);
        let closing = (2, Control::Closing { clock: 0, failed: true, cause, reads: 0 });
        let ended = Control::Ended { eager: 0, segments: 0 };
        for &(from, control) in [closing, (2, ended)].iter().chain(others) {
            arrive_from(from, &script, control);
        }
        Engine::new(nic, Config::new(4)).unwrap()
    };
    let mut waits = engine();
    let barrier = waits.barrier(GroupId::WORLD).and_then(|ticket| waits.wait_barrier(ticket));
    let received = engine().recv(Context::WORLD, ANY, accept, |_, _| ());
    [barrier.err(), received.err()]
}

/// The word of a rank that has missed another may come before that other is missed here: where the network is not
/// causal. What is known here of that other is known better.
// SEMANTICS: END-2, END-3
#[test]
fn who_was_lost_to_a_rank_that_failed_is_named() {
    let lost = |rank| Some(MessageError::PeerLost { rank });
    let (group, epoch) = (GroupId::WORLD, 1);
    let itself = [
        Some(MessageError::EndedBeforeBarrier { rank: 2, group, epoch }),
        Some(MessageError::PeerEnded { rank: 2, failed: true }),
    ];
    let told = |rank, others: &[_]| told_after(Some(Cause::Lost(rank)), others);
    assert_eq!(told(1, &[]), [lost(1), lost(1)]);
    assert_eq!(told(3, &[]), [lost(3), lost(3)]);
    assert_eq!(told_after(None, &[]), itself);
    assert_eq!(told(0, &[]), itself, "this rank knows better");
    let closing = Control::Closing { clock: 1, failed: false, cause: None, reads: 0 };
    assert_eq!(told(1, &[(1, closing)]), itself, "rank 1 says itself that it ends");
}

/// So may its word that another has ended without a barrier. It says nothing of other barriers.
/// (Planted: a word that is taken for any barrier; one that is not taken.)
// SEMANTICS: END-2
#[test]
fn who_ended_before_the_barrier_of_a_rank_that_failed_is_named() {
    let (group, epoch) = (GroupId::WORLD, 1);
    let ended = |rank| Some(MessageError::EndedBeforeBarrier { rank, group, epoch });
    let failed = Some(MessageError::PeerEnded { rank: 2, failed: true });
    let told = |rank, group, epoch| told_after(Some(Cause::Ended { rank, group, epoch }), &[]);
    assert_eq!(told(1, group, 1), [ended(1), failed.clone()]);
    assert_eq!(told(3, group, 1), [ended(3), failed.clone()]);
    assert_eq!(told(3, group, 2), [ended(2), failed.clone()], "of a later barrier");
    assert_eq!(told(3, GroupId(1), 1), [ended(2), failed.clone()], "of another group");
    assert_eq!(told(0, group, 1), [ended(2), failed], "this rank knows better");
}

// SEMANTICS: SAFE-1
#[test]
fn nobody_can_have_lost_itself_or_a_rank_that_there_is_not() {
    for rank in [2, 4, u32::MAX as usize - 1] {
        let violation = Violation::UnknownCause(rank);
        let error = Some(MessageError::Protocol { from: 2, violation });
        let ended = Cause::Ended { rank, group: GroupId::WORLD, epoch: 1 };
        for cause in [Cause::Lost(rank), ended] {
            assert_eq!(told_after(Some(cause), &[]), [error.clone(), error.clone()]);
        }
    }
}

/// What rank 0 of 4, in its first barrier, says at its end after rank 2 has said why it failed, or that it ended.
fn passed_on(from_two: Control) -> Vec<(usize, Option<Cause>)> {
    let (nic, script) = Scripted::new(4);
    arrive_from(2, &script, from_two);
    let mut engine = Engine::new(nic, Config::new(4)).unwrap();
    engine.barrier(GroupId::WORLD).unwrap();
    engine.progress().unwrap();
    engine.end(true).unwrap();
    let sent = std::mem::take(&mut script.lock().unwrap().sent);
    let told = sent.iter().filter_map(|(vi, frame)| match Control::decode(frame) {
        Ok((Control::Closing { cause, .. }, _)) => Some((vi.peer, cause)),
        _ => None,
    });
    told.collect()
}

/// A rank that fails because of another says so, and so does one that fails because of that.
// SEMANTICS: END-2
#[test]
fn who_fails_says_what_it_lacked() {
    let lost = Some(Cause::Lost(3));
    let ended = |rank| Some(Cause::Ended { rank, group: GroupId::WORLD, epoch: 1 });
    for (failed, cause, expected) in
        [(true, lost, lost), (true, ended(3), ended(3)), (false, None, ended(2))]
    {
        let closing = Control::Closing { clock: 0, failed, cause, reads: 0 };
        assert_eq!(passed_on(closing), [1, 2, 3].map(|peer| (peer, expected)));
    }
}

// SEMANTICS: FEN-1
#[test]
fn data_is_looked_for_after_signals() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, Config::new(2)).unwrap();
    engine.progress().unwrap();
    let polls = script.lock().unwrap().polls.clone();
    assert_eq!(polls, [SIGNAL, CONTROL, BULK, EAGER]);
}

fn signal(epoch: u64) -> Vec<u8> {
    let (kind, group) = (SignalKind::Reached, GroupId::WORLD);
    encode_signal(&Signal { kind, group, step: 0, epoch, clock: epoch }).to_vec()
}

// SEMANTICS: END-2
#[test]
fn a_rank_that_has_ended_is_signalled_no_more() {
    let (nic, script) = Scripted::new(2);
    let config = Config { signal_window: 1, ..Config::new(2) };
    let mut engine = Engine::new(nic, config).unwrap();
    script.lock().unwrap().signal_room = 1;
    engine.barrier(GroupId::WORLD).unwrap();
    let second = engine.barrier(GroupId::WORLD).unwrap();
    let closing = Control::Closing { clock: 1, failed: true, cause: None, reads: 0 }
        .encode(Returned::default());
    let ended = Control::Ended { eager: 0, segments: 0 }.encode(Returned::default());
    let frames = [closing, ended].map(|frame| (CONTROL, frame.to_vec()));
    arrive(&mut script.lock().unwrap(), &frames);
    arrive(&mut script.lock().unwrap(), &[(SIGNAL, signal(1))]);
    let (rank, group, epoch) = (1, GroupId::WORLD, 2);
    let error = MessageError::EndedBeforeBarrier { rank, group, epoch };
    assert_eq!(engine.wait_barrier(second), Err(error));
}

fn end_of(clock: u64) -> [(Cq, Vec<u8>); 2] {
    let closing = Control::Closing { clock, failed: false, cause: None, reads: 0 }
        .encode(Returned::default());
    let ended = Control::Ended { eager: 0, segments: 0 }.encode(Returned::default());
    [closing, ended].map(|frame| (CONTROL, frame.to_vec()))
}

// SEMANTICS: END-2, SAFE-1
#[test]
fn a_rank_that_goes_without_the_signals_that_it_promised_is_not_waited_for() {
    for entered in 0..3 {
        let (nic, script) = Scripted::new(2);
        let mut engine = Engine::new(nic, Config::new(2)).unwrap();
        let tickets = [1, 2, 3].map(|_| engine.barrier(GroupId::WORLD).unwrap());
        arrive(&mut script.lock().unwrap(), &end_of(9));
        if entered > 0 {
            arrive(&mut script.lock().unwrap(), &[(SIGNAL, signal(entered))]);
        }
        let (rank, group, epoch) = (HOSTILE, GroupId::WORLD, entered + 1);
        let error = MessageError::EndedBeforeBarrier { rank, group, epoch };
        for (ticket, epoch) in tickets.into_iter().zip(1..) {
            let outcome = engine.wait_barrier(ticket);
            let promised = if epoch <= entered { Ok(()) } else { Err(error.clone()) };
            assert_eq!(outcome, promised, "barrier {epoch} of {entered}");
        }
        assert_eq!(engine.end(false), Err(error));
    }
}

// SEMANTICS: END-1, END-2
#[test]
fn the_last_signals_of_a_rank_that_has_gone_count() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, Config::new(2)).unwrap();
    let ticket = engine.barrier(GroupId::WORLD).unwrap();
    arrive(&mut script.lock().unwrap(), &end_of(1));
    // It comes after the end was read, and only when its sender has gone.
    let late = (2, HOSTILE, signal(1));
    script.lock().unwrap().inboxes[usize::from(SIGNAL.0)].push_back(late);
    assert_eq!(engine.wait_barrier(ticket), Ok(()));
    assert_eq!(engine.end(false), Ok(()));
}

// SEMANTICS: BAR-9
#[test]
fn an_old_answer_names_nobody() {
    let (nic, script) = Scripted::new(2);
    let mut engine = Engine::new(nic, Config::new(2)).unwrap();
    let ticket = engine.barrier(GroupId::WORLD).unwrap();
    // Something is still to come, so that the peer does not count as gone.
    let credit = Control::Credit.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(BULK.0)].push_back((u32::MAX, 1, credit));
    let error = engine.wait_barrier_timeout(ticket, Duration::ZERO).unwrap_err();
    let MessageError::BarrierTimeout { not_entered, no_answer, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((not_entered, no_answer), (vec![], vec![1]));
    // Its answer to that comes while the next time runs out; it has entered since.
    let (group, activity) = (GroupId::WORLD, Activity::Nothing);
    let answer = Control::Answer { group, entered: 0, activity };
    let answer = answer.encode(Returned::default()).to_vec();
    script.lock().unwrap().inboxes[usize::from(CONTROL.0)].push_back((40, 1, answer));
    let error = engine.wait_barrier_timeout(ticket, Duration::ZERO).unwrap_err();
    let MessageError::BarrierTimeout { not_entered, no_answer, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((not_entered, no_answer), (vec![], vec![1]));
    let query = Control::Query { group: GroupId::WORLD, epoch: 1, clock: 1 };
    let asked = |(vi, frame): &&(Vi, Vec<u8>)| {
        vi.cq == CONTROL && Control::decode(frame).is_ok_and(|(control, _)| control == query)
    };
    assert_eq!(script.lock().unwrap().sent.iter().filter(asked).count(), 2);
}
