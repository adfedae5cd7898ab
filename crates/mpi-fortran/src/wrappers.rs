//! MPI's C functions, and a wrapper of each for Fortran.
//! The build script writes both from the table of prototypes, by the rules in `generate/kinds.rs`.
//! Rules: a wrapper calls C by its public name, so that a tool may stand between.

use crate::abi::*;
use crate::arguments::*;
use crate::special::*;
use std::ffi::{c_char, c_int, c_void};

/// Defines the conversions of handles. The number of a predefined handle is the same in both languages (MPI 5.0, section
/// on handle conversion), so only others are asked of the library.
macro_rules! conversions {
    ($($handle:ident: $to:ident, $from:ident;)+) => {$(
        #[allow(non_snake_case)]
        #[inline]
        pub(crate) fn $to(handle: $handle) -> c_int {
            // SAFETY: MPI's function of this name has this type, and takes any value.
            unsafe extern "C" {
                safe fn $to(handle: $handle) -> c_int;
            }
            if handle.is_predefined() { handle.0 as c_int } else { $to(handle) }
        }

        #[allow(non_snake_case)]
        #[inline]
        pub(crate) fn $from(integer: c_int) -> $handle {
            // SAFETY: MPI's function of this name has this type, and takes any value.
            unsafe extern "C" {
                safe fn $from(integer: c_int) -> $handle;
            }
            match usize::try_from(integer) {
                Ok(value) if $handle(value).is_predefined() => $handle(value),
                _ => $from(integer),
            }
        }
    )+};
}

conversions! {
    MPI_Comm: MPI_Comm_toint, MPI_Comm_fromint;
    MPI_Datatype: MPI_Type_toint, MPI_Type_fromint;
    MPI_Errhandler: MPI_Errhandler_toint, MPI_Errhandler_fromint;
    MPI_File: MPI_File_toint, MPI_File_fromint;
    MPI_Group: MPI_Group_toint, MPI_Group_fromint;
    MPI_Info: MPI_Info_toint, MPI_Info_fromint;
    MPI_Message: MPI_Message_toint, MPI_Message_fromint;
    MPI_Op: MPI_Op_toint, MPI_Op_fromint;
    MPI_Request: MPI_Request_toint, MPI_Request_fromint;
    MPI_Session: MPI_Session_toint, MPI_Session_fromint;
    MPI_Win: MPI_Win_toint, MPI_Win_fromint;
}

/// How many ranks a communicator's collectives reach: its size, or that of the other side.
///
/// # Safety
///
/// MPI is initialised.
unsafe fn peers(comm: *const c_int) -> usize {
    let mut size: c_int = 0;
    let mut between: c_int = 0;
    // SAFETY: the arguments are of the types that C has; a wrong handle is the next call's matter.
    unsafe {
        let comm = MPI_Comm_fromint(*comm);
        let of = match MPI_Comm_test_inter(comm, &mut between) == MPI_SUCCESS && between != 0 {
            true => MPI_Comm_remote_size(comm, &mut size),
            false => MPI_Comm_size(comm, &mut size),
        };
        if of == MPI_SUCCESS { to_length(&size) } else { 0 }
    }
}

/// How many dimensions a communicator's Cartesian topology has.
///
/// # Safety
///
/// MPI is initialised.
unsafe fn dimensions(comm: *const c_int) -> usize {
    let mut dimensions: c_int = 0;
    // SAFETY: as in `peers`.
    match unsafe { MPI_Cartdim_get(MPI_Comm_fromint(*comm), &mut dimensions) } {
        MPI_SUCCESS => usize::try_from(dimensions).unwrap_or(0),
        _ => 0,
    }
}

/// How many neighbours a rank has in its communicator's topology: those that send to it, and those it sends to.
///
/// # Safety
///
/// MPI is initialised.
unsafe fn neighbours(comm: *const c_int) -> (usize, usize) {
    let (mut kind, mut rank, mut in_degree, mut out_degree, mut weighted) = (0, 0, 0, 0, 0);
    // SAFETY: as in `peers`.
    unsafe {
        let of = MPI_Comm_fromint(*comm);
        if MPI_Topo_test(of, &mut kind) != MPI_SUCCESS {
            return (0, 0);
        }
        let known = match kind {
            MPI_CART => {
                in_degree = 2 * c_int::try_from(dimensions(comm)).unwrap_or(0);
                out_degree = in_degree;
                MPI_SUCCESS
            }
            MPI_GRAPH if MPI_Comm_rank(of, &mut rank) == MPI_SUCCESS => {
                let code = MPI_Graph_neighbors_count(of, rank, &mut in_degree);
                out_degree = in_degree;
                code
            }
            MPI_DIST_GRAPH => {
                MPI_Dist_graph_neighbors_count(of, &mut in_degree, &mut out_degree, &mut weighted)
            }
            _ => MPI_ERR_TOPOLOGY,
        };
        if known == MPI_SUCCESS { (to_length(&in_degree), to_length(&out_degree)) } else { (0, 0) }
    }
}

include!(concat!(env!("OUT_DIR"), "/wrappers.rs"));
