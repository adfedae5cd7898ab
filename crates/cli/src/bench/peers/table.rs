//! The tables of `bench peers`, as Markdown.

use comfy_table::Table;

use super::super::report;
use super::cell::{Done, Entry};
use super::names::What;

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
    if done.what == What::Overlap {
        return format!("\n### {name}\n\n{}", overlap(&entries));
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
    [calls, aside, entry.stopped.clone()].into_iter().flatten().collect::<Vec<_>>().join("; ")
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

/// The table of all cells: runahead beside the best MPI of each.
pub(crate) fn summary(cells: &[(String, Done)]) -> Table {
    let header = ["cell", "runahead", "best MPI", "which", "runahead / best MPI"];
    let rows = cells.iter().flat_map(|(name, done)| {
        done.what.figures().iter().filter_map(move |&(figure, title)| {
            let compared = done.compared.get(figure)?;
            let of = if done.what == What::Micro { format!(": {title}") } else { String::new() };
            Some(vec![
                format!("{name}{of}"),
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
    use super::*;

    #[test]
    fn a_contestant_that_did_not_end_has_no_counts() {
        let stopped = Entry { stopped: Some("did not end".to_owned()), ..Entry::default() };
        let lines = overlap(&[(&"one".to_owned(), &stopped)]).to_string();
        let last = lines.lines().last().expect("a row").split('|').map(str::trim);
        assert_eq!(last.collect::<Vec<_>>(), ["", "one", "-", "-", "-", "did not end", ""]);
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
