//! The machine and its user: name, cores, and where programs keep what they can find again.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The name of the host, or a word for one that has none.
pub(crate) fn name() -> String {
    let name = hostname::get().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// What tells this host from all others: what Linux calls the id of its boot, or else its name.
pub(crate) fn id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let id = id.trim();
    if id.is_empty() { name() } else { id.to_owned() }
}

/// What tells the processes of this host that this one can see, and send letters to, from those that it cannot: they
/// are in another container.
pub(crate) fn container_id() -> String {
    let id = |kind: &str| {
        let link = format!("/proc/self/ns/{kind}");
        std::fs::read_link(link).unwrap_or_default().display().to_string()
    };
    id("pid") + &id("net")
}

/// How many cores the process may use; 1 if the system does not say.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `$XDG_CACHE_HOME` or `~/.cache`, or what it is on other systems; None if the user has no home.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|strategy| strategy.cache_dir())
}
