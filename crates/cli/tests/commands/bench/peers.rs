//! `bench peers`: its errors without an MPI, its checks of an MPI's samples, and the processes that
//! it leaves.
//!
//! Most tests use a fake MPI of two scripts. Its compiler makes an empty file, and its launcher
//! prints what the test wants.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::yield_now;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::{command, fail, json as read, keys, positive, succeed};

const BUILDS: &str = "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2\"\n";
/// The launcher writes its process id to a file, and hangs or prints `$FAKE_SAYS`.
const STARTS: &str = "#!/bin/sh\n\
    if [ \"$1\" = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; exit; fi\n\
    echo $$ > \"$FAKE_ID\"\n\
    if [ \"$FAKE_SAYS\" = nothing ]; then while :; do :; done; fi\n\
    if [ \"$FAKE_SAYS\" = error ]; then echo ----- >&2; echo 'no slots' >&2; exit 9; fi\n\
    printf '%s\\n' \"$FAKE_SAYS\"\n";

/// A directory with the fake, as an Open MPI.
fn fake() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("mpicc.openmpi", BUILDS), ("mpirun.openmpi", STARTS)] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// The command with no other MPI than the one in `folder`.
fn with(folder: &Path, line: &str, says: &str) -> Command {
    let mut command = command(line);
    command.env("PATH", folder).env("FAKE_SAYS", says).env("FAKE_ID", folder.join("id"));
    command.env_remove("RUNAHEAD_MPICH");
    command
}

const LINE: &str = "peers --quick --what barrier --contestants runahead,openmpi-yield";

/// The line of a valid sample of the barrier loop: two ranks of 4 steps each.
fn sample() -> String {
    // CORES: a sample names those that it ran on, two at most.
    let cores = std::thread::available_parallelism().unwrap().get().min(2);
    format!(
        "{{\"program\": \"barrier\", \"barrier\": \"barrier\", \"ranks\": 2, \"cores\": [{cores}, {cores}], \
         \"start_ns\": [1000, 2000], \"end_ns\": [5000000, 6001000], \"digest\": 8}}"
    )
}

#[test]
fn a_missing_mpi_is_an_error_that_names_its_packages() {
    let none = tempfile::tempdir().unwrap();
    for path in ["", none.path().to_str().unwrap()] {
        let mut quick = command("peers --quick");
        let (code, told) = fail(quick.env("PATH", path).env_remove("RUNAHEAD_MPICH"));
        assert_eq!(code, 1);
        assert_eq!(
            told,
            "error: no MPI is installed: neither mpicc.openmpi nor mpicc.mpich is in the PATH. On Debian \
             and Ubuntu: `apt install openmpi-bin libopenmpi-dev` for Open MPI, or `apt install mpich \
             libmpich-dev` for MPICH"
        );
    }
    // An MPI that was asked for by name is not left out silently.
    let line = "peers --quick --contestants runahead,mpich";
    let (code, told) = fail(&mut with(fake().path(), line, ""));
    assert_eq!(code, 1);
    assert!(
        told.starts_with("error: MPICH is not installed: mpicc.mpich is not in the PATH.")
            && told.ends_with("`apt install mpich libmpich-dev`"),
        "{told}"
    );
    // A compiler without a launcher is no MPI.
    let half = fake();
    fs::remove_file(half.path().join("mpirun.openmpi")).unwrap();
    let (code, told) = fail(&mut with(half.path(), LINE, ""));
    assert!(code == 1 && told.contains("mpirun.openmpi is not in the PATH"), "{told}");
}

#[test]
fn a_launcher_of_another_library_is_not_measured() {
    let folder = fake();
    let starts = STARTS.replace("Open MPI", "Tea MPI");
    fs::write(folder.path().join("mpirun.openmpi"), starts).unwrap();
    let (code, told) = fail(&mut with(folder.path(), LINE, &sample()));
    assert!(code == 1 && told.starts_with("error: Open MPI is not installed"), "{told}");
}

/// A directory with the fake as runahead's MPI, which writes down what is built and started, and below
/// it, in `mpich`, as an MPICH with the standard interface.
fn two_with_one_interface() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log").display().to_string();
    let starts = |name: &str, version: &str| {
        let started = format!(
            "for at; do case $at in */barrier_loop) \
             echo \"{name} $at $LD_LIBRARY_PATH\" >> {log} ;; esac; done\necho $$ >"
        );
        STARTS.replace("mpirun (Open MPI) 4.1.4", version).replacen("echo $$ >", &started, 1)
    };
    let builds = BUILDS.replace(": > \"$2\"", &format!(": > \"$2\"; echo built >> {log}"));
    fs::create_dir_all(folder.path().join("mpich/bin")).unwrap();
    fs::create_dir_all(folder.path().join("mpich/lib")).unwrap();
    for (name, text) in [
        ("mpicc.runahead", builds),
        ("runahead", starts("runahead", "runahead 9.8.7")),
        ("mpich/bin/mpiexec", starts("mpich", "HYDRA build details:\\n Version: 5.0.2")),
        ("mpich/lib/libmpi_abi.so.1", String::new()),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// A sample that tells its library.
fn on(library: &str, sample: &str) -> String {
    sample.replace("\"ranks\"", &format!("\"library\": \"{library}\", \"ranks\""))
}

#[test]
fn one_binary_runs_on_both_libraries_with_the_standard_interface() {
    let folder = two_with_one_interface();
    let mpich = folder.path().join("mpich").canonicalize().unwrap();
    let line = "peers --quick --what barrier --contestants runahead,runahead-mpi,mpich-abi";
    // One text for both: it names both.
    let says = on("MPICH or runahead", &sample());
    let mut both = with(folder.path(), line, &says);
    let text = succeed(both.env("RUNAHEAD_MPICH", &mpich).env("LD_LIBRARY_PATH", "/before"));
    for row in [
        "| mpich-abi ",
        "| runahead-mpi ",
        "MPICH with the standard interface: Version: 5.0.2",
        "runahead's MPI: runahead 9.8.7",
    ] {
        assert!(text.lines().any(|line| line.starts_with(row)), "{row}: {text}");
    }
    // The best MPI is never ours.
    let summary = text.split("### All cells").nth(1).unwrap();
    assert!(summary.contains("| mpich-abi ") && !summary.contains("runahead-mpi"), "{text}");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(lines.iter().filter(|line| line[0] == "built").count(), 1, "{log}");
    let of = |name: &str| lines.iter().find(|line| line[0] == name).expect(name);
    assert_eq!(of("mpich")[1], of("runahead")[1], "two binaries: {log}");
    assert_eq!(of("runahead")[2], "/before");
    assert_eq!(of("mpich")[2], format!("{}/lib:/before", mpich.display()));
}

/// (Planted: the program runs on the library that it was built with, or says nothing of it.)
#[test]
fn a_sample_on_the_wrong_library_ends_the_bench() {
    let folder = two_with_one_interface();
    for (contestant, says, error) in [
        ("mpich-abi", on("runahead 9.8.7", &sample()), "its MPI is \"runahead 9.8.7\", not MPICH"),
        ("runahead-mpi", on("MPICH 5", &sample()), "its MPI is \"MPICH 5\", not runahead"),
        ("mpich-abi", sample(), "invalid sample: it has no `library`"),
    ] {
        let line = format!("peers --quick --what barrier --contestants {contestant}");
        let mut wrong = with(folder.path(), &line, &says);
        let (code, told) = fail(wrong.env("RUNAHEAD_MPICH", folder.path().join("mpich")));
        let start = format!("error: {contestant}, barrier, 2 ranks, none: {error}");
        assert!(code == 1 && told.starts_with(&start), "{told}");
    }
}

#[test]
fn a_folder_without_mpich_is_an_error_that_says_what_to_set() {
    const HOW: &str = "Set RUNAHEAD_MPICH to a folder with bin/mpiexec and lib/libmpi_abi.so.1 of MPICH 5, \
                       as `.ci/mpich` makes one";
    let folder = two_with_one_interface();
    let line = "peers --quick --what barrier --contestants runahead,mpich-abi";
    let at = |mpich: &str| {
        let mut command = with(folder.path(), line, "");
        if mpich != "unset" {
            command.env("RUNAHEAD_MPICH", mpich);
        }
        fail(&mut command)
    };
    for unset in ["unset", ""] {
        let told = format!("error: mpich-abi has no MPICH: RUNAHEAD_MPICH is not set. {HOW}");
        assert_eq!(at(unset), (1, told));
    }
    let (code, told) = at("/nowhere");
    assert!(code == 1 && told.contains("/nowhere: No such file") && told.ends_with(HOW), "{told}");
    let mpich = folder.path().join("mpich");
    let mpich = mpich.to_str().unwrap();
    // Planted: one fault each, the last in an otherwise whole folder.
    let starter = folder.path().join("mpich/bin/mpiexec");
    let whole = fs::read_to_string(&starter).unwrap();
    fs::write(&starter, whole.replace("HYDRA", "Tea")).unwrap();
    let (code, told) = at(mpich);
    assert!(code == 1 && told.contains("mpich/bin/mpiexec is not MPICH's. Set"), "{told}");
    fs::write(&starter, whole).unwrap();
    fs::remove_file(folder.path().join("mpicc.runahead")).unwrap();
    let none = "error: runahead's MPI is not installed: mpicc.runahead is not in the PATH. \
                `crates/mpi/install.sh PREFIX` installs it, below PREFIX/bin";
    assert_eq!(at(mpich), (1, none.to_owned()));
    fs::remove_file(folder.path().join("mpich/lib/libmpi_abi.so.1")).unwrap();
    let (code, told) = at(mpich);
    assert!(code == 1 && told.contains("mpich has no lib/libmpi_abi.so.1. Set"), "{told}");
}

#[test]
fn mpich_in_a_folder_is_among_the_contestants_if_its_variable_is_set() {
    let folder = two_with_one_interface();
    let mpich = folder.path().join("mpich");
    let line = "peers --quick --what collectives --bytes 8";
    let says = on("MPICH", &collectives());
    let text = succeed(with(folder.path(), line, &says).env("RUNAHEAD_MPICH", &mpich));
    assert!(
        text.lines().any(|line| line.starts_with("| collective ") && line.contains("mpich-abi"))
    );
    // With it unset, the MPI that is left is compared, and nothing is said of the other.
    for name in ["mpicc.openmpi", "mpirun.openmpi"] {
        fs::copy(fake().path().join(name), folder.path().join(name)).unwrap();
    }
    let text = succeed(&mut with(folder.path(), line, &says));
    assert!(text.contains("openmpi-yield") && !text.contains("mpich-abi"), "{text}");
    assert!(!text.contains("RUNAHEAD_MPICH"), "{text}");
    // Set to nothing of use, it is left out, with the reason.
    let text = succeed(with(folder.path(), line, &says).env("RUNAHEAD_MPICH", "/nowhere"));
    assert!(text.contains("Left out: mpich-abi has no MPICH: /nowhere: No such file"), "{text}");
}

#[test]
fn a_failing_compiler_is_an_error_with_its_message() {
    let folder = fake();
    let builds =
        "#!/bin/sh\necho 'In file included' >&2; echo 'x.c:1: error: no mpi.h' >&2; exit 1\n";
    fs::write(folder.path().join("mpicc.openmpi"), builds).unwrap();
    let told = fail(&mut with(folder.path(), LINE, &sample()));
    let error = "error: Open MPI cannot build barrier_loop: x.c:1: error: no mpi.h";
    assert_eq!(told, (1, error.to_owned()));
}

/// (Planted: each line differs from a valid one in one place.)
#[test]
fn an_invalid_or_wrong_sample_ends_the_bench() {
    let good = sample();
    let folder = fake();
    for (says, error) in [
        (
            good.replace("\"digest\": 8", "\"digest\": 7"),
            "the result is not that of a sequential program",
        ),
        (good.replace("\"ranks\": 2", "\"ranks\": 1"), "its number of ranks is 1, not 2"),
        (
            good.replace("\"program\": \"barrier\"", "\"program\": \"b\""),
            "its program is b, not barrier",
        ),
        (
            good.replace("\": \"barrier\", \"ranks", "\": \"ibarrier\", \"ranks"),
            "its barrier is ibarrier",
        ),
        (good.replace("\"cores\": [", "\"cores\": [7"), "its number of cores of each rank is [7"),
        (
            good.replace("\"start_ns\": [1000", "\"start_ns\": [9000000"),
            "a rank ended before it began",
        ),
        (good.replace("1000, 2000", "1000"), "invalid sample: it has no `start_ns`"),
        (good.replace('}', ""), "invalid sample: EOF while parsing"),
        (format!("{good}\n{good}"), "invalid sample: more than one line"),
        (String::new(), "invalid sample: EOF while parsing"),
        ("error".to_owned(), "failed (exit status: 9): no slots"),
    ] {
        let (code, told) = fail(&mut with(folder.path(), LINE, &says));
        let start = format!("error: openmpi-yield, barrier, 2 ranks, none: {error}");
        assert!(code == 1 && told.starts_with(&start), "{says:?}: {told}");
    }
    let text = succeed(&mut with(folder.path(), LINE, &good));
    let row = |line: &str| line.starts_with("| openmpi-yield ") && line.contains(" 6.00 ms |");
    assert!(text.lines().any(row) && text.contains("All results were right."), "{text}");
}

#[test]
fn peers_writes_the_documented_json_and_plot() {
    let folder = fake();
    let (path, picture) = (folder.path().join("peers.json"), folder.path().join("peers.svg"));
    let line = "peers --what barrier --contestants runahead,runahead-waits,openmpi --ranks 2 --loads \
                none,burst --runs 3 --retakes 1 --scale 500";
    let mut full = with(folder.path(), line, &sample());
    succeed(full.arg("--json").arg(&path).arg("--plot").arg(&picture));
    let results = read(&path);
    assert_eq!(keys(&results), ["cells", "machine", "measurement", "runs", "scale", "threads"]);
    assert_eq!(results["measurement"], json!("peers runahead,runahead-waits,openmpi"));
    assert_eq!(keys(&results["cells"]), ["barrier, 2 ranks, burst", "barrier, 2 ranks, none"]);
    for cell in results["cells"].as_object().unwrap().values() {
        assert_eq!(keys(cell), ["compared", "contestants", "cores", "what"]);
        let compared = &cell["compared"]["time_s"];
        assert_eq!(keys(compared), ["best_mpi", "ratio", "runahead", "which_mpi"]);
        assert_eq!(compared["which_mpi"], json!("openmpi"));
        assert!((positive(&compared["best_mpi"]) - 0.006).abs() < 1e-12);
        let ratio = positive(&compared["runahead"]) / positive(&compared["best_mpi"]);
        assert!((positive(&compared["ratio"]) - ratio).abs() < 1e-9);
        for name in ["runahead", "runahead-waits", "openmpi"] {
            let entry = &cell["contestants"][name];
            assert_eq!(keys(entry), ["put_aside", "samples"]);
            assert!(entry["put_aside"].as_u64().unwrap() <= 3);
            let samples = entry["samples"].as_array().unwrap();
            assert_eq!(samples.len(), 3);
            for sample in samples {
                assert_eq!(keys(sample), ["disturbed", "figures", "floor_ns", "foreign_share"]);
                positive(&sample["figures"]["time_s"]);
                assert!((0.0..=1.0).contains(&sample["foreign_share"].as_f64().unwrap()));
            }
        }
    }
    // A dot for each contestant in the row of each cell, and in the legend.
    let svg = fs::read_to_string(picture).unwrap();
    assert_eq!(svg.matches("<circle").count(), 2 * 3 + 3);
    assert!(svg.contains("barrier, 2 ranks, burst") && svg.contains("runahead-waits"));

    // Finished cells are not measured again.
    let mut again = with(folder.path(), line, "error");
    succeed(again.arg("--json").arg(&path));
    assert_eq!(read(&path), results);
}

/// A line of the collectives on two ranks: the reduction takes 1 ms, all others 1 us.
fn collectives() -> String {
    let head = sample()
        .split(", \"start_ns")
        .next()
        .unwrap()
        .replace("m\": \"barrier", "m\": \"collectives");
    let names = ["broadcast", "all_reduce", "all_gather", "all_to_all", "exclusive_scan"];
    let of = |value: &str| names.map(|name| format!("\"{name}_ns\": {value}")).join(", ");
    let (figures, calls) = (of("1000"), of("2"));
    format!(
        "{head}, \"figures\": {{{figures}, \"reduce_ns\": 1e6}}, \"calls\": {{{calls}, \"reduce_ns\": 2}}}}"
    )
}

#[test]
fn collectives_are_compared_one_by_one_and_losses_are_counted() {
    let (folder, line) = (fake(), "peers --quick --what collectives --bytes 8,65536 --contestants");
    let text = succeed(&mut with(
        folder.path(),
        &format!("{line} runahead,openmpi,openmpi-ibarrier"),
        &collectives(),
    ));
    // A row of each size, and of each collective of each size in the table of all.
    for (start, rows) in [("| reduce ", 2), ("| collectives, 2 ranks, none, ", 12)] {
        assert_eq!(text.lines().filter(|line| line.starts_with(start)).count(), rows, "{text}");
    }
    let row = text.lines().find(|line| line.starts_with("| reduce ")).unwrap();
    assert!(row.contains(" 1.00 ms |"), "{text}");
    // Without a barrier to wait at there is nothing to compare.
    assert!(!text.contains("openmpi-ibarrier"), "{text}");
    assert!(text.contains("best MPI of each of 12: geometric mean "), "{text}");
    assert!(text.contains(" are above."), "{text}");

    let fewer = collectives().replace("\"reduce_ns\": 1e6", "\"reduce_ns\": -1");
    for (says, error) in [
        (fewer, "invalid sample: `reduce_ns` is -1"),
        (collectives().replace(", \"reduce_ns\": 1e6", ""), "invalid sample: it has no `figures`"),
    ] {
        let line = format!("{line} runahead,openmpi");
        let (code, told) = fail(&mut with(folder.path(), &line, &says));
        assert!(code == 1 && told.contains(error), "{told}");
    }
}

/// Needs no MPI.
#[test]
fn runahead_alone_runs_collectives_messages_and_the_natural_sort() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peers.json");
    let line = "peers --what collectives,messages,natural-sort --contestants runahead --ranks 3 --loads none \
                --runs 1 --retakes 0 --bytes 8,131072 --together 2 --with-barrier --bits 5 --scale 500 --json";
    let text = succeed(command(line).arg(&path).env("PATH", ""));
    let cells = [
        "collectives, 3 ranks, none, 128 KiB, 2 together, with the barrier",
        "collectives, 3 ranks, none, 8 B, 2 together, with the barrier",
        "messages, 3 ranks, none, 128 KiB",
        "messages, 3 ranks, none, 8 B",
        "natural-sort, 3 ranks, none, 5 bits",
    ];
    let results = read(&path);
    assert_eq!(keys(&results["cells"]), cells);
    for cell in cells {
        assert!(text.contains(&format!("### {cell}")), "{text}");
        let sample = &results["cells"][cell]["contestants"]["runahead"]["samples"][0];
        let figures = sample["figures"].as_object().unwrap();
        figures.values().for_each(|figure| assert!(positive(figure) > 0.0));
        let (figures_in_it, calls_in_it) = match cell.split(',').next() {
            Some("collectives") => (6, Some(12.0)),
            // One window in each way.
            Some("messages") => (5, Some(5.0 * 64.0)),
            _ => (1, None),
        };
        assert_eq!(figures.len(), figures_in_it);
        let calls = sample["calls"].as_object().map(|calls| calls.values().map(positive).sum());
        assert_eq!(calls, calls_in_it);
    }
    assert_eq!(results["cells"][cells[0]]["bytes"], json!(131072));
}

#[test]
fn an_mpi_that_hangs_is_killed_at_the_limit() {
    let folder = fake();
    let text = succeed(&mut with(folder.path(), &format!("{LINE} --limit 1"), "nothing"));
    assert!(text.contains("did not end within the limit"), "{text}");
    assert!(text.contains("| runahead "), "{text}");
    assert!(!lives(folder.path()), "the launcher runs on");
}

#[test]
fn no_mpi_process_outlives_the_command() {
    for signal in [Signal::KILL, Signal::TERM, Signal::INT] {
        let (folder, temporary) = (fake(), tempfile::tempdir().unwrap());
        let mut bench = with(folder.path(), LINE, "nothing");
        bench.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = bench.spawn().unwrap();
        while !lives(folder.path()) {
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            yield_now();
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        let ended = child.wait().unwrap();
        // The system ends the launcher. If it does not, the test hangs here.
        while lives(folder.path()) {
            yield_now();
        }
        if signal != Signal::KILL {
            // The bench ends the launcher itself, and removes its directories.
            assert_eq!((ended.code(), &told[..]), (Some(1), "error: interrupted\n"));
            assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
            assert_eq!(in_memory(child.id()), Vec::<PathBuf>::new());
        }
        // A killed bench cannot remove them.
        in_memory(child.id()).iter().for_each(|left| fs::remove_dir(left).unwrap());
    }
}

/// The directories of a bench in /dev/shm.
fn in_memory(id: u32) -> Vec<PathBuf> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    let its = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&format!("runahead-peers-{id}-")))
    };
    entries.map(|entry| entry.path()).filter(its).collect()
}

/// Whether the fake launcher that was started last runs.
fn lives(folder: &Path) -> bool {
    let id = fs::read_to_string(folder.join("id")).unwrap_or_default();
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    // A zombie does not run.
    !id.trim().is_empty() && stat.contains("(mpirun.openmpi)") && !stat.contains(") Z ")
}

/// With a real MPI, if one is installed; otherwise checks the error.
#[test]
fn a_quick_run_measures_every_program() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let mpi = if has("mpirun.openmpi") {
        "openmpi-yield"
    } else if has("mpiexec.mpich") {
        "mpich"
    } else {
        let (code, told) = fail(&mut command("peers --quick --contestants runahead,openmpi"));
        assert!(code == 1 && told.starts_with("error: Open MPI is not installed"), "{told}");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peers.json");
    let line =
        format!("peers --quick --contestants runahead,{mpi} --bytes 8,65536 --limit 300 --json");
    let text = succeed(command(&line).arg(&path));
    let results = read(&path);
    let cells = [
        "all-reduce-loop, 2 ranks, none, 64 KiB",
        "all-reduce-loop, 2 ranks, none, 8 B",
        "barrier, 2 ranks, none",
        "collectives, 2 ranks, none, 64 KiB",
        "collectives, 2 ranks, none, 8 B",
        "halo-loop, 2 ranks, none, 64 KiB",
        "halo-loop, 2 ranks, none, 8 B",
        "messages, 2 ranks, none, 64 KiB",
        "messages, 2 ranks, none, 8 B",
        "micro, 2 ranks, none",
        "natural-sort, 2 ranks, none, 1 bit",
        "overlap, 2 ranks, none",
        "prefix-scan, 2 ranks, none",
        "radix-sort, 2 ranks, none",
        "stencil-fence, 2 ranks, none",
        "stencil-overlap, 2 ranks, none",
    ];
    assert_eq!(keys(&results["cells"]), cells);
    for cell in cells {
        let compared = keys(&results["cells"][cell]["compared"]).len();
        let all = match cell.split(',').next() {
            Some("micro") => 4,
            Some("messages") => 5,
            Some("collectives") => 6,
            Some("overlap") => 0,
            _ => 1,
        };
        assert_eq!(compared, all, "{cell}");
        assert!(text.contains(&format!("### {cell}")), "{text}");
    }
    let counts = |name: &str| {
        let sample = &results["cells"]["overlap, 2 ranks, none"]["contestants"][name]["samples"][0];
        ["tries", "possible", "complete"].map(|count| sample["figures"][count].as_f64().unwrap())
    };
    // Two tries of two ranks. A barrier on the board is complete once all have entered, even though
    // all compute.
    let [tries, possible, complete] = counts("runahead");
    assert_eq!((tries, possible), (4.0, complete));

    // The same MPI with another call for its barrier, which is entered and completed apart.
    let ibarrier = format!("{mpi}-ibarrier");
    let contestants = format!("--contestants runahead,{ibarrier}");
    let line = format!("peers --quick --what barrier,micro {contestants} --json");
    let path = folder.path().join("ibarrier.json");
    succeed(command(&line).arg(&path));
    let cells = &read(&path)["cells"];
    assert_eq!(keys(cells), ["barrier, 2 ranks, none", "micro, 2 ranks, none"]);
    assert!(!cells["barrier, 2 ranks, none"]["contestants"][&*ibarrier].is_null());
    let compared = keys(&cells["micro, 2 ranks, none"]["compared"]);
    assert_eq!(compared, ["barrier_call_ns", "barrier_ns"]);
}
