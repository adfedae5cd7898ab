//! Words that are put into a peer's memory and fetched from it, where a provider has remote words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use runahead::internals::order::Rank;
use runahead::internals::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, VerbsError};

use crate::fabric::*;

fn fetch<N: Nic>(nic: &mut N, peer: Rank, key: RegionKey, word: usize) -> u64 {
    loop {
        match words(nic).fetch(peer, key, word).unwrap() {
            Fetched::Word(value) => return value,
            Fetched::Late => {}
            Fetched::Gone => panic!("rank {peer} has gone"),
        }
    }
}

pub fn a_word_is_read_and_fetched<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return assert!(!has_words(&mut there));
    }
    // The peer has yet to register.
    let (key, other) =
        (words(&mut here).register(3).unwrap(), words(&mut here).register(1).unwrap());
    put(&mut here, 1, key, 1, u64::MAX, PutMode::Silent);
    put(&mut here, 1, other, 0, 8, PutMode::Immediate);
    put(&mut here, 1, key, 2, 7, PutMode::Silent);
    assert_eq!([3, 1].map(|len| words(&mut there).register(len).unwrap()), [key, other]);
    await_what_was_done(provider, || read(&there, 0, key, 2) == Ok(7));
    // Words for the same peer are written in order.
    assert_eq!([0, 1].map(|word| read(&there, 0, key, word).unwrap()), [0, u64::MAX]);
    assert_eq!(read(&there, 0, other, 0), Ok(8));
    assert_eq!([0, 1, 2].map(|word| fetch(&mut here, 1, key, word)), [0, u64::MAX, 7]);
    // Into the own memory.
    put(&mut there, 1, key, 0, 9, PutMode::Silent);
    put(&mut there, 1, other, 0, 10, PutMode::Immediate);
    assert_eq!([read(&there, 1, key, 0), read(&there, 1, other, 0)], [Ok(9), Ok(10)]);
    assert_eq!(fetch(&mut here, 1, key, 0), 9);
    assert_eq!(fetch(&mut there, 1, key, 0), 9);
}

pub fn words_that_do_not_exist_are_refused<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let key = words(&mut here).register(2).unwrap();
    assert_eq!(words(&mut there).register(2), Ok(key));
    let unknown = [RegionKey(key.0 + 1), RegionKey(u32::MAX)];
    for (key, word) in [(key, 2), (key, usize::MAX), (unknown[0], 0), (unknown[1], 0)] {
        for (peer, mode) in [(0, PutMode::Silent), (1, PutMode::Silent), (1, PutMode::Immediate)] {
            let none = VerbsError::NoSuchWord { peer, key, word };
            assert_eq!(words(&mut here).post_put(peer, key, word, 1, mode), Err(none.clone()));
            assert_eq!(words(&mut here).fetch(peer, key, word), Err(none));
        }
        for writer in [0, 1] {
            let none = VerbsError::NoSuchWord { peer: 1, key, word };
            assert_eq!(read(&there, writer, key, word), Err(none));
        }
    }
    let nobody = VerbsError::NoSuchPeer { peer: 2, size: 2 };
    assert_eq!(words(&mut here).post_put(2, key, 0, 1, PutMode::Silent), Err(nobody.clone()));
    assert_eq!(words(&mut here).fetch(2, key, 0), Err(nobody));
}

pub fn registration_has_a_limit<P: Provider>(provider: &P) {
    let [mut here] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let limits = *here.attributes();
    for words_too_many in [limits.max_registered_bytes / 8 + 1, usize::MAX] {
        let refused = words(&mut here).register(words_too_many);
        assert!(matches!(refused, Err(VerbsError::AboveLimit { .. })));
    }
    for _ in 0..limits.max_regions {
        words(&mut here).register(1).unwrap();
    }
    assert!(matches!(words(&mut here).register(1), Err(VerbsError::AboveLimit { .. })));
}

pub fn whoever_reads_a_word_finds_what_was_sent_before_it<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !here.attributes().causal || !has_words(&mut here) {
        return;
    }
    let key = words(&mut here).register(1).unwrap();
    assert_eq!(words(&mut there).register(1), Ok(key));
    thread::scope(|scope| {
        scope.spawn(move || {
            for round in 1..=500_u64 {
                there.post_send(to(0), &round.to_le_bytes(), &[0; 80]).unwrap();
                put(&mut there, 0, key, 0, round, PutMode::Immediate);
                receive_waiting(&mut there);
            }
        });
        for round in 1..=500 {
            while read(&here, 1, key, 0).unwrap() != round {
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

/// More than any send queue holds, and nobody there who does anything for it.
pub fn silent_words_come_in_order<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let key = words(&mut here).register(2).unwrap();
    words(&mut there).register(2).unwrap();
    for value in 1..=2000 {
        put(&mut here, 1, key, 0, value, PutMode::Silent);
        // What is put first is there when what is put next is.
        put(&mut here, 1, key, 1, value, PutMode::Silent);
        let (second, first) = (read(&there, 0, key, 1).unwrap(), read(&there, 0, key, 0).unwrap());
        assert!(first >= second, "{first} {second}");
    }
    assert_eq!(fetch(&mut here, 1, key, 1), 2000);
    assert_eq!([0, 1].map(|word| read(&there, 0, key, word)), [Ok(2000), Ok(2000)]);
}

/// As who sleeps for a word and who puts it do it, one after the other, many times. A wake-up that
/// is lost is a hang, where nobody looks around in between.
pub fn no_wake_up_is_lost_where_the_sleeper_asks<P: Provider>(provider: &P) {
    const ROUNDS: u64 = 300;
    let [mut here, there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let slept = AtomicBool::new(false);
    thread::scope(|scope| {
        for (mut nic, first) in [(here, true), (there, false)] {
            let slept = &slept;
            scope.spawn(move || {
                let peer = 1 - nic.rank();
                // What was put here; what the peer wants; what was sent.
                let (cell, want, sent) = (0, 1, 2);
                let key = words(&mut nic).register(3).unwrap();
                for round in 1..=ROUNDS {
                    for turn in [first, !first] {
                        if turn {
                            if round % 7 == 0 {
                                thread::sleep(Duration::from_micros(300));
                            }
                            let rank = nic.rank();
                            put(&mut nic, rank, key, sent, round, PutMode::Silent);
                            let wants = read(&nic, peer, key, want) == Ok(round);
                            let mode = if wants { PutMode::Immediate } else { PutMode::Silent };
                            put(&mut nic, peer, key, cell, round, mode);
                            continue;
                        }
                        while read(&nic, peer, key, cell).unwrap() < round {
                            put(&mut nic, peer, key, want, round, PutMode::Silent);
                            if fetch(&mut nic, peer, key, sent) < round {
                                slept.store(true, Ordering::Relaxed);
                                nic.wait(None);
                            } else {
                                thread::yield_now();
                            }
                        }
                    }
                }
                // Nobody goes before the other has asked for the last time.
                put(&mut nic, peer, key, cell, ROUNDS + 1, PutMode::Immediate);
                while read(&nic, peer, key, cell).unwrap() <= ROUNDS {
                    nic.wait(Some(Duration::from_millis(1)));
                }
            });
        }
    });
    assert!(slept.load(Ordering::Relaxed), "nobody has slept");
}

/// Words for one who has gone are put in vain, and a question to it says so.
pub fn one_who_has_gone_takes_words_in_vain<P: Provider>(provider: &P) {
    let [mut here, there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let key = words(&mut here).register(1).unwrap();
    drop(there);
    while here.peer_state(1) == runahead::internals::verbs::PeerState::Connected {
        here.wait(Some(Duration::from_millis(1)));
    }
    assert_eq!(words(&mut here).post_put(1, key, 0, 1, PutMode::Immediate), Ok(true));
    assert!(matches!(words(&mut here).fetch(1, key, 0), Ok(Fetched::Gone | Fetched::Word(_))));
}
