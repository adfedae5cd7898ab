//! What a barrier costs, counted and not timed: once warm nothing is allocated, and a rank of a
//! large job does as much as one of a small job but for `lg P` signals.

#[path = "../../../../tests/shared/counting_allocator.rs"]
mod counting_allocator;

use runahead_order::hold::Hold;
use runahead_order::{Algorithm, GroupId, Order, Ordering, Rank, Signal, SignalKind};

use self::counting_allocator::allocations;

const OPEN: u64 = 4;

/// Rank 0 of a job, whose peers always answer.
struct Lone {
    order: Order,
    /// The groups with their members.
    groups: Vec<(GroupId, Vec<Rank>)>,
    signals: usize,
    asked: Vec<(Rank, Signal)>,
}

impl Lone {
    fn new(size: usize, groups: Vec<Vec<Rank>>) -> Lone {
        let order = Order::new(0, size, Ordering::Contained, OPEN as usize);
        let groups: Vec<_> =
            groups.into_iter().enumerate().map(|(id, ranks)| (GroupId(id as u32), ranks)).collect();
        let mut lone = Lone { order, groups, signals: 0, asked: Vec::with_capacity(4096) };
        for (id, members) in &lone.groups {
            lone.order.add_group(*id, members, Algorithm::Dissemination, 0).expect("valid");
        }
        lone
    }

    fn poll(&mut self) {
        let signals = &mut self.signals;
        self.order.poll_signals(|_, _| {
            *signals += 1;
            true
        });
    }

    /// Opens barriers of every group, one group after another, and lets the peers answer what this
    /// rank lacks until all are complete.
    fn barriers(&mut self) {
        for at in 0..self.groups.len() {
            for _ in 0..OPEN {
                self.order.handle_initiate(self.groups[at].0).expect("the limit allows it");
                self.poll();
            }
        }
        while self.order.open_barriers().next().is_some() {
            let asked = &mut self.asked;
            self.order.poll_asks(0, |to, ask| asked.push((to, ask)));
            assert!(!asked.is_empty(), "open barriers that lack nothing never complete");
            while let Some((from, ask)) = self.asked.pop() {
                let signal = Signal { kind: SignalKind::Reached, clock: 0, ..ask };
                self.order.handle_signal(from, signal).expect("it was asked for");
                self.poll();
            }
        }
        for peer in 0..self.order.size().min(8) {
            let posted = self.order.post(peer);
            assert!(self.order.may_leave(peer, posted));
            assert_eq!(self.order.recv_clock(peer), self.order.send_clock(peer));
        }
    }
}

/// The barrier of the world costs no memory once warm, and `lg P` signals for each epoch: nothing
/// in it grows with the number of members.
///
/// SEMANTICS: BAR-4
#[test]
fn world_barrier_allocates_nothing_and_signals_lg_p() {
    for (size, rounds) in [(8, 3), (1024, 10), (1025, 11)] {
        let mut lone = Lone::new(size, vec![(0..size).collect()]);
        lone.barriers();
        lone.signals = 0;
        let times = 10;
        let allocated = allocations(|| (0..times).for_each(|_| lone.barriers()));
        assert_eq!(allocated, 0, "in a job of {size}");
        // Each step signals each epoch at most once; fewer where one signal stands for more.
        let most = times * OPEN as usize * rounds;
        assert!(lone.signals <= most, "{} signals, at most {most}", lone.signals);
        assert!(lone.signals >= times * rounds);
        assert_eq!(lone.order.completions(), (times as u64 + 1) * OPEN);
    }
}

/// Signals one by one: initiating emits one, and each arrival at most one.
///
/// SEMANTICS: BAR-2
#[test]
fn each_event_emits_one_signal_at_most() {
    for (size, rounds) in [(8, 3), (1024, 10)] {
        let mut lone = Lone::new(size, vec![(0..size).collect()]);
        for epoch in 1..=3 {
            lone.order.handle_initiate(GroupId::WORLD).expect("nothing is open");
            lone.poll();
            assert_eq!(lone.signals, 1);
            for round in 0..rounds {
                let from = size - (1 << round);
                let kind = SignalKind::Reached;
                let clock = epoch;
                let signal =
                    Signal { kind, group: GroupId::WORLD, step: round as u16, epoch, clock };
                lone.order.handle_signal(from, signal).expect("it is due");
                lone.poll();
                assert_eq!(lone.signals, (round + 2).min(rounds));
            }
            assert_eq!(lone.order.completions(), epoch);
            lone.signals = 0;
        }
    }
}

/// Six overlapping groups, whose barriers wait for one another: no memory either.
///
/// SEMANTICS: CON-2
#[test]
fn overlapping_groups_allocate_nothing() {
    for size in [8, 1024] {
        let groups = vec![
            (0..size).collect(),
            (0..size / 2).collect(),
            (0..size).step_by(2).collect(),
            (0..size).rev().step_by(3).chain([0]).collect::<std::collections::BTreeSet<_>>(),
            [0, 1].into(),
            [0, size - 1].into(),
        ];
        let groups = groups.into_iter().map(|group| group.into_iter().collect()).collect();
        let mut lone = Lone::new(size, groups);
        // In the first, clocks begin to differ; from the second on, barriers of all groups record what each has
        // initiated; and from the third on, the last that is complete has such a record, too.
        (0..3).for_each(|_| lone.barriers());
        assert_eq!(allocations(|| (0..10).for_each(|_| lone.barriers())), 0);
    }
}

/// Holding and delivering messages allocates nothing once as many were held before.
///
/// SEMANTICS: HOLD-1
#[test]
fn hold_queue_allocates_nothing() {
    let mut hold = Hold::new(64);
    let mut delivered = 0;
    let mut superstep = |clock: u64| {
        for message in 0..1000 {
            let held = hold.handle_arrival(message % 64, clock + 1, clock, message);
            assert_eq!(held, Ok(None));
        }
        hold.poll_deliverable(|_| clock + 1, |_, _| delivered += 1);
    };
    superstep(0);
    assert_eq!(allocations(|| (1..10).for_each(superstep)), 0);
    assert_eq!(delivered, 10_000);
}
