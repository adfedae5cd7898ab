//! Writes `include/mpi.h` from the tables of constants and the prototypes.
//! The types and callbacks, which are few, stand as C in `header/`.
//! Rules: each prototype twice, as `MPI_` and as `PMPI_`; the layout is one line a constant and a function.

use super::functions::Section;
use mpi_abi::abi::{Form, TABLES, Table};
use std::fmt::Write as _;

/// The header's text.
#[must_use]
pub fn header(sections: &[Section]) -> String {
    let mut text = include_str!("header/opening.h").to_owned();
    for table in TABLES {
        constants(&mut text, table);
    }
    text += include_str!("header/callbacks.h");
    for prefix in ["", "P"] {
        for section in sections {
            let profiling = if prefix.is_empty() { "" } else { ", for tools that stand between" };
            let _ = writeln!(text, "\n/* {}{profiling} */", section.title);
            for function in &section.functions {
                let deprecated = match &function.deprecated_since {
                    Some(version) if prefix.is_empty() => {
                        format!(" /* deprecated since MPI {version} */")
                    }
                    _ => String::new(),
                };
                let _ = writeln!(text, "{};{deprecated}", function.prototype(prefix));
            }
        }
    }
    text + include_str!("header/closing.h")
}

/// The constants of a table.
fn constants(text: &mut String, table: &Table) {
    let _ = writeln!(text, "\n/* {} */", table.title.trim().replace('`', ""));
    match table.form {
        Form::Enum | Form::Named(_) => {
            let entries: Vec<_> = (table.constants.iter())
                .map(|constant| format!("    {} = {}", constant.name, constant.value))
                .collect();
            let (opening, name) = match table.form {
                Form::Named(name) => (format!("typedef enum {name} {{"), format!(" {name}")),
                _ => ("enum {".to_owned(), String::new()),
            };
            let _ = writeln!(text, "{opening}\n{}\n}}{name};", entries.join(",\n"));
        }
        Form::Number | Form::Cast(_) => {
            for constant in table.constants {
                let value = match table.form {
                    Form::Cast(c_type) if constant.value < 0 || c_type.ends_with('*') => {
                        format!("(({c_type}){})", constant.value)
                    }
                    Form::Cast(c_type) => format!("(({c_type}){:#05x})", constant.value),
                    _ => constant.value.to_string(),
                };
                let _ = writeln!(text, "#define {:<30} {value}", constant.name);
            }
        }
    }
}
