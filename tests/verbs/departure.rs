//! A rank leaves by dropping its interface.

use runahead::internals::verbs::{Nic, PeerState, PostError};

use crate::fabric::*;

pub fn all_that_a_peer_sent_before_it_went_can_be_polled<P: Provider>(provider: &P) {
    let [mut here, mut there, other] = ranks(provider, 4);
    for number in 0..4 {
        there.post_send(to(0), &[number], &[0; 100]).unwrap();
    }
    assert_eq!(here.peer_state(1), PeerState::Connected);
    drop(there);
    assert_eq!(here.peer_state(1), PeerState::Gone);
    assert_eq!(here.peer_state(2), PeerState::Connected);
    assert_eq!(other.peer_state(1), PeerState::Gone);
    // Each poll must give one: whoever sees that a peer is gone polls until there is nothing.
    for number in 0..4 {
        let arrived = here.poll_recv(DATA).unwrap().expect("all that it sent");
        assert_eq!((arrived.peer, here.bytes(&arrived.frame)[0]), (1, number));
        here.post_recv(to(1), arrived.frame);
    }
    assert!(here.poll_recv(DATA).unwrap().is_none());
}

pub fn a_peer_that_is_gone_takes_nothing<P: Provider>(provider: &P) {
    let [mut here, there, mut other] = ranks(provider, 1);
    here.post_send(to(1), &[1], &[]).unwrap();
    drop(there);
    assert_eq!(here.post_send(to(1), &[2], &[]), Err(PostError::PeerGone(to(1))));
    assert_eq!(other.post_send(to(1), &[2], &[]), Err(PostError::PeerGone(to(1))));
    other.post_send(to(0), &[3], &[]).unwrap();
    assert_eq!(receive(&mut here), (2, vec![3]));
}
