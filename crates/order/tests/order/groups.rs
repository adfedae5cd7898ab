//! Several groups at one rank: clocks over overlapping groups, groups that others have made
//! earlier, and groups that are dropped. Containment is told in `contain`.

use crate::script::check;

/// The worked example of pakin-2001 §4.3, with the clocks that figure 4.4 prints. Ranks 0 to 3 are
/// its processes A to D.
///
/// SEMANTICS: CLK-1, CLK-2
#[test]
fn bookkeeping_of_figure_4_4() {
    check("groups/bookkeeping_of_figure_4_4");
}

/// The trap of figure 4.9: with one clock for all peers, B stamps its message to A with 2 and A,
/// which takes part in one barrier only, never delivers it. Here the stamp is 1.
///
/// SEMANTICS: CLK-1, HOLD-1
#[test]
fn trap_of_figure_4_9() {
    check("groups/trap_of_figure_4_9");
}

/// Two barriers with the same two ranks in different groups; the later one completes first. The
/// receive clock waits for the earlier one (the prefix rule) and then passes both.
///
/// SEMANTICS: CLK-2
#[test]
fn later_barrier_that_completes_first_does_not_count() {
    check("groups/later_barrier_that_completes_first_does_not_count");
}

/// The same with an overlap of one rank only: neither barrier holds up the other's clock.
///
/// SEMANTICS: CLK-2
#[test]
fn barriers_with_other_peers_do_not_hold_the_clock_up() {
    check("groups/barriers_with_other_peers_do_not_hold_the_clock_up");
}

/// Signals for a group that this rank has not made yet are kept and applied when it makes it. A
/// question is not kept: it will be repeated. An older signal that comes after a newer one does not
/// replace it.
///
/// SEMANTICS: BAR-3, BAR-5
#[test]
fn early_signals() {
    check("groups/early_signals");
}

/// An early signal that does not fit the group comes to light when the group is made; the right
/// ones are applied all the same.
///
/// SEMANTICS: BAR-3, SAFE-1
#[test]
fn early_signal_that_does_not_fit() {
    check("groups/early_signal_that_does_not_fit");
}

/// A group is dropped with two barriers open: they complete, the clocks stay as they were, and the
/// group is forgotten only then.
///
/// SEMANTICS: CLK-4
#[test]
fn dropping_with_barriers_open() {
    check("groups/dropping_with_barriers_open");
}

/// A dropped group whose barriers are complete is kept while an older barrier is open: its count
/// may pass into the receive clock only after that one's.
///
/// SEMANTICS: CLK-2, CLK-4
#[test]
fn dropped_behind_an_older_barrier() {
    check("groups/dropped_behind_an_older_barrier");
}
