//! What MPICH exports beside MPI's functions: conversions for Fortran, functions of MPI 1, variables, and extensions.
//! Source: MPICH's `mpi.h` and `mpi_proto.h`, and the names that programs and mpi4py's module link.
//! Rules: an extension that does not work says so by its error code, as MPICH's without a device does.

#![allow(non_snake_case, non_upper_case_globals)]

use crate::abi::*;
use crate::functions::{both, *};
use crate::statuses::MpichStatus;
use crate::tables;
use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicPtr;

/// Defines the conversions of a handle: an integer is the same number in all languages.
macro_rules! conversions {
    ($($to_fortran:ident $p_to_fortran:ident $from_fortran:ident $p_from_fortran:ident
       $to:ident $p_to:ident $from:ident $p_from:ident;)+) => {$(
        both! { $to_fortran $p_to_fortran(handle: c_int) -> c_int { handle } }
        both! { $from_fortran $p_from_fortran(handle: c_int) -> c_int { handle } }
        both! { $to $p_to(handle: c_int) -> c_int { handle } }
        both! { $from $p_from(handle: c_int) -> c_int { handle } }
    )+};
}

conversions! {
    MPI_Comm_c2f PMPI_Comm_c2f MPI_Comm_f2c PMPI_Comm_f2c
        MPI_Comm_toint PMPI_Comm_toint MPI_Comm_fromint PMPI_Comm_fromint;
    MPI_Errhandler_c2f PMPI_Errhandler_c2f MPI_Errhandler_f2c PMPI_Errhandler_f2c
        MPI_Errhandler_toint PMPI_Errhandler_toint MPI_Errhandler_fromint PMPI_Errhandler_fromint;
    MPI_Group_c2f PMPI_Group_c2f MPI_Group_f2c PMPI_Group_f2c
        MPI_Group_toint PMPI_Group_toint MPI_Group_fromint PMPI_Group_fromint;
    MPI_Info_c2f PMPI_Info_c2f MPI_Info_f2c PMPI_Info_f2c
        MPI_Info_toint PMPI_Info_toint MPI_Info_fromint PMPI_Info_fromint;
    MPI_Message_c2f PMPI_Message_c2f MPI_Message_f2c PMPI_Message_f2c
        MPI_Message_toint PMPI_Message_toint MPI_Message_fromint PMPI_Message_fromint;
    MPI_Op_c2f PMPI_Op_c2f MPI_Op_f2c PMPI_Op_f2c MPI_Op_toint PMPI_Op_toint MPI_Op_fromint PMPI_Op_fromint;
    MPI_Request_c2f PMPI_Request_c2f MPI_Request_f2c PMPI_Request_f2c
        MPI_Request_toint PMPI_Request_toint MPI_Request_fromint PMPI_Request_fromint;
    MPI_Session_c2f PMPI_Session_c2f MPI_Session_f2c PMPI_Session_f2c
        MPI_Session_toint PMPI_Session_toint MPI_Session_fromint PMPI_Session_fromint;
    MPI_Type_c2f PMPI_Type_c2f MPI_Type_f2c PMPI_Type_f2c
        MPI_Type_toint PMPI_Type_toint MPI_Type_fromint PMPI_Type_fromint;
    MPI_Win_c2f PMPI_Win_c2f MPI_Win_f2c PMPI_Win_f2c MPI_Win_toint PMPI_Win_toint MPI_Win_fromint PMPI_Win_fromint;
}

// Files are pointers, and there are none.
both! { MPI_File_c2f PMPI_File_c2f(_file: usize) -> c_int { 0 } }
both! { MPI_File_f2c PMPI_File_f2c(_file: c_int) -> usize { 0 } }
both! { MPI_File_toint PMPI_File_toint(_file: usize) -> c_int { 0 } }
both! { MPI_File_fromint PMPI_File_fromint(_file: c_int) -> usize { 0 } }

/// Defines the conversions of a status, which is the same words in all languages.
macro_rules! statuses {
    ($($name:ident $p_name:ident)+) => {$(
        both! { $name $p_name(from: *const MpichStatus, to: *mut MpichStatus) -> c_int {
            if from.is_null() || to.is_null() {
                return tables::MPI_ERR_ARG as c_int;
            }
            *to = *from;
            MPI_SUCCESS
        } }
    )+};
}

statuses! {
    MPI_Status_c2f PMPI_Status_c2f MPI_Status_f2c PMPI_Status_f2c
    MPI_Status_c2f08 PMPI_Status_c2f08 MPI_Status_f082c PMPI_Status_f082c
    MPI_Status_f2f08 PMPI_Status_f2f08 MPI_Status_f082f PMPI_Status_f082f
}

/// What Fortran's MPI_STATUS_IGNORE is, for the addresses below.
static NO_STATUS: [c_int; tables::MPI_F_STATUS_SIZE as usize] = [0; 5];

/// Defines the addresses of what Fortran has for "no status". MPICH's Fortran library writes them when it begins.
macro_rules! addresses {
    ($($name:ident)+) => {$(
        #[unsafe(no_mangle)]
        pub(crate) static $name: AtomicPtr<c_int> = AtomicPtr::new((&raw const NO_STATUS).cast_mut().cast());
    )+};
}

addresses! { MPI_F_STATUS_IGNORE MPI_F_STATUSES_IGNORE MPI_F08_STATUS_IGNORE MPI_F08_STATUSES_IGNORE }

// In MPICH's interface these are variables, so they may have the standard's values.
#[unsafe(no_mangle)]
pub(crate) static MPI_UNWEIGHTED: usize = crate::abi::MPI_UNWEIGHTED.0;
#[unsafe(no_mangle)]
pub(crate) static MPI_WEIGHTS_EMPTY: usize = crate::abi::MPI_WEIGHTS_EMPTY.0;
#[unsafe(no_mangle)]
pub(crate) static MPI_T_PVAR_ALL_HANDLES: usize = crate::abi::MPI_T_PVAR_ALL_HANDLES.0;

/// Copies an attribute as it is: the value of MPI_DUP_FN, which programs pass and may call.
///
/// # Safety
///
/// `copied` is where a pointer goes, and `flag` where a number goes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn MPIR_Dup_fn(
    _object: c_int,
    _keyval: c_int,
    _extra_state: *mut c_void,
    value: *mut c_void,
    copied: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the caller vouches for both.
    unsafe {
        *copied.cast::<*mut c_void>() = value;
        *flag = 1;
    }
    MPI_SUCCESS
}

// Functions of MPI 1 that MPI 3.0 has removed.

both! { MPI_Address PMPI_Address(location: *mut c_void, address: *mut MPI_Aint) -> c_int {
    PMPI_Get_address(location, address)
} }
both! { MPI_Errhandler_create PMPI_Errhandler_create(
    function: MPI_Comm_errhandler_function, errhandler: *mut c_int,
) -> c_int {
    PMPI_Comm_create_errhandler(function, errhandler)
} }
both! { MPI_Errhandler_get PMPI_Errhandler_get(comm: c_int, errhandler: *mut c_int) -> c_int {
    PMPI_Comm_get_errhandler(comm, errhandler)
} }
both! { MPI_Errhandler_set PMPI_Errhandler_set(comm: c_int, errhandler: c_int) -> c_int {
    PMPI_Comm_set_errhandler(comm, errhandler)
} }
both! { MPI_Type_extent PMPI_Type_extent(datatype: c_int, extent: *mut MPI_Aint) -> c_int {
    let mut lower = 0;
    PMPI_Type_get_extent(datatype, &mut lower, extent)
} }
both! { MPI_Type_lb PMPI_Type_lb(datatype: c_int, lower: *mut MPI_Aint) -> c_int {
    let mut extent = 0;
    PMPI_Type_get_extent(datatype, lower, &mut extent)
} }
both! { MPI_Type_ub PMPI_Type_ub(datatype: c_int, upper: *mut MPI_Aint) -> c_int {
    let (mut lower, mut extent) = (0, 0);
    let code = PMPI_Type_get_extent(datatype, &mut lower, &mut extent);
    if code == MPI_SUCCESS && !upper.is_null() {
        *upper = lower + extent;
    }
    code
} }
both! { MPI_Type_hindexed PMPI_Type_hindexed(
    count: c_int, lengths: *const c_int, displacements: *const MPI_Aint, oldtype: c_int, newtype: *mut c_int,
) -> c_int {
    PMPI_Type_create_hindexed(count, lengths, displacements, oldtype, newtype)
} }
both! { MPI_Type_hvector PMPI_Type_hvector(
    count: c_int, length: c_int, stride: MPI_Aint, oldtype: c_int, newtype: *mut c_int,
) -> c_int {
    PMPI_Type_create_hvector(count, length, stride, oldtype, newtype)
} }
both! { MPI_Type_struct PMPI_Type_struct(
    count: c_int, lengths: *const c_int, displacements: *const MPI_Aint, types: *const c_int, newtype: *mut c_int,
) -> c_int {
    PMPI_Type_create_struct(count, lengths, displacements, types, newtype)
} }

// Extensions. No device has memory of its own here, and a communicator that has lost a rank cannot be repaired.

both! { MPIX_Query_cuda_support PMPIX_Query_cuda_support() -> c_int { 0 } }
both! { MPIX_Query_hip_support PMPIX_Query_hip_support() -> c_int { 0 } }
both! { MPIX_Query_ze_support PMPIX_Query_ze_support() -> c_int { 0 } }
both! { MPIX_GPU_query_support PMPIX_GPU_query_support(_device: c_int, is_supported: *mut c_int) -> c_int {
    if is_supported.is_null() {
        return tables::MPI_ERR_ARG as c_int;
    }
    *is_supported = 0;
    MPI_SUCCESS
} }
both! { MPIX_Delete_error_class PMPIX_Delete_error_class(class: c_int) -> c_int { PMPI_Remove_error_class(class) } }
both! { MPIX_Delete_error_code PMPIX_Delete_error_code(code: c_int) -> c_int { PMPI_Remove_error_code(code) } }
both! { MPIX_Delete_error_string PMPIX_Delete_error_string(code: c_int) -> c_int { PMPI_Remove_error_string(code) } }

/// Defines extensions that do not work: the error goes to the communicator's handler.
macro_rules! refused {
    ($($name:ident $p_name:ident($comm:ident, $($argument:ident: $type:ty),*);)+) => {$(
        both! { $name $p_name($comm: c_int, $($argument: $type),*) -> c_int {
            let class = tables::MPI_ERR_UNSUPPORTED_OPERATION as c_int;
            PMPI_Comm_call_errhandler($comm, class);
            class
        } }
    )+};
}

refused! {
    MPIX_Comm_agree PMPIX_Comm_agree(comm, _flag: *mut c_int);
    MPIX_Comm_failure_ack PMPIX_Comm_failure_ack(comm,);
    MPIX_Comm_failure_get_acked PMPIX_Comm_failure_get_acked(comm, _failed: *mut c_int);
    MPIX_Comm_revoke PMPIX_Comm_revoke(comm,);
    MPIX_Comm_shrink PMPIX_Comm_shrink(comm, _newcomm: *mut c_int);
}
