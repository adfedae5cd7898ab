//! Writes MPICH's form of each function of MPI: it converts the arguments, calls the library, and converts the results.
//! Rules: what fits no rule is written by hand, in `src`; `BY_HAND` names these.

use super::functions::{Function, Parameter, Section};
use super::kinds::{Kind, kind};
use super::rust_types::rust_type;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The functions that stand in `src`.
pub const BY_HAND: &[&str] = &[
    "MPI_Abi_get_version",
    "MPI_Aint_add",
    "MPI_Aint_diff",
    "MPI_Get_processor_name",
    "MPI_Pcontrol",
    "MPI_Type_get_contents",
    "MPI_Type_get_contents_c",
];

/// Whether a function converts a handle to an integer or back; these are written by hand, too.
#[must_use]
pub fn is_conversion(name: &str) -> bool {
    name.ends_with("_toint") || name.ends_with("_fromint")
}

/// All functions that are not written by hand, and below `calls` those that they call.
///
/// # Errors
///
/// Which parameter fits no rule.
pub fn wrappers(sections: &[Section], paths: &BTreeMap<String, String>) -> Result<String, String> {
    let mut text = String::new();
    let mut calls = String::new();
    for function in sections.iter().flat_map(|section| &section.functions) {
        let name = function.name.as_str();
        if is_conversion(name) || name.starts_with("MPI_Aint_") {
            continue;
        }
        if name != "MPI_Abi_get_version" {
            call(&mut calls, function, paths.get(name).map_or("face::unsupported", String::as_str));
        }
        if !BY_HAND.contains(&name) {
            wrapper(&mut text, function)?;
        }
    }
    let _ = writeln!(
        text,
        "/// The library's functions as the standard's interface has them.\npub(crate) mod calls {{\n    use super::*;\n\n{calls}}}"
    );
    Ok(text)
}

/// What a function returns, in Rust.
fn returned(function: &Function) -> &'static str {
    match function.returns.as_str() {
        "double" => "f64",
        _ => "c_int",
    }
}

/// The function that is called, by its path; the types are C's, as the caller has them.
fn call(text: &mut String, function: &Function, path: &str) {
    let (name, returned) = (&function.name, returned(function));
    let named = function.parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Named { name, .. } => Some((safe(name), rust_type(parameter)?)),
        Parameter::Variadic => None,
    });
    let named: Vec<_> = named.collect();
    let types: Vec<_> = named.iter().map(|(_, of)| of.as_str()).collect();
    let parameters: Vec<_> = named.iter().map(|(name, of)| format!("{name}: {of}")).collect();
    let arguments: Vec<_> = named.iter().map(|(name, _)| name.as_str()).collect();
    let types = types.join(", ");
    let _ = writeln!(
        text,
        "    #[inline(always)]\n    pub(crate) unsafe fn {name}({}) -> {returned} {{\n        \
         // SAFETY: the function has these parameters: pointers, and words as wide as C's.\n        \
         unsafe {{ called!(crate::{path}::{name}; fn({types}) -> {returned})({}) }}\n    }}\n",
        parameters.join(", "),
        arguments.join(", ")
    );
}

/// A name that Rust has no other use for.
fn safe(name: &str) -> String {
    match name {
        "type" | "ref" | "in" | "final" => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// One function.
fn wrapper(text: &mut String, function: &Function) -> Result<(), String> {
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    let (mut before, mut after) = (String::new(), String::new());
    for parameter in &function.parameters {
        let unknown = || format!("{}: {parameter:?} fits no rule", function.name);
        let kind = kind(function, parameter).ok_or_else(unknown)?;
        let Parameter::Named { base, name, .. } = parameter else { return Err(unknown()) };
        let name = safe(name);
        let own = rust_type(parameter).ok_or_else(unknown)?;
        let raw = format!("Raw<{base}>");
        let (rust_type, argument) = match kind {
            Kind::Alike => (own, name.clone()),
            Kind::Handle => (raw, format!("<{base}>::from_raw({name})")),
            Kind::HandleOut | Kind::HandleInOut => {
                let constructor = if kind == Kind::HandleOut { "empty" } else { "read" };
                let _ =
                    writeln!(before, "let mut c_{name} = Place::<{base}>::{constructor}({name});");
                let _ = writeln!(after, "c_{name}.write();");
                (format!("*mut {raw}"), format!("c_{name}.address()"))
            }
            Kind::HandlesIn(length) => {
                let _ =
                    writeln!(before, "let c_{name} = Handles::<{base}>::read({name}, {length});");
                (format!("*const {raw}"), format!("c_{name}.as_ptr()"))
            }
            Kind::HandlesInOut(length) => {
                let _ = writeln!(
                    before,
                    "let mut c_{name} = Handles::<{base}>::read({name}, {length});"
                );
                let _ = writeln!(after, "c_{name}.write({name});");
                (format!("*mut {raw}"), format!("c_{name}.as_mut_ptr()"))
            }
            Kind::Number(conversion) => (own, format!("{conversion}_in({name})")),
            Kind::NumberOut(conversion) => {
                let _ = writeln!(
                    after,
                    "if code == MPI_SUCCESS {{ *{name} = {conversion}_out(*{name}); }}"
                );
                (own, name.clone())
            }
            Kind::NumberInOut(conversion) => {
                let _ =
                    writeln!(before, "let mut c_{name} = Number::read({name}, {conversion}_in);");
                let _ = writeln!(after, "c_{name}.write({conversion}_out);");
                (own, format!("c_{name}.address()"))
            }
            Kind::NumbersIn(conversion, length) => {
                let _ = writeln!(
                    before,
                    "let c_{name} = Numbers::read({name}, {length}, {conversion}_in);"
                );
                (own, format!("c_{name}.as_ptr()"))
            }
            Kind::NumbersOut(conversion, length) => {
                let _ = writeln!(
                    after,
                    "if code == MPI_SUCCESS {{ convert_all({name}, {length}, {conversion}_out); }}"
                );
                (own, name.clone())
            }
            Kind::Buffer => (own, format!("buffer_in({name})")),
            Kind::BufferOut => {
                let _ = writeln!(after, "if code == MPI_SUCCESS {{ buffer_out({name}); }}");
                (own, name.clone())
            }
            Kind::StatusIn => {
                // Only here may a program ask for the error, which most calls do not write.
                let asks = function.name == "MPI_Status_get_error";
                let read = if asks { "read_with_error" } else { "read" };
                let _ = writeln!(before, "let c_{name} = StatusIn::{read}({name});");
                ("*const MpichStatus".to_owned(), format!("c_{name}.address()"))
            }
            Kind::StatusOut => {
                let _ = writeln!(before, "let mut c_{name} = StatusOut::new({name});");
                let _ = writeln!(after, "c_{name}.write();");
                ("*mut MpichStatus".to_owned(), format!("c_{name}.address()"))
            }
            Kind::StatusInOut => {
                let _ = writeln!(before, "let mut c_{name} = StatusIn::read({name});");
                let _ = writeln!(after, "c_{name}.write({name});");
                ("*mut MpichStatus".to_owned(), format!("c_{name}.address_mut()"))
            }
            Kind::StatusesOut(length) => {
                let _ = writeln!(before, "let mut c_{name} = Statuses::new({name}, {length});");
                let _ = writeln!(after, "c_{name}.write();");
                ("*mut MpichStatus".to_owned(), format!("c_{name}.as_mut_ptr()"))
            }
        };
        parameters.push(format!("{name}: {rust_type}"));
        arguments.push(argument);
    }
    let (name, returned) = (&function.name, returned(function));
    let indented =
        |lines: &str| lines.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let call = format!("calls::{name}({})", arguments.join(", "));
    let body = match returned {
        "c_int" => format!(
            "{}    let code = {call};\n{}    code_out(code)\n",
            indented(&before),
            indented(&after)
        ),
        _ => format!("    {call}\n"),
    };
    let parameters = parameters.join(", ");
    let _ = writeln!(text, "both! {{ {name} P{name}({parameters}) -> {returned} {{\n{body}}} }}\n");
    Ok(())
}
