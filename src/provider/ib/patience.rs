//! How a rank waits for its device: looking at first, and soon sleeping a little between two looks. Soft-RoCE works
//! in threads of the kernel, which whoever looks without end keeps from running.

use std::time::Duration;

use crate::sys::thread;

/// Looks before the first sleep: a card answers within some of them.
const LOOKS: u32 = 200;

/// How long a sleep between two looks is.
const SLEEP: Duration = Duration::from_micros(100);

/// The looks of one wait.
#[derive(Debug, Default)]
pub(super) struct Patience(u32);

impl Patience {
    /// Passes the time to the next look.
    pub(super) fn pause(&mut self) {
        if self.0 < LOOKS {
            self.0 += 1;
            thread::yield_now();
        } else {
            thread::park(Some(SLEEP));
        }
    }
}
