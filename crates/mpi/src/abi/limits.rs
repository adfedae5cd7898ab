//! Versions, special addresses that stand for a choice, limits of strings, and the wildcards of point-to-point.
//! Source: MPI 5.0, appendix A, tables of constants.
//! Rules: limits of strings count the terminating null, as in C.

use super::Form;
use super::tables::{integers, opaques};
use std::ffi::c_int;

integers! {
    /// Versions of the standard and of its binary interface
    VERSIONS: c_int, Form::Number;
    MPI_VERSION = 5, MPI_SUBVERSION = 0, MPI_ABI_VERSION = 1, MPI_ABI_SUBVERSION = 0,
}

/// An address that a program passes instead of a buffer's.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub usize);

impl Address {
    /// Whether a program passed this address.
    #[must_use]
    pub fn is<T: ?Sized>(self, pointer: *const T) -> bool {
        pointer.cast::<u8>().addr() == self.0
    }
}

opaques! {
    /// Addresses of buffers
    BUFFER_ADDRESSES: Address, "void *";
    MPI_BOTTOM = 0, MPI_IN_PLACE = 1, MPI_BUFFER_AUTOMATIC = 2,
}

opaques! {
    /// Arguments of programs to start that are none
    IGNORED_ARGUMENTS: Address, "char **";
    MPI_ARGV_NULL = 0,
}

opaques! {
    /// Arguments of several programs to start that are none
    IGNORED_VECTORS: Address, "char ***";
    MPI_ARGVS_NULL = 0,
}

opaques! {
    /// Error codes that nobody wants
    IGNORED_CODES: Address, "int *";
    MPI_ERRCODES_IGNORE = 0,
}

opaques! {
    /// Statuses that nobody wants
    IGNORED_STATUSES: Address, "MPI_Status *";
    MPI_STATUS_IGNORE = 0, MPI_STATUSES_IGNORE = 0,
}

opaques! {
    /// Weights of a distributed graph
    IGNORED_WEIGHTS: Address, "int *";
    MPI_UNWEIGHTED = 10, MPI_WEIGHTS_EMPTY = 11,
}

integers! {
    /// Limits of strings, with the terminating null
    STRING_LIMITS: usize, Form::Number;
    MPI_MAX_DATAREP_STRING = 128,
    MPI_MAX_ERROR_STRING = 512,
    MPI_MAX_INFO_KEY = 256,
    MPI_MAX_INFO_VAL = 1024,
    MPI_MAX_LIBRARY_VERSION_STRING = 8192,
    MPI_MAX_OBJECT_NAME = 128,
    MPI_MAX_PORT_NAME = 1024,
    MPI_MAX_PROCESSOR_NAME = 256,
    MPI_MAX_STRINGTAG_LEN = 1024,
    MPI_MAX_PSET_NAME_LEN = 1024,
}

integers! {
    /// What a buffered send needs beside its message, in bytes
    BUFFER_LIMITS: usize, Form::Number;
    MPI_BSEND_OVERHEAD = 512,
}

integers! {
    /// Wildcards and ranks that are none
    WILDCARDS: c_int, Form::Enum;
    MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_UNDEFINED = -32766,
}

integers! {
    /// A status as an array of Fortran's: its size, and the indices of its words from 0
    FORTRAN_STATUS: c_int, Form::Enum;
    MPI_F_STATUS_SIZE = 8, MPI_F_SOURCE = 0, MPI_F_TAG = 1, MPI_F_ERROR = 2,
}
