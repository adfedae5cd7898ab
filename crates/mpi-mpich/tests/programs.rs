//! Programs in C, built with MPICH's own header and run on the built library, alone and by several ranks.
//! They are those of crates/mpi, and one about what MPICH's interface writes otherwise.
//! Rules: a program that fails, hangs or is killed fails here, which a planted fault shows.

mod common;
#[path = "../../mpi/tests/shared/killed.rs"]
mod killed;

use common::{compile, folder, has_mpich, root};
use runahead::launch::job::{Job, Output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The longest that a job may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A program of crates/mpi.
fn program(name: &str) -> PathBuf {
    root().join(format!("tests/c/{name}.c"))
}

/// Runs a program as a job on the library of a folder. Returns whether all ranks ended well.
fn succeeds(folder: &Path, program: &Path, size: usize) -> bool {
    let job = Job::new(size, program).env("LD_LIBRARY_PATH", folder).env("RANKS", size.to_string());
    job.timeout(LIMIT).output(Output::Inherit).run().expect("a job").code() == 0
}

/// Builds and runs a program.
fn check(source: &Path) {
    if !has_mpich() {
        return;
    }
    let folder = folder();
    let program = compile(folder.path(), &[source.to_owned()], "program", &[]);
    for size in [1, 3] {
        assert!(succeeds(folder.path(), &program, size), "{} with {size} ranks", source.display());
    }
}

/// Programs of crates/mpi that are not run, each with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    ("aborted", "it ends by an abort, among threads"),
    ("backlog", "it is about the library and takes long"),
    ("ends", "it is about the library, and wants to know which end"),
    ("follows", "it ends by an abort"),
    ("killed", "a rank is killed: a test of its own"),
    ("large", "it is about the library, and wants a length"),
    ("lost", "a rank is killed: a test of its own"),
    ("pending", "it wants a function that MPICH 4 lacks"),
    ("refused", "it ends by an error"),
    ("tools", "it wants a constant that MPICH 4 lacks"),
];

macro_rules! programs {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(&program(stringify!($name)));
            }
        )+

        #[test]
        fn every_program_is_listed() {
            let mut listed = vec![$(stringify!($name)),+];
            listed.extend(ELSEWHERE.iter().map(|(name, _)| *name));
            let files = fs::read_dir(program("x").parent().expect("a folder")).expect("programs");
            let files = files.map(|file| file.expect("an entry").path());
            for file in files.filter(|file| file.extension().is_some_and(|end| end == "c")) {
                let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
                assert!(listed.contains(&name.as_str()), "{name} is not run");
            }
        }
    };
}

programs! {
    aliased allocations allocations_collectives attributes barriers codes collectives communicators completions datatypes
    duplicates flood groups buffers handles info intercomm layouts lent messages modes nothing operators persistent polls
    sessions sessions_alone shared thread threads topology unequal waitall windows wrong
}

#[test]
fn what_is_written_otherwise_is_converted() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/foreign.c"));
}

/// The library is the same, so one call of each kind is enough. (Planted: an error class without its number there.)
#[test]
fn a_killed_rank_is_an_error_and_named() {
    if !has_mpich() {
        return;
    }
    let folder = folder();
    let source = program("killed");
    let binary = compile(folder.path(), std::slice::from_ref(&source), "killed", &[]);
    let kinds = ["send", "recv", "waitall", "barrier", "allreduce", "dup", "window"];
    let mut calls = killed::calls(&source);
    calls.retain(|call| kinds.contains(&&*call.name));
    assert_eq!(calls.len(), kinds.len());
    for call in calls {
        let job = || Job::new(3, &binary).env("LD_LIBRARY_PATH", folder.path()).timeout(LIMIT);
        killed::is_returned(job(), folder.path(), &call, "MPICH's interface");
        killed::ends_the_job(job(), &call);
    }
    let (lost, told) = (program("lost"), folder.path().join("told"));
    let binary = compile(folder.path(), &[lost], "lost", &[]);
    let job = Job::new(2, &binary).env("LD_LIBRARY_PATH", folder.path()).env("TOLD", &told);
    assert_ne!(job.timeout(LIMIT).run().expect("a job").code(), 0);
    assert_eq!(fs::read_to_string(&told).expect("a file"), "lost");
}

#[test]
fn a_program_whose_check_fails_is_noticed() {
    if !has_mpich() {
        return;
    }
    let folder = folder();
    let source = folder.path().join("wrong.c");
    let text = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size; begin(&argc, &argv, &rank, &size);\n\
                CHECK(rank != size - 1); OK(MPI_Finalize()); return 0; }\n";
    fs::write(&source, text).expect("a file");
    let program = compile(folder.path(), &[source], "program", &[]);
    assert!(!succeeds(folder.path(), &program, 1) && !succeeds(folder.path(), &program, 3));
}

#[test]
fn fortran_runs_with_mpichs_own_binding() {
    let compiler = "mpif90.mpich";
    if !has_mpich() || Command::new(compiler).arg("--version").output().is_err() {
        eprintln!("SKIPPED, nothing was checked: {compiler} is not installed");
        return;
    }
    let (folder, apart) = (folder(), tempfile::tempdir().expect("a temporary folder"));
    let build = |name: &str, text: &str| {
        let (source, program) = (apart.path().join(name), apart.path().join(format!("{name}.out")));
        fs::write(&source, text).expect("a file");
        let mut command = Command::new(compiler);
        // Files of modules go where it runs.
        command
            .current_dir(apart.path())
            .args(["-std=legacy", "-fallow-argument-mismatch", "-w"])
            .arg(&source);
        let built = command.arg("-o").arg(&program).output().expect("MPICH's compiler");
        assert!(built.status.success(), "{name}: {}", String::from_utf8_lossy(&built.stderr));
        program
    };
    // MPICH's binding adds one to an index that is undefined. `module.f90` is left out: after a call that failed, that
    // binding takes what stands in `outcount` for a number of indices, on MPICH itself, too.
    let basics = include_str!("../../mpi-fortran/tests/fortran/basics.f")
        .replace("INDEX .EQ. MPI_UNDEFINED", "INDEX .LE. MPI_UNDEFINED+1");
    for (name, text) in [
        ("basics.f", &*basics),
        ("f08.f90", include_str!("../../mpi-fortran/tests/fortran/f08.f90")),
    ] {
        let program = build(name, text);
        for size in [1, 3] {
            assert!(succeeds(folder.path(), &program, size), "{name} with {size} ranks");
        }
    }
    let planted = basics.replace("INDEX .EQ. 2 .AND.", "INDEX .EQ. 1 .AND.");
    assert!(!succeeds(folder.path(), &build("planted.f", &planted), 2));
}

#[test]
fn a_program_linked_with_mpich_runs_without_a_new_build() {
    if !has_mpich() {
        return;
    }
    let (folder, apart) = (folder(), tempfile::tempdir().expect("a temporary folder"));
    let (source, program) = (program("messages"), apart.path().join("messages"));
    let built = Command::new("mpicc.mpich").arg(&source).arg("-o").arg(&program).output();
    let built = built.expect("MPICH's compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    assert!(succeeds(folder.path(), &program, 3));
    // (Planted: a folder without the library, where the program finds MPICH, and each process is a job of its own.)
    assert!(!succeeds(apart.path(), &program, 3));
}
