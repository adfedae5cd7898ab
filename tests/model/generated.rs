//! Programs made by rule: all small ones of two ranks, and many random ones of three.
//!
//! `RUNAHEAD_MODEL_PROGRAMS` sets how many random ones; the first ones are always the same.

use std::fmt;

use fastrand::Rng;

use super::corpus::setting;
use super::machine::{Setting, UNLIMITED};
use super::program::*;
use super::protocol::{Real, Rules, shapes};
use super::refine::{Counterexample, Report, check};
use runahead::order::Rank;

/// What was explored, for the log of the tests.
#[derive(Debug, Default)]
pub struct Tally {
    pub programs: usize,
    pub runs: usize,
    pub states: usize,
    pub most: usize,
    /// Distinct outcomes, all programs together.
    pub outcomes: usize,
    /// Runs that can get stuck, and could with blocking barriers.
    pub stuck: usize,
    /// Runs of programs to which nothing is promised.
    pub exempt: usize,
    /// Of these, runs where a disagreement about the order of barriers was reported.
    pub reported: usize,
}

impl Tally {
    pub fn add(&mut self, report: &Report) {
        self.runs += 1;
        self.states += report.states;
        self.most = self.most.max(report.states);
        self.outcomes += report.finals.len();
        self.stuck += usize::from(!report.deadlocks.is_empty());
        self.exempt += usize::from(report.exempt);
        self.reported += usize::from(!report.faults.is_empty());
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { programs, runs, states, most, outcomes, stuck, exempt, reported } = self;
        write!(
            f,
            "{programs} programs, {runs} runs, {states} states (at most {most} in one), {outcomes} \
             outcomes, {stuck} runs can get stuck, {exempt} exempt, {reported} with disagreement"
        )
    }
}

/// Every list of up to `most` operations from the alphabet.
fn lists(alphabet: &[Op], most: usize) -> Vec<Vec<Op>> {
    let mut all = vec![vec![]];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for at in from..to {
            for &op in alphabet {
                let mut longer: Vec<Op> = all[at].clone();
                longer.push(op);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

/// A random program that has a run without deadlock: what could happen under blocking barriers is
/// laid out as one sequence, and dealt out to the ranks. Where a message is polled for, a poll is
/// put somewhere before it was sent, too: a program is the more telling, the more of its polls may
/// find nothing under blocking barriers.
pub fn random(rng: &mut Rng, size: usize, most: usize) -> Program {
    let groups = random_groups(rng, size);
    let mut line: Vec<(Rank, Op)> = Vec::new();
    let mut left = vec![most; size];
    for _ in 0..30 {
        let at = line.len();
        if rng.u8(..5) < 2 {
            let group = rng.usize(..groups.len());
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
        if left[from] == 0 || left[to] == 0 || from == to && (left[to] < 2 || rng.u8(..6) > 0) {
            continue;
        }
        line.push((from, if rng.u8(..4) == 0 { isend(to) } else { send(to) }));
        left[from] -= 1;
        let wildcard = rng.u8(..3) == 0;
        match rng.u8(..8) {
            0..=3 => line.push((to, if wildcard { recv_any() } else { recv(from) })),
            4..=6 => {
                let poll = if wildcard { poll_any() } else { poll(from) };
                line.insert(rng.usize(..=at), (to, poll));
            }
            _ => {
                left[to] += 1;
                continue;
            }
        }
        left[to] -= 1;
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

/// One to three groups, mostly of two ranks, so that they overlap in part.
fn random_groups(rng: &mut Rng, size: usize) -> Vec<Vec<Rank>> {
    let mut group = || {
        let mut ranks: Vec<Rank> = (0..size).collect();
        rng.shuffle(&mut ranks);
        ranks.truncate(match rng.u8(..20) {
            0 => 1,
            1..14 => 2,
            _ => rng.usize(2..=size),
        });
        ranks
    };
    let first = group();
    let mut groups = vec![first, group()];
    if rng.u8(..3) == 0 {
        groups.push((0..size).collect());
    }
    groups
}

/// Operations without any plan: mostly programs that can deadlock, or call barriers in different
/// orders. Nothing is promised to them, but that an outcome is right if there is one.
fn wild(rng: &mut Rng, size: usize, most: usize) -> Program {
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

/// The random programs of the tests, always the same.
pub fn random_programs(count: usize) -> impl Iterator<Item = Program> {
    (0..count as u64).map(|seed| random(&mut Rng::with_seed(seed), 3, 4))
}

pub fn count_from_environment(default: usize) -> usize {
    let asked = std::env::var("RUNAHEAD_MODEL_PROGRAMS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(default)
}

pub fn require(found: Result<Report, Box<Counterexample>>) -> Report {
    found.unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Every program of two ranks with up to three operations each.
///
/// SEMANTICS: ORD-3
#[test]
fn every_small_program_of_two_ranks() {
    let mut tally = Tally::default();
    let for_rank = |other| lists(&[send(other), recv(other), poll(other), barrier(0), wait()], 3);
    let (firsts, seconds) = (for_rank(1), for_rank(0));
    for (at, first) in firsts.iter().enumerate() {
        // The two ranks are alike: programs with their parts swapped are left out.
        for second in &seconds[at..] {
            let lists = vec![first.clone(), second.clone()];
            let program = Program::from_lists(vec![vec![0, 1]], lists);
            tally.programs += 1;
            let sends = |ops: &[Op]| ops.iter().filter(|op| op.message().is_some()).count();
            let most = sends(first).max(sends(second));
            for window in [1, 2, UNLIMITED] {
                // A window that is never full is none.
                if window == UNLIMITED || window < most {
                    tally.add(&require(check::<Real>(&program, &Setting { window, ..setting() })));
                }
            }
        }
    }
    println!("two ranks: {tally}");
}

/// Random programs of three ranks: overlapping groups, receives from any source, polls.
///
/// SEMANTICS: ORD-3
#[test]
fn random_programs_of_three_ranks() {
    let mut tally = Tally::default();
    let shapes: Vec<_> = shapes().collect();
    for (at, program) in random_programs(count_from_environment(600)).enumerate() {
        tally.programs += 1;
        let (shape, more) = (shapes[at % shapes.len()], at / shapes.len());
        let (open_limit, late_groups) = (1 + more % 3, more % 2 == 1);
        let rules = Rules { shape, open_limit, late_groups, ..Rules::default() };
        for window in [1, 2, UNLIMITED] {
            tally.add(&require(check::<Real>(&program, &Setting { rules, window, ..setting() })));
        }
    }
    println!("three ranks: {tally}");
}

/// SEMANTICS: ORD-3, BAR-4
#[test]
fn random_programs_of_four_ranks() {
    let mut tally = Tally::default();
    let shapes: Vec<_> = shapes().collect();
    for seed in 0..count_from_environment(600) as u64 / 6 {
        tally.programs += 1;
        let program = random(&mut Rng::with_seed(seed), 4, 3);
        let rules = Rules { shape: shapes[seed as usize % shapes.len()], ..Rules::default() };
        for window in [1, UNLIMITED] {
            tally.add(&require(check::<Real>(&program, &Setting { rules, window, ..setting() })));
        }
    }
    println!("four ranks: {tally}");
}

/// SEMANTICS: ORD-3, BAR-7
#[test]
fn wild_programs_of_three_ranks() {
    let mut tally = Tally::default();
    for seed in 0..count_from_environment(600) as u64 / 2 {
        tally.programs += 1;
        let program = wild(&mut Rng::with_seed(seed), 3, 4);
        tally.add(&require(check::<Real>(&program, &setting())));
    }
    println!("without a plan: {tally}");
    assert!(tally.reported > 0);
}

/// Leaving out steps whose order makes no difference leaves out no outcome; signals that come again,
/// or leave late and as one, bring none.
///
/// SEMANTICS: BAR-3
#[test]
fn reduction_repetition_and_delay_change_no_outcome() {
    let (mut reduced, mut full) = <(Tally, Tally)>::default();
    let (mut repeated, mut tardy) = <(Tally, Tally)>::default();
    for seed in 0..count_from_environment(600) as u64 / 4 {
        let program = random(&mut Rng::with_seed(seed), 3, 3);
        let run = |setting| require(check::<Real>(&program, &setting));
        let plain = run(setting());
        let again = run(Setting { repeated: true, ..setting() });
        assert_eq!((&plain.finals, &plain.deadlocks), (&again.finals, &again.deadlocks));
        repeated.programs += 1;
        tardy.programs += 1;
        repeated.add(&again);
        let late = run(Setting { tardy: true, ..setting() });
        assert_eq!((&plain.finals, &plain.deadlocks), (&late.finals, &late.deadlocks));
        tardy.add(&late);
        // The full search of the larger ones takes too long.
        if program.ranks.iter().map(Vec::len).sum::<usize>() <= 8 {
            let all = run(Setting { reduced: false, ..setting() });
            assert_eq!((&plain.finals, &plain.deadlocks), (&all.finals, &all.deadlocks));
            full.programs += 1;
            reduced.programs += 1;
            full.add(&all);
            reduced.add(&plain);
        }
    }
    println!("reduced: {reduced}\nfull: {full}\nrepeated: {repeated}\ntardy: {tardy}");
    assert!(full.states > 10 * reduced.states);
}
