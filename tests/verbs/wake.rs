//! Sleeping and waking. There are no time limits here: a lost wake-up is a test that never ends.
//!
//! Every rank leaves as soon as it has done its part, while the others still wait: one that only
//! lies there calls nothing, so that over a network that loses it would never repeat what was lost
//! of its last message.

use std::thread;

use runahead::internals::verbs::{Nic, PeerState, PutMode, RegionKey, RemoteWords};

use crate::fabric::*;

const ROUNDS: u64 = 1000;

/// Sleeps until a word that a peer puts is this one. A peer that is lost puts it no more.
fn read_waiting<N: Nic>(nic: &mut N, writer: usize, key: RegionKey, value: u64) {
    while read(nic, writer, key, 0).unwrap() != value {
        // What it has put before it left is there by then.
        if nic.peer_state(writer) == PeerState::Gone {
            let (there, why) = (read(nic, writer, key, 0).unwrap(), nic.why_gone(writer));
            assert_eq!(there, value, "rank {writer} is gone: {why:?}");
            return;
        }
        nic.wait(None);
    }
}

/// Sleeps until the next message has come.
fn receive_waiting<N: Nic>(nic: &mut N) -> (usize, u64) {
    let arrived = loop {
        match nic.poll_recv(DATA).unwrap() {
            Some(arrived) => break arrived,
            None => nic.wait(None),
        }
    };
    let bytes = nic.bytes(&arrived.frame).first_chunk().copied();
    nic.post_recv(to(arrived.peer), arrived.frame);
    (arrived.peer, u64::from_le_bytes(bytes.expect("8 bytes")))
}

pub fn wait_returns_for_what_came_before<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    there.post_send(to(0), &[1], &[]).unwrap();
    // Not once only: as long as there is something to poll.
    here.wait(None);
    here.wait(None);
    assert_eq!(receive(&mut here), (1, vec![1]));
    if has_words(&mut here) {
        let key = words(&mut here).register(1).unwrap();
        assert_eq!(words(&mut there).register(1), Ok(key));
        put(&mut there, 0, key, 0, 5, PutMode::Immediate);
        // It may return early, as where what has come was another thing.
        read_waiting(&mut here, 1, key, 5);
    }
    drop(there);
    while here.peer_state(1) != PeerState::Gone {
        here.wait(None);
    }
}

pub fn no_wake_up_is_lost_in_a_ping_pong<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    thread::scope(|scope| {
        scope.spawn(move || {
            for round in 0..ROUNDS {
                assert_eq!(receive_waiting(&mut there), (0, round));
                there.post_send(to(0), &round.to_le_bytes(), &[]).unwrap();
            }
        });
        for round in 0..ROUNDS {
            here.post_send(to(1), &round.to_le_bytes(), &[]).unwrap();
            assert_eq!(receive_waiting(&mut here), (1, round));
        }
        drop(here);
    });
}

pub fn no_wake_up_is_lost_from_several_peers<P: Provider>(provider: &P) {
    let [mut hub, spokes @ ..]: [_; 5] = ranks(provider, 1);
    thread::scope(|scope| {
        for mut spoke in spokes {
            scope.spawn(move || {
                for round in 0..ROUNDS / 4 {
                    spoke.post_send(to(0), &round.to_le_bytes(), &[]).unwrap();
                    assert_eq!(receive_waiting(&mut spoke), (0, round));
                }
            });
        }
        let mut rounds = [0; 5];
        for _ in 0..ROUNDS / 4 * 4 {
            let (peer, round) = receive_waiting(&mut hub);
            assert_eq!(round, rounds[peer]);
            rounds[peer] += 1;
            hub.post_send(to(peer), &round.to_le_bytes(), &[]).unwrap();
        }
        drop(hub);
    });
}

pub fn a_put_wakes<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !has_words(&mut here) {
        return;
    }
    let key = words(&mut here).register(1).unwrap();
    assert_eq!(words(&mut there).register(1), Ok(key));
    thread::scope(|scope| {
        scope.spawn(move || {
            for round in 1..=ROUNDS {
                read_waiting(&mut there, 0, key, round);
                put(&mut there, 0, key, 0, round, PutMode::Immediate);
            }
        });
        for round in 1..=ROUNDS {
            put(&mut here, 1, key, 0, round, PutMode::Immediate);
            read_waiting(&mut here, 1, key, round);
        }
        drop(here);
    });
}

pub fn the_departure_of_a_peer_wakes<P: Provider>(provider: &P) {
    for _ in 0..50 {
        let [mut here, there, mut other] = ranks(provider, 1);
        thread::scope(|scope| {
            for nic in [&mut here, &mut other] {
                scope.spawn(move || {
                    while nic.peer_state(1) == PeerState::Connected {
                        nic.wait(None);
                    }
                });
            }
            scope.spawn(move || drop(there));
        });
        assert_eq!(here.peer_state(2), PeerState::Connected);
    }
}
