//! Copies that are followed, between ranks of one process, step by step.

use super::super::ShmNic;
use super::super::payloads::Payload;
use super::*;
use crate::verbs::{Cq, Nic, PeerState, RemoteRead, Revoke, Vi};

const HEAP_BYTES: usize = 1 << 20;

fn pair() -> [ShmNic; 2] {
    super::super::pair::pair(HEAP_BYTES)
}

/// What the receiver finds by this name.
fn read(there: &mut ShmNic, buffer: RemoteBuffer, len: usize) -> Option<Payload> {
    assert!(there.post_read(Vi { peer: 0, cq: Cq(0) }, buffer, len));
    there.poll_read(Cq(0)).expect("it is done at once").payload
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_there_is_the_first_part_and_at_last_all() {
    let [mut here, mut there] = pair();
    // The second takes the block of the first.
    for len in [5 * PIECE_BYTES + 1, 2 * PIECE_BYTES, HEAP_BYTES] {
        let payload = bytes(len);
        let buffer = here.begin_copy(1, len).expect("there is room");
        let mut found = read(&mut there, buffer, len).expect("it is begun");
        let block = begun(buffer).expect("it is named so");
        let mut looks = 0;
        here.payloads.fill((0, 1), block, len, |write| {
            here.filling.fill(1, block.key, &payload, |at, piece| {
                for _ in 0..2 {
                    assert_eq!(there.bytes_here(0, &mut found), at);
                    assert_eq!(found.as_ref(), &payload[..at]);
                }
                write(at, piece);
                assert_eq!(there.bytes_here(0, &mut found), at, "before it is said");
                looks += 1;
            });
        });
        assert_eq!((looks, there.bytes_here(0, &mut found)), (len.div_ceil(PIECE_BYTES), len));
        assert_eq!(found.as_ref(), payload);
        there.release(found);
        here.revoke(1, buffer, Revoke::AfterRead);
    }
    assert!(here.expose(1, &bytes(HEAP_BYTES)).is_some(), "all has come back");
}

/// One that was not looked at before the next was begun. (Planted: the pieces of any key count.)
// SEMANTICS: FLOW-4
#[test]
fn of_a_copy_before_the_last_all_is_there() {
    let [mut here, mut there] = pair();
    let [first, second] = [bytes(3 * PIECE_BYTES), vec![7; 4 * PIECE_BYTES]];
    let old = here.begin_copy(1, first.len()).unwrap();
    let mut found = read(&mut there, old, first.len()).unwrap();
    assert_eq!(there.bytes_here(0, &mut found), 0);
    here.fill_copy(1, old, &first);
    let new = here.begin_copy(1, second.len()).unwrap();
    let mut next = read(&mut there, new, second.len()).unwrap();
    assert_eq!(there.bytes_here(0, &mut found), first.len());
    assert_eq!(there.bytes_here(0, &mut next), 0);
    here.fill_copy(1, new, &second);
    assert_eq!(there.bytes_here(0, &mut next), second.len());
    assert!(found.as_ref() == first && next.as_ref() == second);
}

/// SEMANTICS: FLOW-4
#[test]
fn what_does_not_pay_or_has_no_room_is_not_begun() {
    let [mut here, _there] = pair();
    assert_eq!(here.begin_copy(1, LEAST_BYTES - 1), None);
    assert_eq!(here.begin_copy(1, HEAP_BYTES + 1), None);
    let buffer = here.begin_copy(1, HEAP_BYTES).unwrap();
    assert_eq!(here.begin_copy(1, LEAST_BYTES), None, "there is no room");
    // It was said to nobody.
    here.fill_copy(1, buffer, &bytes(HEAP_BYTES));
    here.revoke(1, buffer, Revoke::AfterRead);
    assert!(here.begin_copy(1, LEAST_BYTES).is_some());
}

/// SEMANTICS: SAFE-1
#[test]
fn a_copy_outside_of_the_heap_breaks_the_connection() {
    let places = [HEAP_BYTES as u64, 8, HEAP_BYTES as u64 - 4096, (1 << 62) - 4096];
    for address in places {
        let [_here, mut there] = pair();
        let buffer = RemoteBuffer { address: address | BEGUN, key: 1 };
        assert!(read(&mut there, buffer, 8192).is_none(), "{address:#x}");
        assert!(there.poll_recv(Cq(0)).is_err() && there.peer_state(0) == PeerState::Gone);
    }
}

/// A sender that says it has filled more than there is. SEMANTICS: SAFE-1
#[test]
fn no_more_is_there_than_the_payload() {
    let [mut here, mut there] = pair();
    let buffer = here.begin_copy(1, LEAST_BYTES).unwrap();
    let mut found = read(&mut there, buffer, LEAST_BYTES).unwrap();
    say_filled(&here.filling.pairs.outgoing[1][0], buffer.key, u32::MAX);
    assert_eq!((there.bytes_here(0, &mut found), found.as_ref().len()), (LEAST_BYTES, LEAST_BYTES));
}
