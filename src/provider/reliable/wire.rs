//! The 16 bytes in front of every frame between two reliability layers.
//!
//! | bytes | field | meaning |
//! |---|---|---|
//! | 0 | kind | data, acknowledgement, question or farewell |
//! | 1-3 | zero | |
//! | 4-7 | number | which frame of its VI this is, low 32 bits; 0 where it is no data |
//! | 8-11 | ack | all frames before this number have come, low 32 bits |
//! | 12-15 | room | frames before this number have a receive descriptor, low 32 bits |
//!
//! All little-endian. Every frame carries `ack` and `room`, so where there is traffic in both
//! directions nothing is sent for them alone. What follows a header is a message of the layer
//! above, and nothing where it is no data.
//!
//! It checks what can be checked of a frame alone; whether its numbers are possible is for
//! [`super::Connection`] to say.
//!
//! Keeps rule SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A message of the layer above.
    Data,
    /// Nothing but what every frame says of the other direction.
    Ack,
    /// The same, and the peer is to say as much at once.
    Ask,
    /// The sender leaves: it has had all of its messages acknowledged and takes no more.
    Farewell,
}

/// What stands in front of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// What the frame is.
    pub kind: Kind,
    /// The low bits of its number; 0 where it is no data.
    pub number: u32,
    /// The low bits of the number before which all has come.
    pub ack: u32,
    /// The low bits of the number before which there is room.
    pub room: u32,
}

/// Bytes that are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Shorter than a header.
    #[error("{len} bytes are no frame")]
    Short {
        /// How many there are.
        len: usize,
    },
    /// Of no known kind.
    #[error("frame of kind {0}")]
    Kind(u8),
    /// What must be zero is not.
    #[error("reserved header bytes are not zero")]
    NotZero,
    /// It carries a message though it is no data.
    #[error("{len} bytes behind a frame that carries none")]
    Trailing {
        /// How many.
        len: usize,
    },
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct HeaderWire {
    kind: u8,
    zeros: [u8; 3],
    number: U32,
    ack: U32,
    room: U32,
}

const _: () = assert!(size_of::<HeaderWire>() == Header::BYTES);

impl Header {
    /// The length of a header in bytes: whole words, so that what follows starts at one.
    pub const BYTES: usize = 16;

    /// The header as it goes on the wire.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let kind = match self.kind {
            Kind::Data => 1,
            Kind::Ack => 2,
            Kind::Ask => 3,
            Kind::Farewell => 4,
        };
        zerocopy::transmute!(HeaderWire {
            kind,
            zeros: [0; 3],
            number: self.number.into(),
            ack: self.ack.into(),
            room: self.room.into(),
        })
    }
}

/// A frame that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'b> {
    header: Header,
    message: &'b [u8],
}

impl<'b> Frame<'b> {
    /// Checks what can be checked of `bytes` alone.
    ///
    /// # Errors
    ///
    /// [`Malformed`] saying why they are no frame.
    pub fn new_checked(bytes: &'b [u8]) -> Result<Frame<'b>, Malformed> {
        let short = |_| Malformed::Short { len: bytes.len() };
        let (wire, message) = HeaderWire::ref_from_prefix(bytes).map_err(short)?;
        let kind = match wire.kind {
            1 => Kind::Data,
            2 => Kind::Ack,
            3 => Kind::Ask,
            4 => Kind::Farewell,
            kind => return Err(Malformed::Kind(kind)),
        };
        let number = wire.number.get();
        if wire.zeros != [0; 3] || kind != Kind::Data && number != 0 {
            return Err(Malformed::NotZero);
        }
        if kind != Kind::Data && !message.is_empty() {
            return Err(Malformed::Trailing { len: message.len() });
        }
        let header = Header { kind, number, ack: wire.ack.get(), room: wire.room.get() };
        Ok(Frame { header, message })
    }

    /// What stands in front of it.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The message that it carries; empty where it is no data.
    pub fn message(&self) -> &'b [u8] {
        self.message
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn header() -> impl Strategy<Value = Header> {
        let kind =
            prop_oneof![Just(Kind::Data), Just(Kind::Ack), Just(Kind::Ask), Just(Kind::Farewell)];
        (kind, any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(kind, number, ack, room)| {
            let number = if kind == Kind::Data { number } else { 0 };
            Header { kind, number, ack, room }
        })
    }

    /// Of any bytes, what must come of them: read byte by byte, apart from the structure above.
    fn expected(bytes: &[u8]) -> Result<(), Malformed> {
        let Some(header) = bytes.get(..16) else {
            return Err(Malformed::Short { len: bytes.len() });
        };
        if !(1..=4).contains(&header[0]) {
            return Err(Malformed::Kind(header[0]));
        }
        let data = header[0] == 1;
        if header[1..4] != [0; 3] || !data && header[4..8] != [0; 4] {
            return Err(Malformed::NotZero);
        }
        let len = bytes.len() - 16;
        if data || len == 0 { Ok(()) } else { Err(Malformed::Trailing { len }) }
    }

    proptest! {
        #[test]
        fn an_encoded_frame_decodes_to_itself(header in header(), message in vec(any::<u8>(), 0..40)) {
            let carried = if header.kind == Kind::Data { &message[..] } else { &[] };
            let bytes = [&header.encode(), carried].concat();
            let frame = Frame::new_checked(&bytes);
            prop_assert_eq!(frame, Ok(Frame { header, message: carried }));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_a_frame_or_an_error(
            mut bytes in vec(any::<u8>(), 0..40),
            kind in 0..6u8,
            zeros in 0..3usize,
        ) {
            // Random bytes alone would seldom get beyond the first look.
            bytes.iter_mut().take(1).for_each(|byte| *byte = kind);
            let zeroed = [1, 4, 8][zeros];
            bytes.iter_mut().take(zeroed).skip(1).for_each(|byte| *byte = 0);
            let read = Frame::new_checked(&bytes);
            prop_assert_eq!(read.map(|_| ()), expected(&bytes));
            if let Ok(frame) = read {
                prop_assert_eq!([&frame.header().encode(), frame.message()].concat(), bytes);
            }
        }
    }

    #[test]
    fn the_wire_format_of_a_header_is_fixed() {
        let header = Header { kind: Kind::Data, number: 0x0403_0201, ack: 5, room: 0xff00 };
        let bytes = [1, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0xff, 0, 0];
        assert_eq!(header.encode(), bytes);
    }
}
