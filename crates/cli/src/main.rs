//! The `runahead` command: a thin top over the library.

#[cfg(target_os = "linux")]
mod bench;
mod info;
#[cfg(target_os = "linux")]
mod mpi;
#[cfg(target_os = "linux")]
mod pass_on;
#[cfg(target_os = "linux")]
mod reads;
#[cfg(target_os = "linux")]
mod run;
mod schedules;
#[cfg(target_os = "linux")]
mod sys;
mod tune;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
#[cfg(target_os = "linux")]
use runahead_harness as harness;

/// A message-passing runtime for bulk-synchronous programs whose barriers return immediately.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What `tune` measures.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
enum Tuned {
    #[default]
    Barriers,
    #[cfg(target_os = "linux")]
    Collectives,
}

#[derive(Subcommand)]
enum Command {
    /// List the choices: barrier algorithms, trees, networks, environment variables.
    Info {
        /// The number of ranks to count hops and signals for.
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
        ranks: u16,
        /// Print the page docs/OPTIONS.md.
        #[arg(long)]
        markdown: bool,
    },
    /// Start the ranks of a program as processes, and exit as the first one that fails.
    #[cfg(target_os = "linux")]
    Run(run::Arguments),
    /// Count the hops and signals of every barrier algorithm, beside the papers' formulas.
    Schedules {
        /// Print the page docs/SCHEDULES.md.
        #[arg(long)]
        markdown: bool,
    },
    /// Measure the candidates for a barrier algorithm on this machine, or the shapes of collectives.
    Tune {
        /// What to measure.
        #[arg(long, value_enum, default_value_t)]
        what: Tuned,
        /// The numbers of ranks, separated by commas.
        #[arg(long, value_delimiter = ',', default_value = "2,4,8")]
        #[arg(value_parser = clap::value_parser!(u16).range(1..=128))]
        ranks: Vec<u16>,
        /// Collectives: the lengths of data, in bytes [default: 16384,65536,262144,1048576,4194304].
        #[arg(long, value_delimiter = ',')]
        #[arg(value_parser = clap::value_parser!(u32).range(8..=1 << 28))]
        bytes: Option<Vec<u32>>,
        /// Collectives: how often to call each shape [default: 40].
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1000))]
        calls: Option<u16>,
        /// Collectives: measure all shapes as well, to compare.
        #[arg(long)]
        exhaustive: bool,
        /// Barriers: how long to measure each number of ranks, in milliseconds [default: 1000].
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=600_000))]
        budget_ms: Option<u32>,
        /// Barriers: the number of competitors beside the ranks, threads that spin all the time
        /// [default: 0].
        #[arg(long, value_parser = clap::value_parser!(u16).range(0..=64))]
        competitors: Option<u16>,
        /// Store the choices for later jobs: the algorithm for those that use `auto`, the shapes of
        /// collectives for all.
        #[arg(long)]
        remember: bool,
    },
    /// Measure what nonblocking barriers are worth on this machine; see docs/BENCH.md.
    #[cfg(target_os = "linux")]
    #[command(subcommand)]
    Bench(bench::Bench),
    /// A rank that `bench` starts.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchRank { assignment: String },
    /// A load that `bench` starts.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchLoad(bench::LoadArgs),
    /// What `info` starts, to read a word of its memory.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    InfoRead { process: u32, address: u64 },
    /// The ranks on an MPI that `bench` starts.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchPeer(bench::PeerArgs),
}

/// The exit code of a command that prints its own output.
#[cfg(target_os = "linux")]
fn exit(result: runahead::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

fn main() -> ExitCode {
    let text = match Arguments::parse().command {
        Command::Info { markdown: true, .. } => info::markdown(),
        Command::Info { ranks, .. } => info::text(ranks.into()),
        #[cfg(target_os = "linux")]
        Command::Run(arguments) => return run::run(&arguments),
        Command::Schedules { markdown } => schedules::text(markdown),
        #[cfg(target_os = "linux")]
        Command::Bench(bench) => return exit(bench::run(&bench)),
        #[cfg(target_os = "linux")]
        Command::BenchRank { assignment } => return exit(bench::as_rank(&assignment)),
        #[cfg(target_os = "linux")]
        Command::BenchLoad(load) => return exit(bench::as_load(&load)),
        #[cfg(target_os = "linux")]
        Command::InfoRead { process, address } => return exit(reads::read(process, address)),
        #[cfg(target_os = "linux")]
        Command::BenchPeer(peer) => return exit(bench::as_peer(&peer)),
        Command::Tune {
            what,
            ranks,
            bytes,
            calls,
            exhaustive,
            budget_ms,
            competitors,
            remember,
        } => {
            let of_collectives = bytes.is_some() || calls.is_some() || exhaustive;
            let of_barriers = budget_ms.is_some() || competitors.is_some();
            let text = match what {
                Tuned::Barriers if of_collectives => {
                    return refused("--bytes, --calls and --exhaustive need --what collectives");
                }
                #[cfg(target_os = "linux")]
                Tuned::Collectives if of_barriers => {
                    return refused("--budget-ms and --competitors are for --what barriers");
                }
                Tuned::Barriers => tune::barriers::text(&tune::barriers::Request {
                    ranks,
                    budget: Duration::from_millis(budget_ms.unwrap_or(1000).into()),
                    competitors: competitors.unwrap_or(0),
                    remember,
                }),
                #[cfg(target_os = "linux")]
                Tuned::Collectives => tune::collectives::text(&tune::collectives::Request {
                    ranks,
                    bytes: bytes.unwrap_or_else(|| tune::collectives::BYTES.to_vec()),
                    calls: calls.unwrap_or(tune::collectives::CALLS),
                    exhaustive,
                    remember,
                }),
            };
            match text {
                Ok(text) => text,
                Err(error) => {
                    let _ = writeln!(io::stderr(), "error: {error}");
                    return ExitCode::FAILURE;
                }
            }
        }
    };
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that has closed the pipe is not an error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // If this cannot be written either, the exit code must do.
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Arguments that do not go together.
fn refused(message: &str) -> ExitCode {
    let mut command = <Arguments as clap::CommandFactory>::command();
    let error = command.error(clap::error::ErrorKind::ArgumentConflict, message);
    let _ = error.print();
    ExitCode::from(2)
}
