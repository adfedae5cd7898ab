//! The life of a barrier of one group: completion, coalescing, credit, late and repeated signals,
//! loss, and the limit of open barriers.

use crate::script::check;

/// Three ranks of a dissemination barrier: nobody completes before the last has entered.
///
/// SEMANTICS: BAR-1, BAR-2, BAR-4
#[test]
fn life_of_a_barrier() {
    check(
        "
        > job 3 by dissemination
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 1 of world
        1->2 reached step 0 of world, epoch 1, clock 1
        > deliver all
        1->0 reached step 1 of world, epoch 1, clock 1
        # Rank 2 holds back what it would forward, since it has not entered.
        > 2 state
        world: initiated 0, entered 0, complete 0
        > 2 barrier
        2 enters barrier 1 of world
        2->0 reached step 0 of world, epoch 1, clock 1
        2->1 reached step 1 of world, epoch 1, clock 1
        > deliver all
        0 completes barrier 1 of world
        0->2 reached step 1 of world, epoch 1, clock 1
        1 completes barrier 1 of world
        2 completes barrier 1 of world
        > 0 state
        world: initiated 1, entered 1, complete 1
        ",
    );
}

/// A barrier of one rank completes as it is initiated.
///
/// SEMANTICS: BAR-4
#[test]
fn barrier_of_one() {
    check(
        "
        > job 1
        > 0 barrier
        0 enters barrier 1 of world
        0 completes barrier 1 of world
        > 0 barrier
        0 enters barrier 2 of world
        0 completes barrier 2 of world
        > flight
        > clocks
        0 | 2
        ",
    );
}

/// A butterfly forwards only after entering: ranks 0 and 2, which have heard of the barrier, pass
/// nothing on before they enter (the fault of the thesis's algorithm 4.2).
///
/// SEMANTICS: BAR-1, BAR-2
#[test]
fn nobody_forwards_before_entering() {
    check(
        "
        > job 4 by butterfly
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > 3 barrier
        3 enters barrier 1 of world
        3->2 reached step 0 of world, epoch 1, clock 1
        > deliver all
        # Ranks 0 and 2 have heard of it and keep silent.
        > flight
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 1 of world, epoch 1, clock 1
        > deliver all
        1->3 reached step 1 of world, epoch 1, clock 1
        > 2 barrier
        2 enters barrier 1 of world
        2 completes barrier 1 of world
        2->3 reached step 0 of world, epoch 1, clock 1
        2->0 reached step 1 of world, epoch 1, clock 1
        > deliver all
        3 completes barrier 1 of world
        3->1 reached step 1 of world, epoch 1, clock 1
        0 completes barrier 1 of world
        1 completes barrier 1 of world
        ",
    );
}

/// A signal that finds no credit is replaced by the one for the newer epoch; the receiver completes
/// both barriers with it.
///
/// SEMANTICS: BAR-3
#[test]
fn refused_signal_is_replaced_by_the_newer_one() {
    check(
        "
        > job 2
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 2 of world
        1->0 reached step 0 of world, epoch 2, clock 2
        > 1 barrier
        1 enters barrier 3 of world
        1->0 reached step 0 of world, epoch 3, clock 3
        > lose all
        > 0->1 has no credit
        > 0 barrier
        0 enters barrier 1 of world
        > 0 barrier
        0 enters barrier 2 of world
        > flight
        > 0->1 has credit
        0->1 reached step 0 of world, epoch 2, clock 2
        > deliver 0->1
        1 completes barrier 1 of world
        1 completes barrier 2 of world
        # A signal that left is not offered again.
        > 0 barrier
        0 enters barrier 3 of world
        0->1 reached step 0 of world, epoch 3, clock 3
        > deliver 0->1
        1 completes barrier 3 of world
        > 0->1 has no credit
        > 0->1 has credit
        > flight
        ",
    );
}

/// Signals that come twice, late and in the wrong order change nothing.
///
/// SEMANTICS: BAR-3
#[test]
fn repeated_late_and_reordered_signals() {
    check(
        "
        > job 2
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 2 of world
        1->0 reached step 0 of world, epoch 2, clock 2
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        # The newer signal comes first and stands for the older.
        > deliver 1->0 newest
        0 completes barrier 1 of world
        > 0 barrier
        0 enters barrier 2 of world
        0 completes barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        # The older one comes late, twice.
        > repeat 1->0
        > repeat 1->0
        > 0 barrier
        0 enters barrier 3 of world
        0->1 reached step 0 of world, epoch 3, clock 3
        > deliver 1->0
        > deliver all
        1 completes barrier 1 of world
        1 completes barrier 2 of world
        > 1 state
        world: initiated 2, entered 2, complete 2
        > 0 state
        world: initiated 3, entered 3, complete 2
        ",
    );
}

/// All others are through with the barrier before rank 0 initiates it: it completes at once, counts
/// once, and both clocks of rank 0 agree with the others' (the thesis's erratum of algorithm 4.2).
///
/// SEMANTICS: BAR-5, CLK-2
#[test]
fn barrier_that_others_finish_first_counts_once() {
    check(
        "
        > job 3
        > 1 barrier
        1 enters barrier 1 of world
        1->2 reached step 0 of world, epoch 1, clock 1
        1->0 reached step 0 of world, epoch 1, clock 1
        > 2 barrier
        2 enters barrier 1 of world
        2->0 reached step 0 of world, epoch 1, clock 1
        2->1 reached step 0 of world, epoch 1, clock 1
        > deliver all
        > clocks
        0 | 0 0 0
        1 | 1/0 1/0 1/0
        2 | 1/0 1/0 1/0
        > 0 barrier
        0 enters barrier 1 of world
        0 completes barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 0 of world, epoch 1, clock 1
        > clocks
        0 | 1 1 1
        1 | 1/0 1/0 1/0
        2 | 1/0 1/0 1/0
        > deliver all
        1 completes barrier 1 of world
        2 completes barrier 1 of world
        > clocks
        0 | 1 1 1
        1 | 1 1 1
        2 | 1 1 1
        # Once more, with the next barrier of the others already under way.
        > 1 barrier
        1 enters barrier 2 of world
        1->2 reached step 0 of world, epoch 2, clock 2
        1->0 reached step 0 of world, epoch 2, clock 2
        > 1 barrier
        1 enters barrier 3 of world
        1->2 reached step 0 of world, epoch 3, clock 3
        1->0 reached step 0 of world, epoch 3, clock 3
        > 2 barrier
        2 enters barrier 2 of world
        2->0 reached step 0 of world, epoch 2, clock 2
        2->1 reached step 0 of world, epoch 2, clock 2
        > 2 barrier
        2 enters barrier 3 of world
        2->0 reached step 0 of world, epoch 3, clock 3
        2->1 reached step 0 of world, epoch 3, clock 3
        > deliver all
        > 0 barrier
        0 enters barrier 2 of world
        0 completes barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        0->2 reached step 0 of world, epoch 2, clock 2
        > 0 barrier
        0 enters barrier 3 of world
        0 completes barrier 3 of world
        0->1 reached step 0 of world, epoch 3, clock 3
        0->2 reached step 0 of world, epoch 3, clock 3
        > deliver all
        1 completes barrier 2 of world
        2 completes barrier 2 of world
        1 completes barrier 3 of world
        2 completes barrier 3 of world
        > clocks
        0 | 3 3 3
        1 | 3 3 3
        2 | 3 3 3
        ",
    );
}

/// As many barriers as the limit says are open; the next is refused and changes nothing; one
/// completion makes room for one.
///
/// SEMANTICS: BAR-6
#[test]
fn open_barriers_up_to_the_limit() {
    check(
        "
        > job 2 limit 3
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 0 barrier
        0 enters barrier 2 of world
        0->1 reached step 0 of world, epoch 2, clock 2
        > 0 barrier
        0 enters barrier 3 of world
        0->1 reached step 0 of world, epoch 3, clock 3
        > 0 barrier
        3 barriers of world are open, which is the limit
        > 0 state
        world: initiated 3, entered 3, complete 0
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > deliver 1->0
        0 completes barrier 1 of world
        > 0 barrier
        0 enters barrier 4 of world
        0->1 reached step 0 of world, epoch 4, clock 4
        > 0 barrier
        3 barriers of world are open, which is the limit
        > deliver all
        1 completes barrier 1 of world
        > 1 state
        world: initiated 1, entered 1, complete 1
        > 1 barrier
        1 enters barrier 2 of world
        1 completes barrier 2 of world
        1->0 reached step 0 of world, epoch 2, clock 2
        > 1 barrier
        1 enters barrier 3 of world
        1 completes barrier 3 of world
        1->0 reached step 0 of world, epoch 3, clock 3
        > 1 barrier
        1 enters barrier 4 of world
        1 completes barrier 4 of world
        1->0 reached step 0 of world, epoch 4, clock 4
        > deliver all
        0 completes barrier 2 of world
        0 completes barrier 3 of world
        0 completes barrier 4 of world
        ",
    );
}

/// The limit holds for each group on its own, and a deferred barrier counts as open.
///
/// SEMANTICS: BAR-6, CON-2
#[test]
fn limit_is_for_each_group() {
    check(
        "
        > job 3 limit 1
        > group 1 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier
        0 defers barrier 1 of world
        > 0 barrier
        1 barriers of world are open, which is the limit
        > 0 barrier 1
        1 barriers of group 1 are open, which is the limit
        ",
    );
}

/// Every signal is lost; each rank asks for what it lacks and gets it.
///
/// SEMANTICS: BAR-3, BAR-4
#[test]
fn asking_after_a_loss() {
    check(
        "
        > job 4 by butterfly
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > 1 barrier
        1 enters barrier 1 of world
        1->0 reached step 0 of world, epoch 1, clock 1
        > 2 barrier
        2 enters barrier 1 of world
        2->3 reached step 0 of world, epoch 1, clock 1
        > 3 barrier
        3 enters barrier 1 of world
        3->2 reached step 0 of world, epoch 1, clock 1
        > lose all
        > 0 asks
        0->1 lacks step 0 of world, epoch 1
        0->2 lacks step 1 of world, epoch 1
        > deliver all
        1->0 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 1 of world, epoch 1, clock 1
        # Rank 2 had not got as far as step 1, so that it did not answer.
        > 1 asks
        1->0 lacks step 0 of world, epoch 1
        1->3 lacks step 1 of world, epoch 1
        > deliver all
        0->1 reached step 0 of world, epoch 1, clock 1
        1->3 reached step 1 of world, epoch 1, clock 1
        > 2 asks
        2->3 lacks step 0 of world, epoch 1
        > 3 asks
        3->2 lacks step 0 of world, epoch 1
        > deliver all
        3->2 reached step 0 of world, epoch 1, clock 1
        2->3 reached step 0 of world, epoch 1, clock 1
        2 completes barrier 1 of world
        2->0 reached step 1 of world, epoch 1, clock 1
        3 completes barrier 1 of world
        3->1 reached step 1 of world, epoch 1, clock 1
        0 completes barrier 1 of world
        1 completes barrier 1 of world
        > 2 asks
        > 3 asks
        > 0 asks
        > 1 asks
        > deliver all
        ",
    );
}

/// A question repeated while its answer waits for credit is answered once; a question for what is
/// not due yet is not answered.
///
/// SEMANTICS: BAR-2, BAR-3
#[test]
fn questions_are_idempotent() {
    check(
        "
        > job 2
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        > lose all
        > 0->1 has no credit
        > 1->0 asks world step 0 epoch 1
        > 1->0 asks world step 0 epoch 1
        > 0->1 has credit
        0->1 reached step 0 of world, epoch 1, clock 1
        > 1->0 asks world step 0 epoch 2
        > 1->0 asks world step 0 epoch 18446744073709551615
        ",
    );
}
