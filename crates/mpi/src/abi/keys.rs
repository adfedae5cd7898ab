//! The predefined attribute keys, and the numbers that stand for predefined functions of attributes.
//! Source: MPI 5.0, appendix A, tables of attribute keys and of predefined functions.
//! Rules: a predefined function is a number and no address, so it must be compared before it is called.

use super::tables::{integers, opaques};
use super::{Address, Form};
use std::ffi::c_int;

integers! {
    /// Predefined attribute keys
    ATTRIBUTE_KEYS: c_int, Form::Enum;
    MPI_KEYVAL_INVALID = 0,
    MPI_TAG_UB = 501,
    MPI_IO = 502,
    /// Deprecated since MPI 4.1.
    MPI_HOST = 503,
    MPI_WTIME_IS_GLOBAL = 504,
    MPI_APPNUM = 505,
    MPI_LASTUSEDCODE = 506,
    MPI_UNIVERSE_SIZE = 507,
    MPI_WIN_BASE = 601,
    MPI_WIN_DISP_UNIT = 602,
    MPI_WIN_SIZE = 603,
    MPI_WIN_CREATE_FLAVOR = 604,
    MPI_WIN_MODEL = 605,
}

opaques! {
    /// Copy functions of MPI 1, deprecated
    COPY_FUNCTIONS: Address, "MPI_Copy_function *";
    MPI_NULL_COPY_FN = 0, MPI_DUP_FN = 1,
}

opaques! {
    /// Delete functions of MPI 1, deprecated
    DELETE_FUNCTIONS: Address, "MPI_Delete_function *";
    MPI_NULL_DELETE_FN = 0,
}

opaques! {
    /// Copy functions of communicators
    COMM_COPY_FUNCTIONS: Address, "MPI_Comm_copy_attr_function *";
    MPI_COMM_NULL_COPY_FN = 0, MPI_COMM_DUP_FN = 1,
}

opaques! {
    /// Delete functions of communicators
    COMM_DELETE_FUNCTIONS: Address, "MPI_Comm_delete_attr_function *";
    MPI_COMM_NULL_DELETE_FN = 0,
}

opaques! {
    /// Copy functions of datatypes
    TYPE_COPY_FUNCTIONS: Address, "MPI_Type_copy_attr_function *";
    MPI_TYPE_NULL_COPY_FN = 0, MPI_TYPE_DUP_FN = 1,
}

opaques! {
    /// Delete functions of datatypes
    TYPE_DELETE_FUNCTIONS: Address, "MPI_Type_delete_attr_function *";
    MPI_TYPE_NULL_DELETE_FN = 0,
}

opaques! {
    /// Copy functions of windows
    WIN_COPY_FUNCTIONS: Address, "MPI_Win_copy_attr_function *";
    MPI_WIN_NULL_COPY_FN = 0, MPI_WIN_DUP_FN = 1,
}

opaques! {
    /// Delete functions of windows
    WIN_DELETE_FUNCTIONS: Address, "MPI_Win_delete_attr_function *";
    MPI_WIN_NULL_DELETE_FN = 0,
}

opaques! {
    /// Conversions of data representations that are none
    CONVERSION_FUNCTIONS: Address, "MPI_Datarep_conversion_function *";
    MPI_CONVERSION_FN_NULL = 0,
}

opaques! {
    /// Conversions of data representations that are none, with large counts
    CONVERSION_FUNCTIONS_C: Address, "MPI_Datarep_conversion_function_c *";
    MPI_CONVERSION_FN_NULL_C = 0,
}
