//! Payloads that the peer reads: `expose`, `revoke`, `post_read` and `poll_read`. A network that
//! has remote read, and not between two ranks, must refuse all of it there, and says so to both.

use runahead::internals::order::Rank;
use runahead::internals::verbs::{
    Nic, PeerState, ReadCompletion, ReadPayload, RemoteBuffer, RemoteRead, Revoke,
};

use crate::fabric::*;

fn content(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 253 + seed * 7) as u8).collect()
}

/// Remote read of a network that has it.
pub fn reads<N: Nic>(nic: &mut N) -> &mut N::RemoteRead {
    nic.remote_read().expect("the network has remote read")
}

/// From which length on payloads are exposed to this peer, if any are.
fn least<N: Nic>(nic: &mut N, peer: Rank) -> Option<usize> {
    nic.remote_read()?.least_bytes(peer)
}

/// Whether the two read each other's payloads. If not, nothing of it does anything.
fn reads_each_other<N: Nic>(here: &mut N, there: &mut N) -> bool {
    let (own, peer, nobody) = (here.rank(), there.rank(), here.size());
    let from = least(here, peer);
    assert_eq!(from, least(there, own), "both say the same");
    assert_eq!(least(here, own), None, "no rank exposes anything to itself");
    assert_eq!(least(here, nobody), None, "nor to a rank that does not exist");
    if from.is_none()
        && let Some(network) = here.remote_read()
    {
        assert_eq!(network.expose(peer, &[1; 1000]), None);
        assert!(!network.post_read(to(peer), RemoteBuffer { address: 0, key: 0 }, 1000));
        assert!(network.poll_read(DATA).is_none());
    }
    from.is_some()
}

/// Waits, sleeping, for the next read.
pub fn completed<N: Nic>(nic: &mut N) -> ReadCompletion<ReadPayload<N>> {
    loop {
        if let Some(read) = reads(nic).poll_read(DATA) {
            return read;
        }
        nic.wait(None);
    }
}

/// The payload that is there; its room is given back.
fn taken<N: Nic>(nic: &mut N) -> Vec<u8> {
    let payload = completed(nic).payload.expect("it can be read");
    let bytes = payload.as_ref().to_vec();
    reads(nic).release(payload);
    bytes
}

pub fn a_payload_is_read_where_it_lies<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !reads_each_other(&mut here, &mut there) {
        return;
    }
    // Longer ones than a device reads at once, and rooms that were used before.
    for (round, len) in
        [8, 100, 4096, 3 << 20, 70_001, 5 << 20, (128 << 10) + 3, 17].into_iter().enumerate()
    {
        let payload = content(round, len);
        let buffer = reads(&mut here).expose(1, &payload).expect("there is room for one");
        assert!(reads(&mut there).post_read(to(0), buffer, len));
        assert!(!there.is_empty(DATA), "a read is under way");
        assert_eq!(taken(&mut there), payload);
        reads(&mut here).revoke(1, buffer, Revoke::AfterRead);
    }
    // A part of it, and two rooms at a time.
    let payload = content(9, 200_000);
    let buffer = reads(&mut here).expose(1, &payload).unwrap();
    let parts = [100_000, 200_000].map(|len| {
        assert!(reads(&mut there).post_read(to(0), buffer, len));
        let part = completed(&mut there).payload.unwrap();
        assert_eq!(part.as_ref(), &payload[..len]);
        part
    });
    reads(&mut here).revoke(1, buffer, Revoke::AfterRead);
    assert_eq!(parts[0].as_ref(), &payload[..100_000]);
    parts.into_iter().for_each(|part| reads(&mut there).release(part));
    assert!(reads(&mut there).poll_read(DATA).is_none());
}

pub fn payloads_are_read_in_both_directions_at_once<P: Provider>(provider: &P) {
    let [mut first, mut second, mut third] = ranks::<_, 3>(provider, 1);
    if !reads_each_other(&mut first, &mut second) || !reads_each_other(&mut second, &mut third) {
        return;
    }
    let payloads = [0, 1, 2].map(|rank| content(rank, 2_000_000 + rank));
    for _ in 0..3 {
        let nics = [&mut first, &mut second, &mut third];
        let mut buffers = Vec::new();
        for from in 0..3 {
            for by in (0..3).filter(|&by| by != from) {
                if least(nics[from], by).is_some() {
                    buffers.push((
                        from,
                        by,
                        reads(nics[from]).expose(by, &payloads[from]).unwrap(),
                    ));
                }
            }
        }
        for &(from, by, buffer) in &buffers {
            assert!(reads(nics[by]).post_read(to(from), buffer, payloads[from].len()));
        }
        for &(_, by, _) in &buffers {
            let ReadCompletion { peer, payload } = completed(nics[by]);
            let why = || nics[by].why_gone(peer);
            let payload =
                payload.unwrap_or_else(|| panic!("of rank {peer} by rank {by}: {:?}", why()));
            assert!(payload.as_ref() == payloads[peer], "of rank {peer} by rank {by}");
            reads(nics[by]).release(payload);
        }
        for (from, by, buffer) in buffers {
            reads(nics[from]).revoke(by, buffer, Revoke::AfterRead);
        }
    }
}

/// Neither what was revoked, nor more than was exposed, nor under another key; and where copies are
/// exposed, nothing outside of the memory for these. (Each time the peer may be lost by that, so each
/// has ranks of its own. They are so long that no device has them copied, to memory that has more
/// room.)
pub fn what_is_not_exposed_is_not_read<P: Provider>(provider: &P) {
    for wrong in 0..6 {
        let [mut here, mut there] = ranks(provider, 1);
        if !reads_each_other(&mut here, &mut there) {
            return;
        }
        if reads(&mut here).copies(1) != (wrong >= 3) {
            continue;
        }
        let payload = content(wrong, 1_000_000);
        let buffer = reads(&mut here).expose(1, &payload).unwrap();
        let (asked, len) = match wrong {
            3 => (buffer, usize::MAX),
            4 => (RemoteBuffer { address: 1 << 40, ..buffer }, payload.len()),
            5 => (RemoteBuffer { address: buffer.address + 1, ..buffer }, payload.len()),
            0 => {
                reads(&mut here).revoke(1, buffer, Revoke::AtOnce);
                (buffer, payload.len())
            }
            // Devices know whole pages in part, and soft-RoCE no less than bytes.
            1 => (buffer, payload.len() + 10_000),
            _ => (RemoteBuffer { key: buffer.key ^ 0x5500, ..buffer }, payload.len()),
        };
        if reads(&mut there).post_read(to(0), asked, len) {
            let ReadCompletion { peer, payload } = completed(&mut there);
            assert!(peer == 0 && payload.is_none(), "case {wrong}");
        }
    }
}

pub fn a_read_wakes<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !reads_each_other(&mut here, &mut there) {
        return;
    }
    let payload = content(1, 1 << 20);
    let buffer = reads(&mut here).expose(1, &payload).unwrap();
    assert!(reads(&mut there).post_read(to(0), buffer, payload.len()));
    // Without a poll before.
    let read = loop {
        there.wait(None);
        if let Some(read) = reads(&mut there).poll_read(DATA) {
            break read.payload;
        }
    };
    assert!(read.expect("it can be read").as_ref() == payload);
}

pub fn who_has_gone_is_not_read_from<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !reads_each_other(&mut here, &mut there) {
        return;
    }
    let buffer = reads(&mut here).expose(1, &[3; 100_000]).unwrap();
    drop(here);
    while there.peer_state(0) == PeerState::Connected {
        there.wait(None);
    }
    let copies = reads(&mut there).copies(0);
    if reads(&mut there).post_read(to(0), buffer, 100_000) {
        let payload = completed(&mut there).payload;
        assert_eq!(payload.is_some(), copies);
        assert!(payload.is_none_or(|payload| payload.as_ref() == [3; 100_000]));
    }
}

/// The payload may be changed as soon as it is exposed, a read is done at once, and what it brought
/// stays until it is revoked.
pub fn a_copy_that_is_exposed_is_read_at_once<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !reads_each_other(&mut here, &mut there) || !reads(&mut here).copies(1) {
        return;
    }
    assert!(reads(&mut there).copies(0), "both say the same");
    for round in 0..3 {
        let mut payload = content(round, 100_000);
        let expected = payload.clone();
        let buffers = [(); 3].map(|()| reads(&mut here).expose(1, &payload).unwrap());
        payload.fill(0);
        let mut found = buffers.map(|buffer| {
            assert!(reads(&mut there).post_read(to(0), buffer, expected.len()));
            assert!(!there.is_empty(DATA), "a read was not polled");
            reads(&mut there).poll_read(DATA).expect("it is done at once").payload
        });
        // The first comes back, and another is copied, while the others are read still.
        reads(&mut there).release(found[0].take().unwrap());
        reads(&mut here).revoke(1, buffers[0], Revoke::AfterRead);
        let other = reads(&mut here).expose(1, &payload).unwrap();
        for (payload, buffer) in found.into_iter().flatten().zip(&buffers[1..]) {
            assert!(payload.as_ref() == expected);
            assert_eq!(payload.as_ref().as_ptr().addr() % 8, 0);
            reads(&mut there).release(payload);
            reads(&mut here).revoke(1, *buffer, Revoke::AfterRead);
        }
        reads(&mut here).revoke(1, other, Revoke::AfterRead);
    }
}

/// A rank that has no room for another says so, and has it again when one was revoked.
pub fn copies_need_room<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !reads_each_other(&mut here, &mut there) || !reads(&mut here).copies(1) {
        return;
    }
    let payload = vec![1; 3 << 20];
    let full = std::iter::from_fn(|| reads(&mut here).expose(1, &payload)).take(1000);
    let buffers: Vec<RemoteBuffer> = full.collect();
    assert!((1..1000).contains(&buffers.len()));
    for &buffer in &buffers {
        assert!(reads(&mut there).post_read(to(0), buffer, payload.len()));
        assert!(taken(&mut there) == payload);
        reads(&mut here).revoke(1, buffer, Revoke::AfterRead);
        // Once more is not at all.
        reads(&mut here).revoke(1, buffer, Revoke::AfterRead);
        let again = reads(&mut here).expose(1, &payload).expect("there is room again");
        reads(&mut here).revoke(1, again, Revoke::AfterRead);
    }
    // Of one that may be read still, by a peer that is there, the room is not used again.
    let buffer = reads(&mut here).expose(1, &payload).unwrap();
    reads(&mut here).revoke(1, buffer, Revoke::AtOnce);
    let fewer = std::iter::from_fn(|| reads(&mut here).expose(1, &payload)).take(1000);
    assert_eq!(fewer.count(), buffers.len() - 1);
}
