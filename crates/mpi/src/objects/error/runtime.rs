//! The error classes of what goes wrong in the runtime.
//! Rules: a peer that has died or ended is `MPI_ERR_PROC_ABORTED`, the class that the binary interface has for it;
//! what the program cannot have caused, such as a frame that nobody sends, is `MPI_ERR_INTERN`.

use std::ffi::c_int;

use runahead::{Error, MessageError};

use crate::abi::{
    MPI_ERR_ARG, MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_GROUP, MPI_ERR_INTERN, MPI_ERR_NO_MEM,
    MPI_ERR_NOT_SAME, MPI_ERR_OTHER, MPI_ERR_PENDING, MPI_ERR_PROC_ABORTED, MPI_ERR_RANK,
    MPI_ERR_TAG, MPI_ERR_TRUNCATE,
};

/// The class of an error of the runtime's.
pub fn class_of(error: &Error) -> c_int {
    match error.cause() {
        Error::RankOutOfRange { .. } => MPI_ERR_RANK,
        Error::TagOutOfRange { .. } => MPI_ERR_TAG,
        Error::ElementSize { .. } => MPI_ERR_COUNT,
        Error::Truncated { .. } => MPI_ERR_TRUNCATE,
        Error::Message(error) => class_of_message(error),
        Error::Group(_) => MPI_ERR_GROUP,
        Error::Ended | Error::NotTheWorld => MPI_ERR_COMM,
        Error::Collective(runahead::CollectiveError::Mismatch { .. }) => MPI_ERR_NOT_SAME,
        Error::Collective(_) => MPI_ERR_COUNT,
        Error::Option(_) => MPI_ERR_ARG,
        Error::Panicked { .. }
        | Error::Killed { .. }
        | Error::Exited { .. }
        | Error::Unreachable { .. }
        | Error::Reported { culprit: Some(_), .. } => MPI_ERR_PROC_ABORTED,
        _ => MPI_ERR_OTHER,
    }
}

fn class_of_message(error: &MessageError) -> c_int {
    match error {
        MessageError::PeerEnded { .. }
        | MessageError::EndedBeforeBarrier { .. }
        | MessageError::PeerLost { .. } => MPI_ERR_PROC_ABORTED,
        MessageError::Protocol { .. } | MessageError::Post(_) => MPI_ERR_INTERN,
        MessageError::TooLarge { .. } => MPI_ERR_COUNT,
        MessageError::OutOfMemory { .. } => MPI_ERR_NO_MEM,
        MessageError::BarrierTimeout { .. } => MPI_ERR_PENDING,
        MessageError::Group(_) => MPI_ERR_GROUP,
        _ => MPI_ERR_OTHER,
    }
}
