//! Lent payloads between ranks of one process, step by step.

use super::super::ShmNic;
use super::super::reading::ReadEnd;
use crate::verbs::{Cq, LentEnd, RemoteBuffer, RemoteRead, Revoke, Vi};

/// Two ranks that know of each other that they can read.
fn pair() -> [ShmNic; 2] {
    let mut nics = super::super::pair::pair(1 << 20);
    assert!(nics[0].lend(1, &[1]).is_none(), "it is not known yet that the other can read");
    nics[1].reading.try_reading(0);
    nics
}

/// What the receiver finds by this name.
fn read(there: &mut ShmNic, buffer: RemoteBuffer, len: usize) -> super::super::payloads::Payload {
    assert!(there.post_read(Vi { peer: 0, cq: Cq(0) }, buffer, len));
    there.poll_read(Cq(0)).and_then(|read| read.payload).expect("it is done at once")
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_lent_is_taken_once() {
    let [mut here, mut there] = pair();
    let (payload, mut room) = (bytes(10_000), vec![0; 10_000]);
    let buffer = here.lend(1, &payload).expect("it can be read");
    assert!(!here.is_taken(1, buffer));
    let mut found = read(&mut there, buffer, payload.len());
    assert!(there.is_lent(&found));
    assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Taken);
    assert!(here.is_taken(1, buffer) && room == payload);
    assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed, "once");
    assert!(here.copy_lent(1, buffer, &payload), "it is the owner's without a copy");
    here.revoke(1, buffer, Revoke::AfterRead);
}

/// SEMANTICS: FLOW-4
#[test]
fn what_was_copied_or_moved_is_read_there() {
    let [mut here, mut there] = pair();
    for is_moved in [false, true] {
        let (mut payload, mut room) = (bytes(10_000), vec![0; 10_000]);
        let buffer = here.lend(1, &payload).expect("it can be read");
        let mut found = read(&mut there, buffer, payload.len());
        let copy = payload.clone();
        match is_moved {
            false => assert!(here.copy_lent(1, buffer, &payload)),
            true => assert!(here.move_lent(1, buffer, &copy)),
        }
        // It is the program's again. Whoever had found it before uses nothing of it.
        payload.fill(0);
        assert_eq!(
            there.lent.take(&mut there.reading, 0, (buffer, None), &mut room),
            ReadEnd::Failed
        );
        let end = there.take_lent(0, &mut found, &mut room);
        match is_moved {
            false => {
                assert_eq!((end, there.is_lent(&found)), (LentEnd::Copied, false));
                assert!(found.as_ref() == copy);
                assert!(!here.is_taken(1, buffer), "it was copied");
            }
            true => {
                assert_eq!(end, LentEnd::Taken);
                assert!(room == copy && here.is_taken(1, buffer));
            }
        }
        assert!(!here.move_lent(1, buffer, &copy), "once");
        drop(found);
        here.revoke(1, buffer, Revoke::AfterRead);
    }
    // The copy was given back: the heap has room for one as long as it is.
    assert!(here.expose(1, &bytes(1 << 20)).is_some());
}

/// A payload that was revoked is not used, whether it was copied or not; and its place is free.
/// SEMANTICS: FLOW-4, SAFE-1
#[test]
fn what_was_revoked_is_not_read() {
    let [mut here, mut there] = pair();
    let (payload, mut room) = (bytes(10_000), vec![0; 10_000]);
    for copies in [false, true, false] {
        let buffer = here.lend(1, &payload).expect("it can be read");
        let mut found = read(&mut there, buffer, payload.len());
        if copies {
            assert!(here.copy_lent(1, buffer, &payload));
        }
        here.revoke(1, buffer, Revoke::AtOnce);
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed);
        let next = here.lend(1, &payload).expect("the place is free");
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed, "another has it");
        here.revoke(1, next, Revoke::AfterRead);
    }
}

/// SEMANTICS: FLOW-4
#[test]
fn a_few_are_lent_at_a_time() {
    let [mut here, mut there] = pair();
    let payloads: Vec<_> = (0..4).map(|at| vec![at; 5000]).collect();
    let lent: Vec<_> = payloads.iter().map(|payload| here.lend(1, payload)).collect();
    assert!(lent[..super::PLACES].iter().all(Option::is_some) && lent[super::PLACES].is_none());
    // In any order.
    for at in (0..super::PLACES).rev() {
        let (buffer, mut room) = (lent[at].expect("it is lent"), vec![0xff; 5000]);
        let mut found = read(&mut there, buffer, 5000);
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Taken);
        assert!(room == payloads[at] && here.is_taken(1, buffer));
        here.revoke(1, buffer, Revoke::AfterRead);
    }
}

/// What a peer makes up is not read, or is what lies in that one's own memory; and nothing else is harmed.
/// SEMANTICS: SAFE-1
#[test]
fn what_a_peer_makes_up_is_not_taken() {
    // Copies that lie nowhere, or of which nothing is there.
    for copied_to in [1 << 40, 1 << 62] {
        let [mut here, mut there] = pair();
        let (payload, mut room) = (bytes(5000), vec![0; 5000]);
        let buffer = here.lend(1, &payload).expect("it can be read");
        let mut found = read(&mut there, buffer, payload.len());
        let (word, place) = super::words(&here.lent.pairs.outgoing[1], 0);
        assert!(super::say_copied(word, place, buffer.key, copied_to));
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed);
        assert!(there.is_broken(0), "it breaks the connection");
    }
    let [mut here, mut there] = pair();
    let (payload, mut room) = (bytes(5000), vec![0; 5000]);
    let RemoteBuffer { address, key } = here.lend(1, &payload).expect("it can be read");
    let nothing = 1 << 63 | 8;
    for (address, key) in [(address, key + 4), (address, key | 3), (nothing, key), (u64::MAX, key)]
    {
        let mut found = read(&mut there, RemoteBuffer { address, key }, payload.len());
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed, "{address} {key}");
    }
}
