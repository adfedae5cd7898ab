//! What only the threads provider has.

use runahead::internals::provider::threads::{FabricSpec, QueueSpec, connect};
use runahead::internals::verbs::{Nic, Reliability, VerbsError, ViSpec};

use crate::fabric::*;

fn spec(recv_descriptors: u32, descriptor_bytes: usize) -> FabricSpec {
    FabricSpec {
        queues: vec![QueueSpec { recv_descriptors, descriptor_bytes }],
        shared_words: 0,
        heap_bytes: 0,
    }
}

#[test]
fn a_fabric_above_the_limits_is_refused() {
    let above = [
        (257, spec(1, 64)),
        (usize::MAX, spec(1, 64)),
        (2, spec(u32::MAX, 64)),
        (2, spec(1, usize::MAX)),
        (256, spec(1 << 16, 64)),
        (2, FabricSpec { queues: spec(1, 64).queues.repeat(17), ..spec(1, 64) }),
    ];
    for (size, spec) in above {
        let refused = connect(size, &spec).err();
        assert!(matches!(refused, Some(VerbsError::AboveLimit { .. })), "{size} ranks, {spec:?}");
    }
    assert_eq!(connect(0, &spec(1, 64)).unwrap().len(), 0);
    // With as many words as a job of so many ranks has.
    let shared_words = runahead::Config::new(256).shared_words(256);
    let largest = FabricSpec { shared_words, ..spec(1, 64) };
    assert_eq!(connect(256, &largest).unwrap().len(), 256);
}

#[test]
fn a_vi_is_as_reliable_as_asked_or_more() {
    let opened = [Reliability::ReliableReception, Reliability::ReliableDelivery].map(|asked| {
        let mut nics = Threads.connect(2, &[reliable(1)]);
        nics[0].open_vi(to(1), &ViSpec { reliability: asked, ..reliable(1) }).unwrap()
    });
    assert_eq!(opened, [Reliability::ReliableReception; 2]);
}

#[test]
fn an_unreliable_vi_loses_what_meets_no_descriptor() {
    let mut nics = Threads.connect(2, &[reliable(2)]);
    let spec = ViSpec { reliability: Reliability::Unreliable, ..reliable(2) };
    assert_eq!(nics[0].open_vi(to(1), &spec), Ok(Reliability::Unreliable));
    nics[1].open_vi(to(0), &spec).unwrap();
    for number in 0..5 {
        nics[0].post_send(to(1), &[number], &[]).unwrap();
    }
    assert_eq!(nics[0].lost(), 3);
    assert_eq!([receive(&mut nics[1]).1, receive(&mut nics[1]).1], [[0], [1]]);
    nics[0].post_send(to(1), &[5], &[]).unwrap();
    assert_eq!(receive(&mut nics[1]).1, [5]);
    assert!(nics[1].poll_recv(DATA).unwrap().is_none());
    assert_eq!(nics[0].lost(), 3);
}
