//! The check itself: does runahead refine blocking barriers on this program?
//!
//! Three clauses, and `planted_clauses` has a fault for each that it alone catches:
//!
//! 1. What the ranks have observed when all have ended must be among what they may observe under
//!    blocking barriers with unlimited buffers.
//! 2. Where they can all get stuck, blocking barriers with the same window must be able to get
//!    stuck, too; there or before, if nobody polls.
//! 3. What one rank has observed by then must be the beginning of what it may observe. That is
//!    asked of each rank alone: ranks that got stuck need not have come equally far.
//!
//! No rank takes back what it has observed, and from every state there is a way to one in which
//! nothing more can happen, since each step is an operation done or a thing delivered. So what is
//! asked of the last states of all runs holds for every state before them.
//!
//! The promise is for programs that cannot deadlock under blocking barriers with unlimited buffers.
//! Of the others only the first part is checked.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt;

use super::corpus::setting;
use super::explore::{explore, fewest_steps};
use super::machine::{Cores, Fault, Machine, Setting, SharedCores, UNLIMITED, Whole};
use super::program::{Observed, Op, Program};
use super::protocol::{Protocol, Real, Rules, shapes};
use super::reference::{self, Allowed};

/// More states than any program of the tests has.
const LIMIT: usize = 4_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// All have ended, and have observed this.
    Final(Vec<Observed>),
    /// Nobody can go on, and blocking barriers would not have got stuck here.
    Deadlock(Vec<Observed>),
    /// Stuck; and this rank has observed what it cannot have.
    Partial(usize, Observed),
    /// The protocol reports an error.
    Fault(String),
    /// A state is not what the program says that it should be.
    State(String),
    /// A barrier (group, epoch) is complete at the first rank and not entered by the second.
    Incomplete { group: usize, epoch: u64, at: usize, without: usize },
}

/// A run that blocking barriers do not allow, by the fewest steps.
#[derive(Debug)]
pub struct Counterexample {
    pub program: Program,
    pub window: usize,
    pub wrong: Wrong,
    pub trace: Vec<String>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let window = if self.window == UNLIMITED { "none".into() } else { self.window.to_string() };
        writeln!(f, "window: {window}\n{}trace:", self.program)?;
        for (at, line) in self.trace.iter().enumerate() {
            writeln!(f, "  {:2}. {line}", at + 1)?;
        }
        match &self.wrong {
            Wrong::Final(observed) => {
                writeln!(f, "wrong: all end, with {observed:?}; blocking barriers do not allow it")
            }
            Wrong::Deadlock(observed) => {
                writeln!(f, "wrong: stuck, with {observed:?}; blocking barriers are not")
            }
            Wrong::Partial(rank, observed) => {
                writeln!(f, "wrong: rank {rank} observes {observed:?}; it never could")
            }
            Wrong::Fault(fault) | Wrong::State(fault) => writeln!(f, "wrong: {fault}"),
            Wrong::Incomplete { group, epoch, at, without } => writeln!(
                f,
                "wrong: barrier {epoch} of group {group} is complete at rank {at}, and rank \
                 {without} has not entered it"
            ),
        }
    }
}

/// What was explored.
#[derive(Debug, Default)]
pub struct Report {
    pub states: usize,
    pub finals: BTreeSet<Vec<Observed>>,
    pub deadlocks: BTreeSet<Vec<Observed>>,
    pub faults: BTreeSet<String>,
    /// Blocking barriers with unlimited buffers can deadlock: nothing is promised.
    pub exempt: bool,
}

/// Checks one program with one window.
pub fn check<P: Protocol>(
    program: &Program,
    setting: &Setting<P::Rules>,
) -> Result<Report, Box<Counterexample>> {
    check_for::<P>(program, setting, |_| true)
}

/// Looks for a certain kind of wrong and passes over others.
pub fn check_for<P: Protocol>(
    program: &Program,
    setting: &Setting<P::Rules>,
    sought: impl Fn(&Wrong) -> bool,
) -> Result<Report, Box<Counterexample>> {
    check_against::<P>(program, program, setting, sought)
}

/// Checks one program against what blocking barriers allow another, which says what it should do.
pub fn check_against<P: Protocol>(
    specification: &Program,
    program: &Program,
    setting: &Setting<P::Rules>,
    sought: impl Fn(&Wrong) -> bool,
) -> Result<Report, Box<Counterexample>> {
    let unlimited = reference::run(specification, UNLIMITED);
    let cores = Cores::shared(program, &setting.rules);
    check_sharing::<P>(specification, &unlimited, program, setting, &cores, sought)
}

/// Checks one program of the real protocol against what blocking barriers allow another, with every schedule. Returns what
/// is found with the last.
pub fn explored(specification: &Program, program: &Program) -> Result<Report, Box<Counterexample>> {
    let mut last = None;
    for shape in shapes() {
        let setting = Setting { rules: Rules { shape, ..Rules::default() }, ..setting() };
        last = Some(check_against::<Real>(specification, program, &setting, |_| true)?);
    }
    Ok(last.expect("there is a schedule"))
}

/// As [`check_against`], with what is known already: what the specification allows without a window,
/// and what the protocol does over these groups.
pub fn check_sharing<P: Protocol>(
    specification: &Program,
    unlimited: &Allowed,
    program: &Program,
    setting: &Setting<P::Rules>,
    cores: &SharedCores<P>,
    sought: impl Fn(&Wrong) -> bool,
) -> Result<Report, Box<Counterexample>> {
    // Asked for only where a run gets stuck.
    let with_window = OnceCell::new();
    let same_window = || match setting.window {
        UNLIMITED => unlimited,
        window => with_window.get_or_init(|| reference::run(specification, window)),
    };
    let exempt = !unlimited.deadlocks.is_empty();
    let mut report = Report { exempt, ..Report::default() };
    let mut machine = Machine::<P>::sharing(program, setting.clone(), cores);
    let search = explore(&mut machine, LIMIT, |machine, whole, stuck| {
        let early = setting.checked.then(|| early_completion(machine, program, whole)).flatten();
        if early.as_ref().is_some_and(&sought) {
            return early;
        }
        let wrong =
            stuck.then(|| judge(machine, program, whole, unlimited, &same_window, &mut report));
        wrong.flatten().filter(&sought)
    });
    report.states = search.states;
    let Some((wrong, trace)) = search.found else { return Ok(report) };
    Err(Box::new(Counterexample { program: program.clone(), window: setting.window, wrong, trace }))
}

/// The fewest steps to something wrong, without [`explore`]'s queue: see [`fewest_steps`].
pub fn fewest_steps_to_wrong<P: Protocol>(
    program: &Program,
    setting: &Setting<P::Rules>,
    sought: impl Fn(&Wrong) -> bool,
) -> Option<usize> {
    let unlimited = reference::run(program, UNLIMITED);
    let with_window = reference::run(program, setting.window);
    let exempt = !unlimited.deadlocks.is_empty();
    let mut report = Report { exempt, ..Report::default() };
    let mut machine = Machine::<P>::new(program, setting.clone());
    fewest_steps(&mut machine, |machine, whole, stuck| {
        let early = setting.checked.then(|| early_completion(machine, program, whole)).flatten();
        let wrong = stuck
            .then(|| judge(machine, program, whole, &unlimited, &|| &with_window, &mut report));
        early.as_ref().is_some_and(&sought) || wrong.flatten().as_ref().is_some_and(&sought)
    })
}

// SEMANTICS: BAR-1, BAR-2
fn early_completion<P: Protocol>(
    machine: &Machine<P>,
    program: &Program,
    whole: &Whole,
) -> Option<Wrong> {
    let ranks = machine.ranks(whole).enumerate();
    for (at, entry) in ranks.clone() {
        for (group, members) in program.groups.iter().enumerate() {
            let epoch = entry.progress[group].1;
            let mut others = ranks.clone().filter(|(rank, _)| members.contains(rank));
            let without = others.find(|(_, other)| other.progress[group].0 < epoch);
            if let Some((without, _)) = without {
                return Some(Wrong::Incomplete { group, epoch, at, without });
            }
        }
    }
    None
}

// SEMANTICS: ORD-3
fn judge<'a, P: Protocol>(
    machine: &Machine<P>,
    program: &Program,
    whole: &Whole,
    unlimited: &Allowed,
    same_window: &dyn Fn() -> &'a Allowed,
    report: &mut Report,
) -> Option<Wrong> {
    let observed: Vec<Observed> =
        machine.ranks(whole).map(|entry| entry.local.observed.clone()).collect();
    if let Some(fault) = machine.ranks(whole).find_map(|entry| entry.local.fault.clone()) {
        return match fault {
            Fault::Reported(error) if report.exempt => {
                report.faults.insert(error);
                None
            }
            // Where ranks disagree about the order of their barriers, stamps mean nothing.
            Fault::Early(_) if report.exempt => None,
            Fault::Reported(error) => Some(Wrong::Fault(error)),
            Fault::Found(found) | Fault::Early(found) => Some(Wrong::State(found)),
        };
    }
    if machine.has_ended(whole) {
        let allowed = unlimited.finals.contains(&observed);
        report.finals.insert(observed.clone());
        return (!allowed).then_some(Wrong::Final(observed));
    }
    report.deadlocks.insert(observed.clone());
    if report.exempt {
        return None;
    }
    let mut ranks = observed.iter().enumerate();
    let partial = ranks.find(|(rank, observed)| !unlimited.prefixes[*rank].contains(*observed));
    if let Some((rank, observed)) = partial {
        return Some(Wrong::Partial(rank, observed.clone()));
    }
    // Ranks may have come further: past barriers that the full windows keep from completing, they
    // can still take what was sent before. (By polls one of them may even observe that.)
    let polls = program.ranks.iter().flatten().any(|op| matches!(op, Op::Poll(_)));
    let comes_by = |stuck: &Vec<Observed>| {
        polls || stuck.iter().zip(&observed).all(|(before, now)| now.starts_with(before))
    };
    let known = same_window().deadlocks.iter().any(comes_by);
    (!known).then_some(Wrong::Deadlock(observed))
}
