//! Small files that may be missing, unreadable or read-only without harm.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

/// The first `most` bytes of a regular file, and of a longer one the next, too; None if it cannot be
/// read. Anything else, such as a pipe, could make the reader wait.
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Replaces a file, or makes it and its folders, so that a reader sees either the old bytes or the new
/// ones. Returns whether it could.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> bool {
    let replace = || {
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(bytes).ok()?;
        file.persist(path).ok()
    };
    replace().is_some()
}
