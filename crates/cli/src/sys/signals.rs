//! Delivers signals of this process to a thread. (Linux.)

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;

/// The signals with which a user asks a command to end.
pub(crate) const END_REQUESTS: [i32; 2] = [SIGINT, SIGTERM];
pub(crate) const KILL: i32 = SIGKILL;

/// From now on, signals that would end this process do not. Each calls `hear`, with whether the
/// kernel sent it, as it does for the keys of a terminal. If this process was started to ignore
/// SIGHUP, as by `nohup`, it keeps ignoring it, and so do the processes that it starts.
pub(crate) fn listen(mut hear: impl FnMut(i32, bool) + Send + 'static) -> io::Result<()> {
    let mut signals = vec![SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2];
    if !std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status)) {
        signals.push(SIGHUP);
    }
    let mut signals = SignalsInfo::<WithRawSiginfo>::new(signals)?;
    // Signals that the kernel sends itself have a positive code.
    let tell = move || signals.forever().for_each(|info| hear(info.si_signo, info.si_code > 0));
    std::thread::Builder::new().name("signals".to_owned()).spawn(tell).map(drop)
}

/// Whether a process with this status ignores SIGHUP, the first of the signals.
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_hangup_is_read_from_the_process_status() {
        assert!(ignores_hangup("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"));
        assert!(!ignores_hangup("Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t1\n"));
        assert!(!ignores_hangup("SigBlk:\t1\n"));
    }
}
