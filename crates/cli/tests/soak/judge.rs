//! Judges the outcome of a job that a fault has met. The verdict depends on the observations alone.

use std::time::Duration;

use crate::case::{Case, Fault, Form, Starter};
use crate::job::{Hit, Ran};
use crate::witness::{self, Failure, Report};

/// The outcome of a job that behaved as documented.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accepted {
    /// Whether the job succeeded with the right result; otherwise it failed as documented.
    pub well: bool,
    /// Whether the launcher has ended ranks that ran on. `runahead run` does so after 2 s, which a
    /// busy machine may use up. It is counted, and is no fault of a single job.
    pub ended_by_launcher: bool,
    /// The time from the kill to the error of each rank, as the rank reports it.
    pub had_their_error_after: Vec<Duration>,
}

/// The result of a job, if it has one.
fn result(case: &Case, ran: &Ran) -> Option<Vec<u8>> {
    match case.form {
        Form::Example => ran.written.clone(),
        Form::Witness => witness::result(&ran.out),
    }
}

/// The right result, from an undisturbed job. If it cannot be computed otherwise, the job's own
/// result counts as right.
///
/// # Errors
///
/// All complaints about the job.
pub fn undisturbed(case: &Case, ran: &Ran) -> Result<Vec<u8>, Vec<String>> {
    let result = result(case, ran).unwrap_or_default();
    let right = case.right().unwrap_or_else(|| result.clone());
    let mut wrong = always(ran);
    wrong.extend(well(case, ran, &right));
    if wrong.is_empty() { Ok(right) } else { Err(wrong) }
}

/// Judges a job with a fault.
///
/// # Errors
///
/// All complaints about the job.
pub fn judge(case: &Case, ran: &Ran, right: &[u8]) -> Result<Accepted, Vec<String>> {
    let mut wrong = always(ran);
    let mut accepted = Accepted::default();
    match (case.fault, &ran.hit) {
        (Fault::Kill, Some(hit)) if ran.code != Some(0) && ran.hung.is_none() => {
            accepted.ended_by_launcher = ran.err.lines().any(is_of_ending);
            wrong.extend(failed(case, ran, hit, right));
            if case.form == Form::Witness {
                let reports = Report::all(&ran.out);
                let begun = witness::begun(&ran.out);
                let (times, more) = blame(case, hit, &begun, &reports, accepted.ended_by_launcher);
                accepted.had_their_error_after = times;
                wrong.extend(more);
            }
        }
        _ => {
            accepted.well = true;
            wrong.extend(well(case, ran, right));
        }
    }
    if wrong.is_empty() { Ok(accepted) } else { Err(wrong) }
}

/// Complaints about a job that hangs or leaves something behind.
fn always(ran: &Ran) -> Vec<String> {
    let hung = ran.hung.iter().map(|places| format!("it hangs:\n{places}"));
    let left = ran.left.iter().map(|what| format!("it has left {what}"));
    hung.chain(left).collect()
}

/// Complaints about a job that must succeed with the right result.
fn well(case: &Case, ran: &Ran, right: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    if (ran.code, ran.signal) != (Some(0), None) {
        wrong.push(format!("it ended with code {:?}, signal {:?}", ran.code, ran.signal));
    }
    if !ran.err.is_empty() {
        wrong.push("it wrote errors".to_owned());
    }
    match result(case, ran) {
        None => wrong.push("it has no result".to_owned()),
        Some(result) if result != right => wrong.push("its result is wrong".to_owned()),
        Some(_) => {}
    }
    if case.form == Form::Example && !ran.out.contains("Checked: ") {
        wrong.push("it did not say that its result was checked".to_owned());
    }
    wrong
}

/// Whether this is the line in which a launcher reports that it has ended ranks.
fn is_of_ending(line: &str) -> bool {
    let own = line.contains(" ran on ") && line.ends_with(" ended");
    line.starts_with("runahead: ")
        && (own || line.contains(" other rank") && line.ends_with(" s later"))
}

/// Complaints about a job that must fail as documented for a killed rank.
fn failed(case: &Case, ran: &Ran, hit: &Hit, right: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    let told = format!("rank {} was killed by signal 9 (SIGKILL)", hit.victim);
    let prefix = if case.form == Form::Witness { "Error" } else { "error" };
    let lines: Vec<&str> = ran.err.lines().filter(|line| !is_of_ending(line)).collect();
    let by_program = format!("{prefix}: {told}");
    let (code, expected) = match case.starter {
        Starter::Itself => (1, vec![by_program]),
        // The program reports it too, at rank 0, unless that is the victim.
        Starter::Command if hit.victim == 0 => (137, vec![format!("runahead: {told}")]),
        Starter::Command => (137, vec![by_program, format!("runahead: {told}")]),
    };
    if ran.code != Some(code) {
        wrong.push(format!("code {:?}, signal {:?}, and not {code}", ran.code, ran.signal));
    }
    let without_rank_0 = case.starter == Starter::Command && lines[..] == expected[1..];
    let ended = ran.err.lines().any(is_of_ending);
    // A rank 0 that was ended reports nothing, nor does one that had ended well before: it has told the result then.
    let had_ended = result(case, ran).is_some_and(|result| result == right);
    if lines != expected && !(without_rank_0 && (ended || had_ended)) {
        wrong.push(format!("its errors are not {expected:?}"));
    }
    if ended && case.starter == Starter::Itself {
        wrong.push("ranks ran on until they were ended".to_owned());
    }
    // A result that was finished before the fault must be right.
    if result(case, ran).is_some_and(|result| result != right) {
        wrong.push("it failed, and its result is wrong".to_owned());
    }
    wrong
}

/// Checks the reports of the ranks that were not killed and whose program has `begun`. Each must
/// report how it ended. Each error must blame the victim, or a rank that failed since it needed the
/// victim. Returns the times of the errors, and the complaints.
///
/// SEMANTICS: END-2
fn blame(
    case: &Case,
    hit: &Hit,
    begun: &[usize],
    reports: &[Report],
    some_were_ended: bool,
) -> (Vec<Duration>, Vec<String>) {
    let (mut times, mut wrong) = (Vec::new(), Vec::new());
    let of = |rank: usize| reports.iter().find(|report| report.rank == rank);
    for rank in (0..case.ranks).filter(|&rank| rank != hit.victim) {
        let Some(report) = of(rank) else {
            if begun.contains(&rank) && !some_were_ended {
                wrong.push(format!("rank {rank} did not say how it ended"));
            }
            continue;
        };
        let Some(failure) = &report.failure else { continue };
        times.push(Duration::from_nanos(failure.at_ns.saturating_sub(hit.at_ns)));
        if !leads_to(failure, hit.victim, case.ranks, of) {
            let (culprit, message) = (failure.culprit, &failure.message);
            wrong.push(format!("rank {rank} blames {culprit:?}: {message}"));
        }
    }
    (times, wrong)
}

/// Whether the chain of blame leads to the victim.
fn leads_to<'a>(
    failure: &Failure,
    victim: usize,
    ranks: usize,
    of: impl Fn(usize) -> Option<&'a Report>,
) -> bool {
    let mut culprit = failure.culprit;
    for _ in 0..ranks {
        match culprit {
            Some(rank) if rank == victim => return true,
            Some(rank) => {
                culprit = of(rank).and_then(|report| report.failure.as_ref()?.culprit);
            }
            None => return false,
        }
    }
    false
}
