//! Any program of barriers, messages, and groups that are made and dropped, with signals lost, repeated and
//! reordered, against what the rules say, counted anew from the whole history after each step, as plainly
//! as it can be said: stamps, clocks, what may leave, which barriers may be entered, and which messages
//! are delivered, in which order. At the end everything has been delivered and every barrier is complete.
//!
//! SEMANTICS: ORD-1, ORD-2, BAR-1, BAR-4, CLK-1, CLK-2, CLK-4, HOLD-1, HOLD-2, CON-1, CON-2
#![no_main]

use std::collections::VecDeque;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::Algorithm;
use runahead::internals::order::hold::Hold;
use runahead::internals::order::{GroupId, Order, Ordering, Posted, Signal};

#[derive(Arbitrary, Debug)]
enum Operation {
    /// A rank makes its next call; where it has made all that there are, this becomes the next of all.
    Call {
        rank: u8,
        call: Call,
    },
    Send {
        from: u8,
        to: u8,
    },
    /// A message arrives: the oldest that is under way between two ranks.
    Arrive {
        which: u8,
    },
    Deliver {
        which: u16,
    },
    Repeat {
        which: u16,
    },
    Lose {
        which: u16,
    },
}

/// What all members of a group do, in one order.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Call {
    Barrier { group: u8 },
    Make { mask: u8, algorithm: u8 },
    Drop { group: u8 },
}

#[derive(Arbitrary, Debug)]
struct Input {
    size: u8,
    algorithm: u8,
    operations: Vec<Operation>,
}

const OPEN_LIMIT: usize = 3;
const MOST_GROUPS: usize = 8;

#[derive(Clone, Copy)]
enum Agreed {
    Barrier(usize),
    Make(usize),
    Drop(usize),
}

impl Agreed {
    fn group(self) -> usize {
        match self {
            Agreed::Barrier(group) | Agreed::Make(group) | Agreed::Drop(group) => group,
        }
    }
}

/// What a rank has posted to another, and what was true then.
#[derive(Clone, Debug)]
struct Message {
    number: usize,
    posted: Posted,
    /// How many barriers its sender had initiated.
    after: usize,
}

struct Rank {
    order: Order,
    hold: Hold<Message>,
    seen: u64,
    /// The next of the calls.
    next: usize,
    /// The barriers that it has initiated, in its order: group and epoch.
    barriers: Vec<(usize, u64)>,
    /// For each group the latest epoch that was complete when it was last seen.
    complete: Vec<u64>,
    entered: Vec<u64>,
    outbox: Vec<VecDeque<Message>>,
    /// What has arrived and was not delivered, by the plain rules: sender and message, oldest first.
    waiting: Vec<(usize, Message)>,
    /// The last number delivered of each sender.
    heard: Vec<Option<usize>>,
}

struct Job {
    ranks: Vec<Rank>,
    groups: Vec<(Vec<usize>, Algorithm)>,
    calls: Vec<Agreed>,
    dropped: Vec<bool>,
    signals: Vec<(usize, usize, Signal)>,
    /// Messages under way, by sender and receiver.
    data: Vec<Vec<VecDeque<Message>>>,
    numbers: usize,
}

impl Rank {
    fn is_complete(&self, (group, epoch): (usize, u64)) -> bool {
        epoch <= self.complete[group]
    }
}

impl Job {
    fn holds(&self, group: usize, rank: usize) -> bool {
        self.groups[group].0.contains(&rank)
    }

    /// Whether the barriers of a group count in the clocks toward `peer`. Those of a rank alone count in none.
    fn counts(&self, group: usize, peer: usize) -> bool {
        self.holds(group, peer) && self.groups[group].0.len() > 1
    }

    /// The longest prefix, in the own order, of the barriers with `peer` that is complete (CLK-2).
    fn recv_clock(&self, rank: usize, peer: usize) -> u64 {
        let own = &self.ranks[rank];
        let common = own.barriers.iter().filter(|barrier| self.counts(barrier.0, peer));
        common.take_while(|barrier| own.is_complete(**barrier)).count() as u64
    }

    /// Whether all barriers before it whose group lacks the receiver are complete (CON-1).
    fn may_leave(&self, from: usize, to: usize, message: &Message) -> bool {
        let own = &self.ranks[from];
        let before = own.barriers[..message.after].iter();
        before.filter(|barrier| !self.holds(barrier.0, to)).all(|barrier| own.is_complete(*barrier))
    }

    /// Sends what may leave, delivers what may be delivered, and compares all with the plain rules.
    fn settle(&mut self) {
        for rank in 0..self.ranks.len() {
            assert_eq!(self.ranks[rank].order.poll_fault(), None);
            let signals = &mut self.signals;
            self.ranks[rank].order.poll_signals(|to, signal| {
                signals.push((rank, to, signal));
                true
            });
        }
        self.note();
        for rank in 0..self.ranks.len() {
            self.check_entered(rank);
            self.check_lone(rank);
            for peer in 0..self.ranks.len() {
                let own = &self.ranks[rank];
                let common = own.barriers.iter().filter(|barrier| self.counts(barrier.0, peer));
                assert_eq!(own.order.send_clock(peer), common.count() as u64, "CLK-1");
                assert_eq!(own.order.recv_clock(peer), self.recv_clock(rank, peer), "CLK-2");
            }
            self.leave(rank);
            self.hand_out(rank);
        }
    }

    /// Notes how far the barriers of all groups have come.
    fn note(&mut self) {
        for rank in &mut self.ranks {
            for group in 0..self.groups.len() {
                if let Some((entered, complete, _)) = rank.order.progress_of(GroupId(group as u32))
                {
                    (rank.entered[group], rank.complete[group]) = (entered, complete);
                } else if self.dropped[group] {
                    // It was forgotten: all its barriers are complete then.
                    let mine = rank.barriers.iter().filter(|barrier| barrier.0 == group);
                    let last = mine.map(|barrier| barrier.1).max().unwrap_or(0);
                    (rank.entered[group], rank.complete[group]) = (last, last);
                }
            }
        }
        for (group, (members, _)) in self.groups.iter().enumerate() {
            let entered = members.iter().map(|&rank| self.ranks[rank].entered[group]);
            let least = entered.min().unwrap_or(0);
            for &rank in members {
                assert!(self.ranks[rank].complete[group] <= least, "BAR-1: group {group}");
            }
        }
    }

    /// A barrier is entered if and only if those before it whose groups do not hold all its members are
    /// complete (CON-2), and those of its own group before it are entered.
    fn check_entered(&self, rank: usize) {
        let own = &self.ranks[rank];
        for (at, &(group, epoch)) in own.barriers.iter().enumerate() {
            let mut before = own.barriers[..at].iter();
            let free = before.all(|&barrier| {
                let holds_all =
                    self.groups[group].0.iter().all(|&member| self.holds(barrier.0, member));
                holds_all || own.is_complete(barrier)
            });
            let after_own = own.entered[group] + 1 >= epoch;
            let entered = epoch <= own.entered[group];
            assert_eq!(entered, free && after_own, "CON-2: epoch {epoch} of group {group}");
        }
    }

    /// A barrier of a rank alone is complete when it is called, so that it need not count (CLK-1).
    fn check_lone(&self, rank: usize) {
        let own = &self.ranks[rank];
        let mut lone = own.barriers.iter().filter(|barrier| self.groups[barrier.0].0.len() == 1);
        assert!(
            lone.all(|&barrier| own.is_complete(barrier)),
            "CLK-1: rank {rank} waits for itself"
        );
    }

    fn leave(&mut self, rank: usize) {
        for to in 0..self.ranks.len() {
            while let Some(first) = self.ranks[rank].outbox[to].front() {
                let may = self.may_leave(rank, to, first);
                assert_eq!(self.ranks[rank].order.may_leave(to, first.posted), may, "CON-1");
                if !may {
                    break;
                }
                self.data[rank][to].extend(self.ranks[rank].outbox[to].pop_front());
            }
        }
    }

    /// Delivers what completions have released.
    fn hand_out(&mut self, rank: usize) {
        let own = &mut self.ranks[rank];
        let completions = own.order.completions();
        if completions == own.seen {
            return;
        }
        own.seen = completions;
        let order = &own.order;
        let mut delivered = Vec::new();
        own.hold.poll_deliverable(
            |from| order.recv_clock(from),
            |from, message| delivered.push((from, message)),
        );
        let expected = self.released(rank);
        let numbers =
            |list: &[(usize, Message)]| list.iter().map(|(_, m)| m.number).collect::<Vec<_>>();
        assert_eq!(numbers(&delivered), numbers(&expected), "what rank {rank} is given, in order");
        delivered.into_iter().for_each(|(from, message)| self.given(rank, from, &message));
    }

    /// Takes out of what waits all that may be delivered now, again and again the one that came first of
    /// those that no earlier one of their sender keeps back.
    fn released(&mut self, rank: usize) -> Vec<(usize, Message)> {
        let mut released = Vec::new();
        let mut kept_back = vec![false; self.ranks.len()];
        let mut at = 0;
        while at < self.ranks[rank].waiting.len() {
            let (from, message) = &self.ranks[rank].waiting[at];
            let from = *from;
            if !kept_back[from] && message.posted.stamp <= self.recv_clock(rank, from) {
                released.push(self.ranks[rank].waiting.remove(at));
            } else {
                kept_back[from] = true;
                at += 1;
            }
        }
        released
    }

    /// A message is given to the program.
    fn given(&mut self, rank: usize, from: usize, message: &Message) {
        for &barrier in &self.ranks[from].barriers[..message.after] {
            let concerns = self.holds(barrier.0, rank);
            assert!(!concerns || self.ranks[rank].is_complete(barrier), "ORD-1: {message:?}");
        }
        let before = self.ranks[rank].heard[from].replace(message.number);
        assert!(before.is_none_or(|before| before < message.number), "ORD-2: {message:?}");
    }

    fn arrive(&mut self, from: usize, to: usize) {
        let Some(message) = self.data[from][to].pop_front() else { return };
        let recv_clock = self.ranks[to].order.recv_clock(from);
        let stamp = message.posted.stamp;
        self.ranks[to].waiting.push((from, message.clone()));
        let delivered = self.ranks[to].hold.handle_arrival(from, stamp, recv_clock, message);
        let delivered = delivered.expect("all ranks are correct");
        let expected = self.released(to);
        assert_eq!(delivered.iter().count(), expected.len(), "HOLD-1");
        if let Some(message) = delivered {
            assert_eq!(message.number, expected[0].1.number);
            self.given(to, from, &message);
        }
    }

    fn deliver(&mut self, which: usize, keep: bool) {
        let (from, to, signal) = match keep {
            true => self.signals[which],
            false => self.signals.swap_remove(which),
        };
        self.ranks[to].order.handle_signal(from, signal).expect("all ranks are correct");
        self.settle();
    }

    /// Makes the next call of a rank; returns whether there was one and it could be made.
    fn call(&mut self, rank: usize) -> bool {
        let mut next = self.ranks[rank].next;
        while next < self.calls.len() && !self.holds(self.calls[next].group(), rank) {
            next += 1;
        }
        let own = &mut self.ranks[rank];
        own.next = next;
        let Some(&call) = self.calls.get(next) else { return false };
        let id = GroupId(call.group() as u32);
        match call {
            Agreed::Barrier(group) => {
                let Ok(ticket) = own.order.handle_initiate(id) else { return false };
                own.barriers.push((group, ticket.epoch));
            }
            Agreed::Make(group) => {
                let (members, algorithm) = &self.groups[group];
                own.order.add_group(id, members, *algorithm, 0).expect("a new group");
            }
            Agreed::Drop(_) => {
                let clocks = |order: &Order| {
                    let clocks =
                        (0..order.size()).map(|p| (order.send_clock(p), order.recv_clock(p)));
                    clocks.collect::<Vec<_>>()
                };
                let before = clocks(&own.order);
                own.order.handle_drop(id);
                assert_eq!(clocks(&own.order), before, "CLK-4");
            }
        }
        self.ranks[rank].next = next + 1;
        self.settle();
        true
    }

    /// Adds a call for all to make, if it makes sense behind those that there are.
    fn agree(&mut self, rank: usize, call: Call) {
        let pick = |group: u8| usize::from(group) % self.groups.len();
        let call = match call {
            Call::Barrier { group } => Agreed::Barrier(pick(group)),
            Call::Drop { group } => Agreed::Drop(pick(group)),
            Call::Make { mask, algorithm } => {
                let members = (0..self.ranks.len()).filter(|rank| mask >> rank & 1 == 1);
                let mut members: Vec<usize> = members.collect();
                if self.groups.len() == MOST_GROUPS || members.is_empty() {
                    return;
                }
                let turn = usize::from(mask) / 32 % members.len();
                members.rotate_left(turn);
                let all = Algorithm::ALL;
                self.groups.push((members, all[usize::from(algorithm) % all.len()].by_signals()));
                self.dropped.push(false);
                for rank in &mut self.ranks {
                    rank.complete.push(0);
                    rank.entered.push(0);
                }
                Agreed::Make(self.groups.len() - 1)
            }
        };
        let group = call.group();
        let of_others = !matches!(call, Agreed::Make(_)) && !self.holds(group, rank);
        // The world is never dropped, and nothing twice.
        let senseless = matches!(call, Agreed::Drop(0)) || self.dropped[group];
        if !of_others && !senseless {
            self.dropped[group] |= matches!(call, Agreed::Drop(_));
            self.calls.push(call);
        }
    }
}

fuzz_target!(|input: Input| {
    let size = usize::from(input.size % 4) + 2;
    let algorithm =
        Algorithm::ALL[usize::from(input.algorithm) % Algorithm::ALL.len()].by_signals();
    let everyone: Vec<usize> = (0..size).collect();
    let rank = |rank| {
        let mut order = Order::new(rank, size, Ordering::Contained, OPEN_LIMIT);
        order.add_group(GroupId::WORLD, &everyone, algorithm, 0).expect("the world");
        Rank {
            order,
            hold: Hold::new(size),
            seen: 0,
            next: 0,
            barriers: Vec::new(),
            complete: vec![0],
            entered: vec![0],
            outbox: vec![VecDeque::new(); size],
            waiting: Vec::new(),
            heard: vec![None; size],
        }
    };
    let mut job = Job {
        ranks: (0..size).map(rank).collect(),
        groups: vec![(everyone.clone(), algorithm)],
        calls: Vec::new(),
        dropped: vec![false],
        signals: Vec::new(),
        data: vec![vec![VecDeque::new(); size]; size],
        numbers: 0,
    };
    for operation in input.operations.iter().take(150) {
        let signals = job.signals.len();
        match *operation {
            Operation::Call { rank, call } => {
                let rank = usize::from(rank) % size;
                if !job.call(rank) && job.ranks[rank].next == job.calls.len() {
                    job.agree(rank, call);
                    job.call(rank);
                }
            }
            Operation::Send { from, to } => {
                let (from, to) = (usize::from(from) % size, usize::from(to) % size);
                let own = &mut job.ranks[from];
                let (posted, after) = (own.order.post(to), own.barriers.len());
                let number = job.numbers;
                own.outbox[to].push_back(Message { number, posted, after });
                job.numbers += 1;
                job.settle();
            }
            Operation::Arrive { which } => {
                let which = usize::from(which);
                job.arrive(which % size, which / size % size);
            }
            Operation::Deliver { which } if signals > 0 => {
                job.deliver(usize::from(which) % signals, false);
            }
            Operation::Repeat { which } if signals > 0 => {
                job.deliver(usize::from(which) % signals, true);
            }
            Operation::Lose { which } if signals > 0 => {
                job.signals.swap_remove(usize::from(which) % signals);
            }
            _ => {}
        }
    }
    // Everybody makes the calls that are left, and what was lost is asked for.
    for _ in 0..(job.calls.len() + 2) * (size + 2) * 4 {
        for rank in 0..size {
            while job.call(rank) {}
            let signals = &mut job.signals;
            job.ranks[rank].order.poll_asks(0, |to, ask| signals.push((rank, to, ask)));
        }
        while !job.signals.is_empty() {
            job.deliver(0, false);
        }
        let ended = |rank: &Rank| {
            rank.next >= job.calls.len() && rank.order.open_barriers().next().is_none()
        };
        if job.ranks.iter().all(ended) {
            break;
        }
    }
    for from in 0..size {
        for to in 0..size {
            while !job.data[from][to].is_empty() {
                job.arrive(from, to);
            }
        }
    }
    for (number, rank) in job.ranks.iter().enumerate() {
        assert_eq!(rank.order.open_barriers().next(), None, "BAR-4: rank {number} is stuck");
        assert!(rank.outbox.iter().all(VecDeque::is_empty), "rank {number} keeps a message");
        assert!(rank.waiting.is_empty() && rank.hold.is_empty(), "rank {number} holds a message");
    }
});
