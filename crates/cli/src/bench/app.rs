//! `runahead bench app`: runs a program in several ways, and compares them.

use std::path::PathBuf;

use clap::Args;
use runahead::{Error, Result};
use serde::Serialize;
use std::collections::BTreeMap;

use super::load::Loads;
use super::names::{App, Load, Notify, Order, Variant, Way};
use super::progress::Progress;
use super::sample::{Bench, Cell, Series, interleave};
use super::task::Task;
use super::{plot, report};
use crate::harness::output::Output;

/// The command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct AppArgs {
    /// The program
    #[arg(long)]
    app: App,

    /// The number of ranks
    #[arg(long, value_name = "RANKS", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    ranks: u16,

    /// The load beside the ranks
    #[arg(long, default_value = "none")]
    load: Load,

    /// The variants to compare, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "base,flat,nonblocking,smart,best")]
    variants: Vec<Variant>,

    /// How ranks wait, separated by commas: every variant runs with each
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "yield,block,adaptive")]
    notify: Vec<Notify>,

    /// The number of samples of each
    #[arg(long, value_name = "RUNS", default_value_t = 11)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,

    /// The order of the actions in a step of the stencil [default: overlap]
    #[arg(long)]
    order: Option<Order>,

    /// Write the results to a file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Plot the samples and their medians into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Let the ranks be threads of one process
    #[arg(long)]
    threads: bool,

    /// Divide the sizes by this
    #[arg(long, hide = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
}

/// The content of the `--json` file; users rely on it.
#[derive(Serialize)]
struct Results {
    app: App,
    ranks: usize,
    load: Load,
    runs: usize,
    variants: BTreeMap<String, Figures>,
}

#[derive(Serialize)]
struct Figures {
    notify: Notify,
    median_s: f64,
    min_s: f64,
    max_s: f64,
    samples_s: Vec<f64>,
    wait_s: f64,
}

/// Takes the samples and prints them.
///
/// # Errors
///
/// If a file cannot be written, or a sample cannot be taken.
pub(crate) fn run(args: &AppArgs) -> Result<()> {
    if args.order.is_some() && args.app != App::Stencil {
        return Err(Error::other(format!(
            "--order is for the stencil; {} has one order",
            args.app
        )));
    }
    // Before the work, so that a file that cannot be written is an error at once.
    let json = args.json.as_deref().map(Output::create).transpose()?;
    let picture = args.plot.as_deref().map(Output::create).transpose()?;

    let order = args.order.unwrap_or(Order::Overlap);
    let cell = Cell { app: args.app, order, ranks: args.ranks.into(), load: args.load };
    let bench = Bench::new(cell, Task::of(args.app, order, args.scale), args.threads);
    report::print(report::heading(&bench))?;

    let ways = ways(&args.variants, &args.notify);
    let runs = usize::from(args.runs);
    let mut rows: Vec<(Way, Series)> = ways.iter().map(|&way| (way, Series::default())).collect();
    let loads = Loads::start(args.load, &bench.cores)?;
    let progress = Progress::new(ways.len() * runs);
    interleave(&ways, runs, |at, way| {
        progress.next(way);
        rows[at].1.0.push(bench.sample(way)?);
        Ok(())
    })?;
    drop((loads, progress));

    report::print(report::table(&rows))?;
    report::print(report::notes(cell.app, cell.ranks, bench.cores.len()))?;
    if let Some(json) = json {
        let mut text =
            serde_json::to_vec_pretty(&results(&cell, runs, &rows)).map_err(Error::other)?;
        text.push(b'\n');
        json.finish(&text)?;
    }
    picture.map_or(Ok(()), |picture| {
        picture.finish(plot::picture(&report::heading(&bench), &rows)?.as_bytes())
    })
}

/// Each variant with each way of waiting, once.
fn ways(variants: &[Variant], notify: &[Notify]) -> Vec<Way> {
    let mut ways = Vec::new();
    for &variant in variants {
        for &notify in notify {
            let way = Way { variant, notify };
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

fn results(cell: &Cell, runs: usize, rows: &[(Way, Series)]) -> Results {
    let figures = |(way, series): &(Way, Series)| {
        let figures = Figures {
            notify: way.notify,
            median_s: series.median_s(),
            min_s: series.min_s(),
            max_s: series.max_s(),
            samples_s: series.times_s().collect(),
            wait_s: series.wait_s(),
        };
        (way.to_string(), figures)
    };
    let variants = rows.iter().map(figures).collect();
    Results { app: cell.app, ranks: cell.ranks, load: cell.load, runs, variants }
}
