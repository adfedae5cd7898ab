//! Procedure 5.1 of pakin-2001: barrier, compute, and again; nothing else.
//!
//! The thesis asks with it how much unresponsiveness there is (§5.2): all ranks do the same work,
//! and still some barriers take long, since the operating system had taken a rank off its core.
//! This program asks in addition what a barrier that returns at once makes of that. No rank receives
//! anything, so ranks run ahead as far as `Options::open_barriers` allows: the best case.

mod calls;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use runahead::{Comm, Error, Result};
use runahead_harness::barriers::Barriers;
use runahead_harness::measure::{Sample, measure};
use runahead_harness::terminal::{exit, print};
use runahead_harness::two_ways::{Options, compare};
use runahead_harness::work::Work;

use crate::calls::Calls;

/// Calls barriers with computation between them, and shows what each kind of barrier costs
///
/// Procedure 5.1 of Pakin's thesis: each rank calls a barrier, computes for a given time, and so
/// on.
#[derive(Parser, Debug)]
#[command(name = "barrier")]
struct Args {
    /// How many steps a run has: one barrier and one computation each
    #[arg(long, value_name = "STEPS", default_value_t = 2000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,

    /// How long a rank computes in a step, on a core of its own, in microseconds
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 200)]
    work_us: u32,

    /// All ranks compute equally long, as in the thesis: the default
    #[arg(long)]
    balanced: bool,

    /// By how much the ranks' work differs, at random, in percent of it
    #[arg(long, value_name = "PERCENT", default_value_t = 0, conflicts_with = "balanced")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    imbalance: u8,

    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<()> {
    let Args { steps, work_us, imbalance, .. } = *args;
    let work = Work::agreed(work_us, imbalance)?;
    let mut calls: Vec<(Barriers, Calls)> =
        args.options.kinds().into_iter().map(|kind| (kind, Calls::default())).collect();
    let balance = match imbalance {
        0 => "balanced".to_owned(),
        percent => format!("differing by {percent} %"),
    };
    let choices = format!("{steps} steps of {work_us} us of work, {balance}");
    compare(&args.options, &choices, steps, |barriers| {
        let ranks = args.options.job().collect(|world| {
            let _beside = args.options.beside(world)?;
            one_run(world, &work, steps, barriers)
        })?;
        let Some((sample, made)) = ranks.into_iter().flatten().next() else {
            return Err(Error::other("rank 0 measured nothing"));
        };
        calls.iter_mut().filter(|(kind, _)| *kind == barriers).for_each(|(_, all)| *all += made);
        Ok(sample)
    })?;
    print(format_args!("How long a call took, of all ranks and runs:\n{}", calls::table(&calls)))
}

/// Procedure 5.1 at one rank. At rank 0: how long it took, and the calls of all ranks.
fn one_run(
    world: &Comm,
    work: &Work,
    steps: u32,
    barriers: Barriers,
) -> Result<Option<(Sample, Calls)>> {
    let (mine, sample) = measure(world, || {
        let mut calls = Calls::default();
        for step in 0..steps {
            let begin = Instant::now();
            let barrier = world.barrier()?;
            if barriers.wait() {
                barrier.wait()?;
            }
            calls.add(begin.elapsed());
            work.compute(world.rank(), step);
        }
        Ok(calls)
    })?;
    Ok(sample.zip(mine.reduce(world)?))
}
