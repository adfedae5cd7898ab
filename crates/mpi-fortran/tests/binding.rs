//! Fortran's binding: what is committed is current, each procedure is exported, the include file and the module compile.
//! What the procedures do is shown by the programs in `fortran`.
//! Rules: a test that compares is shown to reject a planted fault; without gfortran, what needs it fails and
//! names the package to install.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "../../mpi/src/abi/mod.rs"]
mod abi;
#[allow(dead_code)]
#[path = "../src/block.rs"]
mod block;
#[allow(dead_code)]
#[path = "../generate/mod.rs"]
mod generate;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The folder of this crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names that Fortran programs link.
fn names_of_table() -> BTreeSet<String> {
    let sections = generate::sections(root()).expect("the table of functions");
    let functions = sections.iter().flat_map(|section| &section.functions);
    functions
        .filter(|function| generate::wrappers::is_in_fortran(function))
        .flat_map(|of| {
            ["", "P"].map(|prefix| generate::wrappers::symbol(&format!("{prefix}{}", of.name)))
        })
        .collect()
}

/// What Fortran has and C has not.
const OF_FORTRAN: [&str; 3] = ["mpi_f_sync_reg_", "mpi_status_f082f_", "mpi_status_f2f08_"];

/// What the built library exports, without what a program hands over to a call.
fn exported_names() -> BTreeSet<String> {
    let test = std::env::current_exe().expect("this test's path");
    let library = test.parent().expect("a build folder").join("libmpi_abi_fortran.so");
    let symbols =
        run(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(library));
    let names = symbols.lines().filter_map(|line| line.split(' ').next());
    names
        .filter(|name| !(name.ends_with("_fn_") || *name == "mpi_fortran_special_"))
        .filter(|name| !OF_FORTRAN.contains(&name.trim_start_matches('p')))
        .map(str::to_owned)
        .collect()
}

/// What a command that succeeds writes.
fn run(command: &mut Command) -> String {
    let missing = "install the packages `gcc` and `gfortran`";
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {missing}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn what_is_made_from_the_tables_is_current() {
    for made in generate::made(root()).expect("what is made") {
        let committed = fs::read_to_string(&made.path).unwrap_or_default();
        assert!(
            committed == made.text,
            "{} is not current: cargo run -p runahead-mpi-fortran --example generate_fortran",
            made.path.display()
        );
    }
}

#[test]
fn every_procedure_is_exported_under_both_names() {
    let (table, exported) = (names_of_table(), exported_names());
    let differing: Vec<_> = table.symmetric_difference(&exported).collect();
    assert!(differing.is_empty(), "{differing:?}");
    let planted: BTreeSet<_> = exported.into_iter().filter(|name| name != "mpi_send_").collect();
    let differing: Vec<_> = table.symmetric_difference(&planted).collect();
    assert_eq!(differing, ["mpi_send_"]);
}

#[test]
fn wrappers_by_hand_are_those_that_need_one() {
    let sections = generate::sections(root()).expect("the table of functions");
    let functions: Vec<_> = sections.iter().flat_map(|section| &section.functions).collect();
    for name in generate::wrappers::BY_HAND {
        assert!(
            functions.iter().any(|function| function.name == *name),
            "{name} is no function of MPI"
        );
    }
    for function in functions.into_iter().filter(|of| generate::wrappers::is_in_fortran(of)) {
        let has_kinds = (function.parameters.iter())
            .all(|parameter| generate::kinds::kind(function, parameter).is_some());
        let is_by_hand = generate::wrappers::BY_HAND.contains(&function.name.as_str());
        assert!(has_kinds || is_by_hand, "{} needs a wrapper by hand", function.name);
    }
}

#[test]
fn the_include_file_fits_both_forms() {
    let text = fs::read_to_string(root().join("include/mpif.h")).expect("the include file");
    let is_statement =
        |line: &str| line.starts_with("      ") && line.len() <= 72 && !line.contains('&');
    let fits = |line: &str| line.is_empty() || line.starts_with('!') || is_statement(line);
    let wide: Vec<_> = text.lines().filter(|line| !fits(line)).collect();
    assert!(wide.is_empty(), "{wide:?}");
    assert!(!fits("     INTEGER MPI_SUM") && !fits(&format!("      {}", "X".repeat(67))));
}

#[test]
fn include_file_and_module_compile() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compile = |name: &str, source: &str, options: &[&str]| {
        fs::write(folder.path().join(name), source).expect("a file in a temporary folder");
        let mut compiler = Command::new("gfortran");
        compiler.args(["-Wall", "-Werror", "-Wno-unused", "-c"]).args(options).arg(name);
        run(compiler.arg("-I").arg(root().join("include")).current_dir(folder.path()));
    };
    let includes = "      PROGRAM P\n      INCLUDE 'mpif.h'\n      PRINT *, MPI_COMM_WORLD, MPI_IN_PLACE\n      END\n";
    compile("fixed.f", includes, &["-ffixed-form"]);
    compile("free.f90", includes, &["-ffree-form"]);
    let module = fs::read_to_string(root().join("include/mpi.f90")).expect("the module");
    compile("mpi.f90", &module, &[]);
    let uses = "program p\n  use mpi\n  implicit none\n  integer :: ierror, one, request\n  real :: many(3, 4)\n  \
        call MPI_Send(one, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)\n  \
        call MPI_Send(many, 12, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierror)\n  \
        call MPI_Allreduce(MPI_IN_PLACE, many, 12, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierror)\n  \
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)\n  print *, MPI_Wtime()\nend program\n";
    compile("uses.f90", uses, &[]);
    let module = fs::read_to_string(root().join("include/mpi_f08.f90")).expect("the module");
    compile("mpi_f08.f90", &module, &[]);
}
