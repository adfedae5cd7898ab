//! The `runahead` command: a thin top over the library.

#[cfg(target_os = "linux")]
mod bench;
mod info;
#[cfg(target_os = "linux")]
mod pass_on;
#[cfg(target_os = "linux")]
mod run;
mod schedules;
#[cfg(target_os = "linux")]
mod shared;
#[cfg(target_os = "linux")]
mod sys;
mod tune;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

/// A message-passing runtime for bulk-synchronous programs in which a barrier stops nobody.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List what there is to choose from: barrier algorithms, trees, networks, environment.
    Info {
        /// The number of ranks for which steps and signals are counted.
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
        ranks: u16,
    },
    /// Start the ranks of a program as processes, and end as the first of them that fails.
    #[cfg(target_os = "linux")]
    Run(run::Arguments),
    /// Count the hops and signals of every barrier algorithm, beside the papers' formulas.
    Schedules {
        /// Print the page docs/SCHEDULES.md.
        #[arg(long)]
        markdown: bool,
    },
    /// Measure the candidates for a barrier algorithm on this machine.
    Tune {
        /// The numbers of ranks, with commas between them.
        #[arg(long, value_delimiter = ',', default_value = "2,4,8")]
        #[arg(value_parser = clap::value_parser!(u16).range(1..=128))]
        ranks: Vec<u16>,
        /// The time for each number of ranks, in milliseconds.
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=600_000))]
        budget_ms: u32,
        /// Run so many competitors beside the ranks: threads that want a core all the time.
        #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=64))]
        competitors: u16,
        /// Remember what was found, for programs with the algorithm `auto`.
        #[arg(long)]
        remember: bool,
    },
    /// Measure what nonblocking barriers are worth on this machine; see docs/BENCH.md.
    #[cfg(target_os = "linux")]
    #[command(subcommand)]
    Bench(bench::Bench),
    /// What `bench` starts: a rank.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchRank { assignment: String },
    /// What `bench` starts: a load.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchLoad(bench::LoadArgs),
    /// What `bench` starts: an MPI's ranks.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    BenchPeer(bench::PeerArgs),
}

/// How a command that prints itself ends.
#[cfg(target_os = "linux")]
fn exit(result: runahead::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let _ = writeln!(io::stderr(), "error: {error}");
    ExitCode::FAILURE
}

fn main() -> ExitCode {
    let text = match Arguments::parse().command {
        Command::Info { ranks } => info::text(ranks.into()),
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
        Command::BenchPeer(peer) => return exit(bench::as_peer(&peer)),
        Command::Tune { ranks, budget_ms, competitors, remember } => {
            let budget = Duration::from_millis(budget_ms.into());
            match tune::text(&tune::Request { ranks, budget, competitors, remember }) {
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
        // That nobody listens any more is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // If even this cannot be written, the exit code has to do.
            let _ = writeln!(io::stderr(), "error: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
