//! How the first word of a cell and a returned descriptor are written as one number each.
//!
//! Both carry the *lap*: how often their ring has come round. A reader knows which lap comes next;
//! a word of the lap before says "nothing yet", and any other is impossible. Zero is the lap before
//! the first. Nothing here is trusted: decoding checks lap, length and buffer.

use crate::provider::buffer::gather;

/// The longest message that lies in its cell, in bytes: what its first word leaves of a cache line.
pub(super) const INLINE_BYTES: usize = 56;
/// Words of a cell: the first, and those of a short message.
pub(super) const CELL_WORDS: usize = 8;
pub(super) const INLINE_WORDS: usize = INLINE_BYTES / 8;
const _: () = assert!(1 + INLINE_WORDS == CELL_WORDS);

const LEN_BITS: u32 = 22;
const BUFFER_BITS: u32 = 18;
/// A lap is cut to these bits, in both words: a reader tells apart three of them at most.
const LAP_BITS: u32 = 64 - LEN_BITS - BUFFER_BITS;
const LAP_MASK: u64 = (1 << LAP_BITS) - 1;

/// A place in a ring, which one end goes through place by place. What it needs there it keeps,
/// since it looks far more often than it comes round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor<const WORDS: usize> {
    /// The index of the first word of the place.
    pub(super) index: usize,
    /// The lap with which a filled place is marked.
    pub(super) lap: u64,
    /// The lap with which an empty place is marked.
    pub(super) before: u64,
    end: usize,
}

impl<const WORDS: usize> Cursor<WORDS> {
    /// The first place of a ring of `places`, of `WORDS` words each.
    pub(super) fn new(places: usize) -> Self {
        Self { index: 0, lap: 1, before: 0, end: places * WORDS }
    }

    #[inline(always)]
    pub(super) fn advance(&mut self) {
        self.index += WORDS;
        if self.index == self.end {
            self.index = 0;
            (self.before, self.lap) = (self.lap, (self.lap + 1) & LAP_MASK);
        }
    }

    /// The first word of an empty message that lies in its cell, at this place; those of others
    /// that do say besides how long they are.
    #[inline(always)]
    pub(super) fn inline_word(&self) -> u64 {
        encode(self.lap, Storage::Inline, 0)
    }
}

/// Where a message lies, or lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Inline,
    Buffer(u32),
}

/// What a word says to a rank that waits for the next lap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<T> {
    NotYet,
    Here(T),
    Impossible,
}

/// The first word of a cell. `len` is below 2^22 and the buffer below 2^18 - 1.
#[inline]
pub(super) fn encode(lap: u64, place: Storage, len: usize) -> u64 {
    let buffer = match place {
        Storage::Inline => 0,
        Storage::Buffer(buffer) => u64::from(buffer) + 1,
    };
    debug_assert!(len < 1 << LEN_BITS && buffer < 1 << BUFFER_BITS);
    len as u64 | buffer << LEN_BITS | lap << (LEN_BITS + BUFFER_BITS)
}

/// The lap of a first word. Less work than [`decode`], and enough for a look in vain.
#[inline]
pub(super) fn lap_of(word: u64) -> u64 {
    word >> (LEN_BITS + BUFFER_BITS)
}

/// The [`lap_of`] a word that [`decode`]s as [`Word::NotYet`] in this lap.
#[inline]
pub(super) fn before(lap: u64) -> u64 {
    lap.wrapping_sub(1) & LAP_MASK
}

/// What the first word of a cell says to a rank that waits for `lap`. The length may still be any
/// below 2^22, and the buffer any.
#[inline]
pub(super) fn decode(word: u64, lap: u64) -> Word<(Storage, usize)> {
    let found = lap_of(word);
    if found != lap {
        return if found == before(lap) { Word::NotYet } else { Word::Impossible };
    }
    let buffer = (word >> LEN_BITS) as u32 & ((1 << BUFFER_BITS) - 1);
    let place = buffer.checked_sub(1).map_or(Storage::Inline, Storage::Buffer);
    Word::Here((place, (word & ((1 << LEN_BITS) - 1)) as usize))
}

/// The words of `header` and behind it `payload`, the last one filled up with zeros; of at most
/// [`INLINE_BYTES`] bytes. One by one, since to copy a few bytes of a number that is not known
/// beforehand takes a call.
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

    fn places() -> impl Strategy<Value = Storage> {
        prop_oneof![Just(Storage::Inline), (0..(1_u32 << 18) - 1).prop_map(Storage::Buffer)]
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
        fn an_encoded_word_decodes_to_itself(lap in 0..=LAP_MASK, place in places(), len in 0..1_usize << 22) {
            prop_assert_eq!(decode(encode(lap, place, len), lap), Word::Here((place, len)));
        }

        #[test]
        fn a_word_of_the_previous_lap_is_not_yet_a_message(
            lap in 0..=LAP_MASK, place in places(), len in 0..1_usize << 22,
        ) {
            let next = (lap + 1) & LAP_MASK;
            prop_assert_eq!(decode(encode(lap, place, len), next), Word::NotYet);
            prop_assert_eq!(lap_of(encode(lap, place, len)), before(next));
            prop_assert_eq!(decode(encode(next, place, len), lap), Word::Impossible);
        }

        #[test]
        fn decoding_any_word_does_not_panic(word: u64, lap in 0..=LAP_MASK) {
            if let Word::Here((place, len)) = decode(word, lap) {
                prop_assert_eq!(encode(lap, place, len), word);
            }
            prop_assert_eq!(lap_of(word) == before(lap), decode(word, lap) == Word::NotYet);
        }

        /// One subtraction tells what lies in its cell from all else.
        #[test]
        fn a_word_above_the_empty_one_is_a_short_message(
            word: u64, shift in 0..17_u32, steps in 0..300_u64, near in any::<bool>(),
        ) {
            let at = walked::<1>(shift, steps);
            let word = if near { at.inline_word().wrapping_add(word % 70).wrapping_sub(3) } else { word };
            let above = word.wrapping_sub(at.inline_word());
            let short = match decode(word, at.lap) {
                Word::Here((Storage::Inline, len)) if len <= INLINE_BYTES => Some(len as u64),
                _ => None,
            };
            prop_assert_eq!(short, (above <= INLINE_BYTES as u64).then_some(above));
        }

        #[test]
        fn a_cursor_wraps_into_the_next_lap(shift in 0..6_u32, steps in 0..300_u64) {
            let at = walked::<3>(shift, steps);
            let places = 1 << shift;
            let (index, lap) = ((steps % places) as usize * 3, steps / places + 1);
            prop_assert_eq!((at.index, at.lap, at.before), (index, lap, before(lap)));
        }
    }

    fn walked<const WORDS: usize>(shift: u32, steps: u64) -> Cursor<WORDS> {
        let mut at = Cursor::new(1 << shift);
        (0..steps).for_each(|_| at.advance());
        at
    }

    #[test]
    fn a_lap_is_cut_to_its_bits() {
        let mut at = Cursor::<1> { lap: LAP_MASK, ..Cursor::new(1) };
        at.advance();
        assert_eq!((at.before, at.lap), (LAP_MASK, 0));
        assert_eq!(decode(encode(LAP_MASK, Storage::Inline, 7), at.lap), Word::NotYet);
    }

    #[test]
    fn zero_is_the_lap_before_the_first() {
        for places in [1, 2, 64] {
            let mut at = Cursor::<1>::new(places);
            for _ in 0..places {
                assert_eq!(decode(0, at.lap), Word::NotYet);
                at.advance();
            }
            assert_eq!(decode(0, at.lap), Word::Impossible);
        }
    }
}
