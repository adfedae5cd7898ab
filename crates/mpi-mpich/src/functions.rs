//! All functions of MPI in MPICH's interface, each as `MPI_` and as `PMPI_`.
//! The build script writes them by the rules of `generate/kinds.rs`; what fits no rule follows here.
//! Rules: neither name calls the other, so a tool that stands between sees the program's calls alone.

#![allow(non_snake_case)]
#![allow(clippy::too_many_arguments, reason = "MPI's functions have as many")]

use crate::abi::*;
use crate::arrays::{Handles, Numbers, Statuses, convert_all, length};
use crate::face::border::locked;
use crate::face::library::LIBRARY;
use crate::handles::{Foreign, Place, Raw};
use crate::numbers::*;
use crate::statuses::{MpichStatus, StatusIn, StatusOut};
use crate::tables;
use std::ffi::{c_char, c_int, c_void};

/// Exports a function under both of its names. A panic ends the process here, since C knows no unwinding.
macro_rules! both {
    ($name:ident $p_name:ident($($argument:ident: $type:ty),* $(,)?) -> $returned:ty $body:block) => {
        crate::functions::both!(@one $name($($argument: $type),*) -> $returned $body);
        crate::functions::both!(@one $p_name($($argument: $type),*) -> $returned $body);
    };
    (@one $name:ident($($argument:ident: $type:ty),*) -> $returned:ty $body:block) => {
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, reason = "some call nothing that is unsafe")]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> $returned {
            // SAFETY: a program in C passes what MPI says of each argument.
            unsafe { $body }
        }
    };
}

pub(crate) use both;

/// A function of the library with C's types: its own are words of the same width that check what C passes.
macro_rules! called {
    ($path:path; fn($($type:ty),*) -> $returned:ty) => {
        std::mem::transmute::<*const (), unsafe extern "C" fn($($type),*) -> $returned>($path as *const ())
    };
}

/// Whether it is a communicator. A call that is given another refuses that itself, by its own name.
fn is_comm(comm: MPI_Comm) -> bool {
    locked(|| LIBRARY.comm(comm).is_ok())
}

/// How many ranks a communicator's collectives reach: its size, or that of the other side.
unsafe fn peers(comm: c_int) -> usize {
    let comm = MPI_Comm::from_raw(comm);
    if !is_comm(comm) {
        return 0;
    }
    let (mut size, mut between) = (0, 0);
    // SAFETY: the arguments are of the types that C has.
    let code = unsafe {
        match calls::MPI_Comm_test_inter(comm, &mut between) == MPI_SUCCESS && between != 0 {
            true => calls::MPI_Comm_remote_size(comm, &mut size),
            false => calls::MPI_Comm_size(comm, &mut size),
        }
    };
    if code == MPI_SUCCESS { length(size) } else { 0 }
}

/// How many neighbours a rank has in its communicator's topology: those that send to it, and those it sends to.
unsafe fn neighbours(comm: c_int) -> (usize, usize) {
    let comm = MPI_Comm::from_raw(comm);
    if !is_comm(comm) {
        return (0, 0);
    }
    let (mut kind, mut rank, mut dimensions) = (0, 0, 0);
    let (mut before, mut behind, mut weighted) = (0, 0, 0);
    // SAFETY: as in `peers`.
    let code = unsafe {
        match (calls::MPI_Topo_test(comm, &mut kind), kind) {
            (MPI_SUCCESS, MPI_CART) => {
                let code = calls::MPI_Cartdim_get(comm, &mut dimensions);
                (before, behind) = (2 * dimensions, 2 * dimensions);
                code
            }
            (MPI_SUCCESS, MPI_GRAPH) => {
                calls::MPI_Comm_rank(comm, &mut rank);
                let code = calls::MPI_Graph_neighbors_count(comm, rank, &mut before);
                behind = before;
                code
            }
            (MPI_SUCCESS, MPI_DIST_GRAPH) => {
                calls::MPI_Dist_graph_neighbors_count(comm, &mut before, &mut behind, &mut weighted)
            }
            _ => MPI_ERR_TOPOLOGY,
        }
    };
    if code == MPI_SUCCESS { (length(before), length(behind)) } else { (0, 0) }
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

// The library has the standard's interface by another name: this one is not it.
both! { MPI_Abi_get_version PMPI_Abi_get_version(abi_major: *mut c_int, abi_minor: *mut c_int) -> c_int {
    if abi_major.is_null() || abi_minor.is_null() {
        return tables::MPI_ERR_ARG as c_int;
    }
    (*abi_major, *abi_minor) = (-1, -1);
    MPI_SUCCESS
} }

both! { MPI_Aint_add PMPI_Aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint { base.wrapping_add(disp) } }

both! { MPI_Aint_diff PMPI_Aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint { addr1.wrapping_sub(addr2) } }

// What stands behind the level is for tools that define this function.
both! { MPI_Pcontrol PMPI_Pcontrol(level: c_int) -> c_int { code_out(calls::MPI_Pcontrol(level)) } }

// MPICH's programs have room for fewer characters than the standard's.
both! { MPI_Get_processor_name PMPI_Get_processor_name(name: *mut c_char, resultlen: *mut c_int) -> c_int {
    const ROOM: usize = tables::MPI_MAX_PROCESSOR_NAME as usize;
    let mut long = [0; MPI_MAX_PROCESSOR_NAME];
    let to = if name.is_null() { name } else { long.as_mut_ptr() };
    let code = calls::MPI_Get_processor_name(to, resultlen);
    if code == MPI_SUCCESS {
        let shown = length(*resultlen).min(ROOM - 1);
        long[shown] = 0;
        name.copy_from_nonoverlapping(long.as_ptr(), shown + 1);
        *resultlen = shown as c_int;
    }
    code_out(code)
} }

/// Makes the arguments that a datatype was made with MPICH's.
unsafe fn convert_contents(combiner: c_int, integers: *mut c_int, count: usize, is_large: bool) {
    // SAFETY: the library has written as many integers there.
    let integers = unsafe { std::slice::from_raw_parts_mut(integers, count) };
    match combiner {
        MPI_COMBINER_SUBARRAY | MPI_COMBINER_DARRAY => {
            if let Some(order) = integers.last_mut() {
                *order = order_out(*order);
            }
        }
        _ => return,
    }
    if combiner == MPI_COMBINER_DARRAY {
        // Size, rank and dimensions; then sizes, unless these are large counts; then distributions and arguments.
        let dimensions = length(integers[2]);
        let first = 3 + if is_large { 0 } else { dimensions };
        for at in first..first + dimensions {
            integers[at] = distribution_out(integers[at]);
            integers[at + dimensions] = darg_out(integers[at + dimensions]);
        }
    }
}

both! { MPI_Type_get_contents PMPI_Type_get_contents(
    datatype: c_int, max_integers: c_int, max_addresses: c_int, max_datatypes: c_int, integers: *mut c_int,
    addresses: *mut MPI_Aint, datatypes: *mut c_int,
) -> c_int {
    let of = MPI_Datatype::from_raw(datatype);
    let mut made = vec![MPI_DATATYPE_NULL; length(max_datatypes)];
    let to = if datatypes.is_null() { std::ptr::null_mut() } else { made.as_mut_ptr() };
    // It refuses what is wrong. The envelope, asked for first, would do that by another name.
    let code = calls::MPI_Type_get_contents(
        of, max_integers, max_addresses, max_datatypes, integers, addresses, to,
    );
    if code == MPI_SUCCESS {
        let (mut counts, mut combiner) = ([0; 3], 0);
        let [numbers, aints, types] = &mut counts;
        calls::MPI_Type_get_envelope(of, numbers, aints, types, &mut combiner);
        for (at, datatype) in made.iter().enumerate().take(length(counts[2])) {
            *datatypes.add(at) = datatype.to_raw();
        }
        if counts[0] > 0 {
            convert_contents(combiner, integers, length(counts[0]), false);
        }
    }
    code_out(code)
} }

both! { MPI_Type_get_contents_c PMPI_Type_get_contents_c(
    datatype: c_int, max_integers: MPI_Count, max_addresses: MPI_Count, max_large_counts: MPI_Count,
    max_datatypes: MPI_Count, integers: *mut c_int, addresses: *mut MPI_Aint, large_counts: *mut MPI_Count,
    datatypes: *mut c_int,
) -> c_int {
    let of = MPI_Datatype::from_raw(datatype);
    let mut made = vec![MPI_DATATYPE_NULL; length(max_datatypes)];
    let to = if datatypes.is_null() { std::ptr::null_mut() } else { made.as_mut_ptr() };
    let code = calls::MPI_Type_get_contents_c(
        of, max_integers, max_addresses, max_large_counts, max_datatypes, integers, addresses, large_counts, to,
    );
    if code == MPI_SUCCESS {
        let (mut counts, mut combiner) = ([0; 4], 0);
        let [numbers, aints, large, types] = &mut counts;
        calls::MPI_Type_get_envelope_c(of, numbers, aints, large, types, &mut combiner);
        for (at, datatype) in made.iter().enumerate().take(length(counts[3])) {
            *datatypes.add(at) = datatype.to_raw();
        }
        if counts[0] > 0 {
            convert_contents(combiner, integers, length(counts[0]), counts[2] > 0);
        }
    }
    code_out(code)
} }
