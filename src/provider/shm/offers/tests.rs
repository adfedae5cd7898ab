//! Offers between ranks of one process, step by step.

use super::super::ShmNic;
use crate::verbs::{Offer, RemoteBuffer, RemoteRead};

fn pair() -> [ShmNic; 2] {
    let mut nics = super::super::pair::pair(1 << 20);
    // Each offers once before it is known that the other can read.
    assert!(nics[0].offer(1, &[1]).is_none());
    assert!(nics[1].offer(0, &[1]).is_some());
    nics
}

/// SEMANTICS: COL-10
#[test]
fn an_offer_is_accepted_or_withdrawn_and_not_both() {
    let [mut here, mut there] = pair();
    let payload: Vec<u8> = (0..10_000).map(|at| (at % 251) as u8).collect();
    let mut room = vec![0; payload.len()];

    let offer = here.offer(1, &payload).expect("it can be read");
    assert!(here.offer(1, &payload).is_none(), "one stands at a time");
    assert!(!offer.is_accepted());
    assert!(there.accept(0, offer.buffer(), &mut room));
    assert!(offer.is_accepted() && room == payload);
    assert!(!there.accept(0, offer.buffer(), &mut room), "once");
    assert!(!offer.withdraw(), "it was accepted");

    let offer = here.offer(1, &payload).expect("the last one is done");
    let buffer = offer.buffer();
    assert!(offer.withdraw());
    assert!(!there.accept(0, buffer, &mut room), "it was withdrawn");

    let offer = here.offer(1, &payload).expect("as before");
    let buffer = offer.buffer();
    drop(offer);
    assert!(!there.accept(0, buffer, &mut room), "dropped is withdrawn");
}

/// What cannot be read, or was never offered, is not accepted; and its sender, if it is correct, withdraws.
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_a_peer_makes_up_is_not_accepted() {
    let [mut here, mut there] = pair();
    let payload = [7; 100];
    let mut room = [0; 100];
    let offer = here.offer(1, &payload).expect("it can be read");
    let RemoteBuffer { address, key } = offer.buffer();
    for (address, key) in [(address, key + 1), (8, key), (u64::MAX, key), (0, 0)] {
        assert!(!there.accept(0, RemoteBuffer { address, key }, &mut room), "{address} {key}");
    }
    assert!(!there.accept(1, offer.buffer(), &mut room), "of itself");
    assert!(offer.withdraw());
}
