//! What a provider refuses, and that nothing was sent when it did.

use runahead::internals::verbs::{Cq, Nic, PostError, VerbsError, Vi, ViSpec};

use crate::fabric::*;

pub fn a_message_without_a_descriptor_is_refused<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 4);
    let most = if P::QUEUES { 8 } else { 4 };
    for number in 0..most {
        here.post_send(to(1), &[number], &[0; 70]).unwrap();
    }
    let refused = Err(PostError::NoDescriptor(to(1)));
    assert_eq!(here.post_send(to(1), &[99], &[]), refused);
    // The other queue has descriptors of its own.
    here.post_send(Vi { peer: 1, cq: ACKS }, &[], &[]).unwrap();
    assert_eq!(receive(&mut there).1[0], 0);
    here.post_send(to(1), &[most], &[]).unwrap();
    assert_eq!(here.post_send(to(1), &[99], &[]), refused);
    for number in 1..=most {
        assert_eq!(receive(&mut there).1[0], number);
    }
    assert!(there.poll_recv(DATA).unwrap().is_none());
}

pub fn a_held_frame_occupies_its_descriptor<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 2);
    here.post_send(to(1), &[0], &[]).unwrap();
    here.post_send(to(1), &[1], &[]).unwrap();
    let waiting = if P::QUEUES { &[2, 3][..] } else { &[] };
    waiting.iter().for_each(|&number| here.post_send(to(1), &[number], &[]).unwrap());
    let (first, second) = (next(&mut there, DATA), next(&mut there, DATA));
    assert_eq!(here.post_send(to(1), &[99], &[]), Err(PostError::NoDescriptor(to(1))));
    there.post_recv(to(0), second.frame);
    here.post_send(to(1), &[2 + waiting.len() as u8], &[]).unwrap();
    assert_eq!(receive(&mut there), (0, vec![2]));
    assert_eq!(there.bytes(&first.frame), [0], "what is held stays as it is");
}

pub fn a_message_longer_than_the_descriptor_is_refused<P: Provider>(provider: &P) {
    let mut nics = provider.connect(2, &[reliable(2)]);
    // Shorter than the fabric would allow: the VI's own limit counts.
    let spec = ViSpec { descriptor_bytes: 100, ..reliable(2) };
    open_all(&mut nics, &[spec]);
    let too_long = |len| Err(PostError::TooLong { vi: to(1), len, limit: 100 });
    assert_eq!(nics[0].post_send(to(1), &[0; 24], &[0; 77]), too_long(101));
    assert_eq!(nics[0].post_send(to(1), &[0; 101], &[]), too_long(101));
    nics[0].post_send(to(1), &[1; 24], &[1; 76]).unwrap();
    assert_eq!(receive(&mut nics[1]), (0, vec![1; 100]));
}

pub fn a_vi_that_is_not_open_takes_nothing<P: Provider>(provider: &P) {
    let mut nics = provider.connect(3, &[reliable(1); 2]);
    nics[0].open_vi(to(1), &reliable(1)).unwrap();
    let closed = [
        Vi { peer: 2, cq: DATA },
        Vi { peer: 1, cq: ACKS },
        Vi { peer: 0, cq: DATA },
        Vi { peer: 3, cq: DATA },
        Vi { peer: 3, cq: ACKS },
        Vi { peer: 1, cq: Cq(2) },
        Vi { peer: usize::MAX, cq: Cq(u8::MAX) },
    ];
    for vi in closed {
        assert_eq!(nics[0].post_send(vi, &[1], &[]), Err(PostError::NotOpen(vi)));
    }
}

pub fn addresses_that_do_not_exist_are_refused<P: Provider>(provider: &P) {
    let mut nics = provider.connect(2, &[reliable(1)]);
    let nic = &mut nics[0];
    let spec = reliable(1);
    let no_peer = VerbsError::NoSuchPeer { peer: 2, size: 2 };
    assert_eq!(nic.open_vi(to(2), &spec), Err(no_peer));
    assert_eq!(nic.open_vi(to(0), &spec), Err(VerbsError::OwnRank { rank: 0 }));
    let no_queue = VerbsError::NoSuchQueue { cq: Cq(1), limit: 1 };
    assert_eq!(nic.open_vi(Vi { peer: 1, cq: Cq(1) }, &spec), Err(no_queue.clone()));
    assert_eq!(nic.poll_recv(Cq(1)).err(), Some(no_queue));
    nic.open_vi(to(1), &spec).unwrap();
    assert_eq!(nic.open_vi(to(1), &spec), Err(VerbsError::AlreadyOpen { vi: to(1) }));
}

pub fn limits_are_kept<P: Provider>(provider: &P) {
    let mut nics = provider.connect(2, &[reliable(5)]);
    let nic = &mut nics[0];
    let limits = *nic.attributes();
    assert!(!limits.provider.is_empty());
    assert!(limits.max_ranks >= nic.size());
    assert_eq!(limits.completion_queues, 1);
    assert!(limits.max_message_bytes >= MAX_BYTES && limits.max_descriptors_per_vi >= 5);
    let most = ViSpec {
        recv_descriptors: limits.max_descriptors_per_vi,
        descriptor_bytes: limits.max_message_bytes,
        ..reliable(0)
    };
    let more = [
        ViSpec { recv_descriptors: most.recv_descriptors + 1, ..most },
        ViSpec { descriptor_bytes: most.descriptor_bytes + 1, ..most },
    ];
    for spec in more {
        assert!(matches!(nic.open_vi(to(1), &spec), Err(VerbsError::AboveLimit { .. })));
    }
    nic.open_vi(to(1), &most).unwrap();
}
