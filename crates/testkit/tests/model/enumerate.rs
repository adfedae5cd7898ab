//! Every program of a few operations, each once.
//!
//! The grammar: send to another, receive from one or from any, poll one or any, the barrier of a
//! group, wait. What `isend`, `try_barrier` and dropping a group add, and messages to oneself, the
//! random programs have.
//!
//! Left out are programs of which it is plain, without a word about barriers or their protocol, that
//! a shorter one or another of the same length does the same:
//!
//! - **Ranks by other names.** Of the programs that differ only in the numbers of their ranks one is
//!   taken. (That the core cares for no number: `other_names_change_no_outcome`.)
//! - **A wait for nothing.** Before the first barrier of its rank, and straight after another wait
//!   with no barrier between, `wait` returns at once. As a rank's last operation it adds nothing
//!   either: a program has ended only when all its barriers are complete.
//! - **A receive that can never be satisfied.** There are not enough messages for it. What stands
//!   behind it is never done, and what happens before, the program without it and what follows does,
//!   too. It ends in no run, and as it can deadlock, nothing more is asked of it.
//! - **A poll that can never find anything**, for want of a message to its rank. It observes nothing,
//!   always, and changes nothing.
//! - **Any source where there is one.** If only one rank sends to this one, from any and from that
//!   rank is the same.
//!
//! Programs with barriers that not all members call are taken: they cannot end, so little is promised
//! to them, but barriers must not complete in them. So are messages that nobody receives: they may
//! stand in others' way.

mod tests;

use std::collections::HashMap;

use runahead::internals::order::Rank;

use super::program::*;

/// Which programs.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub size: usize,
    /// Barriers of these; every rank is in some.
    pub groups: Vec<Vec<Rank>>,
    /// The most operations of one rank.
    pub each: usize,
    /// The most of all ranks.
    pub total: usize,
}

/// What one rank does, and what the others must know of it.
struct List {
    len: usize,
    /// The list as a number under each order of the ranks: five bits for each operation, the first
    /// one lowest.
    keys: [u64; 6],
    sends: [u8; 3],
    recvs: [u8; 3],
    recvs_any: u8,
    polls: [bool; 3],
    polls_any: bool,
}

/// The programs within some bounds, in an order of their own.
pub struct Programs {
    pub bounds: Bounds,
    /// For each order of the ranks, the new number of each.
    orders: Vec<Vec<Rank>>,
    lists: Vec<Vec<List>>,
    /// For each rank, its operations by their codes in the ranks' own order.
    ops_by_code: Vec<Vec<Op>>,
}

/// Every order of the ranks; the first is their own.
pub fn orders(size: usize) -> Vec<Vec<Rank>> {
    let mut orders = vec![vec![]];
    for _ in 0..size {
        let longer = orders.iter().flat_map(|order: &Vec<Rank>| {
            let left = (0..size).filter(|rank| !order.contains(rank));
            left.map(|rank| [order.as_slice(), &[rank]].concat()).collect::<Vec<_>>()
        });
        orders = longer.collect();
    }
    orders
}

impl Programs {
    pub fn new(bounds: Bounds) -> Programs {
        assert!((2..=3).contains(&bounds.size) && bounds.groups.len() <= 4 && bounds.each <= 12);
        let orders = orders(bounds.size);
        let ranks = 0..bounds.size;
        let mut programs = Programs { bounds, orders, lists: Vec::new(), ops_by_code: Vec::new() };
        programs.lists = ranks.clone().map(|rank| programs.lists_of(rank)).collect();
        let by_code = |rank| {
            let mut ops = vec![wait(); 32];
            for op in programs.alphabet(rank) {
                ops[programs.code(op, &programs.orders[0]) as usize] = op;
            }
            ops
        };
        programs.ops_by_code = ranks.map(by_code).collect();
        programs
    }

    /// The number of parts that [`Programs::for_each`] takes one of.
    pub fn parts(&self) -> usize {
        self.lists[0].len()
    }

    fn alphabet(&self, rank: Rank) -> Vec<Op> {
        let others = (0..self.bounds.size).filter(|&other| other != rank);
        let mut ops: Vec<Op> =
            others.flat_map(|other| [send(other), recv(other), poll(other)]).collect();
        if self.bounds.size > 2 {
            ops.extend([recv_any(), poll_any()]);
        }
        let groups = self.bounds.groups.iter().enumerate();
        ops.extend(groups.filter(|(_, group)| group.contains(&rank)).map(|(at, _)| barrier(at)));
        ops.push(wait());
        ops
    }

    /// The operation as the rank would do it under an order, as a number from 1 to 31.
    fn code(&self, op: Op, order: &[Rank]) -> u64 {
        let code = match op {
            Op::Send { to, .. } => 1 + order[to],
            Op::Recv(Source::From(from)) => 4 + order[from],
            Op::Recv(Source::Any) => 7,
            Op::Poll(Source::From(from)) => 8 + order[from],
            Op::Poll(Source::Any) => 11,
            Op::Wait => 12,
            Op::Barrier(group) => {
                let mut members: Vec<Rank> =
                    self.bounds.groups[group].iter().map(|&member| order[member]).collect();
                members.sort_unstable();
                let is_it = |other: &Vec<Rank>| *other == members;
                // A group that has no counterpart gets a number of its own, so nothing is the same.
                let at = self.bounds.groups.iter().position(is_it).unwrap_or(4 + group);
                13 + at
            }
            Op::Isend { .. } | Op::TryBarrier(_) | Op::Drop(_) => unreachable!("not enumerated"),
        };
        code as u64
    }

    fn lists_of(&self, rank: Rank) -> Vec<List> {
        let alphabet = self.alphabet(rank);
        let mut codes = Vec::new();
        for order in &self.orders {
            codes.push(alphabet.iter().map(|&op| (op, self.code(op, order))).collect());
        }
        // Nobody has more operations than those before.
        let most = self.bounds.each.min(self.bounds.total / (rank + 1));
        let (mut lists, mut ops) = (Vec::new(), Vec::new());
        self.extend_lists(most, &codes, &alphabet, &mut ops, &mut lists);
        lists.sort_by_key(|list: &List| list.len);
        lists
    }

    fn extend_lists(
        &self,
        most: usize,
        codes: &[HashMap<Op, u64>],
        alphabet: &[Op],
        ops: &mut Vec<Op>,
        into: &mut Vec<List>,
    ) {
        let list = self.list(ops, codes);
        if !self.has_room(&list) {
            return;
        }
        if ops.last() != Some(&Op::Wait) {
            into.push(list);
        }
        if ops.len() == most {
            return;
        }
        for &op in alphabet {
            // Since the last wait there must be a barrier.
            let waited = ops.iter().rposition(|&op| op == Op::Wait).map_or(0, |at| at + 1);
            if op == Op::Wait && !ops[waited..].iter().any(|op| op.barrier_group().is_some()) {
                continue;
            }
            ops.push(op);
            self.extend_lists(most, codes, alphabet, ops, into);
            ops.pop();
        }
    }

    /// Whether the other ranks can have all the operations that this list needs of them.
    fn has_room(&self, list: &List) -> bool {
        let received = list.recvs.iter().sum::<u8>() + list.recvs_any;
        let polls = list.polls_any || list.polls.contains(&true);
        let needed = usize::from(received).max(usize::from(polls));
        list.len + needed <= self.bounds.total
    }

    fn list(&self, ops: &[Op], codes: &[HashMap<Op, u64>]) -> List {
        let mut list = List {
            len: ops.len(),
            keys: [0; 6],
            sends: [0; 3],
            recvs: [0; 3],
            recvs_any: 0,
            polls: [false; 3],
            polls_any: false,
        };
        for op in ops {
            match *op {
                Op::Send { to, .. } => list.sends[to] += 1,
                Op::Recv(Source::From(from)) => list.recvs[from] += 1,
                Op::Recv(Source::Any) => list.recvs_any += 1,
                Op::Poll(Source::From(from)) => list.polls[from] = true,
                Op::Poll(Source::Any) => list.polls_any = true,
                _ => {}
            }
        }
        for (key, codes) in list.keys.iter_mut().zip(codes) {
            *key = ops.iter().rev().fold(0, |key, op| key << 5 | codes[op]);
        }
        list
    }

    fn ops(&self, rank: Rank, list: &List) -> Vec<Op> {
        let code = |at: usize| list.keys[0] >> (5 * at) & 31;
        (0..list.len).map(|at| self.ops_by_code[rank][code(at) as usize]).collect()
    }

    /// Hands over each program of one part, until one is refused. The ranks' numbers are chosen so
    /// that none has a longer list than the one before.
    pub fn for_each<E>(
        &self,
        part: usize,
        mut take: impl FnMut(Vec<Vec<Op>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let first = &self.lists[0][part];
        let shorter = |rank: Rank, than: usize, left: usize| {
            let fits = move |list: &&List| list.len <= than.min(left);
            self.lists[rank].iter().take_while(fits)
        };
        let total = self.bounds.total;
        let mut take = |lists: &[&List]| match self.is_taken(lists) {
            true => {
                take(lists.iter().enumerate().map(|(rank, list)| self.ops(rank, list)).collect())
            }
            false => Ok(()),
        };
        for second in shorter(1, first.len, total - first.len) {
            if self.bounds.size == 2 {
                take(&[first, second])?;
                continue;
            }
            let left = total - first.len - second.len;
            for third in shorter(2, second.len, left) {
                take(&[first, second, third])?;
            }
        }
        Ok(())
    }

    fn is_taken(&self, lists: &[&List]) -> bool {
        let size = lists.len();
        for (rank, list) in lists.iter().enumerate() {
            let (mut sent, mut senders) = (0, 0);
            for (from, other) in lists.iter().enumerate() {
                let sends = other.sends[rank];
                if list.recvs[from] > sends || list.polls[from] && sends == 0 {
                    return false;
                }
                sent += sends;
                senders += u8::from(sends > 0);
            }
            let any = list.recvs_any > 0 || list.polls_any;
            let received = list.recvs.iter().sum::<u8>() + list.recvs_any;
            if received > sent || any && senders < 2 && size > 2 {
                return false;
            }
        }
        // Of all orders that leave the longest lists first, the one with the greatest numbers.
        let mut own = [(0, 0); 3];
        for (place, list) in own.iter_mut().zip(lists) {
            *place = (list.len, list.keys[0]);
        }
        self.orders.iter().enumerate().skip(1).all(|(at, order)| {
            let mut other = [(0, 0); 3];
            for (rank, list) in lists.iter().enumerate() {
                other[order[rank]] = (list.len, list.keys[at]);
            }
            let moved = (0..size).any(|rank| other[rank].0 != own[rank].0);
            moved || other <= own
        })
    }
}
