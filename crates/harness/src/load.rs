//! Competitors: threads that want a core all the time, as other programs on the machine would.
//!
//! The thesis runs a spin loop on each node (pakin-2001 §5.1.2). These are threads of rank 0's process
//! and stop with its run, whatever becomes of it.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use runahead::{Comm, Error, Result};

/// Competitors that run until this is dropped.
#[derive(Debug)]
pub struct Competitors {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Competitors {
    /// Starts `count` of them beside the ranks of `world`: once, at rank 0. What stands before a launch
    /// is done by every rank's process.
    ///
    /// # Errors
    ///
    /// As by [`Competitors::start`].
    pub fn beside(world: &Comm, count: usize) -> Result<Competitors> {
        Competitors::start(if world.rank() == 0 { count } else { 0 })
    }

    /// Starts `count` of them.
    ///
    /// # Errors
    ///
    /// If the operating system gives no thread for one.
    pub fn start(count: usize) -> Result<Competitors> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut competitors = Competitors { stop, threads: Vec::new() };
        for number in 0..count {
            let stop = Arc::clone(&competitors.stop);
            let spin = move || {
                // Pairs with the store in `drop`; only the flag itself matters.
                while !stop.load(Ordering::Relaxed) {
                    spin_loop();
                }
            };
            let thread = Builder::new().name(format!("competitor {number}")).spawn(spin);
            competitors.threads.push(thread.map_err(|error| {
                Error::other(format!("competitor {number} cannot be started: {error}"))
            })?);
        }
        Ok(competitors)
    }
}

impl Drop for Competitors {
    fn drop(&mut self) {
        // Pairs with the load of each competitor.
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A loop that only spins has nothing to panic about.
            let _ = thread.join();
        }
    }
}
