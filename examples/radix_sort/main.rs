//! A parallel radix sort: the program with which pakin-2001 measures what a barrier that stops
//! nobody is worth (§5.1.1, §5.4).
//!
//! Without arguments it sorts random keys in each of the thesis's variants and shows how long they
//! took and how much of that was waiting. With `--input` it sorts a file. The sort is in `sort.rs`;
//! here are its options.

#[path = "../prefix_scan/cluster.rs"]
mod cluster;
mod sort;

use std::process::ExitCode;

use clap::Parser;
use runahead::{Comm, Result};
use runahead_harness::format::Format;
use runahead_harness::options::Options;
use runahead_harness::program::Program;
use runahead_harness::variant::Techniques;

/// Sorts unsigned 32-bit keys on several ranks, and shows what run-ahead barriers are worth
///
/// The variants are cumulative (pakin-2001 table 5.8): base has binary trees, traditional barriers
/// and a dumb exchange; flat has flat trees; nonblocking has barriers that nobody waits at; smart
/// has an exchange that prefers ranks that seem to run; best is what runahead does by default.
#[derive(Parser, Debug)]
#[command(name = "radix_sort")]
struct Args {
    /// How many random keys each rank has
    #[arg(long, value_name = "KEYS", default_value_t = 30_000, conflicts_with = "input")]
    keys: u32,

    /// How many bits are sorted by at a time; each value of them costs a prefix scan (the thesis:
    /// 1)
    #[arg(long, value_name = "BITS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=8))]
    digit_bits: u32,

    /// The format of the files [default: told by the ending, .txt or .u32] [text, u32le]
    #[arg(long, value_name = "FORMAT", value_parser = Format::named::<u32>, requires = "input")]
    format: Option<Format>,

    #[command(flatten)]
    options: Options,
}

struct RadixSort {
    digit_bits: u32,
}

impl Program for RadixSort {
    type Number = u32;
    const ITEMS: &'static str = "keys";
    const DONE: &'static str = "Sorted";
    const SEQUENTIAL: &'static str = "a sequential sort";

    fn parallel(
        &self,
        world: &Comm,
        techniques: &Techniques,
        total: u64,
        mine: &mut [u32],
    ) -> Result<()> {
        let Techniques { barriers, exchange, .. } = techniques;
        sort::radix_sort(world, barriers.wait(), *exchange, total, self.digit_bits, mine)
    }

    fn sequential(&self, all: &mut [u32]) {
        all.sort_unstable();
    }

    fn choices(&self) -> String {
        let s = if self.digit_bits == 1 { "" } else { "s" };
        format!("{} bit{s} at a time", self.digit_bits)
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let program = RadixSort { digit_bits: args.digit_bits };
    runahead_harness::run(&program, &args.options, args.format, args.keys)
}
