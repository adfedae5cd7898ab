//! `runahead tune`: measures on this machine what jobs can choose between, the barrier algorithms
//! or the shapes of collectives, and prints a table; jobs can go by it.

pub(crate) mod barriers;
pub(crate) mod collectives;
mod model;
mod play;
mod search;
mod terms;

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since this process first asked.
fn now_ns() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
