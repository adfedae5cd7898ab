//! Starts the ranks of a sample as a job: this program again, once for each rank, with the hidden
//! subcommand `bench-rank`. With `--threads` it is one process whose ranks are threads.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use runahead::launch::job::Job;
use runahead::{Algorithm, Error, Launch, Result};

use super::apps::{self, RankReport};
use super::names::{App, techniques};
use super::task::{Assignment, Task};
use crate::sys;

/// The name of the hidden subcommand.
pub(crate) const RANK: &str = "bench-rank";
/// The environment variable that tells a rank how to wait.
const NOTIFY: &str = "RUNAHEAD_NOTIFY";

/// Runs a sample, and returns the reports of its ranks, in rank order.
///
/// # Errors
///
/// If the ranks cannot be started, or one of them fails.
pub(crate) fn run(assignment: &Assignment) -> Result<Vec<RankReport>> {
    let program = std::env::current_exe()?;
    let text = serde_json::to_string(assignment).map_err(Error::other)?;
    if assignment.threads {
        return in_one_process(program, &text, notify(assignment));
    }
    let job = Job::new(assignment.ranks, program).args([RANK, &text]);
    match notify(assignment) {
        Some(notify) => job.env(NOTIFY, notify).collect(),
        None => job.collect(),
    }
}

/// Runs a process whose ranks are threads. It prints their reports.
fn in_one_process(program: PathBuf, text: &str, notify: Option<String>) -> Result<Vec<RankReport>> {
    let mut command = Command::new(program);
    command.args([RANK, text]).stdin(Stdio::null()).stderr(Stdio::piped());
    if let Some(notify) = notify {
        command.env(NOTIFY, notify);
    }
    let output = command.output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Error::other(why.trim().trim_start_matches("error: ").to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(Error::other)
}

fn notify(assignment: &Assignment) -> Option<String> {
    match assignment.task {
        // The user's environment chooses.
        Task::Micro { .. } | Task::Overlap { .. } | Task::Collectives { .. } => None,
        _ => Some(assignment.way.notify.to_string()),
    }
}

/// The hidden subcommand: a rank of a job, or all of them as threads.
///
/// # Errors
///
/// Those of the ranks.
pub(crate) fn as_rank(text: &str) -> Result<()> {
    let assignment: Assignment = serde_json::from_str(text).map_err(Error::other)?;
    // A rank of a job ends with the job anyway.
    if assignment.threads && !sys::end_with_parent(assignment.parent) {
        return Err(Error::other("its parent has ended"));
    }
    sys::stay_on(&assignment.cores)?;
    let launch = Launch::new(assignment.ranks);
    let launch = match algorithm(&assignment) {
        Some(algorithm) => launch.algorithm(algorithm),
        None => launch,
    };
    if !assignment.threads {
        // The job reports its error.
        return match launch.collect(|world| apps::run(world, &assignment)) {
            Ok(_) => Ok(()),
            Err(_) => std::process::exit(1),
        };
    }
    let told = launch.threads().collect(|world| apps::run(world, &assignment))?;
    let text = serde_json::to_string(&told).map_err(Error::other)?;
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn algorithm(assignment: &Assignment) -> Option<Algorithm> {
    let app = match assignment.task {
        Task::RadixSort { .. } => App::RadixSort,
        Task::NaturalSort { .. } => App::NaturalSort,
        Task::PrefixScan { .. } => App::PrefixScan,
        Task::Barrier { .. } => App::Barrier,
        Task::AllReduceLoop { .. } => App::AllReduceLoop,
        Task::HaloLoop { .. } => App::HaloLoop,
        Task::Stencil { .. } => App::Stencil,
        Task::Micro { .. }
        | Task::Overlap { .. }
        | Task::Collectives { .. }
        | Task::Messages { .. } => return None,
    };
    Some(techniques(app, assignment.way.variant).algorithm)
}
