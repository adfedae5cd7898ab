//! Payloads that the peer reads: `lend`, `take_back`, `post_pull` and `poll_pull`. A network that has nothing of the kind
//! must refuse all of it, and says so to each peer.

use runahead::verbs::{Lent, LoanEnd, Nic, PeerState, Pulled};

use crate::fabric::*;

fn content(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 253 + seed * 7) as u8).collect()
}

/// Whether the two lend each other payloads. If not, nothing of it does anything.
fn lends<N: Nic>(here: &mut N, there: &mut N) -> bool {
    let from = here.pull_from_bytes(there.rank());
    assert_eq!(from, there.pull_from_bytes(here.rank()), "both say the same");
    assert_eq!(here.pull_from_bytes(here.rank()), None, "nobody lends to itself");
    assert_eq!(here.pull_from_bytes(here.size()), None, "nor to nobody");
    if from.is_none() {
        let peer = there.rank();
        assert_eq!(here.lend(peer, &[1; 1000]), None);
        assert!(!here.post_pull(to(peer), Lent { address: 0, key: 0 }, 1000));
        assert!(here.poll_pull(DATA).is_none());
    }
    from.is_some()
}

/// Waits, sleeping, for the next pull.
pub fn pulled<N: Nic>(nic: &mut N) -> Pulled<N::Frame> {
    loop {
        if let Some(pulled) = nic.poll_pull(DATA) {
            return pulled;
        }
        nic.wait(None);
    }
}

/// The payload that is there, whose room is given back.
fn taken<N: Nic>(nic: &mut N) -> Vec<u8> {
    let frame = pulled(nic).frame.expect("it can be read");
    let payload = nic.bytes(&frame).to_vec();
    nic.free_pulled(frame);
    payload
}

pub fn a_payload_is_read_where_it_lies<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !lends(&mut here, &mut there) {
        return;
    }
    // Longer ones than a device reads at once, and rooms that were used before.
    for (round, len) in
        [8, 100, 4096, 3 << 20, 70_001, 5 << 20, (128 << 10) + 3, 17].into_iter().enumerate()
    {
        let payload = content(round, len);
        let lent = here.lend(1, &payload).expect("there is room for one");
        assert!(there.post_pull(to(0), lent, len));
        assert!(!there.is_empty(DATA), "a pull is under way");
        assert_eq!(taken(&mut there), payload);
        here.take_back(1, lent, LoanEnd::Returned);
    }
    // A part of it, and two rooms at a time.
    let payload = content(9, 200_000);
    let lent = here.lend(1, &payload).unwrap();
    let frames = [100_000, 200_000].map(|len| {
        assert!(there.post_pull(to(0), lent, len));
        let frame = pulled(&mut there).frame.unwrap();
        assert_eq!(there.bytes(&frame), &payload[..len]);
        frame
    });
    here.take_back(1, lent, LoanEnd::Returned);
    assert_eq!(there.bytes(&frames[0]), &payload[..100_000]);
    frames.into_iter().for_each(|frame| there.free_pulled(frame));
    assert!(there.poll_pull(DATA).is_none());
}

pub fn payloads_are_read_in_both_directions_at_once<P: Provider>(provider: &P) {
    let [mut first, mut second, mut third] = ranks::<_, 3>(provider, 1);
    if !lends(&mut first, &mut second) || !lends(&mut second, &mut third) {
        return;
    }
    let payloads = [0, 1, 2].map(|rank| content(rank, 2_000_000 + rank));
    for _ in 0..3 {
        let nics = [&mut first, &mut second, &mut third];
        let mut lent = Vec::new();
        for from in 0..3 {
            for by in (0..3).filter(|&by| by != from) {
                if nics[from].pull_from_bytes(by).is_some() {
                    lent.push((from, by, nics[from].lend(by, &payloads[from]).unwrap()));
                }
            }
        }
        for &(from, by, lent) in &lent {
            assert!(nics[by].post_pull(to(from), lent, payloads[from].len()));
        }
        for &(_, by, _) in &lent {
            let Pulled { peer, frame } = pulled(nics[by]);
            let why = || nics[by].why_gone(peer);
            let frame = frame.unwrap_or_else(|| panic!("of rank {peer} by rank {by}: {:?}", why()));
            assert!(nics[by].bytes(&frame) == payloads[peer], "of rank {peer} by rank {by}");
            nics[by].free_pulled(frame);
        }
        for (from, by, lent) in lent {
            nics[from].take_back(by, lent, LoanEnd::Returned);
        }
    }
}

/// Neither what was taken back, nor more than was lent, nor under another key. (Each time the peer may be lost by that,
/// so each has ranks of its own. They are so long that no network copies them, to memory that has more room.)
pub fn what_is_not_lent_is_not_read<P: Provider>(provider: &P) {
    for wrong in 0..3 {
        let [mut here, mut there] = ranks(provider, 1);
        if !lends(&mut here, &mut there) {
            return;
        }
        let payload = content(wrong, 1_000_000);
        let lent = here.lend(1, &payload).unwrap();
        let (asked, len) = match wrong {
            0 => {
                here.take_back(1, lent, LoanEnd::Revoked);
                (lent, payload.len())
            }
            // Devices know whole pages in part, and soft-RoCE no less than bytes.
            1 => (lent, payload.len() + 10_000),
            _ => (Lent { key: lent.key ^ 0x5500, ..lent }, payload.len()),
        };
        if there.post_pull(to(0), asked, len) {
            let Pulled { peer, frame } = pulled(&mut there);
            assert!(peer == 0 && frame.is_none(), "case {wrong}");
        }
    }
}

pub fn a_pull_wakes<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !lends(&mut here, &mut there) {
        return;
    }
    let payload = content(1, 1 << 20);
    let lent = here.lend(1, &payload).unwrap();
    assert!(there.post_pull(to(0), lent, payload.len()));
    // Without a poll before.
    let frame = loop {
        there.wait(None);
        if let Some(pulled) = there.poll_pull(DATA) {
            break pulled.frame;
        }
    };
    assert!(there.bytes(&frame.expect("it can be read")) == payload);
}

pub fn who_has_gone_is_not_read_from<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    if !lends(&mut here, &mut there) {
        return;
    }
    let lent = here.lend(1, &[3; 100_000]).unwrap();
    drop(here);
    while there.peer_state(0) == PeerState::Connected {
        there.wait(None);
    }
    if there.post_pull(to(0), lent, 100_000) {
        assert!(pulled(&mut there).frame.is_none());
    }
}
