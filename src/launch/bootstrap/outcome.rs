//! What a rank came to at its end, as it is said to others.

use serde::{Deserialize, Serialize};

use crate::launch::error_report::{ErrorReport, Innermost};
use crate::sys::process::End;

/// How a rank ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::launch) enum Outcome {
    /// What its closure returned, as bytes.
    Value(#[serde(with = "serde_bytes")] Vec<u8>),
    /// Its closure, or the way there, failed.
    Failed(ErrorReport),
    /// It panicked, with this message.
    Panicked(String),
    /// It came to a launch of so many ranks, which is not the one that it was started for.
    Elsewhere { size: usize },
    /// It ended without a word.
    Ended { end: End, joined: bool },
}

impl Outcome {
    /// A failure of which there is a message only.
    pub(in crate::launch) fn failed(message: String) -> Outcome {
        Outcome::Failed(Innermost::Other { message, culprit: None }.into())
    }

    /// As bytes.
    pub(in crate::launch) fn encode(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_stdvec(self)
    }

    /// From what a rank has said: bytes that cannot be read are its failure.
    pub(in crate::launch) fn decode(bytes: &[u8]) -> Outcome {
        postcard::from_bytes(bytes).unwrap_or_else(|error| {
            Outcome::failed(format!("what it handed over cannot be read: {error}"))
        })
    }
}
