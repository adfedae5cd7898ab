//! MPICH's interface: each constant has the value of MPICH's header, and each name that it declares is exported.
//! Rules: a test that compares is shown to reject a planted fault.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than this needs")]
#[path = "../../mpi/src/abi/mod.rs"]
mod abi;
mod common;
#[allow(dead_code, reason = "the build script has what the tests do not use")]
#[path = "../generate/mod.rs"]
mod generate;
#[allow(dead_code, reason = "places of handles are for the functions")]
#[path = "../src/handles.rs"]
mod handles;
#[allow(dead_code, reason = "there are tables of more than handles")]
#[path = "../src/tables.rs"]
mod tables;

use common::{compile, folder, has_mpich, library};
use generate::constants::{Value, parse};
use handles::Foreign;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::fs;
use std::process::Command;

/// The constants of this interface.
const CONSTANTS: &str = include_str!("../src/constants.txt");

/// What a command that succeeds writes.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The version of MPICH whose header is compared.
fn version() -> u32 {
    let header = run(Command::new("mpicc.mpich").args([
        "-E",
        "-dM",
        "-include",
        "mpi.h",
        "-x",
        "c",
        "/dev/null",
    ]));
    let line = header.lines().find_map(|line| line.strip_prefix("#define MPICH_NUMVERSION "));
    line.expect("a version").trim().parse::<u32>().expect("a number") / 10_000_000
}

/// A program that prints each constant, handles without sign.
fn printing_program(values: &[&Value]) -> String {
    let mut source =
        "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\nint main(void) {\n".to_owned();
    for Value { name, value, .. } in values {
        let is_handle = *value >= 1 << 24 && !name.contains("ERR");
        let cast = if is_handle { "(unsigned)" } else { "(long long)(intptr_t)" };
        source += &format!("printf(\"{name} %lld\\n\", (long long){cast}({name}));\n");
    }
    source + "return 0; }\n"
}

/// The constants that have another value than MPICH's header says.
fn differing(values: &[&Value], printed: &str) -> Vec<String> {
    let found: BTreeSet<_> = printed.lines().collect();
    let lines = values.iter().map(|value| format!("{} {}", value.name, value.value));
    lines.filter(|line| !found.contains(line.as_str())).collect()
}

#[test]
fn values_are_those_of_mpichs_header() {
    if !has_mpich() {
        return;
    }
    let version = version();
    let values = parse(CONSTANTS).expect("the constants");
    let known: Vec<_> =
        values.iter().filter(|value| value.since.is_none_or(|since| since <= version)).collect();
    assert!(known.len() > 300, "{} of {}", known.len(), values.len());
    let folder = folder();
    let source = folder.path().join("values.c");
    fs::write(&source, printing_program(&known)).expect("a file");
    let program = compile(folder.path(), &[source], "program", &[]);
    let printed = run(Command::new(program).env("LD_LIBRARY_PATH", folder.path()));
    assert!(differing(&known, &printed).is_empty(), "{:?}", differing(&known, &printed));
    let planted = parse(&CONSTANTS.replace("MPI_SUM 0x58000003", "MPI_SUM 0x58000002"))
        .expect("the constants");
    let planted: Vec<_> = planted.iter().filter(|value| value.name == "MPI_SUM").collect();
    assert_eq!(differing(&planted, &printed), ["MPI_SUM 1476395010"]);
}

#[test]
fn every_constant_of_the_standard_is_here_or_is_a_version_or_a_function() {
    let values = parse(CONSTANTS).expect("the constants");
    let names: BTreeSet<_> = values.iter().map(|value| value.name.as_str()).collect();
    let constants = abi::TABLES.iter().flat_map(|table| table.constants);
    let lacking: Vec<_> =
        (constants.map(|constant| constant.name).filter(|name| !names.contains(name)))
            .filter(|name| !(name.ends_with("VERSION") || name.contains("_FN")))
            .collect();
    // These three are variables.
    assert_eq!(lacking, ["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_T_PVAR_ALL_HANDLES"]);
}

#[test]
fn a_line_that_is_no_constant_is_refused() {
    for line in ["MPI_SUM", "MPI_SUM x", "SUM 3", "MPI_SUM 3 until 5", "MPI_SUM 3 since 5 6"] {
        let refused = parse(&format!("## op\n{line}\n"));
        assert!(refused.as_ref().is_err_and(|why| why.contains("line 2")), "{line}: {refused:?}");
    }
    assert!(parse("MPI_SUM 3\n").is_err(), "it is in no group");
}

#[test]
fn two_constants_of_a_group_with_one_value_are_refused() {
    let tables =
        |text: &str| generate::tables::tables(&parse(text).expect("constants"), abi::TABLES);
    assert!(tables(CONSTANTS).is_ok());
    let shared = tables(&CONSTANTS.replace("MPI_SUM 0x58000003", "MPI_SUM 0x58000002"));
    assert!(shared.is_err_and(|why| why.contains("shares its value")));
    let unknown = tables(&CONSTANTS.replace("MPI_SUM ", "MPI_SUMS "));
    assert!(unknown.is_err_and(|why| why.contains("MPI_SUMS is no constant")));
}

#[test]
fn a_number_that_nobody_has_decided_on_is_refused() {
    let section = "## Section\nint MPI_New(int novelty, MPI_Comm comm)\n";
    let sections = generate::functions::parse(section).expect("a prototype");
    let made = generate::wrappers::wrappers(&sections, &Default::default());
    assert!(made.is_err_and(|why| why.contains("MPI_New") && why.contains("novelty")));
}

/// The functions and variables that MPICH's headers declare.
fn declared() -> BTreeSet<String> {
    let text = run(Command::new("mpicc.mpich").args([
        "-E",
        "-P",
        "-include",
        "mpi.h",
        "-x",
        "c",
        "/dev/null",
    ]));
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    // A name is a function's if a parenthesis follows; those of types and constants do not have one.
    let functions = text.match_indices('(').filter_map(|(at, _)| {
        text[..at].trim_end().rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()
    });
    let of_mpi = |name: &&str| ["MPI_", "PMPI_"].iter().any(|prefix| name.starts_with(prefix));
    let variables =
        ["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE"];
    assert!(words.clone().any(|word| word == "MPI_Send"));
    functions.filter(of_mpi).map(str::to_owned).chain(variables.map(str::to_owned)).collect()
}

/// Types stand before a parenthesis, too; these are those of MPICH's headers.
fn is_type(name: &str) -> bool {
    name == "MPI_Aint"
        || name.ends_with("_function")
        || name.ends_with("_function_c")
        || name.ends_with("_fn")
}

#[test]
fn what_mpich_declares_is_exported_and_nothing_of_others() {
    let symbols =
        run(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(library()));
    let exported: BTreeSet<_> =
        symbols.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    let foreign: Vec<_> = (exported.iter())
        .filter(|name| {
            !["MPI_", "PMPI_", "MPIX_", "PMPIX_"].iter().any(|prefix| name.starts_with(prefix))
        })
        .collect();
    let (of_fortran, foreign): (Vec<&String>, Vec<&String>) =
        foreign.into_iter().partition(|name| name.starts_with("MPII_"));
    assert_eq!(foreign, ["MPIR_Dup_fn"]);
    // What MPICH's Fortran library links.
    assert_eq!(of_fortran.len(), 8);
    for name in exported
        .iter()
        .filter(|name| name.starts_with("MPI_") && !name.chars().all(|c| !c.is_lowercase()))
    {
        assert!(exported.contains(&format!("P{name}")), "{name} has no other name");
    }
    if !has_mpich() {
        return;
    }
    let lacking = |exported: &BTreeSet<String>| -> Vec<String> {
        let declared = declared().into_iter().filter(|name| !is_type(name));
        declared.filter(|name| !exported.contains(name)).collect()
    };
    assert!(lacking(&exported).is_empty(), "{:?}", lacking(&exported));
    let mut planted = exported;
    assert!(planted.remove("PMPI_Recv"));
    assert_eq!(lacking(&planted), ["PMPI_Recv"]);
}

/// A number that a program may pass for a handle: like one of a kind, or any.
fn raw() -> impl Strategy<Value = c_int> {
    let alike = (0..16_u32, 0..1_u32 << 14, 1..4_u32);
    let alike = alike.prop_map(|(kind, low, how)| (how << 30 | kind << 26 | low) as c_int);
    prop_oneof![alike, any::<c_int>(), -5000..5000_i32]
}

/// A handle of an object that a program made: one of the first, which all programs have, or any.
fn made() -> impl Strategy<Value = usize> {
    prop_oneof![abi::LAST_PREDEFINED_HANDLE + 1..1 << 14, abi::LAST_PREDEFINED_HANDLE + 1..1 << 31]
}

/// What holds for each kind of handle. The library refuses a number that it never gives out: one of 33 bits and more.
macro_rules! conversions {
    ($($handle:ident)+) => {
        proptest! {
            /// (Planted: another bit of the kind; a table that is looked at for what was made.)
            #[test]
            fn any_number_is_a_handle_both_ways_or_none_of_the_librarys(raw in raw()) {$({
                let handle = abi::$handle::from_raw(raw);
                if handle.0 < 1 << 31 {
                    prop_assert_eq!(handle.to_raw(), raw, "{} {:#x}", stringify!($handle), handle.0);
                } else {
                    prop_assert_eq!(handle.0, raw as u32 as usize | 1 << 32);
                }
            })+}

            #[test]
            fn what_was_made_comes_back_as_its_kind_alone(made in made()) {
                $(prop_assert_eq!(abi::$handle::from_raw(abi::$handle(made).to_raw()).0, made);)+
                let all = [$((stringify!($handle), abi::$handle(made).to_raw())),+];
                for (at, (name, one)) in all.iter().enumerate() {
                    for (other_name, other) in &all[..at] {
                        let share = [*name, *other_name] == ["MPI_Message", "MPI_Request"];
                        prop_assert_eq!(one == other, share, "{} and {}", name, other_name);
                    }
                }
            }
        }
    };
}

conversions! {
    MPI_Comm MPI_Group MPI_Datatype MPI_Errhandler MPI_Op MPI_Info MPI_Win MPI_Request MPI_Message MPI_Session
}

proptest! {
    #[test]
    fn a_file_is_null_or_none_of_the_librarys(raw in any::<usize>()) {
        let file = abi::MPI_File::from_raw(raw);
        prop_assert_eq!(file == abi::MPI_FILE_NULL, raw == 0);
        prop_assert!(raw == 0 || file.0 >= 1 << 32);
    }
}
