//! Finds which functions of MPI the sources of this crate define, so that nobody keeps a second list of them.
//! A definition is `fn MPI_…(` or `fn MPI_…, MPI_…_c(`, in an export macro or without.
//! Rules: comments do not count; a function that is found and not defined is missing in the built library, and shows.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The Rust files below a folder, in the order of their names.
///
/// # Errors
///
/// What the file system says.
pub fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    let mut files = Vec::new();
    for path in entries.iter().map(fs::DirEntry::path) {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The names that a source defines.
#[must_use]
pub fn defined_in(source: &str) -> BTreeSet<String> {
    let code: Vec<_> =
        source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join(" ");
    code.split("fn MPI_")
        .skip(1)
        .filter_map(|behind| behind.split_once('('))
        .flat_map(|(names, _)| names.split(',').map(|name| name.trim().trim_start_matches("MPI_")))
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .map(|name| format!("MPI_{name}"))
        .collect()
}

/// The names that the sources below a folder define.
///
/// # Errors
///
/// What the file system says.
pub fn defined_below(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in rust_files(folder)? {
        names.extend(defined_in(&fs::read_to_string(file)?));
    }
    Ok(names)
}
