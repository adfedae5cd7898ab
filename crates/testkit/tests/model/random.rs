//! Programs made by lot, the same ones for the same seed, and what is in them.
//!
//! A program that has a run without deadlock is what tells something, and what one gets by dealing out
//! operations blindly is mostly none. So a run under blocking barriers is made up first.

use fastrand::Rng;

use super::program::*;
use runahead::internals::order::Rank;

/// A random program that has a run without deadlock: what could happen under blocking barriers is
/// laid out as one sequence, and dealt out to the ranks. Where a message is polled for, a poll is
/// put somewhere before it was sent, too: a program is the more telling, the more of its polls may
/// find nothing under blocking barriers.
pub fn random(rng: &mut Rng, size: usize, most: usize) -> Program {
    let groups = random_groups(rng, size);
    let mut line: Vec<(Rank, Op)> = Vec::new();
    let mut left = vec![most; size];
    for _ in 0..30 {
        if rng.u8(..5) < 2 {
            // Rather one that has not been called yet.
            let is_new =
                |&group: &usize| !line.iter().any(|(_, op)| op.barrier_group() == Some(group));
            let new = (0..groups.len()).find(is_new).filter(|_| rng.bool());
            let group = new.unwrap_or_else(|| rng.usize(..groups.len()));
            if groups[group].iter().all(|&member| left[member] > 0) {
                for &member in &groups[group] {
                    let queues = rng.bool();
                    line.push((member, if queues { try_barrier(group) } else { barrier(group) }));
                    left[member] -= 1;
                }
            }
            continue;
        }
        let (from, to) = (rng.usize(..size), rng.usize(..size));
        if from == to && rng.u8(..6) > 0 {
            continue;
        }
        if message(rng, &mut line, &mut left, from, to) && from != to && rng.u8(..3) == 0 {
            // An answer, which says that the message was seen.
            message(rng, &mut line, &mut left, to, from);
        }
    }
    let mut ops: Vec<Vec<Op>> = vec![Vec::new(); size];
    for (rank, op) in line {
        ops[rank].push(op);
    }
    for list in &mut ops {
        if list.len() < most && rng.u8(..6) == 0 {
            list.insert(rng.usize(..=list.len()), wait());
        }
        // What is not used any more may be dropped.
        let last = list.iter().rposition(|op| op.barrier_group().is_some());
        if let Some(last) = last.filter(|_| rng.u8(..6) == 0) {
            let group = list[last].barrier_group().expect("it is a barrier");
            list.insert(rng.usize(last + 1..=list.len()), drop_group(group));
        }
    }
    Program::from_lists(groups, ops)
}

/// Adds a message and mostly what takes it, if both ranks have operations left for that. Returns
/// whether its receiver takes it behind all that the line had before.
fn message(
    rng: &mut Rng,
    line: &mut Vec<(Rank, Op)>,
    left: &mut [usize],
    from: Rank,
    to: Rank,
) -> bool {
    let at = line.len();
    if left[from] == 0 || left[to] == 0 || from == to && left[to] < 2 {
        return false;
    }
    line.push((from, if rng.u8(..4) == 0 { isend(to) } else { send(to) }));
    left[from] -= 1;
    let wildcard = rng.u8(..3) == 0;
    let taken = match rng.u8(..8) {
        0..=3 => {
            line.push((to, if wildcard { recv_any() } else { recv(from) }));
            true
        }
        4..=6 => {
            let poll = if wildcard { poll_any() } else { poll(from) };
            line.insert(rng.usize(..=at), (to, poll));
            false
        }
        _ => return false,
    };
    left[to] -= 1;
    taken
}

/// Two groups that stand to one another in a way drawn by lot, and sometimes a third.
pub fn random_groups(rng: &mut Rng, size: usize) -> Vec<Vec<Rank>> {
    let mut ranks: Vec<Rank> = (0..size).collect();
    rng.shuffle(&mut ranks);
    let mut groups = match rng.u8(..8) {
        // They overlap in part.
        0..=2 => {
            let shared = rng.usize(1..size - 1);
            let end = rng.usize(shared + 1..size);
            vec![ranks[..end].to_vec(), ranks[shared..].to_vec()]
        }
        // One lies within the other.
        3..=4 => {
            let outer = rng.usize(3..=size);
            vec![ranks[..outer].to_vec(), ranks[..rng.usize(2..outer)].to_vec()]
        }
        // They share nobody.
        5..=6 => {
            let end = rng.usize(2..size);
            vec![ranks[..end].to_vec(), ranks[end..].to_vec()]
        }
        // They are the same, or of one rank.
        _ => {
            let end = rng.usize(1..size);
            vec![ranks[..end].to_vec(), ranks[..2].to_vec()]
        }
    };
    if rng.u8(..3) == 0 {
        groups.push(if rng.bool() { (0..size).collect() } else { ranks[1..].to_vec() });
    }
    for group in &mut groups {
        rng.shuffle(group);
    }
    rng.shuffle(&mut groups);
    groups
}

/// Operations without any plan: mostly programs that can deadlock, or call barriers in different
/// orders. Nothing is promised to them, but that an outcome is right if there is one.
pub fn wild(rng: &mut Rng, size: usize, most: usize) -> Program {
    let groups = random_groups(rng, size);
    let mut list = |rank: Rank| -> Vec<Op> {
        let own: Vec<usize> = (0..groups.len()).filter(|&g| groups[g].contains(&rank)).collect();
        let mut op = || {
            let peer = rng.usize(..size);
            match rng.u8(..8) {
                0..=2 if !own.is_empty() => try_barrier(own[rng.usize(..own.len())]),
                3 => isend(peer),
                4 => send(peer),
                5 => recv(peer),
                6 => poll_any(),
                _ => poll(peer),
            }
        };
        (0..most).map(|_| op()).collect()
    };
    let ops = (0..size).map(&mut list).collect();
    Program::from_lists(groups, ops)
}

/// The random programs of three ranks, always the same.
pub fn of_three(seed: usize) -> Program {
    random(&mut Rng::with_seed(seed as u64), 3, 4)
}

/// Those of four.
pub fn of_four(seed: usize) -> Program {
    random(&mut Rng::with_seed(seed as u64), 4, 3)
}

type IsThere = fn(&Program) -> bool;

/// What the programs are to be telling about.
const FEATURES: [(&str, IsThere); 9] = [
    ("barriers of groups that overlap in part", |program| {
        has_pair(program, |a, b| shares(a, b) && !within(a, b) && !within(b, a))
    }),
    ("barriers of nested groups", |program| {
        has_pair(program, |a, b| within(a, b) && a.len() < b.len())
    }),
    ("barriers of disjoint groups", |program| has_pair(program, |a, b| !shares(a, b))),
    ("receive from any", |program| has(program, |op| op == recv_any())),
    ("poll from any", |program| has(program, |op| op == poll_any())),
    ("poll", |program| has(program, |op| matches!(op, Op::Poll(_)))),
    ("isend or try_barrier", |program| {
        has(program, |op| matches!(op, Op::Isend { .. } | Op::TryBarrier(_)))
    }),
    ("a message that is answered", is_answered),
    ("a window of one can be full", |program| {
        super::exhaustive::windows(program).any(|window| window == 1)
    }),
];

fn has(program: &Program, is_it: impl Fn(Op) -> bool) -> bool {
    program.ranks.iter().flatten().any(|&op| is_it(op))
}

fn shares(a: &[Rank], b: &[Rank]) -> bool {
    a.iter().any(|rank| b.contains(rank))
}

fn within(a: &[Rank], b: &[Rank]) -> bool {
    a.iter().all(|rank| b.contains(rank))
}

/// Whether two groups whose barriers are called stand so to one another.
fn has_pair(program: &Program, stand: impl Fn(&[Rank], &[Rank]) -> bool) -> bool {
    let is_called = |group: &usize| has(program, |op| op.barrier_group() == Some(*group));
    let called: Vec<usize> = (0..program.groups.len()).filter(is_called).collect();
    called
        .iter()
        .any(|&a| called.iter().any(|&b| a != b && stand(&program.groups[a], &program.groups[b])))
}

/// Whether some rank takes what may be another's message and sends to it afterwards, while that one
/// takes what may be its answer after it has sent.
fn is_answered(program: &Program) -> bool {
    let takes = |op: &Op, from: Rank| match *op {
        Op::Recv(source) => source == Source::Any || source == Source::From(from),
        _ => false,
    };
    let sends = |op: &Op, to: Rank| op.message().is_some_and(|(other, _)| other == to);
    let pairs = (0..program.size()).flat_map(|a| (0..program.size()).map(move |b| (a, b)));
    pairs.filter(|(asks, answers)| asks != answers).any(|(asks, answers)| {
        let (first, second) = (&program.ranks[asks], &program.ranks[answers]);
        let sent = first.iter().position(|op| sends(op, answers));
        let seen = second.iter().position(|op| takes(op, asks));
        let is_seen =
            |&at: &usize| first[at..].iter().any(|op| takes(op, answers) || *op == poll(answers));
        sent.filter(is_seen).is_some()
            && seen.is_some_and(|at| second[at..].iter().any(|op| sends(op, asks)))
    })
}

/// The generator makes each of these in one of ten programs at least, of three ranks and of four.
#[test]
fn random_programs_have_each_feature_often_enough() {
    let count = 3000;
    for (size, make) in [(3, of_three as fn(usize) -> Program), (4, of_four)] {
        for (name, is_there) in FEATURES {
            let found = (0..count).filter(|&seed| is_there(&make(seed))).count();
            println!("{size} ranks: {name}: {found} of {count} programs");
            assert!(found * 10 >= count, "{size} ranks, {name}: only {found} of {count}");
        }
    }
    // A program without any of it has none of it.
    let plain = Program::new(&[&[0, 1]], &[&[barrier(0), send(1)], &[barrier(0), recv(0)]]);
    assert!(FEATURES.iter().all(|(_, is_there)| !is_there(&plain)));
}
