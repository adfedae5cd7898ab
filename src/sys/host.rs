//! The machine and its user: name, ids, cores, and the cache directory.

use std::path::PathBuf;

/// The name of the host, or a fixed word if it has none.
pub(crate) fn name() -> String {
    let name = node_name();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

#[cfg(target_os = "linux")]
fn node_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(target_os = "linux"))]
fn node_name() -> String {
    let name = ["COMPUTERNAME", "HOSTNAME"].into_iter().find_map(std::env::var_os);
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The id of this host: on Linux its boot id, otherwise its name.
pub(crate) fn id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let id = id.trim();
    if id.is_empty() { name() } else { id.to_owned() }
}

/// The id of this process's container. Processes in other containers of this host cannot be seen,
/// and no letters can be sent to them.
pub(crate) fn container_id() -> String {
    let id = |kind: &str| {
        let link = format!("/proc/self/ns/{kind}");
        std::fs::read_link(link).unwrap_or_default().display().to_string()
    };
    id("pid") + &id("net")
}

/// The number of cores that the process may use; 1 if the system does not say.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `$XDG_CACHE_HOME`, which the standard says must be absolute, or `~/.cache`; on Windows
/// `%LOCALAPPDATA%`. None if the user has no home.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    let variable = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" };
    let chosen = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    chosen.or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_a_name_and_the_cache_a_place() {
        assert!(!name().is_empty() && !id().is_empty());
        #[cfg(target_os = "linux")]
        assert_eq!(name(), std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
        assert!(cache_dir().is_none_or(|folder| folder.is_absolute()));
    }
}
