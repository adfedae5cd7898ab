//! Being asked to end, by who has something to put in order before. However often it is asked: `timeout`
//! asks twice at once.

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
    /// From now on it is noticed.
    ///
    /// # Errors
    ///
    /// What the operating system says, if it cannot be.
    pub(crate) fn noticed() -> io::Result<Interrupts> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Interrupts(asked))
    }

    /// # Errors
    ///
    /// If it has been asked to end.
    pub(crate) fn check(&self) -> Result<()> {
        // It hands nothing over but itself, and pairs with nothing.
        match self.0.load(Ordering::Relaxed) {
            true => Err(Error::other("interrupted")),
            false => Ok(()),
        }
    }
}
