//! `runahead bench slowdown`: how much a competitor on each core slows the default, beside the
//! ideal.

use clap::Args;
use runahead::Result;
use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::load::Loads;
use super::long::LongArgs;
use super::names::{App, Load, Notify, Order, Variant, Way};
use super::progress::Progress;
use super::report;
use super::sample::{Bench, Cell, Series, interleave};
use super::task::Task;

/// The command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct SlowdownArgs {
    /// The programs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "radix-sort,prefix-scan,stencil,barrier")]
    apps: Vec<App>,

    /// The numbers of ranks, separated by commas
    #[arg(long, value_name = "RANKS", value_delimiter = ',', default_value = "2,4,8")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    ranks: Vec<u16>,

    /// How ranks wait
    #[arg(long, value_name = "NAME", default_value = "adaptive")]
    notify: Notify,

    /// The number of samples with and without competitors, in turn
    #[arg(long, value_name = "RUNS", default_value_t = 11)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,

    #[command(flatten)]
    long: LongArgs,
}

/// A finished cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Done {
    none_s: f64,
    competitors_s: f64,
    slowdown: f64,
    /// 1 + 1 / (ranks per core): the slowdown under fair scheduling.
    ideal: f64,
}

/// Measures all cells.
///
/// # Errors
///
/// If the file cannot be used, or a sample cannot be taken.
pub(crate) fn run(args: &SlowdownArgs) -> Result<()> {
    let way = Way { variant: Variant::Best, notify: args.notify };
    let runs = usize::from(args.runs);
    let LongArgs { threads, scale, .. } = args.long;
    let mut journal: Journal<Done> = args.long.open(format!("slowdown {way}"), runs)?;
    report::print(format_args!("{way}, medians of {runs}\n{}", report::machine()))?;
    report::print(line("cell", ["alone", "competitors", "slowdown", "ideal", "/ ideal"]))?;
    for &app in &args.apps {
        let mut task = None;
        for &ranks in &args.ranks {
            let name = format!("{app}, {ranks} ranks");
            if journal.cell(&name).is_none() {
                let order = Order::Overlap;
                let task = task.get_or_insert_with(|| Task::of(app, order, scale));
                let cell = Cell { app, order, ranks: ranks.into(), load: Load::None };
                let bench = Bench::new(cell, task.clone(), threads);
                journal.add(name.clone(), measure(&name, &bench, way, runs)?)?;
            }
            let Some(done) = journal.cell(&name) else { continue };
            let numbers = [
                report::milliseconds(done.none_s),
                report::milliseconds(done.competitors_s),
                format!("{:.2}", done.slowdown),
                format!("{:.2}", done.ideal),
                format!("{:.2}", done.slowdown / done.ideal),
            ];
            report::print(line(&name, numbers.each_ref().map(|text| &**text)))?;
        }
    }
    Ok(())
}

fn line(cell: &str, [none, competitors, slowdown, ideal, ratio]: [&str; 5]) -> String {
    format!("{cell:<24} {none:>12} {competitors:>12} {slowdown:>9} {ideal:>6} {ratio:>8}")
}

fn measure(name: &str, bench: &Bench, way: Way, runs: usize) -> Result<Done> {
    let loads = [Load::None, Load::Competitors];
    let mut series = [Series::default(), Series::default()];
    let progress = Progress::new(loads.len() * runs);
    interleave(&loads, runs, |at, load| {
        progress.next(format_args!("{name}, {load}"));
        let _loads = Loads::start(load, &bench.cores)?;
        series[at].0.push(bench.sample(way)?);
        Ok(())
    })?;
    let [none_s, competitors_s] = series.map(|series| series.median_s());
    let ideal = 1.0 + bench.cores.len() as f64 / bench.cell.ranks as f64;
    Ok(Done { none_s, competitors_s, slowdown: competitors_s / none_s, ideal })
}
