//! Programs as data: one line of operations as blocking barriers could run it, which is dealt out to
//! the ranks. How one is printed so that it can be pasted into a test.
//!
//! This fixes no meaning: [`super::play`] runs a program through the public interface,
//! [`super::oracle`] says what blocking barriers allow. Which lines are sound is in [`super::nominal`].

use std::fmt;

use serde::{Deserialize, Serialize};

/// What happens next, in one order for all ranks. Ranks are those of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// Sends so many bytes; queued (`isend`), or blocking.
    Send { rank: usize, group: usize, to: usize, tag: u32, bytes: usize, queued: bool },
    /// Receives one more message of a class (see [`Group::class`]), unless polls have had it already.
    Recv { rank: usize, group: usize, from: Option<usize>, tag: Option<u32> },
    /// The same, posted; it is waited for at the [`Complete`].
    Post { rank: usize, group: usize, from: Option<usize>, tag: Option<u32> },
    /// Waits for the `nth` of the receives that are posted and not waited for, oldest first.
    Complete { rank: usize, nth: usize },
    /// Looks for a message, up to so many times, and takes it.
    Poll { rank: usize, group: usize, from: Option<usize>, tag: Option<u32>, times: u16 },
    /// Looks for a message and leaves it there.
    Probe { rank: usize, group: usize, from: Option<usize>, tag: Option<u32> },
    /// Is away for so many microseconds.
    Pause { rank: usize, us: u32 },
    /// Waits for the latest barrier that this rank has called and not waited for.
    Wait { rank: usize },
    /// A barrier of the group. Bit `r` says whether rank `r` tries until it is not refused, and whether
    /// it waits at once.
    Barrier { group: usize, tried: u16, awaited: u16 },
    /// From a rank to all of the group.
    Multicast { group: usize, root: usize, bytes: usize },
    /// A sum that all get, of so many numbers.
    AllReduce { group: usize, count: usize },
    /// Sums over the ranks up to each.
    Scan { group: usize, count: usize },
    /// Everybody sends everybody up to so many bytes, of which only the sender knows how many.
    Exchange { group: usize, bytes: usize },
}
pub use Op::*;

impl Op {
    /// The rank that does it, if one does it alone.
    pub fn rank(&self) -> Option<usize> {
        match *self {
            Send { rank, .. } | Recv { rank, .. } | Post { rank, .. } | Complete { rank, .. } => {
                Some(rank)
            }
            Poll { rank, .. } | Probe { rank, .. } | Pause { rank, .. } | Wait { rank } => {
                Some(rank)
            }
            _ => None,
        }
    }

    /// The group that it is about.
    pub fn group(&self) -> Option<usize> {
        match *self {
            Send { group, .. } | Recv { group, .. } | Post { group, .. } => Some(group),
            Poll { group, .. } | Probe { group, .. } | Barrier { group, .. } => Some(group),
            Multicast { group, .. } | AllReduce { group, .. } => Some(group),
            Scan { group, .. } | Exchange { group, .. } => Some(group),
            Complete { .. } | Pause { .. } | Wait { .. } => None,
        }
    }
}

/// A communicator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its members, in its own order.
    pub members: Vec<usize>,
    /// Whether its receives take any tag. Otherwise those with the tag [`WILD`] take any source, and
    /// others name both.
    pub loose: bool,
}

/// The tag of messages that are received from any source.
pub const WILD: u32 = 2;

/// Messages of one group and one receiver that the same receives take: source and tag, None for any.
/// Each message belongs to one class, and each `Recv` and `Post` names one, so which of several
/// messages a receive gets never decides whether another finds one.
pub type Class = (Option<usize>, Option<u32>);

impl Group {
    pub fn class(&self, from: usize, tag: u32) -> Class {
        match tag {
            _ if self.loose => (Some(from), None),
            WILD => (None, Some(WILD)),
            tag => (Some(from), Some(tag)),
        }
    }
}

/// The sizes and choices of the world. Algorithm, way of waiting and tree are named as users name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub algorithm: String,
    pub notify: String,
    pub tree: String,
    pub window: u32,
    pub signal_window: u32,
    pub bulk_window: u32,
    pub eager_bytes: usize,
    pub open_barriers: usize,
    pub first_epoch: u64,
}

/// A job: its world, its groups (the world first), and what its ranks do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What the faults of a network are drawn from.
    pub seed: u64,
    pub shape: Shape,
    pub groups: Vec<Group>,
    pub line: Vec<Op>,
}

/// What one rank does, with what it need know to check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An operation of its own, or its part of one of the group: the place in the line.
    Do { at: usize, op: Op },
    /// Receives until it has had so many messages of the class, or has receives posted for them.
    Claim { op: Op, total: usize },
    /// A barrier: the how-many-th of its group.
    Enter { at: usize, group: usize, nth: usize, tried: bool, awaited: bool },
}

/// What is fixed of a message. It is named by its place in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub number: usize,
    pub from: usize,
    pub to: usize,
    pub group: usize,
    pub tag: u32,
    pub bytes: usize,
    pub queued: bool,
    /// How many barriers of each group its sender has called before.
    pub after: Vec<usize>,
}

impl Program {
    pub fn size(&self) -> usize {
        self.groups[0].members.len()
    }

    /// What a rank does.
    pub fn steps(&self, rank: usize) -> Vec<Step> {
        let mut claims = vec![Vec::<(Class, usize)>::new(); self.groups.len()];
        let mut barriers = vec![0; self.groups.len()];
        let mut steps = Vec::new();
        for (at, &op) in self.line.iter().enumerate() {
            let joint = op.group().is_some_and(|group| self.groups[group].members.contains(&rank));
            match op {
                Recv { rank: own, group, from, tag } | Post { rank: own, group, from, tag }
                    if own == rank =>
                {
                    let claims = &mut claims[group];
                    let place = claims.iter().position(|(class, _)| *class == (from, tag));
                    let place = place.unwrap_or_else(|| {
                        claims.push(((from, tag), 0));
                        claims.len() - 1
                    });
                    claims[place].1 += 1;
                    steps.push(Step::Claim { op, total: claims[place].1 });
                }
                Barrier { group, tried, awaited } if joint => {
                    let [tried, awaited] = [tried, awaited].map(|ranks| ranks >> rank & 1 == 1);
                    barriers[group] += 1;
                    steps.push(Step::Enter { at, group, nth: barriers[group], tried, awaited });
                }
                op if op.rank() == Some(rank) || op.rank().is_none() && joint => {
                    steps.push(Step::Do { at, op });
                }
                _ => {}
            }
        }
        steps
    }

    /// All messages, in the order of the line.
    pub fn messages(&self) -> Vec<Sent> {
        let mut called = vec![vec![0; self.groups.len()]; self.size()];
        let mut messages = Vec::new();
        for (number, op) in self.line.iter().enumerate() {
            match *op {
                Barrier { group, .. } => {
                    self.groups[group].members.iter().for_each(|&rank| called[rank][group] += 1);
                }
                Send { rank: from, group, to, tag, bytes, queued } => {
                    let after = called[from].clone();
                    messages.push(Sent { number, from, to, group, tag, bytes, queued, after });
                }
                _ => {}
            }
        }
        messages
    }
}

/// What a message holds: the first bytes say which it is, if there is room for that.
pub fn payload(number: usize, bytes: usize) -> Vec<u8> {
    let name = (number as u32).to_le_bytes();
    (0..bytes).map(|at| *name.get(at).unwrap_or(&((at * 7 + number) as u8))).collect()
}

/// The number of a message that holds `bytes`; None if it is too short to say, Err if it is damaged.
pub fn number_in(bytes: &[u8]) -> Result<Option<usize>, String> {
    let Some(name) = bytes.first_chunk() else { return Ok(None) };
    let number = u32::from_le_bytes(*name) as usize;
    if bytes == payload(number, bytes.len()) {
        return Ok(Some(number));
    }
    Err(format!("a message of {} bytes is damaged: {bytes:?}", bytes.len()))
}

/// As Rust, where everything of this file is in scope.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { seed, shape, groups, line } = self;
        writeln!(f, "Program {{\n    seed: {seed},\n    shape: Shape {{")?;
        for (name, value) in
            [("algorithm", &shape.algorithm), ("notify", &shape.notify), ("tree", &shape.tree)]
        {
            writeln!(f, "        {name}: {value:?}.to_owned(),")?;
        }
        let Shape { window, signal_window, bulk_window, eager_bytes, .. } = shape;
        writeln!(f, "        window: {window},\n        signal_window: {signal_window},")?;
        writeln!(f, "        bulk_window: {bulk_window},\n        eager_bytes: {eager_bytes},")?;
        writeln!(f, "        open_barriers: {},", shape.open_barriers)?;
        writeln!(f, "        first_epoch: {},\n    }},\n    groups: vec![", shape.first_epoch)?;
        for Group { members, loose } in groups {
            writeln!(f, "        Group {{ members: vec!{members:?}, loose: {loose} }},")?;
        }
        writeln!(f, "    ],\n    line: vec![")?;
        for op in line {
            writeln!(f, "        {op:?},")?;
        }
        write!(f, "    ],\n}}")
    }
}
