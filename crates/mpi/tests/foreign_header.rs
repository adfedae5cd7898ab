//! Another library's header for the same interface: what it defines is what ours does, and what is built with it runs here.
//! `RUNAHEAD_MPICH` names a folder with `include/mpi_abi.h` of MPICH (`.ci/mpich`); without it nothing is compared.
//! Rules: a value that differs, or a program that fails, is found, which planted faults show.

mod shared;
#[path = "shared/values.rs"]
mod values;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::launch::job::{Job, Output};
use shared::{folder, root};

/// Programs that are not run, each with the reason.
const NOT_RUN: [(&str, &str); 8] = [
    ("aborted", "it ends by an abort, among threads"),
    ("backlog", "it is about the library and takes long"),
    ("barriers", "it is about the library and about time"),
    ("killed", "its ranks are killed"),
    ("large", "it is about the library, and wants a length"),
    ("lost", "its rank is killed"),
    ("refused", "it ends by an error"),
    (
        "tools",
        "it cannot be built: MPICH's header for this interface lacks `MPI_Comm_c2f` and the like",
    ),
];

/// The folder of MPICH's header.
fn include() -> Option<PathBuf> {
    let folder =
        std::env::var_os("RUNAHEAD_MPICH").map(|folder| PathBuf::from(folder).join("include"));
    if folder.is_none() {
        println!("not compared with MPICH's header: RUNAHEAD_MPICH names no folder");
    }
    folder
}

/// Builds a program from C with that header alone. Returns what the compiler says, if it fails.
fn build(include: &Path, folder: &Path, source: &Path) -> Result<PathBuf, String> {
    let program = folder.join("program");
    let mut compiler = Command::new("cc");
    // The header is MPICH's for the standard's interface where this is defined.
    compiler.args(["-std=c11", "-O1", "-DMPI_ABI", "-Werror=implicit-function-declaration"]);
    compiler.arg("-I").arg(include).arg("-I").arg(root().join("tests/c")).arg(source);
    compiler.arg("-o").arg(&program).arg("-L").arg(folder).args(["-lmpi_abi", "-lm"]);
    compiler.arg(format!("-Wl,-rpath,{}", folder.display()));
    let output = compiler.output().expect("a compiler of C");
    match output.status.success() {
        true => Ok(program),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Runs a program of so many ranks. Returns whether all ended well.
fn succeeds(program: &Path, size: usize) -> bool {
    let job = Job::new(size, program).env("RANKS", size.to_string()).output(Output::Inherit);
    job.timeout(Duration::from_secs(60)).run().expect("a job").code() == 0
}

/// The program that prints the values of a list, by that header.
fn printed(include: &Path, expected: &str) -> String {
    let folder = folder();
    let source = folder.path().join("values.c");
    fs::write(&source, values::printing_program(expected)).expect("a file");
    let program = build(include, folder.path(), &source).expect("it builds");
    let output = Command::new(program).output().expect("it starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Constants, sizes, alignments and offsets. (Planted: another value of one of each.)
#[test]
fn its_values_are_ours() {
    let Some(include) = include() else { return };
    let expected = include_str!("c/values.txt");
    assert_eq!(values::differing(expected, &printed(&include, expected)), [""; 0]);
    for (right, wrong) in [
        ("MPI_ANY_TAG -2", "MPI_ANY_TAG -3"),
        ("sizeof MPI_Status 32 4", "sizeof MPI_Status 32 8"),
        ("offset MPI_TAG 4", "offset MPI_TAG 8"),
    ] {
        let planted = expected.replace(right, wrong);
        assert_ne!(planted, expected, "{right} is no line");
        let found = values::differing(&planted, &printed(&include, &planted));
        assert_eq!(found, [wrong]);
    }
}

/// (Planted: a check that does not hold.)
#[test]
fn what_is_built_with_it_runs_here() {
    let Some(include) = include() else { return };
    let folder = folder();
    let files = fs::read_dir(root().join("tests/c")).expect("a folder of programs");
    let files = files.map(|file| file.expect("an entry").path());
    let mut run = 0;
    for source in files.filter(|file| file.extension().is_some_and(|end| end == "c")) {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        let built = build(&include, folder.path(), &source);
        let cannot = NOT_RUN.iter().any(|(of, why)| *of == name && why.contains("cannot be built"));
        assert_eq!(built.is_err(), cannot, "{name}: {built:?}");
        if NOT_RUN.iter().any(|(of, _)| *of == name) {
            continue;
        }
        let program = built.expect("it is built");
        for size in [1, 3] {
            assert!(succeeds(&program, size), "{name} with {size} ranks");
        }
        run += 1;
    }
    assert!(run > 20, "{run} programs");
    let source = folder.path().join("wrong.c");
    let text = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size; begin(&argc, &argv, &rank, &size);\n\
                CHECK(rank != size - 1); OK(MPI_Finalize()); return 0; }\n";
    fs::write(&source, text).expect("a file");
    let program = build(&include, folder.path(), &source).expect("it is built");
    assert!(!succeeds(&program, 3));
}
