//! Writes the conversions of constants: for each group two functions, to MPICH's values and from them.
//! A constant's value in the standard's interface is looked up by its name, so it stands nowhere twice.
//! Rules: two constants of a group that MPICH gives one value, or the standard, are an error, unless both do.

use super::constants::Value;
use crate::abi::Table;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The groups whose constants are handles: the numbers of both interfaces are without sign.
const HANDLES: &[&str] = &[
    "op",
    "comm",
    "group",
    "win",
    "file",
    "session",
    "message",
    "info",
    "errhandler",
    "request",
    "datatype",
];

/// The groups of numbers.
const NUMBERS: &[&str] = &[
    "error",
    "keyval",
    "thread",
    "order",
    "distribution",
    "combiner",
    "typeclass",
    "comparison",
    "topology",
    "split",
    "lock",
    "flavor",
    "model",
    "whence",
    "verbosity",
    "binding",
    "scope",
    "variable",
    "source",
];

/// The conversions.
///
/// # Errors
///
/// Which constant has no value in the standard's interface, or shares one.
pub fn tables(values: &[Value], standard: &[&Table]) -> Result<String, String> {
    let known: BTreeMap<_, _> = (standard.iter().flat_map(|table| table.constants))
        .map(|constant| (constant.name, constant.value as i64))
        .collect();
    let mut text = String::new();
    for group in HANDLES.iter().chain(NUMBERS) {
        let pairs = pairs(values, group, &known)?;
        let (from_type, to_type) = match HANDLES.contains(group) {
            true => ("u32", "usize"),
            false => ("c_int", "c_int"),
        };
        function(&mut text, &format!("{group}_to"), (to_type, from_type), pairs.iter().copied());
        let back = pairs.iter().map(|&(ours, theirs)| (theirs, ours));
        function(&mut text, &format!("{group}_from"), (from_type, to_type), back);
    }
    datatypes(&mut text, &pairs(values, "datatype", &known)?)?;
    modes(&mut text, &pairs(values, "mode", &known)?);
    for value in values.iter().filter(|value| !HANDLES.contains(&value.group.as_str())) {
        let Value { name, value, .. } = value;
        let _ = writeln!(
            text,
            "/// MPICH's `{name}`.\n#[allow(dead_code)]\npub(crate) const {name}: i64 = {value};"
        );
    }
    Ok(text)
}

/// The standard's and MPICH's value of each constant of a group.
fn pairs(
    values: &[Value],
    group: &str,
    known: &BTreeMap<&str, i64>,
) -> Result<Vec<(i64, i64)>, String> {
    let mut pairs = Vec::new();
    for value in values.iter().filter(|value| value.group == group) {
        let name = &value.name;
        let ours =
            known.get(name.as_str()).ok_or_else(|| format!("{name} is no constant of MPI"))?;
        let pair = (*ours, value.value);
        let shares = |other: &(i64, i64)| (other.0 == pair.0) != (other.1 == pair.1);
        if pairs.iter().any(shares) {
            return Err(format!("{name} shares its value with another constant of its group"));
        }
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    match pairs.is_empty() {
        true => Err(format!("the group {group} has no constants")),
        false => Ok(pairs),
    }
}

/// A function from values to values.
fn function(
    text: &mut String,
    name: &str,
    (from, to): (&str, &str),
    pairs: impl Iterator<Item = (i64, i64)>,
) {
    let arms: String =
        pairs.map(|(value, result)| format!("        {value} => {result},\n")).collect();
    let _ = writeln!(
        text,
        "/// A constant in the other interface; none for what is no constant of its group.\n#[allow(dead_code)]\n#[inline]\n\
         pub(crate) fn {name}(value: {from}) -> Option<{to}> {{\n    Some(match value {{\n{arms}        _ => return None,\n    }})\n}}\n"
    );
}

/// MPICH's datatypes by their lowest byte, by which no two differ that are plain.
fn datatypes(text: &mut String, pairs: &[(i64, i64)]) -> Result<(), String> {
    let mut by_byte = vec![(0, 0); 256];
    for (ours, theirs) in pairs.iter().filter(|(_, theirs)| theirs >> 24 == 0x4c) {
        let place = &mut by_byte[(theirs & 0xff) as usize];
        if *place != (0, 0) {
            return Err(format!("two datatypes of MPICH end with {:#x}", theirs & 0xff));
        }
        *place = (*theirs, *ours);
    }
    let _ = writeln!(
        text,
        "/// MPICH's plain datatypes and the standard's, by the lowest byte of MPICH's.\n\
         pub(crate) static DATATYPES: [(u32, u16); 256] = {by_byte:?};\n"
    );
    Ok(())
}

/// The bits of modes.
fn modes(text: &mut String, pairs: &[(i64, i64)]) {
    let _ = writeln!(
        text,
        "/// Each mode as the standard and as MPICH has it.\npub(crate) const MODES: &[(c_int, c_int)] = &{pairs:?};\n"
    );
}
