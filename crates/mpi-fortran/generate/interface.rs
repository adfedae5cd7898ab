//! Writes the interfaces of subroutines, as the modules `mpi` and `mpi_f08` have them.
//! A buffer may be of any type and rank; the directives say so to each compiler in its own way.
//! Rules: subroutines with a wrapper by hand are left to the modules.

use super::functions::{Function, Parameter, Section};
use super::kinds::{Kind, kind};
use super::wrappers::{BY_HAND, is_in_fortran};
use std::fmt::Write as _;

/// The longest line.
const LINE: usize = 110;

/// How a module declares arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Handles and statuses are INTEGERs, and the error is always there.
    Integers,
    /// Handles and statuses have types of their own, and the error is optional.
    Types,
}

/// The interfaces of all subroutines that have no wrapper by hand.
#[must_use]
pub fn interfaces(sections: &[Section], style: Style) -> String {
    let mut text = String::new();
    for section in sections {
        let functions: Vec<_> = (section.functions.iter())
            .filter(|of| is_in_fortran(of) && !BY_HAND.contains(&of.name.as_str()))
            .collect();
        if !functions.is_empty() {
            let _ = writeln!(text, "\n   ! {}\n   interface", section.title);
            functions.into_iter().for_each(|function| interface(&mut text, function, style));
            text += "   end interface\n";
        }
    }
    text
}

/// The interface of a subroutine.
fn interface(text: &mut String, function: &Function, style: Style) {
    let mut names = Vec::new();
    let mut lines = Vec::new();
    for parameter in &function.parameters {
        if let (Parameter::Named { name, base, .. }, Some(kind)) =
            (parameter, kind(function, parameter))
        {
            names.push(name.as_str());
            lines.extend(declaration(name, base, parameter, &kind, style));
        }
    }
    names.push("ierror");
    lines.push(match style {
        Style::Integers => "integer, intent(out) :: ierror".to_owned(),
        Style::Types => "integer, optional, intent(out) :: ierror".to_owned(),
    });
    let name = &function.name;
    let _ = writeln!(text, "{}", wrapped(&format!("      subroutine {name}("), &names));
    let _ = writeln!(text, "         import\n         implicit none");
    for line in lines {
        // A directive begins where the compiler looks for it.
        let indent = if line.starts_with('!') { "" } else { "         " };
        let _ = writeln!(text, "{indent}{line}");
    }
    let _ = writeln!(text, "      end subroutine {name}");
}

/// A list of names behind an opening, in lines that are not too long.
fn wrapped(opening: &str, names: &[&str]) -> String {
    let mut text = opening.to_owned();
    let mut column = opening.len();
    for (at, name) in names.iter().enumerate() {
        let piece = format!("{name}{}", if at + 1 < names.len() { ", " } else { ")" });
        if column + piece.len() > LINE {
            text.truncate(text.trim_end().len());
            text += " &\n            ";
            column = 12;
        }
        column += piece.len();
        text += &piece;
    }
    text
}

/// The lines that declare a parameter.
fn declaration(
    name: &str,
    base: &str,
    parameter: &Parameter,
    kind: &Kind,
    style: Style,
) -> Vec<String> {
    let shape = match parameter {
        Parameter::Named { suffix, .. } if suffix == "[]" => "(*)",
        Parameter::Named { suffix, .. } if suffix == "[][3]" => "(3, *)",
        _ => "",
    };
    let intent = match parameter {
        Parameter::Named { is_const: true, .. } => ", intent(in)",
        _ => "",
    };
    let number = |of: &str| match of {
        "MPI_Aint" => "integer(MPI_ADDRESS_KIND)",
        "MPI_Offset" => "integer(MPI_OFFSET_KIND)",
        "MPI_Count" => "integer(MPI_COUNT_KIND)",
        _ => "integer",
    };
    let handle = match style {
        Style::Integers => "integer".to_owned(),
        Style::Types => format!("type({base})"),
    };
    let one = |of: &str, shape: &str| vec![format!("{of} :: {name}{shape}")];
    match (kind, style) {
        (Kind::Number(of), _) => one(&format!("{}, intent(in)", number(of)), ""),
        (Kind::Alike(of), _) => one(&format!("{}{intent}", number(of)), shape),
        (Kind::Logical, _) => one("logical, intent(in)", ""),
        (Kind::LogicalOut, _) => one("logical, intent(out)", ""),
        (Kind::LogicalsIn(_), _) => one("logical, intent(in)", "(*)"),
        (Kind::LogicalsOut(_), _) => one("logical", "(*)"),
        (Kind::Handle(_), _) => one(&format!("{handle}, intent(in)"), ""),
        (Kind::HandleInOut(_), _) => one(&format!("{handle}, intent(inout)"), ""),
        (Kind::HandleOut(_), _) => one(&format!("{handle}, intent(out)"), ""),
        (Kind::IndexOut, _) => one("integer, intent(out)", ""),
        (Kind::HandlesIn(..), _) => one(&format!("{handle}, intent(in)"), "(*)"),
        (Kind::HandlesInOut(..) | Kind::HandlesOut(..), _) => one(&handle, "(*)"),
        (Kind::IndicesOut(_) | Kind::Weights, _) => one("integer", "(*)"),
        (Kind::Status, Style::Integers) => one(&format!("integer{intent}"), "(MPI_STATUS_SIZE)"),
        (Kind::Statuses, Style::Integers) => {
            one(&format!("integer{intent}"), "(MPI_STATUS_SIZE, *)")
        }
        (Kind::Status, Style::Types) => one(&format!("type(MPI_Status){intent}"), ""),
        (Kind::Statuses, Style::Types) => one(&format!("type(MPI_Status){intent}"), "(*)"),
        (Kind::StringIn, _) => one("character(len=*), intent(in)", ""),
        (Kind::StringOut, _) => one("character(len=*)", ""),
        (Kind::Buffer, _) => vec![
            format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"),
            format!("!DIR$ IGNORE_TKR {name}"),
            format!("type(*), dimension(*) :: {name}"),
        ],
    }
}
