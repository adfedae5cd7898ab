//! What a parameter of the C binding is in Fortran: by reference, and some of them changed on the way.
//! A parameter's type and name decide, since the standard names alike what is alike.
//! Source: MPI 5.0, chapter *Language Bindings*, sections on Fortran support and on transfer of handles.

use super::functions::{Function, Parameter};

/// How a parameter travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number by value in C, which is read where Fortran's argument points.
    Number(&'static str),
    /// A truth value by value in C, a LOGICAL in Fortran.
    Logical,
    /// A truth value that the call returns.
    LogicalOut,
    /// Truth values that the call reads, so many.
    LogicalsIn(&'static str),
    /// Truth values that the call returns, so many.
    LogicalsOut(&'static str),
    /// A handle by value in C, with the name of its conversion.
    Handle(&'static str),
    /// A handle that the call reads and writes.
    HandleInOut(&'static str),
    /// A handle that the call returns; what stands there before is no handle.
    HandleOut(&'static str),
    /// Handles that the call reads, so many.
    HandlesIn(&'static str, &'static str),
    /// Handles that the call reads and writes, so many.
    HandlesInOut(&'static str, &'static str),
    /// Handles that the call returns, at most so many.
    HandlesOut(&'static str, &'static str),
    /// A buffer, or a special address.
    Buffer,
    /// A status, or none.
    Status,
    /// Statuses, or none.
    Statuses,
    /// Weights of a graph, or none.
    Weights,
    /// An index, from 0 in C and from 1 in Fortran.
    IndexOut,
    /// Indices, from 0 in C and from 1 in Fortran; the parameter that says how many.
    IndicesOut(&'static str),
    /// A string that the call reads.
    StringIn,
    /// A string that the call writes, unless its parameter `flag` becomes false.
    StringOut,
    /// What both languages keep alike, as a pointer to this type.
    Alike(&'static str),
}

/// The conversion of a handle type, `MPI_{this}_toint`.
fn conversion(base: &str) -> Option<&'static str> {
    Some(match base {
        "MPI_Comm" => "Comm",
        "MPI_Datatype" => "Type",
        "MPI_Errhandler" => "Errhandler",
        "MPI_File" => "File",
        "MPI_Group" => "Group",
        "MPI_Info" => "Info",
        "MPI_Message" => "Message",
        "MPI_Op" => "Op",
        "MPI_Request" => "Request",
        "MPI_Session" => "Session",
        "MPI_Win" => "Win",
        _ => return None,
    })
}

/// The Rust type of a number.
fn number(base: &str) -> Option<&'static str> {
    Some(match base {
        "int" => "c_int",
        "MPI_Aint" => "MPI_Aint",
        "MPI_Count" => "MPI_Count",
        "MPI_Offset" => "MPI_Offset",
        _ => return None,
    })
}

/// How many elements an array of handles or truth values has, as an expression of the wrapper.
fn length(function: &str, name: &str) -> Option<&'static str> {
    Some(match (function, name) {
        ("MPI_Cart_sub", "remain_dims") => "dimensions(comm)",
        ("MPI_Cart_get", "periods") => "to_length(maxdims)",
        (_, "periods") => "to_length(ndims)",
        ("MPI_Type_create_struct", "array_of_types") => "to_length(count)",
        ("MPI_Type_get_contents", "array_of_datatypes") => "to_length(max_datatypes)",
        ("MPI_Waitsome" | "MPI_Testsome" | "MPI_Request_get_status_some", "array_of_requests") => {
            "to_length(incount)"
        }
        (_, "array_of_requests") => "to_length(count)",
        (_, "sendtypes") if function.contains("eighbor") => "neighbours(comm).1",
        (_, "recvtypes") if function.contains("eighbor") => "neighbours(comm).0",
        (_, "sendtypes" | "recvtypes") => "peers(comm)",
        _ => return None,
    })
}

/// Whether a call reads a handle that it is given by its address.
fn is_read(function: &str, name: &str) -> bool {
    match function {
        "MPI_Mrecv" | "MPI_Imrecv" => name == "message",
        "MPI_Wait"
        | "MPI_Test"
        | "MPI_Start"
        | "MPI_Cancel"
        | "MPI_Type_commit"
        | "MPI_Comm_disconnect"
        | "MPI_File_close"
        | "MPI_Session_finalize" => true,
        _ => function.ends_with("_free"),
    }
}

/// The null handle of a kind, by the name of its conversion.
#[must_use]
pub fn null(conversion: &str) -> String {
    match conversion {
        "Type" => "MPI_DATATYPE_NULL".to_owned(),
        _ => format!("MPI_{}_NULL", conversion.to_ascii_uppercase()),
    }
}

/// What a parameter is; nothing if it takes a wrapper that is written by hand.
#[must_use]
pub fn kind(function: &Function, parameter: &Parameter) -> Option<Kind> {
    let Parameter::Named { is_const, base, stars, name, suffix } = parameter else { return None };
    let (base, name) = (base.as_str(), name.as_str());
    let depth = stars + usize::from(!suffix.is_empty());
    let is_logical = matches!(
        name,
        "flag" | "reorder" | "commute" | "high" | "weighted" | "is_set" | "periods" | "remain_dims"
    );
    if let Some(conversion) = conversion(base) {
        let is_array = !suffix.is_empty() || (name.starts_with("array_of") && depth == 1);
        return Some(match (depth, is_array, is_const) {
            (0, ..) => Kind::Handle(conversion),
            (1, false, _) if is_read(&function.name, name) => Kind::HandleInOut(conversion),
            (1, false, _) => Kind::HandleOut(conversion),
            (1, true, true) => Kind::HandlesIn(conversion, length(&function.name, name)?),
            (1, true, false) if function.name == "MPI_Type_get_contents" => {
                Kind::HandlesOut(conversion, length(&function.name, name)?)
            }
            (1, true, false) => Kind::HandlesInOut(conversion, length(&function.name, name)?),
            _ => return None,
        });
    }
    if let Some(number) = number(base) {
        return Some(match (depth, suffix.as_str()) {
            (0, _) if is_logical => Kind::Logical,
            (0, _) => Kind::Number(number),
            (1, "[]") if is_logical && *is_const => Kind::LogicalsIn(length(&function.name, name)?),
            (1, "[]") if is_logical => Kind::LogicalsOut(length(&function.name, name)?),
            (1, "[][3]") => Kind::Alike("[c_int; 3]"),
            (1, _) if is_logical => Kind::LogicalOut,
            (1, _) if name.ends_with("weights") => Kind::Weights,
            (1, "") if matches!(name, "index" | "indx") => Kind::IndexOut,
            (1, _) if name == "array_of_indices" => Kind::IndicesOut("outcount"),
            (1, _) => Kind::Alike(number),
            _ => return None,
        });
    }
    match (base, depth) {
        ("void", 1) => Some(Kind::Buffer),
        ("MPI_Status", 1) if !suffix.is_empty() || name.starts_with("array_of") => {
            Some(Kind::Statuses)
        }
        ("MPI_Status", 1) => Some(Kind::Status),
        ("char", 1) if *is_const => Some(Kind::StringIn),
        ("char", 1) => Some(Kind::StringOut),
        _ => None,
    }
}
