//! Copies that are read while they are made, by two threads.

use std::sync::mpsc;
use std::thread;

use runahead::internals::provider::FabricSpec;
use runahead::internals::provider::shm::{ShmNic, connect};
use runahead::internals::verbs::{Nic, ReadCompletion, RemoteRead, Revoke, ViSpec};

use super::spec;
use crate::fabric::*;
use crate::joined::ONE_HOST;

/// So much is copied before the sender tells of it, and from twice as much on.
const PIECE_BYTES: usize = 16 << 10;

/// What the reader sees is there, piece by piece, whatever was in the same place before.
/// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_followed_while_it_is_made() {
    let fabric = FabricSpec { heap_bytes: 1 << 20, ..spec(1, 64) };
    let [here, there]: [ShmNic; 2] = connect(2, &fabric).unwrap().try_into().ok().unwrap();
    follow(here, there);
}

/// The same of ranks that also have a network to other hosts. (Planted: they begin no copy; they make none; they say of
/// each that all is there.)
/// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_followed_by_a_rank_of_the_same_host() {
    let vi = ViSpec { descriptor_bytes: 64, ..reliable(1) };
    let [here, there] = ONE_HOST.connect(2, &[vi]).try_into().ok().unwrap();
    follow(here, there);
}

/// Rank 0 copies payloads, which rank 1 follows.
fn follow<N: Nic + Send>(mut here: N, mut there: N) {
    let vi = ViSpec { descriptor_bytes: 32, ..reliable(1) };
    here.open_vi(to(1), &vi).unwrap();
    there.open_vi(to(0), &vi).unwrap();
    let (tell, told) = mpsc::channel();
    let (look, is_looked_at) = mpsc::channel();
    let (release, is_released) = mpsc::channel();
    let rounds = 0..300;
    let payload = |round: usize| -> Vec<u8> {
        (0..2 * PIECE_BYTES + round * 997).map(|at| (at / 3 + round) as u8).collect()
    };
    thread::scope(|scope| {
        let sender = rounds.clone();
        scope.spawn(move || {
            for round in sender {
                let payload = payload(round);
                let network = here.remote_read().expect("they share memory");
                let buffer = network.begin_copy(1, payload.len()).expect("the last was read");
                tell.send(buffer).unwrap();
                if round == 0 {
                    is_looked_at.recv().unwrap();
                }
                network.fill_copy(1, buffer, &payload);
                is_released.recv().unwrap();
                network.revoke(1, buffer, Revoke::AfterRead);
            }
        });
        let network = there.remote_read().expect("they share memory");
        for round in rounds {
            let payload = payload(round);
            assert!(network.post_read(to(0), told.recv().unwrap(), payload.len()));
            let ReadCompletion { payload: found, .. } = network.poll_read(DATA).expect("at once");
            let (mut found, mut taken) = (found.expect("it is begun"), Vec::new());
            if round == 0 {
                assert_eq!(network.bytes_here(0, &mut found), 0, "it is not made yet");
                look.send(()).unwrap();
            }
            while taken.len() < payload.len() {
                let here = network.bytes_here(0, &mut found);
                assert!(here == payload.len() || here.is_multiple_of(PIECE_BYTES));
                taken.extend_from_slice(&found.as_ref()[taken.len()..here]);
                thread::yield_now();
            }
            assert!(taken == payload, "round {round}");
            network.release(found);
            release.send(()).unwrap();
        }
    });
}
