//! Programs in C, built with our header and run on the built library, alone and by several ranks.
//! Each file of `tests/c` checks one area, and ends with status 0 if all holds.
//! Rules: a program that fails, hangs or is killed fails here, which a planted fault shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::launch::job::{Job, Output};

/// How many ranks run each program.
const SIZES: [usize; 4] = [1, 2, 3, 5];

/// The longest that a job may take.
const LIMIT: Duration = Duration::from_secs(60);

/// The folder of this crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the library under the name that programs ask for.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let test = std::env::current_exe().expect("this test's path");
    // Beside this test: `cargo test` does not put it one folder up, where `cargo build` does.
    let library = test.parent().expect("a build folder").join("libmpi_abi.so");
    for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
        std::os::unix::fs::symlink(&library, folder.path().join(name)).expect("a link");
    }
    folder
}

/// Builds a program from C.
fn compile(folder: &Path, source: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().expect("a name"));
    // The compiler does not know that MPI_UNWEIGHTED is an address that nobody reads.
    let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread"];
    let output = Command::new("cc")
        .args(["-std=c11", "-O1", "-g"])
        .args(warnings)
        .arg("-I")
        .arg(root().join("include"))
        .arg("-I")
        .arg(root().join("tests/c"))
        .arg(source)
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

/// Runs a program as a job. Returns whether all ranks ended well.
fn succeeds(program: &Path, size: usize) -> bool {
    succeeds_with_barriers("traditional", program, size)
}

/// As [`succeeds`], with barriers of this mode.
fn succeeds_with_barriers(mode: &str, program: &Path, size: usize) -> bool {
    let job =
        Job::new(size, program).env("RUNAHEAD_MPI_BARRIER", mode).env("RANKS", size.to_string());
    job.timeout(LIMIT).output(Output::Inherit).run().expect("a job").code() == 0
}

/// Builds and runs the program of this name.
fn check(name: &str) {
    let folder = folder();
    let program = compile(folder.path(), &root().join(format!("tests/c/{name}.c")));
    for size in SIZES {
        assert!(succeeds(&program, size), "{name} with {size} ranks");
    }
}

/// Programs that end otherwise: `interface.rs` runs them, or a test of their own.
const ELSEWHERE: [&str; 3] = ["refused", "tools", "lost"];

macro_rules! programs {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )+

        #[test]
        fn every_program_is_listed() {
            let listed = [$(stringify!($name)),+].into_iter().chain(ELSEWHERE).collect::<Vec<_>>();
            let files = fs::read_dir(root().join("tests/c")).expect("a folder of programs");
            let files = files.map(|file| file.expect("an entry").path());
            for file in files.filter(|file| file.extension().is_some_and(|end| end == "c")) {
                let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
                assert!(listed.contains(&name.as_str()), "{name} is not run");
            }
        }
    };
}

programs! {
    allocations attributes barriers codes collectives communicators completions datatypes groups
    handles info intercomm layouts messages nothing operators persistent sessions sessions_alone
    thread topology windows
}

#[test]
fn a_program_whose_check_fails_is_noticed() {
    let folder = folder();
    let source = folder.path().join("wrong.c");
    let text = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size; begin(&argc, &argv, &rank, &size);\n\
                CHECK(rank != size - 1); OK(MPI_Finalize()); return 0; }\n";
    fs::write(&source, text).expect("a file");
    let program = compile(folder.path(), &source);
    assert!(!succeeds(&program, 1) && !succeeds(&program, 3));
}

#[test]
fn a_wait_for_anybody_ends_when_a_rank_is_killed() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/lost.c"));
    let told = folder.path().join("told");
    let job = Job::new(2, &program).env("TOLD", &told).timeout(LIMIT).output(Output::Inherit);
    assert_ne!(job.run().expect("a job").code(), 0);
    assert_eq!(fs::read_to_string(&told).expect("a file"), "lost");
}

#[test]
fn barriers_may_return_at_once() {
    let folder = folder();
    for name in ["barriers", "messages", "collectives", "communicators", "windows"] {
        let program = compile(folder.path(), &root().join(format!("tests/c/{name}.c")));
        for mode in ["guarded", "runahead"] {
            assert!(succeeds_with_barriers(mode, &program, 3), "{name} with {mode} barriers");
        }
        assert!(!succeeds_with_barriers("eager", &program, 2), "there is no such mode");
    }
}
