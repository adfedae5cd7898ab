//! `runahead run`: starts a program's ranks as processes, forwards their output and signals, and
//! exits with the job's exit code.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use runahead::internals::provider::joined::Hosts;
use runahead::internals::provider::shm::MAX_RANKS;
use runahead::launch::LaunchError;
use runahead::launch::job::{Bind, GRACE, Job, Output, Started, cores, is_within, network_bytes};
use runahead::{Error, Result};

use crate::pass_on::pass_signals_on;

/// The end of `--help`.
const MORE: &str = "\
Each rank is a process. The program may be a script that starts the real program. Rank 0 reads
standard input; the others read end of file.

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
    /// The network between the ranks: shared memory, RDMA devices, or shared memory within hosts
    /// and RDMA between them. (RDMA needs a program built with runahead's feature `ib`.)
    #[arg(long, value_enum)]
    fabric: Option<Fabric>,
    /// The RDMA devices, separated by commas: ranks take one each, in turn. By default each rank
    /// takes the first active one; `runahead info` lists them.
    #[arg(long, value_name = "NAMES", requires = "fabric")]
    device: Option<String>,
    /// The index of a rank's address in the GID table of its RDMA port. By default a suitable one.
    #[arg(long, value_name = "N", requires = "fabric")]
    gid_index: Option<u8>,
    /// The RDMA queue pairs that carry messages: reliably connected, unreliably connected, or
    /// datagrams. The runtime repeats what the latter two lose.
    #[arg(long, value_enum, requires = "fabric")]
    transport: Option<Transport>,
    /// The service level of RDMA traffic, 0 to 15. By default 0.
    #[arg(long, value_name = "N", requires = "fabric", value_parser = clap::value_parser!(u8).range(..=15))]
    service_level: Option<u8>,
    /// The traffic class of RDMA traffic on Ethernet, 0 to 255. By default 0.
    #[arg(long, value_name = "N", requires = "fabric")]
    traffic_class: Option<u8>,
    /// With `--fabric mixed`, which ranks count as being on one host: `2x4` for two hosts with four
    /// ranks each, or a name for each rank, as in `a,a,b,b`. By default ranks with equal host ids
    /// are on one host (`runahead info` prints this host's). Without -n, it also gives the number
    /// of ranks.
    #[arg(long, value_name = "HOSTS", requires = "fabric")]
    hosts: Option<String>,
    /// Print ranks, processes and cores, and how much memory the network takes.
    #[arg(long, short)]
    verbose: bool,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true)]
    #[arg(value_name = "PROGRAM")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fabric {
    /// Shared memory of this host.
    Shm,
    /// RDMA, through libibverbs.
    Ib,
    /// Shared memory within hosts, RDMA between them.
    Mixed,
}

#[derive(Clone, Copy, ValueEnum)]
enum Transport {
    /// Reliably connected: the devices repeat lost packets. The default.
    Rc,
    /// Unreliably connected.
    Uc,
    /// Datagrams.
    Ud,
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
    for (name, value) in network(arguments) {
        job = job.env(name, value);
    }
    let is_rdma = matches!(arguments.fabric, Some(Fabric::Ib | Fabric::Mixed));
    #[cfg(feature = "ib")]
    if is_rdma {
        check_devices(arguments, ranks).map_err(LaunchError::Ib)?;
    }
    if arguments.verbose {
        let network = if arguments.fabric == Some(Fabric::Mixed) {
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
    match (&arguments.hosts, arguments.fabric) {
        (None, _) => Ok(None),
        (Some(list), Some(Fabric::Mixed)) => Ok(Some(list)),
        (Some(_), _) => Err(LaunchError::HostsUnused.into()),
    }
}

/// The environment variables that tell the ranks their network.
fn network(arguments: &Arguments) -> Vec<(&'static str, String)> {
    let Some(fabric) = arguments.fabric else { return Vec::new() };
    let name = match fabric {
        Fabric::Shm => "shm",
        Fabric::Ib => "ib",
        Fabric::Mixed => "mixed",
    };
    let mut set = vec![("RUNAHEAD_FABRIC", name.to_owned())];
    set.extend(arguments.device.iter().map(|names| ("RUNAHEAD_IB_DEVICE", names.clone())));
    let index = arguments.gid_index.map(|index| ("RUNAHEAD_IB_GID_INDEX", index.to_string()));
    set.extend(index);
    let transport = arguments.transport.map(|transport| match transport {
        Transport::Rc => "rc",
        Transport::Uc => "uc",
        Transport::Ud => "ud",
    });
    set.extend(transport.map(|name| ("RUNAHEAD_IB_TRANSPORT", name.to_owned())));
    let level = arguments.service_level.map(|level| ("RUNAHEAD_IB_SL", level.to_string()));
    let class = arguments.traffic_class;
    let class = class.map(|class| ("RUNAHEAD_IB_TRAFFIC_CLASS", class.to_string()));
    set.extend(level.into_iter().chain(class));
    set.extend(arguments.hosts.iter().map(|hosts| ("RUNAHEAD_HOSTS", hosts.clone())));
    set
}

/// What is wrong with the devices is said once, and not by each rank.
#[cfg(feature = "ib")]
fn check_devices(
    arguments: &Arguments,
    ranks: usize,
) -> std::result::Result<(), runahead::internals::provider::ib::IbError> {
    let mut settings = runahead::internals::provider::ib::Settings::default();
    if let Some(names) = &arguments.device {
        settings = settings.with_devices(names);
    }
    if let Some(index) = arguments.gid_index {
        settings = settings.with_gid_index(index.into());
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
