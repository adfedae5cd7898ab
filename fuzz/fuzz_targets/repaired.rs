//! Two ranks of the layer that repairs, over a network that does what the input says: it loses frames, brings them
//! twice, late and in any order; and somebody puts any bytes between them, as if the other had sent them. As long as
//! nobody does that, messages come as they were sent, once and in order, and once the network
//! has healed all is there. Whatever comes, no more is kept than there are descriptors, nobody asks for much memory, and
//! what is impossible is told by an error that names the peer, which then counts as gone.
//!
//! SEMANTICS: NET-1, SAFE-1
#![no_main]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::internals::provider::reliable::{
    Header, Kind, Reliable, ReliableFrame, Timeouts, beneath,
};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, VerbsError, Vi, ViSpec,
    WakeOn,
};

#[path = "../shared/memory.rs"]
mod memory;

#[global_allocator]
static MEMORY: memory::Watched = memory::Watched;

/// Of the ranks' messages; the side queue has one more.
const QUEUES: usize = 2;
const LONGEST: usize = 40;
/// Frames under way to one rank on one queue; what is sent beyond is lost.
const UNDER_WAY: usize = 64;
/// What nobody needs at once, in bytes.
const MUCH: usize = 64 << 10;

/// All that is due is due at once.
const TIMEOUTS: Timeouts = Timeouts {
    first_timeout: Duration::from_nanos(1),
    longest_timeout: Duration::from_nanos(1),
    ack_delay: Duration::ZERO,
    tries: u32::MAX,
};

#[derive(Arbitrary, Debug)]
enum Step {
    Send {
        end: bool,
        queue: bool,
        len: u8,
    },
    Take {
        end: bool,
        queue: bool,
    },
    Return {
        end: bool,
        which: u8,
    },
    Progress {
        end: bool,
    },
    Wait {
        end: bool,
    },
    /// Opens the second queue.
    Open {
        end: bool,
    },
    Deliver {
        to: bool,
        queue: u8,
        which: u8,
    },
    /// All of them, in order.
    DeliverAll {
        to: bool,
    },
    Repeat {
        to: bool,
        queue: u8,
        which: u8,
    },
    Lose {
        to: bool,
        queue: u8,
        which: u8,
    },
    /// Any bytes, as if they were the other's.
    Inject {
        to: bool,
        queue: u8,
        bytes: Vec<u8>,
    },
    /// A frame that is nearly possible, with anything behind it.
    Forge {
        to: bool,
        queue: u8,
        kind: u8,
        number: u8,
        ack: u8,
        room: u8,
        behind: Vec<u8>,
    },
    /// A frame under way, with one byte changed.
    Damage {
        to: bool,
        queue: u8,
        which: u8,
        at: u8,
        by: u8,
    },
}

#[derive(Arbitrary, Debug)]
struct Input {
    /// Nobody puts anything between the two.
    honest: bool,
    window: u8,
    first: u8,
    steps: Vec<Step>,
}

/// One way of one queue.
#[derive(Default)]
struct Way {
    under_way: VecDeque<Vec<u8>>,
    come: VecDeque<Vec<u8>>,
    /// How many lie with the receiver, and how many may.
    held: usize,
    descriptors: usize,
}

struct Air {
    /// By receiver, then by queue.
    ways: [Vec<Way>; 2],
    has_ended: bool,
}

impl Air {
    fn deliver(&mut self, to: usize, queue: usize, frame: Vec<u8>) {
        let way = &mut self.ways[to][queue];
        // One that meets no descriptor is lost.
        if way.held + way.come.len() < way.descriptors {
            way.come.push_back(frame);
        }
    }

    fn deliver_all(&mut self, to: usize) {
        for queue in 0..=QUEUES {
            while let Some(frame) = self.ways[to][queue].under_way.pop_front() {
                self.deliver(to, queue, frame);
            }
        }
    }
}

struct Net {
    attributes: NicAttributes,
    air: Arc<Mutex<Air>>,
}

impl Net {
    fn air(&self) -> MutexGuard<'_, Air> {
        self.air.lock().unwrap()
    }
}

impl Nic for Net {
    type Frame = Vec<u8>;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        assert_eq!(vi.peer, 1 - self.rank());
        self.air().ways[self.rank()][usize::from(vi.cq.0)].descriptors =
            spec.recv_descriptors as usize;
        Ok(Reliability::Unreliable)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let mut air = self.air();
        let under_way = &mut air.ways[vi.peer][usize::from(vi.cq.0)].under_way;
        if under_way.len() < UNDER_WAY {
            under_way.push_back([header, payload].concat());
        }
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Vec<u8>>>, VerbsError> {
        let way = &mut self.air().ways[self.rank()][usize::from(cq.0)];
        let frame = way.come.pop_front();
        way.held += usize::from(frame.is_some());
        Ok(frame.map(|frame| Completion { peer: 1 - self.rank(), frame }))
    }

    fn bytes<'f>(&self, frame: &'f Vec<u8>) -> &'f [u8] {
        frame
    }

    fn post_recv(&mut self, vi: Vi, _: Vec<u8>) {
        self.air().ways[self.rank()][usize::from(vi.cq.0)].held -= 1;
    }

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
    }

    fn peer_state(&self, _: usize) -> PeerState {
        if self.air().has_ended { PeerState::Gone } else { PeerState::Connected }
    }
}

type Held = (Vi, ReliableFrame<Vec<u8>>);

struct Rank {
    nic: Reliable<Net>,
    is_open: bool,
    /// By queue.
    sent: [u64; QUEUES],
    taken: [u64; QUEUES],
    held: Vec<Held>,
}

struct Run {
    ranks: [Rank; 2],
    air: Arc<Mutex<Air>>,
    window: u32,
    first: u32,
    honest: bool,
    /// Bytes have come that the other did not send.
    lied: bool,
}

const fn queue(window: u32) -> QueueSpec {
    QueueSpec { recv_descriptors: window, descriptor_bytes: LONGEST }
}

/// A rank, a place or a number of the input's.
fn of(chosen: impl Into<usize>) -> usize {
    chosen.into()
}

/// A message: its number, and so many bytes that follow from it.
fn message(number: u64, len: u8) -> Vec<u8> {
    let rest = usize::from(len) % (LONGEST - 7);
    [number.to_le_bytes().to_vec(), vec![number as u8 ^ len; rest]].concat()
}

impl Rank {
    fn vi(&self, queue: usize) -> Vi {
        Vi { peer: 1 - self.nic.rank(), cq: Cq(queue as u8) }
    }

    fn open(&mut self, queue_of: usize, window: u32) {
        let QueueSpec { recv_descriptors, descriptor_bytes } = queue(window);
        let reliability = Reliability::ReliableDelivery;
        let spec = ViSpec { recv_descriptors, descriptor_bytes, reliability };
        self.nic.open_vi(self.vi(queue_of), &spec).expect("it is there, and was not open");
    }
}

impl Run {
    fn new(input: &Input) -> Run {
        let window = u32::from(input.window % 4) + 1;
        // Mostly about to wrap around.
        let first = u32::MAX.wrapping_add(u32::from(input.first)).wrapping_sub(20);
        let spec =
            FabricSpec { queues: vec![queue(window); QUEUES], shared_words: 0, heap_bytes: 0 };
        let layout = beneath(&spec);
        let longest = layout.queues.iter().map(|queue| queue.descriptor_bytes).max().unwrap();
        let ways = || layout.queues.iter().map(|_| Way::default()).collect();
        let air = Arc::new(Mutex::new(Air { ways: [ways(), ways()], has_ended: false }));
        let attributes = NicAttributes {
            provider: "net",
            rank: 0,
            size: 2,
            max_ranks: 2,
            max_message_bytes: longest,
            max_descriptors_per_vi: 64,
            completion_queues: layout.queues.len() as u8,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: false,
        };
        // Frames may come on a queue that is not open here yet.
        for (to, at) in [(0, 1), (1, 1)] {
            let descriptors = layout.queues[at].recv_descriptors as usize;
            air.lock().unwrap().ways[to][at].descriptors = descriptors;
        }
        let ranks = [0, 1].map(|rank| {
            let inner =
                Net { attributes: NicAttributes { rank, ..attributes }, air: Arc::clone(&air) };
            let nic = Reliable::numbered_from(inner, &spec, TIMEOUTS, u64::from(first)).unwrap();
            let mut rank = Rank {
                nic,
                is_open: false,
                sent: [0; QUEUES],
                taken: [0; QUEUES],
                held: Vec::new(),
            };
            rank.open(0, window);
            rank
        });
        Run { ranks, air, window, first, honest: input.honest, lied: false }
    }

    fn air(&self) -> MutexGuard<'_, Air> {
        self.air.lock().unwrap()
    }

    fn settle(&mut self) {
        for at in [0, 1] {
            self.air().deliver_all(at);
            self.ranks[at].nic.progress();
        }
    }

    fn send(&mut self, at: usize, queue: usize, len: u8) {
        let rank = &mut self.ranks[at];
        let vi = rank.vi(queue);
        match rank.nic.post_send(vi, &message(rank.sent[queue], len), &[]) {
            Ok(()) => rank.sent[queue] += 1,
            Err(PostError::QueueFull(_)) => {}
            Err(PostError::NotOpen(_)) => assert!(queue == 1 && !rank.is_open),
            // Known before, or found out by this call.
            Err(PostError::PeerGone(_)) => {
                assert!(self.lied);
                assert_eq!(rank.nic.peer_state(vi.peer), PeerState::Gone);
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn take(&mut self, at: usize, queue: usize) -> bool {
        let other_sent = self.ranks[1 - at].sent[queue];
        let rank = &mut self.ranks[at];
        let peer = 1 - at;
        match rank.nic.poll_recv(Cq(queue as u8)) {
            Ok(None) => return false,
            Ok(Some(arrived)) => {
                assert_eq!(arrived.peer, peer);
                let bytes = rank.nic.bytes(&arrived.frame);
                assert!(bytes.len() <= LONGEST);
                if !self.lied {
                    let number = rank.taken[queue];
                    assert!(number < other_sent, "nobody has sent it");
                    assert_eq!(bytes[..8], number.to_le_bytes(), "in order, and once");
                    let rest = &bytes[8..];
                    assert!(rest.iter().all(|&byte| byte == rest[0]), "as it was sent");
                }
                rank.taken[queue] += 1;
                let vi = rank.vi(queue);
                rank.held.push((vi, arrived.frame));
                let held = rank.held.iter().filter(|held| held.0 == vi).count();
                assert!(held <= self.window as usize, "no more than there are descriptors");
            }
            Err(VerbsError::Corrupted { peer: named, .. }) => {
                assert!(self.lied);
                assert_eq!(named, peer);
                assert_eq!(rank.nic.peer_state(peer), PeerState::Gone);
            }
            Err(error) => panic!("{error}"),
        }
        true
    }

    fn give_back(&mut self, at: usize, which: usize) {
        let rank = &mut self.ranks[at];
        if !rank.held.is_empty() {
            let (vi, frame) = rank.held.swap_remove(which % rank.held.len());
            rank.nic.post_recv(vi, frame);
        }
    }

    /// A frame that is under way, if there is one.
    fn pick(&self, to: usize, queue: usize, which: u8) -> Option<(usize, Vec<u8>)> {
        let air = self.air();
        let under_way = &air.ways[to][queue].under_way;
        let at = usize::from(which).checked_rem(under_way.len())?;
        Some((at, under_way[at].clone()))
    }

    fn lie(&mut self, to: usize, queue: usize, mut bytes: Vec<u8>) {
        if self.honest {
            return;
        }
        self.lied = true;
        bytes.truncate(Header::BYTES + LONGEST + 8);
        self.air().deliver(to, queue, bytes);
    }

    fn step(&mut self, step: Step) {
        let lane = |queue: u8| of(queue) % (QUEUES + 1);
        match step {
            Step::Send { end, queue, len } => self.send(of(end), of(queue), len),
            Step::Take { end, queue } => drop(self.take(of(end), of(queue))),
            Step::Return { end, which } => self.give_back(of(end), of(which)),
            Step::Progress { end } => self.ranks[of(end)].nic.progress(),
            Step::Wait { end } => self.ranks[of(end)].nic.wait(Some(Duration::ZERO)),
            Step::Open { end } => self.open(of(end)),
            Step::Deliver { to, queue, which } => {
                let (to, queue) = (of(to), lane(queue));
                if let Some((at, frame)) = self.pick(to, queue, which) {
                    let mut air = self.air();
                    air.ways[to][queue].under_way.remove(at);
                    air.deliver(to, queue, frame);
                }
            }
            Step::DeliverAll { to } => self.air().deliver_all(of(to)),
            Step::Repeat { to, queue, which } => {
                if let Some((_, frame)) = self.pick(of(to), lane(queue), which) {
                    self.air().deliver(of(to), lane(queue), frame);
                }
            }
            Step::Lose { to, queue, which } => {
                if let Some((at, _)) = self.pick(of(to), lane(queue), which) {
                    self.air().ways[of(to)][lane(queue)].under_way.remove(at);
                }
            }
            Step::Inject { to, queue, bytes } => self.lie(of(to), lane(queue), bytes),
            Step::Forge { to, queue, kind, number, ack, room, behind } => {
                let kind = [Kind::Data, Kind::Ack, Kind::Ask, Kind::Farewell][of(kind % 4)];
                let near = |by: u8| self.first.wrapping_add(u32::from(by % 64)).wrapping_sub(8);
                let number = if kind == Kind::Data { near(number) } else { 0 };
                let ack = near(ack);
                let room = ack.wrapping_add(u32::from(room % 8)).wrapping_sub(1);
                let header = Header { kind, number, ack, room }.encode();
                self.lie(of(to), lane(queue), [&header[..], &behind].concat());
            }
            Step::Damage { to, queue, which, at, by } => {
                if let Some((_, mut frame)) = self.pick(of(to), lane(queue), which) {
                    let at = of(at) % frame.len();
                    frame[at] ^= by;
                    self.lie(of(to), lane(queue), frame);
                }
            }
        }
    }

    fn open(&mut self, at: usize) {
        let rank = &mut self.ranks[at];
        if !std::mem::replace(&mut rank.is_open, true) {
            rank.open(1, self.window);
        }
    }

    /// The network has healed.
    fn heal(&mut self) {
        (0..2).for_each(|at| self.open(at));
        for _ in 0..2000 {
            self.settle();
            for at in [0, 1] {
                for queue in 0..QUEUES {
                    self.take(at, queue);
                }
                self.give_back(at, 0);
            }
            let all_came = (0..2).all(|at| {
                let (rank, other) = (&self.ranks[at], &self.ranks[1 - at]);
                rank.taken == other.sent
            });
            if all_came {
                return;
            }
        }
        panic!("the network has healed, and not all has come");
    }
}

fuzz_target!(|input: Input| {
    let mut run = Run::new(&input);
    let ((), most) = memory::most_asked_for(|| {
        for step in input.steps {
            run.step(step);
        }
    });
    assert!(most < MUCH, "{most} bytes were asked for at once");
    if !run.lied {
        run.heal();
    }
    // Nobody stays for the other.
    run.air().has_ended = true;
});
