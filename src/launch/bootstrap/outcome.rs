//! The outcome of a rank: a value, or how it failed, as the hub keeps it.

use serde::{Deserialize, Serialize};

use crate::launch::error_report::{ErrorReport, Innermost};
use crate::sys::process::End;

/// How a rank ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::launch) enum Outcome {
    /// Its closure returned this value, as bytes.
    Value(#[serde(with = "serde_bytes")] Vec<u8>),
    /// Its closure, or the way there, failed.
    Failed(ErrorReport),
    /// It panicked, with this message.
    Panicked(String),
    /// It came to another launch than the one that it was started for: one of `size` ranks.
    Elsewhere { size: usize },
    /// Its process ended without an outcome.
    Ended { end: End, joined: bool },
}

impl Outcome {
    /// A failure with nothing but a message.
    pub(in crate::launch) fn failed(message: String) -> Outcome {
        Outcome::Failed(Innermost::Other { message, culprit: None }.into())
    }

    /// As bytes.
    pub(in crate::launch) fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(self)
    }

    /// From the bytes that a rank put. Bytes that are no outcome are its failure.
    pub(in crate::launch) fn decode(bytes: &[u8]) -> Outcome {
        postcard::from_bytes(bytes).unwrap_or_else(|error| {
            Outcome::failed(format!("what it handed over cannot be read: {error}"))
        })
    }
}
