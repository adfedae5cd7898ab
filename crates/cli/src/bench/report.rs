//! The output of the bench: headings that name program, load and machine, and tables.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use runahead::{Error, Result};

use super::names::{App, Load, Variant, Way};
use super::sample::{Bench, Series};
use crate::sys;

/// Prints one or more lines.
///
/// # Errors
///
/// If standard output cannot be written. A reader that has closed the pipe is not an error.
pub(crate) fn print(text: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::other(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The heading: the quantity measured, and the machine.
pub(crate) fn heading(bench: &Bench) -> String {
    let cell = bench.cell;
    let (ranks, cores) = (plural(cell.ranks, "rank"), plural(bench.cores.len(), "core"));
    let (app, task, kind) = (cell.app, &bench.task, if bench.threads { " (threads)" } else { "" });
    let load = load(cell.load, bench.cores.len());
    format!("{app}, {ranks}{kind} on {cores}, {load}\n{task}\n{}", machine())
}

/// So many of what has this name.
pub(crate) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}

fn load(load: Load, cores: usize) -> String {
    match load {
        Load::None => "no load".to_owned(),
        Load::Competitors => format!("load: competitors ({cores} spinning)"),
        Load::One => "load: one (spinning on the first core)".to_owned(),
        Load::Burst => format!("load: burst ({cores} spinning in bursts of about 10 ms)"),
    }
}

/// The machine: its processor, cores and kernel, as far as /proc says.
pub(crate) fn machine() -> String {
    let text = |path: &str| sys::text_of(Path::new(path)).ok().flatten().unwrap_or_default();
    let processors = text("/proc/cpuinfo");
    let model = processors.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    let kernel = text("/proc/sys/kernel/osrelease");
    let cores = plural(sys::allowed_cores().len(), "core");
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("machine: {model}, {cores}, Linux {}", kernel.trim())
}

/// A table whose columns are numbers, except the first.
pub(crate) fn numbers(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    rows.into_iter().for_each(|row| {
        table.add_row(row);
    });
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table
}

/// All ways, side by side.
pub(crate) fn table(rows: &[(Way, Series)]) -> Table {
    let first = rows.first().map_or(1.0, |(_, series)| series.median_s());
    let base = |way: &Way| {
        let base = Way { variant: Variant::Base, ..*way };
        rows.iter().find(|(way, _)| *way == base).map(|(_, series)| series.median_s())
    };
    let of_first = rows.first().map_or(String::new(), |(way, _)| format!("/ {way}"));
    let header = ["variant/notify", "median", "min", "max", "waiting", "/ base", &of_first];
    let lines = rows.iter().map(|(way, series)| {
        let median = series.median_s();
        vec![
            way.to_string(),
            milliseconds(median),
            milliseconds(series.min_s()),
            milliseconds(series.max_s()),
            format!("{:.0} %", 100.0 * series.wait_s() / median),
            base(way).map_or("-".to_owned(), |base| format!("{:.2}", median / base)),
            format!("{:.2}", median / first),
        ]
    });
    numbers(&header, lines)
}

/// A time in milliseconds, for people.
pub(crate) fn milliseconds(s: f64) -> String {
    format!("{:.1} ms", 1e3 * s)
}

/// The notes below the table: how to read it.
pub(crate) fn notes(app: App, ranks: usize, cores: usize) -> String {
    let time = match app {
        App::PrefixScan => "the mean over the ranks, each until its own work is done",
        _ => "the slowest rank's",
    };
    let shared = match ranks > cores {
        true => {
            format!(" The {ranks} ranks share {cores} cores, and also wait for cores.")
        }
        false => String::new(),
    };
    let same = match app {
        App::RadixSort | App::AllReduceLoop | App::HaloLoop => "",
        _ => " `smart` and `best` are the same here.",
    };
    format!(
        "Time: {time}. Waiting: inside calls, the mean over the ranks. / base: to base with the same \
         notify.{same}\nAll results were right.{shared}"
    )
}
