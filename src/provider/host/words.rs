//! Remote and shared words on one network or two. With two, a word that a rank puts into its own
//! memory goes into both, and each host has shared words of its own.

use zerocopy::IntoBytes;

use super::both::Both;
use super::{Either, Far, Host, Networks, either};
use crate::order::Rank;
use crate::verbs::{
    Fetched, Nic, PutMode, RegionKey, RemoteWords, SharedWords, VerbsError, Written,
};

/// The remote words of a network that has them.
#[inline(always)]
fn remote<N: Nic>(nic: &N) -> &N::RemoteWords {
    nic.remote_words().expect("the host has remote words only if its networks have")
}

/// As [`remote`].
#[inline(always)]
fn remote_mut<N: Nic>(nic: &mut N) -> &mut N::RemoteWords {
    nic.remote_words_mut().expect("the host has remote words only if its networks have")
}

impl<A: Nic, B: Far> Both<A, B> {
    /// Registers a region with both networks, or with neither: a key means the same to both.
    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        // What is above the limits of one is refused before the other has registered it.
        let mut regions = self.regions.clone();
        let key = regions.register(&self.attributes, words)?;
        // The far network comes first: a device may refuse what is within its limits.
        let far = remote_mut(&mut self.far).register(words)?;
        let near = remote_mut(&mut self.near).register(words)?;
        self.regions = regions;
        // Nobody else registers, so both count as this does.
        match near == key && far == key {
            true => Ok(key),
            false => Err(VerbsError::NoSuchWord { peer: self.attributes.rank, key: far, word: 0 }),
        }
    }
}

impl<A: Nic, B: Far> RemoteWords for Host<A, B> {
    /// With two networks, those between hosts decide.
    fn is_one_sided(&self) -> bool {
        match &self.0 {
            Networks::Near(near) => remote(near).is_one_sided(),
            Networks::Far(far) => remote(far).is_one_sided(),
            Networks::Both(both) => remote(&both.far).is_one_sided(),
        }
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        match &mut self.0 {
            Networks::Near(near) => remote_mut(near).register(words),
            Networks::Far(far) => remote_mut(far).register(words),
            Networks::Both(both) => both.register(words),
        }
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
        if let Networks::Both(both) = &mut self.0
            && peer == both.attributes.rank
        {
            // A rank has always room in its own memory.
            remote_mut(&mut both.far).post_put(peer, key, word, value, mode)?;
        }
        either!(self.reach_mut(peer), nic => remote_mut(nic).post_put(peer, key, word, value, mode))
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        either!(self.reach_mut(peer), nic => remote_mut(nic).fetch(peer, key, word))
    }

    #[inline]
    fn read(&self, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        either!(self.reach(writer), nic => remote(nic).read(writer, key, word))
    }
}

/// The shared words of a network that has some.
#[inline(always)]
fn shared<N: Nic>(nic: &N) -> &N::SharedWords {
    nic.shared_words().expect("a network with shared words")
}

/// The number of shared words of a network.
pub(super) fn count<N: Nic>(nic: &N) -> usize {
    nic.shared_words().map_or(0, SharedWords::count)
}

impl<A: Nic, B: Far> SharedWords for Host<A, B> {
    fn count(&self) -> usize {
        match &self.0 {
            Networks::Near(near) => count(near),
            Networks::Far(far) => count(far),
            Networks::Both(both) => both.words,
        }
    }

    #[inline(always)]
    fn load(&self, word: usize) -> u64 {
        match &self.0 {
            Networks::Near(near) => shared(near).load(word),
            Networks::Far(far) => shared(far).load(word),
            Networks::Both(both) => shared(&both.near).load(both.word(word)),
        }
    }

    #[inline(always)]
    fn store(&self, word: usize, value: u64) {
        match &self.0 {
            Networks::Near(near) => shared(near).store(word, value),
            Networks::Far(far) => shared(far).store(word, value),
            Networks::Both(both) => shared(&both.near).store(both.word(word), value),
        }
    }

    #[inline]
    fn publish(&self, word: usize, value: u64) -> bool {
        match &self.0 {
            Networks::Near(near) => shared(near).publish(word, value),
            Networks::Far(far) => shared(far).publish(word, value),
            Networks::Both(both) => shared(&both.near).publish(both.word(word), value),
        }
    }

    #[inline(always)]
    fn prepare_to_fill(&self, first: usize, words: usize) {
        // Where there are two networks, words have other places.
        if let Networks::Near(near) = &self.0 {
            shared(near).prepare_to_fill(first, words);
        }
    }

    #[inline]
    fn fill(&self, first: usize, values: &[u64]) {
        self.fill_bytes(first, values.as_bytes());
    }

    #[inline]
    fn fill_bytes(&self, first: usize, bytes: &[u8]) {
        match &self.0 {
            Networks::Near(near) => shared(near).fill_bytes(first, bytes),
            Networks::Far(far) => shared(far).fill_bytes(first, bytes),
            Networks::Both(both) => {
                let words = bytes.len().div_ceil(8);
                shared(&both.near).fill_bytes(both.first_of(first, words), bytes)
            }
        }
    }

    #[inline]
    fn copy_into(&self, first: usize, values: &mut [u64]) {
        match &self.0 {
            Networks::Near(near) => shared(near).copy_into(first, values),
            Networks::Far(far) => shared(far).copy_into(first, values),
            Networks::Both(both) => {
                shared(&both.near).copy_into(both.first_of(first, values.len()), values)
            }
        }
    }

    /// All ranks of one network share its words.
    fn host_of(&self, peer: Rank) -> usize {
        match &self.0 {
            Networks::Near(_) | Networks::Far(_) => 0,
            Networks::Both(both) => both.host_of(peer),
        }
    }

    #[inline]
    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        match (&self.0, self.reach(peer)) {
            (Networks::Both(_), Either::Far(far)) => far.write_exposed(peer, word, value),
            _ => false,
        }
    }

    fn written_at(&self, peer: Rank) -> Written {
        match (&self.0, self.reach(peer)) {
            (Networks::Both(_), Either::Far(far)) => far.written_by(peer),
            _ => Written::Arrived,
        }
    }
}

/// As its far network does; without one, it has exposed nothing.
impl<A: Nic, B: Far> Far for Host<A, B> {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        self.far_ref().is_some_and(|far| far.write_exposed(peer, word, value))
    }

    fn written_by(&self, peer: Rank) -> Written {
        self.far_ref().map_or(Written::Lost, |far| far.written_by(peer))
    }
}
