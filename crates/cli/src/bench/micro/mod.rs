//! `runahead bench micro`: the cost of single operations.

pub(crate) mod floor;
pub(crate) mod rank;

use std::path::PathBuf;

use clap::Args;
use runahead::{Error, Result};
use serde::Serialize;

use super::names::{Notify, Variant, Way};
use super::sample::cores_in_use;
use super::task::{Assignment, Task};
use super::{report, start};
use crate::harness::output::Output;
use crate::sys;

/// The command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct MicroArgs {
    /// The number of ranks; messages pass between the first two
    #[arg(long, value_name = "RANKS", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=256))]
    ranks: u16,

    /// Write the figures to a file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Let the ranks be threads of one process
    #[arg(long)]
    threads: bool,

    /// Divide the numbers of repetitions by this
    #[arg(long, hide = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
}

/// The content of the `--json` file; users rely on it. Floors need two cores, and are null on one.
#[derive(Serialize)]
struct Figures {
    ranks: usize,
    cache_line_ns: Option<f64>,
    bare_barrier_ns: Option<f64>,
    bare_copy_bytes_per_s: Option<f64>,
    bare_copies_bytes_per_s: Option<f64>,
    ping_pong_ns: f64,
    message_rate_per_s: f64,
    bandwidth_bytes_per_s: f64,
    broadcast_bytes_per_s: f64,
    barrier_wait_ns: f64,
    barrier_call_ns: f64,
}

/// Measures and prints.
///
/// # Errors
///
/// If the file cannot be written, or the ranks fail.
pub(crate) fn run(args: &MicroArgs) -> Result<()> {
    let json = args.json.as_deref().map(Output::create).transpose()?;
    let ranks = usize::from(args.ranks);
    let cores = cores_in_use(ranks);
    let repetitions = (11 / args.scale).max(3);
    let calls = (2000 / args.scale).max(8);
    let way = Way { variant: Variant::Best, notify: Notify::Adaptive };
    let task = Task::Micro { repetitions, calls, with_broadcasts: true };
    let (threads, parent) = (args.threads, std::process::id());
    let assignment = Assignment { ranks, task, way, cores: cores.clone(), threads, parent };

    let all = sys::allowed_cores();
    let pair = match all[..] {
        [first, second, ..] => Some([first, second]),
        _ => None,
    };
    let mib = calls.div_ceil(20);
    let cache_line_ns =
        pair.map(|pair| floor::cache_line_ns(pair, repetitions, calls)).transpose()?;
    let bare_barrier_ns =
        pair.map(|pair| floor::bare_barrier_ns(pair, repetitions, calls)).transpose()?;
    let bare_copy_bytes_per_s =
        pair.map(|pair| floor::bare_copy_per_s(pair, repetitions, mib)).transpose()?;
    let bare_copies_bytes_per_s =
        pair.map(|pair| floor::bare_copies_per_s(pair, repetitions, mib)).transpose()?;
    let told = start::run(&assignment)?;
    let figures = told.into_iter().find(|told| !told.figures.is_empty()).map(|told| told.figures);
    let [ping_pong_ns, rate, bandwidth, barrier_wait_ns, barrier_call_ns, broadcast] = figures
        .and_then(|figures| figures.try_into().ok())
        .ok_or_else(|| Error::other("rank 0 measured nothing"))?;
    let figures = Figures {
        ranks,
        cache_line_ns,
        bare_barrier_ns,
        bare_copy_bytes_per_s,
        bare_copies_bytes_per_s,
        ping_pong_ns,
        message_rate_per_s: rate,
        bandwidth_bytes_per_s: bandwidth,
        broadcast_bytes_per_s: broadcast,
        barrier_wait_ns,
        barrier_call_ns,
    };
    let kind = if args.threads { " (threads)" } else { "" };
    report::print(format_args!(
        "{ranks} ranks{kind} on {} cores\n{}\n{}",
        cores.len(),
        report::machine(),
        table(&figures, repetitions, cores.len())
    ))?;
    let Some(json) = json else { return Ok(()) };
    let mut text = serde_json::to_vec_pretty(&figures).map_err(Error::other)?;
    text.push(b'\n');
    json.finish(&text)
}

fn table(figures: &Figures, repetitions: u32, cores: usize) -> String {
    let floor = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| format!("{ns:.0} ns"));
    let copied =
        |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{:.2} GB/s", rate / 1e9));
    let broadcast = match figures.bare_copy_bytes_per_s {
        Some(bare) => format!(
            "{}, {:.2} of a bare copy",
            copied(Some(figures.broadcast_bytes_per_s)),
            figures.broadcast_bytes_per_s / bare
        ),
        None => copied(Some(figures.broadcast_bytes_per_s)),
    };
    let rows = [
        ("cache line to another core", floor(figures.cache_line_ns)),
        ("barrier of two bare words on two cores", floor(figures.bare_barrier_ns)),
        (
            "one bare copy of a MiB that another core has written",
            copied(figures.bare_copy_bytes_per_s),
        ),
        ("two bare copies, from one core to another", copied(figures.bare_copies_bytes_per_s)),
        ("8-byte message, half a round trip", format!("{:.0} ns", figures.ping_pong_ns)),
        ("8-byte messages", format!("{:.2} million/s", figures.message_rate_per_s / 1e6)),
        ("1 MiB messages", format!("{:.2} GB/s", figures.bandwidth_bytes_per_s / 1e9)),
        ("broadcast of 1 MiB that the root has just written", broadcast),
        ("barrier, until complete", format!("{:.0} ns", figures.barrier_wait_ns)),
        ("the call of barrier() itself", format!("{:.0} ns", figures.barrier_call_ns)),
    ];
    let rows = rows.map(|(what, figure)| vec![what.to_owned(), figure]);
    let ranks = figures.ranks;
    let shared = match ranks > cores {
        true => format!(
            "\nThe {ranks} ranks share {cores} cores: times include waiting for a core. With\n{cores} \
             ranks you see the cost of the operations themselves."
        ),
        false => String::new(),
    };
    let table = report::numbers(&["operation", "figure"], rows);
    format!(
        "{table}\nMedians of {repetitions} repetitions, messages between ranks 0 and 1.{shared}"
    )
}
