//! Any sequence of barriers and deliveries, with signals lost, repeated and reordered, against the
//! plain truth: nobody completes a barrier that somebody has not initiated, and when all have, and
//! everything is delivered, everybody completes.
//!
//! SEMANTICS: BAR-1, BAR-3, BAR-4
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::Algorithm;
use runahead::internals::order::{GroupId, Order, Ordering, Signal};

#[derive(Arbitrary, Debug)]
enum Operation {
    Barrier { rank: u8, group: u8 },
    Deliver { which: u16 },
    Repeat { which: u16 },
    Lose { which: u16 },
}

#[derive(Arbitrary, Debug)]
struct Input {
    size: u8,
    algorithm: u8,
    /// Membership masks of groups besides the world.
    groups: [u8; 2],
    operations: Vec<Operation>,
}

const OPEN_LIMIT: usize = 3;

struct Job {
    orders: Vec<Order>,
    groups: Vec<Vec<usize>>,
    under_way: Vec<(usize, usize, Signal)>,
}

impl Job {
    fn flush(&mut self) {
        for (from, order) in self.orders.iter_mut().enumerate() {
            let under_way = &mut self.under_way;
            order.poll_signals(|to, signal| {
                under_way.push((from, to, signal));
                true
            });
        }
    }

    fn deliver(&mut self, which: usize, keep: bool) {
        let (from, to, signal) = self.under_way[which];
        if !keep {
            self.under_way.swap_remove(which);
        }
        self.orders[to].handle_signal(from, signal).expect("all ranks are correct");
        self.flush();
        self.check();
    }

    /// Nobody is ahead of the slowest member.
    fn check(&self) {
        for (id, members) in self.groups.iter().enumerate() {
            let of = |rank: usize| self.orders[rank].progress_of(GroupId(id as u32)).unwrap();
            let least = members.iter().map(|&rank| of(rank).2).min().unwrap_or(0);
            for &rank in members {
                let (entered, complete, initiated) = of(rank);
                assert!(complete <= least, "rank {rank} completed {complete} of group {id}");
                assert!(complete <= entered && entered <= initiated);
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let size = usize::from(input.size % 5) + 1;
    let algorithm = Algorithm::ALL[usize::from(input.algorithm) % Algorithm::ALL.len()];
    let mut groups = vec![(0..size).collect::<Vec<_>>()];
    for mask in input.groups {
        let members: Vec<_> = (0..size).filter(|rank| mask >> rank & 1 == 1).collect();
        if !members.is_empty() {
            groups.push(members);
        }
    }
    let orders = (0..size).map(|rank| {
        let mut order = Order::new(rank, size, Ordering::Contained, OPEN_LIMIT);
        for (id, members) in groups.iter().enumerate().filter(|(_, m)| m.contains(&rank)) {
            order.add_group(GroupId(id as u32), members, algorithm, 0).unwrap();
        }
        order
    });
    let mut job = Job { orders: orders.collect(), groups: groups.clone(), under_way: Vec::new() };
    // All members call their barriers in one global order, as a program that cannot deadlock does.
    let mut calls: Vec<usize> = Vec::new();
    let mut made = vec![0; size];
    for operation in input.operations.iter().take(400) {
        match *operation {
            Operation::Barrier { rank, group } => {
                let rank = usize::from(rank) % size;
                let mut next = made[rank];
                while next < calls.len() && !groups[calls[next]].contains(&rank) {
                    next += 1;
                }
                if next == calls.len() {
                    let group = usize::from(group) % groups.len();
                    if !groups[group].contains(&rank) {
                        continue;
                    }
                    calls.push(group);
                }
                made[rank] = next;
                if job.orders[rank].handle_initiate(GroupId(calls[next] as u32)).is_ok() {
                    made[rank] = next + 1;
                }
                assert_eq!(job.orders[rank].poll_fault(), None);
                job.flush();
                job.check();
            }
            Operation::Deliver { which } if !job.under_way.is_empty() => {
                job.deliver(usize::from(which) % job.under_way.len(), false);
            }
            Operation::Repeat { which } if !job.under_way.is_empty() => {
                job.deliver(usize::from(which) % job.under_way.len(), true);
            }
            Operation::Lose { which } if !job.under_way.is_empty() => {
                let which = usize::from(which) % job.under_way.len();
                job.under_way.swap_remove(which);
            }
            _ => {}
        }
    }
    // Everybody makes the calls that are left, and what was lost is asked for.
    for _ in 0..(calls.len() + 2) * (size + 2) * 4 {
        for rank in 0..size {
            while made[rank] < calls.len() {
                let group = calls[made[rank]];
                if groups[group].contains(&rank)
                    && job.orders[rank].handle_initiate(GroupId(group as u32)).is_err()
                {
                    break;
                }
                made[rank] += 1;
            }
        }
        job.flush();
        for rank in 0..size {
            let under_way = &mut job.under_way;
            job.orders[rank].poll_asks(0, |to, ask| under_way.push((rank, to, ask)));
        }
        while !job.under_way.is_empty() {
            job.deliver(0, false);
        }
    }
    for order in &job.orders {
        assert_eq!(order.open_barriers().next(), None, "rank {} is stuck", order.rank());
    }
});
