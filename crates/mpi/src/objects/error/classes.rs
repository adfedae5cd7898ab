//! What each error class of the standard says to a reader.
//! Rules: every class of the binary interface has a text of its own, which begins with its name, so that a log can
//! be searched for it (MPI 5.0, section 9.4).

use std::ffi::c_int;

use crate::abi::*;

/// Declares the texts of the classes.
macro_rules! texts {
    ($($class:ident $text:literal)+) => {
        /// The text of a class of the standard.
        pub fn class_text(class: c_int) -> Option<&'static str> {
            match class {
                $($class => Some(concat!(stringify!($class), ": ", $text)),)+
                _ => None,
            }
        }
    };
}

texts! {
    MPI_SUCCESS "no error"
    MPI_ERR_BUFFER "the buffer is not valid"
    MPI_ERR_COUNT "the count is not valid"
    MPI_ERR_TYPE "the datatype is not valid, or not committed"
    MPI_ERR_TAG "the tag is not valid"
    MPI_ERR_COMM "the communicator is not valid"
    MPI_ERR_RANK "the rank is out of range"
    MPI_ERR_REQUEST "the request is not valid"
    MPI_ERR_ROOT "the root is not valid"
    MPI_ERR_GROUP "the group is not valid"
    MPI_ERR_OP "the operator is not valid, or not defined for the datatype"
    MPI_ERR_TOPOLOGY "the communicator has no topology, or one of another kind"
    MPI_ERR_DIMS "the dimensions are not valid"
    MPI_ERR_ARG "an argument is not valid"
    MPI_ERR_UNKNOWN "unknown error"
    MPI_ERR_TRUNCATE "the message is longer than the room for it, and was cut"
    MPI_ERR_OTHER "an error of no other class"
    MPI_ERR_INTERN "an error inside of the library"
    MPI_ERR_PENDING "the operation is not complete yet"
    MPI_ERR_IN_STATUS "the statuses have an error each"
    MPI_ERR_ACCESS "permission denied"
    MPI_ERR_AMODE "the access mode is not valid"
    MPI_ERR_ASSERT "the assertion is not valid"
    MPI_ERR_BAD_FILE "the file's name is not valid"
    MPI_ERR_BASE "the base address is not valid"
    MPI_ERR_CONVERSION "a conversion of data failed"
    MPI_ERR_DISP "the displacement is not valid"
    MPI_ERR_DUP_DATAREP "the data representation is defined already"
    MPI_ERR_FILE_EXISTS "the file exists"
    MPI_ERR_FILE_IN_USE "the file is in use"
    MPI_ERR_FILE "the file is not valid"
    MPI_ERR_INFO_KEY "the key is empty or too long"
    MPI_ERR_INFO_NOKEY "the info object has no such key"
    MPI_ERR_INFO_VALUE "the value is too long"
    MPI_ERR_INFO "the info object is not valid"
    MPI_ERR_IO "input or output failed"
    MPI_ERR_KEYVAL "the keyval is not valid"
    MPI_ERR_LOCKTYPE "the kind of lock is not valid"
    MPI_ERR_NAME "the name of the service is not published"
    MPI_ERR_NO_MEM "there is no memory"
    MPI_ERR_NOT_SAME "the ranks gave different arguments"
    MPI_ERR_NO_SPACE "there is no space left on the device"
    MPI_ERR_NO_SUCH_FILE "there is no such file"
    MPI_ERR_PORT "the port's name is not valid"
    MPI_ERR_QUOTA "the quota is exceeded"
    MPI_ERR_READ_ONLY "the file or the file system can only be read"
    MPI_ERR_RMA_ATTACH "the memory cannot be attached"
    MPI_ERR_RMA_CONFLICT "accesses to the window are in conflict"
    MPI_ERR_RMA_RANGE "the target's memory is not part of the window"
    MPI_ERR_RMA_SHARED "the memory cannot be shared"
    MPI_ERR_RMA_SYNC "the window is not synchronized as the call needs it"
    MPI_ERR_SERVICE "the service cannot be looked up or published"
    MPI_ERR_SIZE "the size is not valid"
    MPI_ERR_SPAWN "the processes could not be started"
    MPI_ERR_UNSUPPORTED_DATAREP "the data representation is not supported"
    MPI_ERR_UNSUPPORTED_OPERATION "the operation is not supported"
    MPI_ERR_WIN "the window is not valid"
    MPI_ERR_RMA_FLAVOR "the window is of another flavor than the call needs"
    MPI_ERR_PROC_ABORTED "a process that the call needs has died or ended"
    MPI_ERR_VALUE_TOO_LARGE "the value is too large for the type of the result"
    MPI_ERR_SESSION "the session is not valid"
    MPI_ERR_ERRHANDLER "the error handler is not valid"
    MPI_ERR_ABI "the binary interface is not as the program expects"
    MPI_ERR_LASTCODE "the last error class of the standard"
    MPI_T_ERR_CANNOT_INIT "the tool interface cannot be initialized"
    MPI_T_ERR_NOT_ACCESSIBLE "the variable is not accessible"
    MPI_T_ERR_NOT_INITIALIZED "the tool interface is not initialized"
    MPI_T_ERR_NOT_SUPPORTED "the tool interface does not support this"
    MPI_T_ERR_MEMORY "there is no memory"
    MPI_T_ERR_INVALID "an argument is not valid"
    MPI_T_ERR_INVALID_INDEX "the index is out of range"
    MPI_T_ERR_INVALID_ITEM "the item is out of range"
    MPI_T_ERR_INVALID_SESSION "the session is not valid"
    MPI_T_ERR_INVALID_HANDLE "the handle is not valid"
    MPI_T_ERR_INVALID_NAME "there is no variable of this name"
    MPI_T_ERR_OUT_OF_HANDLES "there are no more handles"
    MPI_T_ERR_OUT_OF_SESSIONS "there are no more sessions"
    MPI_T_ERR_CVAR_SET_NOT_NOW "the variable cannot be set at this time"
    MPI_T_ERR_CVAR_SET_NEVER "the variable cannot be set"
    MPI_T_ERR_PVAR_NO_WRITE "the variable cannot be written or reset"
    MPI_T_ERR_PVAR_NO_STARTSTOP "the variable cannot be started or stopped"
    MPI_T_ERR_PVAR_NO_ATOMIC "the variable cannot be read and written at once"
}
