//! Runs a program under traditional and under nonblocking barriers, in turn, and shows them side by
//! side.
//!
//! It knows nothing of what the program does: it calls it, and keeps how long it took.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use runahead::{Algorithm, Comm, Launch, Result};

use super::barriers::Barriers;
use super::load::Competitors;
use super::measure::{Sample, median};
use super::plot;
use super::terminal::print;

/// The part of the command line that all such programs have.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// How many ranks work together
    #[arg(long, value_name = "RANKS", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub ranks: u16,

    /// Run these barriers only [default: both]
    #[arg(long, value_name = "KIND")]
    pub barrier: Option<Barriers>,

    /// The barrier algorithm [default: board]; `cargo run -- info` lists them
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<Algorithm>,

    /// How often each is run; the run with the median time is shown
    #[arg(long, value_name = "RUNS", default_value_t = 7)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,

    /// Run so many competitors beside the ranks: threads that want a core all the time
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub competitors: u16,

    /// Draw the times into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

impl Options {
    /// The barriers to run, in the order in which they are shown.
    pub fn kinds(&self) -> Vec<Barriers> {
        self.barrier.map_or(vec![Barriers::Traditional, Barriers::Nonblocking], |kind| vec![kind])
    }

    /// The job of one run.
    pub fn job(&self) -> Launch {
        Launch::new(self.ranks.into()).algorithm(self.algorithm.unwrap_or_default())
    }

    /// What runs beside the ranks, until it is dropped; to be called by each of them.
    ///
    /// # Errors
    ///
    /// As by [`Competitors::start`].
    pub fn beside(&self, world: &Comm) -> Result<Competitors> {
        Competitors::beside(world, self.competitors.into())
    }

    /// Where it runs, in a few words.
    fn place(&self, ranks: usize) -> String {
        let cores = available_parallelism().map_or(0, NonZero::get);
        format!("{ranks} ranks, {cores} cores, {} competitors", self.competitors)
    }
}

/// Calls `run` with each kind of barrier `options.runs` times, one after the other and then all
/// again, so that a change of the machine's load meets both alike. Then shows the median runs, in
/// time for each of `steps` steps. `choices` says what is run.
///
/// # Errors
///
/// Those of `run`; and if the picture cannot be written.
pub fn compare(
    options: &Options,
    choices: &str,
    steps: u32,
    mut run: impl FnMut(Barriers) -> Result<Sample>,
) -> Result<()> {
    options.plot.as_deref().map_or(Ok(()), plot::prepare)?;
    let mut title = None;
    let mut rows: Vec<(Barriers, Vec<Sample>)> =
        options.kinds().into_iter().map(|kind| (kind, Vec::new())).collect();
    for _ in 0..options.runs {
        for (kind, samples) in &mut rows {
            let sample = run(*kind)?;
            samples.push(sample);
            // Where a launcher has started the ranks, one of them comes here, and how many there are was not known
            // before.
            if title.is_none() {
                let told = format!("{}: {choices}", options.place(sample.ranks));
                print(&told)?;
                title = Some(told);
            }
        }
    }
    print(table(&rows, steps))?;
    print(
        "A step: the slowest rank's time, in the median run. Waiting: inside calls, the mean over \
         the ranks.",
    )?;
    if let [(_, before), (_, after)] = &rows[..]
        && let Some([least, middle, most]) = paired(before, after)
    {
        print(format_args!(
            "Run by run, nonblocking / traditional is {middle:.2} in the median, {least:.2} to \
             {most:.2}."
        ))?;
    }
    let rows: Vec<_> = rows.iter().map(|(kind, samples)| (kind.name(), &samples[..])).collect();
    options
        .plot
        .as_deref()
        .map_or(Ok(()), |path| plot::plot(path, title.as_deref().unwrap_or(choices), &rows))
}

/// The ratios of runs that followed one another, which had about the same load: the least, the median
/// and the largest.
fn paired(before: &[Sample], after: &[Sample]) -> Option<[f64; 3]> {
    let pairs = before.iter().zip(after);
    let mut ratios: Vec<f64> =
        pairs.map(|(before, after)| after.time_ns as f64 / before.time_ns as f64).collect();
    ratios.sort_by(f64::total_cmp);
    Some([*ratios.first()?, ratios[(ratios.len() - 1) / 2], *ratios.last()?])
}

const HEADER: [&str; 7] =
    ["barriers", "a step", "/ traditional", "waiting", "share", "fastest run", "slowest run"];

fn table(rows: &[(Barriers, Vec<Sample>)], steps: u32) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(HEADER);
    let each = |ns: u64| format!("{:.1} us", ns as f64 / 1e3 / f64::from(steps));
    let base = rows.iter().find(|(kind, _)| *kind == Barriers::Traditional);
    let base = base.and_then(|(_, samples)| median(samples));
    for (kind, samples) in rows {
        let Some(sample) = median(samples) else { continue };
        let ratio = base.map(|base| sample.time_ns as f64 / base.time_ns as f64);
        let times = samples.iter().map(|sample| sample.time_ns);
        table.add_row([
            kind.name().to_owned(),
            each(sample.time_ns),
            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
            each(sample.wait_ns),
            format!("{:.0} %", 100.0 * sample.wait_ns as f64 / sample.time_ns as f64),
            each(times.clone().min().unwrap_or_default()),
            each(times.max().unwrap_or_default()),
        ]);
    }
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table
}
