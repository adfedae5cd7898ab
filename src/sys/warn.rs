//! Warnings for users: a line on standard error.

use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Says what is not as the user may have wished, and no error; only the first time in a process, for which `said`
/// stands: ranks may be its threads, and groups many.
pub(crate) fn once(said: &OnceLock<()>, what: fmt::Arguments<'_>) {
    said.get_or_init(|| {
        // In one piece: other processes write there too. Where nobody can be warned, nobody is.
        let _ = io::stderr().write_all(format!("runahead: {what}\n").as_bytes());
    });
}
