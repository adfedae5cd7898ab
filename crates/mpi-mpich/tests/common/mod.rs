//! What both tests need: the built library under the names that programs ask for, and MPICH's compiler.
//! Rules: without MPICH's header nothing can be compared, and a test says that it did not run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler with MPICH's own header.
const COMPILER: &str = "mpicc.mpich";

/// Whether MPICH's compiler is there. A test that goes without has shown nothing, and says so.
///
/// # Panics
///
/// If `RUNAHEAD_TESTS` asks for all, where it has to be.
pub fn has_mpich() -> bool {
    if Command::new(COMPILER).arg("-show").output().is_ok_and(|output| output.status.success()) {
        return true;
    }
    let effort = std::env::var("RUNAHEAD_TESTS").unwrap_or_default();
    assert!(
        ["", "quick"].contains(&&*effort),
        "{COMPILER} is not installed: apt install libmpich-dev"
    );
    eprintln!("SKIPPED, nothing was checked: {COMPILER} is not installed (Debian: libmpich-dev)");
    false
}

/// The built library.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this test's path");
    // Beside this test: `cargo test` does not put it one folder up, where `cargo build` does.
    test.parent().expect("a build folder").join("libmpi.so")
}

/// A folder with the library under its name, and under Debian's for MPICH's.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["libmpi.so.12", "libmpich.so.12"] {
        std::os::unix::fs::symlink(library(), folder.path().join(name)).expect("a link");
    }
    folder
}

/// The folder of crates/mpi, whose tests are run here, too.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi")
}

/// Builds a program from C with MPICH's header, below the folder that has the library.
pub fn compile(folder: &Path, sources: &[PathBuf], output: &str, options: &[&str]) -> PathBuf {
    let program = folder.join(output);
    let mut compiler = Command::new(COMPILER);
    // The compiler does not know that MPI_STATUSES_IGNORE is an address that nobody writes to, and MPICH 4 declares no
    // functions of MPI 5, whose arguments are integers and addresses.
    compiler.args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
    compiler
        .args([
            "-Wno-stringop-overread",
            "-Wno-stringop-overflow",
            "-Wno-implicit-function-declaration",
        ])
        .args(options);
    compiler.arg("-I").arg(root().join("tests/c"));
    // What MPICH 4 lacks is found in our library, which is named before it.
    compiler.args(sources).arg("-o").arg(&program).arg("-L").arg(folder);
    let output = compiler.args(["-l:libmpi.so.12", "-lm"]).output().expect("MPICH's compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}
