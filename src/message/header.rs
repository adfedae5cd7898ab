//! The 24 bytes in front of every message, so that a payload of 40 shares their cache line.
//!
//! | bytes | field | meaning |
//! |---|---|---|
//! | 0, low 3 bits | kind | eager, request (rendezvous header), segment (rendezvous payload), exposed (a request whose payload may be read where it lies), reads or confirmed |
//! | 0, high 5 bits | len | bits 32 to 36 of the length in a request; else 0 |
//! | 1 | element | size of an element in bytes; 0 where it is above 254 |
//! | 2-3 | context | which communicator and lane ([`Context`]), low 16 bits |
//! | 4-7 | tag | the program's, or the number of a collective |
//! | 8-13 | stamp | the sender's clock toward the receiver, low 48 bits |
//! | 14-15 | context | the high 16 bits |
//! | 16-19 | len | low 32 bits: bytes of the payload; of the whole payload in a request |
//! | 20-23 | transfer | which rendezvous of this sender a request or segment belongs to; of `reads` the word of [`RemoteReads`](super::transfers::exposures::RemoteReads); of `confirmed` how many |
//!
//! Behind the header of `exposed` there are 16 bytes ([`Exposure`]).
//!
//! All little-endian. The source is the VI's peer and is not repeated. Nothing in a header is
//! trusted: [`Header::decode`] checks what can be checked alone, the engine the rest.
//!
//! Keeps rules CLK-1, CLK-3 and SAFE-1 of SEMANTICS.md.

use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian::U64;

use super::Malformed;
use super::matching::Context;
use super::transfers::exposures::Exposure;
use crate::order::{Clock, UNSTAMPED};

/// The number of bits of a stamp on the wire.
pub const STAMP_BITS: u32 = 48;

const STAMP_MASK: u64 = (1 << STAMP_BITS) - 1;

/// What is written and read of a stamp.
const STAMPED_BITS: u64 = if UNSTAMPED { 0 } else { STAMP_MASK };

const LOW_8: u64 = u8::MAX as u64;
const LOW_16: u64 = u16::MAX as u64;
const LOW_32: u64 = u32::MAX as u64;

/// What the first byte has of the kind, and of the length above its low 32 bits.
const KIND_BITS: u32 = 3;
const HIGH_LEN_BITS: u32 = 8 - KIND_BITS;

/// What a data frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A message with its payload.
    Eager,
    /// The header of a rendezvous message; its payload waits for a clear-to-send.
    Request,
    /// A piece of the payload of a rendezvous message.
    Segment,
    /// The header of a rendezvous message, with leave to read its payload where it lies.
    Exposed,
    /// Which payloads that were exposed to the sender of this it has read. No message.
    Reads,
    /// Receives have met so many messages of this context and tag. No message.
    Confirmed,
}

/// A decoded header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the frame is.
    pub kind: Kind,
    /// The size of an element in bytes; 0 where it is above 254.
    pub element: u8,
    /// The communicator and the lane.
    pub context: Context,
    /// The program's tag.
    pub tag: u32,
    /// The sender's clock; on the wire only its low 48 bits, see [`unwrap_stamp`].
    pub stamp: Clock,
    /// Bytes of payload, up to [`Header::MOST_BYTES`].
    pub len: u64,
    /// The rendezvous that it belongs to.
    pub transfer: u32,
}

/// A header template: what the headers of two short messages have in common that differ in their tags and lengths
/// alone, as it stands on the wire. Then the second need not be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Kind, size of an element, and the low part of the context.
    first: u32,
    /// The stamp and the high part of the context.
    second: u64,
}

impl Template {
    /// As no header of a short message is.
    pub const NONE: Template = Template { first: 0, second: 0 };

    /// The size of an element in bytes; 0 where it is above 254.
    #[inline(always)]
    pub fn element(self) -> u8 {
        (self.first >> 8) as u8
    }
}

impl Header {
    /// The length of a header in bytes.
    pub const BYTES: usize = 24;

    /// The longest payload that a header can tell of: its length has 37 bits.
    pub const MOST_BYTES: u64 = (1 << (32 + HIGH_LEN_BITS)) - 1;

    /// The template of the next one of the same kind, context, stamp and element.
    #[inline]
    pub fn template(&self) -> Template {
        let [first, second, _] = self.words();
        Template { first: first as u32, second }
    }

    /// As [`decode`](Header::decode), of a short message whose header is as `template` says: its tag and its payload.
    /// None if it is another one, or none at all.
    #[inline(always)]
    pub fn decode_like(frame: &[u8], template: Template) -> Option<(u32, &[u8])> {
        let (words, payload) = <[U64; 3]>::read_from_prefix(frame).ok()?;
        let [first, second, third] = words.map(U64::get);
        // The last word is the length alone: a short message belongs to no transfer.
        let is_like_it = first as u32 == template.first
            && second == template.second
            && third == payload.len() as u64;
        is_like_it.then_some(((first >> 32) as u32, payload))
    }

    /// The header as it goes on the wire.
    #[inline(always)]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        zerocopy::transmute!(self.words().map(U64::new))
    }

    #[inline(always)]
    fn words(&self) -> [u64; 3] {
        // Made in registers, in the pieces in which a provider writes them: what is written byte by byte and then
        // read as words keeps the processor waiting.
        let kind = match self.kind {
            Kind::Eager => 1,
            Kind::Request => 2,
            Kind::Segment => 3,
            Kind::Exposed => 4,
            Kind::Reads => 5,
            Kind::Confirmed => 6,
        };
        let context = u64::from(self.context.bits());
        let first = kind
            | (self.len >> 32) << KIND_BITS & LOW_8
            | u64::from(self.element) << 8
            | (context & LOW_16) << 16
            | u64::from(self.tag) << 32;
        let second = self.stamp & STAMPED_BITS | context >> 16 << STAMP_BITS;
        let third = self.len & LOW_32 | u64::from(self.transfer) << 32;
        [first, second, third]
    }

    /// Reads the header of `frame` and returns it with the payload behind it.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if the frame is too short, of no known kind, or of another length than its
    /// header says.
    #[inline(always)]
    pub fn decode(frame: &[u8]) -> Result<(Header, &[u8]), Malformed> {
        let short = || Malformed::Short { len: frame.len(), needed: Self::BYTES };
        // Taken out once: whoever shares the memory may write what is read here.
        let (words, payload) = <[U64; 3]>::read_from_prefix(frame).map_err(|_| short())?;
        let [first, second, third] = words.map(U64::get);
        let high_len = first as u8 >> KIND_BITS;
        let kind = match first as u8 {
            // Only a large payload is told of before it comes.
            kind if high_len > 0 && !matches!(kind & 7, 2 | 4) => {
                return Err(Malformed::Kind(kind));
            }
            kind => kind & 7,
        };
        let kind = match kind {
            1 => Kind::Eager,
            2 => Kind::Request,
            3 => Kind::Segment,
            4 => Kind::Exposed,
            5 => Kind::Reads,
            6 => Kind::Confirmed,
            kind => return Err(Malformed::Kind(kind)),
        };
        let context = second >> STAMP_BITS << 16 | first >> 16 & LOW_16;
        let header = Header {
            kind,
            element: (first >> 8) as u8,
            context: Context::from_bits(context as u32),
            tag: (first >> 32) as u32,
            stamp: second & STAMPED_BITS,
            len: third & LOW_32 | u64::from(high_len) << 32,
            transfer: (third >> 32) as u32,
        };
        let expected = match kind {
            Kind::Request => 0,
            Kind::Exposed => Exposure::BYTES,
            Kind::Eager | Kind::Segment | Kind::Reads | Kind::Confirmed => header.len as usize,
        };
        if payload.len() != expected {
            return Err(Malformed::Length { stated: expected, found: payload.len() });
        }
        Ok((header, payload))
    }
}

/// The full stamp of which `low` are the low 48 bits: the one nearest to `near`, the receiver's
/// clock. Right as long as the two are less than 2^47 barriers apart, in either direction.
///
/// ```
/// use runahead::internals::message::unwrap_stamp;
/// assert_eq!(unwrap_stamp(7, 5), 7);
/// assert_eq!(unwrap_stamp(1, (1 << 48) - 1), (1 << 48) + 1); // wrapped since
/// assert_eq!(unwrap_stamp(3, (1 << 47) + 2), 3); // left undrained for 2^47 - 1 barriers
/// ```
#[inline(always)]
pub fn unwrap_stamp(low: u64, near: Clock) -> Clock {
    // The difference, as a signed number of 48 bits.
    let shift = u64::BITS - STAMP_BITS;
    let ahead = (low.wrapping_sub(near) << shift) as i64 >> shift;
    near.wrapping_add_signed(ahead)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn header()(
            kind in prop_oneof![
                Just(Kind::Eager), Just(Kind::Request), Just(Kind::Segment), Just(Kind::Exposed), Just(Kind::Reads),
                Just(Kind::Confirmed),
            ],
            element in any::<u8>(),
            context in any::<u32>().prop_map(Context::from_bits),
            tag in any::<u32>(),
            stamp in 0..=STAMP_MASK,
            len in 0..=Header::MOST_BYTES,
            transfer in any::<u32>(),
        ) -> Header {
            Header { kind, element, context, tag, stamp, len, transfer }
        }
    }

    proptest! {
        #[test]
        fn an_encoded_header_decodes_to_itself(header in header(), payload in vec(any::<u8>(), 0..50)) {
            let (len, payload) = match header.kind {
                Kind::Request => (header.len, &[][..]),
                Kind::Exposed => (header.len, &[7; 16][..]),
                _ => (payload.len() as u64, &payload[..]),
            };
            let header = Header { len, ..header };
            let frame = [&header.encode()[..], payload].concat();
            prop_assert_eq!(Header::decode(&frame), Ok((header, payload)));
        }

        /// What fits a template is decoded as it would be without, and whatever else differs does not fit. (Planted: a comparison that
        /// leaves out the stamp, the context, the element, the length or the transfer.)
        /// SEMANTICS: SAFE-1
        #[test]
        fn a_template_fits_headers_that_differ_in_tag_and_length_only(
            header in header(), other in header(), copies in 0..64u32, payload in vec(any::<u8>(), 0..50),
            transfer in prop_oneof![Just(0), any::<u32>()], len in prop_oneof![4 => Just(None), 1 => (0..=Header::MOST_BYTES).prop_map(Some)],
        ) {
            // Mostly the same in all but one or two fields.
            let pick = |bit: u32| copies >> bit & 1 == 1;
            let other = Header {
                kind: if pick(0) { other.kind } else { Kind::Eager },
                element: if pick(1) { other.element } else { header.element },
                context: if pick(2) { other.context } else { header.context },
                stamp: if pick(3) { other.stamp } else { header.stamp },
                len: len.unwrap_or(payload.len() as u64),
                tag: other.tag,
                transfer,
            };
            // A short message has no length above 32 bits.
            let len = header.len & LOW_32;
            let header = Header { kind: Kind::Eager, len, ..header };
            let frame = [&other.encode()[..], &payload].concat();
            let fits = other == Header {
                tag: other.tag, len: payload.len() as u64, transfer: 0, ..header
            };
            let found = Header::decode_like(&frame, header.template());
            prop_assert_eq!(found, fits.then_some((other.tag, &payload[..])));
            prop_assert_eq!(header.template().element(), header.element);
            prop_assert_eq!(Header::decode_like(&frame, Template::NONE), None);
            prop_assert_eq!(Header::decode_like(&frame[..frame.len().min(23)], header.template()), None);
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_a_header_or_an_error(
            frame in vec(any::<u8>(), 0..60), kind in prop_oneof![0..8u8, any::<u8>()],
        ) {
            let mut frame = frame;
            if let Some(first) = frame.first_mut() {
                *first = kind;
            }
            let known = (1..=6).contains(&kind) || matches!(kind & 7, 2 | 4);
            match Header::decode(&frame) {
                Ok((header, payload)) => {
                    prop_assert!(known && payload.len() == frame.len() - Header::BYTES);
                    let again = [&header.encode(), payload].concat();
                    prop_assert_eq!(Header::decode(&again), Ok((header, payload)));
                }
                Err(Malformed::Short { len, needed }) => {
                    prop_assert!(len == frame.len() && len < needed);
                }
                Err(Malformed::Kind(found)) => prop_assert!(found == kind && !known),
                Err(wrong @ Malformed::Activity(_)) => prop_assert!(false, "{wrong}"),
                Err(Malformed::Length { stated, found }) => {
                    prop_assert!(stated != found && found == frame.len() - Header::BYTES);
                }
            }
        }

        // SEMANTICS: CLK-3
        #[test]
        fn a_stamp_unwraps_to_the_nearest_with_its_low_bits(
            near in prop_oneof![
                any::<u64>(), Just(0), Just(1 << 24), Just(1 << 32), Just(1 << 47), Just(1 << 48),
            ],
            off in -3..=3i64,
            apart in prop_oneof![
                -5..=5i64,
                -(1i64 << 47)..1 << 47,
                -(1i64 << 47)..-(1i64 << 47) + 3,
                (1i64 << 47) - 3..1 << 47,
            ],
        ) {
            let near = near.wrapping_add_signed(off);
            let stamp = i128::from(near) + i128::from(apart);
            prop_assume!((0..=i128::from(u64::MAX)).contains(&stamp));
            let stamp = stamp as u64;
            prop_assert_eq!(unwrap_stamp(stamp & STAMP_MASK, near), stamp);
        }

        #[test]
        fn any_bits_unwrap_to_a_stamp_with_the_same_low_bits(low in any::<u64>(), near in any::<u64>()) {
            let stamp = unwrap_stamp(low & STAMP_MASK, near);
            prop_assert_eq!(stamp & STAMP_MASK, low & STAMP_MASK);
        }
    }

    #[test]
    fn frames_of_another_length_are_malformed() {
        let header = Header {
            kind: Kind::Eager,
            element: 4,
            context: Context::WORLD,
            tag: 2,
            stamp: 3,
            len: 8,
            transfer: 0,
        };
        let frame = [&header.encode()[..], &[0; 8]].concat();
        assert!(Header::decode(&frame).is_ok());
        assert_eq!(
            Header::decode(&frame[..frame.len() - 1]),
            Err(Malformed::Length { stated: 8, found: 7 })
        );
        assert_eq!(Header::decode(&frame[..23]), Err(Malformed::Short { len: 23, needed: 24 }));
    }
}
