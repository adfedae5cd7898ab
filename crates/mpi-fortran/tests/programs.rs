//! Programs in Fortran, each run with 1, 2, 3 and 5 ranks on the library of this repository.
//! A program checks itself: it aborts when something is wrong.
//! Rules: without gfortran the tests fail and name the package to install; a planted fault is found.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::launch::job::Job;
use tempfile::TempDir;

/// What to do where these tests cannot compile.
const NO_COMPILER: &str = "gfortran does not start; install the package `gfortran`";

/// A folder with the libraries under the names that programs link and load.
struct Libraries(TempDir);

impl Libraries {
    fn new() -> Libraries {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let test = std::env::current_exe().expect("this test's path");
        for name in ["libmpi_abi.so", "libmpi_abi_fortran.so"] {
            let built = test.parent().expect("a build folder").join(name);
            assert!(built.exists(), "{} was not built", built.display());
            symlink(&built, folder.path().join(name)).expect("a link");
            symlink(&built, folder.path().join(format!("{name}.1"))).expect("a link");
        }
        Libraries(folder)
    }

    /// Compiles a program.
    fn compile(&self, name: &str, source: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (file, program) = (self.0.path().join(name), self.0.path().join(format!("{name}.out")));
        fs::write(&file, source).expect("a file in a temporary folder");
        let mut compiler = Command::new("gfortran");
        compiler.current_dir(self.0.path()).args([
            "-std=legacy",
            "-fallow-argument-mismatch",
            "-w",
        ]);
        compiler.arg("-I").arg(root.join("include"));
        let module = if source.contains("use mpi_f08") { "mpi_f08.f90" } else { "mpi.f90" };
        compiler.arg(root.join("include").join(module));
        compiler.arg(&file).arg("-o").arg(&program).arg("-L").arg(self.0.path());
        let output = compiler.args(["-lmpi_abi_fortran", "-lmpi_abi"]).output();
        let output = output.unwrap_or_else(|error| panic!("{NO_COMPILER}: {error}"));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        program
    }

    /// Runs a program. Returns the job's exit code.
    fn run(&self, program: &Path, ranks: usize) -> i32 {
        let job = Job::new(ranks, program).env("LD_LIBRARY_PATH", self.0.path());
        job.timeout(Duration::from_secs(60)).run().expect("a job").code()
    }
}

#[test]
fn programs_pass_with_any_number_of_ranks() {
    let libraries = Libraries::new();
    for (name, source) in [
        ("basics.f", include_str!("fortran/basics.f")),
        ("module.f90", include_str!("fortran/module.f90")),
        ("f08.f90", include_str!("fortran/f08.f90")),
    ] {
        let program = libraries.compile(name, source);
        for ranks in [1, 2, 3, 5] {
            assert_eq!(libraries.run(&program, ranks), 0, "{name} with {ranks} ranks");
        }
    }
}

#[test]
fn a_program_that_is_wrong_fails() {
    let libraries = Libraries::new();
    let planted =
        include_str!("fortran/basics.f").replace("INDEX .EQ. 2 .AND.", "INDEX .EQ. 1 .AND.");
    let program = libraries.compile("planted.f", &planted);
    assert_ne!(libraries.run(&program, 2), 0);
}

/// The job names it, and the call of a rank that needed it.
#[test]
fn a_killed_rank_is_named() {
    let libraries = Libraries::new();
    let source = "program killed\n  use mpi\n  integer :: word, rank, code\n  call MPI_Init(code)\n  \
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)\n  if (rank == 1) call kill(getpid(), 9)\n  \
        call MPI_Recv(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)\n  \
        call MPI_Finalize(code)\nend program\n";
    let program = libraries.compile("killed.f90", source);
    let job = Job::new(3, program).env("LD_LIBRARY_PATH", libraries.0.path());
    let report = job.timeout(Duration::from_secs(60)).run().expect("a job");
    let said = |told: Option<(usize, runahead::Error)>| told.map(|(_, error)| error.to_string());
    assert_eq!(said(report.failure).as_deref(), Some("rank 1 was killed by signal 9 (SIGKILL)"));
    let witness = said(report.witness).unwrap_or_default();
    assert!(witness.starts_with("rank 0: MPI_Recv: rank 1 "), "{witness}");
}

#[test]
fn a_tool_in_c_sees_the_calls_of_a_program_in_fortran() {
    let libraries = Libraries::new();
    let source = "program sends\n  use mpi_f08\n  integer :: word = 1\n  type(MPI_Request) :: request\n  \
        call MPI_Init()\n  call MPI_Irecv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request)\n  \
        call MPI_Send(2, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF)\n  call MPI_Wait(request, MPI_STATUS_IGNORE)\n  \
        call MPI_Finalize()\nend program\n";
    let program = libraries.compile("sends.f90", source);
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi");
    let tool = libraries.0.path().join("counter.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-I"]).arg(tests.join("include"));
    let built = compiler.arg(tests.join("tests/tool/counter.c")).arg("-o").arg(&tool).output();
    assert!(built.expect("cc").status.success());
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", libraries.0.path()).env("LD_PRELOAD", &tool);
    let output = command.output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "sends: 1\n");
}
