//! Words that are put silently, and fetched: `post_put` and `fetch`, where a provider has them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use runahead::internals::order::Rank;
use runahead::internals::verbs::{Fetched, Nic, PutMode, QuietPuts, RegionKey, VerbsError};

use crate::fabric::*;

fn has_none<N: Nic>(nic: &N) -> bool {
    nic.quiet_puts() == QuietPuts::None
}

/// Puts a word, waiting for room.
fn put<N: Nic>(nic: &mut N, peer: Rank, key: RegionKey, word: usize, value: u64, mode: PutMode) {
    while !nic.post_put(peer, key, word, value, mode).unwrap() {
        nic.wait(None);
    }
}

fn fetch<N: Nic>(nic: &mut N, peer: Rank, key: RegionKey, word: usize) -> u64 {
    loop {
        match nic.fetch(peer, key, word).unwrap() {
            Fetched::Word(value) => return value,
            Fetched::Late => {}
            Fetched::Gone => panic!("rank {peer} has gone"),
        }
    }
}

pub fn a_quiet_word_is_read_and_fetched<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if has_none(&here) {
        let none = VerbsError::NoSuchWord { peer: 1, key: RegionKey(0), word: 0 };
        here.register(1).unwrap();
        assert_eq!(here.post_put(1, RegionKey(0), 0, 1, PutMode::Immediate), Err(none.clone()));
        assert_eq!(here.fetch(1, RegionKey(0), 0), Err(none));
        return;
    }
    // The peer has yet to register.
    let key = here.register(3).unwrap();
    put(&mut here, 1, key, 1, u64::MAX, PutMode::Silent);
    put(&mut here, 1, key, 2, 7, PutMode::Silent);
    assert_eq!(there.register(3).unwrap(), key);
    await_what_was_done(provider, || there.read_of(0, key, 2) == Ok(7));
    assert_eq!([0, 1].map(|word| there.read_of(0, key, word).unwrap()), [0, u64::MAX]);
    assert_eq!([0, 1, 2].map(|word| fetch(&mut here, 1, key, word)), [0, u64::MAX, 7]);
    // Into the own memory.
    put(&mut there, 1, key, 0, 9, PutMode::Silent);
    assert_eq!(there.read_of(1, key, 0), Ok(9));
    assert_eq!(fetch(&mut here, 1, key, 0), 9);
    assert_eq!(fetch(&mut there, 1, key, 0), 9);
    for (peer, key, word) in [(1, key, 3), (0, key, usize::MAX), (1, RegionKey(key.0 + 1), 0)] {
        let none = VerbsError::NoSuchWord { peer, key, word };
        assert_eq!(here.post_put(peer, key, word, 1, PutMode::Silent), Err(none.clone()));
        assert_eq!(here.fetch(peer, key, word), Err(none));
    }
    let nobody = VerbsError::NoSuchPeer { peer: 2, size: 2 };
    assert_eq!(here.post_put(2, key, 0, 1, PutMode::Silent), Err(nobody.clone()));
    assert_eq!(here.fetch(2, key, 0), Err(nobody));
}

/// More than any send queue holds, and nobody there who does anything for it.
pub fn quiet_words_come_in_order<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if has_none(&here) {
        return;
    }
    let key = here.register(2).unwrap();
    there.register(2).unwrap();
    for value in 1..=2000 {
        put(&mut here, 1, key, 0, value, PutMode::Silent);
        // What is put first is there when what is put next is.
        put(&mut here, 1, key, 1, value, PutMode::Silent);
        let (second, first) =
            (there.read_of(0, key, 1).unwrap(), there.read_of(0, key, 0).unwrap());
        assert!(first >= second, "{first} {second}");
    }
    assert_eq!(fetch(&mut here, 1, key, 1), 2000);
    assert_eq!([0, 1].map(|word| there.read_of(0, key, word)), [Ok(2000), Ok(2000)]);
}

/// As who sleeps for a word and who puts it do it, one after the other, many times. A wake-up that is lost is a
/// hang, where nobody looks around in between.
pub fn no_wake_up_is_lost_where_the_sleeper_asks<P: Provider>(provider: &P) {
    const ROUNDS: u64 = 300;
    let [here, there] = ranks(provider, 1);
    if has_none(&here) {
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
                let key = nic.register(3).unwrap();
                for round in 1..=ROUNDS {
                    for turn in [first, !first] {
                        if turn {
                            if round % 7 == 0 {
                                thread::sleep(Duration::from_micros(300));
                            }
                            let rank = nic.rank();
                            put(&mut nic, rank, key, sent, round, PutMode::Silent);
                            let wants = nic.read_of(peer, key, want) == Ok(round);
                            let mode = if wants { PutMode::Immediate } else { PutMode::Silent };
                            put(&mut nic, peer, key, cell, round, mode);
                            continue;
                        }
                        while nic.read_of(peer, key, cell).unwrap() < round {
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
                while nic.read_of(peer, key, cell).unwrap() <= ROUNDS {
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
    if has_none(&here) {
        return;
    }
    let key = here.register(1).unwrap();
    drop(there);
    while here.peer_state(1) == runahead::internals::verbs::PeerState::Connected {
        here.wait(Some(Duration::from_millis(1)));
    }
    assert_eq!(here.post_put(1, key, 0, 1, PutMode::Immediate), Ok(true));
    assert!(matches!(here.fetch(1, key, 0), Ok(Fetched::Gone | Fetched::Word(_))));
}
