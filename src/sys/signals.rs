//! Signals that reach this process, told to a thread of their own. (Linux.)

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;

/// Signals by which a user asks a command to end.
pub(crate) const WISHES: [i32; 2] = [SIGINT, SIGTERM];
pub(crate) const KILL: i32 = SIGKILL;

/// From now on, and for as long as this process lives, signals that would end it do not. Each is told
/// to `hear`, with whether the kernel has sent it, as it does for the keys of a terminal.
pub(crate) fn listen(mut hear: impl FnMut(i32, bool) + Send + 'static) -> io::Result<()> {
    let signals = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];
    let mut signals = SignalsInfo::<WithRawSiginfo>::new(signals)?;
    // What the kernel sends of its own accord has a positive code.
    let tell = move || signals.forever().for_each(|info| hear(info.si_signo, info.si_code > 0));
    std::thread::Builder::new().name("signals".to_owned()).spawn(tell).map(drop)
}
