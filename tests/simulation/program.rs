//! Random programs, and how one is printed so that it can be pasted into a test.

use std::fmt;

use fastrand::Rng;
use runahead::Algorithm;

/// What a rank's program does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Initiates a barrier, as soon as that is possible.
    Barrier,
    /// Sends a message of so many bytes: queued if need be, or tried until it leaves.
    Send { to: usize, tag: u32, bytes: usize, queued: bool },
    /// Posts a receive; None takes any.
    Post { from: Option<usize>, tag: Option<u32> },
    /// Gives up the oldest posted receive.
    Cancel,
    /// Looks once for a message.
    Poll { from: Option<usize>, tag: Option<u32> },
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
    pub programs: Vec<Vec<Op>>,
}

impl Case {
    /// The case that belongs to a seed.
    pub fn random(seed: u64) -> Case {
        let mut rng = Rng::with_seed(seed);
        let size = rng.usize(2..=5);
        let barriers = rng.usize(0..12);
        let cancels = rng.u8(0..4) == 0;
        let programs = (0..size).map(|rank| program(&mut rng, rank, size, barriers, cancels));
        let programs = programs.collect();
        Case {
            seed,
            algorithm: Algorithm::ALL[rng.usize(0..Algorithm::ALL.len())],
            window: [1, 2, 3, 8][rng.usize(0..4)],
            signal_window: [1, 2, 16][rng.usize(0..3)],
            open_barriers: [1, 2, 4, 64][rng.usize(0..4)],
            first_epoch: [0, (1 << 32) - 3, (1 << 47) - 5, (1 << 48) - 4][rng.usize(0..4)],
            delay: [0, 0, 3, 40][rng.usize(0..4)],
            lossy: [0, 0, 0, 100, 300][rng.usize(0..5)],
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

    /// The cases that lack one operation of this one; a barrier at all ranks.
    pub fn smaller(&self) -> impl Iterator<Item = Case> + '_ {
        let barriers = self.programs[0].iter().filter(|&&op| op == Barrier).count();
        let without_barrier = (0..barriers).map(|which| {
            let mut case = self.clone();
            for program in &mut case.programs {
                let places = (0..program.len()).filter(|&at| program[at] == Barrier);
                let place = places.collect::<Vec<_>>()[which];
                program.remove(place);
            }
            case
        });
        let places =
            (0..self.size()).flat_map(|r| (0..self.programs[r].len()).map(move |o| (r, o)));
        let without = places.filter(|&(r, o)| self.programs[r][o] != Barrier).map(|(r, o)| {
            let mut case = self.clone();
            case.programs[r].remove(o);
            case
        });
        without_barrier.chain(without)
    }
}

fn program(rng: &mut Rng, rank: usize, size: usize, barriers: usize, cancels: bool) -> Vec<Op> {
    let mut program = Vec::new();
    for superstep in 0..=barriers {
        for _ in 0..rng.usize(0..7) {
            let peer = (rank + rng.usize(1..size)) % size;
            let tag = rng.u32(0..2);
            let some = |rng: &mut Rng| rng.bool();
            program.push(match rng.u8(0..10) {
                0..6 => {
                    // One to itself now and then.
                    let to = if rng.u8(0..12) == 0 { rank } else { peer };
                    let bytes = [24, 30, 48, 49, 100, 300][rng.usize(0..6)];
                    Send { to, tag, bytes, queued: rng.bool() }
                }
                6..8 => Post { from: some(rng).then_some(peer), tag: some(rng).then_some(tag) },
                8 if cancels => Cancel,
                _ => Poll { from: some(rng).then_some(peer), tag: some(rng).then_some(tag) },
            });
        }
        if superstep < barriers {
            program.push(Barrier);
        }
    }
    program
}

/// As Rust, to be given to `run::run`.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{self:?}").replace('[', "vec![");
        f.write_str(&text.replace("algorithm: ", "algorithm: Algorithm::"))
    }
}
