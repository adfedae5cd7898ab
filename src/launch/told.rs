//! Errors as one process tells them to another.
//!
//! What a program may want to tell apart - a peer that has ended or is lost, a rank that failed -
//! arrives as what it was; of everything else the message arrives, and who is to blame.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::message::MessageError;
use crate::order::{Epoch, GroupId, Rank};

/// An error that can be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Told {
    PeerEnded { rank: Rank, failed: bool },
    PeerLost { rank: Rank },
    EndedBeforeBarrier { rank: Rank, group: u32, epoch: Epoch },
    Rank { rank: Rank, error: Box<Told> },
    Panicked { rank: Rank, message: String },
    Killed { rank: Rank, signal: i32 },
    Exited { rank: Rank, code: i32 },
    Other { message: String, culprit: Option<Rank> },
}

impl From<&Error> for Told {
    fn from(error: &Error) -> Told {
        match error {
            &Error::Message(MessageError::PeerEnded { rank, failed }) => {
                Told::PeerEnded { rank, failed }
            }
            &Error::Message(MessageError::PeerLost { rank }) => Told::PeerLost { rank },
            &Error::Message(MessageError::EndedBeforeBarrier { rank, group, epoch }) => {
                Told::EndedBeforeBarrier { rank, group: group.0, epoch }
            }
            Error::Rank { rank, error } => {
                Told::Rank { rank: *rank, error: Box::new(Told::from(&**error)) }
            }
            Error::Panicked { rank, message } => {
                Told::Panicked { rank: *rank, message: message.clone() }
            }
            &Error::Killed { rank, signal } => Told::Killed { rank, signal },
            &Error::Exited { rank, code } => Told::Exited { rank, code },
            error => Told::Other { message: error.to_string(), culprit: error.culprit() },
        }
    }
}

impl From<Told> for Error {
    fn from(told: Told) -> Error {
        match told {
            Told::PeerEnded { rank, failed } => {
                Error::Message(MessageError::PeerEnded { rank, failed })
            }
            Told::PeerLost { rank } => Error::Message(MessageError::PeerLost { rank }),
            Told::EndedBeforeBarrier { rank, group, epoch } => {
                let group = GroupId(group);
                Error::Message(MessageError::EndedBeforeBarrier { rank, group, epoch })
            }
            Told::Rank { rank, error } => {
                Error::Rank { rank, error: Box::new(Error::from(*error)) }
            }
            Told::Panicked { rank, message } => Error::Panicked { rank, message },
            Told::Killed { rank, signal } => Error::Killed { rank, signal },
            Told::Exited { rank, code } => Error::Exited { rank, code },
            Told::Other { message, culprit } => Error::Told { message, culprit },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_the_same_after_its_journey() {
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
            Error::RankOutOfRange { rank: 9, size: 2 },
            Error::other("the program's own"),
            Error::Rank { rank: 5, error: Box::new(Error::other("the program's own")) },
        ];
        for error in errors {
            let bytes = postcard::to_stdvec(&Told::from(&error)).unwrap();
            let back = Error::from(postcard::from_bytes::<Told>(&bytes).unwrap());
            assert_eq!(back.to_string(), error.to_string());
            assert_eq!(back.distance(), error.distance(), "{error}");
            assert_eq!(back.culprit(), error.culprit(), "{error}");
            assert_eq!(Told::from(&back), Told::from(&error), "{error}");
        }
    }
}
