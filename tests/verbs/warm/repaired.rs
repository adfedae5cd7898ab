//! The layer that repairs, over a network that loses every seventh frame, and keeps others back
//! until many come at once: however many acknowledgements, repetitions and messages that is,
//! nothing is allocated.
//!
//! All that is due is due at once, so that the course of events hardly depends on the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use runahead::internals::provider::reliable::{Reliable, Timeouts, beneath};
use runahead::internals::provider::threads::{FabricSpec, QueueSpec, ThreadsNic, connect};
use runahead::internals::verbs::{Completion, Cq, Nic, VerbsError, Vi};

use super::{DESCRIPTORS, QUEUE, opened_with};
use crate::counting::allocations;

const LONGEST: usize = 900;

struct Bad {
    inner: ThreadsNic,
    /// Whether frames may come. One thread uses it.
    is_open: Arc<AtomicBool>,
    arrived: u64,
}

impl Nic for Bad {
    type Frame = <ThreadsNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    forward!(attributes, open_vi, post_send, bytes, post_recv, wait_unless, wake, peer_state);

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        while self.is_open.load(Ordering::Relaxed) {
            let Some(arrived) = self.inner.poll_recv(cq)? else { break };
            self.arrived += 1;
            if !self.arrived.is_multiple_of(7) {
                return Ok(Some(arrived));
            }
            self.inner.post_recv(Vi { peer: arrived.peer, cq }, arrived.frame);
        }
        Ok(None)
    }
}

struct Pair {
    nics: [Reliable<Bad>; 2],
    gates: [Arc<AtomicBool>; 2],
    /// How many messages each has sent.
    sent: [u64; 2],
}

impl Pair {
    fn new() -> Pair {
        let queue = QueueSpec { recv_descriptors: DESCRIPTORS, descriptor_bytes: LONGEST };
        let spec = FabricSpec { queues: vec![queue], shared_words: 0, heap_bytes: 0 };
        let timeouts = Timeouts {
            first_timeout: Duration::from_nanos(1),
            longest_timeout: Duration::from_nanos(1),
            ack_delay: Duration::ZERO,
            tries: u32::MAX,
        };
        let gates = [(); 2].map(|()| Arc::new(AtomicBool::new(true)));
        let inner = connect(2, &beneath(&spec)).unwrap().into_iter().zip(&gates);
        let wrap = |(inner, gate): (_, &Arc<_>)| {
            let bad = Bad { inner, is_open: Arc::clone(gate), arrived: 0 };
            Reliable::new(bad, &spec, timeouts).unwrap()
        };
        let nics = opened_with(inner.map(wrap).collect(), LONGEST);
        Pair { nics, gates, sent: [0; 2] }
    }

    /// As many messages as may be under way, from one to the other. If it is `rough`, first the
    /// messages are kept back, with their repetitions, and then what is said of them.
    fn volley(&mut self, from: usize, len: usize, rough: bool) {
        let to = 1 - from;
        let payload = [7; LONGEST];
        let first = self.sent[from];
        self.gates[to].store(!rough, Ordering::Relaxed);
        while self.sent[from] < first + u64::from(DESCRIPTORS) {
            let header = self.sent[from].to_le_bytes();
            let posted =
                self.nics[from].post_send(Vi { peer: to, cq: QUEUE }, &header, &payload[8..len]);
            self.sent[from] += u64::from(posted.is_ok());
            if !rough {
                self.nics.iter_mut().for_each(Reliable::progress);
            }
        }
        if rough {
            (0..40).for_each(|_| self.nics[from].progress());
            self.gates[from].store(false, Ordering::Relaxed);
            self.gates[to].store(true, Ordering::Relaxed);
            (0..40).for_each(|_| self.nics.iter_mut().for_each(Reliable::progress));
            self.gates[from].store(true, Ordering::Relaxed);
        }
        let mut next = first;
        while next < self.sent[from] {
            self.nics[from].progress();
            let there = &mut self.nics[to];
            let Some(Completion { peer, frame }) = there.poll_recv(QUEUE).unwrap() else {
                continue;
            };
            let bytes = there.bytes(&frame);
            assert_eq!((bytes.len(), &bytes[..8]), (len, &next.to_le_bytes()[..]));
            there.post_recv(Vi { peer, cq: QUEUE }, frame);
            next += 1;
        }
        // Both hear what is said of the last messages.
        (0..40).for_each(|_| self.nics.iter_mut().for_each(Reliable::progress));
    }
}

// (Planted: a list of lines that have something to send in which each frame that comes puts its
// line.)
// SEMANTICS: NET-1
#[test]
fn what_repairs_a_network_allocates_nothing_once_warm() {
    let mut pair = Pair::new();
    let cold = allocations(|| pair.volley(0, 40, false));
    assert!(cold > 0, "what waits to be acknowledged is copied");
    // A place of what is copied is used by one message in so many.
    for _ in 0..3 {
        (0..2).for_each(|from| pair.volley(from, 40, false));
    }
    for round in 0..30 {
        // The network beneath takes no memory for such short ones.
        let count = allocations(|| pair.volley(round % 2, 40, true));
        assert_eq!(count, 0, "volley {round}");
    }
    (0..2).for_each(|from| pair.volley(from, LONGEST, true));
    for round in 0..30 {
        for len in [24, 256, LONGEST] {
            let count = allocations(|| pair.volley(round % 2, len, round % 3 > 0));
            assert_eq!(count, 0, "volley {round}, {len} bytes");
        }
    }
    // Each stays until the other has acknowledged all.
    let [here, there] = pair.nics;
    thread::scope(|scope| {
        scope.spawn(move || drop(here));
        drop(there);
    });
}
