//! What a parameter of the C binding is in MPICH's interface: alike, or to be converted on the way.
//! A parameter's type and name decide, since the standard names alike what is alike.
//! Rules: a number is alike if its name is listed as such, so a new one is an error until somebody has decided.

use super::functions::{Function, Parameter};

/// How a parameter travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is the same in both interfaces.
    Alike,
    /// A handle by value.
    Handle,
    /// A handle that the call writes; what stands there before is no handle.
    HandleOut,
    /// A handle that the call reads and may write.
    HandleInOut,
    /// Handles that the call reads; the expression for their number.
    HandlesIn(&'static str),
    /// Handles that the call reads and may write; the expression for their number.
    HandlesInOut(&'static str),
    /// A number by value, with the name of its conversion.
    Number(&'static str),
    /// A number that the call writes if it succeeds.
    NumberOut(&'static str),
    /// A number that the call reads and writes.
    NumberInOut(&'static str),
    /// Numbers that the call reads, so many.
    NumbersIn(&'static str, &'static str),
    /// Numbers that the call writes if it succeeds, so many.
    NumbersOut(&'static str, &'static str),
    /// A buffer, or a special address.
    Buffer,
    /// Where an address goes that may be special.
    BufferOut,
    /// A status that the call reads.
    StatusIn,
    /// A status that the call writes, or none.
    StatusOut,
    /// A status that the call reads and changes.
    StatusInOut,
    /// Statuses that the call writes, at most so many, or none.
    StatusesOut(&'static str),
}

/// Types of handles that differ. Those of tools are pointers in both interfaces.
const HANDLES: &[&str] = &[
    "MPI_Comm",
    "MPI_Datatype",
    "MPI_Errhandler",
    "MPI_File",
    "MPI_Group",
    "MPI_Info",
    "MPI_Message",
    "MPI_Op",
    "MPI_Request",
    "MPI_Session",
    "MPI_Win",
];

/// Names of `int` parameters, by value or by address, that mean the same in both interfaces.
const ALIKE: &[&str] = &[
    "argc",
    "array_of_blocklengths",
    "array_of_displacements",
    "array_of_errcodes",
    "array_of_gsizes",
    "array_of_indices",
    "array_of_maxprocs",
    "array_of_partitions",
    "array_of_psizes",
    "array_of_sizes",
    "array_of_starts",
    "array_of_subsizes",
    "atomic",
    "blocklength",
    "buflen",
    "cat_index",
    "color",
    "commute",
    "continuous",
    "coords",
    "count",
    "cvar_index",
    "degrees",
    "desc_len",
    "destinations",
    "destweights",
    "dims",
    "direction",
    "disp",
    "disp_unit",
    "displs",
    "edges",
    "element_index",
    "event_index",
    "fd",
    "flag",
    "high",
    "incount",
    "indegree",
    "indices",
    "indx",
    "insize",
    "is_set",
    "key",
    "len",
    "length",
    "logical_size",
    "max_addresses",
    "max_datatypes",
    "max_integers",
    "maxdims",
    "maxedges",
    "maxindegree",
    "maxindex",
    "maxneighbors",
    "maxoutdegree",
    "maxprocs",
    "n",
    "name_len",
    "ndims",
    "nedges",
    "neighbors",
    "newrank",
    "nkeys",
    "nneighbors",
    "nnodes",
    "npset_names",
    "num",
    "num_addresses",
    "num_cat",
    "num_categories",
    "num_cvar",
    "num_cvars",
    "num_datatypes",
    "num_elements",
    "num_events",
    "num_integers",
    "num_pvar",
    "num_pvars",
    "num_sources",
    "origin_count",
    "outcount",
    "outdegree",
    "outsize",
    "p",
    "partition",
    "partition_high",
    "partition_low",
    "partitions",
    "periods",
    "position",
    "pset_len",
    "pvar_index",
    "r",
    "ranges",
    "ranks",
    "rdispls",
    "readonly",
    "recvcount",
    "recvcounts",
    "remain_dims",
    "reorder",
    "result_count",
    "resultlen",
    "sdispls",
    "sendcount",
    "sendcounts",
    "size",
    "source_index",
    "sources",
    "sourceweights",
    "stride",
    "subversion",
    "target_count",
    "update_number",
    "value",
    "valuelen",
    "version",
    "weighted",
    "weights",
];

/// The conversion of a number that differs, by its name and whether the call writes it.
fn conversion(function: &str, name: &str, is_written: bool) -> Option<&'static str> {
    Some(match name {
        "dest" | "source" | "root" | "local_leader" | "remote_leader" | "target_rank"
        | "rank_source" | "rank_dest" | "ranks1" | "ranks2" => "rank",
        "rank" if !is_written => "rank",
        "tag" | "sendtag" | "recvtag" => "tag",
        "required" | "provided" => "thread",
        "errorcode" | "errorclass" | "error" if function != "MPI_Abort" => "code",
        "lock_type" => "lock",
        "order" => "order",
        "array_of_distribs" => "distribution",
        "array_of_dargs" => "darg",
        "split_type" => "split",
        "typeclass" => "typeclass",
        "whence" => "whence",
        "assert" | "amode" => "mode",
        "combiner" => "combiner",
        "result" => "comparison",
        "status" => "topology",
        "verbosity" => "verbosity",
        "bind" => "binding",
        "scope" => "scope",
        "var_class" => "variable",
        "ordering" => "source",
        _ if name.ends_with("keyval") => "keyval",
        _ => return None,
    })
}

/// How many elements an array has, as an expression of the function.
fn length(function: &str, name: &str) -> Option<&'static str> {
    Some(match (function, name) {
        (_, "array_of_distribs" | "array_of_dargs") => "length(ndims)",
        (_, "ranks1" | "ranks2") => "length(n)",
        ("MPI_Type_create_struct" | "MPI_Type_create_struct_c", "array_of_types") => {
            "length(count)"
        }
        ("MPI_Waitsome" | "MPI_Testsome" | "MPI_Request_get_status_some", _) => "length(incount)",
        (_, "array_of_requests" | "array_of_statuses" | "array_of_info") => "length(count)",
        // With MPI_IN_PLACE as its buffer, an argument is not significant and may be too short.
        (_, "sendtypes") if function.contains("eighbor") => "neighbours(comm).1",
        (_, "recvtypes") if function.contains("eighbor") => "neighbours(comm).0",
        (_, "sendtypes") => "if is_in_place(sendbuf) { 0 } else { peers(comm) }",
        (_, "recvtypes") => "peers(comm)",
        // The library has no events, and writes nothing there.
        ("MPI_T_event_get_info", "array_of_datatypes") => "0",
        _ => return None,
    })
}

/// Whether a call reads a handle that it is given by its address.
fn is_read(function: &str) -> bool {
    matches!(
        function.trim_end_matches("_c"),
        "MPI_Mrecv"
            | "MPI_Imrecv"
            | "MPI_Wait"
            | "MPI_Test"
            | "MPI_Start"
            | "MPI_Cancel"
            | "MPI_Type_commit"
            | "MPI_Comm_disconnect"
            | "MPI_File_close"
            | "MPI_Session_finalize"
            | "MPI_Errhandler_free"
            | "MPI_Parrived"
    ) || function.ends_with("_free")
}

/// What a parameter is; nothing if it fits no rule.
#[must_use]
pub fn kind(function: &Function, parameter: &Parameter) -> Option<Kind> {
    let Parameter::Named { is_const, base, stars, name, suffix } = parameter else { return None };
    let (base, name, of) = (base.as_str(), name.as_str(), function.name.as_str());
    let depth = stars + usize::from(!suffix.is_empty());
    let is_array = !suffix.is_empty() || name.starts_with("array_of");
    if HANDLES.contains(&base) {
        // Of a nonblocking receive of a message, the message is read and the request written.
        let is_read = is_read(of) && !(of.starts_with("MPI_Imrecv") && name == "request");
        return Some(match (depth, is_array, is_const) {
            (0, ..) => Kind::Handle,
            (1, false, _) if is_read => Kind::HandleInOut,
            (1, false, _) => Kind::HandleOut,
            (1, true, true) => Kind::HandlesIn(length(of, name)?),
            (1, true, false) => Kind::HandlesInOut(length(of, name)?),
            _ => return None,
        });
    }
    if matches!(base, "int" | "MPI_T_source_order") {
        return Some(match (depth, conversion(of, name, depth > 0 && !is_const)) {
            (_, None) if ALIKE.contains(&name) || is_alike(of, name) => Kind::Alike,
            (_, None) => return None,
            (0, Some(conversion)) => Kind::Number(conversion),
            (1, Some(conversion)) => match (suffix.as_str(), is_const) {
                ("[]", true) => Kind::NumbersIn(conversion, length(of, name)?),
                ("[]", false) => Kind::NumbersOut(conversion, length(of, name)?),
                _ if of.ends_with("free_keyval") || of == "MPI_Keyval_free" => {
                    Kind::NumberInOut(conversion)
                }
                _ => Kind::NumberOut(conversion),
            },
            _ => return None,
        });
    }
    Some(match (base, depth) {
        ("MPI_Status", 1) if is_array => Kind::StatusesOut(length(of, name)?),
        ("MPI_Status", 1) if *is_const => Kind::StatusIn,
        ("MPI_Status", 1) if of.starts_with("MPI_Status_set") => Kind::StatusInOut,
        ("MPI_Status", 1) => Kind::StatusOut,
        ("void", 1) => match name {
            "buf" | "buffer" | "sendbuf" | "recvbuf" | "inbuf" | "outbuf" | "inoutbuf"
            | "origin_addr" | "result_addr" | "compare_addr" => Kind::Buffer,
            "buffer_addr" => Kind::BufferOut,
            _ => Kind::Alike,
        },
        ("void" | "char" | "MPI_Aint" | "MPI_Count" | "MPI_Offset" | "double", _) => Kind::Alike,
        _ if base.starts_with("MPI_T_") || base.contains("_function") => Kind::Alike,
        _ => return None,
    })
}

/// Numbers that are alike in one function and not in all.
fn is_alike(function: &str, name: &str) -> bool {
    match name {
        // A rank of this group, or no rank at all, for which both have the same number.
        "rank" => true,
        // The status of the process.
        "errorcode" => function == "MPI_Abort",
        _ => false,
    }
}
