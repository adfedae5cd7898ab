//! The table that rank 0 shows the user.

use comfy_table::{CellAlignment, Table, presets};

use super::measure::{Sample, median};
use super::variant::Variant;

/// The runs of the variants so far.
#[derive(Clone, Debug)]
pub struct Journal {
    rows: Vec<(Variant, Vec<Sample>)>,
}

const HEADER: [&str; 9] =
    ["variant", "tree", "barriers", "exchange", "algorithm", "time", "/ base", "waiting", "share"];
/// The first column of numbers.
const NUMBERS_FROM: usize = 5;

impl Journal {
    /// No runs of these variants yet.
    pub fn new(variants: &[Variant]) -> Journal {
        Journal { rows: variants.iter().map(|&variant| (variant, Vec::new())).collect() }
    }

    /// Adds a run of the variant of this index.
    pub fn add(&mut self, variant: usize, sample: Sample) {
        self.rows[variant].1.push(sample);
    }

    /// The number of runs of all variants.
    pub fn runs(&self) -> usize {
        self.rows.iter().map(|(_, samples)| samples.len()).sum()
    }

    /// How many ranks ran, if any have.
    pub fn ranks(&self) -> Option<usize> {
        self.rows.iter().flat_map(|(_, samples)| samples).map(|sample| sample.ranks).next()
    }

    /// The runs of each variant, by its name.
    pub fn samples(&self) -> Vec<(&'static str, &[Sample])> {
        self.rows.iter().map(|(variant, samples)| (variant.name, &samples[..])).collect()
    }

    /// The median run of each variant.
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_header(HEADER);
        let medians = self.rows.iter().map(|(variant, samples)| (variant, median(samples)));
        let base = medians.clone().find(|(variant, _)| variant.name == "base");
        let base = base.and_then(|(_, sample)| sample);
        for (variant, sample) in medians {
            let how = variant.techniques;
            let mut row = vec![
                variant.name.to_owned(),
                how.tree.to_string(),
                how.barriers.name().to_owned(),
                how.exchange.to_string(),
                how.algorithm.to_string(),
            ];
            row.extend(
                sample
                    .map(|sample| {
                        let ratio = base.map(|base| sample.time_ns as f64 / base.time_ns as f64);
                        [
                            milliseconds(sample.time_ns),
                            ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
                            milliseconds(sample.wait_ns),
                            share(&sample),
                        ]
                    })
                    .into_iter()
                    .flatten(),
            );
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(NUMBERS_FROM) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

/// A time for people.
pub fn milliseconds(ns: u64) -> String {
    format!("{:.2} ms", ns as f64 / 1e6)
}

/// How much of a run was waiting.
pub fn share(sample: &Sample) -> String {
    format!("{:.0} %", 100.0 * sample.wait_ns as f64 / sample.time_ns as f64)
}
