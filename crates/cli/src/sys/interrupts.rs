//! Notes requests to end, for a process that must clean up first. Repeated requests count once:
//! `timeout` sends two at a time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use runahead::{Error, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// Whether this process has been asked to end.
#[derive(Debug)]
pub(crate) struct Interrupts(Arc<AtomicBool>);

impl Interrupts {
    /// Starts noting requests.
    ///
    /// # Errors
    ///
    /// The operating system's error, if it installs no handler.
    pub(crate) fn noticed() -> io::Result<Interrupts> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Interrupts(asked))
    }

    /// Fails once this process has been asked to end.
    ///
    /// # Errors
    ///
    /// If it has.
    pub(crate) fn check(&self) -> Result<()> {
        // A flag that publishes no other data: it needs no ordering.
        match self.0.load(Ordering::Relaxed) {
            true => Err(Error::other("interrupted")),
            false => Ok(()),
        }
    }
}
