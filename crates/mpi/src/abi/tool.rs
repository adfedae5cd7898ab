//! Handles and constants of the tool information interface (`MPI_T`).
//! Source: MPI 5.0, chapter *Tool Support*, and appendix A.
//! Rules: handles are numbers as in `handles.rs`; all null handles of tools are 0.

use super::Form;
use super::tables::{integers, opaques};
use std::ffi::c_int;

/// Defines a handle of tools: as wide as a pointer.
macro_rules! tool_handles {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub usize);
    )+};
}

tool_handles! {
    /// An enumeration of values.
    MPI_T_enum,
    /// A control variable bound to an object.
    MPI_T_cvar_handle,
    /// A performance variable bound to an object.
    MPI_T_pvar_handle,
    /// A session of performance variables.
    MPI_T_pvar_session,
    /// A registration for events.
    MPI_T_event_registration,
    /// An event that occurred.
    MPI_T_event_instance,
}

/// What a callback of events may do.
pub type MPI_T_cb_safety = c_int;

/// Whether a source reports events in their order.
pub type MPI_T_source_order = c_int;

opaques! {
    /// Enumerations of tools
    TOOL_ENUMS: MPI_T_enum, "MPI_T_enum";
    MPI_T_ENUM_NULL = 0,
}

opaques! {
    /// Control variables
    TOOL_CVARS: MPI_T_cvar_handle, "MPI_T_cvar_handle";
    MPI_T_CVAR_HANDLE_NULL = 0,
}

opaques! {
    /// Sessions of performance variables
    TOOL_SESSIONS: MPI_T_pvar_session, "MPI_T_pvar_session";
    MPI_T_PVAR_SESSION_NULL = 0,
}

opaques! {
    /// Performance variables
    TOOL_PVARS: MPI_T_pvar_handle, "MPI_T_pvar_handle";
    MPI_T_PVAR_HANDLE_NULL = 0, MPI_T_PVAR_ALL_HANDLES = 1,
}

integers! {
    /// What a callback of events may do
    TOOL_SAFETY: c_int, Form::Named("MPI_T_cb_safety");
    MPI_T_CB_REQUIRE_NONE = 0x00,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED = 0x03,
    MPI_T_CB_REQUIRE_THREAD_SAFE = 0x0F,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 0x3F,
}

integers! {
    /// Whether a source reports events in their order
    TOOL_SOURCES: c_int, Form::Named("MPI_T_source_order");
    MPI_T_SOURCE_ORDERED = 1,
    MPI_T_SOURCE_UNORDERED = 2,
}

integers! {
    /// For whom a variable is
    TOOL_VERBOSITIES: c_int, Form::Enum;
    MPI_T_VERBOSITY_USER_BASIC = 0x09,
    MPI_T_VERBOSITY_USER_DETAIL = 0x0a,
    MPI_T_VERBOSITY_USER_ALL = 0x0c,
    MPI_T_VERBOSITY_TUNER_BASIC = 0x11,
    MPI_T_VERBOSITY_TUNER_DETAIL = 0x12,
    MPI_T_VERBOSITY_TUNER_ALL = 0x14,
    MPI_T_VERBOSITY_MPIDEV_BASIC = 0x21,
    MPI_T_VERBOSITY_MPIDEV_DETAIL = 0x22,
    MPI_T_VERBOSITY_MPIDEV_ALL = 0x24,
}

integers! {
    /// What a variable is bound to
    TOOL_BINDINGS: c_int, Form::Enum;
    MPI_T_BIND_NO_OBJECT = 1,
    MPI_T_BIND_MPI_COMM = 2,
    MPI_T_BIND_MPI_DATATYPE = 3,
    MPI_T_BIND_MPI_ERRHANDLER = 4,
    MPI_T_BIND_MPI_FILE = 5,
    MPI_T_BIND_MPI_GROUP = 6,
    MPI_T_BIND_MPI_OP = 7,
    MPI_T_BIND_MPI_REQUEST = 8,
    MPI_T_BIND_MPI_WIN = 9,
    MPI_T_BIND_MPI_MESSAGE = 10,
    MPI_T_BIND_MPI_INFO = 11,
    MPI_T_BIND_MPI_SESSION = 12,
}

integers! {
    /// Where a control variable must be changed alike
    TOOL_SCOPES: c_int, Form::Enum;
    MPI_T_SCOPE_CONSTANT = 1,
    MPI_T_SCOPE_READONLY = 2,
    MPI_T_SCOPE_LOCAL = 3,
    MPI_T_SCOPE_GROUP = 4,
    MPI_T_SCOPE_GROUP_EQ = 5,
    MPI_T_SCOPE_ALL = 6,
    MPI_T_SCOPE_ALL_EQ = 7,
}

integers! {
    /// Classes of performance variables
    TOOL_CLASSES: c_int, Form::Enum;
    MPI_T_PVAR_CLASS_STATE = 1,
    MPI_T_PVAR_CLASS_LEVEL = 2,
    MPI_T_PVAR_CLASS_SIZE = 3,
    MPI_T_PVAR_CLASS_PERCENTAGE = 4,
    MPI_T_PVAR_CLASS_HIGHWATERMARK = 5,
    MPI_T_PVAR_CLASS_LOWWATERMARK = 6,
    MPI_T_PVAR_CLASS_COUNTER = 7,
    MPI_T_PVAR_CLASS_AGGREGATE = 8,
    MPI_T_PVAR_CLASS_TIMER = 9,
    MPI_T_PVAR_CLASS_GENERIC = 10,
}
