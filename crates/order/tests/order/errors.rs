//! Every error of the order core, provoked; and two ranks that disagree about the order of their
//! barriers.

use runahead_order::hold::Hold;
use runahead_order::{
    Algorithm, GroupId, InvalidGroup, Order, Ordering, ProtocolError, Refused, Signal, SignalKind,
};

use crate::script::check;

/// Ranks 0 and 1 call barriers of two groups that they share in opposite orders. Both notice, by
/// the first signal that comes after the own call.
///
/// SEMANTICS: BAR-7
#[test]
fn opposite_orders_are_noticed() {
    check(
        "
        > job 2 bare
        > group 1 of 0 1
        > group 2 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 2
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->0 reached step 0 of group 2, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 2
        > deliver 0->1
        error: rank 0 called barrier 1 of group 1 as number 1 of the barriers that it shares with this rank; here it was number 2: the ranks called them in different orders
        > deliver 0->1
        error: rank 0 called barrier 1 of group 2 as number 2 of the barriers that it shares with this rank; here it was number 1: the ranks called them in different orders
        > deliver 1->0
        error: rank 1 called barrier 1 of group 2 as number 1 of the barriers that it shares with this rank; here it was number 2: the ranks called them in different orders
        > deliver 1->0
        error: rank 1 called barrier 1 of group 1 as number 2 of the barriers that it shares with this rank; here it was number 1: the ranks called them in different orders
        > 0 state
        group 1: initiated 1, entered 1, complete 0
        group 2: initiated 1, entered 1, complete 0
        ",
    );
}

/// The same, when the other's signal comes before the own call: noticed by the call. The groups
/// overlap, so that each rank defers its second barrier: without the report they would hang.
///
/// SEMANTICS: BAR-7, CON-2
#[test]
fn opposite_orders_of_overlapping_groups_are_noticed() {
    check(
        "
        > job 4 bare
        > group 1 of 0 1 2
        > group 2 of 0 1 3
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->3 reached step 0 of group 2, epoch 1, clock 1
        1->0 reached step 0 of group 2, epoch 1, clock 1
        > deliver 1->0
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        0->2 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        fault: rank 1 called barrier 1 of group 2 as number 1 of the barriers that it shares with this rank; here it was number 2: the ranks called them in different orders
        0 defers barrier 1 of group 2
        > deliver 0->1
        > 1 barrier 1
        fault: rank 0 called barrier 1 of group 1 as number 1 of the barriers that it shares with this rank; here it was number 2: the ranks called them in different orders
        1 defers barrier 1 of group 1
        ",
    );
}

/// An early signal can disagree too: it comes to light when the group is made and its barrier
/// initiated.
///
/// SEMANTICS: BAR-7
#[test]
fn disagreement_of_an_early_signal() {
    check(
        "
        > job 2 bare
        > group 1 of 0 1
        > define 2 of 0 1
        > 1 makes 2
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->0 reached step 0 of group 2, epoch 1, clock 1
        > deliver 1->0
        > 0 makes 2
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0 completes barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 2
        fault: rank 1 called barrier 1 of group 2 as number 1 of the barriers that it shares with this rank; here it was number 2: the ranks called them in different orders
        ",
    );
}

/// A signal without a count says nothing about the order.
///
/// SEMANTICS: BAR-7
#[test]
fn signal_without_a_count() {
    check(
        "
        > job 2
        > 1->0 signals world step 0 epoch 1 clock 0
        > 0 barrier
        0 enters barrier 1 of world
        0 completes barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 0 faults?
        none
        > 0 barrier
        0 enters barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        > 1->0 signals world step 0 epoch 2 clock 0
        0 completes barrier 2 of world
        ",
    );
}

/// What no correct peer signals is refused, named, and changes nothing.
///
/// SEMANTICS: SAFE-1
#[test]
fn impossible_signals() {
    check(
        "
        > job 3 limit 2
        > group 1 of 0 1
        # A step that the schedule does not hold; one that it holds for sending only.
        > 1->0 signals world step 7 epoch 1
        error: rank 1 signalled step 7 of world, which its schedule does not contain
        > 1->0 signals world step 1 epoch 1
        error: rank 1 signalled step 1 of world, which its schedule does not contain
        > 1->0 signals world step 65535 epoch 1
        error: rank 1 signalled step 65535 of world, which its schedule does not contain
        # A rank that is no member, or no rank at all; oneself.
        > 2->0 signals 1 step 0 epoch 1
        error: rank 2 signalled a barrier of group 1, to which it does not belong
        > 99->0 signals world step 0 epoch 1
        error: rank 99 signalled a barrier of world, to which it does not belong
        > 0->0 signals world step 0 epoch 1
        error: rank 0 signalled step 0 of world, which its schedule does not contain
        # Questions are judged likewise.
        > 2->0 asks 1 step 0 epoch 1
        error: rank 2 signalled a barrier of group 1, to which it does not belong
        > 1->0 asks world step 1 epoch 1
        error: rank 1 signalled step 1 of world, which its schedule does not contain
        > 1->0 asks world step 65535 epoch 1
        error: rank 1 signalled step 65535 of world, which its schedule does not contain
        # An epoch that cannot have been entered; epoch 0; the most that is possible.
        > 1->0 signals world step 0 epoch 3
        error: rank 1 signalled epoch 3 of world: expected 1 to 2, which it can have entered
        > 1->0 signals world step 0 epoch 18446744073709551615
        error: rank 1 signalled epoch 18446744073709551615 of world: expected 1 to 2, which it can have entered
        > 1->0 signals world step 0 epoch 0
        error: rank 1 signalled epoch 0 of world: expected 1 to 2, which it can have entered
        > 1->0 signals world step 0 epoch 2
        > 0 state
        world: initiated 0, entered 0, complete 0
        group 1: initiated 0, entered 0, complete 0
        # Having entered one, rank 0 believes one more.
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 0 of world, epoch 1, clock 1
        > 1->0 signals world step 0 epoch 3
        > 1->0 signals world step 0 epoch 4
        error: rank 1 signalled epoch 4 of world: expected 1 to 3, which it can have entered
        ",
    );
}

/// Signals of unknown groups are kept up to a limit; newer epochs of the same step need no room,
/// and other groups are not disturbed.
///
/// SEMANTICS: SAFE-1
#[test]
fn too_many_early_signals() {
    let mut rank = Order::new(0, 2, Ordering::Contained, 4);
    let signal = |group, step, epoch| Signal {
        kind: SignalKind::Reached,
        group: GroupId(group),
        step,
        epoch,
        clock: 0,
    };
    let limit = Order::EARLY_LIMIT;
    for group in 1..=limit as u32 {
        rank.handle_signal(1, signal(group, 0, 1)).expect("there is room");
    }
    let group = GroupId(limit as u32 + 1);
    let refused = rank.handle_signal(1, signal(group.0, 0, 1));
    assert_eq!(refused, Err(ProtocolError::TooManyEarlySignals { from: 1, group, limit }));
    assert_eq!(rank.handle_signal(1, signal(7, 0, 2)), Ok(()));
    // Making a group makes room for one more.
    rank.add_group(GroupId(7), &[0, 1], Algorithm::AllToAll, 0).expect("valid");
    assert_eq!(rank.handle_signal(1, signal(group.0, 0, 1)), Ok(()));
    rank.handle_initiate(GroupId(7)).expect("nothing is open");
    assert_eq!(rank.progress_of(GroupId(7)), Some((1, 1, 1)));
}

/// A stamp that falls is refused; the message before it and those after it are not touched.
///
/// SEMANTICS: HOLD-4
#[test]
fn stamp_that_falls() {
    let mut hold = Hold::new(2);
    assert_eq!(hold.handle_arrival(1, 5, 4, "held"), Ok(None));
    let fell = hold.handle_arrival(1, 4, 4, "fell");
    assert_eq!(fell, Err(ProtocolError::StampFell { from: 1, stamp: 4, before: 5 }));
    assert_eq!(hold.handle_arrival(0, 4, 4, "of another"), Ok(Some("of another")));
    assert_eq!(hold.handle_arrival(1, 5, 4, "as before"), Ok(None));
    let mut delivered = Vec::new();
    hold.poll_deliverable(|_| 5, |from, message| delivered.push((from, message)));
    assert_eq!(delivered, [(1, "held"), (1, "as before")]);
    // Delivered or not, the last stamp counts.
    assert!(hold.handle_stamp_to_deliver(1, 5, 5) && !hold.handle_stamp_to_deliver(1, 4, 5));
    assert!(hold.handle_arrival(1, 4, 5, "fell again").is_err());
}

/// Every way to be refused a barrier; none changes anything.
///
/// SEMANTICS: BAR-6, CLK-4
#[test]
fn refusals() {
    let mut rank = Order::new(0, 2, Ordering::Contained, 1);
    let group = GroupId(3);
    rank.add_group(group, &[0, 1], Algorithm::AllToAll, 0).expect("valid");
    let unknown = Refused::NoSuchGroup(GroupId(9));
    assert_eq!(rank.handle_initiate(GroupId(9)), Err(unknown.clone()));
    assert_eq!(rank.may_initiate(GroupId(9)), Err(unknown));
    rank.handle_initiate(group).expect("nothing is open");
    let before = rank.clone();
    let limit = Refused::OpenLimit { group, limit: 1 };
    assert_eq!(rank.may_initiate(group), Err(limit.clone()));
    assert_eq!(rank.handle_initiate(group), Err(limit));
    assert_eq!(rank, before);
    rank.handle_drop(group);
    assert_eq!(rank.handle_initiate(group), Err(Refused::NoSuchGroup(group)));
    rank.handle_drop(GroupId(9));
    let last = GroupId(4);
    rank.add_group(last, &[0, 1], Algorithm::AllToAll, u64::MAX).expect("valid");
    assert_eq!(rank.handle_initiate(last), Err(Refused::EpochsExhausted(last)));
}

/// Every way in which a group can be invalid; none changes anything.
///
/// SEMANTICS: SAFE-1
#[test]
fn invalid_groups() {
    let mut rank = Order::new(1, 4, Ordering::Contained, 2);
    let before = rank.clone();
    let mut add = |id, members: &[usize]| rank.add_group(id, members, Algorithm::default(), 0);
    let id = GroupId(5);
    assert_eq!(add(id, &[1, 2, 1]), Err(InvalidGroup::Twice(1)));
    assert_eq!(add(id, &[0, 2]), Err(InvalidGroup::WithoutCaller(1)));
    assert_eq!(add(id, &[]), Err(InvalidGroup::WithoutCaller(1)));
    assert_eq!(add(id, &[1, 4]), Err(InvalidGroup::NoSuchRank { rank: 4, size: 4 }));
    assert_eq!(rank, before);
    rank.add_group(id, &[2, 1], Algorithm::default(), 0).expect("valid");
    let again = rank.add_group(id, &[1, 3], Algorithm::default(), 0);
    assert_eq!(again, Err(InvalidGroup::InUse(id)));
}

/// Two ranks that call the same barriers in the same order never disagree, whatever their other
/// groups are and whatever of them was dropped in between: a repeated signal of the latest complete
/// barrier is compared rightly, or not at all.
///
/// SEMANTICS: BAR-3, BAR-7, CLK-4
#[test]
fn dropping_is_no_disagreement() {
    check(
        "
        > job 2
        > group 1 of 0 1
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > repeat 1->0
        0 completes barrier 1 of world
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 2
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 2
        > deliver 1->0 newest
        0 completes barrier 1 of group 1
        > deliver 0->1
        1 completes barrier 1 of world
        > deliver 0->1
        1 completes barrier 1 of group 1
        # Rank 0 folds the count of group 1, which came after the world's barrier.
        > 0 drops 1
        > deliver 1->0
        > 0 barrier
        0 enters barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 3
        > 1 barrier
        1 enters barrier 2 of world
        1->0 reached step 0 of world, epoch 2, clock 3
        > repeat 0->1
        1 completes barrier 2 of world
        > 1 drops 1
        > deliver 0->1
        > deliver 1->0
        0 completes barrier 2 of world
        > clocks
        0 | 3 3
        1 | 3 3
        ",
    );
}

/// Every violation names its culprit.
///
/// SEMANTICS: SAFE-1
#[test]
fn a_violation_names_its_culprit() {
    let (from, group) = (7, GroupId(3));
    let all = [
        ProtocolError::UnexpectedStep { from, group, step: 1 },
        ProtocolError::NotAMember { from, group },
        ProtocolError::ImpossibleEpoch { from, group, epoch: 2, limit: 1 },
        ProtocolError::OrderMismatch { from, group, epoch: 2, theirs: 3, ours: 4 },
        ProtocolError::TooManyEarlySignals { from, group, limit: 5 },
        ProtocolError::StampFell { from, stamp: 1, before: 2 },
    ];
    assert!(all.iter().all(|error| error.from() == 7 && error.to_string().contains("rank 7")));
    // Also of a rank that the job does not have, and a group that there is not.
    let mut rank = Order::new(0, 2, Ordering::Contained, 1);
    let (kind, step, epoch, clock) = (SignalKind::Reached, 0, 1, 0);
    for from in [2, 3] {
        let signalled = rank.handle_signal(from, Signal { kind, group, step, epoch, clock });
        assert_eq!(signalled, Err(ProtocolError::NotAMember { from, group }));
    }
}
