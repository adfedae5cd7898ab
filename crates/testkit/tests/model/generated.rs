//! Random programs of three and four ranks, each in every run; so only their choice is a sample.
//!
//! `RUNAHEAD_TESTS`, or `RUNAHEAD_MODEL_PROGRAMS` alone, sets how many; the first ones are always the same.

use std::collections::BTreeSet;
use std::fmt;

use fastrand::Rng;

use super::corpus::setting;
use super::enumerate::orders;
use super::machine::{Cores, Setting, UNLIMITED};
use super::parallel::spread;
use super::program::*;
use super::protocol::{Real, Rules, shapes};
use super::random::{of_four, of_three, random, wild};
use super::reference;
use super::refine::{Counterexample, Report, check, check_sharing};
use runahead::internals::order::Rank;
use runahead_testkit::effort;

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

    /// Runs of programs to which something is promised.
    pub fn promised(&self) -> usize {
        self.runs - self.exempt
    }

    /// Of several shares together.
    pub fn of(shares: Vec<Tally>) -> Tally {
        let mut all = Tally::default();
        shares.iter().for_each(|share| all.merge(share));
        all
    }

    fn merge(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.runs += other.runs;
        self.states += other.states;
        self.most = self.most.max(other.most);
        self.outcomes += other.outcomes;
        self.stuck += other.stuck;
        self.exempt += other.exempt;
        self.reported += other.reported;
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

/// How many random programs there are; quick tests have `quick`.
pub fn how_many(quick: usize) -> usize {
    effort::number("RUNAHEAD_MODEL_PROGRAMS", [quick as u64, 3_000, 200_000]) as usize
}

pub fn require(found: Result<Report, Box<Counterexample>>) -> Report {
    found.unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Checks one program for each number below `count`, made by `make`, on all cores.
fn every(
    count: usize,
    make: impl Fn(usize) -> (Program, Rules) + Sync,
    windows: &[usize],
) -> Tally {
    let check = |tally: &mut Tally, at| {
        let (program, rules) = make(at);
        let unlimited = reference::run(&program, UNLIMITED);
        let cores = Cores::shared(&program, &rules);
        tally.programs += 1;
        for &window in windows {
            let setting = Setting { rules, window, ..setting() };
            let report =
                check_sharing::<Real>(&program, &unlimited, &program, &setting, &cores, |_| true);
            tally.add(&report.map_err(|wrong| format!("program {at}, {rules:?}\n{wrong}"))?);
        }
        Ok(())
    };
    Tally::of(spread(count, Tally::default, check, |tally| tally))
}

/// Another schedule, limit and time of making the groups for each program.
fn rules_for(at: usize) -> Rules {
    let shapes: Vec<_> = shapes().collect();
    let (shape, more) = (shapes[at % shapes.len()], at / shapes.len());
    Rules { shape, open_limit: 1 + more % 3, late_groups: more % 2 == 1, ..Rules::default() }
}

/// Random programs of three ranks: groups that overlap, nest and share nobody, receives from any
/// source, polls, answers.
///
/// SEMANTICS: ORD-3
#[test]
fn random_programs_of_three_ranks() {
    let count = how_many(600);
    let tally = every(count, |at| (of_three(at), rules_for(at)), &[1, 2, UNLIMITED]);
    println!("three ranks: {tally}");
    assert!(tally.promised() > tally.runs / 2);
}

/// SEMANTICS: ORD-3, BAR-4
#[test]
fn random_programs_of_four_ranks() {
    let count = how_many(300).min(50_000) * 2 / 3;
    let tally = every(count, |at| (of_four(at), rules_for(at)), &[1, 2, UNLIMITED]);
    println!("four ranks: {tally}");
    assert!(tally.promised() > tally.runs / 2);
}

/// SEMANTICS: ORD-3, BAR-7
#[test]
fn wild_programs_of_three_ranks() {
    let make = |at: usize| (wild(&mut Rng::with_seed(at as u64), 3, 4), Rules::default());
    let tally = every(how_many(600) / 2, make, &[UNLIMITED]);
    println!("without a plan: {tally}");
    assert!(tally.reported > 0);
}

/// The core knows its ranks by nothing but being the same or not, so programs that differ only in the
/// numbers of their ranks have the same outcomes; that is why the exhaustive tests take one of them.
///
/// SEMANTICS: ORD-3
#[test]
fn other_names_change_no_outcome() {
    let (mut programs, mut runs) = (0, 0);
    for seed in 0..how_many(600) / 6 {
        let (program, rules) = (of_three(seed), rules_for(seed));
        programs += 1;
        for window in [1, UNLIMITED] {
            let mut run = |program: &Program| {
                runs += 1;
                let report =
                    require(check::<Real>(program, &Setting { rules, window, ..setting() }));
                (report.finals, report.deadlocks)
            };
            let own = run(&program);
            for order in orders(3) {
                let other = renamed(&program, &order);
                let back: Vec<Rank> =
                    (0..3).map(|rank| order.iter().position(|&new| new == rank).unwrap()).collect();
                let (finals, deadlocks) = run(&other);
                let same = |all: &BTreeSet<Vec<Observed>>| -> BTreeSet<Vec<Observed>> {
                    all.iter().map(|observed| renamed_values(observed, &back)).collect()
                };
                // Which of several disagreements is reported depends on who looks first.
                assert_eq!(own, (same(&finals), same(&deadlocks)), "{order:?}\n{program}");
            }
        }
    }
    println!("other names: {programs} programs, {runs} runs");
}

/// The program with `order[rank]` for each rank.
fn renamed(program: &Program, order: &[Rank]) -> Program {
    let name = |source| match source {
        Source::From(rank) => Source::From(order[rank]),
        Source::Any => Source::Any,
    };
    let rename = |&op: &Op| match op {
        Op::Send { to, .. } => send(order[to]),
        Op::Isend { to, .. } => isend(order[to]),
        Op::Recv(source) => Op::Recv(name(source)),
        Op::Poll(source) => Op::Poll(name(source)),
        other => other,
    };
    let mut ranks = vec![Vec::new(); program.size()];
    for (rank, ops) in program.ranks.iter().enumerate() {
        ranks[order[rank]] = ops.iter().map(rename).collect();
    }
    let groups = program.groups.iter().map(|group| group.iter().map(|&r| order[r]).collect());
    Program::from_lists(groups.collect(), ranks)
}

fn renamed_values(observed: &[Observed], order: &[Rank]) -> Vec<Observed> {
    let rename = |&value: &Value| match value {
        NOTHING => NOTHING,
        _ => 10 * (order[usize::from(value) / 10 - 1] + 1) as Value + value % 10,
    };
    let mut ranks = vec![Observed::new(); observed.len()];
    for (rank, values) in observed.iter().enumerate() {
        ranks[order[rank]] = values.iter().map(rename).collect();
    }
    ranks
}

/// Leaving out steps whose order makes no difference leaves out no outcome; signals that come again,
/// or leave late and as one, bring none.
///
/// SEMANTICS: BAR-3
#[test]
fn reduction_repetition_and_delay_change_no_outcome() {
    let (mut reduced, mut full) = <(Tally, Tally)>::default();
    let (mut repeated, mut tardy) = <(Tally, Tally)>::default();
    for seed in 0..how_many(600) as u64 / 4 {
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
