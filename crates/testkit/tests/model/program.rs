//! The little language that the models speak: what each rank does, over which groups.
//!
//! This is not a runtime. It fixes no meaning; [`super::machine`] runs a program as runahead does,
//! [`super::reference`] as blocking barriers do.

use std::fmt;

use runahead::internals::order::Rank;

/// What a message says. Unique in its program: the `k`-th send of rank `r` is `10 * (r + 1) + k`.
pub type Value = u8;

/// What a poll that found nothing observes; no message has this value.
pub const NOTHING: Value = 0;

/// What the operations of one rank have returned, in order.
pub type Observed = Vec<Value>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    From(Rank),
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Blocking: waits for a credit, and for the barriers that contain the message.
    Send { to: Rank, value: Value },
    /// Queues.
    Isend { to: Rank, value: Value },
    /// Blocking; observes the value.
    Recv(Source),
    /// Observes the value, or [`NOTHING`].
    Poll(Source),
    /// Returns at once under runahead, unless its entry must be deferred: then it waits first.
    Barrier(usize),
    /// Returns at once under runahead.
    TryBarrier(usize),
    /// Until all own barriers so far have completed.
    Wait,
    /// The group is not used any more; its open barriers go on.
    Drop(usize),
}

pub fn send(to: Rank) -> Op {
    Op::Send { to, value: NOTHING }
}

pub fn isend(to: Rank) -> Op {
    Op::Isend { to, value: NOTHING }
}

pub fn recv(from: Rank) -> Op {
    Op::Recv(Source::From(from))
}

pub fn recv_any() -> Op {
    Op::Recv(Source::Any)
}

pub fn poll(from: Rank) -> Op {
    Op::Poll(Source::From(from))
}

pub fn poll_any() -> Op {
    Op::Poll(Source::Any)
}

pub fn barrier(group: usize) -> Op {
    Op::Barrier(group)
}

pub fn try_barrier(group: usize) -> Op {
    Op::TryBarrier(group)
}

pub fn wait() -> Op {
    Op::Wait
}

pub fn drop_group(group: usize) -> Op {
    Op::Drop(group)
}

impl Op {
    /// The group, if it is a barrier of either kind.
    pub fn barrier_group(self) -> Option<usize> {
        match self {
            Op::Barrier(group) | Op::TryBarrier(group) => Some(group),
            _ => None,
        }
    }

    /// The receiver and the value, if it is a send of either kind.
    pub fn message(self) -> Option<(Rank, Value)> {
        match self {
            Op::Send { to, value } | Op::Isend { to, value } => Some((to, value)),
            _ => None,
        }
    }

    fn source(self) -> Option<Source> {
        match self {
            Op::Recv(source) | Op::Poll(source) => Some(source),
            _ => None,
        }
    }
}

/// One list of operations for each rank, over groups that are named by their index.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Program {
    pub groups: Vec<Vec<Rank>>,
    pub ranks: Vec<Vec<Op>>,
}

impl Program {
    /// Numbers the messages.
    pub fn new(groups: &[&[Rank]], ranks: &[&[Op]]) -> Program {
        let groups = groups.iter().map(|group| group.to_vec()).collect();
        Program::from_lists(groups, ranks.iter().map(|ops| ops.to_vec()).collect())
    }

    pub fn from_lists(groups: Vec<Vec<Rank>>, mut ranks: Vec<Vec<Op>>) -> Program {
        for (rank, ops) in ranks.iter_mut().enumerate() {
            let mut next = 10 * (rank + 1) as Value;
            for op in ops {
                if let Op::Send { value, .. } | Op::Isend { value, .. } = op {
                    next += 1;
                    *value = next;
                }
            }
        }
        Program { groups, ranks }
    }

    pub fn size(&self) -> usize {
        self.ranks.len()
    }

    /// The barriers among the first `pc` operations of a rank: group and epoch, in its own order.
    pub fn barriers_before(&self, rank: Rank, pc: usize) -> impl Iterator<Item = (usize, u64)> {
        let mut counts = vec![0; self.groups.len()];
        self.ranks[rank][..pc].iter().filter_map(move |op| {
            let group = op.barrier_group()?;
            counts[group] += 1;
            Some((group, counts[group]))
        })
    }

    /// Who sends a value, and as its how-many-th operation (from 0).
    pub fn origin(&self, value: Value) -> (Rank, usize) {
        let rank = usize::from(value) / 10 - 1;
        let is_it = |op: &Op| op.message().is_some_and(|(_, sent)| sent == value);
        (rank, self.ranks[rank].iter().position(is_it).expect("every value is sent"))
    }

    /// Whether the rest of a rank's program has a poll or a receive from any source, so that what
    /// it observes may depend on the order of arrivals.
    pub fn has_choice(&self, rank: Rank, pc: usize) -> bool {
        self.ranks[rank][pc..].iter().any(|op| matches!(op, Op::Poll(_) | Op::Recv(Source::Any)))
    }

    /// Whether the rest of a rank's program receives from any source.
    pub fn has_wildcard(&self, rank: Rank, pc: usize) -> bool {
        self.ranks[rank][pc..].iter().any(|op| op.source() == Some(Source::Any))
    }

    /// An operation in words.
    pub fn say(&self, op: Op) -> String {
        let source = |source| match source {
            Source::From(rank) => format!("from {rank}"),
            Source::Any => "from any".to_owned(),
        };
        match op {
            Op::Send { to, value } => format!("send {value} to {to}"),
            Op::Isend { to, value } => format!("isend {value} to {to}"),
            Op::Recv(from) => format!("recv {}", source(from)),
            Op::Poll(from) => format!("poll {}", source(from)),
            Op::Barrier(group) => format!("barrier {:?}", self.groups[group]),
            Op::TryBarrier(group) => format!("try_barrier {:?}", self.groups[group]),
            Op::Wait => "wait".to_owned(),
            Op::Drop(group) => format!("drop {:?}", self.groups[group]),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, ops) in self.ranks.iter().enumerate() {
            let ops: Vec<_> = ops.iter().map(|&op| self.say(op)).collect();
            writeln!(f, "  rank {rank}: {}", ops.join("; "))?;
        }
        Ok(())
    }
}

/// Calls of all ranks, each as one list of operations for each rank, with a barrier between any two.
pub fn all(calls: &[Vec<Vec<Op>>]) -> Program {
    let size = calls[0].len();
    let ranks = (0..size).map(|rank| {
        calls.iter().map(|call| call[rank].clone()).collect::<Vec<_>>().join(&barrier(0))
    });
    Program::from_lists(vec![(0..size).collect()], ranks.collect())
}
