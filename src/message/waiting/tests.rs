//! What a waiting rank says and sleeps for, on all that it may wait for.

use super::*;
use crate::message::config::EAGER;
use crate::message::matching::{Pattern, Tag};

const CONTEXT: Context = Context::WORLD;

fn waiting() -> Waiting {
    Waiting::new(Notify::Block, Crowd { ranks: 4, cores: 4, index: 0 }, 4)
}

fn receive(source: Source) -> WaitsFor {
    WaitsFor::Receive { context: CONTEXT, pattern: Pattern { source, tag: Tag::Any } }
}

/// SEMANTICS: FLOW-3
#[test]
fn arrivals_that_other_ranks_wait_for_always_wake() {
    let mut waiting = waiting();
    let all = [
        WaitsFor::Barriers { through: Some(3) },
        WaitsFor::Send { to: 1, context: None },
        WaitsFor::Payload { peer: 1, context: CONTEXT },
        receive(Source::Any),
        receive(Source::Rank(1)),
        WaitsFor::HandOver,
        WaitsFor::Leaving,
    ];
    for waits_for in all {
        waiting.begin(waits_for);
        let wake_on = waiting.wake_on(|_| false);
        for cq in [SIGNAL, CONTROL, BULK] {
            assert!(wake_on.includes(1, cq) && wake_on.includes(2, cq), "{waits_for:?}");
        }
    }
}

#[test]
fn a_message_wakes_where_the_call_could_take_it() {
    let mut waiting = waiting();
    let mut wakes = |waits_for, has_posted: bool| {
        waiting.begin(waits_for);
        let wake_on = waiting.wake_on(|_| has_posted);
        [1, 2].map(|peer| wake_on.includes(peer, EAGER))
    };
    assert_eq!(wakes(receive(Source::Any), false), [true, true]);
    assert_eq!(wakes(receive(Source::Rank(1)), false), [true, false]);
    assert_eq!(wakes(WaitsFor::Barriers { through: None }, false), [false, false]);
    assert_eq!(wakes(WaitsFor::Send { to: 1, context: None }, false), [false, false]);
    assert_eq!(wakes(WaitsFor::HandOver, false), [true, true]);
    // A posted receive may take any.
    assert_eq!(wakes(receive(Source::Rank(1)), true), [true, true]);
    assert_eq!(wakes(WaitsFor::Barriers { through: None }, true), [true, true]);
}

#[test]
fn a_wait_for_one_of_several_things_ends_with_any_message() {
    let mut waiting = waiting();
    waiting.begin_several(true, &[1, 3]);
    waiting.begin(receive(Source::Rank(1)));
    assert!(waiting.wake_on(|_| false).includes(2, EAGER));
    assert_eq!(waiting.room_at(), [1, 3]);
    waiting.end_several();
    assert!(!waiting.wake_on(|_| false).includes(2, EAGER));
    assert!(waiting.room_at().is_empty());
}

/// What is kept back for a barrier leaves with the next that completes, whatever the call waits for.
#[test]
fn a_sleeping_rank_is_woken_by_the_barriers_that_matter_to_it() {
    let mut waiting = waiting();
    assert_eq!((waiting.awaits_through(false), waiting.awaits_through(true)), (None, Some(0)));
    for (waits_for, without, with) in [
        (WaitsFor::Barriers { through: Some(3) }, Some(3), Some(0)),
        (WaitsFor::Barriers { through: None }, Some(0), Some(0)),
        (WaitsFor::HandOver, Some(Seq::MAX), Some(0)),
        (WaitsFor::Send { to: 1, context: None }, Some(0), Some(0)),
        (receive(Source::Any), None, Some(0)),
        (WaitsFor::Payload { peer: 1, context: CONTEXT }, None, Some(0)),
    ] {
        waiting.begin(waits_for);
        assert_eq!(waiting.awaits_through(false), without, "{waits_for:?}");
        assert_eq!(waiting.awaits_through(true), with, "{waits_for:?}");
    }
}

/// SEMANTICS: HANG-1
#[test]
fn a_rank_reports_its_activity_only_while_it_is_in_a_call() {
    let mut waiting = waiting();
    let open = Some((GroupId(4), 7));
    let said = |waiting: &Waiting| waiting.activity(open, |_, _| panic!("no receive is posted"));
    assert_eq!(said(&waiting), Activity::Nothing);
    waiting.begin(WaitsFor::Barriers { through: None });
    assert_eq!(said(&waiting), Activity::Barrier { group: GroupId(4), epoch: 7 });
    waiting.begin(WaitsFor::HandOver);
    assert_eq!(said(&waiting), Activity::Ending);
    waiting.begin(WaitsFor::Send { to: 2, context: Some(CONTEXT) });
    assert_eq!(said(&waiting), Activity::Send { to: 2 });
    // In the context of a collective, it is in that.
    let (kind, number, group) = (1, 5, GroupId(4));
    waiting.set_call(CallInfo { kind, number, group, context: CONTEXT });
    let in_call = |peer| Activity::Collective { kind, number, group, peer };
    assert_eq!(said(&waiting), in_call(Some(2)));
    waiting.begin(receive(Source::Any));
    assert_eq!(said(&waiting), in_call(None));
    waiting.begin(WaitsFor::Send { to: 2, context: None });
    assert_eq!(said(&waiting), Activity::Send { to: 2 });
    waiting.end();
    assert_eq!(said(&waiting), Activity::Nothing);
}

/// SEMANTICS: HANG-1
#[test]
fn only_a_wait_without_a_limit_and_with_a_handler_is_reported() {
    let start = Instant::now();
    let limit = Duration::from_secs(1);
    let step = |waiting: &Waiting, limit, has_limit| {
        waiting.begin_pace(start, limit, has_limit).poll_stall(|| true)
    };
    let mut waiting = waiting();
    waiting.begin(WaitsFor::HandOver);
    assert_eq!(step(&waiting, limit, false), StallStep::Nothing);
    waiting.set_handler(std::sync::Arc::new(|_| ()), |_| "");
    assert_eq!(step(&waiting, limit, false), StallStep::Later(limit));
    assert_eq!(step(&waiting, limit, true), StallStep::Nothing);
    assert_eq!(step(&waiting, Duration::ZERO, false), StallStep::Nothing);
    waiting.begin(WaitsFor::Leaving);
    assert_eq!(step(&waiting, limit, false), StallStep::Nothing);
}

/// SEMANTICS: FLOW-3
#[test]
fn every_few_calls_a_rank_serves_the_others() {
    let mut waiting = waiting();
    assert!(!waiting.has_turn() && !waiting.has_send_turn() && !waiting.has_enter_turn());
    waiting.handle_all_looked_for();
    let (mut served, mut short) = (0, 0);
    while waiting.has_turn() {
        short += u32::from(waiting.has_short_turn());
        waiting.handle_turn();
        served += 1;
    }
    assert_eq!(served, turns::TURNS_IN_ALL - 1);
    assert_eq!(served - short, turns::TURNS_IN_ALL / turns::TURNS - 1);
    waiting.renew_send_turns();
    waiting.renew_enter_turns();
    for _ in 0..turns::TURNS {
        assert!(waiting.has_send_turn() && waiting.has_enter_turn());
        waiting.handle_send_turn();
        waiting.handle_enter_turn();
    }
    assert!(!waiting.has_send_turn() && !waiting.has_enter_turn());
}

/// (Planted: what others ran for is not counted.)
///
/// SEMANTICS: FLOW-3
#[test]
fn a_rank_that_let_others_run_for_long_serves_all_soon() {
    let mut waiting = waiting();
    waiting.handle_all_looked_for();
    for _ in 0..4 {
        waiting.handle_turn_of_others(Duration::from_micros(500), || None);
        assert!(waiting.has_turn());
    }
    waiting.handle_turn();
    assert!(!waiting.has_turn());
}
