//! Programs in C, built with our header and run on the built library, alone and by several ranks.
//! Each file of `tests/c` checks one area, and ends with status 0 if all holds.
//! Rules: a program that fails, hangs or is killed fails here, which a planted fault shows.

mod shared;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::launch::JOB_VARIABLE;
use runahead::launch::job::{Exit, Job, Output};
use runahead_testkit::effort::bound;
use shared::{folder, killed, root};

/// How many ranks run each program.
const SIZES: [usize; 4] = [1, 2, 3, 5];

/// The longest that a job may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Builds a program from C.
fn compile(folder: &Path, source: &Path) -> PathBuf {
    let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
    shared::compile(folder, &[source.to_owned()], &name, &[])
}

/// Runs a program as a job. Returns whether all ranks ended well.
fn succeeds(program: &Path, size: usize) -> bool {
    succeeds_with_barriers("traditional", program, size)
}

/// As [`succeeds`], with barriers of this mode.
fn succeeds_with_barriers(mode: &str, program: &Path, size: usize) -> bool {
    succeeds_with(&[("RUNAHEAD_MPI_BARRIER", mode)], program, size)
}

/// As [`succeeds`], with variables of a user.
fn succeeds_with(variables: &[(&str, &str)], program: &Path, size: usize) -> bool {
    let job = Job::new(size, program).env("RANKS", size.to_string());
    let job = variables.iter().fold(job, |job, (name, value)| job.env(name, value));
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
const ELSEWHERE: [&str; 8] =
    ["refused", "tools", "lost", "killed", "large", "aborted", "ends", "follows"];

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
    aliased allocations allocations_collectives attributes backlog barriers buffers codes collectives communicators completions
    datatypes duplicates flood groups handles info intercomm layouts lent messages modes nothing operators pending persistent polls
    sessions sessions_alone shared thread threads topology unequal waitall windows wrong
}

/// Started alone, a program compares the messages of its errors, too. (Planted: an argument of another name.)
#[test]
fn messages_name_the_function_and_the_argument() {
    let folder = folder();
    for (name, messages) in [("aliased", 33), ("wrong", 61)] {
        let program = compile(folder.path(), &root().join(format!("tests/c/{name}.c")));
        let mut command = Command::new("timeout");
        command.arg(LIMIT.as_secs().to_string()).arg(program).env_remove(JOB_VARIABLE);
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let told = String::from_utf8_lossy(&output.stdout);
        assert_eq!(told, format!("{messages} messages\n"), "{name}");
    }
}

/// As `srun`, `mpirun` or a script start them, each by itself. What is done in any other job is done there. A rank that fails
/// is an error at the others. (Planted: a check that does not hold.)
#[test]
fn ranks_that_another_launcher_starts_meet() {
    let folder = folder();
    let planted = folder.path().join("planted.c");
    let text = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size; begin(&argc, &argv, &rank, &size);\n\
                CHECK(size == 3 && rank != 1); OK(MPI_Barrier(MPI_COMM_WORLD)); OK(MPI_Finalize()); return 0; }\n";
    fs::write(&planted, text).expect("a file");
    let program = |name| compile(folder.path(), &root().join(format!("tests/c/{name}.c")));
    let planted = compile(folder.path(), &planted);
    for (program, holds, [rank_said, size_said]) in [
        (program("messages"), true, ["RUNAHEAD_RANK", "RUNAHEAD_SIZE"]),
        (program("windows"), true, ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"]),
        (program("collectives"), true, ["PMI_RANK", "PMI_SIZE"]),
        (program("communicators"), true, ["SLURM_PROCID", "SLURM_NTASKS"]),
        (planted, false, ["SLURM_PROCID", "SLURM_NTASKS"]),
    ] {
        let address = shared::somewhere();
        let start = |rank: usize| {
            let mut command = Command::new("timeout");
            command.arg(LIMIT.as_secs().to_string()).arg(&program).env_remove(JOB_VARIABLE);
            command.env("RUNAHEAD_MEET", &address).env("RANKS", "3");
            command.env(rank_said, rank.to_string()).env(size_said, "3");
            command.spawn().expect("it starts")
        };
        // From the last to the first: rank 0 is waited for.
        let codes = [2, 1, 0].map(start).map(|mut rank| rank.wait().expect("it ends").code());
        let (ended, well) = (!codes.contains(&Some(124)), codes == [Some(0); 3]);
        assert!(ended && well == holds, "{program:?} by {rank_said}: {codes:?}");
    }
}

/// Whatever mode a user has chosen.
#[test]
fn duplicates_wait_for_nobody_in_any_mode() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/duplicates.c"));
    let modes = [
        ("RUNAHEAD_MPI_THREADS", "multiple"),
        ("RUNAHEAD_MPI_BARRIER", "guarded"),
        ("RUNAHEAD_MPI_BARRIER", "runahead"),
    ];
    for mode in modes {
        let variables = [mode, ("MULTIPLE", "1")];
        let count = if mode.1 == "multiple" { 2 } else { 1 };
        assert!(succeeds_with(&variables[..count], &program, 4), "{mode:?}");
    }
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

/// Nothing but the archive is there to link with. (Planted: a check that does not hold.)
#[test]
fn a_program_may_have_the_library_in_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = shared::built("libmpi_abi.a");
    let right = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size, sum; begin(&argc, &argv, &rank, &size);\n\
                 OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));\n\
                 CHECK(size == 2 && sum == 1); OK(MPI_Finalize()); return 0; }\n";
    for (text, holds) in [(right.to_owned(), true), (right.replace("sum == 1", "sum == 2"), false)]
    {
        let (source, program) = (folder.path().join("whole.c"), folder.path().join("whole"));
        fs::write(&source, text).expect("a file");
        let mut compiler = Command::new("cc");
        compiler.arg("-I").arg(root().join("include")).arg("-I").arg(root().join("tests/c"));
        compiler.arg(&source).arg(&archive).args(["-lm", "-o"]).arg(&program);
        let output = compiler.output().expect("a compiler of C");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(succeeds(&program, 2), holds);
    }
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

/// A header that has the low 32 bits of a length alone would show in a long run.
#[test]
fn messages_may_be_large() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/large.c"));
    // 4 GiB need as much memory, or twice: only a long run has that.
    let bytes = bound([3 << 20, 3 << 20, (1 << 32) + 5_u64]).to_string();
    assert!(succeeds_with(&[("BYTES", &bytes)], &program, 2));
}

/// (Noticed: a collective that waits and keeps the turn; a barrier that keeps back what other threads send, and one that
/// completes nothing that was freed. Planted: a wait that takes the request out of its table; a flush that keeps the
/// turn.)
#[test]
fn threads_may_call_at_once() {
    let folder = folder();
    let multiple = [("RUNAHEAD_MPI_THREADS", "multiple"), ("MULTIPLE", "yes")];
    for name in [
        "threads",
        "messages",
        "completions",
        "collectives",
        "persistent",
        "intercomm",
        "sessions_alone",
    ] {
        let program = compile(folder.path(), &root().join(format!("tests/c/{name}.c")));
        for size in SIZES {
            assert!(succeeds_with(&multiple, &program, size), "{name} with {size} ranks");
        }
        let wrong = [("RUNAHEAD_MPI_THREADS", "many")];
        assert!(!succeeds_with(&wrong, &program, 2), "there is no such level");
    }
}

/// (Planted: an abort that waits for its turn.)
#[test]
fn a_thread_ends_the_job_while_another_waits() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/aborted.c"));
    let job = Job::new(2, &program).env("RUNAHEAD_MPI_THREADS", "multiple").env("MULTIPLE", "yes");
    let report = job.timeout(LIMIT).run().expect("a job");
    assert!(!report.timed_out);
    assert_eq!(report.failure.map(|(rank, _)| rank), Some(0));
    assert!(matches!(report.ranks[0].exit, Exit::Code(7)));
}

/// (Noticed: whoever ended by itself was told of, whatever had come before.)
#[test]
fn who_ends_the_job_is_told_from_those_that_end_for_it() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/follows.c"));
    let report = Job::new(2, &program).timeout(LIMIT).run().expect("a job");
    let failed = report.failure.as_ref().map(|(rank, _)| *rank);
    assert_eq!(failed, Some(1), "{:?}", report.failure);
    assert!(matches!([report.ranks[0].exit, report.ranks[1].exit], [Exit::Code(3), Exit::Code(7)]));
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

/// Rank 1 enters a barrier that rank 0 has passed, when rank 0 has had the time to end. (Noticed: an `MPI_Finalize` that called
/// the callbacks of attributes first, and waited for no barrier while a session was left. Planted: an abort that waits for
/// none; one with `runahead` barriers that waits.)
#[test]
fn ends_wait_for_open_barriers_where_the_mode_says_so() {
    let folder = folder();
    let program = compile(folder.path(), &root().join("tests/c/ends.c"));
    let waits = ["0 goes", "1 enters", "0 ends"];
    let (deletes, at_once) = (["0 goes", "1 enters", "0 deletes", "0 ends"], ["0 goes", "0 ends"]);
    for (mode, end, expected) in [
        ("guarded", "abort", &waits[..]),
        ("guarded", "finalize", &deletes),
        ("guarded", "session", &waits),
        ("runahead", "abort", &at_once),
        ("runahead", "finalize", &deletes),
        ("runahead", "session", &waits),
    ] {
        let events = folder.path().join(format!("{mode}-{end}"));
        let job = Job::new(2, &program).env("RUNAHEAD_MPI_BARRIER", mode).env("END", end);
        let report = job.env("EVENTS", &events).timeout(LIMIT).run().expect("a job");
        assert!(!report.timed_out, "{mode}, {end}");
        let told = fs::read_to_string(&events).expect("a file");
        assert_eq!(told.lines().collect::<Vec<_>>(), expected, "{mode}, {end}");
        let failed = report.failure.as_ref().map(|(rank, _)| *rank);
        let code = if end == "abort" { 7 } else { 0 };
        assert_eq!(failed, (code != 0).then_some(0), "{mode}, {end}: {:?}", report.failure);
        assert!(
            matches!(report.ranks[0].exit, Exit::Code(found) if found == code),
            "{mode}, {end}"
        );
    }
}

/// A rank is killed while the others are in a call, for each kind of call, also where threads may call at once.
/// (Planted: a sender that never looks whether its receiver is there, and goes on until the job ends it; a probe among
/// threads that does not; a scatter that stops at the rank that is lost; a report without the call.)
#[test]
fn in_every_kind_of_call_a_killed_rank_is_an_error() {
    let folder = folder();
    let source = root().join("tests/c/killed.c");
    let program = compile(folder.path(), &source);
    let calls = killed::calls(&source);
    assert!(calls.len() > 30);
    for call in calls {
        let job = || Job::new(3, &program).timeout(LIMIT);
        let threads = job().env("RUNAHEAD_MPI_THREADS", "multiple").env("MULTIPLE", "yes");
        killed::is_returned(job(), folder.path(), &call, "one thread");
        killed::is_returned(threads, folder.path(), &call, "threads");
        killed::ends_the_job(job(), &call);
    }
}
