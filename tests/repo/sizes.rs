//! What is read in one sitting stays short: the page on how all of it is built, and each file.

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of docs/ARCHITECTURE.md.
const ARCHITECTURE_LINES: usize = 200;

/// The most lines of a Rust file.
const FILE_LINES: usize = 600;

/// The Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let paths = entries.map(|entry| entry.expect("an entry of that folder").path());
    paths
        .flat_map(|path| match path.extension() {
            _ if path.is_dir() && !path.ends_with("target") => rust_files(&path),
            Some(extension) if extension == "rs" => vec![path],
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn pages_and_files_stay_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lines = |path: &Path| fs::read_to_string(path).expect("a text").lines().count();
    let architecture = lines(&root.join("docs/ARCHITECTURE.md"));
    assert!(architecture <= ARCHITECTURE_LINES, "{architecture} lines of architecture");
    let folders = ["src", "crates", "tests", "examples", "benches", "fuzz"];
    let files: Vec<_> = folders.iter().flat_map(|of| rust_files(&root.join(of))).collect();
    assert!(files.len() > 300, "{} files", files.len());
    let long: Vec<_> = files.iter().filter(|path| lines(path) > FILE_LINES).collect();
    assert!(long.is_empty(), "above {FILE_LINES} lines: {long:?}");
}
