//! What can be wrong with the arguments of datatype functions, and which error class each case has.
//!
//! MPI 5.0, section 9.4 *Error Codes and Classes*; the values are those of chapter 20.

use thiserror::Error;

use crate::abi;

/// What is wrong with a call on datatypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TypeError {
    /// A count is negative.
    #[error("{argument} is {value}: expected zero or more")]
    NegativeCount {
        /// The argument's name in the standard.
        argument: &'static str,
        /// What was given.
        value: i64,
    },
    /// A block length, a size or another number is outside of what it may be.
    #[error("{argument} is {value}: expected {expected}")]
    Argument {
        /// The argument's name in the standard.
        argument: &'static str,
        /// What was given.
        value: i64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Arrays that belong together differ in length.
    #[error("{argument} has {length} entries: expected {expected}")]
    Length {
        /// The argument's name in the standard.
        argument: &'static str,
        /// How many were given.
        length: usize,
        /// How many were expected.
        expected: usize,
    },
    /// A size, an extent or a bound of the datatype does not fit in 64 bits.
    #[error("the {what} of the datatype exceeds 64 bits")]
    TooLarge {
        /// Which property it is.
        what: &'static str,
    },
    /// Derived datatypes are nested too deeply.
    #[error("datatypes are nested more than {limit} deep")]
    TooDeep {
        /// The most levels.
        limit: u16,
    },
    /// The datatype is used before it was committed.
    #[error("the datatype is not committed")]
    NotCommitted,
    /// A predefined datatype has no contents, and cannot be freed.
    #[error("the datatype is predefined")]
    Predefined,
    /// The datatype was made with large counts, and the caller asks for them as `int`s.
    #[error("the datatype was made with large counts: ask with the large-count function")]
    LargeCounts,
    /// The packed data does not fit in the buffer that is there.
    #[error("{needed} bytes are packed, and the buffer has room for {room}")]
    Room {
        /// The bytes of the packed data.
        needed: usize,
        /// The bytes that are left in the buffer.
        room: usize,
    },
    /// The packed data ends before the datatype does.
    #[error("the datatype takes {needed} bytes, and {present} are left of the packed data")]
    Truncated {
        /// The bytes that count and datatype ask for.
        needed: usize,
        /// The bytes that there are.
        present: usize,
    },
    /// The value cannot be told in the external representation, or the element has none.
    #[error("{name} has no external32 representation here")]
    External {
        /// The name of the element's datatype.
        name: &'static str,
    },
    /// No predefined datatype has what was asked for.
    #[error("no predefined datatype has {what} {value}")]
    NoMatch {
        /// The property.
        what: &'static str,
        /// Its value.
        value: i64,
    },
}

impl TypeError {
    /// The error class of the standard.
    pub const fn class(&self) -> i32 {
        match self {
            Self::NegativeCount { .. } => abi::MPI_ERR_COUNT,
            Self::Argument { .. } | Self::Length { .. } | Self::NoMatch { .. } => abi::MPI_ERR_ARG,
            Self::TooLarge { .. } => abi::MPI_ERR_VALUE_TOO_LARGE,
            Self::TooDeep { .. } | Self::NotCommitted => abi::MPI_ERR_TYPE,
            Self::Predefined | Self::LargeCounts => abi::MPI_ERR_TYPE,
            Self::Room { .. } | Self::Truncated { .. } => abi::MPI_ERR_TRUNCATE,
            Self::External { .. } => abi::MPI_ERR_CONVERSION,
        }
    }
}
