//! Signals that reach this process, told to a thread of their own. (Linux.)

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;

/// Signals by which a user asks a command to end.
pub(crate) const END_REQUESTS: [i32; 2] = [SIGINT, SIGTERM];
pub(crate) const KILL: i32 = SIGKILL;

/// From now on, and for as long as this process lives, signals that would end it do not. Each is told
/// to `hear`, with whether the kernel has sent it, as it does for the keys of a terminal. A SIGHUP that
/// this process was started to ignore, by `nohup`, stays ignored, here and in what is started from here.
pub(crate) fn listen(mut hear: impl FnMut(i32, bool) + Send + 'static) -> io::Result<()> {
    let mut signals = vec![SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2];
    if !std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status)) {
        signals.push(SIGHUP);
    }
    let mut signals = SignalsInfo::<WithRawSiginfo>::new(signals)?;
    // What the kernel sends of its own accord has a positive code.
    let tell = move || signals.forever().for_each(|info| hear(info.si_signo, info.si_code > 0));
    std::thread::Builder::new().name("signals".to_owned()).spawn(tell).map(drop)
}

/// Whether a process ignores SIGHUP, the first of the signals, of which the system says this.
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_read() {
        assert!(ignores_hangup("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"));
        assert!(!ignores_hangup("Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t1\n"));
        assert!(!ignores_hangup("SigBlk:\t1\n"));
    }
}
