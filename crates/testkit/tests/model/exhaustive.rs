//! Every program up to a size, in every run.
//!
//! How far is set as for the random ones: see [`Scale`].

use runahead::internals::order::{Algorithm, Ordering};

use super::corpus::setting;
use super::enumerate::{Bounds, Programs};
use super::generated::{Tally, how_many};
use super::machine::{Cores, Setting, SharedCores, UNLIMITED};
use super::parallel::spread;
use super::program::*;
use super::protocol::{Real, Rules, Shape};
use super::reference;
use super::refine::{Counterexample, check_sharing};

/// How much is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scale {
    /// Without a word: what a build without optimisation does in seconds.
    Small,
    /// From 3,000 random programs on: what the gate does in minutes, optimised.
    Gate,
    /// From 100,000 on: about an hour.
    Long,
}

pub fn scale() -> Scale {
    match how_many(0) {
        ..3_000 => Scale::Small,
        3_000..100_000 => Scale::Gate,
        _ => Scale::Long,
    }
}

/// Every window that can make a difference: one that is never full is none.
pub fn windows(program: &Program) -> impl Iterator<Item = usize> {
    let sends_to = |ops: &Vec<Op>, to| {
        ops.iter().filter(|op| op.message().is_some_and(|(other, _)| other == to)).count()
    };
    let channels =
        program.ranks.iter().flat_map(|ops| (0..program.size()).map(move |to| sends_to(ops, to)));
    (1..channels.max().unwrap_or(0)).chain([UNLIMITED])
}

/// Every program is run with signals to all and with words that all can see: these two know nothing of
/// one another.
const SHAPES: [Shape; 2] = [Shape::Builtin(Algorithm::AllToAll), Shape::Builtin(Algorithm::Board)];

/// One thread's share.
struct Share {
    tally: Tally,
    setting: Setting<Rules>,
    /// Of each shape.
    cores: Vec<SharedCores<Real>>,
}

impl Share {
    fn new(bounds: &Bounds, setting: Setting<Rules>, shapes: &[Shape]) -> Share {
        let program = Program::from_lists(bounds.groups.clone(), vec![vec![]; bounds.size]);
        let of = |&shape: &Shape| Cores::shared(&program, &Rules { shape, ..setting.rules });
        Share { tally: Tally::default(), setting, cores: shapes.iter().map(of).collect() }
    }

    /// Checks one program with each shape and window.
    fn check(&mut self, program: &Program) -> Result<(), Box<Counterexample>> {
        let unlimited = reference::run(program, UNLIMITED);
        self.tally.programs += 1;
        for cores in &mut self.cores {
            Cores::forget_much(cores, program);
            let rules = *cores.borrow().rules();
            // Words carry no clocks: ranks that disagree about the order of their barriers run on,
            // and nobody notices (BAR-7). Such programs can deadlock.
            let published = rules.shape == Shape::Builtin(Algorithm::Board);
            if published && !unlimited.deadlocks.is_empty() {
                continue;
            }
            for window in windows(program) {
                let setting = Setting { window, rules, ..self.setting };
                let all = |_: &_| true;
                let report =
                    check_sharing::<Real>(program, &unlimited, program, &setting, cores, all)?;
                self.tally.add(&report);
            }
        }
        Ok(())
    }
}

fn every_program(bounds: Bounds) -> Tally {
    let programs = Programs::new(bounds);
    // The longest lists first: they have the most company.
    let parts = programs.parts();
    let check = |share: &mut Share, at| {
        programs.for_each(parts - 1 - at, |lists| {
            let program = Program::from_lists(programs.bounds.groups.clone(), lists);
            share.check(&program).map_err(|wrong| wrong.to_string())
        })
    };
    let start = || Share::new(&programs.bounds, setting(), &SHAPES);
    let tally = Tally::of(spread(parts, start, check, |share| share.tally));
    println!("{:?}\n{tally}", programs.bounds);
    tally
}

/// How many of the programs find a planted fault, without a word about the states between.
fn caught_by(bounds: Bounds, rules: Rules) -> usize {
    let programs = Programs::new(bounds);
    let setting = Setting { rules, checked: false, ..setting() };
    let check = |(share, caught): &mut (Share, usize), at| {
        programs.for_each(at, |lists| {
            let program = Program::from_lists(programs.bounds.groups.clone(), lists);
            // What cannot end tells nothing but between.
            if !reference::run(&program, UNLIMITED).finals.is_empty()
                && let Err(wrong) = share.check(&program)
            {
                *caught += 1;
                if *caught == 1 {
                    println!("{rules:?}\n{wrong}");
                }
            }
            Ok(())
        })
    };
    let start = || (Share::new(&programs.bounds, setting, &[rules.shape]), 0);
    let caught = spread(programs.parts(), start, check, |(_, caught)| caught).iter().sum();
    println!("{:?}, {rules:?}: caught by {caught} programs", programs.bounds);
    caught
}

/// The groups of three ranks: all that can overlap or nest, and so any choice of them, since a
/// group whose barrier nobody calls is none to the program.
fn groups_of_three() -> Vec<Vec<usize>> {
    vec![vec![0, 1], vec![1, 2], vec![0, 2], vec![0, 1, 2]]
}

fn two_ranks(each: usize) -> Bounds {
    Bounds { size: 2, groups: vec![vec![0, 1]], each, total: 2 * each }
}

fn three_ranks(each: usize, total: usize) -> Bounds {
    Bounds { size: 3, groups: groups_of_three(), each, total }
}

/// Every program of two ranks with up to four operations each; three in a small setting, five in a
/// long one.
///
/// SEMANTICS: ORD-3, BAR-1
#[test]
fn every_program_of_two_ranks() {
    let tally = every_program(two_ranks(match scale() {
        Scale::Small => 3,
        Scale::Gate => 4,
        Scale::Long => 5,
    }));
    assert!(tally.promised() > 1000);
}

/// Every program of three ranks with up to two operations each, over all groups of two and three of
/// them; in a small setting those with four operations in all.
///
/// SEMANTICS: ORD-3, BAR-1, CON-1, CON-2
#[test]
fn every_program_of_three_ranks_with_two_operations_each() {
    let total = if scale() >= Scale::Gate { 6 } else { 4 };
    assert!(every_program(three_ranks(2, total)).promised() > 200);
}

/// Every program of three ranks with up to six operations in all, however they are dealt out; four in a
/// small setting, seven in a long one.
///
/// SEMANTICS: ORD-3, BAR-1, CON-1, CON-2
#[test]
fn every_program_of_three_ranks_with_few_operations_in_all() {
    let total = match scale() {
        Scale::Small => 4,
        Scale::Gate => 6,
        Scale::Long => 7,
    };
    assert!(every_program(three_ranks(total, total)).promised() > 400);
}

/// Two operations each are enough to tell the thesis's rules from ours, and a schedule that does without
/// a rank from one that does not.
///
/// SEMANTICS: CON-1, BAR-1
#[test]
fn the_small_programs_find_planted_faults() {
    let rules = Rules { ordering: Ordering::Pakin, ..Rules::default() };
    assert!(caught_by(three_ranks(2, 6), rules) > 0);
    let rules = Rules { shape: Shape::DeafToLast, ..Rules::default() };
    assert!(caught_by(three_ranks(2, 6), rules) > 0);
    assert_eq!(caught_by(three_ranks(2, 4), Rules::default()), 0);
}
