//! Containment: what a rank that ran ahead keeps back, messages and barriers, and for how long.

use crate::script::check;

/// A message to a rank outside the group of an open barrier stays; one to a member leaves, and so
/// does one that was posted before the barrier.
///
/// SEMANTICS: CON-1
#[test]
fn message_out_of_the_group_is_contained() {
    check("contain/message_out_of_the_group_is_contained");
}

/// A message posted after two barriers waits for both, also if the second completes first.
///
/// SEMANTICS: CON-1
#[test]
fn message_waits_for_every_barrier_before_it() {
    check("contain/message_waits_for_every_barrier_before_it");
}

/// Three nested groups, from the inside out and from the outside in: a barrier of a larger group
/// waits for the open ones of smaller groups, and not the other way round.
///
/// SEMANTICS: CON-2
#[test]
fn three_nested_groups() {
    check("contain/three_nested_groups");
}

/// A chain: group 2 overlaps group 1 and waits for it, the second barrier of group 1 waits for
/// group 2, and the world's waits for all of them. Two signals set the whole chain going, also
/// where one barrier completes as it is entered.
///
/// SEMANTICS: CON-2, BAR-4
#[test]
fn chain_of_deferred_barriers() {
    check("contain/chain_of_deferred_barriers");
}

/// A deferred barrier contains as much as an entered one: what is posted after it to a rank
/// outside its group stays, although only the first barrier is entered.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn deferred_barrier_contains() {
    check("contain/deferred_barrier_contains");
}

/// The rules of the thesis: nothing is contained or deferred.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn without_containment() {
    check("contain/without_containment");
}

/// Barriers of the world never contain anything.
///
/// SEMANTICS: CON-1, CON-2
#[test]
fn world_contains_nothing() {
    check("contain/world_contains_nothing");
}
