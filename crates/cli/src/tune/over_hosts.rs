//! What it brings that large data go from host to host: the same calls over hosts, and with a flat tree, where each
//! rank sends to each other itself.

use runahead::{Comm, Result, Tree, ops};
use serde::{Deserialize, Serialize};

use crate::sys::now_ns;

/// From this length on a call goes over hosts by default.
const LEAST_BYTES: u32 = 32 << 10;

/// So often both are measured in turn.
const TURNS: usize = 3;

/// A call on so many bytes at each rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    call: String,
    bytes: u32,
    /// The time over hosts by that with a flat tree.
    ratio: f64,
}

/// Measures the calls on all lengths that go over hosts, each so often; none where there is one host.
///
/// # Errors
///
/// Those of the calls.
pub(super) fn measure(world: &Comm, bytes: &[u32], calls: u16) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    if world.hosts().count() == 1 {
        return Ok(rows);
    }
    for &bytes in bytes.iter().filter(|&&bytes| bytes >= LEAST_BYTES) {
        let n = bytes as usize / size_of::<f64>();
        let (mut given, mut got) = (vec![1.0; n], vec![0.0; n]);
        let mut all = vec![0.0; n * world.size()];
        let mut add = |call: &str, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let ratio = ratio(world, calls, run)?;
            rows.push(Row { call: call.to_owned(), bytes, ratio });
            Ok(())
        };
        add("broadcast", &mut || world.broadcast(0, &mut given))?;
        add("reduce", &mut || world.reduce_into(0, &given, &mut got, ops::max))?;
        add("all_reduce", &mut || world.all_reduce_into(&given, &mut got, ops::max))?;
        add("all_gather", &mut || world.all_gather_into(&given, &mut all))?;
    }
    Ok(rows)
}

/// How long a call takes over hosts by what it takes with a flat tree: the median of turns, the same at all ranks.
fn ratio(world: &Comm, calls: u16, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let mut times = [0; 2];
        for (time, tree) in times.iter_mut().zip([Tree::Auto, Tree::Flat]) {
            world.set_tree(tree);
            for nth in 0..=calls {
                world.barrier()?.wait()?;
                let begin = now_ns();
                call()?;
                // The first makes warm.
                *time += if nth > 0 { now_ns() - begin } else { 0 };
            }
        }
        world.set_tree(Tree::Auto);
        let [over_hosts, flat] = times.map(|time| [time]);
        let slowest =
            |time: [u64; 1]| Ok::<_, runahead::Error>(world.all_reduce(&time, ops::max)?[0]);
        ratios.push(slowest(over_hosts)? as f64 / slowest(flat)?.max(1) as f64);
    }
    ratios.sort_by(f64::total_cmp);
    Ok(ratios[TURNS / 2])
}

/// The rows, for people; nothing if there are none.
pub(super) fn text(rows: &[Row]) -> String {
    let lines = rows.iter().map(|Row { call, bytes, ratio }| format!("{call} {bytes}: {ratio:.2}"));
    match lines.collect::<Vec<_>>().join(", ") {
        all if all.is_empty() => all,
        all => format!("Time over hosts by that with a flat tree: {all}.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_told_in_a_line() {
        let row = |call: &str, ratio| Row { call: call.to_owned(), bytes: 65536, ratio };
        let said = text(&[row("reduce", 0.5), row("all_gather", 1.234)]);
        let told = "Time over hosts by that with a flat tree: reduce 65536: 0.50, all_gather 65536: 1.23.\n";
        assert_eq!(said, told);
        assert_eq!(text(&[]), "");
    }
}
