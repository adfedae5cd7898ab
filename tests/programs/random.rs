//! Random programs, made to be telling: polls and receives from any source for what is sent behind
//! barriers, ranks that are late, groups that overlap, windows that are full.

use fastrand::Rng;
use runahead::Algorithm;

use super::nominal::Nominal;
use super::program::*;

impl Program {
    /// The program that belongs to a seed.
    pub fn random(seed: u64) -> Program {
        let mut rng = Rng::with_seed(seed);
        let size = [2, 3, 3, 4, 4, 5, 6, 8][rng.usize(..8)];
        let groups = groups(&mut rng, size);
        let shape = shape(&mut rng);
        let mut program = Program { seed, shape, groups, line: Vec::new() };
        let mut nominal = Nominal::new(&program);
        let most = rng.usize(8..24 + 8 * size);
        while program.line.len() < most {
            let op = op(&mut rng, &program);
            if nominal.admit(op) {
                program.line.push(op);
            }
        }
        program.line.extend(nominal.rest());
        if rng.bool() {
            let awaited = (1 << size) - 1;
            program.line.push(Barrier { group: 0, tried: 0, awaited });
        }
        program
    }
}

fn one_of<T: Clone>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.usize(..choices.len())].clone()
}

fn shape(rng: &mut Rng) -> Shape {
    // Every second one on the board, where there is one.
    let algorithm = if rng.bool() { Algorithm::Board } else { one_of(rng, &Algorithm::ALL) };
    Shape {
        algorithm: algorithm.to_string(),
        notify: one_of(rng, &["yield", "block", "spin-then-block", "adaptive", "adaptive"]).into(),
        tree: one_of(rng, &["auto", "flat", "binary", "binomial", "chain"]).into(),
        window: one_of(rng, &[1, 1, 2, 3, 8]),
        signal_window: one_of(rng, &[1, 2, 16]),
        bulk_window: one_of(rng, &[1, 2, 4]),
        eager_bytes: one_of(rng, &[0, 16, 48, 48, 1000]),
        open_barriers: one_of(rng, &[1, 2, 4, 64]),
        first_epoch: one_of(rng, &[0, 0, (1 << 32) - 3, (1 << 47) - 5, (1 << 48) - 4]),
    }
}

/// The world, and up to four more: pairs, nested ones, disjoint ones, the world once more.
fn groups(rng: &mut Rng, size: usize) -> Vec<Group> {
    let mut groups = vec![Group { members: (0..size).collect(), loose: rng.u8(..5) == 0 }];
    for _ in 0..rng.usize(..5) {
        let mut members: Vec<usize> = (0..size).collect();
        rng.shuffle(&mut members);
        members.truncate(match rng.u8(..8) {
            0 => size,
            1 => 1,
            2..6 => 2,
            _ => rng.usize(1..=size),
        });
        groups.push(Group { members, loose: rng.u8(..4) == 0 });
    }
    groups
}

fn op(rng: &mut Rng, program: &Program) -> Op {
    let rank = rng.usize(..program.size());
    let own: Vec<usize> = (0..program.groups.len())
        .filter(|&group| program.groups[group].members.contains(&rank))
        .collect();
    let group = one_of(rng, &own);
    let members = &program.groups[group].members;
    let others: Vec<usize> = members.iter().copied().filter(|&other| other != rank).collect();
    let is_own = others.is_empty() || rng.u8(..16) == 0;
    let peer = if is_own { rank } else { one_of(rng, &others) };
    let tag = one_of(rng, &[0, 0, 1, WILD, WILD]);
    match rng.u8(..40) {
        0..11 => {
            let eager_bytes = program.shape.eager_bytes;
            let sizes = [0, 3, 4, 24, 48, eager_bytes, eager_bytes + 1, 200, 2000];
            let bytes = one_of(rng, &sizes);
            Send { rank, group, to: peer, tag, bytes, queued: rng.bool() }
        }
        11..18 => {
            let (from, tag) = program.groups[group].class(peer, tag);
            Recv { rank, group, from, tag }
        }
        18..20 => {
            let (from, tag) = program.groups[group].class(peer, tag);
            Post { rank, group, from, tag }
        }
        20 => Complete { rank, nth: rng.usize(..3) },
        21..26 => {
            let (from, tag) = wanted(rng, peer, tag);
            Poll { rank, group, from, tag, times: one_of(rng, &[1, 1, 20, 100]) }
        }
        26..28 => {
            let (from, tag) = wanted(rng, peer, tag);
            Probe { rank, group, from, tag }
        }
        28..30 => Pause { rank, us: one_of(rng, &[0, 50, 200, 1000]) },
        30 => Wait { rank },
        31..37 => {
            let all = (1 << program.size()) - 1;
            let few = |rng: &mut Rng| if rng.bool() { 0 } else { rng.u16(..) & rng.u16(..) & all };
            Barrier { group, tried: few(rng), awaited: few(rng) & rng.u16(..) }
        }
        37 => Multicast { group, root: peer, bytes: one_of(rng, &[0, 8, 100, 1500]) },
        38 if rng.bool() => AllReduce { group, count: one_of(rng, &[1, 5, 100]) },
        38 => Scan { group, count: one_of(rng, &[1, 5, 100]) },
        _ => Exchange { group, bytes: one_of(rng, &[0, 20, 300]) },
    }
}

/// What a poll looks for: mostly more than one class.
fn wanted(rng: &mut Rng, peer: usize, tag: u32) -> Class {
    (rng.bool().then_some(peer), rng.bool().then_some(tag))
}
