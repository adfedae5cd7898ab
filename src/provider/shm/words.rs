//! Words in a segment: those that all ranks share, those that peers put into a rank's registered
//! memory, and the shared ones that another network writes as well.
//!
//! What a word means is the caller's to say; how it is ordered is `provider/words`'.

use std::fmt;

use zerocopy::IntoBytes;

use super::nic::ShmNic;
use crate::order::Rank;
use crate::provider::words;
use crate::sys::atomic::{Ordering, fence};
use crate::sys::lines::bring_to_write;
use crate::sys::memory::{AtomicU64, Mapped};
use crate::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, SharedWords, VerbsError};

impl SharedWords for ShmNic {
    #[inline]
    fn count(&self) -> usize {
        self.shared.len()
    }

    #[inline]
    fn load(&self, word: usize) -> u64 {
        words::read(&self.shared[word])
    }

    #[inline]
    fn store(&self, word: usize, value: u64) {
        self.publish(word, value);
    }

    // Others wait for this store. Out of line it comes a call later.
    #[inline(always)]
    fn publish(&self, word: usize, value: u64) -> bool {
        words::publish(&self.shared[word], value, || self.fences.light())
    }

    #[inline]
    fn fill(&self, first: usize, values: &[u64]) {
        self.fill_bytes(first, values.as_bytes());
    }

    #[inline]
    fn fill_bytes(&self, first: usize, bytes: &[u8]) {
        words::fill_bytes(&self.shared[first..], bytes);
    }

    #[inline(always)]
    fn prepare_to_fill(&self, first: usize, words: usize) {
        if let Some(words) = self.shared.get(first..first + words) {
            bring_to_write(words.as_ptr().cast(), size_of_val(words));
        }
    }

    #[inline]
    fn copy_into(&self, first: usize, values: &mut [u64]) {
        self.fences.note_taken();
        words::copy_into(&self.shared[first..], values);
    }
}

/// Where all ranks share words, those serve barriers better.
impl RemoteWords for ShmNic {
    fn is_one_sided(&self) -> bool {
        false
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        self.regions.register(&self.attributes, words)
    }

    #[inline]
    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        // The fence pairs with those of `fetch` and of itself at the peer: see the trait.
        words::publish(self.word_of(peer, key, word)?, value, || fence(Ordering::SeqCst));
        if mode.wakes() {
            self.wake_with_news(peer);
        }
        Ok(true)
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        let place = self.word_of(peer, key, word)?;
        // Pairs with the fence of `post_put`.
        fence(Ordering::SeqCst);
        Ok(Fetched::Word(words::read(place)))
    }

    #[inline]
    fn read(&self, _: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(words::read(self.word_of(self.rank(), key, word)?))
    }
}

impl ShmNic {
    /// A word of a region that this rank has, at any rank.
    #[inline]
    fn word_of(&self, peer: Rank, key: RegionKey, word: usize) -> Result<&AtomicU64, VerbsError> {
        let registered = self.registered.get(peer).ok_or_else(|| self.no_such_peer(peer))?;
        let place = self.regions.index(key, word).and_then(|index| registered.get(index));
        place.ok_or(VerbsError::NoSuchWord { peer, key, word })
    }

    /// Some of the shared words, to be written by another network.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn exposed(&self, first: usize, words: usize) -> Exposed {
        Exposed(self.shared.part(first, words))
    }
}

/// Shared words that another network writes as well, for ranks that have no part in this one.
pub struct Exposed(pub(in crate::provider) Mapped<AtomicU64>);

impl Exposed {
    /// How much memory they take, in bytes.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(in crate::provider) fn bytes(&self) -> usize {
        self.0.len() * 8
    }

    /// Writes a word. False if there is none of this number.
    pub(in crate::provider) fn write(&self, word: usize, value: u64) -> bool {
        self.0.get(word).map(|place| words::write(place, value)).is_some()
    }
}

impl fmt::Debug for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} shared words", self.0.len())
    }
}
