//! Writes `include/mpif.h`, which programs in fixed and in free form include.
//! Rules: a line has its statement in columns 7 to 72 and no continuation, so it is the same in both forms.

use super::constants;
use crate::block::WORDS;
use std::fmt::Write as _;

/// Functions that return a value, each with its type.
const FUNCTIONS: &[(&str, &str)] = &[
    ("MPI_WTIME", "DOUBLE PRECISION"),
    ("MPI_WTICK", "DOUBLE PRECISION"),
    ("MPI_AINT_ADD", "INTEGER(KIND=MPI_ADDRESS_KIND)"),
    ("MPI_AINT_DIFF", "INTEGER(KIND=MPI_ADDRESS_KIND)"),
];

/// Procedures that a program hands over.
const PROCEDURES: &[&str] = &[
    "MPI_NULL_COPY_FN",
    "MPI_DUP_FN",
    "MPI_NULL_DELETE_FN",
    "MPI_COMM_NULL_COPY_FN",
    "MPI_COMM_DUP_FN",
    "MPI_COMM_NULL_DELETE_FN",
    "MPI_TYPE_NULL_COPY_FN",
    "MPI_TYPE_DUP_FN",
    "MPI_TYPE_NULL_DELETE_FN",
    "MPI_WIN_NULL_COPY_FN",
    "MPI_WIN_DUP_FN",
    "MPI_WIN_NULL_DELETE_FN",
];

/// The opening of the file.
const OPENING: &str = "\
! mpif.h: MPI 5.0's Fortran binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate_fortran`: do not edit.
! Fixed and free form: statements stand in columns 7 to 72.
";

/// The include file's text.
#[must_use]
pub fn include_file() -> String {
    OPENING.to_owned() + &declarations()
}

/// All declarations but those of subroutines.
#[must_use]
pub fn declarations() -> String {
    let mut text = String::new();
    for (title, constants) in constants::sections() {
        let _ = writeln!(text, "\n! {}", title.trim().replace('`', ""));
        for constant in constants {
            let kind = constant.kind.map_or(String::new(), |kind| format!("(KIND={kind})"));
            let _ = writeln!(text, "      INTEGER{kind} {}", constant.name);
            let _ = writeln!(text, "      PARAMETER ({}={})", constant.name, constant.value);
        }
    }
    text += "\n! What the library does with buffers of nonblocking calls\n";
    for name in ["MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"] {
        let _ = writeln!(text, "      LOGICAL {name}\n      PARAMETER ({name}=.FALSE.)");
    }
    text += "\n! Variables whose addresses stand for a choice\n";
    for (name, words) in WORDS {
        let shape = match *name {
            "MPI_STATUSES_IGNORE" => "(MPI_STATUS_SIZE,1)".to_owned(),
            "MPI_ERRCODES_IGNORE" | "MPI_UNWEIGHTED" | "MPI_WEIGHTS_EMPTY" => "(1)".to_owned(),
            _ if *words > 1 => format!("({words})"),
            _ => String::new(),
        };
        let _ = writeln!(text, "      INTEGER {name}{shape}");
    }
    // Each statement adds to the block.
    for (name, _) in WORDS {
        let _ = writeln!(text, "      COMMON /MPI_FORTRAN_SPECIAL/ {name}");
    }
    text += "      SAVE /MPI_FORTRAN_SPECIAL/\n";
    text += "      CHARACTER(LEN=1) MPI_ARGV_NULL(1)\n      CHARACTER(LEN=1) MPI_ARGVS_NULL(1,1)\n";
    text += "      COMMON /MPI_FORTRAN_ARGUMENTS/ MPI_ARGV_NULL\n";
    text += "      COMMON /MPI_FORTRAN_ARGUMENTS/ MPI_ARGVS_NULL\n";
    text += "      SAVE /MPI_FORTRAN_ARGUMENTS/\n\n! Functions, and procedures to hand over\n";
    for (name, of) in FUNCTIONS {
        for prefix in ["", "P"] {
            let _ = writeln!(text, "      {of} {prefix}{name}\n      EXTERNAL {prefix}{name}");
        }
    }
    for name in PROCEDURES {
        let _ = writeln!(text, "      EXTERNAL {name}");
    }
    text
}
