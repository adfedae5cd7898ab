//! Faults that the order core once had, each with the course of events that showed it.

use runahead_order::{Algorithm, GroupId, InvalidGroup, Order, Ordering, Signal, SignalKind};

use crate::script::check;
use crate::world::World;

/// A group made in the place of a dropped one must not make the others forget which groups they
/// lie within: group 2 stands behind the place that is used again.
///
/// SEMANTICS: CON-2, CLK-4
#[test]
fn place_of_a_dropped_group_is_used_again() {
    check("repairs/place_of_a_dropped_group_is_used_again");
}

/// A dropped group is forgotten when its last signal has left, not at some later event: its id is
/// free then.
///
/// SEMANTICS: CLK-4
#[test]
fn dropped_group_is_forgotten_with_its_last_signal() {
    let mut rank = Order::new(0, 2, Ordering::Contained, 4);
    rank.add_group(GroupId(1), &[0, 1], Algorithm::AllToAll, 0).expect("valid");
    rank.handle_initiate(GroupId(1)).expect("nothing is open");
    let kind = SignalKind::Reached;
    let signal = Signal { kind, group: GroupId(1), step: 0, epoch: 1, clock: 1 };
    rank.handle_signal(1, signal).expect("rank 1 has entered");
    rank.handle_drop(GroupId(1));
    let again = |rank: &mut Order| rank.add_group(GroupId(1), &[0, 1], Algorithm::AllToAll, 1);
    assert_eq!(again(&mut rank), Err(InvalidGroup::InUse(GroupId(1))), "it owes a signal");
    let mut left = 0;
    rank.poll_signals(|_, _| {
        left += 1;
        true
    });
    assert_eq!((left, rank.members(GroupId(1))), (1, None));
    assert_eq!(again(&mut rank), Ok(()));
}

/// A rank that has entered two barriers must ask for what the first lacks, since its peer may have
/// entered only that one.
///
/// SEMANTICS: BAR-4
#[test]
fn question_is_for_the_oldest_missing_signal() {
    check("repairs/question_is_for_the_oldest_missing_signal");
}

/// A rank that has dropped a group, and has forgotten it, still answers for its barriers.
///
/// SEMANTICS: BAR-4, CLK-4
#[test]
fn dropped_group_still_answers() {
    check("repairs/dropped_group_still_answers");
}

/// Signals that come when their group has been dropped and forgotten are late, not early: they
/// neither fill the memory for early ones nor count for the next group of that id.
///
/// SEMANTICS: BAR-1, BAR-3, SAFE-1
#[test]
fn late_signals_of_a_dropped_group_are_not_early() {
    let mut world = World::new(2, Ordering::Contained, 4);
    for id in 0..=Order::EARLY_LIMIT as u32 {
        let id = GroupId(id);
        world.add_group(id, &[0, 1], Algorithm::AllToAll, 0);
        world.initiate(0, id).expect("nothing is open");
        world.initiate(1, id).expect("nothing is open");
        let late = world.flight[1];
        assert_eq!((late.from, late.to), (1, 0));
        while let Some(next) = world.flight.pop() {
            world.hand_over(next).expect("it is due");
        }
        (0..2).for_each(|rank| world.ranks[rank].handle_drop(id));
        world.hand_over(late).expect("a late signal is no fault");
    }
}

/// Epochs that a group starts after were never barriers: they do not count in any clock, or else
/// what was counted before and after the group was made would not compare.
///
/// SEMANTICS: BAR-3, BAR-7, CLK-1
#[test]
fn epochs_before_a_group_do_not_count() {
    check("repairs/epochs_before_a_group_do_not_count");
}

/// A limit that is none leaves all epochs for use.
///
/// SEMANTICS: BAR-6
#[test]
fn very_high_limit_exhausts_nothing() {
    let mut rank = Order::new(0, 2, Ordering::Contained, usize::MAX);
    rank.add_group(GroupId::WORLD, &[0, 1], Algorithm::AllToAll, 0).expect("valid");
    assert!((0..100).all(|_| rank.handle_initiate(GroupId::WORLD).is_ok()));
}

/// The last epoch of all is exhausted, also while another group has something to defer.
///
/// SEMANTICS: CLK-3, SAFE-1
#[test]
fn group_at_the_end_of_the_epochs_does_not_overflow() {
    check("repairs/group_at_the_end_of_the_epochs_does_not_overflow");
}
