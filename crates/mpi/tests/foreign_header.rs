//! Another library's header for the same interface: what it defines is what ours does, and what is built with it does the
//! same on both. `RUNAHEAD_MPICH` names MPICH's folder (`.ci/mpich`); without it nothing is compared.
//! Rules: a value that differs, a program that fails, and an unlisted check that fails there, are found, as faults show.

mod shared;
#[path = "shared/values.rs"]
mod values;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::launch::job::{Job, Output};
use shared::{folder, root, somewhere};

/// Programs that are not run, each with the reason.
const NOT_RUN: [(&str, &str); 11] = [
    ("aborted", "it ends by an abort, among threads"),
    ("backlog", "it is about the library and takes long"),
    ("barriers", "it is about the library and about time"),
    ("ends", "it is about the library and its ends"),
    ("follows", "it ends by an abort"),
    ("killed", "its ranks are killed"),
    ("large", "it is about the library, and wants a length"),
    ("lost", "its rank is killed"),
    ("polls", "it is about the library, and puts all ranks on one core"),
    ("refused", "it ends by an error"),
    (
        "tools",
        "it cannot be built: MPICH's header for this interface lacks `MPI_Comm_c2f` and the like",
    ),
];

/// The folder of MPICH.
fn mpich() -> Option<PathBuf> {
    let folder = std::env::var_os("RUNAHEAD_MPICH").map(PathBuf::from);
    if folder.is_none() {
        println!("not compared with MPICH and its header: RUNAHEAD_MPICH names no folder");
    }
    folder
}

/// The folder of its header.
fn include() -> Option<PathBuf> {
    mpich().map(|folder| folder.join("include"))
}

/// Builds a program from C with that header alone. Returns what the compiler says, if it fails.
fn build(include: &Path, folder: &Path, source: &Path) -> Result<PathBuf, String> {
    let program = folder.join(source.file_stem().expect("a name"));
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

/// The programs in C, by their names.
fn programs() -> impl Iterator<Item = (String, PathBuf)> {
    let files = fs::read_dir(root().join("tests/c")).expect("a folder of programs");
    let files = files.map(|file| file.expect("an entry").path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "c"));
    files.map(|file| (file.file_stem().expect("a name").to_string_lossy().into_owned(), file))
}

/// A program of which a check does not hold.
fn planted(include: &Path, folder: &Path) -> PathBuf {
    let source = folder.join("planted.c");
    let text = "#include \"check.h\"\nint main(int argc, char **argv) { int rank, size; begin(&argc, &argv, &rank, &size);\n\
                CHECK(rank != size - 1); OK(MPI_Finalize()); return 0; }\n";
    fs::write(&source, text).expect("a file");
    build(include, folder, &source).expect("it is built")
}

/// (Planted: a check that does not hold.)
#[test]
fn what_is_built_with_it_runs_here() {
    let Some(include) = include() else { return };
    let folder = folder();
    let mut run = 0;
    for (name, source) in programs() {
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
    assert!(!succeeds(&planted(&include, folder.path()), 3));
}

/// What programs do otherwise on MPICH: the names of those that are not run there, and the checks that do not hold there.
fn listed(list: &str) -> [BTreeSet<String>; 2] {
    let (mut not_run, mut checks, mut why) = (BTreeSet::new(), BTreeSet::new(), "");
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(reason) = line.strip_prefix("because ") {
            why = reason;
        } else if let Some(names) = line.strip_prefix("not run ") {
            not_run.extend(names.split(' ').map(str::to_owned));
        } else {
            assert!(checks.insert(line.to_owned()), "{line} stands there twice");
        }
        assert!(why.len() > 20, "without a reason: {line}");
    }
    [not_run, checks]
}

/// What a program has shown: the checks that did not hold, and the lines that its ranks have printed, in no order.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    failed: BTreeSet<String>,
    printed: Vec<String>,
}

/// Runs a program, which goes on where a check fails, by MPICH's launcher, on the library of this folder. It ends well.
fn shown(mpich: &Path, library: &Path, program: &Path, size: usize) -> Shown {
    let failed = program.with_extension("failed");
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "60"]).arg(mpich.join("bin/mpiexec"));
    command.args(["-n", &size.to_string()]).arg(program);
    command.env("GO_ON", &failed).env("RANKS", size.to_string()).env("LD_LIBRARY_PATH", library);
    // Ranks of ours that another launcher has started meet there.
    let output = command.env("RUNAHEAD_MEET", somewhere()).output().expect("timeout and mpiexec");
    let [out, err] =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{program:?} on {library:?}, {size} ranks: {out}{err}");
    let mut printed: Vec<_> = out.lines().map(str::to_owned).collect();
    printed.sort();
    let lines = fs::read_to_string(&failed).unwrap_or_default();
    let _ = fs::remove_file(&failed);
    Shown { failed: lines.lines().map(str::to_owned).collect(), printed }
}

/// The same file runs by the same launcher on both libraries. (Planted: a check that does not hold.)
#[test]
fn what_is_built_with_it_does_the_same_on_mpich() {
    let Some(mpich) = mpich() else { return };
    let (include, library, folder) = (mpich.join("include"), mpich.join("lib"), folder());
    let [not_run, known] = listed(include_str!("c/mpich.txt"));
    let (mut met, mut unknown) = (BTreeSet::new(), not_run.clone());
    for (name, source) in programs() {
        if not_run.contains(&name) {
            unknown.remove(&name);
            continue;
        }
        let program = build(&include, folder.path(), &source).expect("it is built");
        for size in [2, 3] {
            let ours = shown(&mpich, folder.path(), &program, size);
            let theirs = shown(&mpich, &library, &program, size);
            assert_eq!(ours.failed, BTreeSet::new(), "{name} with {size} ranks");
            assert_eq!(ours.printed, theirs.printed, "{name} with {size} ranks");
            met.extend(theirs.failed);
        }
    }
    let new: Vec<_> = met.difference(&known).collect();
    let gone: Vec<_> = known.difference(&met).collect();
    assert!(
        new.is_empty() && gone.is_empty() && unknown.is_empty(),
        "{new:#?} {gone:#?} {unknown:?}"
    );
    let program = planted(&include, folder.path());
    for library in [folder.path(), &library] {
        let failed = shown(&mpich, library, &program, 3).failed;
        assert_eq!(failed, BTreeSet::from(["planted.c: not so: rank != size - 1".to_owned()]));
    }
}
