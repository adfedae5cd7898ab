//! The verbs over a network that loses, repeats, delays and reorders, with the layer that repairs
//! that.
//!
//! There is no thread behind that layer: what a rank has lost is repaired in the calls of its peer.
//! Tests in which one thread speaks for all ranks, and calls one after the other, therefore run on
//! ranks that are [`Driven`]; those that sleep until something comes run also on ranks that are
//! not.

use std::thread;
use std::time::Duration;

use runahead::internals::provider::fault::{Fault, FaultCounts, FaultPlan};
use runahead::internals::provider::reliable::{Header, Kind, Reliable, Timeouts, beneath};
use runahead::internals::provider::threads::{ThreadsNic, connect};
use runahead::internals::verbs::{
    Cq, Nic, PeerState, PostError, Reliability, VerbsError, Vi, ViSpec,
};

use crate::driven::{Driven, drive};
use crate::fabric::*;
use crate::stream::{Violation, by_turns, in_parallel};
use crate::wake;

type Lossy = Fault<ThreadsNic>;

/// Losses of one message in fifty, and as many that come twice; all late, so that they overtake one
/// another.
fn plan(seed: u64, queues: usize) -> FaultPlan {
    FaultPlan {
        seed,
        lossy: (0..=queues as u8).map(Cq).collect(),
        drop_per_mille: 20,
        duplicate_per_mille: 20,
        max_delay_ticks: 9,
        ..FaultPlan::default()
    }
}

/// A peer that does not answer for ten seconds is lost.
const TIMEOUTS: Timeouts = Timeouts {
    first_timeout: Duration::from_millis(1),
    longest_timeout: Duration::from_millis(10),
    ack_delay: Duration::from_micros(100),
    tries: 1000,
};

/// Ranks over a network that loses by a plan.
fn repaired(size: usize, queues: &[ViSpec], plan: &FaultPlan) -> Vec<Reliable<Lossy>> {
    let spec = layout(queues);
    let nics = connect(size, &beneath(&spec)).unwrap().into_iter();
    // About to wrap around.
    let first = u64::from(u32::MAX) - 20;
    let wrap = |nic| {
        Reliable::numbered_from(Fault::new(nic, plan.clone()), &spec, TIMEOUTS, first).unwrap()
    };
    nics.map(wrap).collect()
}

/// Ranks that call by themselves only.
pub struct Bare;

impl Provider for Bare {
    type Nic = Reliable<Lossy>;
    const AT_ONCE: bool = false;
    const QUEUES: bool = true;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        repaired(size, queues, &plan(3, queues.len()))
    }
}

/// Ranks that are driven besides.
pub struct Repaired;

impl Provider for Repaired {
    type Nic = Driven<Reliable<Lossy>>;
    const AT_ONCE: bool = false;
    const QUEUES: bool = true;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        // That there is no descriptor is true if it is after a while.
        let after = Some(Duration::from_secs(1));
        drive(repaired(size, queues, &plan(7, queues.len())), Reliable::progress, after)
    }
}

/// Nobody drives: whoever sleeps wakes for what comes, and for its own deadlines.
// SEMANTICS: NET-1
#[test]
fn no_wake_up_is_lost_by_ranks_that_are_not_driven() {
    wake::no_wake_up_is_lost_in_a_ping_pong(&Bare);
    wake::no_wake_up_is_lost_from_several_peers(&Bare);
    wake::a_put_wakes(&Bare);
    wake::the_departure_of_a_peer_wakes(&Bare);
}

fn losses(nics: &[Reliable<Lossy>]) -> [u64; 3] {
    let counts = nics.iter().map(|nic| nic.inner().counts());
    counts.fold([0; 3], |sum, FaultCounts { dropped, duplicated, delayed, .. }| {
        [sum[0] + dropped, sum[1] + duplicated, sum[2] + delayed]
    })
}

/// Far worse networks, and what was lost on them.
// SEMANTICS: NET-1
#[test]
fn what_a_bad_network_loses_is_repaired() {
    for seed in 0..6 {
        let plan = FaultPlan {
            drop_per_mille: [100, 300, 0][seed as usize % 3],
            duplicate_per_mille: [100, 0, 300][seed as usize % 3],
            max_delay_ticks: 40,
            ..plan(seed, 2)
        };
        let window = [1, 8][seed as usize % 2];
        let mut nics = repaired(3, &[reliable(window); 2], &plan);
        open_all(&mut nics, &[reliable(window); 2]);
        let [mut here, mut there, _other] = <[_; 3]>::try_from(nics).ok().unwrap();
        let (mut sent, mut received) = (0u64, 0u64);
        while received < 300 {
            if sent < 300 && there.post_send(to(0), &sent.to_le_bytes(), &[7; 90]).is_ok() {
                sent += 1;
            }
            there.progress();
            if let Some(arrived) = here.poll_recv(DATA).unwrap() {
                let bytes = here.bytes(&arrived.frame);
                assert_eq!(bytes, [&received.to_le_bytes()[..], &[7; 90]].concat());
                here.post_recv(to(1), arrived.frame);
                received += 1;
            }
        }
        let [dropped, duplicated, delayed] = losses(&[here, there]);
        assert!(plan.drop_per_mille == 0 || dropped > 20, "{dropped} were lost");
        assert!(plan.duplicate_per_mille == 0 || duplicated > 20, "{duplicated} came twice");
        assert!(delayed > 100, "{delayed} were late");
    }
}

/// Without the layer the same network breaks the stream; with it, it does not.
#[test]
fn the_stream_needs_the_layer() {
    let lossy = || {
        let nics = Threads.connect(3, &[reliable(16); 2]).into_iter();
        let mut nics: Vec<_> = nics.map(|nic| Fault::new(nic, plan(1, 2))).collect();
        open_all(&mut nics, &[reliable(16); 2]);
        nics
    };
    let broken = by_turns(lossy(), 8, 150);
    assert!(matches!(broken, Err(Violation::OutOfOrder { .. } | Violation::Stalled)), "{broken:?}");
    let nics = || <[_; 3]>::into_iter(ranks(&Repaired, 8)).collect();
    assert_eq!(by_turns(nics(), 8, 150), Ok(()));
    assert_eq!(in_parallel(nics(), 8, 150), Ok(()));
}

/// Who leaves stays until all that it has sent has come, though all of it is lost at first.
// SEMANTICS: NET-2
#[test]
fn who_leaves_stays_until_all_has_come() {
    for seed in 0..10 {
        let plan = FaultPlan { drop_per_mille: 600, ..plan(seed, 2) };
        let mut nics = repaired(2, &[reliable(8); 2], &plan);
        open_all(&mut nics, &[reliable(8); 2]);
        let [mut here, mut there] = <[_; 2]>::try_from(nics).ok().unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                (0..8).for_each(|number| there.post_send(to(0), &[number], &[]).unwrap());
                drop(there);
            });
            while here.peer_state(1) == PeerState::Connected {
                here.wait(None);
            }
        });
        for number in 0..8 {
            let arrived = here.poll_recv(DATA).unwrap().expect("all that it has sent");
            assert_eq!(here.bytes(&arrived.frame), [number]);
            here.post_recv(to(1), arrived.frame);
        }
    }
}

/// A peer that never answers is lost, and who waits for it hears of that.
// SEMANTICS: NET-1
#[test]
fn a_peer_that_never_answers_is_lost() {
    let timeouts = Timeouts { tries: 5, ..TIMEOUTS };
    let spec = layout(&[reliable(2); 2]);
    for has_sent in [true, false] {
        let nics = connect(2, &beneath(&spec)).unwrap().into_iter();
        let mut nics = nics.map(|nic| Reliable::new(nic, &spec, timeouts).unwrap());
        let (mut here, mute) = (nics.next().unwrap(), nics.next().unwrap());
        here.open_vi(to(1), &reliable(2)).unwrap();
        if has_sent {
            here.post_send(to(1), &[1], &[]).unwrap();
        }
        // Else it finds out after a second of silence.
        while here.peer_state(1) == PeerState::Connected {
            here.wait(None);
        }
        assert_eq!(here.post_send(to(1), &[1], &[]), Err(PostError::PeerGone(to(1))));
        drop(here);
        drop(mute);
    }
}

/// What a peer of the layer cannot have sent breaks the connection to it, whatever it is, and is
/// told.
// SEMANTICS: SAFE-1
#[test]
fn frames_that_no_peer_can_have_sent_break_the_connection() {
    let spec = layout(&[reliable(2); 2]);
    let beneath = beneath(&spec);
    let data = Header { kind: Kind::Data, number: 0, ack: 0, room: 2 };
    let frames: [(u8, Vec<u8>); 8] = [
        (0, vec![]),
        (0, vec![1; 15]),
        (0, vec![9; 16]),
        (0, Header { number: 2, ..data }.encode().to_vec()),
        (0, Header { ack: 1, room: 3, ..data }.encode().to_vec()),
        (0, Header { room: 3, ..data }.encode().to_vec()),
        // Longer than the descriptor of its VI, and not than those beneath.
        (0, [&data.encode()[..], &[0; 101]].concat()),
        // A message on the side queue, where none goes.
        (2, Header { room: 1, ..data }.encode().to_vec()),
    ];
    for (cq, frame) in frames {
        let mut nics = connect(2, &beneath).unwrap().into_iter();
        let mut here = Reliable::new(nics.next().unwrap(), &spec, TIMEOUTS).unwrap();
        here.open_vi(to(1), &ViSpec { descriptor_bytes: 100, ..reliable(2) }).unwrap();
        let mut liar: ThreadsNic = nics.next().unwrap();
        let queue = &beneath.queues[usize::from(cq)];
        let vi = Vi { peer: 0, cq: Cq(cq) };
        let open = ViSpec {
            recv_descriptors: queue.recv_descriptors,
            descriptor_bytes: queue.descriptor_bytes,
            reliability: Reliability::Unreliable,
        };
        liar.open_vi(vi, &open).unwrap();
        liar.post_send(vi, &frame, &[]).unwrap();
        let told = (0..LOOKS).find_map(|_| here.poll_recv(DATA).err()).expect("it is told");
        assert!(matches!(told, VerbsError::Corrupted { peer: 1, .. }), "{told:?}");
        assert_eq!(here.peer_state(1), PeerState::Gone);
    }
}

/// A rank whose window is full looks for what opens it, and finds the last word of its peer. It posts no more then, so it
/// owes nothing, and may leave. (The fuzzer found it staying for ever.)
// SEMANTICS: NET-2, SAFE-1
#[test]
fn a_post_that_finds_the_peer_gone_owes_nothing() {
    let spec = layout(&[reliable(2); 2]);
    let beneath = beneath(&spec);
    let farewell = Header { kind: Kind::Farewell, number: 0, ack: 0, room: 2 };
    for last in [farewell.encode().to_vec(), vec![9; 16]] {
        let mut nics = connect(2, &beneath).unwrap().into_iter();
        let mut here = Reliable::new(nics.next().unwrap(), &spec, TIMEOUTS).unwrap();
        here.open_vi(to(1), &reliable(2)).unwrap();
        let mut mute: ThreadsNic = nics.next().unwrap();
        let open = ViSpec {
            recv_descriptors: beneath.queues[0].recv_descriptors,
            descriptor_bytes: beneath.queues[0].descriptor_bytes,
            reliability: Reliability::Unreliable,
        };
        mute.open_vi(to(0), &open).unwrap();
        // What the peer has room for, and what waits for that.
        (0..4).for_each(|number| here.post_send(to(1), &[number], &[]).unwrap());
        assert_eq!(here.post_send(to(1), &[3], &[]), Err(PostError::QueueFull(to(1))));
        mute.post_send(to(0), &last, &[]).unwrap();
        assert_eq!(here.post_send(to(1), &[3], &[]), Err(PostError::PeerGone(to(1))));
        assert_eq!(here.peer_state(1), PeerState::Gone);
        drop(here);
    }
}

/// What stands in front of a message does not shift it from whole words.
#[test]
fn a_message_starts_at_a_whole_word() {
    let spec = layout(&[reliable(2)]);
    let nics = connect(2, &beneath(&spec)).unwrap().into_iter();
    let mut nics: Vec<_> = nics.map(|nic| Reliable::new(nic, &spec, TIMEOUTS).unwrap()).collect();
    open_all(&mut nics, &[reliable(2)]);
    nics[0].post_send(to(1), &[1; 24], &[2; 40]).unwrap();
    let arrived = next(&mut nics[1], DATA);
    let bytes = nics[1].bytes(&arrived.frame);
    assert_eq!(
        (bytes, bytes.as_ptr().addr() % 8),
        (&[[1; 24].as_slice(), &[2; 40]].concat()[..], 0)
    );
}
