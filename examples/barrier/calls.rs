//! How long the single calls took: how many were in each power of ten, as in pakin-2001 figure 5.4.

use std::ops::AddAssign;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use runahead::{Comm, Result};
use runahead_harness::barriers::Barriers;
use serde::{Deserialize, Serialize};

/// The upper ends of all ranges but the last, with their names.
const ENDS: [(Duration, &str); 5] = [
    (Duration::from_micros(1), "< 1 us"),
    (Duration::from_micros(10), "< 10 us"),
    (Duration::from_micros(100), "< 100 us"),
    (Duration::from_millis(1), "< 1 ms"),
    (Duration::from_millis(10), "< 10 ms"),
];
const RANGES: usize = ENDS.len() + 1;

/// How many calls were in each range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls([u64; RANGES]);

impl Calls {
    /// Adds a call.
    pub fn add(&mut self, took: Duration) {
        self.0[ENDS.iter().take_while(|(end, _)| took >= *end).count()] += 1;
    }

    /// The calls of all ranks, at rank 0.
    ///
    /// # Errors
    ///
    /// As by [`Comm::reduce`].
    pub fn reduce(self, world: &Comm) -> Result<Option<Calls>> {
        let all = world.reduce(0, &self.0, |a, b| a + b)?;
        Ok(all.map(|all| Calls(std::array::from_fn(|range| all[range]))))
    }
}

impl AddAssign for Calls {
    fn add_assign(&mut self, other: Calls) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, others)| *mine += others);
    }
}

/// The calls of each kind of barrier, in percent.
pub fn table(rows: &[(Barriers, Calls)]) -> Table {
    let mut table = Table::new();
    let names = ENDS.iter().map(|&(_, name)| name);
    let header = ["barriers"].into_iter().chain(names).chain([">= 10 ms"]);
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for (kind, Calls(counts)) in rows {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let percent = counts.iter().map(|&count| format!("{:.2} %", 100.0 * count as f64 / all));
        table.add_row([kind.name().to_owned()].into_iter().chain(percent));
    }
    table.column_iter_mut().skip(1).for_each(|c| c.set_cell_alignment(CellAlignment::Right));
    table
}
