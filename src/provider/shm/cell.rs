//! How the first word of a cell and a returned descriptor are written as one number each.
//!
//! Both carry the *lap*: how often their ring has come round. A reader knows which lap comes next; a
//! word of the lap before says "nothing yet", and any other is impossible. Zero is the lap before
//! the first. Nothing here is trusted: decoding checks lap, length and buffer.

use crate::provider::buffer::gather;

/// The longest message that lies in its cell, in bytes: what its first word leaves of a cache line.
pub(super) const INLINE_BYTES: usize = 56;
/// Words of a cell: the first, and those of a short message.
pub(super) const CELL_WORDS: usize = 8;
pub(super) const INLINE_WORDS: usize = INLINE_BYTES / 8;

const LEN_BITS: u32 = 22;
const BUFFER_BITS: u32 = 18;
/// A lap is cut to these bits, in both words: a reader tells apart three of them at most.
const LAP_BITS: u32 = 64 - LEN_BITS - BUFFER_BITS;
const LAP_MASK: u64 = (1 << LAP_BITS) - 1;

/// A place in a ring of `1 << shift` places, by how many were used before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) count: u64,
    pub(super) shift: u32,
}

impl Position {
    /// The index of the place.
    #[inline]
    pub(super) fn index(self) -> usize {
        (self.count & ((1 << self.shift) - 1)) as usize
    }

    #[inline]
    fn lap(self) -> u64 {
        (self.count >> self.shift).wrapping_add(1) & LAP_MASK
    }
}

/// Where a message lies, or lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inline,
    Buffer(u32),
}

/// What a word says to who waits for the next lap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<T> {
    NotYet,
    Here(T),
    Impossible,
}

/// The first word of a cell. `len` is below 2^22 and the buffer below 2^18 - 1.
#[inline]
pub(super) fn encode(at: Position, place: Place, len: usize) -> u64 {
    let buffer = match place {
        Place::Inline => 0,
        Place::Buffer(buffer) => u64::from(buffer) + 1,
    };
    debug_assert!(len < 1 << LEN_BITS && buffer < 1 << BUFFER_BITS);
    len as u64 | buffer << LEN_BITS | at.lap() << (LEN_BITS + BUFFER_BITS)
}

/// The lap of a first word. Less work than [`decode`], and enough for who looks in vain.
#[inline]
pub(super) fn lap_of(word: u64) -> u64 {
    word >> (LEN_BITS + BUFFER_BITS)
}

/// The [`lap_of`] a word that [`decode`]s as [`Word::NotYet`] at this place.
#[inline]
pub(super) fn before(at: Position) -> u64 {
    at.lap().wrapping_sub(1) & LAP_MASK
}

/// What the first word of a cell says. The length may still be any below 2^22, and the buffer any.
#[inline]
pub(super) fn decode(word: u64, at: Position) -> Word<(Place, usize)> {
    let lap = lap_of(word);
    if lap != at.lap() {
        return if lap == before(at) { Word::NotYet } else { Word::Impossible };
    }
    let buffer = (word >> LEN_BITS) as u32 & ((1 << BUFFER_BITS) - 1);
    let place = buffer.checked_sub(1).map_or(Place::Inline, Place::Buffer);
    Word::Here((place, (word & ((1 << LEN_BITS) - 1)) as usize))
}

/// The words of `header` and behind it `payload`, the last one filled up with zeros; of at most
/// [`INLINE_BYTES`] bytes. One by one, since to copy a few bytes of a number that is not known beforehand
/// takes a call.
#[inline(always)]
pub(super) fn for_each_word(header: &[u8], payload: &[u8], mut emit: impl FnMut(usize, u64)) {
    let (whole, rest) = header.as_chunks();
    for (at, word) in whole.iter().enumerate() {
        emit(at, u64::from_ne_bytes(*word));
    }
    if rest.is_empty() {
        each_of(payload, |at, word| emit(whole.len() + at, word));
    } else {
        let mut bytes = [0; INLINE_BYTES];
        gather(&mut bytes, rest, payload);
        let bytes = &bytes[..rest.len() + payload.len()];
        each_of(bytes, |at, word| emit(whole.len() + at, word));
    }
}

#[inline(always)]
fn each_of(bytes: &[u8], mut emit: impl FnMut(usize, u64)) {
    let (whole, rest) = bytes.as_chunks();
    for (at, word) in whole.iter().enumerate() {
        emit(at, u64::from_ne_bytes(*word));
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last.iter_mut().zip(rest).for_each(|(into, from)| *into = *from);
        emit(whole.len(), u64::from_ne_bytes(last));
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use zerocopy::IntoBytes;

    use super::*;

    fn places() -> impl Strategy<Value = Place> {
        prop_oneof![Just(Place::Inline), (0..(1_u32 << 18) - 1).prop_map(Place::Buffer)]
    }

    proptest! {
        #[test]
        fn a_message_is_cut_into_words(
            header in vec(any::<u8>(), 0..30), payload in vec(any::<u8>(), 0..27),
        ) {
            let mut words = Vec::new();
            for_each_word(&header, &payload, |at, word| {
                assert_eq!(at, words.len());
                words.push(word);
            });
            let message = [header, payload].concat();
            prop_assert_eq!(words.len(), message.len().div_ceil(8));
            let (bytes, zeros) = words.as_bytes().split_at(message.len());
            prop_assert_eq!(bytes, &message);
            prop_assert!(zeros.iter().all(|&byte| byte == 0));
        }

        #[test]
        fn what_was_written_is_read(
            count: u64, shift in 0..17_u32, place in places(), len in 0..1_usize << 22,
        ) {
            let at = Position { count, shift };
            prop_assert_eq!(decode(encode(at, place, len), at), Word::Here((place, len)));
        }

        #[test]
        fn the_lap_before_is_nothing_yet(
            count: u64, shift in 0..17_u32, place in places(), len in 0..1_usize << 22,
        ) {
            let at = Position { count, shift };
            let next = Position { count: count.wrapping_add(1 << shift), shift };
            prop_assert_eq!(next.index(), at.index());
            prop_assert_eq!(decode(encode(at, place, len), next), Word::NotYet);
            prop_assert_eq!(lap_of(encode(at, place, len)), before(next));
            prop_assert_eq!(decode(encode(next, place, len), at), Word::Impossible);
        }

        #[test]
        fn any_word_can_be_read(word: u64, count: u64, shift in 0..17_u32) {
            let at = Position { count, shift };
            if let Word::Here((place, len)) = decode(word, at) {
                prop_assert_eq!(encode(at, place, len), word);
            }
            prop_assert_eq!(lap_of(word) == before(at), decode(word, at) == Word::NotYet);
        }
    }

    #[test]
    fn zero_is_the_lap_before_the_first() {
        for shift in 0..17 {
            for count in [0, (1 << shift) - 1] {
                assert_eq!(decode(0, Position { count, shift }), Word::NotYet);
            }
            assert_eq!(decode(0, Position { count: 1 << shift, shift }), Word::Impossible);
        }
    }
}
