//! The tables of `bench peers`, as Markdown.

use comfy_table::Table;

use super::super::report;
use super::cell::{Done, Entry};
use super::names::What;
use super::sample::{OVER_WORK, TIME};

/// A figure for people, in the unit that its name ends with.
pub(crate) fn quantity(name: &str, value: f64) -> String {
    let ns = if name.ends_with("_ns") { value } else { value * 1e9 };
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

/// The tables of a cell, each under its heading.
pub(crate) fn cell(name: &str, done: &Done, order: &[String]) -> String {
    let entries: Vec<(&String, &Entry)> =
        order.iter().filter_map(|one| done.contestants.get_key_value(one)).collect();
    match done.what {
        What::Overlap => return format!("\n### {name}\n\n{}", overlap(&entries)),
        What::Collectives | What::NonblockingCollectives | What::Messages => {
            let (table, remarks) = (side_by_side(done, &entries), remarks(&entries));
            return format!("\n### {name}\n\n{table}\n{remarks}");
        }
        _ => {}
    }
    let tables = done.what.figures().iter().map(|&(figure, title)| {
        let best = done.compared.get(figure).map(|compared| compared.best_mpi);
        format!("\n### {name}: {title}\n\n{}", figures(figure, &entries, best))
    });
    tables.collect::<Vec<_>>().join("\n")
}

fn figures(figure: &str, entries: &[(&String, &Entry)], best: Option<f64>) -> Table {
    let header =
        ["contestant", "median", "min", "max", "/ best MPI", "samples", "disturbed", "notes"];
    let rows = entries.iter().filter_map(|(name, entry)| {
        let values = entry.values(figure);
        let show = |value: Option<f64>| value.map_or("-".to_owned(), |v| quantity(figure, v));
        let median = entry.median(figure);
        if median.is_none() && entry.stopped.is_none() {
            return None;
        }
        let ratio = median.zip(best).map_or("-".to_owned(), |(m, best)| format!("{:.2}", m / best));
        Some(vec![
            (*name).clone(),
            show(median),
            show(values.iter().copied().reduce(f64::min)),
            show(values.iter().copied().reduce(f64::max)),
            ratio,
            values.len().to_string(),
            entry.disturbed().to_string(),
            notes(figure, entry),
        ])
    });
    report::numbers(&header, rows)
}

fn notes(figure: &str, entry: &Entry) -> String {
    let calls = entry.samples.iter().filter_map(|taken| taken.values.calls.get(figure)).min();
    let calls = calls.map(|calls| format!("{calls} calls at a time"));
    let aside = (entry.put_aside > 0).then(|| format!("{} put aside", entry.put_aside));
    let over_work = entry.median(OVER_WORK).filter(|_| figure == TIME);
    let over_work = over_work.map(|over_work| format!("{over_work:.2} of its ranks' work alone"));
    [calls, over_work, aside, entry.stopped.clone()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}

fn overlap(entries: &[(&String, &Entry)]) -> Table {
    let header =
        ["contestant", "complete at the first look", "of those that could be", "tries", "notes"];
    let sum = |entry: &Entry, name| match entry.values(name) {
        counts if counts.is_empty() => "-".to_owned(),
        counts => counts.iter().sum::<f64>().to_string(),
    };
    let rows = entries.iter().map(|(name, entry)| {
        let counts = ["complete", "possible", "tries"].map(|count| sum(entry, count));
        let notes = entry.stopped.clone().unwrap_or_default();
        [vec![(*name).clone()], counts.to_vec(), vec![notes]].concat()
    });
    report::numbers(&header, rows)
}

/// From this size on, bytes in a second say more than the time.
const BULK_BYTES: u32 = 64 << 10;

/// A size in bytes, for people.
pub(crate) fn size(bytes: u32) -> String {
    match bytes {
        bytes if bytes > 0 && bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes > 0 && bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// All figures on one size: the medians of all contestants side by side.
fn side_by_side(done: &Done, entries: &[(&String, &Entry)]) -> Table {
    let bulk = done.bytes.filter(|&bytes| bytes >= BULK_BYTES);
    let mut header = vec![if done.what == What::Messages { "messages" } else { "collective" }];
    header.extend(entries.iter().map(|(name, _)| &***name));
    header.push("/ best MPI");
    if bulk.is_some() {
        header.extend(["runahead, GB/s", "best MPI, GB/s"]);
    }
    let rows = done.what.figures().iter().map(|&(figure, title)| {
        let compared = done.compared.get(figure);
        let show = |entry: &Entry| entry.median(figure).map(|median| quantity(figure, median));
        let or_none = |text: Option<String>| text.unwrap_or("-".to_owned());
        let mut row = vec![title.to_owned()];
        row.extend(entries.iter().map(|(_, entry)| or_none(show(entry))));
        row.push(or_none(compared.map(|compared| format!("{:.2}", compared.ratio))));
        if let Some(bytes) = bulk {
            let ours = entries.iter().find(|(name, _)| *name == "runahead");
            let ours = ours.and_then(|(_, entry)| entry.median(figure));
            let rate = |ns: f64| format!("{:.2}", f64::from(bytes) / ns);
            row.push(or_none(ours.map(rate)));
            row.push(or_none(compared.map(|compared| rate(compared.best_mpi))));
        }
        row
    });
    report::numbers(&header, rows)
}

/// What else is to be known about the samples of such a table: how many calls were timed where there
/// was no time for all, which samples were disturbed, and which are missing.
fn remarks(entries: &[(&String, &Entry)]) -> String {
    let remark = |(name, entry): &(&String, &Entry)| {
        let calls = entry.samples.iter().flat_map(|taken| taken.values.calls.values()).min();
        let calls = calls.map(|calls| format!("at least {calls} of each call"));
        let disturbed = entry.disturbed();
        let disturbed = (disturbed > 0).then(|| format!("{disturbed} disturbed"));
        let aside = (entry.put_aside > 0).then(|| format!("{} put aside", entry.put_aside));
        let all = [calls, disturbed, aside, entry.stopped.clone()];
        let all = all.into_iter().flatten().collect::<Vec<_>>().join("; ");
        format!("{name}: {}; {all}.", report::plural(entry.samples.len(), "sample"))
    };
    entries.iter().map(remark).collect::<Vec<_>>().join("\n")
}

/// The table of all cells: runahead beside the best MPI of each.
pub(crate) fn summary(cells: &[(String, Done)]) -> Table {
    let header = ["cell", "runahead", "best MPI", "which", "runahead / best MPI"];
    let rows = cells.iter().flat_map(|(name, done)| {
        done.what.figures().iter().filter_map(move |&(figure, title)| {
            let compared = done.compared.get(figure)?;
            Some(vec![
                done.what.row(name, title),
                quantity(figure, compared.runahead),
                quantity(figure, compared.best_mpi),
                compared.which_mpi.clone(),
                format!("{:.2}", compared.ratio),
            ])
        })
    });
    report::numbers(&header, rows)
}

#[cfg(test)]
mod tests {
    use super::super::cell::Compared;
    use super::super::sample::{Taken, Values};
    use super::*;

    #[test]
    fn a_contestant_that_did_not_end_has_no_counts() {
        let stopped = Entry { stopped: Some("did not end".to_owned()), ..Entry::default() };
        let lines = overlap(&[(&"one".to_owned(), &stopped)]).to_string();
        let last = lines.lines().last().expect("a row").split('|').map(str::trim);
        assert_eq!(last.collect::<Vec<_>>(), ["", "one", "-", "-", "-", "did not end", ""]);
    }

    fn done(bytes: u32, ratio: f64) -> Done {
        let compared =
            Compared { runahead: 2e3 * ratio, best_mpi: 2e3, which_mpi: "mpich".to_owned(), ratio };
        Done {
            what: What::Collectives,
            bytes: Some(bytes),
            cores: 2,
            contestants: [("runahead", 2e3 * ratio), ("mpich", 2e3)]
                .map(|(name, ns)| (name.to_owned(), entry(ns)))
                .into(),
            compared: [("reduce_ns".to_owned(), compared)].into(),
        }
    }

    fn entry(ns: f64) -> Entry {
        let values = Values {
            figures: [("reduce_ns".to_owned(), ns)].into(),
            calls: [("reduce_ns".to_owned(), 7)].into(),
        };
        Entry { samples: vec![Taken { values, beside: Default::default() }], ..Entry::default() }
    }

    /// The cells of the row that begins with this name.
    fn row(text: &str, name: &str) -> Vec<String> {
        let rows = text.lines().map(|line| line.split('|').map(|cell| cell.trim().to_owned()));
        let mut rows = rows.map(|row| row.filter(|cell| !cell.is_empty()).collect::<Vec<_>>());
        rows.find(|row| row.first().is_some_and(|first| first == name)).expect("a row")
    }

    #[test]
    fn collectives_stand_side_by_side_with_their_losses() {
        let order = ["runahead", "mpich", "openmpi"].map(str::to_owned);
        let small = cell("small", &done(8, 0.5), &order);
        assert_eq!(row(&small, "reduce"), ["reduce", "1.00 us", "2.00 us", "0.50"]);
        // What no sample has is shown as missing, not left out.
        assert_eq!(row(&small, "broadcast"), ["broadcast", "-", "-", "-"]);
        let large = cell("large", &done(1 << 20, 2.0), &order);
        let lost = ["reduce", "4.00 us", "2.00 us", "2.00", "262.14", "524.29"];
        assert_eq!(row(&large, "reduce"), lost);
        assert!(large.ends_with("mpich: 1 sample; at least 7 of each call."), "{large}");
        let all = [("small".to_owned(), done(8, 0.5)), ("large".to_owned(), done(1 << 20, 2.0))];
        let summary = summary(&all).to_string();
        assert_eq!(row(&summary, "large: reduce")[4], "2.00");
    }

    #[test]
    fn sizes_are_shown_in_the_largest_unit_that_divides_them() {
        let shown = [8, 1000, 1024, 65536, 1 << 20, 3 << 20].map(size);
        assert_eq!(shown, ["8 B", "1000 B", "1 KiB", "64 KiB", "1 MiB", "3 MiB"]);
    }

    #[test]
    fn times_are_shown_in_a_unit_that_fits_them() {
        for (name, value, text) in [
            ("time_s", 0.0123, "12.30 ms"),
            ("barrier_ns", 217.4, "217 ns"),
            ("barrier_ns", 1234.0, "1.23 us"),
            ("time_s", 12.0, "12000.00 ms"),
        ] {
            assert_eq!(quantity(name, value), text);
        }
    }
}
