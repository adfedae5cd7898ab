//! Writes the functions of MPICH's interface, the tables of its constants, and what the library does not support.
//! Rules: `src/constants.txt` and the table of functions in crates/mpi are all there is; what fits no rule is an error.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than this needs")]
#[path = "../mpi/src/abi/mod.rs"]
mod abi;
#[path = "generate/mod.rs"]
mod generate;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for changed in ["src", "generate", "../mpi/generate", "../mpi/src"] {
        println!("cargo:rerun-if-changed={changed}");
    }
    println!("cargo:rustc-check-cfg=cfg(face, values(\"mpich\"))");
    println!("cargo:rustc-cfg=face=\"mpich\"");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi.so.12");
    let core = root.join("../mpi/src");
    let sections =
        generate::functions::parse(&fs::read_to_string(core.join("abi/functions.txt"))?)?;
    let paths = generate::paths::paths(&core)?;
    let constants =
        generate::constants::parse(&fs::read_to_string(root.join("src/constants.txt"))?)?;
    let implemented = paths.keys().cloned().collect();
    let stubs = generate::stubs::stubs(&sections, &implemented, false);
    fs::write(out.join("unsupported.rs"), stubs)?;
    fs::write(out.join("tables.rs"), generate::tables::tables(&constants, abi::TABLES)?)?;
    fs::write(out.join("functions.rs"), generate::wrappers::wrappers(&sections, &paths)?)?;
    Ok(())
}
