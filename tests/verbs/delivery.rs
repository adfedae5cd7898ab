//! What is sent arrives: once, in order, as it was.

use runahead::internals::verbs::Nic;
use runahead_testkit::effort::bound;

use crate::fabric::*;
use crate::stream::{by_turns, in_parallel};

const WINDOWS: [u32; 2] = [1, 64];

fn fabric<P: Provider>(provider: &P, size: usize, window: u32) -> Vec<P::Nic> {
    let queues = [reliable(window); 2];
    let mut nics = provider.connect(size, &queues);
    open_all(&mut nics, &queues);
    nics
}

pub fn messages_arrive_once_and_in_order<P: Provider>(provider: &P) {
    // In the short setting of the guest to connect them takes longer than all else.
    let some: &[usize] = &[1, 2, 3, 8];
    let all: &[usize] = if cfg!(guest_short) { some } else { &[1, 2, 3, 4, 5, 6, 7, 8] };
    for window in WINDOWS {
        for &size in bound([some, all, all]) {
            let streamed = by_turns(fabric(provider, size, window), window, 150);
            assert_eq!(streamed, Ok(()), "{size} ranks, window {window}");
        }
    }
}

pub fn messages_arrive_once_and_in_order_between_threads<P: Provider>(provider: &P) {
    for window in WINDOWS {
        for size in [2, 3, 8] {
            let streamed = in_parallel(fabric(provider, size, window), window, 150);
            assert_eq!(streamed, Ok(()), "{size} ranks, window {window}");
        }
    }
}

pub fn bytes_arrive_as_sent<P: Provider>(provider: &P) {
    let [mut here, mut there] = ranks(provider, 1);
    for len in [0, 1, 7, 8, 24, 63, 64, 65, MAX_BYTES - 1, MAX_BYTES] {
        let sent: Vec<u8> = (0..len).map(|at| (at * 31 + len) as u8).collect();
        for header_len in [0, len.min(24), len] {
            let (header, payload) = sent.split_at(header_len);
            here.post_send(to(1), header, payload).unwrap();
            let arrived = next(&mut there, DATA);
            let bytes = there.bytes(&arrived.frame);
            assert_eq!((arrived.peer, bytes), (0, &sent[..]));
            assert_eq!(bytes.as_ptr().addr() % 8, 0, "{len} bytes start at a whole word");
            there.post_recv(to(0), arrived.frame);
        }
    }
}

pub fn a_message_waits_for_the_peer_to_open_its_end<P: Provider>(provider: &P) {
    let mut nics = provider.connect(2, &[reliable(3)]);
    nics[0].open_vi(to(1), &reliable(3)).unwrap();
    for number in 0..3 {
        nics[0].post_send(to(1), &[number], &[]).unwrap();
    }
    nics[1].open_vi(to(0), &reliable(3)).unwrap();
    for number in 0..3 {
        assert_eq!(receive(&mut nics[1]), (0, vec![number]));
    }
    nics[0].post_send(to(1), &[3], &[]).unwrap();
    assert_eq!(receive(&mut nics[1]), (0, vec![3]));
}
