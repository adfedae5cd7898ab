//! Words that peers put into this rank's memory, and those that it puts into theirs: what goes over the connection
//! that each pair of ranks has on the side queue.
//!
//! A word holds what was put last, so of several values that wait only the newest goes. All words that wait for one
//! peer go as one *batch*, in as many messages as it takes, and are seen together: so a rank that sees a word also
//! sees the words that were put before it, though some values in between are never seen.
//!
//! | bytes | a message on the side queue |
//! |---|---|
//! | 0 | kind: a region that was registered, or words |
//! | 1 | whether more of the batch follows |
//! | 2-3 | how many words |
//! | 4-7 | the number of words in the region |
//! | 8.. | for each word: its region (4 bytes), its place there (4), its value (8) |
//!
//! All little-endian. Regions are told in the order of their keys.
//!
//! Keeps rule SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::verbs::RegionKey;

/// The most regions that a rank may register.
pub(super) const MAX_REGIONS: usize = 16;

/// The most words in all regions of a rank.
pub(super) const MAX_WORDS: usize = 1 << 17;

/// How many words go in one message.
const WORDS_PER_MESSAGE: usize = 32;

/// The longest message on the side queue, in bytes.
pub(super) const MESSAGE_BYTES: usize =
    size_of::<HeadWire>() + WORDS_PER_MESSAGE * size_of::<WordWire>();

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct HeadWire {
    kind: u8,
    more: u8,
    count: U16,
    region: U32,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct WordWire {
    region: U32,
    place: U32,
    value: U64,
}

const REGION: u8 = 1;
const WORDS: u8 = 2;

/// A word of a rank: its region and its place there.
type RegionWord = (u32, u32);

/// The words that peers have put here.
#[derive(Debug, Default)]
pub(super) struct Regions {
    regions: Vec<Box<[u64]>>,
    words: usize,
}

/// What is known of one peer's regions, and what waits to be put there and to be seen here.
#[derive(Debug, Default)]
pub(super) struct PeerWords {
    /// The number of words in each of its regions.
    known: Vec<u32>,
    words_known: usize,
    /// How many regions of this rank it was told of.
    told: usize,
    /// What was put since the batch was begun, in the order of places. A list, which keeps its memory; mostly it is short.
    waiting: Vec<(RegionWord, u64)>,
    /// What is still to be sent of the batch, its last word first.
    batch: Vec<(RegionWord, u64)>,
    /// What has come of a batch.
    staged: Vec<(RegionWord, u64)>,
}

impl Regions {
    /// Makes a region; None above the limits.
    pub(super) fn register(&mut self, words: usize) -> Option<RegionKey> {
        let total = self.words.checked_add(words).filter(|&total| total <= MAX_WORDS)?;
        let key = self.regions.len();
        if key == MAX_REGIONS {
            return None;
        }
        self.words = total;
        self.regions.push(vec![0; words].into_boxed_slice());
        Some(RegionKey(key as u32))
    }

    /// The number of regions.
    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn read(&self, key: RegionKey, word: usize) -> Option<u64> {
        self.regions.get(key.0 as usize)?.get(word).copied()
    }

    /// Whether there is such a word, which then has this value.
    pub(super) fn write(&mut self, key: RegionKey, word: usize, value: u64) -> bool {
        let region = self.regions.get_mut(key.0 as usize);
        let Some(place) = region.and_then(|region| region.get_mut(word)) else { return false };
        *place = value;
        true
    }
}

impl PeerWords {
    /// Whether the peer has such a word; None where nothing is known of such a region.
    pub(super) fn has(&self, key: RegionKey, word: usize) -> Option<bool> {
        self.known.get(key.0 as usize).map(|&words| word < words as usize)
    }

    /// Puts a word that the peer [has](Self::has).
    pub(super) fn put(&mut self, key: RegionKey, word: usize, value: u64) {
        let place = (key.0, word as u32);
        match self.waiting.binary_search_by_key(&place, |&(known, _)| known) {
            Ok(at) => self.waiting[at].1 = value,
            Err(at) => self.waiting.insert(at, (place, value)),
        }
    }

    /// Whether something is to be sent.
    pub(super) fn has_message(&self, regions: &Regions) -> bool {
        self.told < regions.len() || self.has_words()
    }

    /// Whether words wait to be sent.
    pub(super) fn has_words(&self) -> bool {
        !self.batch.is_empty() || !self.waiting.is_empty()
    }

    /// The next message for the peer, if there is one, in `into`, which has room for the longest. Returns its length.
    pub(super) fn poll_message(&mut self, regions: &Regions, into: &mut [u8]) -> Option<usize> {
        if let Some(region) = regions.regions.get(self.told) {
            self.told += 1;
            let head = HeadWire {
                kind: REGION,
                more: 0,
                count: 0.into(),
                region: (region.len() as u32).into(),
            };
            into[..size_of::<HeadWire>()].copy_from_slice(head.as_bytes());
            return Some(size_of::<HeadWire>());
        }
        if self.batch.is_empty() {
            self.batch.extend(self.waiting.drain(..).rev());
        }
        let count = self.batch.len().min(WORDS_PER_MESSAGE);
        if count == 0 {
            return None;
        }
        let words = self.batch.drain(self.batch.len() - count..).rev();
        let mut len = size_of::<HeadWire>();
        for ((region, place), value) in words {
            let word = WordWire { region: region.into(), place: place.into(), value: value.into() };
            into[len..len + size_of::<WordWire>()].copy_from_slice(word.as_bytes());
            len += size_of::<WordWire>();
        }
        let more = u8::from(!self.batch.is_empty());
        let head = HeadWire { kind: WORDS, more, count: (count as u16).into(), region: 0.into() };
        into[..size_of::<HeadWire>()].copy_from_slice(head.as_bytes());
        Some(len)
    }

    /// Takes in a message of the peer. Returns whether words of this rank have changed.
    ///
    /// # Errors
    ///
    /// What of it is impossible.
    pub(super) fn handle_message(
        &mut self,
        regions: &mut Regions,
        message: &[u8],
    ) -> Result<bool, &'static str> {
        const MESSAGE: &str = "message on the side queue";
        let (head, rest) = HeadWire::ref_from_prefix(message).map_err(|_| MESSAGE)?;
        match (head.kind, head.more, head.count.get()) {
            (REGION, 0, 0) if rest.is_empty() => {
                let words = head.region.get();
                self.words_known = self.words_known.saturating_add(words as usize);
                if self.known.len() == MAX_REGIONS || self.words_known > MAX_WORDS {
                    return Err("region");
                }
                self.known.push(words);
                Ok(false)
            }
            (WORDS, more @ (0 | 1), count @ 1..) => {
                let words = <[WordWire]>::ref_from_bytes(rest).map_err(|_| MESSAGE)?;
                if words.len() != usize::from(count) || head.region.get() != 0 {
                    return Err(MESSAGE);
                }
                // Of a batch each word comes once.
                if self.staged.len() + words.len() > regions.words {
                    return Err("number of words");
                }
                for word in words {
                    let place = (word.region.get(), word.place.get());
                    if regions.read(RegionKey(place.0), place.1 as usize).is_none() {
                        return Err("place of a word");
                    }
                    self.staged.push((place, word.value.get()));
                }
                if more == 1 {
                    return Ok(false);
                }
                for ((region, place), value) in self.staged.drain(..) {
                    regions.write(RegionKey(region), place as usize, value);
                }
                Ok(true)
            }
            _ => Err(MESSAGE),
        }
    }

    /// The peer has gone: nothing waits for it any more.
    pub(super) fn handle_gone(&mut self) {
        self.waiting.clear();
        self.batch.clear();
        self.told = MAX_REGIONS;
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// What `from` has for its peer, message by message.
    fn send(from: &mut PeerWords, regions: &Regions) -> Vec<Vec<u8>> {
        let mut buffer = [0; MESSAGE_BYTES];
        std::iter::from_fn(|| {
            let len = from.poll_message(regions, &mut buffer)?;
            Some(buffer[..len].to_vec())
        })
        .collect()
    }

    fn two_ends(words: usize) -> (PeerWords, PeerWords, Regions) {
        let (mut here, mut there) = (PeerWords::default(), PeerWords::default());
        let mut regions = Regions::default();
        regions.register(words).expect("within the limits");
        for message in send(&mut there, &regions) {
            assert_eq!(here.handle_message(&mut Regions::default(), &message), Ok(false));
        }
        (here, there, regions)
    }

    const KEY: RegionKey = RegionKey(0);

    #[test]
    fn a_region_is_known_when_it_was_told() {
        let (here, _, _) = two_ends(3);
        assert_eq!(
            [0, 2, 3].map(|word| here.has(KEY, word)),
            [Some(true), Some(true), Some(false)]
        );
        assert_eq!(here.has(RegionKey(1), 0), None);
    }

    #[test]
    fn of_several_values_the_newest_goes() {
        let (mut here, mut there, mut regions) = two_ends(2);
        [5, 6, 7].iter().for_each(|&value| here.put(KEY, 1, value));
        let sent = send(&mut here, &Regions::default());
        assert_eq!(sent.len(), 1);
        assert_eq!(there.handle_message(&mut regions, &sent[0]), Ok(true));
        assert_eq!((regions.read(KEY, 0), regions.read(KEY, 1)), (Some(0), Some(7)));
        assert!(!here.has_message(&Regions::default()));
    }

    #[test]
    fn words_that_were_put_before_are_seen_before_or_together() {
        let (mut here, mut there, mut regions) = two_ends(100);
        (0..100).for_each(|word| here.put(KEY, word, 1));
        let mut buffer = [0; MESSAGE_BYTES];
        let len = here.poll_message(&Regions::default(), &mut buffer).expect("a message");
        let mut sent = vec![buffer[..len].to_vec()];
        // These come after the batch of which a part has been sent.
        (0..100).for_each(|word| here.put(KEY, word, 2));
        sent.extend(send(&mut here, &Regions::default()));
        let mut seen = Vec::new();
        for message in sent {
            if there.handle_message(&mut regions, &message) == Ok(true) {
                let all = (0..100).map(|word| regions.read(KEY, word).expect("it exists"));
                seen.push(all.collect::<Vec<_>>());
            }
        }
        assert_eq!(seen, [vec![1; 100], vec![2; 100]]);
    }

    proptest! {
        // SEMANTICS: SAFE-1
        #[test]
        fn any_message_is_taken_or_impossible(
            mut messages in vec(vec(any::<u8>(), 0..80), 1..20),
            kind in 0..4u8,
        ) {
            let (_, mut there, mut regions) = two_ends(3);
            for message in &mut messages {
                // Mostly the right kind and length; places near those that exist.
                message.iter_mut().take(1).for_each(|byte| *byte = kind);
                message.iter_mut().skip(1).take(7).for_each(|byte| *byte %= 3);
                message.iter_mut().skip(8).for_each(|byte| *byte %= 4);
                let _ = there.handle_message(&mut regions, message);
                prop_assert!(there.staged.len() <= 3 && there.known.len() <= MAX_REGIONS);
            }
        }
    }
}
