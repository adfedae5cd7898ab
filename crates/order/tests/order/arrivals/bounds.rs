//! All algorithms, with all parameters that make a difference, and the board.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::time::Instant;

use runahead_order::schedule::names;
use runahead_order::{Algorithm, Schedule};

use super::boxes::{Report, Search};
use super::cores::{Core, Published, Setup, Signalled};
use super::full::{Verdict, compare};
use crate::effort;

/// What a correct group shows.
const GOOD: Verdict = Verdict { is_safe: true, is_live: true, is_repaired: true };

/// All algorithms that signal; of those with a parameter, all that it can be below `size`, and the
/// default.
pub fn algorithms(size: usize) -> Vec<Algorithm> {
    let own = names::ALL.iter().filter(|name| !name.is_alias());
    let all = own.flat_map(|name| {
        let few = if name.parameter.is_some() { size as u8 } else { 0 };
        let numbers = (1..few).map(Some).chain([None]);
        numbers.map(|number| name.algorithm(number).expect("in range"))
    });
    let all: Vec<Algorithm> = all.filter(|&algorithm| algorithm != Algorithm::Board).collect();
    for algorithm in Algorithm::ALL.into_iter().filter(|&other| other != Algorithm::Board) {
        assert!(all.contains(&algorithm), "{algorithm} was forgotten");
    }
    all
}

/// The schedules of a size that differ, each with the algorithms that make it.
pub fn schedules(size: usize) -> Vec<(Vec<Algorithm>, Vec<Schedule>)> {
    let mut found: Vec<(Vec<Algorithm>, Vec<Schedule>)> = Vec::new();
    for algorithm in algorithms(size) {
        if found.iter().any(|(names, _)| names.contains(&algorithm)) {
            continue;
        }
        let schedules = Schedule::all(algorithm, size);
        match found.iter_mut().find(|(_, known)| *known == schedules) {
            Some((names, _)) => names.push(algorithm),
            None => found.push((vec![algorithm], schedules)),
        }
    }
    found
}

/// A group in words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct What {
    size: usize,
    epochs: u64,
    open_limit: usize,
    tardy: bool,
    names: String,
}

impl What {
    fn new(names: &[Algorithm], setup: &Setup) -> What {
        let names = names.iter().map(Algorithm::to_string).collect::<Vec<_>>().join(" = ");
        let names = if names.is_empty() { "board, published".to_owned() } else { names };
        let Setup { epochs, open_limit, tardy, .. } = *setup;
        What { size: setup.size(), epochs, open_limit, tardy, names }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let What { size, epochs, open_limit, tardy, names } = self;
        let tardy = if *tardy { ", tardy" } else { "" };
        write!(f, "{size} ranks, {epochs} epochs, {open_limit} open{tardy}: {names}")
    }
}

/// All groups of a size.
fn groups(size: usize, change: impl Fn(&mut Setup)) -> Vec<(What, Setup)> {
    let signalled = schedules(size).into_iter().map(|(names, all)| (names, Setup::of(all)));
    let all = signalled.chain([(Vec::new(), Setup::published(size))]);
    all.map(|(names, mut setup)| {
        change(&mut setup);
        (What::new(&names, &setup), setup)
    })
    .collect()
}

fn search(setup: Setup) -> Report {
    if setup.schedules.is_empty() {
        Search::<Published>::new(setup).run().0
    } else {
        Search::<Signalled>::new(setup).run().0
    }
}

/// Searches all these groups, on as many threads as there are processors, and says what was found.
fn search_all(groups: Vec<(What, Setup)>) {
    let count = groups.len();
    assert!(count > 0, "there is nothing to be searched");
    let left = Mutex::new(groups);
    let found = Mutex::new(BTreeMap::new());
    // CORES: any number; more of them end sooner.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some((what, setup)) = left.lock().expect("no panic").pop() else { break };
                    let start = Instant::now();
                    let report = search(setup);
                    report.require(&what);
                    let took = start.elapsed();
                    found.lock().expect("no panic").insert(what, (report, took));
                }
            });
        }
    });
    let found = found.into_inner().expect("no panic");
    assert_eq!(found.len(), count);
    for (what, (report, took)) in &found {
        let Report { boxes, states, is_exact, locals, .. } = report;
        let most = if *is_exact { "" } else { "at most " };
        println!("{what}: {most}{states} states, {boxes} boxes, {locals} local, {took:.2?}");
    }
}

/// The largest group.
fn most_ranks() -> usize {
    effort::number("RUNAHEAD_ARRIVALS_RANKS", [4, 5, 5]) as usize
}

/// Two barriers, both open at once if one likes.
///
/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-5, BAR-6
#[test]
fn two_barriers_under_every_order_of_arrival() {
    search_all((1..=most_ranks()).flat_map(|size| groups(size, |_| ())).collect());
}

/// Three barriers, of which two may be open; one rank fewer than in the other searches.
///
/// SEMANTICS: BAR-1, BAR-3, BAR-4, BAR-6
#[test]
fn three_barriers_of_which_two_may_be_open() {
    let three = |setup: &mut Setup| setup.epochs = 3;
    search_all((1..most_ranks()).flat_map(|size| groups(size, three)).collect());
}

/// Two barriers, one after the other.
///
/// SEMANTICS: BAR-1, BAR-4, BAR-6
#[test]
fn two_barriers_of_which_one_may_be_open() {
    let one = |setup: &mut Setup| setup.open_limit = 1;
    search_all((1..=most_ranks()).flat_map(|size| groups(size, one)).collect());
}

/// Signals leave when they like, and newer epochs take the place of those that have not left. Three
/// ranks at most: with four there are too many ways to leave late.
///
/// SEMANTICS: BAR-1, BAR-3, BAR-4
#[test]
fn two_barriers_whose_signals_leave_late() {
    let tardy = |setup: &mut Setup| setup.tardy = true;
    search_all((1..=3).flat_map(|size| groups(size, tardy)).collect());
}

/// A group of some of the job, in an order of its own.
///
/// SEMANTICS: BAR-1, BAR-3, BAR-4, CLK-1, CLK-2
#[test]
fn a_group_of_some_ranks_in_another_order() {
    let some = |setup: &mut Setup| {
        setup.job = 5;
        setup.members = vec![4, 1, 2];
    };
    search_all(groups(3, some));
}

fn same<C: Core>(setup: &Setup, what: &What) -> usize {
    let (verdict, states) = compare::<C>(setup, what);
    assert_eq!(verdict, Ok(GOOD), "{what}");
    states
}

/// The boxes hold what the plain search finds, no more and no less; and the plain graph, searched
/// backwards from the end, has no state without a way there.
///
/// SEMANTICS: BAR-1, BAR-4
#[test]
fn boxes_hold_the_states_of_the_plain_search() {
    let three = |setup: &mut Setup| setup.epochs = 3;
    let one = |setup: &mut Setup| setup.open_limit = 1;
    let tardy = |setup: &mut Setup| setup.tardy = true;
    let mut all: Vec<_> = (1..=3).flat_map(|size| groups(size, |_| ())).collect();
    all.extend(groups(2, three));
    all.extend(groups(3, one));
    all.extend(groups(2, tardy));
    let few = effort::bound([1_000, 100_000, 100_000]);
    let larger = groups(4, |_| ()).into_iter().chain(groups(3, three)).chain(groups(3, tardy));
    let before = all.len();
    all.extend(larger.filter(|(_, setup)| search(setup.clone()).states <= few));
    assert!(all.len() > before + 4, "too few of the larger ones are small enough");
    let mut states = 0;
    for (what, setup) in &all {
        states += if setup.schedules.is_empty() {
            same::<Published>(setup, what)
        } else {
            same::<Signalled>(setup, what)
        };
    }
    println!("{} groups, {states} states", all.len());
}
