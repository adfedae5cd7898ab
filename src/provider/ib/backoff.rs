//! How a rank waits for its device: looking at first, and soon sleeping a little between two looks.
//! Soft-RoCE works in threads of the kernel, which a rank that looks without end keeps from
//! running.

use std::time::Duration;

use crate::sys::thread;

/// Looks before the first sleep: a card answers within some of them.
const LOOKS: u32 = 200;

/// How long a sleep between two looks is.
const SLEEP: Duration = Duration::from_micros(100);

/// How many looks there are in a wait that gives up, some 20 ms.
const MOST_LOOKS: u32 = LOOKS + 200;

/// The looks of one wait.
#[derive(Debug, Default)]
pub(super) struct Backoff(u32);

impl Backoff {
    /// Whether a caller with other things to do should come back later.
    pub(super) fn is_at_its_end(&self) -> bool {
        self.0 >= MOST_LOOKS
    }

    /// Passes the time to the next look.
    pub(super) fn pause(&mut self) {
        self.0 = self.0.saturating_add(1);
        if self.0 <= LOOKS {
            thread::yield_now();
        } else {
            thread::park(Some(SLEEP));
        }
    }
}
