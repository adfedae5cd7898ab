//! The frames between a rank and the hub: each a length and a message.
//!
//! Pure. Bytes come in any pieces. A length is bounded before anything is kept for it (SAFE-1).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::launch::error_report::ErrorReport;
use crate::order::Rank;

/// Processes of other versions do not meet.
pub(in crate::launch) const GREETING: &str = "runahead meets 3";

/// A length comes before each frame: 8 bytes, the lowest first.
const LENGTH_BYTES: usize = 8;

/// The most bytes of a frame from a process that is no rank yet.
pub(in crate::launch) const HELLO_BYTES: u64 = 64;

/// The most bytes of a value that is not an outcome.
pub(super) const VALUE_BYTES: usize = 1 << 20;

/// The most bytes of a frame: the value that a rank returns is in one.
pub(super) const FRAME_BYTES: u64 = 1 << 36;

/// Keys and values.
pub(in crate::launch) type Pairs = Vec<(String, ByteBuf)>;

/// The result of one launch: the values of its ranks as bytes, or its error.
pub(in crate::launch) type Returned = Result<Vec<ByteBuf>, ErrorReport>;

/// A message of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::launch) enum ToHub {
    /// The first: a process that is a rank is here.
    Hello { greeting: String, rank: Rank, size: usize },
    /// It has come to the launch that it was started for.
    Join,
    /// For all to get.
    Commit(Pairs),
    /// The same, and the rank waits for all.
    Fence(Pairs),
    /// It waits for a value of another.
    Get { rank: Rank, key: String },
    /// It has failed.
    Abort { culprit: Option<Rank>, message: String },
}

/// A message of the hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::launch) enum ToRank {
    /// The answer to a hello.
    Welcome,
    /// The other answer: another process is that rank, or was.
    Taken,
    /// The shape rules, as text; after the welcome.
    ShapeRules(String),
    /// The result of an earlier launch of the program; one for each, in their order, after that.
    Returned(Returned),
    /// The hub has the values that were committed.
    Committed,
    /// All have come to the fence. They have put these values since the last.
    Fenced(Vec<Pairs>),
    /// A rank has ended that does not come to the fence.
    Broken { rank: Rank },
    /// These have not come to the fence in time.
    Missing { ranks: Vec<Rank> },
    /// The value that was asked for; None if its rank has ended without it.
    Value(Option<ByteBuf>),
    /// A rank has ended.
    Ended { rank: Rank },
}

/// Bytes that this protocol does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(in crate::launch) enum ProtocolError {
    /// A length beyond the bound.
    #[error("a frame of {bytes} bytes, where at most {most} were expected")]
    TooLong { bytes: u64, most: u64 },
    /// The stream ended within a frame.
    #[error("a frame of which only {received} bytes came")]
    Truncated { received: usize },
    /// The bytes are no message.
    #[error("a frame that cannot be read: {0}")]
    Malformed(#[source] postcard::Error),
    /// The message comes at the wrong time, or cannot be true.
    #[error("{0}")]
    Unexpected(&'static str),
}

/// A frame, as bytes.
///
/// # Errors
///
/// [`ProtocolError::TooLong`] if nobody would read it.
pub(in crate::launch) fn encode(frame: &impl Serialize) -> Result<Vec<u8>, ProtocolError> {
    let bytes = postcard::to_extend(frame, vec![0; LENGTH_BYTES]);
    let mut bytes = bytes.map_err(ProtocolError::Malformed)?;
    let length = (bytes.len() - LENGTH_BYTES) as u64;
    if length > FRAME_BYTES {
        return Err(ProtocolError::TooLong { bytes: length, most: FRAME_BYTES });
    }
    bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Takes the bytes of a stream apart into frames.
#[derive(Debug, Default)]
pub(in crate::launch) struct Decoder {
    bytes: Vec<u8>,
}

impl Decoder {
    /// Bytes have come.
    pub(in crate::launch) fn handle_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame, if it has come whole. It may be `most` bytes long.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if there is no frame; nothing that comes later is one either.
    pub(in crate::launch) fn poll_frame<T: DeserializeOwned>(
        &mut self,
        most: u64,
    ) -> Result<Option<T>, ProtocolError> {
        let Some((length, rest)) = self.bytes.split_first_chunk() else { return Ok(None) };
        let length = u64::from_le_bytes(*length);
        if length > most {
            return Err(ProtocolError::TooLong { bytes: length, most });
        }
        let Some(frame) = usize::try_from(length).ok().and_then(|length| rest.get(..length)) else {
            return Ok(None);
        };
        let (read, left) = postcard::take_from_bytes(frame).map_err(ProtocolError::Malformed)?;
        if !left.is_empty() {
            return Err(ProtocolError::Unexpected("a frame with something behind it"));
        }
        let used = LENGTH_BYTES + frame.len();
        self.bytes.drain(..used);
        if self.bytes.is_empty() {
            // Give back the memory of a long frame.
            self.bytes = Vec::new();
        }
        Ok(Some(read))
    }

    /// The stream has ended.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::Truncated`] if that was within a frame.
    pub(in crate::launch) fn handle_end(&self) -> Result<(), ProtocolError> {
        match self.bytes.len() {
            0 => Ok(()),
            received => Err(ProtocolError::Truncated { received }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::bootstrap::Outcome;
    use crate::launch::error_report::{ErrorReport, Innermost};
    use crate::sys::process::End;

    fn hello(rank: Rank, size: usize) -> ToHub {
        ToHub::Hello { greeting: GREETING.to_owned(), rank, size }
    }

    #[test]
    fn frames_decode_from_any_pieces() {
        let report = || ErrorReport::from(Innermost::PeerLost { rank: 1 });
        let frames = [
            ToRank::Welcome,
            ToRank::ShapeRules("shm\tbroadcast".into()),
            ToRank::Returned(Err(report())),
            ToRank::Fenced(vec![Vec::new(), vec![("key".to_owned(), ByteBuf::from([7; 300]))]]),
            ToRank::Missing { ranks: vec![0, 1 << 40] },
            ToRank::Value(Some(ByteBuf::from([255; 1000]))),
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| encode(frame).unwrap()).collect();
        for length in [1, 2, 7, 100, bytes.len()] {
            let (mut decoder, mut read) = (Decoder::default(), Vec::new());
            for piece in bytes.chunks(length) {
                decoder.handle_bytes(piece);
                while let Some(frame) = decoder.poll_frame::<ToRank>(FRAME_BYTES).unwrap() {
                    read.push(frame);
                }
            }
            assert_eq!(read, frames);
            assert_eq!(decoder.handle_end(), Ok(()));
        }
        for outcome in [
            Outcome::Value(vec![7; 100_000]),
            Outcome::Failed(report()),
            Outcome::Panicked("oh".into()),
            Outcome::Elsewhere { size: 9 },
            Outcome::Ended { end: End::Killed(9), joined: true },
        ] {
            assert_eq!(Outcome::decode(&outcome.encode().unwrap()), outcome);
        }
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn an_invalid_frame_is_a_protocol_error() {
        let polled = |bytes: &[u8]| {
            let mut decoder = Decoder::default();
            decoder.handle_bytes(bytes);
            decoder.poll_frame::<ToHub>(HELLO_BYTES)
        };
        let right = encode(&hello(1, 2)).unwrap();
        assert_eq!(polled(&right), Ok(Some(hello(1, 2))));
        for cut in 0..right.len() {
            assert_eq!(polled(&right[..cut]), Ok(None));
        }
        let of_length = |length: u64| [&length.to_le_bytes()[..], &right[8..]].concat();
        for bytes in [HELLO_BYTES + 1, u64::MAX] {
            let error = ProtocolError::TooLong { bytes, most: HELLO_BYTES };
            assert_eq!(polled(&of_length(bytes)), Err(error));
        }
        let length = right.len() as u64 - 8;
        assert!(matches!(polled(&of_length(length - 1)), Err(ProtocolError::Malformed(_))));
        let behind = [&of_length(length + 1)[..], &[0]].concat();
        assert!(matches!(polled(&behind), Err(ProtocolError::Unexpected(_))));
        let mut decoder = Decoder::default();
        decoder.handle_bytes(&right[..9]);
        assert_eq!(decoder.handle_end(), Err(ProtocolError::Truncated { received: 9 }));
        // All greetings fit.
        assert!(
            encode(&hello(usize::MAX - 1, usize::MAX)).unwrap().len() as u64 <= HELLO_BYTES + 8
        );
    }
}
