//! The stencil of the example, on a field of random temperatures.

#[path = "../../../../../examples/stencil/field.rs"]
#[allow(dead_code, reason = "the example needs more of it")]
mod field;
#[path = "../../../../../examples/stencil/heat.rs"]
#[allow(dead_code, reason = "the example needs more of it")]
mod heat;

use runahead::{Comm, Result};

use super::{RankReport, timed};
use crate::bench::names::Order;
use crate::harness::variant::Techniques;
use crate::sys::now_ns;
use field::Field;
use heat::{Block, relax, sequential};

/// One sample at this rank.
pub(super) fn run(
    world: &Comm,
    how: &Techniques,
    steps: u32,
    columns: u32,
    rows: u32,
    order: Order,
) -> Result<RankReport> {
    let start = (world.rank() == 0).then(|| field(columns, rows, world.size()));
    how.prepare(world);
    let mut block = Block::scatter(world, start.as_ref())?;
    let order = match order {
        Order::Overlap => heat::Order::Overlap,
        Order::Fence => heat::Order::Fence,
    };
    let mut told = timed(world, || block.run(steps, order, how.barriers.wait()))?;
    told.digest = block.gather(start.as_ref())?.as_ref().map(Field::digest);
    Ok(told)
}

/// The digest of the sequential program's result.
pub(crate) fn right_digest(steps: u32, columns: u32, rows: u32, ranks: usize) -> u64 {
    sequential(&field(columns, rows, ranks), steps).digest()
}

/// How many rows of `columns` cells a core of this machine relaxes alone in `step_us`; a multiple
/// of 100.
pub(crate) fn rows_of(step_us: u32, columns: u32) -> u32 {
    const TRIAL_ROWS: u32 = 500;
    let mut now = field(columns, TRIAL_ROWS, 1);
    let mut next = now.clone();
    // The fastest of several: that one had its core to itself.
    let trials = (0..30).map(|_| {
        let begin = now_ns();
        relax(&now, 1..TRIAL_ROWS as usize + 1, &mut next);
        std::mem::swap(&mut now, &mut next);
        now_ns() - begin
    });
    let row_ns = trials.min().unwrap_or(1).max(1) as f64 / f64::from(TRIAL_ROWS);
    let rows = f64::from(step_us) * 1e3 / row_ns;
    ((rows / 100.0).round() as u32).clamp(1, 100) * 100
}

/// The field before the first step. Any wrong cell changes the digest.
fn field(columns: u32, rows: u32, ranks: usize) -> Field {
    let mut source = fastrand::Rng::with_seed(1);
    let cells = columns as usize * (rows as usize * ranks + 2);
    Field::new(columns as usize, (0..cells).map(|_| 1.0 + 254.0 * source.f64()).collect())
}
