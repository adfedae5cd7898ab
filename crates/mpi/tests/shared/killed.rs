//! What `killed.c` shows with each library that it is built for, and `killed.f90` in Fortran: the others learn that a rank
//! was killed, in any call.
//! Rules: they end by themselves, in the time that the job gives them; a test that measured it would fail on a busy host.

use std::fs;
use std::path::Path;

use runahead::launch::job::{Exit, Job};

/// A call that `killed.c` knows.
pub struct Call {
    pub name: String,
    /// The functions of which one fails.
    pub functions: Vec<String>,
}

/// All of them.
pub fn calls(source: &Path) -> Vec<Call> {
    let text = fs::read_to_string(source).expect("a program");
    let (_, table) = text.split_once("calls[] = {").expect("a table of calls");
    let entries = table.split_once("};").expect("its end").0.split("{\"").skip(1);
    let words = entries.map(|entry| entry.split('"').collect::<Vec<_>>());
    let call = |words: Vec<&str>| Call {
        name: words[0].to_owned(),
        functions: words[2].split(' ').map(str::to_owned).collect(),
    };
    words.map(call).collect()
}

/// Errors are returned: each of the others writes into a file of this folder that it got one of the right class.
pub fn is_returned(job: Job, folder: &Path, call: &Call, kind: &str) {
    let told = folder.join("told");
    job.env("CALL", &call.name).env("RETURNED", &told).run().expect("a job");
    for rank in [0, 2] {
        let file = folder.join(format!("told.{rank}"));
        let class = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(class, "lost", "{} at rank {rank} with {kind}", call.name);
        fs::remove_file(&file).expect("a file");
    }
}

/// Nobody handles the error: it ends each rank before the job would, and the job names the one that was killed, and the
/// call of another.
pub fn ends_the_job(job: Job, Call { name, functions }: &Call) {
    let report = job.env("CALL", name).run().expect("a job");
    assert!(!report.timed_out, "{name}");
    let (culprit, failure) = report.failure.expect("a failure");
    assert_eq!(failure.to_string(), "rank 1 was killed by signal 9 (SIGKILL)", "{name}");
    assert_eq!(culprit, 1, "{name}");
    for rank in [0, 2] {
        let end = report.ranks[rank];
        let by_itself = matches!(end.exit, Exit::Code(code) if code != 0) && !end.ended_by_job;
        assert!(by_itself, "{name} at rank {rank}: {end:?}");
    }
    // Of the others it may be either: one that followed from the other's end blames that.
    let Some((rank, error)) = report.witness else { panic!("{name}: no call of another") };
    let witness = error.to_string();
    let mut starts = functions.iter().map(|function| format!("rank {rank}: {function}: "));
    let names_both = starts.any(|start| witness.starts_with(&start)) && witness.contains("rank 1 ");
    assert!(rank != 1 && names_both, "{name}: {witness}");
}
