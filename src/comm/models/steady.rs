//! Barriers of the sole group (`src/message/engine/sole.rs`): of two that are called in a row, the second
//! takes the fast path, and so does the wait for it, if all is there.

use super::*;

/// It runs ahead of two barriers.
fn two_send<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (0..2).for_each(|_| drop(at.world.barrier().unwrap()));
    send(&at.world, 1, 1);
    Some(at)
}

/// Behind its barriers the message must come.
fn two_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (0..2).for_each(|_| drop(at.world.barrier().unwrap()));
    assert_eq!(receive(&at.world, 0), 1);
    Some(at)
}

/// Between them nothing may be there.
fn poll_two_receive<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.barrier().unwrap();
    assert_eq!(poll(&at.world, 0), None, "a message was seen before its barrier");
    at.world.barrier().unwrap();
    assert_eq!(receive(&at.world, 0), 1);
    Some(at)
}

fn two_wait<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    drop(at.world.barrier().unwrap());
    wait(&at.world);
    Some(at)
}

fn two<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    (0..2).for_each(|_| drop(at.world.barrier().unwrap()));
    Some(at)
}

/// What it sends stands before the second.
fn send_between<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    drop(at.world.barrier().unwrap());
    send(&at.world, 1, 1);
    drop(at.world.barrier().unwrap());
    Some(at)
}

fn two_wait_poll<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    drop(at.world.barrier().unwrap());
    wait(&at.world);
    assert_eq!(poll(&at.world, 0), Some(1), "what was sent before a barrier is not seen behind it");
    Some(at)
}

// SEMANTICS: ORD-1, HOLD-1
#[test]
fn no_message_overtakes_a_second_barrier() {
    let model = Model::new("no message overtakes a second barrier", Algorithm::Board, 2);
    everywhere!(model, [two_send, poll_two_receive]);
    model.run::<Coarse, _>([two_send, two_receive, two]);
}

// SEMANTICS: FEN-1
#[test]
fn a_second_fence_makes_earlier_messages_visible() {
    let model = Model::new("a second fence makes earlier messages visible", Algorithm::Board, 2);
    everywhere!(model, [send_between, two_wait_poll]);
}

// SEMANTICS: BAR-4, BAR-8
#[test]
fn no_rank_sleeps_through_a_second_barrier() {
    let model = Model::new("no rank sleeps through a second barrier", Algorithm::Board, 2);
    everywhere!(model, [two_wait, two_wait]);
    model.run::<Coarse, _>([two, two_wait, two]);
}
