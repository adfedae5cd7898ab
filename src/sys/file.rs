//! Small files that may be missing, unreadable or read-only without harm.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// The first `most` bytes of a regular file, and one more if it is longer. None if it cannot be
/// read, or is not a regular file: a pipe, for example, could make the reader wait.
pub(crate) fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Replaces a file atomically, or creates it and its folders: a reader sees either the old bytes or
/// the new ones. Returns whether that succeeded.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> bool {
    let Some(folder) = path.parent() else { return false };
    // A name that no other process, thread or leftover file has.
    let name = format!(".{}-{:016x}.partial", std::process::id(), fastrand::u64(..));
    let partial = folder.join(name);
    let replaced = fs::create_dir_all(folder)
        .and_then(|()| write_new(&partial, bytes))
        .and_then(|()| fs::rename(&partial, path));
    if replaced.is_err() {
        // It may not exist.
        let _ = fs::remove_file(&partial);
    }
    replaced.is_ok()
}

/// Writes a new file that only the user may access.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (Planted: a partial file that is left, and bytes that are written into the old file.)
    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("file");
        assert!(replace(&path, b"old bytes"));
        let before = File::open(&path).unwrap();
        assert!(replace(&path, b"new"));
        assert_eq!(read(&path, 10).unwrap(), b"new");
        let mut old = Vec::new();
        (&before).read_to_end(&mut old).unwrap();
        assert_eq!(old, b"old bytes", "a reader of the old file is not disturbed");
        // A folder cannot be replaced by a file.
        assert!(!replace(path.parent().unwrap(), b"new"));
        for (folder, name) in [(folder.path(), "new"), (path.parent().unwrap(), "file")] {
            let entries = fs::read_dir(folder).unwrap();
            let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, [name]);
        }
    }
}
