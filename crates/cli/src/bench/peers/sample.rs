//! One sample of a contestant: a job of all ranks, beside its own load, with a record of
//! disturbances.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use runahead::{Error, Result};
use serde::{Deserialize, Serialize};

use super::super::apps::{prefix_scan, radix_sort};
use super::super::load::Loads;
use super::super::names::{Load, Notify, Variant, Way};
use super::super::sample::{Bench, Cell as AppCell, cores_in_use};
use super::super::start;
use super::super::task::{Assignment, Task};
use super::child;
use super::disturbance::{Beside, Watch};
use super::error::PeersError;
use super::library::Peers;
use super::line::{self, Asked, Fault};
use super::names::{Contestant, Means, What};
use super::table;
use crate::harness::work::Work;
use crate::sys::Interrupts;

/// What a table compares: one program, with one number of ranks and one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) what: What,
    pub(crate) ranks: usize,
    pub(crate) load: Load,
    pub(crate) choice: Choice,
}

/// What the command line may choose for some programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Nothing,
    /// The bytes of a rank in a collective, how many calls follow each barrier, and whether that is timed, too.
    Collectives {
        bytes: u32,
        together: u32,
        with_barrier: bool,
    },
    /// The bits of a pass of the natural sort.
    Bits(u32),
    /// The bytes of a rank in a step of a loop.
    Bytes(u32),
}

impl Choice {
    pub(crate) fn bytes(self) -> Option<u32> {
        match self {
            Choice::Collectives { bytes, .. } | Choice::Bytes(bytes) => Some(bytes),
            Choice::Nothing | Choice::Bits(_) => None,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.choice {
            Choice::Nothing => String::new(),
            Choice::Bytes(bytes) => format!(", {}", table::size(bytes)),
            Choice::Collectives { bytes, together, with_barrier } => {
                let together = match together {
                    1 => String::new(),
                    together => format!(", {together} together"),
                };
                let barrier = if with_barrier { ", with the barrier" } else { "" };
                format!(", {}{together}{barrier}", table::size(bytes))
            }
            Choice::Bits(1) => ", 1 bit".to_owned(),
            Choice::Bits(bits) => format!(", {bits} bits"),
        };
        f.pad(&format!("{}, {} ranks, {}{of}", self.what, self.ranks, self.load))
    }
}

/// The figures of a sample, by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Values {
    pub(crate) figures: BTreeMap<String, f64>,
    /// How many calls each repetition of a single operation timed, if that number varies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) calls: BTreeMap<String, u64>,
}

/// The name of a program's time.
pub(crate) const TIME: &str = "time_s";
/// The name of how many times as long a loop took as its ranks' work alone would have.
pub(crate) const OVER_WORK: &str = "over_work";
const OVERLAP: [&str; 3] = ["tries", "possible", "complete"];
/// Collectives on more bytes than this are called a tenth as often.
const LARGE_BYTES: u32 = 8 << 10;
/// The length of a message whose bandwidth is measured.
const BULK_BYTES: f64 = (1u64 << 20) as f64;

impl Values {
    pub(crate) fn of_time(time_s: f64) -> Values {
        Values::of([(TIME, time_s)])
    }

    /// Tries; tries in which all had entered before the poll; those of them that were complete.
    pub(crate) fn of_overlap(counts: [u64; 3]) -> Values {
        Values::of(OVERLAP.into_iter().zip(counts.map(|count| count as f64)))
    }

    fn of<'a>(figures: impl IntoIterator<Item = (&'a str, f64)>) -> Values {
        let figures = figures.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Values { figures, ..Values::default() }
    }
}

impl What {
    /// The name of a figure's row in a table of several cells.
    pub(crate) fn row(self, cell: &str, title: &str) -> String {
        if self.figures().len() > 1 { format!("{cell}: {title}") } else { cell.to_owned() }
    }

    /// The figures to compare, with their meanings; less is better.
    pub(crate) fn figures(self) -> &'static [(&'static str, &'static str)] {
        match self {
            What::Micro => &[
                ("ping_pong_ns", "8-byte message, half a round trip"),
                ("stream_ns", "8-byte messages, one after the other, each"),
                ("bulk_ns", "1 MiB messages, one after the other, each"),
                ("barrier_ns", "barrier, until complete"),
                ("barrier_call_ns", "the call alone of a barrier that returns at once"),
            ],
            What::Collectives | What::NonblockingCollectives => &[
                ("broadcast_ns", "broadcast"),
                ("reduce_ns", "reduce"),
                ("all_reduce_ns", "all_reduce"),
                ("all_gather_ns", "all_gather"),
                ("all_to_all_ns", "all_to_all"),
                ("exclusive_scan_ns", "exclusive_scan"),
            ],
            What::Messages => &[
                ("half_trip_ns", "half a round trip"),
                ("exchange_ns", "exchanged by both"),
                ("sends_ns", "blocking sends, each"),
                ("window_ns", "a window of sends, each"),
                ("same_window_ns", "a window of sends of one memory, each"),
            ],
            What::Overlap => &[],
            _ => &[(TIME, "time")],
        }
    }
}

/// A sample that was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Taken {
    #[serde(flatten)]
    pub(crate) values: Values,
    #[serde(flatten)]
    pub(crate) beside: Beside,
}

/// A cell that is ready to be measured.
pub(crate) struct Ready<'p> {
    pub(crate) cell: Cell,
    pub(crate) cores: Vec<usize>,
    task: Task,
    /// Runs runahead's side of the programs.
    bench: Option<Bench>,
    right_digest: Option<u64>,
    /// How long a round of work takes here, where compilers optimise.
    round_ns: Option<f64>,
    peers: &'p Peers,
    limit: Duration,
    interrupts: &'p Interrupts,
}

/// The sizes of a measurement, scaled down.
pub(crate) fn task(what: What, scale: u32, agreed: impl FnOnce(u32) -> u64) -> Task {
    match what.app() {
        Some((app, order)) => Task::of(app, order, scale),
        None if what == What::Micro => {
            let (repetitions, calls) = ((11 / scale).max(3), (2000 / scale).max(8));
            // No MPI program of the comparison has them.
            Task::Micro { repetitions, calls, with_broadcasts: false }
        }
        // The rest is for each cell to say.
        None if matches!(what, What::Collectives | What::NonblockingCollectives) => {
            Task::Collectives {
                bytes: 0,
                calls: (1000 / scale).max(2),
                together: 1,
                with_barrier: false,
                nonblocking: what == What::NonblockingCollectives,
                figure_ms: 0,
            }
        }
        None if what == What::Messages => {
            Task::Messages { bytes: 0, count: (20_000 / scale).max(2), figure_ms: 0 }
        }
        None => Task::Overlap {
            tries: (20 / scale).max(2),
            rounds: agreed((50_000 / scale).max(2_000)),
        },
    }
}

/// The task of a cell, which may have chosen something.
fn chosen(task: Task, choice: Choice, limit: Duration) -> Task {
    match (task, choice) {
        (Task::NaturalSort { keys, .. }, Choice::Bits(bits)) => Task::NaturalSort { keys, bits },
        (Task::AllReduceLoop { steps, rounds, .. }, Choice::Bytes(bytes)) => {
            Task::AllReduceLoop { bytes, steps, rounds }
        }
        (Task::HaloLoop { steps, rounds, .. }, Choice::Bytes(bytes)) => {
            Task::HaloLoop { bytes, steps, rounds }
        }
        (Task::Messages { count, .. }, Choice::Bytes(bytes)) => {
            // As with collectives.
            let count = if bytes > LARGE_BYTES { (count / 10).max(2) } else { count };
            Task::Messages { bytes, count, figure_ms: figure_ms(limit) }
        }
        (
            Task::Collectives { calls, nonblocking, .. },
            Choice::Collectives { bytes, together, with_barrier },
        ) => {
            // As many as OSU has.
            let calls = if bytes > LARGE_BYTES { (calls / 10).max(2) } else { calls };
            let figure_ms = figure_ms(limit);
            Task::Collectives { bytes, calls, together, with_barrier, nonblocking, figure_ms }
        }
        (task, _) => task,
    }
}

/// How long a figure of several in a sample may take. Each has trials before it: all together get
/// much less time than the limit.
fn figure_ms(limit: Duration) -> u32 {
    (limit.as_millis() / 20).min(1000) as u32
}

impl<'p> Ready<'p> {
    /// Prepares a cell, and computes the right result.
    pub(crate) fn new(
        cell: Cell,
        task: Task,
        peers: &'p Peers,
        limit: Duration,
        interrupts: &'p Interrupts,
    ) -> Ready<'p> {
        let task = chosen(task, cell.choice, limit);
        let bench = cell.what.app().map(|(app, order)| {
            let app_cell = AppCell { app, order, ranks: cell.ranks, load: cell.load };
            Bench::new(app_cell, task.clone(), false)
        });
        let known = bench.as_ref().and_then(|bench| bench.right_digest);
        let right_digest = known.or_else(|| right_digest(&task, cell.ranks));
        let cores = cores_in_use(cell.ranks);
        let round_ns = (!cfg!(debug_assertions)).then(|| {
            const TRIED_US: u32 = 1000;
            1e3 * f64::from(TRIED_US) / Work::calibrated(TRIED_US, 0).rounds() as f64
        });
        Ready { cell, cores, task, bench, right_digest, round_ns, peers, limit, interrupts }
    }

    /// Takes a sample; None if it exceeds the limit. The same seed gives the same load.
    ///
    /// # Errors
    ///
    /// If the ranks fail or their result is wrong. The error names the contestant.
    pub(crate) fn take(
        &self,
        contestant: Contestant,
        seed: u64,
        watch: &mut Watch,
    ) -> Result<Option<Taken>> {
        self.interrupts.check()?;
        let begun = watch.begin()?;
        let loads = Loads::start_seeded(self.cell.load, &self.cores, seed)?;
        let values = match contestant.means() {
            Means::Runahead(way) => Some(self.runahead(way)?),
            Means::Mpi { .. } => self.mpi(contestant)?,
        };
        drop(loads);
        let beside = watch.end(&begun)?;
        Ok(values.map(|values| Taken { values, beside }))
    }

    fn runahead(&self, way: Way) -> Result<Values> {
        if let Some(bench) = &self.bench {
            let sample = bench.sample(way)?;
            let over_work = sample.over_work.map(|over_work| (OVER_WORK, over_work));
            return Ok(Values::of([(TIME, sample.time_s)].into_iter().chain(over_work)));
        }
        let assignment = Assignment {
            ranks: self.cell.ranks,
            task: self.task.clone(),
            way: Way { variant: Variant::Best, notify: Notify::Adaptive },
            cores: self.cores.clone(),
            threads: false,
            parent: std::process::id(),
        };
        let told = start::run(&assignment)?;
        let nothing = || Error::other("rank 0 measured nothing");
        let told = told.into_iter().find(|told| !told.figures.is_empty()).ok_or_else(nothing)?;
        match (self.cell.what, &told.figures[..]) {
            (What::Micro, &[ping_pong_ns, rate_per_s, bytes_per_s, barrier_ns, call_ns]) => {
                Ok(Values::of([
                    ("ping_pong_ns", ping_pong_ns),
                    ("stream_ns", 1e9 / rate_per_s),
                    ("bulk_ns", BULK_BYTES * 1e9 / bytes_per_s),
                    ("barrier_ns", barrier_ns),
                    ("barrier_call_ns", call_ns),
                ]))
            }
            (What::Collectives | What::NonblockingCollectives | What::Messages, figures)
                if figures.len() == 2 * self.cell.what.figures().len() =>
            {
                let names = || self.cell.what.figures().iter().map(|&(name, _)| name);
                let (times, calls) = figures.split_at(figures.len() / 2);
                let calls = names().map(str::to_owned).zip(calls.iter().map(|&calls| calls as u64));
                Ok(Values {
                    calls: calls.collect(),
                    ..Values::of(names().zip(times.iter().copied()))
                })
            }
            (What::Overlap, figures @ [_, _, _]) => {
                Ok(Values::of(OVERLAP.into_iter().zip(figures.iter().copied())))
            }
            _ => Err(nothing()),
        }
    }

    fn mpi(&self, contestant: Contestant) -> Result<Option<Values>> {
        let Means::Mpi { library, kind, tuning } = contestant.means() else {
            return Err(Error::other(format!("{contestant} is not an MPI")));
        };
        let Cell { what, ranks, .. } = self.cell;
        let arguments = arguments(&self.task, self.limit);
        let peer = self.peers.get(library)?;
        let (command, environment) =
            peer.command(what, (kind, tuning), ranks, &arguments, self.limit.as_secs());
        let ended = child::run(&command, &environment, &self.cores, self.limit, self.interrupts)?;
        let (contestant, cell) = (contestant.to_string(), self.cell.to_string());
        let Some(status) = ended.status else { return Ok(None) };
        if !status.success() {
            let said = ended.err.lines().map(str::trim).find(|line| telling(line));
            let told = said.unwrap_or("no message").to_owned();
            return Err(
                PeersError::Failed { contestant, cell, status: status.to_string(), told }.into()
            );
        }
        let mut lines = ended.out.lines().filter(|line| !line.trim().is_empty());
        let (line, more) = (lines.next().unwrap_or_default(), lines.next());
        let cores = self.cores.len();
        let digest = self.right_digest;
        let asked = Asked {
            what,
            kind,
            library: library.word(),
            ranks,
            cores,
            digest,
            round_ns: self.round_ns,
        };
        let fault = match (line::read(line, &asked), more) {
            (Ok(values), None) => return Ok(Some(values)),
            (Ok(_), Some(_)) => Fault::Malformed("more than one line".to_owned()),
            (Err(fault), _) => fault,
        };
        let line = more.unwrap_or(line).chars().take(120).collect();
        Err(match fault {
            Fault::Malformed(why) => PeersError::Malformed { contestant, cell, why, line },
            Fault::Wrong(why) => PeersError::Wrong { contestant, cell, why },
        }
        .into())
    }
}

/// Whether a line of standard error has text: frames of dashes and stars do not.
fn telling(line: &str) -> bool {
    line.contains(|c: char| c.is_alphanumeric())
}

/// The arguments of the program on MPI, after the kind of barrier.
fn arguments(task: &Task, limit: Duration) -> Vec<String> {
    let numbers = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
    match *task {
        Task::RadixSort { keys } => numbers(&[keys.into()]),
        Task::NaturalSort { keys, bits } => numbers(&[keys.into(), bits.into()]),
        Task::PrefixScan { scans, elements } => numbers(&[scans.into(), elements.into()]),
        Task::Barrier { steps, rounds } => numbers(&[steps.into(), rounds]),
        Task::AllReduceLoop { bytes, steps, rounds } | Task::HaloLoop { bytes, steps, rounds } => {
            numbers(&[bytes.into(), steps.into(), rounds])
        }
        Task::Stencil { steps, columns, rows, order } => {
            let sizes = numbers(&[steps.into(), columns.into(), rows.into()]);
            [vec![order.to_string()], sizes].concat()
        }
        Task::Micro { repetitions, calls, .. } => {
            numbers(&[repetitions.into(), calls.into(), figure_ms(limit).into()])
        }
        Task::Collectives { bytes, calls, together, with_barrier, nonblocking, figure_ms } => {
            let flags = [with_barrier, nonblocking].map(u32::from);
            let all = [bytes, calls, together, figure_ms, flags[0], flags[1]];
            numbers(&all.map(u64::from))
        }
        Task::Messages { bytes, count, figure_ms } => {
            numbers(&[bytes, count, figure_ms].map(u64::from))
        }
        Task::Overlap { tries, rounds } => numbers(&[tries.into(), rounds]),
    }
}

/// The digest of a sequential program's result, computed as the programs on MPI do.
fn right_digest(task: &Task, ranks: usize) -> Option<u64> {
    match *task {
        Task::RadixSort { keys } | Task::NaturalSort { keys, .. } => {
            Some(radix_sort::right_digest(ranks, keys))
        }
        Task::PrefixScan { scans, elements } => {
            Some(prefix_scan::right_digest(ranks, scans, elements))
        }
        // The number of steps of all ranks.
        Task::Barrier { steps, .. } => Some(u64::from(steps) * ranks as u64),
        // The bench has those of the stencil and the loops; the others have none.
        Task::Stencil { .. }
        | Task::AllReduceLoop { .. }
        | Task::HaloLoop { .. }
        | Task::Micro { .. }
        | Task::Collectives { .. }
        | Task::Messages { .. }
        | Task::Overlap { .. } => None,
    }
}
