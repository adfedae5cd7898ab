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
    check("errors/opposite_orders_are_noticed");
}

/// The same, when the other's signal comes before the own call: noticed by the call. The groups
/// overlap, so that each rank defers its second barrier: without the report they would hang.
///
/// SEMANTICS: BAR-7, CON-2
#[test]
fn opposite_orders_of_overlapping_groups_are_noticed() {
    check("errors/opposite_orders_of_overlapping_groups_are_noticed");
}

/// An early signal can disagree too: it comes to light when the group is made and its barrier
/// initiated.
///
/// SEMANTICS: BAR-7
#[test]
fn disagreement_of_an_early_signal() {
    check("errors/disagreement_of_an_early_signal");
}

/// A signal without a count says nothing about the order.
///
/// SEMANTICS: BAR-7
#[test]
fn signal_without_a_count() {
    check("errors/signal_without_a_count");
}

/// What no correct peer signals is refused, named, and changes nothing.
///
/// SEMANTICS: SAFE-1
#[test]
fn impossible_signals() {
    check("errors/impossible_signals");
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
    check("errors/dropping_is_no_disagreement");
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
