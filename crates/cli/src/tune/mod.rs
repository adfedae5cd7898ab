//! `runahead tune`: measures on this machine what jobs can choose between, the barrier algorithms or
//! the shapes of collectives, and prints a table; jobs can go by it.

pub(crate) mod barriers;
pub(crate) mod collectives;
mod model;
mod play;
mod search;
mod terms;
