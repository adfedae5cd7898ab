//! Several groups at one rank: clocks over overlapping groups, groups that others have made
//! earlier, and groups that are dropped. Containment is told in `contain`.

use crate::script::check;

/// The worked example of pakin-2001 §4.3, with the clocks that figure 4.4 prints. Ranks 0 to 3 are
/// its processes A to D.
///
/// SEMANTICS: CLK-1, CLK-2
#[test]
fn bookkeeping_of_figure_4_4() {
    check(
        "
        > job 4 bare
        > group 1 of 0 1
        > group 2 of 2 3
        > group 3 of 1 2
        # 1. Program initializes.
        > clocks
        0 | 0 0 0 0
        1 | 0 0 0 0
        2 | 0 0 0 0
        3 | 0 0 0 0
        # 2. Processes A and B synchronize.
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > deliver all
        1 completes barrier 1 of group 1
        0 completes barrier 1 of group 1
        > clocks
        0 | 1 1 0 0
        1 | 1 1 0 0
        2 | 0 0 0 0
        3 | 0 0 0 0
        # 3. Processes C and D synchronize.
        > 2 barrier 2
        2 enters barrier 1 of group 2
        2->3 reached step 0 of group 2, epoch 1, clock 1
        > 3 barrier 2
        3 enters barrier 1 of group 2
        3->2 reached step 0 of group 2, epoch 1, clock 1
        > deliver all
        3 completes barrier 1 of group 2
        2 completes barrier 1 of group 2
        > clocks
        0 | 1 1 0 0
        1 | 1 1 0 0
        2 | 0 0 1 1
        3 | 0 0 1 1
        # 4. Processes B and C synchronize.
        > 1 barrier 3
        1 enters barrier 1 of group 3
        1->2 reached step 0 of group 3, epoch 1, clock 1
        > 2 barrier 3
        2 enters barrier 1 of group 3
        2->1 reached step 0 of group 3, epoch 1, clock 1
        > deliver all
        2 completes barrier 1 of group 3
        1 completes barrier 1 of group 3
        > clocks
        0 | 1 1 0 0
        1 | 1 2 1 0
        2 | 0 1 2 1
        3 | 0 0 1 1
        ",
    );
}

/// The trap of figure 4.9: with one clock for all peers, B stamps its message to A with 2 and A,
/// which takes part in one barrier only, never delivers it. Here the stamp is 1.
///
/// SEMANTICS: CLK-1, HOLD-1
#[test]
fn trap_of_figure_4_9() {
    check(
        "
        > job 4 bare
        > group 1 of 0 1
        > group 2 of 2 3
        > group 3 of 1 2
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > 2 barrier 2
        2 enters barrier 1 of group 2
        2->3 reached step 0 of group 2, epoch 1, clock 1
        > 3 barrier 2
        3 enters barrier 1 of group 2
        3->2 reached step 0 of group 2, epoch 1, clock 1
        > deliver all
        1 completes barrier 1 of group 1
        0 completes barrier 1 of group 1
        3 completes barrier 1 of group 2
        2 completes barrier 1 of group 2
        > 1 barrier 3
        1 enters barrier 1 of group 3
        1->2 reached step 0 of group 3, epoch 1, clock 1
        > 2 barrier 3
        2 enters barrier 1 of group 3
        2->1 reached step 0 of group 3, epoch 1, clock 1
        > deliver all
        2 completes barrier 1 of group 3
        1 completes barrier 1 of group 3
        > 1 posts m to 0
        stamped 1
        > m leaves?
        yes
        > clocks
        0 | 1 1 0 0
        1 | 1 2 1 0
        2 | 0 1 2 1
        3 | 0 0 1 1
        ",
    );
}

/// Two barriers with the same two ranks in different groups; the later one completes first. The
/// receive clock waits for the earlier one (the prefix rule) and then passes both.
///
/// SEMANTICS: CLK-2
#[test]
fn later_barrier_that_completes_first_does_not_count() {
    check(
        "
        > job 3 pakin bare
        > group 1 of 0 1 2
        > group 2 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        0->2 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->1 reached step 0 of group 2, epoch 1, clock 2
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
        > clocks
        0 | 2/0 2/0 1/0
        1 | 2/0 2/0 1/0
        2 | 0 0 0
        > 2 barrier 1
        2 enters barrier 1 of group 1
        2 completes barrier 1 of group 1
        2->0 reached step 0 of group 1, epoch 1, clock 1
        2->1 reached step 0 of group 1, epoch 1, clock 1
        > deliver all
        0 completes barrier 1 of group 1
        1 completes barrier 1 of group 1
        > clocks
        0 | 2 2 1
        1 | 2 2 1
        2 | 1 1 1
        ",
    );
}

/// The same with an overlap of one rank only: neither barrier holds up the other's clock.
///
/// SEMANTICS: CLK-2
#[test]
fn barriers_with_other_peers_do_not_hold_the_clock_up() {
    check(
        "
        > job 3 pakin bare
        > group 1 of 0 1
        > group 2 of 0 2
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 2
        0 enters barrier 1 of group 2
        0->2 reached step 0 of group 2, epoch 1, clock 1
        > 2 barrier 2
        2 enters barrier 1 of group 2
        2->0 reached step 0 of group 2, epoch 1, clock 1
        > deliver all
        2 completes barrier 1 of group 2
        0 completes barrier 1 of group 2
        > clocks
        0 | 2/0 1/0 1
        1 | 0 0 0
        2 | 1 0 1
        ",
    );
}

/// Signals for a group that this rank has not made yet are kept and applied when it makes it. A
/// question is not kept: it will be repeated. An older signal that comes after a newer one does not
/// replace it.
///
/// SEMANTICS: BAR-3, BAR-5
#[test]
fn early_signals() {
    check(
        "
        > job 3 bare
        > define 1 of 0 1 2
        > 1 makes 1
        > 2 makes 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->2 reached step 0 of group 1, epoch 1, clock 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 2 of group 1
        1->2 reached step 0 of group 1, epoch 2, clock 2
        1->0 reached step 0 of group 1, epoch 2, clock 2
        > 2 barrier 1
        2 enters barrier 1 of group 1
        2->0 reached step 0 of group 1, epoch 1, clock 1
        2->1 reached step 0 of group 1, epoch 1, clock 1
        > 1 asks
        1->2 lacks step 0 of group 1, epoch 1
        1->0 lacks step 0 of group 1, epoch 1
        > deliver 1->0 newest
        > deliver 1->0 newest
        > deliver all
        2->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 makes 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0 completes barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        0->2 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 1
        0 enters barrier 2 of group 1
        0->1 reached step 0 of group 1, epoch 2, clock 2
        0->2 reached step 0 of group 1, epoch 2, clock 2
        > deliver all
        1 completes barrier 1 of group 1
        2 completes barrier 1 of group 1
        > 2 barrier 1
        2 enters barrier 2 of group 1
        2 completes barrier 2 of group 1
        2->0 reached step 0 of group 1, epoch 2, clock 2
        2->1 reached step 0 of group 1, epoch 2, clock 2
        > deliver 2->0
        0 completes barrier 2 of group 1
        ",
    );
}

/// An early signal that does not fit the group comes to light when the group is made; the right
/// ones are applied all the same.
///
/// SEMANTICS: BAR-3, SAFE-1
#[test]
fn early_signal_that_does_not_fit() {
    check(
        "
        > job 3 bare
        > define 1 of 0 1
        > 1->0 signals 1 step 0 epoch 1 clock 1
        > 2->0 signals 1 step 0 epoch 1 clock 1
        > 1->0 signals 1 step 9 epoch 1 clock 1
        > 0 makes 1
        fault: rank 1 signalled step 9 of group 1, which its schedule does not contain
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0 completes barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        ",
    );
}

/// A group is dropped with two barriers open: they complete, the clocks stay as they were, and the
/// group is forgotten only then.
///
/// SEMANTICS: CLK-4
#[test]
fn dropping_with_barriers_open() {
    check(
        "
        > job 2
        > group 1 of 0 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 1
        > 0 barrier 1
        0 enters barrier 2 of group 1
        0->1 reached step 0 of group 1, epoch 2, clock 2
        > 0 drops 1
        > 0 barrier 1
        group 1 does not exist here
        > clocks
        0 | 2/0 2/0
        1 | 0 0
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 1
        > deliver all
        1 completes barrier 1 of group 1
        0 completes barrier 1 of group 1
        > clocks
        0 | 2/1 2/1
        1 | 1 1
        > 0 state
        world: initiated 0, entered 0, complete 0
        group 1: initiated 2, entered 2, complete 1
        > 1 barrier 1
        1 enters barrier 2 of group 1
        1 completes barrier 2 of group 1
        1->0 reached step 0 of group 1, epoch 2, clock 2
        > deliver all
        > 0 state
        world: initiated 0, entered 0, complete 0
        group 1: unknown
        > clocks
        0 | 2 2
        1 | 2 2
        > 1 drops 1
        > clocks
        0 | 2 2
        1 | 2 2
        # A new group of the same id goes on where the old one ended.
        > group 1 of 0 1 after 2
        > clocks
        0 | 2 2
        1 | 2 2
        > 0 barrier 1
        0 enters barrier 3 of group 1
        0->1 reached step 0 of group 1, epoch 3, clock 3
        > 1 barrier 1
        1 enters barrier 3 of group 1
        1->0 reached step 0 of group 1, epoch 3, clock 3
        > deliver all
        1 completes barrier 3 of group 1
        0 completes barrier 3 of group 1
        > clocks
        0 | 3 3
        1 | 3 3
        ",
    );
}

/// A dropped group whose barriers are complete is kept while an older barrier is open: its count
/// may pass into the receive clock only after that one's.
///
/// SEMANTICS: CLK-2, CLK-4
#[test]
fn dropped_behind_an_older_barrier() {
    check(
        "
        > job 3
        > group 1 of 0 1
        > 0 barrier
        0 enters barrier 1 of world
        0->1 reached step 0 of world, epoch 1, clock 1
        0->2 reached step 0 of world, epoch 1, clock 1
        > 0 barrier 1
        0 enters barrier 1 of group 1
        0->1 reached step 0 of group 1, epoch 1, clock 2
        > 1 barrier
        1 enters barrier 1 of world
        1->2 reached step 0 of world, epoch 1, clock 1
        1->0 reached step 0 of world, epoch 1, clock 1
        > 1 barrier 1
        1 enters barrier 1 of group 1
        1->0 reached step 0 of group 1, epoch 1, clock 2
        > deliver all
        1 completes barrier 1 of group 1
        0 completes barrier 1 of group 1
        > 0 drops 1
        > 0 state
        world: initiated 1, entered 1, complete 0
        group 1: initiated 1, entered 1, complete 1
        > clocks
        0 | 2/0 2/0 1/0
        1 | 2/0 2/0 1/0
        2 | 0 0 0
        > 2 barrier
        2 enters barrier 1 of world
        2 completes barrier 1 of world
        2->0 reached step 0 of world, epoch 1, clock 1
        2->1 reached step 0 of world, epoch 1, clock 1
        > deliver all
        0 completes barrier 1 of world
        1 completes barrier 1 of world
        > 0 state
        world: initiated 1, entered 1, complete 1
        group 1: unknown
        > clocks
        0 | 2 2 1
        1 | 2 2 1
        2 | 1 1 1
        ",
    );
}
