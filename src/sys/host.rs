//! The machine and its user: name, ids, cores, how much runs, and the cache directory.

use std::io::Read;
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

/// How many threads of this host run or want to, this one among them. None if the system does not say.
pub(crate) fn runnable_threads() -> Option<usize> {
    if cfg!(loom) {
        return None;
    }
    let mut text = [0; 64];
    let len =
        std::fs::File::open("/proc/loadavg").and_then(|mut file| file.read(&mut text)).ok()?;
    runnable_in(text.get(..len)?)
}

/// As Linux writes it: three averages, then the runnable threads, `/`, and all threads.
fn runnable_in(loadavg: &[u8]) -> Option<usize> {
    let word = std::str::from_utf8(loadavg).ok()?.split(' ').nth(3)?;
    // Where it is 0 nobody counts: this thread runs.
    word.split_once('/')?.0.parse().ok().filter(|&threads| threads > 0)
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
    fn runnable_threads_are_counted() {
        assert_eq!(runnable_in(b"8.53 8.03 6.94 3/345 31720\n"), Some(3));
        for bad in
            [&b""[..], b"1 2 3", b"1 2 3 4", b"1 2 3 x/4 5", b"0.00 0.00 0.00 0/0 0", b"\xff"]
        {
            assert_eq!(runnable_in(bad), None, "{bad:?}");
        }
        assert_ne!(runnable_threads(), Some(0));
    }

    #[test]
    fn the_host_has_a_name_and_the_cache_a_place() {
        assert!(!name().is_empty() && !id().is_empty());
        #[cfg(target_os = "linux")]
        assert_eq!(name(), std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
        assert!(cache_dir().is_none_or(|folder| folder.is_absolute()));
    }
}
