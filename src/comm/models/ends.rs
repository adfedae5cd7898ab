//! A rank that sleeps for one that ends, or is lost, learns of that.

use super::*;
use crate::error::Error;
use crate::message::MessageError;

pub(super) fn send_end<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    send(&at.world, 1, 1);
    at.world.end(false).unwrap();
    None
}

pub(super) fn receive_is_told<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(receive(&at.world, 0), 1);
    let told = at.world.recv::<u64>(0, TAG).map(|message| message.data);
    let ended = MessageError::PeerEnded { rank: 0, failed: false };
    assert!(matches!(&told, Err(Error::Message(error)) if *error == ended), "{told:?}");
    Some(at)
}

// SEMANTICS: END-2
#[test]
fn who_sleeps_for_one_that_ends_is_told() {
    let model = Model::new("who sleeps for one that ends is told", Algorithm::Board, 2);
    with_an_end!(model, [send_end, receive_is_told]);
}

/// As one that is killed.
pub(super) fn send_vanish<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    send(&at.world, 1, 1);
    drop(at);
    None
}

pub(super) fn receive_loses<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    assert_eq!(receive(&at.world, 0), 1);
    let told = at.world.recv::<u64>(0, TAG).map(|message| message.data);
    let lost = MessageError::PeerLost { rank: 0 };
    assert!(matches!(&told, Err(Error::Message(error)) if *error == lost), "{told:?}");
    Some(at)
}

// SEMANTICS: END-2
#[test]
fn who_sleeps_for_one_that_is_lost_is_told() {
    let model = Model::new("who sleeps for one that is lost is told", Algorithm::Board, 2);
    with_an_end!(model, [send_vanish, receive_loses]);
}

pub(super) fn end<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    at.world.end(false).unwrap();
    None
}

pub(super) fn wait_is_told<N: Nic>(at: Place<N>) -> Option<Place<N>> {
    let told = at.world.barrier().unwrap().wait();
    let ended = MessageError::EndedBeforeBarrier { rank: 0, group: GroupId::WORLD, epoch: 1 };
    assert!(matches!(&told, Err(Error::Message(error)) if *error == ended), "{told:?}");
    Some(at)
}

// SEMANTICS: END-2
#[test]
fn who_sleeps_for_a_barrier_that_lacks_one_is_told() {
    let model = Model::new("who sleeps for a barrier that lacks one is told", Algorithm::Board, 2);
    with_an_end!(model, [end, wait_is_told]);
}

// Behind the macros that it uses.
