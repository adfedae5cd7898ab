//! Writes a Rust function for each function of MPI that nobody has implemented: it refuses, and says its name.
//! The error goes to the handler of the object that the call is about, its first communicator, window, file or session.
//! Rules: every function of the table is exported as `MPI_` and as `PMPI_`; a stub never touches its other arguments.

use super::functions::{Function, Parameter, Section};
use super::rust_types::rust_type;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The stubs of all functions that are not among `implemented`.
///
/// A function that returns no error code cannot refuse: it gets no stub, and has to be implemented.
/// Stubs that are not `exported` stand once each, for others of their crate to call.
#[must_use]
pub fn stubs(sections: &[Section], implemented: &BTreeSet<String>, exported: bool) -> String {
    let mut text = String::new();
    for function in sections.iter().flat_map(|section| &section.functions) {
        let can_refuse = function.returns == "int" && !function.name.ends_with("_toint");
        if can_refuse && !implemented.contains(&function.name) {
            let prefixes: &[_] = if exported { &["", "P"] } else { &[""] };
            for prefix in prefixes {
                stub(&mut text, function, prefix, exported);
            }
        }
    }
    text
}

/// One stub.
fn stub(text: &mut String, function: &Function, prefix: &str, exported: bool) {
    let name = &function.name;
    let mut parameters = function.parameters.iter().enumerate();
    // A file that could not be opened has an error handler, too, and not its communicator's.
    let subject = match name.starts_with("MPI_File_") || name == "MPI_Register_datarep" {
        true => Some((usize::MAX, "Subject::File")),
        false => parameters.find_map(|(index, parameter)| Some((index, subject(parameter)?))),
    };
    let parameters: Vec<_> = (function.parameters.iter().enumerate())
        .filter_map(|(index, parameter)| {
            let rust_type = rust_type(parameter)?;
            let is_subject = subject == Some((index, ON_COMM));
            let binding = if is_subject { "subject" } else { "_" };
            Some(format!("{binding}: {rust_type}"))
        })
        .collect();
    let attribute = if exported { "#[unsafe(no_mangle)]\n" } else { "" };
    let subject = subject.map_or("Subject::Library", |(_, expression)| expression);
    let _ = writeln!(
        text,
        "/// `{name}` is not supported.\n{attribute}pub extern \"C\" fn {prefix}{name}({}) -> c_int {{\n    \
         refuse(\"{name}\", {subject})\n}}\n",
        parameters.join(", "),
    );
}

/// What an error is raised on when the parameter `subject` is a communicator.
const ON_COMM: &str = "Subject::Comm(subject)";

/// What an error is raised on if this parameter says so.
fn subject(parameter: &Parameter) -> Option<&'static str> {
    match parameter {
        Parameter::Named { base, stars: 0, suffix, .. } if suffix.is_empty() => match base.as_str()
        {
            "MPI_Comm" => Some(ON_COMM),
            "MPI_File" => Some("Subject::File"),
            "MPI_Session" => Some("Subject::Session"),
            _ => None,
        },
        _ => None,
    }
}
