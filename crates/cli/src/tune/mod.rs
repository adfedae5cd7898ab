//! `runahead tune`: measures on this machine what jobs can choose between, the barrier algorithms or
//! the shapes of collectives, and prints a table; jobs can go by it.

pub(crate) mod barriers;
#[cfg(target_os = "linux")]
pub(crate) mod collectives;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing measures its terms"))]
mod model;
#[cfg(target_os = "linux")]
mod over_hosts;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "as above"))]
mod play;
#[cfg(target_os = "linux")]
mod search;
#[cfg(target_os = "linux")]
mod terms;
#[cfg(target_os = "linux")]
mod terms_shown;
