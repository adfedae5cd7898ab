//! The types of C parameters as Rust writes them.
//! Rules: the names of `crate::abi`; `int` and the like are those of `std::ffi`.

use super::functions::Parameter;

/// The type of a parameter in Rust, with the names of `crate::abi`; nothing for what Rust cannot define.
#[must_use]
pub fn rust_type(parameter: &Parameter) -> Option<String> {
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
