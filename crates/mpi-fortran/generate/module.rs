//! Writes `include/mpi.f90`, the module `mpi`: the declarations of `mpif.h`, and an interface for each subroutine.
//! A buffer may be of any type and rank; the directives say so to each compiler in its own way.
//! Rules: subroutines with a wrapper by hand have no interface, and so may take any procedure.

use super::functions::{Function, Parameter, Section};
use super::include::declarations;
use super::kinds::{Kind, kind};
use super::wrappers::{BY_HAND, is_in_fortran};
use std::fmt::Write as _;

/// The opening of the file.
const OPENING: &str = "\
! The module mpi: MPI 5.0's Fortran binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate`: do not edit.

      module mpi
      implicit none
      public
";

/// The module's text.
#[must_use]
pub fn module(sections: &[Section]) -> String {
    let mut text = OPENING.to_owned() + &declarations();
    for section in sections {
        let functions: Vec<_> = (section.functions.iter())
            .filter(|of| is_in_fortran(of) && !BY_HAND.contains(&of.name.as_str()))
            .collect();
        if !functions.is_empty() {
            let _ = writeln!(text, "\n! {}\n      interface", section.title);
            functions.into_iter().for_each(|function| interface(&mut text, function));
            text += "      end interface\n";
        }
    }
    text + "\n      end module mpi\n"
}

/// The interface of a subroutine.
fn interface(text: &mut String, function: &Function) {
    let mut names = Vec::new();
    let mut declarations = String::new();
    let mut imports = Vec::new();
    for parameter in &function.parameters {
        let (Parameter::Named { name, .. }, Some(kind)) = (parameter, kind(function, parameter))
        else {
            continue;
        };
        names.push(name.as_str());
        for line in declaration(name, parameter, &kind) {
            let _ = writeln!(declarations, "            {line}");
            for constant in
                ["MPI_STATUS_SIZE", "MPI_ADDRESS_KIND", "MPI_OFFSET_KIND", "MPI_COUNT_KIND"]
            {
                if line.contains(constant) && !imports.contains(&constant) {
                    imports.push(constant);
                }
            }
        }
    }
    names.push("ierror");
    let name = function.name.to_ascii_uppercase();
    let _ = writeln!(
        text,
        "         subroutine {name}( &\n               {})",
        names.join(", &\n               ")
    );
    if !imports.is_empty() {
        let _ = writeln!(text, "            import :: {}", imports.join(", "));
    }
    let _ = writeln!(
        text,
        "            implicit none\n{declarations}            integer, intent(out) :: ierror\n         \
         end subroutine {name}"
    );
}

/// The lines that declare a parameter.
fn declaration(name: &str, parameter: &Parameter, kind: &Kind) -> Vec<String> {
    let shape = match parameter {
        Parameter::Named { suffix, .. } if suffix == "[]" => "(*)",
        Parameter::Named { suffix, .. } if suffix == "[][3]" => "(3, *)",
        _ => "",
    };
    let number = |of: &str| match of {
        "MPI_Aint" => "integer(MPI_ADDRESS_KIND)",
        "MPI_Offset" => "integer(MPI_OFFSET_KIND)",
        "MPI_Count" => "integer(MPI_COUNT_KIND)",
        _ => "integer",
    };
    let one = |of: &str, shape: &str| vec![format!("{of} :: {name}{shape}")];
    match kind {
        Kind::Number(of) | Kind::Alike(of) => one(number(of), shape),
        Kind::Logical | Kind::LogicalOut => one("logical", ""),
        Kind::LogicalsIn(_) | Kind::LogicalsOut(_) => one("logical", "(*)"),
        Kind::Handle(_) | Kind::HandleInOut(_) | Kind::HandleOut(_) | Kind::IndexOut => {
            one("integer", "")
        }
        Kind::HandlesIn(..)
        | Kind::HandlesInOut(..)
        | Kind::HandlesOut(..)
        | Kind::IndicesOut(_)
        | Kind::Weights => one("integer", "(*)"),
        Kind::Status => one("integer", "(MPI_STATUS_SIZE)"),
        Kind::Statuses => one("integer", "(MPI_STATUS_SIZE, *)"),
        Kind::StringIn | Kind::StringOut => one("character(len=*)", ""),
        Kind::Buffer => vec![
            format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"),
            format!("!DIR$ IGNORE_TKR {name}"),
            format!("type(*), dimension(*) :: {name}"),
        ],
    }
}
