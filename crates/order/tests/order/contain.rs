//! Containment: what a rank that ran ahead keeps back, messages and barriers, and for how long.

use crate::script::check;

/// A message to a rank outside the group of an open barrier stays; one to a member leaves, and so
/// does one that was posted before the barrier.
///
/// SEMANTICS: CON-1
#[test]
fn message_out_of_the_group_is_contained() {
    check(
        "
        > job 3
        > group 1 of 0 1
        > 0 posts before to 2
        stamped 0
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 posts outside to 2
        stamped 0
        > 0 posts inside to 1
        stamped 1
        > before leaves?
        yes
        > outside leaves?
        no
        > inside leaves?
        yes
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > deliver 1->0
        0 completes barrier 1 of group 1
        > outside leaves?
        yes
        ",
    );
}

/// A message posted after two barriers waits for both, also if the second completes first.
///
/// SEMANTICS: CON-1
#[test]
fn message_waits_for_every_barrier_before_it() {
    check(
        "
        > job 4
        > group 1 of 0 1 2
        > group 2 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        0->2 reached step 0 of group 1, epoch 1, clock 1
        > 0 posts one to 3
        stamped 0
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 2
        > 0 posts two to 3
        stamped 0
        > 0 posts three to 2
        stamped 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->2 reached step 0 of group 1, epoch 1, clock 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->0 reached step 0 of group 2, epoch 1, clock 2
        > deliver all
        1 completes barrier 1 of group 2
        0 completes barrier 1 of group 2
        > one leaves?
        no
        > two leaves?
        no
        > three leaves?
        yes
        > 2 barrier 1
        2 enters barrier 1 of group 1
        2 completes barrier 1 of group 1
        2->0 reached step 0 of group 1, epoch 1, clock 1
        2->1 reached step 0 of group 1, epoch 1, clock 1
        > deliver all
        0 completes barrier 1 of group 1
        1 completes barrier 1 of group 1
        > one leaves?
        yes
        > two leaves?
        yes
        # A barrier that is initiated later does not keep back what was posted before it.
        > 0 barrier 1
        0 enters barrier 2 of group 1
        0->1 reached step 0 of group 1, epoch 2, clock 3
        0->2 reached step 0 of group 1, epoch 2, clock 2
        > two leaves?
        yes
        ",
    );
}

/// Three nested groups, from the inside out and from the outside in: a barrier of a larger group
/// waits for the open ones of smaller groups, and not the other way round.
///
/// SEMANTICS: CON-2
#[test]
fn three_nested_groups() {
    check(
        "
        > job 4
        > group 1 of 0 1 2
        > group 2 of 0 1
        # From the outside in, everything is entered at once.
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 0 of world, epoch 1, clock 1
        0->3 reached step 0 of world, epoch 1, clock 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 2
        0->2 reached step 0 of group 1, epoch 1, clock 2
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 3
        > 1 barrier
        1 enters barrier 1 of world
        1->2 reached step 0 of world, epoch 1, clock 1
        1->3 reached step 0 of world, epoch 1, clock 1
        1->0 reached step 0 of world, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->2 reached step 0 of group 1, epoch 1, clock 2
        1->0 reached step 0 of group 1, epoch 1, clock 2
        > 1 barrier 2
        1 enters barrier 1 of group 2
        1->0 reached step 0 of group 2, epoch 1, clock 3
        > 2 barrier
        2 enters barrier 1 of world
        2->3 reached step 0 of world, epoch 1, clock 1
        2->0 reached step 0 of world, epoch 1, clock 1
        2->1 reached step 0 of world, epoch 1, clock 1
        > 2 barrier 1
        2 enters barrier 1 of group 1
        2->0 reached step 0 of group 1, epoch 1, clock 2
        2->1 reached step 0 of group 1, epoch 1, clock 2
        > 3 barrier
        3 enters barrier 1 of world
        3->0 reached step 0 of world, epoch 1, clock 1
        3->1 reached step 0 of world, epoch 1, clock 1
        3->2 reached step 0 of world, epoch 1, clock 1
        > deliver all
        1 completes barrier 1 of group 2
        2 completes barrier 1 of group 1
        0 completes barrier 1 of group 2
        3 completes barrier 1 of world
        0 completes barrier 1 of group 1
        1 completes barrier 1 of group 1
        0 completes barrier 1 of world
        1 completes barrier 1 of world
        2 completes barrier 1 of world
        # From the inside out, each waits for the one before it.
        > 0 barrier 2
        0 enters barrier 2 of group 2
        0->1 reached step 0 of group 2, epoch 2, clock 4
        > 0 barrier 1
        0 defers barrier 2 of group 1
        > 0 barrier
        0 defers barrier 2 of world
        > 1 barrier 2
        1 enters barrier 2 of group 2
        1->0 reached step 0 of group 2, epoch 2, clock 4
        > deliver all
        1 completes barrier 2 of group 2
        0 enters barrier 2 of group 1
        0 completes barrier 2 of group 2
        0->1 reached step 0 of group 1, epoch 2, clock 5
        0->2 reached step 0 of group 1, epoch 2, clock 3
        > 0 state
        world: initiated 2, entered 1, complete 1
        group 1: initiated 2, entered 2, complete 1
        group 2: initiated 2, entered 2, complete 2
        > 2 barrier 1
        2 enters barrier 2 of group 1
        2->0 reached step 0 of group 1, epoch 2, clock 3
        2->1 reached step 0 of group 1, epoch 2, clock 3
        > 1 barrier 1
        1 enters barrier 2 of group 1
        1->2 reached step 0 of group 1, epoch 2, clock 3
        1->0 reached step 0 of group 1, epoch 2, clock 5
        > deliver all
        1 completes barrier 2 of group 1
        2 completes barrier 2 of group 1
        0 enters barrier 2 of world
        0 completes barrier 2 of group 1
        0->1 reached step 0 of world, epoch 2, clock 6
        0->2 reached step 0 of world, epoch 2, clock 4
        0->3 reached step 0 of world, epoch 2, clock 2
        > 0 state
        world: initiated 2, entered 2, complete 1
        group 1: initiated 2, entered 2, complete 2
        group 2: initiated 2, entered 2, complete 2
        > 3 barrier
        3 enters barrier 2 of world
        3->0 reached step 0 of world, epoch 2, clock 2
        3->1 reached step 0 of world, epoch 2, clock 2
        3->2 reached step 0 of world, epoch 2, clock 2
        > 2 barrier
        2 enters barrier 2 of world
        2->3 reached step 0 of world, epoch 2, clock 2
        2->0 reached step 0 of world, epoch 2, clock 4
        2->1 reached step 0 of world, epoch 2, clock 4
        > 1 barrier
        1 enters barrier 2 of world
        1->2 reached step 0 of world, epoch 2, clock 4
        1->3 reached step 0 of world, epoch 2, clock 2
        1->0 reached step 0 of world, epoch 2, clock 6
        > deliver all
        1 completes barrier 2 of world
        2 completes barrier 2 of world
        3 completes barrier 2 of world
        0 completes barrier 2 of world
        > 0 state
        world: initiated 2, entered 2, complete 2
        group 1: initiated 2, entered 2, complete 2
        group 2: initiated 2, entered 2, complete 2
        ",
    );
}

/// A chain: group 2 overlaps group 1 and waits for it, the second barrier of group 1 waits for
/// group 2, and the world's waits for all of them. Two signals set the whole chain going, also
/// where one barrier completes as it is entered.
///
/// SEMANTICS: CON-2, BAR-4
#[test]
fn chain_of_deferred_barriers() {
    check(
        "
        > job 3
        > group 1 of 0 1
        > group 2 of 0 2
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 defers barrier 1 of group 2
        > 0 barrier 1
        0 defers barrier 2 of group 1
        > 0 barrier
        0 defers barrier 1 of world
        > 0 state
        world: initiated 1, entered 0, complete 0
        group 1: initiated 2, entered 1, complete 0
        group 2: initiated 1, entered 0, complete 0
        > 2 barrier 2
        2 enters barrier 1 of group 2
        2->0 reached step 0 of group 2, epoch 1, clock 1
        > 2 barrier
        2 defers barrier 1 of world
        > deliver all
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1 completes barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 2 of group 1
        1->0 reached step 0 of group 1, epoch 2, clock 2
        > 1 barrier
        1 defers barrier 1 of world
        > deliver all
        0 enters barrier 2 of group 1
        0 completes barrier 1 of group 1
        0 enters barrier 1 of group 2
        0 completes barrier 1 of group 2
        0->1 reached step 0 of group 1, epoch 2, clock 2
        0->2 reached step 0 of group 2, epoch 1, clock 1
        0 enters barrier 1 of world
        0 completes barrier 2 of group 1
        0->1 reached step 0 of world, epoch 1, clock 3
        0->2 reached step 0 of world, epoch 1, clock 2
        1 enters barrier 1 of world
        1 completes barrier 2 of group 1
        1->2 reached step 0 of world, epoch 1, clock 1
        1->0 reached step 0 of world, epoch 1, clock 3
        2 enters barrier 1 of world
        2 completes barrier 1 of group 2
        2->0 reached step 0 of world, epoch 1, clock 2
        2->1 reached step 0 of world, epoch 1, clock 1
        2 completes barrier 1 of world
        0 completes barrier 1 of world
        1 completes barrier 1 of world
        > 0 state
        world: initiated 1, entered 1, complete 1
        group 1: initiated 2, entered 2, complete 2
        group 2: initiated 1, entered 1, complete 1
        > 1 state
        world: initiated 1, entered 1, complete 1
        group 1: initiated 2, entered 2, complete 2
        group 2: unknown
        > 2 state
        world: initiated 1, entered 1, complete 1
        group 1: unknown
        group 2: initiated 1, entered 1, complete 1
        > clocks
        0 | 4 3 2
        1 | 3 3 1
        2 | 2 1 2
        ",
    );
}

/// A deferred barrier contains as much as an entered one: what is posted after it to a rank
/// outside its group stays, although only the first barrier is entered.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn deferred_barrier_contains() {
    check(
        "
        > job 3
        > group 1 of 0 1
        > group 2 of 0 2
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 defers barrier 1 of group 2
        > 0 posts m to 1
        stamped 1
        > m leaves?
        no
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > deliver all
        1 completes barrier 1 of group 1
        0 completes barrier 1 of group 1
        0 enters barrier 1 of group 2
        0->2 reached step 0 of group 2, epoch 1, clock 1
        # Group 1 is through; group 2 is entered and open, and does not hold rank 1.
        > m leaves?
        no
        > 2 barrier 2
        2 enters barrier 1 of group 2
        2 completes barrier 1 of group 2
        2->0 reached step 0 of group 2, epoch 1, clock 1
        > deliver all
        0 completes barrier 1 of group 2
        > m leaves?
        yes
        ",
    );
}

/// The rules of the thesis: nothing is contained or deferred.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn without_containment() {
    check(
        "
        > job 3 pakin
        > group 1 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 2
        0->2 reached step 0 of world, epoch 1, clock 1
        > 0 posts m to 2
        stamped 1
        > m leaves?
        yes
        ",
    );
}

/// Barriers of the world never contain anything.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn world_contains_nothing() {
    check(
        "
        > job 3
        > group 1 of 0 1
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 0 of world, epoch 1, clock 1
        > 0 posts m to 2
        stamped 1
        > m leaves?
        yes
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 2
        ",
    );
}
