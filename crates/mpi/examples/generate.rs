//! Writes the files that are made from the tables of `src/abi`: `include/mpi.h` and the list in docs/MPI.md.
//! Run it after a change of a table, and after a function was implemented.
//! Rules: a file that is current is not touched.

#[path = "../generate/mod.rs"]
mod generate;

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    for made in generate::made(Path::new(env!("CARGO_MANIFEST_DIR")))? {
        if fs::read_to_string(&made.path).ok().as_deref() != Some(&made.text) {
            fs::write(&made.path, &made.text)?;
            println!("wrote {}", made.path.display());
        }
    }
    Ok(())
}
