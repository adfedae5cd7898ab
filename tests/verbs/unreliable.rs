//! The unreliable transports of RDMA: bare, as far as they can be believed, and under the layer
//! that repairs what they lose. All of it needs a device, as `ib` does; most of it is meant for a
//! network that loses, which the guest of tests/rdma makes. Of datagrams the suite needs packets of
//! 4096 bytes.

#[cfg(planted)]
mod faults;

use std::thread;
use std::time::Duration;

use runahead::internals::provider::Transport;
use runahead::internals::provider::ib::{self, IbNic};
use runahead::internals::provider::reliable::{Reliable, Timeouts, beneath};
use runahead::internals::verbs::{Nic, PeerState, Reliability, ViSpec};

use crate::driven::{Driven, drive};
use crate::fabric::*;
use crate::ib::settings;
use crate::stream::{Violation, by_turns, in_parallel};

const BOTH: [Transport; 2] = [Transport::Uc, Transport::Ud];

/// Has the layer repeat nothing: then the suite must fail where something is lost.
const NEVER_REPEAT: &str = "RUNAHEAD_TEST_NEVER_REPEAT";

fn timeouts() -> Timeouts {
    let mut timeouts = Timeouts { tries: u32::MAX, ..Timeouts::default() };
    if std::env::var_os(NEVER_REPEAT).is_some() {
        let hour = Duration::from_secs(3600);
        (timeouts.first_timeout, timeouts.longest_timeout) = (hour, hour);
    }
    timeouts
}

fn bare(transport: Transport, size: usize, queues: &[ViSpec]) -> Vec<IbNic> {
    match ib::connect(&settings().with_transport(transport), size, &layout(queues)) {
        Ok(nics) => nics,
        Err(error) => panic!("{error}"),
    }
}

fn repaired(transport: Transport, size: usize, queues: &[ViSpec]) -> Vec<Reliable<IbNic>> {
    let spec = layout(queues);
    match ib::connect(&settings().with_transport(transport), size, &beneath(&spec)) {
        Ok(nics) => {
            nics.into_iter().map(|nic| Reliable::new(nic, &spec, timeouts()).unwrap()).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

/// Ranks that are driven besides, as what was lost is repaired in calls.
pub struct Unreliable(pub Transport);

impl Provider for Unreliable {
    type Nic = Driven<Reliable<IbNic>>;
    const AT_ONCE: bool = false;
    const QUEUES: bool = true;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let after = Some(Duration::from_secs(1));
        drive(repaired(self.0, size, queues), Reliable::progress, after)
    }
}

/// What comes until nothing comes any more.
fn all_that_comes(nic: &mut IbNic) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for look in 0..5000 {
        pause(look);
        while let Some(arrived) = nic.poll_recv(DATA).unwrap() {
            all.push(nic.bytes(&arrived.frame).to_vec());
            nic.post_recv(to(arrived.peer), arrived.frame);
        }
    }
    all
}

/// Short ones, longer ones than go in a request, and for connected queue pairs such as need several
/// packets.
fn message(transport: Transport, number: u8) -> Vec<u8> {
    let longest = if transport == Transport::Uc { MAX_BYTES } else { 900 };
    vec![number; [1, 64, 300, longest][usize::from(number % 4)]]
}

/// A sender does not count: what meets no receive is lost, which the VI says beforehand. (No rule:
/// VIA's lowest level.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names, and a network that loses nothing"]
fn what_meets_no_receive_is_lost_and_nothing_else() {
    for transport in BOTH {
        let queue = ViSpec { descriptor_bytes: message(transport, 3).len(), ..reliable(4) };
        let mut nics = bare(transport, 2, &[queue]);
        for (rank, nic) in nics.iter_mut().enumerate() {
            assert_eq!(nic.open_vi(to(1 - rank), &queue), Ok(Reliability::Unreliable));
        }
        let [mut here, mut there] = <[IbNic; 2]>::try_from(nics).ok().unwrap();
        // Sends wait for the device only; four of them fit, or more.
        for number in 0..4 {
            here.post_send(to(1), &message(transport, number), &[]).unwrap();
        }
        thread::sleep(Duration::from_millis(200));
        for number in 4..8 {
            while here.post_send(to(1), &message(transport, number), &[]).is_err() {
                here.wait(Some(Duration::from_millis(1)));
            }
        }
        thread::sleep(Duration::from_millis(200));
        let sent =
            |numbers: std::ops::Range<u8>| numbers.map(|it| message(transport, it)).collect();
        let expected: Vec<_> = sent(0..4);
        assert_eq!(all_that_comes(&mut there), expected, "{transport:?}");
        // The receives were posted again.
        for number in 8..12 {
            here.post_send(to(1), &message(transport, number), &[]).unwrap();
        }
        let expected: Vec<_> = sent(8..12);
        assert_eq!(all_that_comes(&mut there), expected, "{transport:?}");
        assert_eq!((here.peer_state(1), here.loss(1)), (PeerState::Connected, None));
    }
}

/// No datagram is longer than a packet, and packets have 4096 bytes at most.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_datagram_longer_than_a_packet_is_refused() {
    let queues = [ViSpec { descriptor_bytes: 4097, ..reliable(1) }];
    let refused = |settings| ib::connect(&settings, 2, &layout(&queues)).err();
    let error = refused(settings().with_transport(Transport::Ud)).expect("it is refused");
    assert!(error.to_string().contains("that of a packet"), "{error}");
    assert_eq!(refused(settings().with_transport(Transport::Uc)), None);
    // Below the layer messages are as long as they may be.
    let nics = ib::connect_repaired(&settings().with_transport(Transport::Ud), 2, &layout(&queues));
    let most = nics.unwrap()[0].attributes().max_message_bytes;
    assert!([240, 496, 1008, 2032, 4080].contains(&most), "{most}");
}

/// Without the layer such a network breaks the stream; with it, it does not.
/// (What the rule NET-1 of SEMANTICS.md says, on this network.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names, and a network that loses"]
fn the_stream_needs_the_layer() {
    for transport in BOTH {
        let mut nics = bare(transport, 3, &[reliable(16); 2]);
        open_all(&mut nics, &[reliable(16); 2]);
        let broken = by_turns(nics, 8, 300);
        assert!(
            matches!(broken, Err(Violation::OutOfOrder { .. } | Violation::Stalled)),
            "{broken:?}"
        );
        let nics = || <[_; 3]>::into_iter(ranks(&Unreliable(transport), 8)).collect();
        assert_eq!(by_turns(nics(), 8, 300), Ok(()));
        assert_eq!(in_parallel(nics(), 8, 300), Ok(()));
    }
}

/// Who leaves stays until all that it has sent has come.
/// (What the rule NET-2 of SEMANTICS.md says, on this network.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names, and a network that loses"]
fn who_leaves_stays_until_all_has_come() {
    for transport in BOTH {
        for round in 0..5 {
            let mut nics = repaired(transport, 2, &[reliable(8); 2]);
            open_all(&mut nics, &[reliable(8); 2]);
            let [mut here, mut there] = <[_; 2]>::try_from(nics).ok().unwrap();
            thread::scope(|scope| {
                scope.spawn(move || {
                    for number in 0..8 {
                        there.post_send(to(0), &[number, round], &[number; 900]).unwrap();
                    }
                    drop(there);
                });
                while here.peer_state(1) == PeerState::Connected {
                    here.wait(None);
                }
            });
            for number in 0..8 {
                let arrived = here.poll_recv(DATA).unwrap().expect("all that it has sent");
                let sent = [&[number, round][..], &[number; 900]].concat();
                assert_eq!(here.bytes(&arrived.frame), sent);
                here.post_recv(to(1), arrived.frame);
            }
        }
    }
}
