//! A parallel prefix scan, in two forms: one written as for a machine without delays, one written
//! for clusters (pakin-2001 §5.1.1, §5.3).
//!
//! Without arguments it scans random numbers in each of the thesis's variants and shows how long
//! they took and how much of that was waiting. With `--input` it scans a file. The scans are in
//! `naive.rs` and `cluster.rs`; here are their options.

mod cluster;
mod naive;
mod operator;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use runahead::{Comm, Result};
use runahead_harness::format::Format;
use runahead_harness::options::Options;
use runahead_harness::program::Program;
use runahead_harness::variant::Techniques;

use crate::operator::Operator;

/// Scans unsigned 64-bit numbers on several ranks, and shows what run-ahead barriers are worth
///
/// Each number is replaced by the combination of all up to it. The variants are cumulative
/// (pakin-2001 table 5.8): base has binary trees, traditional barriers and a dumb exchange; flat
/// has flat trees; nonblocking has barriers that nobody waits at; smart has a smart exchange; best
/// is what runahead does by default. A scan has neither trees nor exchanges: base and flat differ
/// by chance only, and so do nonblocking and smart.
#[derive(Parser, Debug)]
#[command(name = "prefix_scan")]
struct Args {
    /// How many random numbers each rank has [default: 3000 for naive, 500000 for cluster]
    #[arg(long, value_name = "ELEMENTS", conflicts_with = "input")]
    elements: Option<u32>,

    /// Which scan
    #[arg(long, value_name = "KIND", default_value = "cluster")]
    variant: Kind,

    /// How two numbers are combined; sums wrap around at 2^64
    #[arg(long, value_name = "OPERATOR", default_value = "sum")]
    op: Operator,

    /// The format of the files [default: told by the ending, .txt or .u64] [text, u64le]
    #[arg(long, value_name = "FORMAT", value_parser = Format::named::<u64>, requires = "input")]
    format: Option<Format>,

    #[command(flatten)]
    options: Options,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Algorithm 5.3: each element travels in a message of its own
    Naive,
    /// Algorithm 5.4: one element of each rank travels
    Cluster,
}

struct PrefixScan {
    kind: Kind,
    operator: Operator,
}

/// The tag of a scan's messages.
const SCAN_TAG: u32 = 16;

impl Program for PrefixScan {
    type Number = u64;
    const ITEMS: &'static str = "elements";
    const DONE: &'static str = "Scanned";
    const SEQUENTIAL: &'static str = "a sequential scan";

    fn parallel(
        &self,
        world: &Comm,
        techniques: &Techniques,
        total: u64,
        mine: &mut [u64],
    ) -> Result<()> {
        let wait = techniques.barriers.wait();
        let (op, identity) = (self.operator.function(), self.operator.identity());
        match self.kind {
            Kind::Naive => naive::naive_scan(world, wait, total, SCAN_TAG, mine, op),
            Kind::Cluster => cluster::cluster_scan(world, wait, SCAN_TAG, mine, identity, op),
        }
    }

    fn sequential(&self, all: &mut [u64]) {
        let op = self.operator.function();
        for at in 1..all.len() {
            all[at] = op(all[at - 1], all[at]);
        }
    }

    fn choices(&self) -> String {
        let kind = match self.kind {
            Kind::Naive => "naive",
            Kind::Cluster => "cluster",
        };
        format!("{kind} scan with {}", self.operator.name())
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let program = PrefixScan { kind: args.variant, operator: args.op };
    let each = args.elements.unwrap_or(match args.variant {
        Kind::Naive => 3_000,
        Kind::Cluster => 500_000,
    });
    runahead_harness::run(&program, &args.options, args.format, each)
}
