//! What is made from the tables of MPI's binary interface for Fortran: wrappers, the include file, the module.
//! Used by the build script, by `examples/generate_fortran.rs`, and by the tests that what is committed is current.
//! Rules: pure text from text; the same tables give the same bytes.

pub mod constants;
pub mod f08;
#[path = "../../mpi/generate/functions.rs"]
#[allow(dead_code, reason = "the header of C is made from the rest")]
pub mod functions;
pub mod include;
pub mod interface;
pub mod kinds;
pub mod module;
pub mod wrappers;

#[path = "../../mpi/generate/rust_types.rs"]
pub mod rust_types;

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

/// The table of all functions.
///
/// # Errors
///
/// A table that cannot be read, or whose text is not understood.
pub fn sections(root: &Path) -> io::Result<Vec<functions::Section>> {
    let text = fs::read_to_string(root.join("../mpi/src/abi/functions.txt"))?;
    functions::parse(&text).map_err(io::Error::other)
}

/// Every committed file that is made from the tables.
///
/// # Errors
///
/// A table that cannot be read, or whose text is not understood.
pub fn made(root: &Path) -> io::Result<Vec<Made>> {
    let sections = sections(root)?;
    Ok(vec![
        Made { path: root.join("include/mpif.h"), text: include::include_file() },
        Made { path: root.join("include/mpi.f90"), text: module::module(&sections) },
        Made { path: root.join("include/mpi_f08.f90"), text: f08::module(&sections) },
    ])
}
