//! What MPI's standard binary interface fixes: types, constants, callbacks, and the prototypes of all functions.
//! Source: MPI 5.0, chapter *Application Binary Interface*, appendix A; names are the standard's.
//! Rules: nothing here acts; every constant stands once, and `include/mpi.h` is made from these tables.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

mod callbacks;
mod datatypes;
mod errors;
mod handles;
mod keys;
mod layout;
mod limits;
mod modes;
mod tables;
mod tool;

pub use callbacks::*;
pub use datatypes::*;
pub use errors::*;
pub use handles::*;
pub use keys::*;
pub use layout::*;
pub use limits::*;
pub use modes::*;
pub use tables::*;
pub use tool::*;

/// Every table of constants, in the order in which the header has them.
pub const TABLES: &[&Table] = &[
    &VERSIONS,
    &OPERATORS,
    &COMMUNICATORS,
    &GROUPS,
    &WINDOWS,
    &FILES,
    &SESSIONS,
    &MESSAGES,
    &INFOS,
    &ERROR_HANDLERS,
    &REQUESTS,
    &DATATYPES,
    &FORTRAN_STATUS,
    &ERROR_CLASSES,
    &TOOL_ERRORS,
    &LAST_ERROR,
    &BUFFER_ADDRESSES,
    &IGNORED_ARGUMENTS,
    &IGNORED_VECTORS,
    &IGNORED_CODES,
    &IGNORED_STATUSES,
    &IGNORED_WEIGHTS,
    &STRING_LIMITS,
    &BUFFER_LIMITS,
    &MODES,
    &WILDCARDS,
    &THREAD_LEVELS,
    &ARRAY_ORDERS,
    &COMBINERS,
    &TYPE_CLASSES,
    &COMPARISONS,
    &TOPOLOGIES,
    &SPLIT_TYPES,
    &LOCKS,
    &FILE_POSITIONS,
    &FILE_DISPLACEMENTS,
    &ATTRIBUTE_KEYS,
    &COPY_FUNCTIONS,
    &DELETE_FUNCTIONS,
    &COMM_COPY_FUNCTIONS,
    &COMM_DELETE_FUNCTIONS,
    &TYPE_COPY_FUNCTIONS,
    &TYPE_DELETE_FUNCTIONS,
    &WIN_COPY_FUNCTIONS,
    &WIN_DELETE_FUNCTIONS,
    &CONVERSION_FUNCTIONS,
    &CONVERSION_FUNCTIONS_C,
    &TOOL_ENUMS,
    &TOOL_CVARS,
    &TOOL_SESSIONS,
    &TOOL_PVARS,
    &TOOL_SAFETY,
    &TOOL_SOURCES,
    &TOOL_VERBOSITIES,
    &TOOL_BINDINGS,
    &TOOL_SCOPES,
    &TOOL_CLASSES,
];
