//! What tests of the built library share: a folder with it under the names that programs ask for, and C built with it.
//! Rules: a program is built with all warnings, which are errors.

#[allow(dead_code, reason = "not every test has ranks that are killed")]
pub mod killed;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A library that was built with this test.
pub fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    // Beside this test: `cargo test` does not put it one folder up, where `cargo build` does.
    test.parent().expect("a build folder").join(name)
}

/// A folder with the library under the names that programs ask for.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = built("libmpi_abi.so");
    for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
        std::os::unix::fs::symlink(&library, folder.path().join(name)).expect("a link");
    }
    folder
}

/// Builds a program from C, below the folder that has the library.
#[allow(dead_code, reason = "not every test builds with our header")]
pub fn compile(folder: &Path, sources: &[PathBuf], output: &str, options: &[&str]) -> PathBuf {
    let program = folder.join(output);
    // The compiler does not know that MPI_UNWEIGHTED is an address that nobody reads.
    let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread"];
    let output = Command::new("cc")
        .args(["-std=c11", "-O1", "-g"])
        .args(warnings)
        .args(options)
        .arg("-I")
        .arg(root().join("include"))
        .arg("-I")
        .arg(root().join("tests/c"))
        .args(sources)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(folder)
        .args(["-lmpi_abi", "-lm"])
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .output()
        .expect("a compiler of C");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// An address at which no process listens yet, for ranks that another launcher starts.
#[allow(dead_code, reason = "not every test has such ranks")]
pub fn somewhere() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    port.local_addr().expect("an address").to_string()
}
