//! `runahead bench peers`: compares runahead with the MPIs of this machine, in turn, with the same
//! ranks, cores and loads.
//!
//! The programs on MPI are in benches/peers. docs/BENCH.md says how to read the results.

mod cell;
mod child;
mod disturbance;
mod error;
mod library;
mod line;
mod names;
mod picture;
mod sample;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use runahead::Result;

use super::journal::{Journal, Terms};
use super::names::Load;
use super::report;
use crate::harness::output::Output;
use crate::harness::work::Work;
use crate::sys::Interrupts;
use cell::{Done, Effort};
use error::PeersError;
use library::Peers;
use names::{Contestant, Library, Means, What};
use sample::{Cell, Choice, Ready};

pub(crate) use child::{PeerArgs, as_peer};

/// The command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct PeersArgs {
    /// What to measure, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(
        default_value = "micro,collectives,messages,radix-sort,natural-sort,prefix-scan,stencil-overlap,\
                         stencil-fence,barrier,all-reduce-loop,halo-loop,overlap"
    )]
    what: Vec<What>,

    /// The numbers of ranks, separated by commas
    #[arg(long, value_name = "RANKS", value_delimiter = ',', default_value = "2,4,8")]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=256))]
    ranks: Vec<u16>,

    /// The loads, separated by commas; single operations, collectives, messages and the probe of
    /// overlap run without a load
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "none,competitors,burst")]
    loads: Vec<Load>,

    /// The bytes that a rank gives in a collective, a message or a step of a loop, separated by
    /// commas: multiples of 8
    #[arg(
        long,
        value_name = "BYTES",
        value_delimiter = ',',
        default_value = "8,1024,65536,1048576"
    )]
    #[arg(value_parser = elements)]
    bytes: Vec<u32>,

    /// How many calls of a collective follow each barrier and are timed together; 1 as in OSU
    #[arg(long, value_name = "CALLS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    together: u32,

    /// Time the barrier before each call of a collective, too
    #[arg(long)]
    with_barrier: bool,

    /// The bits of a pass of the natural sort
    #[arg(long, value_name = "BITS", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16))]
    bits: u32,

    /// The contestants, separated by commas [default: all whose MPI is installed]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    contestants: Vec<Contestant>,

    /// The number of samples of each
    #[arg(long, value_name = "RUNS", default_value_t = 7)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,

    /// How often to take a sample again that something foreign disturbed
    #[arg(long, value_name = "TIMES", default_value_t = 2)]
    retakes: u8,

    /// The time limit of a sample of an MPI, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,

    /// Write each cell to this file, as JSON, and skip the cells that it has already: an
    /// interrupted measurement resumes
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Plot the medians and ranges into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,

    /// Try whether it works: two ranks, no load, one small sample of each; the figures mean nothing
    #[arg(long, conflicts_with_all = ["ranks", "loads", "runs", "retakes"])]
    quick: bool,

    /// Divide the sizes by this
    #[arg(long, hide = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
}

/// Reads the size of some elements of eight bytes.
fn elements(text: &str) -> Result<u32, String> {
    const MOST_BYTES: u32 = 64 << 20;
    match text.parse() {
        Ok(bytes) if bytes > 0 && bytes % 8 == 0 && bytes <= MOST_BYTES => Ok(bytes),
        _ => Err(format!("expected a multiple of 8, from 8 to {MOST_BYTES}")),
    }
}

impl PeersArgs {
    fn quickened(&self) -> PeersArgs {
        let mut args = self.clone();
        if self.quick {
            (args.ranks, args.loads, args.runs, args.retakes) = (vec![2], vec![Load::None], 1, 0);
            args.scale = args.scale.max(500);
        }
        args
    }
}

/// Measures all cells, and prints them.
///
/// # Errors
///
/// If no MPI is installed, a program cannot be built, a file cannot be used, or a sample cannot be
/// taken.
pub(crate) fn run(args: &PeersArgs) -> Result<()> {
    let args = args.quickened();
    let contestants = contestants(&args)?;
    let picture = args.plot.as_deref().map(Output::create).transpose()?;
    let names: Vec<String> = contestants.iter().map(Contestant::to_string).collect();
    let machine = report::machine();
    let terms = Terms {
        measurement: format!("peers {}", names.join(",")),
        runs: args.runs.into(),
        threads: false,
        scale: args.scale,
        machine: machine.clone(),
    };
    let mut journal: Journal<Done> = Journal::open(args.json.clone(), terms)?;
    // From here on there are directories to remove.
    let interrupts = Interrupts::noticed()?;
    let peers = Peers::build(&libraries(&contestants), &args.what)?;
    let versions: Vec<String> = peers.versions().collect();
    let heading = format!("runahead beside MPI, medians of {}\n{machine}", args.runs);
    report::print(&heading)?;
    report::print(versions.join("\n"))?;

    let effort = Effort { runs: args.runs.into(), retakes: args.retakes.into() };
    let limit = Duration::from_secs(args.limit.into());
    let mut cells: Vec<(String, Done)> = Vec::new();
    for &what in &args.what {
        // Calibrated once, so that all cells of a program do the same work.
        let mut task = None;
        for cell in cells_of(what, &args) {
            let name = cell.to_string();
            if cells.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let done = match journal.cell(&name) {
                Some(done) => done.clone(),
                None => {
                    let agreed = |us| Work::calibrated(us, 0).rounds();
                    let task = task.get_or_insert_with(|| sample::task(what, args.scale, agreed));
                    let ready = Ready::new(cell, task.clone(), &peers, limit, &interrupts);
                    let done = cell::measure(&ready, &contestants, effort)?;
                    journal.add(name.clone(), done.clone())?;
                    done
                }
            };
            report::print(table::cell(&name, &done, &names))?;
            cells.push((name, done));
        }
    }
    conclude(&cells)?;
    picture
        .map_or(Ok(()), |file| file.finish(picture::picture(&heading, &cells, &names)?.as_bytes()))
}

/// The contestants: those asked for, or all whose MPI is installed.
fn contestants(args: &PeersArgs) -> Result<Vec<Contestant>> {
    let mut chosen = args.contestants.clone();
    if chosen.is_empty() {
        let (here, missing) = library::present()?;
        missing.iter().try_for_each(|why| report::print(format_args!("Left out: {why}")))?;
        let is_here = |one: &Contestant| match one.means() {
            Means::Runahead(_) => true,
            Means::Mpi { library, .. } => here.contains(&library),
        };
        chosen = Contestant::value_variants().iter().copied().filter(is_here).collect();
    }
    chosen.sort_unstable();
    chosen.dedup();
    let part = |what: &What| chosen.iter().any(|one| one.takes_part(*what));
    match args.what.iter().find(|what| !part(what)) {
        Some(what) => {
            Err(PeersError::Nothing(format!("no contestant takes part in {what}")).into())
        }
        None => Ok(chosen),
    }
}

/// The MPIs that these contestants need.
fn libraries(contestants: &[Contestant]) -> Vec<Library> {
    let needed = |library: &Library| {
        contestants
            .iter()
            .any(|one| matches!(one.means(), Means::Mpi { library: its, .. } if its == *library))
    };
    Library::ALL.into_iter().filter(needed).collect()
}

fn cells_of(what: What, args: &PeersArgs) -> Vec<Cell> {
    // A load would hide the cost of a single operation, or whether it overlaps.
    let loads = if what.app().is_some() { &args.loads[..] } else { &[Load::None] };
    let choices = match what {
        What::Collectives | What::NonblockingCollectives => {
            let PeersArgs { together, with_barrier, .. } = *args;
            let choice = |&bytes| Choice::Collectives { bytes, together, with_barrier };
            args.bytes.iter().map(choice).collect()
        }
        What::NaturalSort => vec![Choice::Bits(args.bits)],
        What::Messages | What::AllReduceLoop | What::HaloLoop => {
            args.bytes.iter().copied().map(Choice::Bytes).collect()
        }
        _ => vec![Choice::Nothing],
    };
    let mut cells = Vec::new();
    for ranks in args.ranks.iter().map(|&ranks| usize::from(ranks)) {
        for &load in loads {
            cells.extend(choices.iter().map(|&choice| Cell { what, ranks, load, choice }));
        }
    }
    cells
}

fn conclude(cells: &[(String, Done)]) -> Result<()> {
    let rows = |(name, done): &(String, Done)| {
        let figures = done.what.figures().iter();
        let row = |&(figure, title): &(&str, &str)| {
            Some((done.what.row(name, title), done.compared.get(figure)?.clone()))
        };
        figures.filter_map(row).collect::<Vec<_>>()
    };
    let compared = || cells.iter().flat_map(rows);
    let ratios: Vec<f64> = compared().map(|(_, compared)| compared.ratio).collect();
    let Some((worst, most)) = compared().max_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio)) else {
        return Ok(());
    };
    let disturbed: usize = cells
        .iter()
        .flat_map(|(_, done)| done.contestants.values())
        .map(|entry| entry.disturbed())
        .sum();
    let lost = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    report::print(format_args!(
        "\n### All cells\n\n{}\nrunahead to the best MPI of each of {}: geometric mean {:.2}, worst {:.2} \
         ({worst}). Below 1 is a gain; {lost} are above.\nAll results were right. Samples that were disturbed and count all \
         the same: {disturbed}.",
        table::summary(cells),
        ratios.len(),
        cell::geometric_mean(&ratios)?,
        most.ratio,
    ))
}
