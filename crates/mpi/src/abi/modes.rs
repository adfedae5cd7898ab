//! Modes, thread levels, and the kinds of things that calls answer: combiners, comparisons, topologies, locks.
//! Source: MPI 5.0, appendix A, tables of constants.
//! Rules: modes are powers of two, thread levels grow; all else is told apart by its value alone.

use super::tables::integers;
use super::{Form, MPI_Offset};
use std::ffi::c_int;

integers! {
    /// Modes of files and assertions of windows, to be combined
    MODES: c_int, Form::Enum;
    MPI_MODE_APPEND = 1,
    MPI_MODE_CREATE = 2,
    MPI_MODE_DELETE_ON_CLOSE = 4,
    MPI_MODE_EXCL = 8,
    MPI_MODE_RDONLY = 16,
    MPI_MODE_RDWR = 32,
    MPI_MODE_SEQUENTIAL = 64,
    MPI_MODE_UNIQUE_OPEN = 128,
    MPI_MODE_WRONLY = 256,
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOPRECEDE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOSTORE = 8192,
    MPI_MODE_NOSUCCEED = 16384,
}

integers! {
    /// Thread support, each level more than the one before
    THREAD_LEVELS: c_int, Form::Enum;
    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_FUNNELED = 1024,
    MPI_THREAD_SERIALIZED = 2048,
    MPI_THREAD_MULTIPLE = 4096,
}

integers! {
    /// Orders and distributions of arrays
    ARRAY_ORDERS: c_int, Form::Enum;
    MPI_ORDER_C = 0xC,
    MPI_ORDER_FORTRAN = 0xF,
    MPI_DISTRIBUTE_NONE = 16,
    MPI_DISTRIBUTE_BLOCK = 17,
    MPI_DISTRIBUTE_CYCLIC = 18,
    MPI_DISTRIBUTE_DFLT_DARG = 19,
}

integers! {
    /// Combiners of datatypes
    COMBINERS: c_int, Form::Enum;
    MPI_COMBINER_NAMED = 101,
    MPI_COMBINER_DUP = 102,
    MPI_COMBINER_CONTIGUOUS = 103,
    MPI_COMBINER_VECTOR = 104,
    MPI_COMBINER_HVECTOR = 105,
    MPI_COMBINER_INDEXED = 106,
    MPI_COMBINER_HINDEXED = 107,
    MPI_COMBINER_INDEXED_BLOCK = 108,
    MPI_COMBINER_HINDEXED_BLOCK = 109,
    MPI_COMBINER_STRUCT = 110,
    MPI_COMBINER_SUBARRAY = 111,
    MPI_COMBINER_DARRAY = 112,
    MPI_COMBINER_F90_REAL = 113,
    MPI_COMBINER_F90_COMPLEX = 114,
    MPI_COMBINER_F90_INTEGER = 115,
    MPI_COMBINER_RESIZED = 116,
    MPI_COMBINER_VALUE_INDEX = 117,
}

integers! {
    /// Classes of Fortran datatypes
    TYPE_CLASSES: c_int, Form::Enum;
    MPI_TYPECLASS_INTEGER = 192,
    MPI_TYPECLASS_REAL = 193,
    MPI_TYPECLASS_COMPLEX = 194,
}

integers! {
    /// Results of comparing communicators and groups
    COMPARISONS: c_int, Form::Enum;
    MPI_IDENT = 201,
    MPI_CONGRUENT = 202,
    MPI_SIMILAR = 203,
    MPI_UNEQUAL = 204,
}

integers! {
    /// Virtual topologies
    TOPOLOGIES: c_int, Form::Enum;
    MPI_CART = 211,
    MPI_GRAPH = 212,
    MPI_DIST_GRAPH = 213,
}

integers! {
    /// How `MPI_Comm_split_type` splits
    SPLIT_TYPES: c_int, Form::Enum;
    MPI_COMM_TYPE_SHARED = 221,
    MPI_COMM_TYPE_HW_UNGUIDED = 222,
    MPI_COMM_TYPE_HW_GUIDED = 223,
    MPI_COMM_TYPE_RESOURCE_GUIDED = 224,
}

integers! {
    /// Locks, flavors and memory models of windows
    LOCKS: c_int, Form::Enum;
    MPI_LOCK_EXCLUSIVE = 301,
    MPI_LOCK_SHARED = 302,
    MPI_WIN_FLAVOR_CREATE = 311,
    MPI_WIN_FLAVOR_ALLOCATE = 312,
    MPI_WIN_FLAVOR_DYNAMIC = 313,
    MPI_WIN_FLAVOR_SHARED = 314,
    MPI_WIN_UNIFIED = 321,
    MPI_WIN_SEPARATE = 322,
}

integers! {
    /// Where a file position counts from
    FILE_POSITIONS: c_int, Form::Enum;
    MPI_SEEK_CUR = 401,
    MPI_SEEK_END = 402,
    MPI_SEEK_SET = 403,
}

integers! {
    /// A displacement of files
    FILE_DISPLACEMENTS: MPI_Offset, Form::Cast("MPI_Offset");
    MPI_DISPLACEMENT_CURRENT = -1,
}
