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
    check(
        "
        > job 3
        > group 1 of 0 1
        > group 2 of 0 1
        > 0 drops 1
        > group 3 of 0 2
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 1
        > 0 barrier
        0 defers barrier 1 of world
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->0 reached step 0 of group 2, epoch 1, clock 1
        > deliver 1->0
        0 enters barrier 1 of world
        0 completes barrier 1 of group 2
        0->1 reached step 0 of world, epoch 1, clock 2
        0->2 reached step 0 of world, epoch 1, clock 1
        ",
    );
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
    check(
        "
        > job 2
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 0 barrier
        0 enters barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        > deliver all
        > 1 barrier
        1 enters barrier 1 of world
        1 completes barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > lose 1->0
        > 0 asks
        0->1 lacks step 0 of world, epoch 1
        > deliver 0->1
        1->0 reached step 0 of world, epoch 1, clock 1
        > deliver 1->0
        0 completes barrier 1 of world
        ",
    );
}

/// A rank that has dropped a group, and has forgotten it, still answers for its barriers.
///
/// SEMANTICS: BAR-4, CLK-4
#[test]
fn dropped_group_still_answers() {
    check(
        "
        > job 2 bare
        > group 1 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > lose 0->1
        > deliver 1->0
        0 completes barrier 1 of group 1
        > 0 drops 1
        > 0 state
        group 1: unknown
        > 1 asks
        1->0 lacks step 0 of group 1, epoch 1
        > deliver 1->0
        0->1 reached step 0 of group 1, epoch 1, clock 0
        > deliver 0->1
        1 completes barrier 1 of group 1
        # It does not answer for what it has never entered.
        > 1 barrier 1
        1 enters barrier 2 of group 1
        1->0 reached step 0 of group 1, epoch 2, clock 2
        > 1 asks
        1->0 lacks step 0 of group 1, epoch 2
        > deliver all
        ",
    );
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
    check(
        "
        > job 2
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > repeat 0->1
        1 completes barrier 1 of world
        > deliver 1->0
        0 completes barrier 1 of world
        > group 1 of 0 1 after 100
        # The repeated signal was counted before group 1 was made.
        > deliver 0->1
        > clocks
        0 | 1 1
        1 | 1 1
        > 0 barrier
        0 enters barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        > group 2 of 0 1 after 18446744073709551000
        > group 3 of 0 1 after 18446744073709551000
        > clocks
        0 | 2/1 2/1
        1 | 1 1
        ",
    );
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
    check(
        "
        > job 2
        > group 1 of 0 1 after 18446744073709551615
        > 0 barrier 1
        the epochs of group 1 are used up
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        ",
    );
}
