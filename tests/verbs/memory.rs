//! Registered memory: `register`, `put` and `read`.

use std::thread;

use runahead::internals::verbs::{Nic, RegionKey, VerbsError};

use crate::fabric::*;

pub fn a_put_is_read_at_the_peer<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    let (one, two) = (there.register(3).unwrap(), there.register(1).unwrap());
    let own = here.register(1).unwrap();
    assert_eq!([0, 1, 2].map(|word| there.read(one, word).unwrap()), [0; 3]);
    here.put(1, one, 1, u64::MAX).unwrap();
    here.put(1, two, 0, 7).unwrap();
    here.put(0, own, 0, 9).unwrap();
    // Words for the same peer are written in order.
    await_what_was_done(provider, || there.read_of(0, two, 0) == Ok(7));
    assert_eq!([0, 1, 2].map(|word| there.read_of(0, one, word).unwrap()), [0, u64::MAX, 0]);
    assert_eq!(there.read_of(0, two, 0), Ok(7));
    assert_eq!([here.read_of(0, own, 0), here.read(own, 0)], [Ok(9), Ok(9)]);
}

pub fn words_that_do_not_exist_are_refused<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    let key = there.register(2).unwrap();
    for (key, word) in [(key, 2), (key, usize::MAX), (RegionKey(key.0 + 1), 0)] {
        let error = VerbsError::NoSuchWord { peer: 1, key, word };
        assert_eq!(here.put(1, key, word, 1), Err(error.clone()));
        assert_eq!(
            [there.read(key, word), there.read_of(0, key, word)],
            [Err(error.clone()), Err(error)]
        );
    }
    let unknown = RegionKey(u32::MAX);
    let error = VerbsError::NoSuchWord { peer: 1, key: unknown, word: 0 };
    assert_eq!(here.put(1, unknown, 0, 1), Err(error));
    assert_eq!(here.put(2, key, 0, 1), Err(VerbsError::NoSuchPeer { peer: 2, size: 2 }));
}

pub fn registration_has_a_limit<P: Provider>(provider: &P) {
    let [mut here] = ranks(provider, 1);
    let limits = *here.attributes();
    for words in [limits.max_registered_bytes / 8 + 1, usize::MAX] {
        assert!(matches!(here.register(words), Err(VerbsError::AboveLimit { .. })));
    }
    for _ in 0..limits.max_regions {
        here.register(1).unwrap();
    }
    assert!(matches!(here.register(1), Err(VerbsError::AboveLimit { .. })));
}

pub fn whoever_reads_a_word_finds_what_was_sent_before_it<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !here.attributes().causal {
        return;
    }
    let key = here.register(1).unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            for round in 1..=500_u64 {
                there.post_send(to(0), &round.to_le_bytes(), &[0; 80]).unwrap();
                there.put(0, key, 0, round).unwrap();
                receive_waiting(&mut there);
            }
        });
        for round in 1..=500 {
            while here.read_of(1, key, 0).unwrap() != round {
                here.wait(None);
            }
            let arrived = here.poll_recv(DATA).unwrap().expect("sent before the word");
            assert_eq!(here.bytes(&arrived.frame)[..8], round.to_le_bytes());
            here.post_recv(to(1), arrived.frame);
            here.post_send(to(1), &[], &[]).unwrap();
        }
    });
}

/// Takes the next message, sleeping until it comes.
fn receive_waiting<N: Nic>(nic: &mut N) {
    let arrived = loop {
        match nic.poll_recv(DATA).unwrap() {
            Some(arrived) => break arrived,
            None => nic.wait(None),
        }
    };
    nic.post_recv(to(arrived.peer), arrived.frame);
}
