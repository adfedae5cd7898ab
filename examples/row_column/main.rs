//! What containment costs a code whose ranks form rows and columns.
//!
//! A rank that ran ahead of a barrier of its row must not be noticed by ranks of other rows. So a
//! barrier of its column, and a message to another row, wait for it: as a traditional barrier would
//! have made them wait, and not longer. This program measures that, with the same work and the same
//! messages under both kinds of barrier, run in turn, and checks all received data.

mod grid;

use std::process::ExitCode;

use clap::Parser;
use comfy_table::{CellAlignment, Table, presets};
use runahead::{Algorithm, Error, Launch, Result};
use runahead_harness::load::Competitors;
use runahead_harness::measure::{Sample, measure, median};
use runahead_harness::terminal::{exit, print};
use runahead_harness::work::Work;

use crate::grid::{Grid, Pattern};

/// Measures what run-ahead barriers are worth where ranks form rows and columns
///
/// In the pattern `barriers` each step is: compute, barrier of the row, barrier of the column. In
/// the pattern `messages` it is: compute, barrier of the row, a message to the next row, and the
/// receipt of the previous row's.
#[derive(Parser, Debug)]
#[command(name = "row_column")]
struct Args {
    /// How many rows the ranks form
    #[arg(long, value_name = "ROWS", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=16))]
    rows: u16,

    /// How many columns
    #[arg(long, value_name = "COLUMNS", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=16))]
    columns: u16,

    /// How many steps a run has
    #[arg(long, value_name = "STEPS", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,

    /// How long a rank computes in a step, on a core of its own, in microseconds
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 10_000)]
    work_us: u32,

    /// By how much the ranks' work differs, at random, in percent of that
    #[arg(long, value_name = "PERCENT", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    imbalance: u8,

    /// How often each is run; the run with the median time is shown
    #[arg(long, value_name = "RUNS", default_value_t = 7)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// The barrier algorithm [default: board]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<Algorithm>,

    /// Run so many competitors beside the ranks: threads that want a core all the time
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=1024))]
    competitors: u16,
}

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

fn run(args: &Args) -> Result<()> {
    let work = Work::agreed(args.work_us, args.imbalance)?;
    // Traditional barriers, and those that return at once.
    let kinds = [true, false];
    let mut table = Table::new();
    let header = ["pattern", "traditional", "waiting", "run-ahead", "waiting", "ratio"];
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for pattern in [Pattern::Barriers, Pattern::Messages] {
        let mut samples = [Vec::new(), Vec::new()];
        for _ in 0..args.runs {
            for (wait, samples) in kinds.into_iter().zip(&mut samples) {
                samples.push(one_run(args, &work, pattern, wait)?);
            }
        }
        let [traditional, run_ahead] = samples.map(|samples| median(&samples));
        if let (Some(traditional), Some(run_ahead)) = (traditional, run_ahead) {
            let each = |ns: u64| format!("{:.2} ms", ns as f64 / 1e6 / f64::from(args.steps));
            table.add_row([
                pattern.name().to_owned(),
                each(traditional.time_ns),
                each(traditional.wait_ns),
                each(run_ahead.time_ns),
                each(run_ahead.wait_ns),
                format!("{:.2}", run_ahead.time_ns as f64 / traditional.time_ns as f64),
            ]);
        }
    }
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    let Args { rows, columns, steps, work_us, imbalance, competitors, .. } = args;
    print(format_args!(
        "{rows} rows of {columns} ranks, {steps} steps of {work_us} us of work, differing by \
         {imbalance} %, {competitors} competitors\n{table}\nTime: of a step, the slowest rank's, in \
         the median run. Waiting: inside calls, the mean over the ranks."
    ))
}

fn one_run(args: &Args, work: &Work, pattern: Pattern, wait: bool) -> Result<Sample> {
    let (rows, columns) = (usize::from(args.rows), usize::from(args.columns));
    let launch = Launch::new(rows * columns).algorithm(args.algorithm.unwrap_or_default());
    let ranks = launch.collect(|world| {
        let _beside = Competitors::beside(world, args.competitors.into())?;
        let mut grid = Grid::new(world, columns, pattern, wait)?;
        let ((), sample) = measure(world, || grid.run(args.steps, work))?;
        Ok(sample)
    })?;
    ranks.into_iter().flatten().next().ok_or_else(|| Error::other("rank 0 measured nothing"))
}
