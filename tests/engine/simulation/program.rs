//! Random programs, and how one is printed so that it can be pasted into a test.

use std::fmt;

use fastrand::Rng;
use runahead::Algorithm;

/// What a rank's program does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Makes a group: its members agree on it, and each makes it when its program has come so far.
    Make(usize),
    /// Drops a group.
    Drop(usize),
    /// Initiates a barrier of a group, as soon as that is possible.
    Barrier(usize),
    /// Sends a message of so many bytes: queued if need be, or tried until it leaves.
    Send { group: usize, to: usize, tag: u32, bytes: usize, queued: bool },
    /// Posts a receive; None takes any.
    Post { group: usize, from: Option<usize>, tag: Option<u32> },
    /// Gives up the oldest posted receive.
    Cancel,
    /// Looks once for a message.
    Poll { group: usize, from: Option<usize>, tag: Option<u32> },
}
pub use Op::*;

/// A whole job: its network, its sizes, and a program for each rank.
#[derive(Clone, Debug)]
pub struct Case {
    /// What schedule and faults are drawn from.
    pub seed: u64,
    pub algorithm: Algorithm,
    pub window: u32,
    pub signal_window: u32,
    pub open_barriers: usize,
    pub first_epoch: u64,
    /// Longest time that a frame is kept back, in polls.
    pub delay: u32,
    /// How many signals of 1000 are lost, and as many come twice.
    pub lossy: u16,
    /// The members of each group, by its id; the world first.
    pub groups: Vec<Vec<usize>>,
    pub programs: Vec<Vec<Op>>,
}

impl Case {
    /// The case that belongs to a seed.
    pub fn random(seed: u64) -> Case {
        let mut rng = Rng::with_seed(seed);
        let size = rng.usize(2..=5);
        let (groups, programs) = programs(&mut rng, size);
        Case {
            seed,
            algorithm: Algorithm::ALL[rng.usize(0..Algorithm::ALL.len())],
            window: [1, 2, 3, 8][rng.usize(0..4)],
            signal_window: [1, 2, 16][rng.usize(0..3)],
            open_barriers: [1, 2, 4, 64][rng.usize(0..4)],
            first_epoch: [0, (1 << 32) - 3, (1 << 47) - 5, (1 << 48) - 4][rng.usize(0..4)],
            delay: [0, 0, 3, 40][rng.usize(0..4)],
            lossy: [0, 0, 0, 100, 300][rng.usize(0..5)],
            groups,
            programs,
        }
    }

    pub fn size(&self) -> usize {
        self.programs.len()
    }

    /// Whether a receive is ever given up, after which what it had may come behind younger ones.
    pub fn cancels(&self) -> bool {
        self.programs.iter().flatten().any(|&op| op == Cancel)
    }

    /// The cases that lack one operation of this one; a barrier at all its members, and a group
    /// with all that is done in it.
    pub fn smaller(&self) -> impl Iterator<Item = Case> + '_ {
        let without_group = (1..self.groups.len()).map(|group| {
            let mut case = self.clone();
            for program in &mut case.programs {
                program.retain(|op| op.group() != Some(group));
            }
            case
        });
        let without_barrier = (0..self.groups.len()).flat_map(move |group| {
            let is_one = move |op: &Op| *op == Barrier(group);
            let member = self.groups[group][0];
            let barriers = self.programs[member].iter().filter(|op| is_one(op)).count();
            (0..barriers).map(move |which| {
                let mut case = self.clone();
                for &member in &self.groups[group] {
                    let program = &mut case.programs[member];
                    let places = (0..program.len()).filter(|&at| is_one(&program[at]));
                    let place = places.collect::<Vec<_>>()[which];
                    program.remove(place);
                }
                case
            })
        });
        let places =
            (0..self.size()).flat_map(|r| (0..self.programs[r].len()).map(move |o| (r, o)));
        let alone = |op: &Op| !matches!(op, Barrier(_) | Make(_));
        let without = places.filter(move |&(r, o)| alone(&self.programs[r][o])).map(|(r, o)| {
            let mut case = self.clone();
            case.programs[r].remove(o);
            case
        });
        let smaller = without_group.chain(without_barrier).chain(without);
        smaller.filter(|case| case.programs != self.programs)
    }
}

impl Op {
    /// The group that it is about.
    fn group(&self) -> Option<usize> {
        match *self {
            Make(group) | Drop(group) | Barrier(group) => Some(group),
            Send { group, .. } | Post { group, .. } | Poll { group, .. } => Some(group),
            Cancel => None,
        }
    }
}

/// The groups, and a program for each rank. What the members of a group do together, they do in one
/// order, as all programs must.
fn programs(rng: &mut Rng, size: usize) -> (Vec<Vec<usize>>, Vec<Vec<Op>>) {
    let mut groups = vec![(0..size).collect::<Vec<_>>()];
    let mut programs = vec![Vec::new(); size];
    let mut live = vec![0];
    let (steps, cancels, several) = (rng.usize(0..16), rng.u8(0..4) == 0, rng.u8(0..3) > 0);
    for step in 0..=steps {
        for (rank, program) in programs.iter_mut().enumerate() {
            for _ in 0..rng.usize(0..7) {
                let own: Vec<usize> =
                    live.iter().copied().filter(|&group| groups[group].contains(&rank)).collect();
                let group = own[rng.usize(0..own.len())];
                program.push(call(rng, rank, group, &groups[group], cancels));
            }
        }
        if step == steps {
            break;
        }
        let op = match rng.u8(0..8) {
            0..2 if several && groups.len() < 7 => {
                let mut members: Vec<usize> = (0..size).filter(|_| rng.u8(0..3) > 0).collect();
                if members.is_empty() {
                    members.push(rng.usize(0..size));
                }
                rng.shuffle(&mut members);
                groups.push(members);
                live.push(groups.len() - 1);
                Make(groups.len() - 1)
            }
            2 if live.len() > 1 => Drop(live.remove(rng.usize(1..live.len()))),
            _ => Barrier(live[rng.usize(0..live.len())]),
        };
        for &member in &groups[op.group().unwrap_or(0)] {
            programs[member].push(op);
        }
    }
    (groups, programs)
}

fn call(rng: &mut Rng, rank: usize, group: usize, members: &[usize], cancels: bool) -> Op {
    let others: Vec<usize> = members.iter().copied().filter(|&other| other != rank).collect();
    let peer = if others.is_empty() { rank } else { others[rng.usize(0..others.len())] };
    let tag = rng.u32(0..2);
    let some = |rng: &mut Rng| rng.bool();
    match rng.u8(0..10) {
        0..6 => {
            // One to itself now and then.
            let to = if rng.u8(0..12) == 0 { rank } else { peer };
            let bytes = [24, 30, 48, 49, 100, 300][rng.usize(0..6)];
            Send { group, to, tag, bytes, queued: rng.bool() }
        }
        6..8 => Post { group, from: some(rng).then_some(peer), tag: some(rng).then_some(tag) },
        8 if cancels => Cancel,
        _ => Poll { group, from: some(rng).then_some(peer), tag: some(rng).then_some(tag) },
    }
}

/// As Rust, to be given to `run::run`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{self:?}").replace('[', "vec![");
        f.write_str(&text.replace("algorithm: ", "algorithm: Algorithm::"))
    }
}
