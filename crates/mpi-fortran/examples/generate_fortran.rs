//! Writes the files that are made from the tables of the binary interface: `mpif.h`, `mpi.f90` and `mpi_f08.f90`
//! in `include`.
//! Run it after a change of a table.
//! Rules: a file that is current is not touched.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "../../mpi/src/abi/mod.rs"]
mod abi;
#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "../src/block.rs"]
mod block;
#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
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
