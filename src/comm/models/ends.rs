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
fn a_rank_asleep_for_a_sender_learns_of_its_end() {
    let model = Model::new("a rank asleep for a sender learns of its end", Algorithm::Board, 2);
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
fn a_rank_asleep_for_a_sender_learns_of_its_loss() {
    let model = Model::new("a rank asleep for a sender learns of its loss", Algorithm::Board, 2);
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
fn a_rank_asleep_in_a_barrier_learns_of_a_members_end() {
    let model =
        Model::new("a rank asleep in a barrier learns of a members end", Algorithm::Board, 2);
    with_an_end!(model, [end, wait_is_told]);
}

// Behind the macros that it uses.
