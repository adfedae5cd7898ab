//! What a program tells its user, and how it ends.

use std::io::{self, Write};
use std::process::ExitCode;

use runahead::{Error, Result};

/// Prints a line.
///
/// # Errors
///
/// If standard output takes nothing; that nobody listens any more is none.
pub fn print(line: impl std::fmt::Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::other(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// How the process ends: silently, or with an error told.
pub fn exit(result: Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let told = match &error {
        // An error of our own says all there is to say; which rank read the file is no news. That of a
        // rank's process is told here, and blames nobody.
        Error::Rank { error, .. }
            if matches!(**error, Error::Other(_) | Error::Reported { culprit: None, .. }) =>
        {
            error.to_string()
        }
        error => error.to_string(),
    };
    // If even this cannot be written, the exit code has to do.
    let _ = writeln!(io::stderr(), "error: {told}");
    ExitCode::FAILURE
}
