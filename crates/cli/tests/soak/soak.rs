//! Runs all cases of the soak, one after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use runahead_testkit::effort;

use crate::case::{Case, FAULTS, Fault, PROGRAMS, Program};
use crate::job::{self, Disturbance, Folder, LIMITS, Limits, Ran};
use crate::judge::{Accepted, judge, undisturbed};
use crate::table::Table;

/// The number of wrong cases of a kind after which the rest is skipped.
const ENOUGH: u32 = 5;

fn variable(name: &str, usual: u64) -> u64 {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return usual };
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("{name} must be a whole number, and is {text:?}"))
}

/// A trial for each fault and program, and the table that they fill.
pub fn trials() -> (Vec<Trial>, Arc<Mutex<Table>>) {
    let seed = variable("RUNAHEAD_SOAK_SEED", 1);
    let count = effort::number("RUNAHEAD_SOAK", [1, 2, 50]);
    let count = u32::try_from(count).expect("a number of cases");
    let only = std::env::var("RUNAHEAD_SOAK_CASE").unwrap_or_default();
    let table = Arc::new(Mutex::new(Table::default()));
    let mut trials = Vec::new();
    for fault in FAULTS {
        for program in PROGRAMS {
            let name = format!("{}/{}", fault.name(), program.name());
            let numbers = match only.strip_prefix(&format!("{name}/")) {
                _ if only.is_empty() => 0..count,
                Some(number) => {
                    let number = number.parse().expect("RUNAHEAD_SOAK_CASE ends with a number");
                    number..number + 1
                }
                None => continue,
            };
            let table = Arc::clone(&table);
            let soak = move || all(seed, fault, program, numbers, &table);
            trials.push(Trial::test(name, soak));
        }
    }
    assert!(!trials.is_empty(), "RUNAHEAD_SOAK_CASE={only}: there is no such case");
    (trials, table)
}

fn all(
    seed: u64,
    fault: Fault,
    program: Program,
    numbers: std::ops::Range<u32>,
    table: &Mutex<Table>,
) -> Result<(), Failed> {
    // A user who asks for cases gets to see the progress.
    let asked = ["RUNAHEAD_SOAK", "RUNAHEAD_SOAK_CASE"].map(std::env::var_os) != [None, None];
    let mut wrong = 0;
    for number in numbers {
        let case = Case::drawn(seed, fault, program, number);
        if asked {
            eprintln!("{case}");
        }
        let Seen { alone, ran, verdict } = one(&case, LIMITS);
        if asked {
            let (alone, took, hit) = (alone.took, ran.took, ran.hit.is_some());
            eprintln!("    {alone:.1?} alone, {took:.1?} with it, met {hit}");
        }
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        table.row(fault, program).add(alone.took, &ran, verdict.as_ref());
        drop(table);
        if let Err(faults) = verdict {
            wrong += 1;
            eprintln!("{}", told(&case, &ran, &faults));
        }
        if wrong == ENOUGH {
            break;
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} cases are wrong, see above").into()) }
}

/// A case that was run.
pub struct Seen {
    /// The time that the job took without its fault.
    pub alone: Ran,
    /// The outcome with the fault.
    pub ran: Ran,
    pub verdict: Result<Accepted, Vec<String>>,
}

/// Runs a case: first undisturbed, then with its fault.
pub fn one(case: &Case, limits: Limits) -> Seen {
    let run = |disturbance: Option<&Disturbance>| {
        let folder = Folder::new();
        job::run(case.command(&folder), &folder, disturbance, limits)
    };
    let alone = run(None);
    let right = match undisturbed(case, &alone) {
        Ok(right) => right,
        Err(mut wrong) => {
            wrong.insert(0, "even undisturbed".to_owned());
            return Seen { ran: alone.clone(), alone, verdict: Err(wrong) };
        }
    };
    let at = alone.took.mul_f64(case.moment);
    let what = Disturbance { at, victim: case.victim, manner: case.manner.clone() };
    let ran = run(Some(&what));
    let verdict = judge(case, &ran, &right);
    Seen { alone, ran, verdict }
}

/// The report of a case that went wrong.
fn told(case: &Case, ran: &Ran, faults: &[String]) -> String {
    let Ran { code, signal, took, out, err, hit, .. } = ran;
    let indented =
        |text: &str| text.lines().map(|line| format!("      {line}\n")).collect::<String>();
    format!(
        "wrong: {case}\n{}    code {code:?}, signal {signal:?}, after {took:?}, hit {hit:?}\n    \
         output:\n{}    errors:\n{}    again: {}\n",
        faults.iter().map(|fault| format!("    {fault}\n")).collect::<String>(),
        indented(out),
        indented(err),
        case.again()
    )
}

/// Prints the table. Returns whether enough faults met a running job.
pub fn conclude(table: &Mutex<Table>) -> bool {
    let table = table.lock().unwrap_or_else(PoisonError::into_inner);
    if table.is_empty() {
        return true;
    }
    println!("{}", table.text());
    let wrong = [table.too_late(), table.too_often_ended()].concat();
    wrong.iter().for_each(|wrong| println!("wrong: {wrong}"));
    wrong.is_empty()
}

/// Short limits for tests of the soak, whose jobs are known to hang.
pub const SHORT: Limits = Limits {
    after_kill: Duration::from_secs(3),
    after_all: Duration::from_secs(120),
    after_end: Duration::from_secs(2),
};
