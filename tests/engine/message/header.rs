//! The header of a message, byte by byte as its table says, and what becomes of a damaged one.
//!
//! The round trip alone would not notice a field that is written and read in the wrong place; here an
//! encoder of its own stands beside it.

use proptest::collection::vec;
use proptest::prelude::*;
use runahead::internals::message::{Context, Header, Kind, Malformed};

/// The table at the head of `src/message/header.rs`: first and last byte of each field. The context
/// lies in two places.
const KIND: usize = 0;
const ELEMENT: usize = 1;
const CONTEXT_LOW: [usize; 2] = [2, 3];
const TAG: [usize; 2] = [4, 7];
const STAMP: [usize; 2] = [8, 13];
const CONTEXT_HIGH: [usize; 2] = [14, 15];
const LEN: [usize; 2] = [16, 19];
const TRANSFER: [usize; 2] = [20, 23];

prop_compose! {
    /// Any header, with a payload that fits it.
    fn message()(
        kind in prop_oneof![
            Just(Kind::Eager),
            Just(Kind::Request),
            Just(Kind::Segment),
            Just(Kind::Exposed),
            Just(Kind::Reads),
            Just(Kind::Confirmed),
        ],
        (element, context, tag) in any::<(u8, u32, u32)>(),
        stamp in 0..1u64 << 48,
        stated in 0..=Header::MOST_BYTES,
        transfer in any::<u32>(),
        payload in vec(any::<u8>(), 0..40),
    ) -> (Header, Vec<u8>) {
        let context = Context::from_bits(context);
        let (len, payload) = match kind {
            Kind::Request => (stated, Vec::new()),
            Kind::Exposed => (stated, vec![5; 16]),
            _ => (payload.len() as u64, payload),
        };
        (Header { kind, element, context, tag, stamp, len, transfer }, payload)
    }
}

/// The header as the table says.
fn by_the_table(header: &Header) -> Vec<u8> {
    let mut bytes = vec![0; 24];
    let mut put = |[first, last]: [usize; 2], value: u64| {
        bytes[first..=last].copy_from_slice(&value.to_le_bytes()[..=last - first]);
    };
    let kind = match header.kind {
        Kind::Eager => 1,
        Kind::Request => 2,
        Kind::Segment => 3,
        Kind::Exposed => 4,
        Kind::Reads => 5,
        Kind::Confirmed => 6,
    };
    // The kind has three bits, and what the length has above 32 the other five.
    put([KIND; 2], kind | (header.len >> 32) << 3);
    put([ELEMENT; 2], header.element.into());
    put(CONTEXT_LOW, u64::from(header.context.bits()) & 0xffff);
    put(TAG, header.tag.into());
    put(STAMP, header.stamp);
    put(CONTEXT_HIGH, u64::from(header.context.bits()) >> 16);
    put(LEN, header.len & 0xffff_ffff);
    put(TRANSFER, header.transfer.into());
    bytes
}

/// What differs between two headers, as the bytes of the table.
fn differing(one: &Header, other: &Header) -> Vec<[usize; 2]> {
    let context = one.context.bits() ^ other.context.bits();
    let fields = [
        (one.kind != other.kind || one.len >> 32 != other.len >> 32, [KIND; 2]),
        (one.element != other.element, [ELEMENT; 2]),
        (context & 0xffff != 0, CONTEXT_LOW),
        (one.tag != other.tag, TAG),
        (one.stamp != other.stamp, STAMP),
        (context >> 16 != 0, CONTEXT_HIGH),
        (one.len as u32 != other.len as u32, LEN),
        (one.transfer != other.transfer, TRANSFER),
    ];
    fields.into_iter().filter(|(differs, _)| *differs).map(|(_, bytes)| bytes).collect()
}

proptest! {
    /// SEMANTICS: CLK-1
    #[test]
    fn every_field_lies_where_the_table_says((header, payload) in message()) {
        let table = by_the_table(&header);
        prop_assert_eq!(&header.encode()[..], &table[..]);
        let frame = [&table[..], &payload].concat();
        prop_assert_eq!(Header::decode(&frame), Ok((header, &payload[..])));
    }

    /// One bit that flips, in any place: an error that says what is wrong, or another value of the
    /// field that the bit belongs to, and of no other.
    ///
    /// SEMANTICS: SAFE-1
    #[test]
    fn a_flipped_bit_is_an_error_or_stays_in_its_field((header, payload) in message()) {
        let whole = [&header.encode()[..], &payload].concat();
        for bit in 0..8 * Header::BYTES {
            let mut frame = whole.clone();
            frame[bit / 8] ^= 1 << (bit % 8);
            match Header::decode(&frame) {
                Ok((other, rest)) => {
                    let differing = differing(&header, &other);
                    prop_assert!(differing.len() == 1, "bit {}: {:?}", bit, other);
                    let [first, last] = differing[0];
                    prop_assert!((first..=last).contains(&(bit / 8)), "bit {}: {:?}", bit, other);
                    prop_assert_eq!(rest, &payload[..]);
                }
                Err(Malformed::Kind(kind)) => {
                    prop_assert!(bit / 8 == KIND && kind == frame[KIND] && !(1..=3).contains(&kind));
                }
                Err(Malformed::Length { stated, found }) => {
                    // The length, or a kind for which it means something else.
                    prop_assert!((LEN[0]..=LEN[1]).contains(&(bit / 8)) || bit / 8 == KIND);
                    prop_assert!(stated != found && found == payload.len());
                }
                Err(other) => prop_assert!(false, "bit {}: {}", bit, other),
            }
        }
    }

    /// Every shorter frame, and every longer one.
    ///
    /// SEMANTICS: SAFE-1
    #[test]
    fn a_frame_of_another_length_is_an_error((header, payload) in message(), more in 1..20usize) {
        let whole = [&header.encode()[..], &payload].concat();
        for len in 0..whole.len() {
            let expected = match len.checked_sub(Header::BYTES) {
                None => Malformed::Short { len, needed: Header::BYTES },
                Some(found) => Malformed::Length { stated: payload.len(), found },
            };
            prop_assert_eq!(Header::decode(&whole[..len]), Err(expected));
        }
        let longer = [&whole[..], &vec![0; more]].concat();
        let (stated, found) = (payload.len(), payload.len() + more);
        prop_assert_eq!(Header::decode(&longer), Err(Malformed::Length { stated, found }));
    }
}
