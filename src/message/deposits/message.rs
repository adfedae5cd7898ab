//! What a deposit says to those that read it, and how that lies in the words of its slot.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.

use zerocopy::IntoBytes;

use super::layout::{MOST_BYTES, MOST_WORDS};
use crate::order::{Clock, Rank};

/// The stamp stands above so many bits, in which the lengths are.
pub(super) const LEN_BITS: u32 = 16;

/// The length of the whole has so many of them, that of a head before parts so many, and the last one says
/// whether the sender is behind.
const WHOLE_BITS: u32 = 11;
const HEAD_BITS: u32 = LEN_BITS - WHOLE_BITS - 1;
const BEHIND: usize = 1 << (LEN_BITS - 1);

/// In the place of a length: the message lies elsewhere.
const ELSEWHERE: usize = (1 << WHOLE_BITS) - 1;

// A length that is above the most can be told.
const _: () = assert!(MOST_BYTES < ELSEWHERE - 1);

/// The longest head of a deposit, in bytes.
pub const MOST_HEAD_BYTES: usize = 8 * ((1 << HEAD_BITS) - 1);

/// What a deposit says to those that read it: one message to all, or one to each.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'b> {
    /// How each reader's message begins, in words: at most [`MOST_HEAD_BYTES`].
    pub head: &'b [u64],
    /// What comes behind.
    pub body: Body<'b>,
}

/// What comes behind the head of a deposit.
#[derive(Clone, Copy, Debug)]
pub enum Body<'b> {
    /// The same for all.
    Same(&'b [u8]),
    /// A part for each member, in their order and all of one length, the sender's own among them.
    Parts(&'b [u8]),
}

impl Contents<'_> {
    /// How many bytes lie there, in a group of `members`: those of the sender's own part do not.
    #[inline]
    pub fn len(&self, members: usize) -> usize {
        let body = match self.body {
            Body::Same(body) => body.len(),
            Body::Parts(parts) => parts.len() - parts.len() / members,
        };
        8 * self.head.len() + body
    }

    /// What lies behind the head, in two pieces, one behind the other: the parts for lower members than the sender, and
    /// those for higher ones. What is the same for all is the first.
    #[inline]
    pub(super) fn pieces(&self, (sender, members): (Rank, usize)) -> [&[u8]; 2] {
        match self.body {
            Body::Same(body) => [body, &[]],
            Body::Parts(parts) => {
                let each = parts.len() / members;
                let (lower, rest) = parts.split_at(sender * each);
                [lower, &rest[each..]]
            }
        }
    }

    /// What lies there is so long, and has such a head.
    ///
    /// # Panics
    ///
    /// If it is too long, or parts have no head.
    #[inline]
    pub(super) fn lengths(&self, members: usize) -> Lengths {
        let (whole, head) = (self.len(members), self.head.len());
        assert!(whole <= MOST_BYTES, "a deposit of {whole} bytes");
        assert!(8 * head <= MOST_HEAD_BYTES, "a head of {head} words");
        let head_words = match self.body {
            Body::Same(_) => 0,
            // Without a head, those that read would take all for one message.
            Body::Parts(_) => {
                assert!(head > 0, "parts without a head");
                head
            }
        };
        Lengths { whole, head_words, is_behind: false }
    }
}

/// A length that is above [`MOST_BYTES`]: no correct peer says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct TooLong(pub(in crate::message) usize);

/// How a message lies in its slot, and what is said beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// Of all that lies there, in bytes.
    whole: usize,
    /// Of the head, in words, if parts for each reader come behind; else 0.
    head_words: usize,
    /// Whether its sender has yet to read something of earlier calls.
    pub(super) is_behind: bool,
}

impl Lengths {
    /// None: the message lies elsewhere.
    pub(super) const ELSEWHERE: Lengths =
        Lengths { whole: ELSEWHERE, head_words: 0, is_behind: false };

    /// Whether the message lies elsewhere.
    #[inline]
    pub(super) fn is_elsewhere(self) -> bool {
        self.whole == ELSEWHERE
    }

    /// Those of one message to all.
    #[inline]
    pub(super) fn of_one(whole: usize) -> Lengths {
        Lengths { whole, head_words: 0, is_behind: false }
    }

    /// The same, and whether the sender has yet to read something of earlier calls.
    #[inline]
    pub(super) fn with_behind(self, is_behind: bool) -> Lengths {
        Lengths { is_behind, ..self }
    }

    /// With the stamp, as a word.
    #[inline]
    pub(super) fn encode(self, stamp: Clock) -> u64 {
        let behind = if self.is_behind { BEHIND } else { 0 };
        stamp << LEN_BITS | (behind | self.head_words << WHOLE_BITS | self.whole) as u64
    }

    /// Those in such a word.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if there is no room for so much.
    #[inline]
    pub(super) fn decode(word: u64) -> Result<Lengths, TooLong> {
        let lengths = word as usize & ((1 << LEN_BITS) - 1);
        let whole = lengths & ((1 << WHOLE_BITS) - 1);
        let head_words = lengths >> WHOLE_BITS & ((1 << HEAD_BITS) - 1);
        let is_behind = lengths & BEHIND != 0;
        match whole > MOST_BYTES && whole != ELSEWHERE {
            true => Err(TooLong(whole)),
            false => Ok(Lengths { whole, head_words, is_behind }),
        }
    }

    /// The length of all that lies there, in bytes.
    #[inline]
    pub(super) fn whole(self) -> usize {
        self.whole
    }

    /// How many words the message has, if it is the same for all its readers.
    #[inline]
    pub(super) fn room_of_one(self) -> Option<usize> {
        (self.head_words == 0 && !self.is_elsewhere()).then_some(self.whole.div_ceil(8))
    }

    /// Where that part begins and ends which comes behind the head for `reader`, in bytes, where
    /// `members` have deposited or read, and this member has deposited.
    #[inline]
    fn part(self, reader: Rank, (sender, members): (Rank, usize)) -> (usize, usize) {
        let head = 8 * self.head_words;
        // What is impossible gives an empty part.
        let each = self.whole.saturating_sub(head) / (members - 1).max(1);
        let first = head + each * (reader - usize::from(reader > sender));
        (first, first + each)
    }
}

/// Memory in which messages are put together that are written or read, one at a time.
pub(super) struct Staging {
    /// One more than a slot has: a part need not begin with a word.
    words: Box<[u64; MOST_WORDS + 1]>,
}

impl Staging {
    pub(super) fn new() -> Staging {
        Staging { words: Box::new([0; MOST_WORDS + 1]) }
    }

    /// The bytes that were put there last.
    #[inline]
    pub(super) fn bytes(&self, len: usize) -> &[u8] {
        &self.words.as_bytes()[..len]
    }

    /// Room for a message of so many words, which is read there.
    ///
    /// # Panics
    ///
    /// If there is not so much.
    #[inline]
    pub(super) fn room(&mut self, words: usize) -> &mut [u64] {
        &mut self.words[..words]
    }

    /// Puts a message there, which is so `long`, as it lies in the slot of `sender`, one of `members`.
    #[inline]
    pub(super) fn put(
        &mut self,
        message: &Contents<'_>,
        long: Lengths,
        sender: (Rank, usize),
    ) -> &[u64] {
        let (head, [first, second]) = (message.head, message.pieces(sender));
        self.words[..head.len()].copy_from_slice(head);
        let bytes = &mut self.words.as_mut_bytes()[8 * head.len()..long.whole];
        let (lower, higher) = bytes.split_at_mut(first.len());
        lower.copy_from_slice(first);
        higher.copy_from_slice(second);
        &self.words[..long.whole.div_ceil(8)]
    }

    /// Puts there what the `reader` gets of a message of such `lengths`: head and part, one behind the
    /// other. `copy_into` reads the words of the message from one on. Returns how many bytes.
    #[inline]
    pub(super) fn take(
        &mut self,
        lengths: Lengths,
        reader: Rank,
        of: (Rank, usize),
        copy_into: impl Fn(usize, &mut [u64]),
    ) -> usize {
        if let Some(room) = lengths.room_of_one() {
            copy_into(0, self.room(room));
            return lengths.whole;
        }
        let (first, end) = lengths.part(reader, of);
        // What is impossible ends with the slot.
        let end = end.min(MOST_BYTES).max(first.min(MOST_BYTES));
        let first = first.min(end);
        let head_words = lengths.head_words.min(MOST_WORDS);
        copy_into(0, &mut self.words[..head_words]);
        let (from, to) = (first / 8, end.div_ceil(8));
        copy_into(from, &mut self.words[head_words..][..to - from]);
        let (begins, len) = (8 * head_words, end - first);
        if !first.is_multiple_of(8) {
            let start = begins + first % 8;
            self.words.as_mut_bytes().copy_within(start..start + len, begins);
        }
        begins + len
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Every reader's message, of parts that begin anywhere.
    // SEMANTICS: COL-9
    #[test]
    fn each_reader_gets_the_head_and_its_part() {
        let head = [100, 200];
        for members in 2..=5 {
            for each in [0, 1, 3, 8, 13, 40] {
                let parts: Vec<u8> = (0..members * each).map(|at| at as u8).collect();
                for sender in 0..members {
                    let mut staging = Staging::new();
                    let message = Contents { head: &head, body: Body::Parts(&parts) };
                    let lengths = message.lengths(members);
                    let words = staging.put(&message, lengths, (sender, members)).to_vec();
                    let behind = lengths.with_behind(true);
                    assert_eq!(Lengths::decode(lengths.encode(7)), Ok(lengths));
                    assert_eq!(Lengths::decode(behind.encode(7)), Ok(behind));
                    for reader in (0..members).filter(|&reader| reader != sender) {
                        let copy = |first: usize, into: &mut [u64]| {
                            (first..).zip(into).for_each(|(word, into)| *into = words[word]);
                        };
                        let len = staging.take(lengths, reader, (sender, members), copy);
                        let expected = [head.as_bytes(), &parts[reader * each..][..each]].concat();
                        assert_eq!(staging.bytes(len), expected);
                    }
                }
            }
        }
    }

    /// A peer stores any lengths.
    // SEMANTICS: SAFE-1
    #[test]
    fn false_lengths_give_some_bytes_and_no_panic() {
        let mut staging = Staging::new();
        for word in 0..1 << LEN_BITS {
            let Ok(lengths) = Lengths::decode(word) else {
                assert!(word as usize & 0x7ff > MOST_BYTES);
                continue;
            };
            for of in [(0, 2), (1, 16)] {
                let len = staging.take(lengths, 1 - of.0, of, |_, into| into.fill(1));
                assert!(staging.bytes(len).len() <= MOST_BYTES + 8);
            }
        }
    }
}
