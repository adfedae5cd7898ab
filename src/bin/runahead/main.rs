//! The `runahead` command: a thin top over the library.

mod info;
mod schedules;

use std::io::{self, Write};
use std::process::ExitCode;

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
    /// List what there is to choose from: barrier algorithms, trees, networks.
    Info {
        /// The number of ranks for which steps and signals are counted.
        #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=4096))]
        ranks: u16,
    },
    /// Count the hops and signals of every barrier algorithm, beside the papers' formulas.
    Schedules {
        /// Print the page docs/SCHEDULES.md.
        #[arg(long)]
        markdown: bool,
    },
}

fn main() -> ExitCode {
    let text = match Arguments::parse().command {
        Command::Info { ranks } => info::text(ranks.into()),
        Command::Schedules { markdown } => schedules::text(markdown),
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
