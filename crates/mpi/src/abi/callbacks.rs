//! The types of the functions that a program hands to the library.
//! Source: MPI 5.0, appendix A, section on prototype definitions.
//! Rules: each is an `Option`, as C passes a null pointer for "none"; predefined ones are numbers, see `keys.rs`.

use super::{
    MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_File, MPI_Offset, MPI_Session, MPI_Status,
    MPI_T_cb_safety, MPI_T_event_instance, MPI_T_event_registration, MPI_Win,
};
use std::ffi::{c_int, c_void};

/// A user's operator: `inout[i] = in[i] op inout[i]`.
pub type MPI_User_function =
    Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype)>;

/// A user's operator with a large count.
pub type MPI_User_function_c =
    Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype)>;

/// Fills the status of a generalized request.
pub type MPI_Grequest_query_function =
    Option<unsafe extern "C" fn(*mut c_void, *mut MPI_Status) -> c_int>;

/// Frees what a generalized request holds.
pub type MPI_Grequest_free_function = Option<unsafe extern "C" fn(*mut c_void) -> c_int>;

/// Cancels a generalized request.
pub type MPI_Grequest_cancel_function = Option<unsafe extern "C" fn(*mut c_void, c_int) -> c_int>;

/// Copies an attribute of a communicator: communicator, keyval, extra state, value, where the copy goes, flag.
pub type MPI_Comm_copy_attr_function = Option<
    unsafe extern "C" fn(
        MPI_Comm,
        c_int,
        *mut c_void,
        *mut c_void,
        *mut c_void,
        *mut c_int,
    ) -> c_int,
>;

/// Deletes an attribute of a communicator: communicator, keyval, value, extra state.
pub type MPI_Comm_delete_attr_function =
    Option<unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int>;

/// Copies an attribute of a datatype.
pub type MPI_Type_copy_attr_function = Option<
    unsafe extern "C" fn(
        MPI_Datatype,
        c_int,
        *mut c_void,
        *mut c_void,
        *mut c_void,
        *mut c_int,
    ) -> c_int,
>;

/// Deletes an attribute of a datatype.
pub type MPI_Type_delete_attr_function =
    Option<unsafe extern "C" fn(MPI_Datatype, c_int, *mut c_void, *mut c_void) -> c_int>;

/// Copies an attribute of a window.
pub type MPI_Win_copy_attr_function = Option<
    unsafe extern "C" fn(
        MPI_Win,
        c_int,
        *mut c_void,
        *mut c_void,
        *mut c_void,
        *mut c_int,
    ) -> c_int,
>;

/// Deletes an attribute of a window.
pub type MPI_Win_delete_attr_function =
    Option<unsafe extern "C" fn(MPI_Win, c_int, *mut c_void, *mut c_void) -> c_int>;

/// The deprecated name of a communicator's copy function.
pub type MPI_Copy_function = MPI_Comm_copy_attr_function;

/// The deprecated name of a communicator's delete function.
pub type MPI_Delete_function = MPI_Comm_delete_attr_function;

/// Says the extent of a datatype in a user's data representation.
pub type MPI_Datarep_extent_function =
    Option<unsafe extern "C" fn(MPI_Datatype, *mut MPI_Aint, *mut c_void) -> c_int>;

/// Converts between memory and a user's data representation.
pub type MPI_Datarep_conversion_function = Option<
    unsafe extern "C" fn(
        *mut c_void,
        MPI_Datatype,
        c_int,
        *mut c_void,
        MPI_Offset,
        *mut c_void,
    ) -> c_int,
>;

/// Converts between memory and a user's data representation, with a large count.
pub type MPI_Datarep_conversion_function_c = Option<
    unsafe extern "C" fn(
        *mut c_void,
        MPI_Datatype,
        MPI_Count,
        *mut c_void,
        MPI_Offset,
        *mut c_void,
    ) -> c_int,
>;

/// A communicator's error handler; the standard lets the library pass more, which handlers cannot rely on.
pub type MPI_Comm_errhandler_function =
    Option<unsafe extern "C" fn(*mut MPI_Comm, *mut c_int, ...)>;

/// A file's error handler.
pub type MPI_File_errhandler_function =
    Option<unsafe extern "C" fn(*mut MPI_File, *mut c_int, ...)>;

/// A window's error handler.
pub type MPI_Win_errhandler_function = Option<unsafe extern "C" fn(*mut MPI_Win, *mut c_int, ...)>;

/// A session's error handler.
pub type MPI_Session_errhandler_function =
    Option<unsafe extern "C" fn(*mut MPI_Session, *mut c_int, ...)>;

/// Called when an event occurs.
pub type MPI_T_event_cb_function = Option<
    unsafe extern "C" fn(
        MPI_T_event_instance,
        MPI_T_event_registration,
        MPI_T_cb_safety,
        *mut c_void,
    ),
>;

/// Called when a registration for events is freed.
pub type MPI_T_event_free_cb_function =
    Option<unsafe extern "C" fn(MPI_T_event_registration, MPI_T_cb_safety, *mut c_void)>;

/// Called when events were dropped.
pub type MPI_T_event_dropped_cb_function = Option<
    unsafe extern "C" fn(MPI_Count, MPI_T_event_registration, c_int, MPI_T_cb_safety, *mut c_void),
>;
