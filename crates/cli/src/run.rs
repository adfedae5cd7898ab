//! `runahead run`: starts a program's ranks as processes, forwards their output and signals, and
//! exits with the job's exit code.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgMatches, Args, FromArgMatches, ValueEnum};
use runahead::internals::launch::{cores, is_within, network_bytes};
use runahead::internals::options::{OptionInfo, check_option, options};
use runahead::internals::provider::host::Hosts;
use runahead::internals::provider::shm::MAX_RANKS;
use runahead::launch::LaunchError;
use runahead::launch::job::{Bind, GRACE, Job, Output, Started};
use runahead::{Error, Result};

use crate::pass_on::pass_signals_on;

/// The end of `--help`.
const MORE: &str = "\
Each rank is a process. The program may be a script that starts the real program. Rank 0 reads
standard input; the others read end of file. Programs of MPI, and Python's mpi4py, find the
libraries that crates/mpi/install.sh has put beside this command.

Exit code:
  0         all ranks succeeded
  124       the time limit expired
  126, 127  the program cannot be executed, does not exist
  128+N     signal N killed the first rank that failed
  else      that of the first rank that failed; 1 for an error of the command itself, and 2 for a
            wrong command line";

/// The command line.
#[derive(Args)]
#[command(after_help = MORE)]
pub(crate) struct Arguments {
    /// How many ranks to start, 1 to 256; overrides the number in the program.
    /// By default one for each core that the command may use.
    #[arg(short = 'n', long, alias = "np", value_name = "RANKS", value_parser = ranks)]
    ranks: Option<usize>,
    /// Bind ranks in turn to the cores that the command may use. With more ranks than cores, ranks
    /// share cores.
    #[arg(long, alias = "bind-to", value_enum, default_value_t = Cores::None)]
    bind: Cores,
    /// Kill the job after this many seconds, and exit with code 124.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Prefix each line that a rank writes with the rank's number.
    #[arg(long)]
    tag_output: bool,
    /// Print ranks, processes and cores, and how much memory the network takes.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    chosen: Chosen,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true)]
    #[arg(value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// The options of the program that the command line chooses, by their variables.
struct Chosen(Vec<(&'static str, String)>);

impl Chosen {
    fn value(&self, variable: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| *name == variable).map(|(_, value)| &**value)
    }
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Chosen, clap::Error> {
        let flags = options().filter(|option| !option.flag.is_empty());
        let chosen = flags.filter_map(|option| {
            let value = matches.get_one::<String>(option.flag)?;
            Some((option.variable, value.clone()))
        });
        Ok(Chosen(chosen.collect()))
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Chosen::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Chosen {
    /// One flag for each option that has one. Those of a network need that network.
    fn augment_args(command: clap::Command) -> clap::Command {
        let flags = options().filter(|option| !option.flag.is_empty());
        flags.fold(command, |command, option| {
            let OptionInfo { variable, flag, values, default, summary, .. } = option;
            let parser = move |text: &str| match check_option(variable, text) {
                Ok(()) => Ok(text.to_owned()),
                Err(error) => Err(error.why),
            };
            let is_of_network = variable.starts_with("RUNAHEAD_IB_") || flag == "hosts";
            let flag = Arg::new(flag)
                .long(flag)
                .value_name("VALUE")
                .value_parser(parser)
                .help_heading("Options that the program leaves open")
                .help(format!("{}: expects {values} [default: {default}]", sentence(summary)));
            command.arg(if is_of_network { flag.requires("fabric") } else { flag })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Chosen::augment_args(command)
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Cores {
    /// Each rank to one core, in turn.
    #[value(alias = "core")]
    Cores,
    /// No binding.
    None,
}

fn ranks(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(ranks @ 1..=MAX_RANKS) => Ok(ranks),
        Ok(_) => Err(format!("a job has 1 to {MAX_RANKS} ranks")),
        Err(_) if text == "p" => Err("use -n instead of -np".to_owned()),
        Err(_) => Err(format!("expected an integer from 1 to {MAX_RANKS}")),
    }
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let seconds =
        text.parse().map_err(|_| format!("expected a number of seconds, found {text:?}"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err(format!("expected a positive time limit, found {text} s")),
    }
}

/// The same with a capital letter.
fn sentence(summary: &str) -> String {
    let (first, rest) = summary.split_at(1);
    first.to_uppercase() + rest
}

/// Runs the job and returns its exit code.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match job(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&error);
            if let Some(path) = in_this_folder(&arguments.command[0], &error) {
                say(format_args!("did you mean {path}?"));
            }
            match error {
                Error::Launch(LaunchError::Process { kind: ErrorKind::NotFound, .. }) => 127,
                Error::Launch(LaunchError::Process { .. }) => 126,
                _ => 1,
            }
            .into()
        }
    }
}

/// The path of a program that is in the current folder, if it was not found on the PATH.
fn in_this_folder(program: &OsStr, error: &Error) -> Option<String> {
    let here = Path::new(".").join(program);
    let sought = Path::new(program).components().count() == 1 && here.is_file();
    let missing =
        matches!(error, Error::Launch(LaunchError::Process { kind: ErrorKind::NotFound, .. }));
    (sought && missing).then(|| here.display().to_string())
}

fn job(arguments: &Arguments) -> Result<u8> {
    let [program, args @ ..] = &arguments.command[..] else { return Ok(1) };
    if is_within() {
        say(
            "already inside a job of `runahead run`, where each rank would start another job; to do that \
             anyway, use `env -u RUNAHEAD_JOB runahead run ...`",
        );
        return Ok(1);
    }
    let cores = cores()?;
    let hosts = hosts(arguments)?;
    let listed = hosts.and_then(Hosts::ranks_in).filter(|listed| (1..=MAX_RANKS).contains(listed));
    let ranks = arguments.ranks.or(listed).unwrap_or(cores.min(MAX_RANKS));
    if let Some(list) = hosts {
        Hosts::read(list, ranks).map_err(LaunchError::Hosts)?;
    }
    let mut job = Job::new(ranks, program).args(args);
    job = job.output(Output::Lines { tag: arguments.tag_output });
    job = job.bind(match arguments.bind {
        Cores::Cores => Bind::Cores,
        Cores::None => Bind::None,
    });
    if let Some(limit) = arguments.timeout {
        job = job.timeout(limit);
    }
    for (variable, value) in &arguments.chosen.0 {
        job = job.env(*variable, value);
    }
    for (variable, value) in crate::mpi::environment() {
        job = job.env(variable, value);
    }
    let fabric = arguments.chosen.value("RUNAHEAD_FABRIC");
    let is_rdma = matches!(fabric, Some("ib" | "mixed"));
    #[cfg(feature = "ib")]
    if is_rdma {
        check_devices(arguments, ranks).map_err(LaunchError::Ib)?;
    }
    if arguments.verbose {
        let network = if fabric == Some("mixed") {
            "the network is shared memory within hosts and RDMA between them".to_owned()
        } else if is_rdma {
            "the network is RDMA".to_owned()
        } else {
            let mebibytes = network_bytes(ranks)? as f64 / f64::from(1 << 20);
            format!("the network takes up to {mebibytes:.1} MiB with the default sizes")
        };
        let bound = match arguments.bind {
            Cores::None => "not bound, on",
            Cores::Cores if ranks > cores => "several to a core, on",
            Cores::Cores => "each bound to one of",
        };
        say(format_args!("{ranks} ranks, {bound} {cores} cores; {network}"));
        job = job.on_start(list);
    }
    pass_signals_on(&mut job)?;
    let report = job.run()?;
    if let (true, Some(limit)) = (report.timed_out, arguments.timeout) {
        say(format_args!("the job was killed after {} s", limit.as_secs_f64()));
    } else if let Some((_, error)) = &report.failure {
        say(error);
        if let Some((_, error)) = &report.witness {
            say(error);
        }
        let ended = report.ranks.iter().filter(|rank| rank.ended_by_job).count();
        if ended > 0 {
            let (ranks, were) = if ended == 1 { ("rank", "was") } else { ("ranks", "were") };
            let grace = GRACE.as_secs();
            say(format_args!("{ended} other {ranks} {were} terminated {grace} s later"));
        }
    }
    // Exit codes have 8 bits; a failure must not become 0.
    let code = report.code();
    Ok(u8::try_from(code & 0xff).ok().filter(|&low| low != 0 || code == 0).unwrap_or(1))
}

/// The user's `--hosts`.
///
/// # Errors
///
/// If the job has only one network, where it would mean nothing.
fn hosts(arguments: &Arguments) -> Result<Option<&str>> {
    let chosen = &arguments.chosen;
    match (chosen.value("RUNAHEAD_HOSTS"), chosen.value("RUNAHEAD_FABRIC")) {
        (None, _) => Ok(None),
        (Some(list), Some("mixed")) => Ok(Some(list)),
        (Some(_), _) => Err(LaunchError::HostsUnused.into()),
    }
}

/// Checks the devices once, so that not each rank reports the same fault.
#[cfg(feature = "ib")]
fn check_devices(
    arguments: &Arguments,
    ranks: usize,
) -> std::result::Result<(), runahead::internals::provider::ib::IbError> {
    let mut settings = runahead::internals::provider::ib::Settings::default();
    if let Some(names) = arguments.chosen.value("RUNAHEAD_IB_DEVICE") {
        settings = settings.with_devices(names);
    }
    let index = arguments.chosen.value("RUNAHEAD_IB_GID_INDEX");
    if let Some(index) = index.and_then(|index| index.trim().parse().ok()) {
        settings = settings.with_gid_index(index);
    }
    settings.check(ranks)
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
    // If this cannot be written, the exit code must do.
    let _ = writeln!(io::stderr(), "runahead: {what}");
}
