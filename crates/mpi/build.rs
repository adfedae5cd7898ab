//! Names the library as the binary interface wants it, and writes the functions that are not supported.
//! What a source of this crate defines is implemented; every other function of the table gets a stub.
//! Rules: all names of `mpi.h` are exported, whoever has implemented how many of them.

#[allow(dead_code, reason = "the header is made from the rest")]
#[path = "generate/functions.rs"]
mod functions;
#[path = "generate/rust_types.rs"]
mod rust_types;
#[path = "generate/scan.rs"]
mod scan;
#[path = "generate/stubs.rs"]
mod stubs;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=generate");
    println!("cargo:rustc-check-cfg=cfg(face, values(\"mpich\"))");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    let sections = functions::parse(&fs::read_to_string(root.join("src/abi/functions.txt"))?)?;
    let implemented = scan::defined_below(&root.join("src"))?;
    let stubs = stubs::stubs(&sections, &implemented, true);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("unsupported.rs"), stubs)?;
    Ok(())
}
