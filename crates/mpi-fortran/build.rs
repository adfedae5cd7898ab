//! Writes the wrappers of MPI's Fortran binding, and has the library say that it needs `libmpi_abi.so.1`.
//! For that the linker gets an empty library of this name: which one lies below is known only when a program starts.
//! Rules: nothing of any MPI library is looked at when this is built.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "../mpi/src/abi/mod.rs"]
mod abi;
#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "src/block.rs"]
mod block;
#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "generate/mod.rs"]
mod generate;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for changed in ["generate", "../mpi/generate", "../mpi/src/abi"] {
        println!("cargo:rerun-if-changed={changed}");
    }
    let sections = generate::sections(&root)?;
    fs::write(out.join("wrappers.rs"), generate::wrappers::wrappers(&sections)?)?;

    let empty = out.join("libmpi_abi.so");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let options =
        ["-shared", "-nostdlib", "-Wl,-soname,libmpi_abi.so.1", "-x", "c", "/dev/null", "-o"];
    if !Command::new(compiler).args(options).arg(&empty).status()?.success() {
        return Err("the C compiler made no shared library".into());
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi_fortran.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--no-as-needed");
    println!("cargo:rustc-cdylib-link-arg={}", empty.display());
    Ok(())
}
