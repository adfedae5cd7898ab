//! Writes a Rust function for each function of MPI that nobody has implemented: it refuses, and says its name.
//! The error goes to the handler of the object that the call is about, its first communicator, window, file or session.
//! Rules: every function of the table is exported as `MPI_` and as `PMPI_`; a stub never touches its other arguments.

use super::functions::{Function, Parameter, Section};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The stubs of all functions that are not among `implemented`.
///
/// A function that returns no error code cannot refuse: it gets no stub, and has to be implemented.
#[must_use]
pub fn stubs(sections: &[Section], implemented: &BTreeSet<String>) -> String {
    let mut text = String::new();
    for function in sections.iter().flat_map(|section| &section.functions) {
        let can_refuse = function.returns == "int" && !function.name.ends_with("_toint");
        if can_refuse && !implemented.contains(&function.name) {
            for prefix in ["", "P"] {
                stub(&mut text, function, prefix);
            }
        }
    }
    text
}

/// One stub.
fn stub(text: &mut String, function: &Function, prefix: &str) {
    let name = &function.name;
    let mut parameters = function.parameters.iter().enumerate();
    let subject = parameters.find_map(|(index, parameter)| Some((index, subject(parameter)?)));
    let parameters: Vec<_> = (function.parameters.iter().enumerate())
        .filter_map(|(index, parameter)| {
            let rust_type = rust_type(parameter)?;
            let is_subject = subject.is_some_and(|(of, _)| of == index);
            let binding = if is_subject { "subject" } else { "_" };
            Some(format!("{binding}: {rust_type}"))
        })
        .collect();
    let subject = match subject {
        Some((_, kind)) => format!("Subject::{kind}(subject)"),
        None if name.starts_with("MPI_File_") || name == "MPI_Register_datarep" => {
            "Subject::File(MPI_FILE_NULL)".to_owned()
        }
        None => "Subject::Library".to_owned(),
    };
    let _ = writeln!(
        text,
        "/// `{name}` is not supported.\n#[unsafe(no_mangle)]\npub extern \"C\" fn {prefix}{name}({}) -> c_int {{\n    \
         refuse(\"{name}\", {subject})\n}}\n",
        parameters.join(", "),
    );
}

/// The kind of object that a parameter is, if an error can be raised on it.
fn subject(parameter: &Parameter) -> Option<&'static str> {
    match parameter {
        Parameter::Named { base, stars: 0, suffix, .. } if suffix.is_empty() => match base.as_str()
        {
            "MPI_Comm" => Some("Comm"),
            "MPI_Win" => Some("Win"),
            "MPI_File" => Some("File"),
            "MPI_Session" => Some("Session"),
            _ => None,
        },
        _ => None,
    }
}

/// The type of a parameter in Rust, with the names of `crate::abi`; nothing for what Rust cannot define.
fn rust_type(parameter: &Parameter) -> Option<String> {
    let Parameter::Named { is_const, base, stars, suffix, .. } = parameter else { return None };
    let element = match base.as_str() {
        "int" => "c_int",
        "char" => "c_char",
        "void" => "c_void",
        named => named,
    };
    // The callbacks of `crate::abi` are pointers already.
    let stars = *stars - usize::from(base.ends_with("_function") && *stars > 0);
    let (element, stars) = match suffix.as_str() {
        "[][3]" => (format!("[{element}; 3]"), stars + 1),
        "[]" => (element.to_owned(), stars + 1),
        _ => (element.to_owned(), stars),
    };
    let innermost = if *is_const { "*const " } else { "*mut " };
    Some(match stars {
        0 => element,
        _ => "*mut ".repeat(stars - 1) + innermost + &element,
    })
}
