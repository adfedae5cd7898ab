//! `runahead run`: starts a program's ranks, and stands for them until they have ended.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use runahead::launch::LaunchError;
use runahead::launch::job::{Bind, GRACE, Job, Output, Started, network_bytes};
use runahead::{Error, Result};

/// What can be said on the command line.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many ranks to start, whatever number the program names.
    #[arg(short = 'n', long, value_name = "RANKS", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=4096))]
    ranks: u16,
    /// Bind each rank to a core, in turn.
    #[arg(long, value_enum, default_value_t = Cores::None)]
    bind: Cores,
    /// Kill the job after so many seconds, and end with exit code 124.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Begin each line that a rank writes with its number.
    #[arg(long)]
    tag_output: bool,
    /// Say what is started where, and how much memory the network takes.
    #[arg(long, short)]
    verbose: bool,
    /// The program, and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    #[arg(value_name = "PROGRAM")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Cores {
    /// One core for each rank, in turn.
    Cores,
    /// No binding.
    None,
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let seconds = text.parse().map_err(|_| format!("{text:?} is no number of seconds"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err(format!("{text} s is no time that a job can take")),
    }
}

/// Runs the job; its exit code is the command's.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match job(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&error);
            match error {
                Error::Launch(LaunchError::Process { kind: ErrorKind::NotFound, .. }) => 127,
                Error::Launch(LaunchError::Process { .. }) => 126,
                _ => 1,
            }
            .into()
        }
    }
}

fn job(arguments: &Arguments) -> Result<u8> {
    let [program, args @ ..] = &arguments.command[..] else { return Ok(1) };
    let ranks = usize::from(arguments.ranks);
    let mut job = Job::new(ranks, program).args(args);
    job = job.output(Output::Lines { tag: arguments.tag_output });
    job = job.bind(match arguments.bind {
        Cores::Cores => Bind::Cores,
        Cores::None => Bind::None,
    });
    if let Some(limit) = arguments.timeout {
        job = job.timeout(limit);
    }
    if arguments.verbose {
        let mebibytes = network_bytes(ranks)? as f64 / f64::from(1 << 20);
        say(format_args!(
            "{ranks} ranks; the network takes up to {mebibytes:.1} MiB, with the default sizes"
        ));
        job = job.on_start(list);
    }
    job.pass_signals_on()?;
    let report = job.run()?;
    if let (true, Some(limit)) = (report.timed_out, arguments.timeout) {
        say(format_args!("the job was killed after {} s", limit.as_secs_f64()));
    } else if let Some((_, error)) = &report.failure {
        say(error);
        let ended = report.ranks.iter().filter(|rank| rank.ended_by_job).count();
        if ended > 0 {
            let grace = GRACE.as_secs();
            say(format_args!("{ended} other ranks were ended {grace} s after that"));
        }
    }
    // Exit codes have 8 bits; a failure must not look like success.
    let code = report.code();
    Ok(u8::try_from(code & 0xff).ok().filter(|&low| low != 0 || code == 0).unwrap_or(1))
}

fn list(started: &Started) {
    for (rank, pid) in started.pids.iter().enumerate() {
        match started.cores[rank] {
            Some(core) => say(format_args!("rank {rank}: process {pid}, core {core}")),
            None => say(format_args!("rank {rank}: process {pid}")),
        }
    }
}

fn say(what: impl std::fmt::Display) {
    // If even this cannot be written, the exit code has to do.
    let _ = writeln!(io::stderr(), "runahead: {what}");
}
