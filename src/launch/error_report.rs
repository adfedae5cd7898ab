//! Reports of errors, from one process to another.
//!
//! What a program may want to tell apart - a peer that has ended or is lost, a rank that failed -
//! arrives as the same error. Of everything else the message arrives, and the culprit.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::message::MessageError;
use crate::order::{Epoch, GroupId, Rank};

/// An error that can be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ErrorReport {
    /// The ranks of launches within launches that it has come through, the outermost first. They
    /// are a list, and not one error within the other, so that a reader of bytes needs no deep
    /// stack.
    ranks: Vec<Rank>,
    innermost: Innermost,
}

/// What went wrong, at the innermost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Innermost {
    PeerEnded { rank: Rank, failed: bool },
    PeerLost { rank: Rank },
    EndedBeforeBarrier { rank: Rank, group: u32, epoch: Epoch },
    Panicked { rank: Rank, message: String },
    Killed { rank: Rank, signal: i32 },
    Exited { rank: Rank, code: i32 },
    Unreachable { rank: Rank, why: String },
    Other { message: String, culprit: Option<Rank> },
}

/// So many launches within launches are reported; of more only the text.
const MOST_RANKS: usize = 16;

impl From<Innermost> for ErrorReport {
    fn from(innermost: Innermost) -> ErrorReport {
        ErrorReport { ranks: Vec::new(), innermost }
    }
}

impl From<&Error> for ErrorReport {
    fn from(mut error: &Error) -> ErrorReport {
        let mut ranks = Vec::new();
        while ranks.len() < MOST_RANKS
            && let Error::Rank { rank, error: inner } = error
        {
            ranks.push(*rank);
            error = inner;
        }
        ErrorReport { ranks, innermost: Innermost::from(error) }
    }
}

impl From<&Error> for Innermost {
    fn from(error: &Error) -> Innermost {
        match error {
            &Error::Message(MessageError::PeerEnded { rank, failed }) => {
                Innermost::PeerEnded { rank, failed }
            }
            &Error::Message(MessageError::PeerLost { rank }) => Innermost::PeerLost { rank },
            &Error::Message(MessageError::EndedBeforeBarrier { rank, group, epoch }) => {
                Innermost::EndedBeforeBarrier { rank, group: group.0, epoch }
            }
            Error::Panicked { rank, message } => {
                Innermost::Panicked { rank: *rank, message: message.clone() }
            }
            &Error::Killed { rank, signal } => Innermost::Killed { rank, signal },
            &Error::Exited { rank, code } => Innermost::Exited { rank, code },
            Error::Unreachable { rank, why } => {
                Innermost::Unreachable { rank: *rank, why: why.clone() }
            }
            error => Innermost::Other { message: error.to_string(), culprit: error.culprit() },
        }
    }
}

impl From<ErrorReport> for Error {
    fn from(ErrorReport { ranks, innermost }: ErrorReport) -> Error {
        let innermost = match innermost {
            Innermost::PeerEnded { rank, failed } => {
                Error::Message(MessageError::PeerEnded { rank, failed })
            }
            Innermost::PeerLost { rank } => Error::Message(MessageError::PeerLost { rank }),
            Innermost::EndedBeforeBarrier { rank, group, epoch } => {
                let group = GroupId(group);
                Error::Message(MessageError::EndedBeforeBarrier { rank, group, epoch })
            }
            Innermost::Panicked { rank, message } => Error::Panicked { rank, message },
            Innermost::Killed { rank, signal } => Error::Killed { rank, signal },
            Innermost::Exited { rank, code } => Error::Exited { rank, code },
            Innermost::Unreachable { rank, why } => Error::Unreachable { rank, why },
            Innermost::Other { message, culprit } => Error::Reported { message, culprit },
        };
        // A process that went wrong may have written more than any that is right.
        let ranks = ranks.into_iter().take(MOST_RANKS).rev();
        ranks.fold(innermost, |error, rank| Error::Rank { rank, error: Box::new(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_report_keeps_the_message_of_the_error() {
        let lost = || Error::Message(MessageError::PeerLost { rank: 3 });
        let barrier =
            MessageError::EndedBeforeBarrier { rank: 2, group: GroupId(7), epoch: 1 << 40 };
        let errors = [
            lost(),
            Error::Message(MessageError::PeerEnded { rank: 1, failed: true }),
            Error::Message(barrier),
            Error::Message(MessageError::NothingCanArrive),
            Error::Rank { rank: 5, error: Box::new(lost()) },
            Error::Panicked { rank: 0, message: "no\nway".into() },
            Error::Killed { rank: 4, signal: 9 },
            Error::Exited { rank: 4, code: 3 },
            Error::Unreachable { rank: 2, why: "ibv_post_send: no".into() },
            Error::RankOutOfRange { rank: 9, size: 2 },
            Error::other("the program's own"),
            Error::Rank { rank: 5, error: Box::new(Error::other("the program's own")) },
        ];
        for error in errors {
            let bytes = postcard::to_stdvec(&ErrorReport::from(&error)).unwrap();
            let back = Error::from(postcard::from_bytes::<ErrorReport>(&bytes).unwrap());
            assert_eq!(back.to_string(), error.to_string());
            assert_eq!(back.severity(), error.severity(), "{error}");
            assert_eq!(back.culprit(), error.culprit(), "{error}");
            assert_eq!(ErrorReport::from(&back), ErrorReport::from(&error), "{error}");
        }
    }

    /// However deep: none needs more of the stack than another.
    // SEMANTICS: SAFE-1
    #[test]
    fn nested_launch_errors_are_reported_to_a_limited_depth() {
        let deep = |depth: usize| {
            let own = Error::other("the program's own");
            (0..depth).fold(own, |error, rank| Error::Rank { rank, error: Box::new(error) })
        };
        for depth in [0, 1, MOST_RANKS, MOST_RANKS + 1, 3 * MOST_RANKS] {
            let report = ErrorReport::from(&deep(depth));
            assert_eq!(Error::from(report).to_string(), deep(depth).to_string());
        }
        let innermost = Innermost::Killed { rank: 1, signal: 9 };
        let report = ErrorReport { ranks: vec![3; 1 << 20], innermost };
        let bytes = postcard::to_stdvec(&report).unwrap();
        let mut error = Error::from(postcard::from_bytes::<ErrorReport>(&bytes).unwrap());
        let mut depth = 0;
        while let Error::Rank { error: inner, .. } = error {
            (error, depth) = (*inner, depth + 1);
        }
        assert_eq!(depth, MOST_RANKS);
    }
}
