//! Rooms between ranks of one process, step by step.

use super::super::ShmNic;
use super::*;
use crate::verbs::{Cq, Nic, RemoteRead, Revoke, Room as _, Vi};

const HEAP_BYTES: usize = 1 << 20;
const TO_0: Vi = Vi { peer: 0, cq: Cq(0) };

fn pair() -> [ShmNic; 2] {
    super::super::pair::pair(HEAP_BYTES)
}

/// Reads a payload of rank 0.
fn read(there: &mut ShmNic, buffer: RemoteBuffer, len: usize) -> Payload {
    assert!(there.post_read(TO_0, buffer, len));
    there.poll_read(Cq(0)).unwrap().payload.expect("it is there")
}

/// Whether nothing of the heap is in use.
fn is_free(nic: &mut ShmNic) -> bool {
    match nic.expose(1, &vec![1; HEAP_BYTES]) {
        None => false,
        Some(buffer) => {
            nic.revoke(1, buffer, Revoke::AfterRead);
            true
        }
    }
}

/// SEMANTICS: COL-11
#[test]
fn a_peer_sees_what_the_owner_has_told() {
    let [mut here, mut there] = pair();
    for len in [1, 63, 64, 1000, 5000] {
        // What lay there before.
        let old = here.expose(1, &[0xff; 20_000]).unwrap();
        here.revoke(1, old, Revoke::AfterRead);
        let payload: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
        let (buffer, mut own) = here.open_room(1, &payload, 300).expect("there is memory");
        assert!(here.share(1, buffer));

        let copy = read(&mut there, buffer, len);
        assert_eq!(copy.as_ref(), payload);
        let room = there.room_behind(0, &copy, 300).expect("it lies within the heap");
        assert_eq!([room.load(0), room.load(1)], [0, 0], "nothing was told");
        own.write(0, b"first");
        own.write(297, b"end");
        own.store(1, 1 << 63);
        assert_eq!([room.load(0), room.load(1)], [0, 1 << 63]);
        let (mut first, mut end) = ([0; 5], [0; 3]);
        room.read(0, &mut first);
        room.read(297, &mut end);
        assert_eq!((&first, &end), (b"first", b"end"));
        assert_eq!(copy.as_ref(), payload, "it stays as it was");

        drop(room);
        there.release(copy);
        here.revoke(1, buffer, Revoke::AfterRead);
        here.close_room(buffer, own);
        assert!(is_free(&mut here), "after a payload of {len} bytes");
    }
}

/// Whichever comes last: that a peer has given the payload back, or that the owner has closed the room.
/// SEMANTICS: COL-11
#[test]
fn a_room_lasts_as_long_as_its_owner_or_a_peer_has_it() {
    let [mut here, _there] = pair();
    let (buffer, own) = here.open_room(1, &[7; 100], 100).unwrap();
    assert!(here.share(1, buffer));
    here.revoke(1, buffer, Revoke::AfterRead);
    assert!(!is_free(&mut here), "its owner may write");
    here.close_room(buffer, own);
    assert!(is_free(&mut here));

    let (buffer, own) = here.open_room(1, &[7; 100], 100).unwrap();
    assert!(here.share(1, buffer));
    here.close_room(buffer, own);
    assert!(!is_free(&mut here), "a peer may read");
    here.revoke(1, buffer, Revoke::AfterRead);
    assert!(is_free(&mut here));
}

/// SEMANTICS: SAFE-1
#[test]
fn a_room_beyond_the_heap_breaks_the_connection() {
    for (at, bytes) in
        [(HEAP_BYTES - 4096, 0), (0, HEAP_BYTES), (0, usize::MAX - 200), (0, usize::MAX)]
    {
        let [_here, mut there] = pair();
        let copy = read(&mut there, RemoteBuffer { address: at as u64, key: 1 }, 4096);
        assert!(there.room_behind(0, &copy, bytes).is_none(), "{bytes} bytes behind {at}");
        assert!(there.poll_recv(Cq(0)).is_err(), "it is told once");
        there.release(copy);
    }
}

#[test]
fn where_there_is_no_memory_there_is_no_room() {
    let [mut here, _there] = pair();
    for bytes in [HEAP_BYTES, usize::MAX - 64, usize::MAX] {
        assert!(here.open_room(1, &[1; 100], bytes).is_none(), "{bytes} bytes");
    }
    assert!(here.open_room(1, &[1; 100], HEAP_BYTES / 2).is_some());
}

#[test]
#[should_panic(expected = "10 bytes at 291 of a room of 300")]
fn nothing_is_written_behind_a_room() {
    let [mut here, _there] = pair();
    let (_, mut own) = here.open_room(1, &[1; 100], 300).unwrap();
    own.write(291, &[0; 10]);
}

/// An area is what its owner has written, wherever a reader is sent within the heap, and is free again once it is closed.
/// (Planted: an area that is given to nobody again; bytes one place behind.)
/// SEMANTICS: COL-9
#[test]
fn an_area_shows_what_was_written() {
    let [mut here, mut there] = pair();
    let area = here.open_area(10_000).unwrap();
    here.write_area(area, 40, b"head");
    here.write_area(area, 64, &[7; 9000]);
    let first = there.find_in_area(0, area.address + 40, 4).unwrap();
    let second = there.find_in_area(0, area.address + 64, 9000).unwrap();
    assert!(first.as_ref() == b"head" && second.as_ref() == [7; 9000]);
    // Its owner sees it as others do, with a room behind it.
    let own = here.find_in_area(0, area.address + 64, 1000).unwrap();
    let mut room = here.room_behind(0, &own, 100).unwrap();
    room.write(0, b"mine");
    let seen = there.find_in_area(0, area.address + 64, 1000).unwrap();
    let mut bytes = [0; 4];
    there.room_behind(0, &seen, 100).unwrap().read(0, &mut bytes);
    assert_eq!(&bytes, b"mine");
    assert!(!is_free(&mut here));
    here.close_area(area);
    assert!(is_free(&mut here));
    // Once is enough.
    here.close_area(area);
    assert!(here.open_area(HEAP_BYTES + 1).is_none());
}

/// A peer says anything of where it has written. (Planted: an end that is not checked; a place where no word begins.)
/// SEMANTICS: SAFE-1
#[test]
fn nothing_lies_beyond_a_heap() {
    let [_here, there] = &mut pair();
    let end = HEAP_BYTES as u64;
    for (address, len) in [(0, HEAP_BYTES), (end - 8, 8), (end, 0), (8, 1)] {
        assert!(there.find_in_area(0, address, len).is_some(), "{len} bytes at {address}");
    }
    for (address, len) in [
        (0, HEAP_BYTES + 1),
        (end - 8, 9),
        (end, 1),
        (1, 1),
        (4, 1),
        (u64::MAX - 7, 1),
        (u64::MAX - 7, usize::MAX),
        (8, usize::MAX),
        (1 << 63, 8),
    ] {
        assert!(there.find_in_area(0, address, len).is_none(), "{len} bytes at {address}");
    }
    assert!(there.find_in_area(2, 0, 1).is_none(), "there is no such rank");
}

/// SEMANTICS: SAFE-1
#[test]
#[should_panic(expected = "within")]
fn nobody_writes_beyond_its_area() {
    let [mut here, _there] = pair();
    let area = here.open_area(100).unwrap();
    here.write_area(area, 4090, &[1; 7]);
}
