//! The options that the long measurements of runahead alone share, and their journal.

use std::path::PathBuf;

use clap::Args;
use runahead::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::journal::{Journal, Terms};
use super::report;

/// Flattened into the command lines of these measurements.
#[derive(Args, Clone, Debug)]
pub(crate) struct LongArgs {
    /// Write each cell to this file, as JSON, and skip the cells that it has already: an
    /// interrupted measurement resumes
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Let the ranks be threads of one process
    #[arg(long)]
    pub(crate) threads: bool,

    /// Divide the sizes by this
    #[arg(long, hide = true, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) scale: u32,
}

impl LongArgs {
    /// The journal of a measurement with these options, on this machine.
    ///
    /// # Errors
    ///
    /// As by [`Journal::open`].
    pub(crate) fn open<C: Serialize + DeserializeOwned>(
        &self,
        measurement: String,
        runs: usize,
    ) -> Result<Journal<C>> {
        let (threads, scale, machine) = (self.threads, self.scale, report::machine());
        Journal::open(self.json.clone(), Terms { measurement, runs, threads, scale, machine })
    }
}
