//! Three ranks in two groups that overlap: no rank outside of a group notices who runs ahead in it,
//! and what a rank keeps back leaves when a barrier completes in its sleep.

use super::*;

const PAIRS: &[&[Rank]] = &[&[0, 1], &[1, 2]];

/// It has not entered the barrier of its pair when it looks.
fn poll_pair_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(poll(&at.world, 2), None, "a rank outside the group has noticed who runs ahead");
    at.group(0).barrier().unwrap();
    assert_eq!(receive(&at.world, 2), 1);
    Some(at)
}

fn both_pairs<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(0).barrier().unwrap();
    at.group(1).barrier().unwrap();
    Some(at)
}

fn pair_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(1).barrier().unwrap();
    send(&at.world, 0, 1);
    Some(at)
}

/// The first rank knows nothing of the second pair, and hears from the third rank only when it has
/// entered the barrier of the first itself.
// SEMANTICS: CON-1, CON-2
#[test]
fn no_rank_outside_a_pair_notices_a_member_that_runs_ahead() {
    let model =
        Model::new("no rank outside a pair notices a member that runs ahead", Algorithm::Board, 2);
    let model = Model { groups: PAIRS, ..model };
    model.run::<Coarse, _>([poll_pair_receive, both_pairs, pair_send]);
    let model = Model { algorithm: Algorithm::Butterfly, ..model };
    model.run::<Coarse, _>([poll_pair_receive, both_pairs, pair_send]);
}

/// A rank that runs ahead of its pair is noticed if nothing is contained.
#[test]
#[should_panic(expected = "has noticed who runs ahead")]
fn without_containment_a_rank_outside_notices() {
    let model = Model::new("without containment", Algorithm::Board, 1);
    let model = Model { groups: PAIRS, ordering: Ordering::Pakin, ..model };
    model.run::<Coarse, _>([poll_pair_receive, both_pairs, pair_send]);
}

/// Enters the barrier of the first pair, at which others may wait.
fn first_pair<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(0).barrier().unwrap();
    Some(at)
}

/// Its second barrier is entered when the first has completed, which may be in its sleep.
fn defer_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(0).barrier().unwrap();
    at.group(1).try_barrier().unwrap().unwrap();
    assert_eq!(receive(&at.world, 2), 1);
    Some(at)
}

fn second_pair_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(1).barrier().unwrap();
    send(&at.world, 1, 1);
    Some(at)
}

fn second_pair_wait_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    wait(at.group(1));
    send(&at.world, 1, 1);
    Some(at)
}

/// What it owes is contained while it sleeps for the answer.
fn contained_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(0).barrier().unwrap();
    drop(at.world.isend(2, TAG, &[1_u64]).unwrap());
    assert_eq!(receive(&at.world, 2), 1);
    Some(at)
}

fn answer<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    let value = receive(&at.world, 1);
    send(&at.world, 1, value);
    Some(at)
}

/// It sleeps in the call that sends.
fn contained_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.group(0).barrier().unwrap();
    send(&at.world, 2, 1);
    Some(at)
}

fn receive_from_second<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(receive(&at.world, 1), 1);
    Some(at)
}

/// A barrier that completes while a rank sleeps wakes it if that lets out what the rank keeps back:
/// an entry that was deferred, what waits behind that, a message.
// SEMANTICS: FLOW-3, CON-1, CON-2
#[test]
fn a_rank_that_holds_something_back_is_woken_to_release_it() {
    let model =
        Model::new("a rank that holds something back is woken to release it", Algorithm::Board, 1);
    let model = Model { groups: PAIRS, ..model };
    model.run::<Coarse, _>([first_pair, defer_receive, second_pair_send]);
    model.run::<Coarse, _>([first_pair, defer_receive, second_pair_wait_send]);
    model.run::<Coarse, _>([first_pair, contained_receive, answer]);
    model.run::<Coarse, _>([first_pair, contained_send, receive_from_second]);
}

// ---- The end of a rank
