//! `runahead bench matrix`: whether the default, `best/adaptive`, is ever much worse than the best
//! of all fixed combinations of a variant and a way of waiting.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use runahead::{Error, Result};
use serde::{Deserialize, Serialize};

use super::journal::Journal;
use super::load::Loads;
use super::long::LongArgs;
use super::names::{App, Load, Notify, Order, Variant, Way, distinct};
use super::progress::Progress;
use super::report;
use super::sample::{Bench, Cell, Sample, Series, interleave, median};
use super::task::Task;

/// The command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct MatrixArgs {
    /// The programs, separated by commas; the stencil runs in both orders
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "radix-sort,prefix-scan,stencil,barrier")]
    apps: Vec<App>,

    /// The numbers of ranks, separated by commas
    #[arg(long, value_name = "RANKS", value_delimiter = ',', default_value = "2,4,8")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    ranks: Vec<u16>,

    /// The loads, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "none,competitors,one,burst")]
    loads: Vec<Load>,

    /// The number of samples of each combination; half of them choose, half compare
    #[arg(long, value_name = "RUNS", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..))]
    runs: u16,

    #[command(flatten)]
    long: LongArgs,
}

/// The way that is compared with the others.
const SUBJECT: Way = Way { variant: Variant::Best, notify: Notify::Adaptive };
/// The fixed ways of waiting.
const FIXED: [Notify; 4] = [Notify::Yield, Notify::Block, Notify::SpinThenBlock, Notify::Poll];
/// Before the samples, each combination has a trial at sizes smaller by this factor.
const TRIAL_SCALE: u32 = 8;
/// A combination whose trial takes this many times as long as the fastest is left out.
const HOPELESS: f64 = 2.0;

/// A finished cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Done {
    /// `best/adaptive` to the best fixed combination.
    ratio: f64,
    /// The combination that each half chose.
    best_fixed: [String; 2],
    /// The samples, in seconds, in their order.
    samples_s: BTreeMap<String, Vec<f64>>,
    /// The combinations that were left out after their trial, with the trial's time in seconds.
    left_out_s: BTreeMap<String, f64>,
}

/// Measures all cells, and prints a summary.
///
/// # Errors
///
/// If the file cannot be used, or a sample cannot be taken.
pub(crate) fn run(args: &MatrixArgs) -> Result<()> {
    let runs = usize::from(args.runs);
    let LongArgs { threads, scale, .. } = args.long;
    let mut journal: Journal<Done> = args.long.open("matrix".to_owned(), runs)?;
    report::print(report::machine())?;
    report::print(line("cell", "best fixed", "its time", SUBJECT, "ratio"))?;
    let mut ratios: Vec<(String, f64)> = Vec::new();
    for (app, order) in programs(&args.apps) {
        // Calibrated once, so that all cells of a program do the same work.
        let mut tasks = None;
        for &ranks in &args.ranks {
            for &load in &args.loads {
                let cell = Cell { app, order, ranks: ranks.into(), load };
                let name = name(&cell);
                let done = match journal.cell(&name) {
                    Some(done) => done.clone(),
                    None => {
                        let tasks = tasks.get_or_insert_with(|| {
                            let small = scale.saturating_mul(TRIAL_SCALE);
                            let task = Task::of(app, order, scale);
                            (task.clone().scaled(Task::of(app, order, small)), task)
                        });
                        let done = measure(cell, tasks, runs, threads)?;
                        journal.add(name.clone(), done.clone())?;
                        done
                    }
                };
                show(&name, &done)?;
                ratios.push((name, done.ratio));
            }
        }
    }
    let mean = geometric_mean(ratios.iter().map(|(_, ratio)| *ratio));
    let worst = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((worst, ratio)) = worst else { return Ok(()) };
    report::print(format_args!(
        "{SUBJECT} to the best fixed combination of each of {} cells: geometric mean {mean:.3}, worst \
         {ratio:.2} ({worst})",
        ratios.len()
    ))
}

/// The programs with their orders.
fn programs(apps: &[App]) -> Vec<(App, Order)> {
    let orders = |app| match app {
        App::Stencil => Order::value_variants(),
        _ => &[Order::Overlap][..],
    };
    apps.iter().flat_map(|&app| orders(app).iter().map(move |&order| (app, order))).collect()
}

fn name(cell: &Cell) -> String {
    let app = match cell.app {
        App::Stencil => format!("{} {}", cell.app, cell.order),
        app => app.to_string(),
    };
    format!("{app}, {} ranks, {}", cell.ranks, cell.load)
}

fn line(
    cell: &str,
    fixed: &str,
    time: &str,
    adaptive: impl std::fmt::Display,
    ratio: &str,
) -> String {
    format!("{cell:<40} {fixed:<28} {time:>12} {adaptive:>14} {ratio:>6}")
}

fn show(name: &str, done: &Done) -> Result<()> {
    let [first, second] = &done.best_fixed;
    let chosen = if first == second { first.clone() } else { format!("{first}, {second}") };
    let median = |way: &str| median(done.samples_s.get(way).into_iter().flatten().copied());
    let time = |way: &str| report::milliseconds(median(way));
    let (fixed, adaptive) = (time(first), time(&SUBJECT.to_string()));
    report::print(line(name, &chosen, &fixed, adaptive, &format!("{:.2}", done.ratio)))
}

/// Measures a cell: a trial of all combinations, then samples of those that have a chance.
fn measure(cell: Cell, (small, task): &(Task, Task), runs: usize, threads: bool) -> Result<Done> {
    let trial = Bench::new(cell, small.clone(), threads);
    let bench = Bench::new(cell, task.clone(), threads);
    let variants = distinct(cell.app);
    let all = variants.iter().flat_map(|&variant| FIXED.map(|notify| Way { variant, notify }));
    let all: Vec<Way> = all.collect();
    let loads = Loads::start(cell.load, &bench.cores)?;

    let progress = Progress::new(all.len());
    let mut trials = Vec::new();
    for &way in &all {
        progress.next(format_args!("{}: trial of {way}", name(&cell)));
        trials.push((way, trial.sample(way)?.time_s));
    }
    drop(progress);
    let fastest = trials.iter().map(|trial| trial.1).fold(f64::INFINITY, f64::min);
    let (ways, out): (Vec<_>, Vec<_>) =
        trials.into_iter().partition(|(_, time_s)| *time_s <= HOPELESS * fastest);
    let ways: Vec<Way> = ways.into_iter().map(|(way, _)| way).chain([SUBJECT]).collect();

    let mut series = vec![Series::default(); ways.len()];
    let progress = Progress::new(ways.len() * runs);
    interleave(&ways, runs, |at, way| {
        progress.next(format_args!("{}: {way}", name(&cell)));
        series[at].0.push(bench.sample(way)?);
        Ok(())
    })?;
    drop((loads, progress));
    let samples: Vec<(Way, Series)> = ways.into_iter().zip(series).collect();
    let (ratio, best_fixed) = compare(&samples)?;
    Ok(Done {
        ratio,
        best_fixed: best_fixed.map(|way| way.to_string()),
        samples_s: samples
            .iter()
            .map(|(way, series)| (way.to_string(), series.times_s().collect()))
            .collect(),
        left_out_s: out.into_iter().map(|(way, time_s)| (way.to_string(), time_s)).collect(),
    })
}

/// The ratio of the subject to the best of the others, and the two ways chosen as best. Each half
/// of the samples chooses a best way, and the other half compares it with the subject. The least of
/// many medians is low by chance too; independent samples remove that bias. The result is the
/// geometric mean of the two ratios.
fn compare(samples: &[(Way, Series)]) -> Result<(f64, [Way; 2])> {
    let half = |series: &Series, half: usize| {
        let samples: Vec<Sample> = series.0.iter().skip(half).step_by(2).copied().collect();
        Series(samples).median_s()
    };
    let subject = samples.iter().find(|(way, _)| *way == SUBJECT);
    let others = || samples.iter().filter(|(way, _)| *way != SUBJECT);
    let ratio = |chooses: usize| {
        let times = others().map(|(way, series)| (way, series, half(series, chooses)));
        let (way, best, _) = times.min_by(|a, b| a.2.total_cmp(&b.2))?;
        let compares = 1 - chooses;
        Some((half(&subject?.1, compares) / half(best, compares), *way))
    };
    match (ratio(0), ratio(1)) {
        (Some((a, first)), Some((b, second))) => Ok(((a * b).sqrt(), [first, second])),
        _ => Err(Error::other("there is nothing to compare")),
    }
}

fn geometric_mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0, 0.0), |(count, sum), n| (count + 1, sum + n.ln()));
    (sum / f64::from(count.max(1))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(times: &[f64]) -> Series {
        Series(times.iter().map(|&time_s| Sample { time_s, ..Sample::default() }).collect())
    }

    #[test]
    fn each_half_chooses_a_best_way_that_the_other_half_compares() {
        let way = |notify| Way { variant: Variant::Base, notify };
        let (poll, block) = (way(Notify::Poll), way(Notify::Block));
        // Poll is best in the samples of even index, and block in the others. Each is compared in
        // the samples that did not choose it.
        let samples = [
            (poll, series(&[1.0, 4.0, 1.0, 4.0])),
            (block, series(&[2.0, 2.0, 2.0, 2.0])),
            (SUBJECT, series(&[2.0, 2.0, 2.0, 2.0])),
        ];
        let (ratio, chosen) = compare(&samples).unwrap();
        assert_eq!(chosen, [poll, block]);
        assert!((ratio - (0.5f64).sqrt()).abs() < 1e-12, "{ratio}");
        assert!(compare(&samples[2..]).is_err());
    }

    #[test]
    fn ratios_are_averaged_geometrically_and_the_stencil_has_two_orders() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-12);
        assert_eq!(programs(App::value_variants()).len(), 8);
    }
}
