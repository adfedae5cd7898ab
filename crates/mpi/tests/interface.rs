//! The binary interface: what is committed is current, each value is the standard's, each name is exported.
//! Names are compared three ways: the table of prototypes, the header, and the built library's dynamic symbols.
//! Rules: a test that compares is shown to reject a planted fault.

#[path = "../generate/mod.rs"]
mod generate;
#[path = "shared/values.rs"]
mod values;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use values::{differing, printing_program};

/// The folder of this crate.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of the table, each as `MPI_` and as `PMPI_`.
fn names_of_table() -> BTreeSet<String> {
    let sections = generate::sections(root()).expect("the table of functions");
    let functions = sections.iter().flat_map(|section| &section.functions);
    functions.flat_map(|function| [function.name.clone(), format!("P{}", function.name)]).collect()
}

/// The names that a header declares.
fn names_of_header(header: &str) -> BTreeSet<String> {
    let declarations = header.lines().filter(|line| !line.starts_with(['#', ' ', '/', 't']));
    declarations
        .filter_map(|line| line.split_once('(')?.0.rsplit_once(' '))
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The functions of MPI's C binding that the built library exports, and what else it exports.
fn exported_names() -> (BTreeSet<String>, Vec<String>) {
    let test = std::env::current_exe().expect("this test's path");
    // Beside this test: `cargo test` does not put it one folder up, where `cargo build` does.
    let library = test.parent().expect("a build folder").join("libmpi_abi.so");
    let symbols =
        run(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(library));
    let names = symbols.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned);
    let (of_mpi, others): (Vec<_>, Vec<_>) =
        names.partition(|name| name.starts_with("MPI_") || name.starts_with("PMPI_"));
    (of_mpi.into_iter().collect(), others)
}

/// What a command that succeeds writes.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What one set of names has and another lacks, and the reverse.
fn differences(left: &BTreeSet<String>, right: &BTreeSet<String>) -> Vec<String> {
    left.symmetric_difference(right).cloned().collect()
}

/// Compiles a C program with our header, in a folder of its own, and returns the program.
fn compile(folder: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&file, source).expect("a file in a temporary folder");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Wextra", "-Werror"]).args(options);
    run(compiler.arg("-I").arg(root().join("include")).arg(&file).arg("-o").arg(&program));
    program
}

#[test]
fn what_is_made_from_the_tables_is_current() {
    for made in generate::made(root()).expect("what is made") {
        let committed = fs::read_to_string(&made.path).unwrap_or_default();
        assert!(
            committed == made.text,
            "{} is not current: cargo run -p runahead-mpi --example generate",
            made.path.display()
        );
    }
}

#[test]
fn every_function_is_declared_and_exported_under_both_names() {
    let header = fs::read_to_string(root().join("include/mpi.h")).expect("the header");
    let (table, declared, (exported, others)) =
        (names_of_table(), names_of_header(&header), exported_names());
    assert_eq!(table.len(), 2 * 664);
    assert!(
        differences(&table, &declared).is_empty(),
        "header: {:?}",
        differences(&table, &declared)
    );
    assert!(
        differences(&table, &exported).is_empty(),
        "library: {:?}",
        differences(&table, &exported)
    );
    assert!(others.is_empty(), "exported beside MPI's names: {others:?}");
}

#[test]
fn a_name_that_is_missing_or_too_many_is_found() {
    let header = fs::read_to_string(root().join("include/mpi.h")).expect("the header");
    let without = header.replace("int MPI_Send(", "int MPI_Sent(");
    let found = differences(&names_of_table(), &names_of_header(&without));
    assert_eq!(found, ["MPI_Send", "MPI_Sent"]);
    let (mut exported, _) = exported_names();
    assert!(exported.remove("PMPI_Recv"));
    assert_eq!(differences(&names_of_table(), &exported), ["PMPI_Recv"]);
}

#[test]
fn the_scan_finds_definitions_and_nothing_else() {
    let source = "
        export! { fn MPI_Send(count: c_int) -> c_int { 0 } }
        // fn MPI_Recv(
        let pointer: fn(c_int) = MPI_Probe; call(MPI_Test);
        fn MPI_Type_toint(handle: MPI_Datatype) {}
        fn MPI_Get_count, MPI_Get_count_c(library; count: Out<Count>) {}
        anytime fn MPI_Barrier,
            MPI_Barrier_c(library;) {}
        fn MPI_Wait_or_so";
    let found: Vec<_> = generate::scan::defined_in(source).into_iter().collect();
    let expected = [
        "MPI_Barrier",
        "MPI_Barrier_c",
        "MPI_Get_count",
        "MPI_Get_count_c",
        "MPI_Send",
        "MPI_Type_toint",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_line_that_is_no_prototype_is_refused() {
    for line in [
        "int MPI_Send(int)",
        "int PMPI_Send(int count)",
        "int MPI_Send",
        "int MPI_Send(int count) 4.0",
    ] {
        let refused = generate::functions::parse(&format!("## Section\n{line}\n"));
        assert!(refused.as_ref().is_err_and(|why| why.contains("line 2")), "{line}: {refused:?}");
    }
    assert!(
        generate::functions::parse("int MPI_Finalize(void)\n")
            .is_err_and(|why| why.contains("no section"))
    );
}

#[test]
fn values_sizes_and_offsets_are_the_standards() {
    let expected = include_str!("c/values.txt");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compile(folder.path(), "values", &printing_program(expected), &["-std=c11"]);
    let printed = run(&mut Command::new(program));
    assert_eq!(differing(expected, &printed), [""; 0]);
    let planted = expected.replace("\nMPI_SUM 33\n", "\nMPI_SUM 34\n");
    assert_eq!(differing(&planted, &printed), ["MPI_SUM 34"]);
}

#[test]
fn every_constant_of_the_tables_has_an_expected_value() {
    let expected: BTreeSet<_> =
        include_str!("c/values.txt").lines().filter_map(|line| line.split(' ').next()).collect();
    let constants = mpi_abi::abi::TABLES.iter().flat_map(|table| table.constants);
    let lacking: Vec<_> = constants.filter(|of| !expected.contains(of.name)).collect();
    assert!(lacking.is_empty(), "no expected value: {lacking:?}");
}

#[test]
fn the_header_compiles_without_a_warning_as_c_and_as_cpp() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "#include <mpi.h>\nint main(void) { MPI_Status status; (void)status; return MPI_SUCCESS; }\n";
    for standard in ["c99", "c11", "c17"] {
        let options = [&*format!("-std={standard}"), "-pedantic"];
        compile(folder.path(), "header", source, &options);
    }
    let file = folder.path().join("header.cc");
    fs::write(&file, source).expect("a file in a temporary folder");
    for standard in ["-std=c++11", "-std=c++17"] {
        let mut compiler = Command::new("c++");
        compiler.args([
            standard,
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ]);
        run(compiler.arg(root().join("include")).arg(&file));
    }
}

/// A folder with the built library under the names that programs ask for.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let test = std::env::current_exe().expect("this test's path");
    let library = test.parent().expect("a build folder").join("libmpi_abi.so");
    for link in ["libmpi_abi.so", "libmpi_abi.so.1"] {
        std::os::unix::fs::symlink(&library, folder.path().join(link)).expect("a link");
    }
    folder
}

/// Compiles a C program that is linked with the library of a folder.
fn link(folder: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let search = folder.to_str().expect("UTF-8");
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&file, source).expect("a file in a temporary folder");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror"]).args(options).arg(&file);
    compiler.arg("-I").arg(root().join("include")).arg("-o").arg(&program);
    run(compiler.args(["-L", search, "-lmpi_abi"]));
    program
}

/// Runs a C program alone on the built library, as a job of one rank.
fn run_alone(name: &str, source: &str) -> std::process::Output {
    let folder = folder();
    let program = link(folder.path(), name, source, &[]);
    Command::new(program)
        .env("LD_LIBRARY_PATH", folder.path())
        .output()
        .expect("the program starts")
}

#[test]
fn a_tool_sees_the_calls_of_the_program_and_none_of_the_library() {
    let folder = folder();
    let tool = include_str!("tool/counter.c");
    let tool = link(folder.path(), "counter.so", tool, &["-shared", "-fPIC"]);
    // A broadcast sends inside of the library, and a PMPI call is the tool's own.
    let source = "#include <mpi.h>\nint main(int argc, char **argv) { int word = 1, got; MPI_Request request;\n\
        MPI_Init(&argc, &argv);\nMPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);\n\
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_SELF);\nMPI_Wait(&request, MPI_STATUS_IGNORE);\n\
        MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);\n\
        PMPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_SELF);\nMPI_Wait(&request, MPI_STATUS_IGNORE);\n\
        MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);\nreturn MPI_Finalize(); }\n";
    let program = link(folder.path(), "program", source, &[]);
    let started = |preload: &Path| {
        let mut command = Command::new(&program);
        run(command.env("LD_LIBRARY_PATH", folder.path()).env("LD_PRELOAD", preload))
    };
    assert_eq!(started(&tool), "sends: 1\n");
    assert_eq!(started(Path::new("")), "");
}

#[test]
fn tools_sizes_conversions_and_refusals_do_what_c_expects() {
    let source = include_str!("c/tools.c");
    let output = run_alone("tools", source);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && output.stdout == b"passed\n", "{errors}");
    let planted = source.replace("class == MPI_ERR_UNSUPPORTED", "class != MPI_ERR_UNSUPPORTED");
    assert!(!run_alone("planted", &planted).status.success());
}

#[test]
fn an_error_names_the_argument_as_the_standard_does() {
    let program = |call: &str| {
        format!(
            "#include <mpi.h>\n#include <stddef.h>\nint main(int argc, char **argv) {{ int data[2] = {{1, 2}}; MPI_Init(&argc, &argv);\n\
             {call};\nMPI_Finalize(); return data[0] - 1; }}\n"
        )
    };
    for (call, expected) in [
        ("MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)", "MPI_Send: buf is a null pointer"),
        ("MPI_Bcast(data, -2, MPI_INT, 0, MPI_COMM_WORLD)", "MPI_Bcast: count is -2"),
        (
            "MPI_Gather(data, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD)",
            "MPI_Gather: recvbuf is a null pointer",
        ),
        (
            "MPI_Gather(data, -1, MPI_INT, data + 1, 1, MPI_INT, 0, MPI_COMM_WORLD)",
            "MPI_Gather: sendcount is -1",
        ),
        (
            "MPI_Allreduce(MPI_IN_PLACE, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)",
            "MPI_Allreduce: recvbuf is MPI_IN_PLACE",
        ),
        ("MPI_Reduce_local(NULL, data, 1, MPI_INT, MPI_SUM)", "MPI_Reduce_local: inbuf is a null"),
    ] {
        let output = run_alone("named", &program(call));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(expected), "{call}: {errors}");
    }
}

#[test]
fn a_refused_function_ends_the_program_and_is_named() {
    let output = run_alone("refused", include_str!("c/refused.c"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it went on");
    assert!(
        errors.contains("MPI_Comm_spawn") && errors.contains("MPI_ERR_UNSUPPORTED"),
        "{errors}"
    );
}
