//! Writes `include/mpi_f08.f90`, the module `mpi_f08`: handles are types of their own, and the error is optional.
//! A handle type has one INTEGER and a status the words of Fortran's array, so both travel as in `mpif.h`, and the
//! procedures are the same. Large counts and subarrays that are not contiguous are not supported.
//! Source: MPI 5.0, chapter *Language Bindings*, section on the module `mpi_f08`.

use super::constants;
use super::functions::Section;
use super::interface::{Style, interfaces};
use crate::block::WORDS;
use std::fmt::Write as _;

/// The handle types, each with how its constants' names in C's tables are recognised: by the table's type.
pub const HANDLES: &[&str] = &[
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// The opening of the file.
const OPENING: &str = "\
! The module mpi_f08: MPI 5.0's Fortran 2008 binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate_fortran`: do not edit.

module mpi_f08
   use, intrinsic :: iso_c_binding, only: c_int, c_ptr
   implicit none
   public
   private :: c_int, c_ptr
";

/// The module's text.
#[must_use]
pub fn module(sections: &[Section]) -> String {
    let mut text = OPENING.to_owned();
    for handle in HANDLES {
        let _ = writeln!(
            text,
            "\n   type, bind(C) :: {handle}\n      integer(c_int) :: MPI_VAL\n   end type {handle}"
        );
    }
    text += "
   type, bind(C) :: MPI_Status
      integer(c_int) :: MPI_SOURCE
      integer(c_int) :: MPI_TAG
      integer(c_int) :: MPI_ERROR
      integer(c_int), private :: MPI_internal(5)
   end type MPI_Status
";
    constant_lines(&mut text);
    special_lines(&mut text);
    for (operator, name) in [("==", "equal"), ("/=", "differ")] {
        let _ = writeln!(text, "\n   interface operator({operator})");
        for handle in HANDLES {
            let _ = writeln!(text, "      module procedure {handle}_{name}");
        }
        text += "   end interface\n";
    }
    for operator in ["equal", "differ"] {
        for handle in HANDLES {
            let _ = writeln!(text, "   private :: {handle}_{operator}");
        }
    }
    text += include_str!("f08/callbacks.f90");
    text += include_str!("f08/by_hand.f90");
    text += &interfaces(sections, Style::Types);
    text += "\ncontains\n";
    for (operator, name) in [("==", "equal"), ("/=", "differ")] {
        for handle in HANDLES {
            let _ = writeln!(
                text,
                "\n   elemental logical function {handle}_{name}(a, b)\n      type({handle}), intent(in) :: a, b\n      \
                 {handle}_{name} = a%MPI_VAL {operator} b%MPI_VAL\n   end function {handle}_{name}"
            );
        }
    }
    text + "\nend module mpi_f08\n"
}

/// The constants.
fn constant_lines(text: &mut String) {
    for (title, constants) in constants::sections() {
        let _ = writeln!(text, "\n   ! {}", title.trim().replace('`', ""));
        for constant in constants {
            let (name, value) = (constant.name, constant.value);
            let _ = match (constant.kind, constant.handle) {
                (_, Some(handle)) => {
                    writeln!(text, "   type({handle}), parameter :: {name} = {handle}({value})")
                }
                (Some(kind), _) => {
                    writeln!(text, "   integer({kind}), parameter :: {name} = {value}")
                }
                _ => writeln!(text, "   integer, parameter :: {name} = {value}"),
            };
        }
    }
    text.push_str("\n   logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.\n");
    text.push_str("   logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.\n");
}

/// The variables whose addresses stand for a choice: the same block as in `mpif.h`.
fn special_lines(text: &mut String) {
    text.push_str("\n   ! Variables whose addresses stand for a choice\n");
    for (name, words) in WORDS {
        let _ = match *name {
            "MPI_STATUS_IGNORE" => writeln!(text, "   type(MPI_Status) :: {name}"),
            "MPI_STATUSES_IGNORE" => writeln!(text, "   type(MPI_Status) :: {name}(1)"),
            "MPI_ERRCODES_IGNORE" | "MPI_UNWEIGHTED" | "MPI_WEIGHTS_EMPTY" => {
                writeln!(text, "   integer :: {name}(1)")
            }
            _ if *words > 1 => writeln!(text, "   integer :: {name}({words})"),
            _ => writeln!(text, "   integer :: {name}"),
        };
    }
    let names: Vec<_> = WORDS.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(text, "   common /MPI_FORTRAN_SPECIAL/ {}", names.join(", &\n      "));
    text.push_str("   save /MPI_FORTRAN_SPECIAL/\n");
    text.push_str("   character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)\n");
    text.push_str("   common /MPI_FORTRAN_ARGUMENTS/ MPI_ARGV_NULL, MPI_ARGVS_NULL\n");
    text.push_str("   save /MPI_FORTRAN_ARGUMENTS/\n");
}
