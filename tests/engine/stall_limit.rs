//! After what time a stall is reported, and where: the program's word, the environment's, or neither.
//!
//! The environment of a process must not change while it has threads: each test starts its own program
//! again as another process, whose part is marked by a variable.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use runahead::{Activity, Error, Launch, Whereabouts};

const PART: &str = "RUNAHEAD_TEST_PART";

/// This test program again, to run one test, with a part to play in it.
fn again(test: &str, part: &str, limit: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test =
        format!("{}::{test}", module_path!().split_once("::").expect("a module of the test").1);
    command.args(["--exact", &test, "--nocapture"]).env(PART, part).env("RUNAHEAD_STALL_S", limit);
    command
}

fn part() -> Option<String> {
    std::env::var(PART).ok()
}

#[test]
fn the_program_wins_over_the_environment() {
    let told = |launch: &Launch| {
        let limits = launch.collect(|world| Ok(world.config().stall_after));
        limits.map(|limits| limits[0])
    };
    let (plain, own) = (Launch::new(1), Duration::from_secs(7));
    let explicit = plain.clone().stall_after(own);
    match part().as_deref() {
        None => {
            for (part, limit) in [("wrong", "soon"), ("five", "5"), ("off", "0")] {
                let test = "the_program_wins_over_the_environment";
                let output = again(test, part, limit).output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success() && text.contains("1 passed"), "{part}: {text}");
            }
        }
        Some("wrong") => {
            let error = told(&plain).unwrap_err();
            assert!(
                matches!(&error, Error::Option(error) if error.value.as_deref() == Some("soon"))
            );
            let expected = "RUNAHEAD_STALL_S is \"soon\": expected a whole number of seconds, or 0 for \
                            never";
            assert_eq!(error.to_string(), expected);
            assert_eq!(told(&explicit).unwrap(), own);
        }
        Some("five") => {
            assert_eq!(told(&plain).unwrap(), Duration::from_secs(5));
            assert_eq!(told(&explicit).unwrap(), own);
        }
        Some(_) => {
            assert_eq!(told(&plain).unwrap(), Duration::ZERO);
            assert_eq!(told(&explicit).unwrap(), own);
        }
    }
}

/// Rank 1 reads standard input, which nobody writes to before rank 0 has reported.
#[test]
fn a_report_goes_to_standard_error() {
    if part().is_some() {
        let finished = Launch::new(2).run(|world| {
            if world.rank() == 1 {
                std::io::stdin().lock().read_line(&mut String::new())?;
            }
            world.barrier()?.wait()
        });
        return finished.unwrap();
    }
    let mut command = again("a_report_goes_to_standard_error", "job", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut job = command.spawn().unwrap();
    let errors = BufReader::new(job.stderr.take().unwrap());
    let mut reports = errors.lines().map(Result::unwrap).filter(|line| line.contains("has waited"));
    let report = reports.next().expect("a report");
    assert!(report.starts_with("runahead: rank 0 has waited "), "{report}");
    // The board shows who has not entered, also where that rank does not answer.
    let expected = "in barrier 1 of world; not entered by [1]; rank 1: no answer (computing, or \
                    descheduled)";
    assert!(report.ends_with(expected), "{report}");
    job.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(job.wait().unwrap().success());
    assert_eq!(reports.next(), None);
}

#[test]
fn a_handler_gets_the_report_as_a_value() {
    let told = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let (handler, world_of_one) = (Arc::clone(&told), Launch::new(1));
    let launch = Launch::new(2).stall_after(Duration::from_millis(1)).on_stall(move |report| {
        handler.0.lock().unwrap().push(report.clone());
        handler.1.notify_all();
    });
    assert!(format!("{launch:?}").contains("handler of the program"));
    assert!(format!("{world_of_one:?}").contains("standard error"));
    let finished = launch.run(|world| {
        if world.rank() == 1 {
            let mut reports = told.0.lock().unwrap();
            while reports.is_empty() {
                reports = told.1.wait(reports).unwrap();
            }
        }
        world.barrier()?.wait()
    });
    finished.unwrap();
    let reports = told.0.lock().unwrap();
    let first = &reports[0];
    assert_eq!(first.rank, 0);
    assert!(matches!(first.activity, Activity::Barrier { epoch: 1, .. }));
    assert_eq!(first.others, [(1, Whereabouts::NoAnswer)]);
    assert_eq!(first.not_entered, [1]);
    assert!(first.waited >= Duration::from_millis(1));
}
