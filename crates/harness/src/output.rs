//! A file that is there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runahead::{Error, Result};

/// A file to be written: its content goes into a temporary file beside it, which takes its name
/// when it is complete. Dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct Output {
    named: PathBuf,
    target: PathBuf,
    file: File,
    /// None where the target is no regular file (a terminal, a pipe) and is written to directly.
    temporary: Option<PathBuf>,
}

impl Output {
    /// Prepares to write `named`, so that an output that cannot be written is known before the work
    /// is done.
    ///
    /// # Errors
    ///
    /// Naming the file, if it cannot be written.
    pub fn create(named: &Path) -> Result<Output> {
        Self::open(named).map_err(|error| cannot_write(named, &error))
    }

    /// Whether `named` can be written, as far as that can be known and leaves nothing behind: for programs
    /// that write it at their end.
    ///
    /// # Errors
    ///
    /// Naming the file, if it cannot be written.
    pub fn check(named: &Path) -> Result<()> {
        match fs::metadata(named) {
            // Opening a pipe and closing it again would end it for who reads there.
            Ok(present) if !present.is_file() && !present.is_dir() => Ok(()),
            _ => Self::create(named).map(drop),
        }
    }

    fn open(named: &Path) -> io::Result<Output> {
        // What a link points to is replaced, not the link.
        let target = fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
        let present = fs::metadata(&target).ok();
        let named = named.to_owned();
        if present.as_ref().is_some_and(|present| !present.is_file()) {
            let file = File::options().write(true).open(&target)?;
            return Ok(Output { named, target, file, temporary: None });
        }
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.partial", std::process::id()));
        let temporary = target.with_file_name(hidden);
        let file = File::options().write(true).create_new(true).open(&temporary)?;
        let output = Output { named, target, file, temporary: Some(temporary) };
        if let Some(present) = present {
            output.file.set_permissions(present.permissions())?;
        }
        Ok(output)
    }

    /// Writes the whole content and gives the file its name.
    ///
    /// # Errors
    ///
    /// Naming the file, if it cannot be written; what was there before is there still.
    pub fn finish(mut self, content: &[u8]) -> Result<()> {
        self.write(content).map_err(|error| cannot_write(&self.named, &error))
    }

    fn write(&mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)?;
        if let Some(temporary) = &self.temporary {
            // On the disk before it has its name: not even a power cut leaves half a file.
            self.file.sync_all()?;
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // There is nobody to tell if this fails.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::other(format!("cannot write {}: {error}", path.display()))
}
