//! The life of a barrier of one group: completion, coalescing, credit, late and repeated signals,
//! loss, and the limit of open barriers.

use crate::script::check;

/// Three ranks of a dissemination barrier: nobody completes before the last has entered.
///
/// SEMANTICS: BAR-1, BAR-2, BAR-4
#[test]
fn life_of_a_barrier() {
    check("stories/life_of_a_barrier");
}

/// A barrier of one rank completes as it is initiated.
///
/// SEMANTICS: BAR-4
#[test]
fn barrier_of_one() {
    check("stories/barrier_of_one");
}

/// A butterfly forwards only after entering: ranks 0 and 2, which have heard of the barrier, pass
/// nothing on before they enter (the fault of the thesis's algorithm 4.2).
///
/// SEMANTICS: BAR-1, BAR-2
#[test]
fn nobody_forwards_before_entering() {
    check("stories/nobody_forwards_before_entering");
}

/// A signal that finds no credit is replaced by the one for the newer epoch; the receiver completes
/// both barriers with it.
///
/// SEMANTICS: BAR-3
#[test]
fn refused_signal_is_replaced_by_the_newer_one() {
    check("stories/refused_signal_is_replaced_by_the_newer_one");
}

/// Signals that come twice, late and in the wrong order change nothing.
///
/// SEMANTICS: BAR-3
#[test]
fn repeated_late_and_reordered_signals() {
    check("stories/repeated_late_and_reordered_signals");
}

/// All others are through with the barrier before rank 0 initiates it: it completes at once, counts
/// once, and both clocks of rank 0 agree with the others' (the thesis's erratum of algorithm 4.2).
///
/// SEMANTICS: BAR-5, CLK-2
#[test]
fn barrier_that_others_finish_first_counts_once() {
    check("stories/barrier_that_others_finish_first_counts_once");
}

/// As many barriers as the limit says are open; the next is refused and changes nothing; one
/// completion makes room for one.
///
/// SEMANTICS: BAR-6
#[test]
fn open_barriers_up_to_the_limit() {
    check("stories/open_barriers_up_to_the_limit");
}

/// The limit holds for each group on its own, and a deferred barrier counts as open.
///
/// SEMANTICS: BAR-6, CON-2
#[test]
fn limit_is_for_each_group() {
    check("stories/limit_is_for_each_group");
}

/// Every signal is lost; each rank asks for what it lacks and gets it.
///
/// SEMANTICS: BAR-3, BAR-4
#[test]
fn asking_after_a_loss() {
    check("stories/asking_after_a_loss");
}

/// A question repeated while its answer waits for credit is answered once; a question for what is
/// not due yet is not answered.
///
/// SEMANTICS: BAR-2, BAR-3
#[test]
fn questions_are_idempotent() {
    check("stories/questions_are_idempotent");
}
