//! Writes a Rust function for each function of MPI's Fortran binding: it reads what Fortran passes, calls C, and writes
//! back. Names are gfortran's: lower case with one underscore behind; lengths of strings come last.
//! Rules: a parameter without a kind takes a wrapper by hand, in `src`; `BY_HAND` names these.

use super::functions::{Function, Parameter, Section};
use super::kinds::{Kind, kind, null};
use super::rust_types::rust_type;
use std::fmt::Write as _;

/// The functions whose Fortran form differs, or takes a function: their wrappers stand in `src`.
pub const BY_HAND: &[&str] = &[
    "MPI_Aint_add",
    "MPI_Aint_diff",
    "MPI_Attr_get",
    "MPI_Attr_put",
    "MPI_Buffer_detach",
    "MPI_Comm_create_errhandler",
    "MPI_Comm_create_keyval",
    "MPI_Comm_detach_buffer",
    "MPI_Comm_get_attr",
    "MPI_Comm_set_attr",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_File_create_errhandler",
    "MPI_Grequest_start",
    "MPI_Info_create_env",
    "MPI_Info_get_string",
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Keyval_create",
    "MPI_Op_create",
    "MPI_Pcontrol",
    "MPI_Register_datarep",
    "MPI_Session_create_errhandler",
    "MPI_Session_detach_buffer",
    "MPI_Session_get_nth_pset",
    "MPI_Type_create_keyval",
    "MPI_Type_get_attr",
    "MPI_Type_set_attr",
    "MPI_Win_create_errhandler",
    "MPI_Win_create_keyval",
    "MPI_Win_get_attr",
    "MPI_Win_set_attr",
    "MPI_Wtick",
    "MPI_Wtime",
];

/// Whether Fortran has this function: not those with large counts, of tools, or for other languages.
#[must_use]
pub fn is_in_fortran(function: &Function) -> bool {
    let name = &function.name;
    let is_large = name.ends_with("_c");
    !(is_large
        || name.starts_with("MPI_T_")
        || name.ends_with("_toint")
        || name.ends_with("_fromint"))
}

/// The name that gfortran gives to a procedure.
#[must_use]
pub fn symbol(name: &str) -> String {
    format!("{}_", name.to_ascii_lowercase())
}

/// Declarations of all C functions, and the wrappers of those that are not written by hand.
///
/// # Errors
///
/// The name of a function with a parameter that the rules do not know.
pub fn wrappers(sections: &[Section]) -> Result<String, String> {
    let functions =
        || sections.iter().flat_map(|section| &section.functions).filter(|of| is_in_fortran(of));
    let mut text = "// SAFETY: MPI's C functions have these types; whoever calls one keeps the rules of the standard.\n\
                    #[allow(dead_code, reason = \"some take another function's place\")]\n\
                    unsafe extern \"C\" {\n"
        .to_owned();
    for function in functions() {
        for prefix in ["", "P"] {
            declaration(&mut text, function, prefix);
        }
    }
    text += "}\n\n";
    for function in functions().filter(|function| !BY_HAND.contains(&function.name.as_str())) {
        for prefix in ["", "P"] {
            wrapper(&mut text, function, prefix)?;
        }
    }
    Ok(text)
}

/// The declaration of a C function.
fn declaration(text: &mut String, function: &Function, prefix: &str) {
    let parameters: Vec<_> = (function.parameters.iter())
        .map(|parameter| match (parameter, rust_type(parameter)) {
            (Parameter::Named { name, .. }, Some(rust_type)) => {
                format!("{}: {rust_type}", safe(name))
            }
            _ => "...".to_owned(),
        })
        .collect();
    let returns = match function.returns.as_str() {
        "int" => "c_int",
        "double" => "f64",
        named => named,
    };
    let _ = writeln!(
        text,
        "    pub(crate) fn {prefix}{}({}) -> {returns};",
        function.name,
        parameters.join(", ")
    );
}

/// A parameter's name as Rust can spell it.
fn safe(name: &str) -> String {
    if matches!(name, "type" | "ref" | "in" | "fn") { format!("{name}_") } else { name.to_owned() }
}

/// The pieces of a wrapper.
#[derive(Default)]
struct Pieces {
    parameters: Vec<String>,
    lengths: Vec<String>,
    before: Vec<String>,
    arguments: Vec<String>,
    after: Vec<String>,
}

/// One wrapper.
fn wrapper(text: &mut String, function: &Function, prefix: &str) -> Result<(), String> {
    let mut pieces = Pieces::default();
    for parameter in &function.parameters {
        let unknown =
            || format!("{}: {parameter:?} has no kind and no wrapper by hand", function.name);
        let kind = kind(function, parameter).ok_or_else(unknown)?;
        let Parameter::Named { name, .. } = parameter else { return Err(unknown()) };
        add(&mut pieces, function, &safe(name), &kind);
    }
    pieces.parameters.push("ierror: Ierror".to_owned());
    pieces.parameters.append(&mut pieces.lengths);
    let name = &function.name;
    let _ = writeln!(
        text,
        "/// `{name}` for Fortran.\n///\n/// # Safety\n///\n/// The arguments are those of Fortran's binding.\n\
         #[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {}({}) {{\n    \
         // SAFETY: Fortran passes each argument by reference, and the call keeps the standard's rules.\n    unsafe {{",
        symbol(&format!("{prefix}{name}")),
        pieces.parameters.join(", "),
    );
    for line in &pieces.before {
        let _ = writeln!(text, "        {line}");
    }
    let _ = writeln!(text, "        let code = {prefix}{name}({});", pieces.arguments.join(", "));
    for line in &pieces.after {
        let _ = writeln!(text, "        {line}");
    }
    text.push_str("        ierror.set(code);\n    }\n}\n\n");
    Ok(())
}

/// Adds what a parameter needs.
fn add(pieces: &mut Pieces, function: &Function, name: &str, kind: &Kind) {
    let Pieces { parameters, lengths, before, arguments, after } = pieces;
    let pointer = match kind {
        Kind::Number(of) => format!("*const {of}"),
        Kind::Alike(of) => format!("*mut {of}"),
        Kind::Buffer => "*mut c_void".to_owned(),
        Kind::Status | Kind::Statuses => "*mut MPI_Status".to_owned(),
        Kind::StringIn | Kind::StringOut => {
            lengths.push(format!("{name}_length: usize"));
            "*mut c_char".to_owned()
        }
        _ => "*mut c_int".to_owned(),
    };
    parameters.push(format!("{name}: {pointer}"));
    let argument = match kind {
        Kind::Number(_) => format!("*{name}"),
        Kind::Logical => format!("truth(*{name})"),
        Kind::Handle(of) => format!("MPI_{of}_fromint(*{name})"),
        Kind::Buffer => format!("to_buffer({name})"),
        Kind::Status | Kind::Statuses => format!("to_statuses({name})"),
        Kind::Weights => format!("to_weights({name})"),
        Kind::Alike(_) => name.to_owned(),
        Kind::LogicalOut => {
            before.push(format!("let mut c_{name}: c_int = 0;"));
            after.push(format!("*{name} = c_int::from(c_{name} != 0);"));
            format!("&mut c_{name}")
        }
        Kind::LogicalsIn(count) => {
            before.push(format!("let c_{name} = truths({name}, {count});"));
            format!("c_{name}.as_ptr()")
        }
        Kind::LogicalsOut(count) => {
            before.push(format!("let mut c_{name} = truths({name}, {count});"));
            after.push(format!("write_truths({name}, &c_{name});"));
            format!("c_{name}.as_mut_ptr()")
        }
        Kind::HandleInOut(of) => {
            before.push(format!("let mut c_{name} = MPI_{of}_fromint(*{name});"));
            after.push(format!("*{name} = MPI_{of}_toint(c_{name});"));
            format!("&mut c_{name}")
        }
        Kind::HandleOut(of) => {
            before.push(format!("let mut c_{name} = {};", null(of)));
            after.push(format!("*{name} = MPI_{of}_toint(c_{name});"));
            format!("&mut c_{name}")
        }
        Kind::HandlesOut(of, count) => {
            before.push(format!("let mut c_{name} = Handles::filled({}, {count});", null(of)));
            after.push(format!("c_{name}.write({name}, MPI_{of}_toint);"));
            format!("c_{name}.as_mut_ptr()")
        }
        Kind::HandlesIn(of, count) => {
            // With MPI_IN_PLACE as its buffer, an argument is not significant and may be too short.
            let count = match name {
                "sendtypes" => format!("if is_in_place(sendbuf) {{ 0 }} else {{ {count} }}"),
                _ => (*count).to_owned(),
            };
            let keep = match function.name.starts_with("MPI_I") || function.name.ends_with("_init")
            {
                true => ".kept()",
                false => "",
            };
            before.push(format!(
                "let c_{name} = Handles::read({name}, {count}, MPI_{of}_fromint){keep};"
            ));
            format!("c_{name}.as_ptr()")
        }
        Kind::HandlesInOut(of, count) => {
            before.push(format!(
                "let mut c_{name} = Handles::read({name}, {count}, MPI_{of}_fromint);"
            ));
            after.push(format!("c_{name}.write({name}, MPI_{of}_toint);"));
            format!("c_{name}.as_mut_ptr()")
        }
        Kind::IndexOut => {
            before.push(format!("let mut c_{name} = MPI_UNDEFINED;"));
            after.push(format!("*{name} = from_one(c_{name});"));
            format!("&mut c_{name}")
        }
        Kind::IndicesOut(count) => {
            // C writes it even if one of several fails; then so many indices are there.
            before.push(format!("*{count} = MPI_UNDEFINED;"));
            after.push(format!("indices_from_one({name}, *{count});"));
            name.to_owned()
        }
        Kind::StringIn => {
            let trim = if matches!(name, "key" | "value") { "Text::trimmed" } else { "Text::read" };
            before.push(format!("let c_{name} = {trim}({name}, {name}_length);"));
            format!("c_{name}.as_ptr()")
        }
        Kind::StringOut => {
            before.push(format!("let mut c_{name} = Room::new({name}_length);"));
            let has_flag = function.parameters.iter().any(
                |parameter| matches!(parameter, Parameter::Named { name, .. } if name == "flag"),
            );
            let and_flag = if has_flag { " && c_flag != 0" } else { "" };
            after.push(format!(
                "if code == MPI_SUCCESS{and_flag} {{ c_{name}.write({name}, {name}_length); }}"
            ));
            format!("c_{name}.as_mut_ptr()")
        }
    };
    arguments.push(argument);
}
