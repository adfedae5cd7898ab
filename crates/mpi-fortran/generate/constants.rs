//! The constants of Fortran's binding: those of C that Fortran has, and its own.
//! Source: MPI 5.0, appendix A, tables of constants, column of Fortran's values.
//! Rules: a handle is the number that C's pointer is; a string's limit has no null, so it is one less than in C.

use crate::abi::{self, Form, Table};

/// An integer constant of Fortran's.
#[derive(Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: isize,
    /// The name of its kind, where it is not the default INTEGER.
    pub kind: Option<&'static str>,
    /// The type that it has in the module `mpi_f08`, where it is a handle.
    pub handle: Option<&'static str>,
}

/// Fortran's own constants: kinds, and a status as an array.
const OWN: &[(&str, isize)] = &[
    ("MPI_INTEGER_KIND", 4),
    ("MPI_ADDRESS_KIND", 8),
    ("MPI_OFFSET_KIND", 8),
    ("MPI_COUNT_KIND", 8),
    ("MPI_STATUS_SIZE", 8),
    ("MPI_SOURCE", 1),
    ("MPI_TAG", 2),
    ("MPI_ERROR", 3),
];

/// All constants, section by section with what they are.
#[must_use]
pub fn sections() -> Vec<(&'static str, Vec<Constant>)> {
    let constant = |name, value| Constant { name, value, kind: None, handle: None };
    let own = OWN.iter().map(|&(name, value)| constant(name, value)).collect();
    let mut sections = vec![("Kinds, and a status as an array", own)];
    for table in abi::TABLES {
        let constants: Vec<_> = (table.constants.iter())
            .filter(|_| is_in_fortran(table))
            .map(|of| Constant {
                name: of.name,
                value: of.value - isize::from(of.name.starts_with("MPI_MAX_")),
                handle: match table.form {
                    Form::Cast(c_type) if c_type != "MPI_Offset" => Some(c_type),
                    _ => None,
                },
                kind: (table.form == Form::Cast("MPI_Offset")).then_some("MPI_OFFSET_KIND"),
            })
            .collect();
        if !constants.is_empty() {
            sections.push((table.title, constants));
        }
    }
    sections
}

/// Whether Fortran has the constants of a table as numbers: neither addresses nor those of tools.
fn is_in_fortran(table: &Table) -> bool {
    let is_of_tools = table.constants.iter().all(|constant| constant.name.starts_with("MPI_T_"));
    let is_of_c = table.constants.iter().all(|constant| constant.name.starts_with("MPI_F_"));
    let is_address = matches!(table.form, Form::Cast(c_type) if c_type.ends_with('*'));
    !(is_of_tools || is_of_c || is_address)
}
