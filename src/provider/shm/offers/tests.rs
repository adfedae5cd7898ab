//! Offers between ranks of one process, step by step.

use super::super::{ShmNic, connect};
use crate::provider::{FabricSpec, QueueSpec};
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

/// A process that has got the number of a peer that has ended is not taken for it. (Planted: a rank that believes a process
/// number for good.)
/// SEMANTICS: COL-10
#[test]
fn what_another_process_has_is_not_accepted() {
    use super::RANDOM;
    use crate::sys::atomic::Ordering;

    let [mut here, mut there] = pair();
    let payload = [7; 100];
    let mut room = [0; 100];
    let offer = here.offer(1, &payload).expect("it can be read");
    let random = &here.offers.ranks[0][RANDOM];
    let own = random.load(Ordering::Relaxed);
    // As if another had the number by now.
    random.store(own ^ 1, Ordering::Relaxed);
    assert!(!there.accept(0, offer.buffer(), &mut room));
    random.store(own, Ordering::Relaxed);
    assert!(there.accept(0, offer.buffer(), &mut room), "it can be read");
}

/// A rank that says that it lies elsewhere, or in another process, is not read.
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn a_rank_is_read_only_where_its_number_is_found() {
    use super::{PLACE, PROCESS, RANDOM};
    use crate::sys::atomic::Ordering;

    for word in [PROCESS, PLACE, RANDOM] {
        let queue = QueueSpec { recv_descriptors: 2, descriptor_bytes: 64 };
        let fabric = FabricSpec { queues: vec![queue], shared_words: 0, heap_bytes: 0 };
        let [here, mut there] = <[ShmNic; 2]>::try_from(connect(2, &fabric).unwrap()).unwrap();
        let words = &here.offers.ranks[0];
        words[word].store(words[word].load(Ordering::Relaxed) ^ 1 << 40, Ordering::Relaxed);
        assert!(!there.offers.try_reading(0), "word {word}");
        assert!(there.offers.try_reading(1), "itself");
    }
}
