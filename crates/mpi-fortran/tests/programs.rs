//! Programs in Fortran, each run with 1, 2, 3 and 5 ranks on the library of this repository.
//! A program checks itself: it aborts when something is wrong.
//! Rules: without gfortran the tests fail and name the package to install; a planted fault is found.

#[path = "../../mpi/tests/shared/killed.rs"]
#[allow(dead_code, reason = "the calls of a program in Fortran stand here")]
mod killed;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use killed::Call;
use runahead::launch::job::Job;
use tempfile::TempDir;

/// The longest that a job may take.
const LIMIT: Duration = Duration::from_secs(60);

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
        job.timeout(LIMIT).run().expect("a job").code()
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

/// The calls of `killed.f90`, each with its function.
const CALLS: [(&str, &str); 9] = [
    ("send", "MPI_Send"),
    ("recv", "MPI_Recv"),
    ("recv_of_any", "MPI_Recv"),
    ("wait", "MPI_Wait"),
    ("waitall", "MPI_Waitall"),
    ("barrier", "MPI_Barrier"),
    ("bcast", "MPI_Bcast"),
    ("allreduce", "MPI_Allreduce"),
    ("allreduce_in_place", "MPI_Allreduce"),
];

/// `killed.f90`, with the module mpi.
fn with_integer_handles(source: &str) -> String {
    let written_otherwise = [
        ("use mpi_f08", "use mpi"),
        ("type(MPI_Request) ::", "integer ::"),
        ("type(MPI_Status) :: statuses(2)", "integer :: statuses(MPI_STATUS_SIZE, 2)"),
        ("statuses(1)%MPI_ERROR", "statuses(MPI_ERROR, 1)"),
    ];
    written_otherwise.iter().fold(source.to_owned(), |source, (of_f08, of_mpi)| {
        assert_eq!(source.matches(of_f08).count(), 1, "{of_f08}");
        source.replace(of_f08, of_mpi)
    })
}

/// A rank is killed while the others are in a call. Errors are returned, or end the job, which names that rank and the call of
/// another. (Planted: an error that does not reach the last argument.)
#[test]
fn a_killed_rank_is_an_error_and_named() {
    let libraries = Libraries::new();
    let folder = libraries.0.path();
    let source = include_str!("fortran/killed.f90");
    let of_mpi = with_integer_handles(source);
    for (module, source) in [("mpi_f08", source), ("mpi", &of_mpi)] {
        let program = libraries.compile(&format!("killed-{module}.f90"), source);
        for (name, function) in CALLS {
            let call = Call { name: name.to_owned(), functions: vec![function.to_owned()] };
            let job = Job::new(3, &program).env("LD_LIBRARY_PATH", folder).timeout(LIMIT);
            killed::is_returned(job.clone(), folder, &call, module);
            killed::ends_the_job(job, &call);
        }
    }
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
