//! Synchronisation outside the runtime: what a rank tells another after a barrier would be held if
//! it were a message.

use std::sync::{Condvar, Mutex, PoisonError};

use runahead::internals::verbs::Nic;
use runahead::{Comm, Result};

/// Counts arrivals.
#[derive(Default)]
pub struct Gate {
    arrived: Mutex<usize>,
    changed: Condvar,
}

/// An arrival to come.
pub struct Promise<'g>(&'g Gate);

impl Drop for Promise<'_> {
    fn drop(&mut self) {
        self.0.arrive();
    }
}

impl Gate {
    pub fn new() -> Gate {
        Gate::default()
    }

    pub fn arrive(&self) {
        *self.arrived.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Arrives when it is dropped: at the right place, or, should the rank fail before, then. So a
    /// check that fails ends its test, instead of leaving the withheld rank at the gate.
    pub fn promise(&self) -> Promise<'_> {
        Promise(self)
    }

    pub fn has(&self, count: usize) -> bool {
        *self.arrived.lock().unwrap_or_else(PoisonError::into_inner) >= count
    }

    /// Waits as a rank that computes: nothing progresses.
    pub fn wait_computing(&self, count: usize) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        while *arrived < count {
            arrived = self.changed.wait(arrived).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits as a rank that is in the runtime most of the time.
    pub fn wait_progressing<N: Nic>(&self, count: usize, world: &Comm<N>) -> Result<()> {
        while !self.has(count) {
            world.progress()?;
            std::thread::yield_now();
        }
        Ok(())
    }
}
