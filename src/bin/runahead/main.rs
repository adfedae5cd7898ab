//! The `runahead` command: a thin top over the library.

mod info;
mod schedules;

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
    /// List the barrier algorithms, trees and networks, with their limits.
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

fn main() {
    match Arguments::parse().command {
        Command::Info { ranks } => info::print(ranks.into()),
        Command::Schedules { markdown } => schedules::print(markdown),
    }
}
