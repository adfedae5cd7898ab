//! Copies that are read while they are made, by two threads.

use std::sync::mpsc;
use std::thread;

use runahead::internals::provider::FabricSpec;
use runahead::internals::provider::shm::{ShmNic, connect};
use runahead::internals::verbs::{Nic, ReadCompletion, RemoteRead, Revoke, ViSpec};

use super::spec;
use crate::fabric::*;

/// So much is copied before the sender tells of it, and from twice as much on.
const PIECE_BYTES: usize = 16 << 10;

/// What the reader sees is there, piece by piece, whatever was in the same place before.
/// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_followed_while_it_is_made() {
    let fabric = FabricSpec { heap_bytes: 1 << 20, ..spec(1, 64) };
    let [mut here, mut there]: [ShmNic; 2] = connect(2, &fabric).unwrap().try_into().ok().unwrap();
    let vi = ViSpec { descriptor_bytes: 64, ..reliable(1) };
    here.open_vi(to(1), &vi).unwrap();
    there.open_vi(to(0), &vi).unwrap();
    let (tell, told) = mpsc::channel();
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
                let buffer = here.begin_copy(1, payload.len()).expect("the last was read");
                tell.send(buffer).unwrap();
                here.fill_copy(1, buffer, &payload);
                is_released.recv().unwrap();
                here.revoke(1, buffer, Revoke::AfterRead);
            }
        });
        for round in rounds {
            let payload = payload(round);
            assert!(there.post_read(to(0), told.recv().unwrap(), payload.len()));
            let ReadCompletion { payload: found, .. } = there.poll_read(DATA).expect("at once");
            let (mut found, mut taken) = (found.expect("it is begun"), Vec::new());
            while taken.len() < payload.len() {
                let here = there.bytes_here(0, &mut found);
                assert!(here == payload.len() || here.is_multiple_of(PIECE_BYTES));
                taken.extend_from_slice(&found.as_ref()[taken.len()..here]);
                thread::yield_now();
            }
            assert!(taken == payload, "round {round}");
            there.release(found);
            release.send(()).unwrap();
        }
    });
}
