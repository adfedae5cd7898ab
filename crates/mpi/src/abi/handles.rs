//! Handles: opaque pointers in C, here the numbers that these pointers are, and the predefined ones of each kind.
//! Source: MPI 5.0, appendix A, tables of predefined handles; datatypes stand in `datatypes.rs`.
//! Rules: a handle is never followed as a pointer, so a wrong one is an error and never an access.

use super::tables::opaques;
use std::mem::{align_of, size_of};

/// The largest value that the standard reserves for predefined handles; other handles lie above.
pub const LAST_PREDEFINED_HANDLE: usize = 4095;

/// Defines a handle type: as wide as a pointer, so it travels as C passes one.
macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);

        impl $name {
            /// Whether the value lies where the standard has its predefined handles.
            #[must_use]
            pub const fn is_predefined(self) -> bool {
                self.0 <= LAST_PREDEFINED_HANDLE
            }
        }

        const _: () = assert!(
            size_of::<$name>() == size_of::<*mut u8>() && align_of::<$name>() == align_of::<*mut u8>()
        );
    )+};
}

handles! {
    /// An operator of reductions.
    MPI_Op,
    /// A communicator.
    MPI_Comm,
    /// A group of processes.
    MPI_Group,
    /// A window of memory for one-sided communication.
    MPI_Win,
    /// An open file.
    MPI_File,
    /// A session.
    MPI_Session,
    /// A message that a matching probe has taken.
    MPI_Message,
    /// A set of keys with values.
    MPI_Info,
    /// An error handler.
    MPI_Errhandler,
    /// An operation under way, or a persistent one.
    MPI_Request,
    /// A datatype.
    MPI_Datatype,
}

opaques! {
    /// Operators
    OPERATORS: MPI_Op, "MPI_Op";
    MPI_OP_NULL = 0x20, MPI_SUM = 0x21, MPI_MIN = 0x22, MPI_MAX = 0x23, MPI_PROD = 0x24,
    MPI_BAND = 0x28, MPI_BOR = 0x29, MPI_BXOR = 0x2a,
    MPI_LAND = 0x30, MPI_LOR = 0x31, MPI_LXOR = 0x32,
    MPI_MINLOC = 0x38, MPI_MAXLOC = 0x39, MPI_REPLACE = 0x3c, MPI_NO_OP = 0x3d,
}

opaques! {
    /// Communicators
    COMMUNICATORS: MPI_Comm, "MPI_Comm";
    MPI_COMM_NULL = 0x100, MPI_COMM_WORLD = 0x101, MPI_COMM_SELF = 0x102,
}

opaques! {
    /// Groups
    GROUPS: MPI_Group, "MPI_Group";
    MPI_GROUP_NULL = 0x108, MPI_GROUP_EMPTY = 0x109,
}

opaques! {
    /// Windows
    WINDOWS: MPI_Win, "MPI_Win";
    MPI_WIN_NULL = 0x110,
}

opaques! {
    /// Files
    FILES: MPI_File, "MPI_File";
    MPI_FILE_NULL = 0x118,
}

opaques! {
    /// Sessions
    SESSIONS: MPI_Session, "MPI_Session";
    MPI_SESSION_NULL = 0x120,
}

opaques! {
    /// Messages
    MESSAGES: MPI_Message, "MPI_Message";
    MPI_MESSAGE_NULL = 0x128, MPI_MESSAGE_NO_PROC = 0x129,
}

opaques! {
    /// Info objects
    INFOS: MPI_Info, "MPI_Info";
    MPI_INFO_NULL = 0x130, MPI_INFO_ENV = 0x131,
}

opaques! {
    /// Error handlers
    ERROR_HANDLERS: MPI_Errhandler, "MPI_Errhandler";
    MPI_ERRHANDLER_NULL = 0x140, MPI_ERRORS_ARE_FATAL = 0x141, MPI_ERRORS_ABORT = 0x142, MPI_ERRORS_RETURN = 0x143,
}

opaques! {
    /// Requests
    REQUESTS: MPI_Request, "MPI_Request";
    MPI_REQUEST_NULL = 0x180,
}
