//! Writes `include/mpi.f90`, the module `mpi`: the declarations of `mpif.h`, and an interface for each subroutine.
//! Rules: subroutines with a wrapper by hand have no interface, and so may take any procedure.

use super::functions::Section;
use super::include::declarations;
use super::interface::{Style, interfaces};

/// The opening of the file.
const OPENING: &str = "\
! The module mpi: MPI 5.0's Fortran binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate_fortran`: do not edit.

      module mpi
      implicit none
      public
";

/// The module's text.
#[must_use]
pub fn module(sections: &[Section]) -> String {
    let interfaces = interfaces(sections, Style::Integers);
    OPENING.to_owned() + &declarations() + &interfaces + "\n      end module mpi\n"
}
