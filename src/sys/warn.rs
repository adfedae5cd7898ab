//! Warnings for users: a line on standard error.

use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Prints a warning, once in a process: `said` records that. Ranks may be threads of a process, and
/// may have many groups.
pub(crate) fn once(said: &OnceLock<()>, what: fmt::Arguments<'_>) {
    said.get_or_init(|| {
        // In one write: other processes write there too. A failed warning is ignored.
        let _ = io::stderr().write_all(format!("runahead: {what}\n").as_bytes());
    });
}
