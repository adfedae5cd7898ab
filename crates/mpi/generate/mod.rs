//! What is made from the tables of `src/abi`: the header, the functions that answer "unsupported", the page of states.
//! Used by the build script, by `examples/generate.rs`, and by the tests that what is committed is current.
//! Rules: pure text from text; the same tables give the same bytes.

pub mod functions;
pub mod header;
pub mod page;
pub mod scan;

use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file that is made, and what it has to contain.
#[derive(Debug)]
pub struct Made {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Every committed file that is made from the tables.
///
/// # Errors
///
/// A file that cannot be read, or whose text is not understood.
pub fn made(root: &Path) -> io::Result<Vec<Made>> {
    let sections = sections(root)?;
    let implemented = scan::defined_below(&root.join("src"))?;
    let header = header::header(&sections);
    let page_path = root.join("../../docs/MPI.md");
    let page = page::with_list(&fs::read_to_string(&page_path)?, &sections, &implemented);
    Ok(vec![
        Made { path: root.join("include/mpi.h"), text: header },
        Made { path: page_path, text: page.map_err(io::Error::other)? },
    ])
}

/// The table of all functions.
///
/// # Errors
///
/// A table that cannot be read, or whose text is not understood.
pub fn sections(root: &Path) -> io::Result<Vec<functions::Section>> {
    let text = fs::read_to_string(root.join("src/abi/functions.txt"))?;
    functions::parse(&text).map_err(io::Error::other)
}
