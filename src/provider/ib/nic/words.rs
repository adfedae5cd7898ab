//! Words by RDMA: those that peers put into this rank's memory, and those of a host that ranks of
//! other hosts write. The peer's processor has no part in either.
//!
//! They go by the control queue pairs, so no word waits for a message.

use super::IbNic;
use crate::order::Rank;
use crate::provider::host::Far;
use crate::provider::ib::control::Lost;
use crate::provider::words;
use crate::sys::atomic::{Ordering, fence};
use crate::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, VerbsError, Written};

impl RemoteWords for IbNic {
    fn is_one_sided(&self) -> bool {
        true
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
        let index = self.word_index(peer, key, word)?;
        if peer == self.rank() {
            // Before the look at what peers have put here; their devices' part of it is in the
            // order of requests.
            words::publish(&self.reached[index], value, || fence(Ordering::SeqCst));
            self.woke_itself.set(self.woke_itself.get() || mode.wakes());
            return Ok(true);
        }
        // To one that has gone, in vain.
        if self.is_gone(peer) {
            return Ok(true);
        }
        let has_room = self.control.get_mut().write(peer, index, value, mode, &self.losses);
        let has_room = has_room.unwrap_or(true);
        self.starved_of_words |= !has_room;
        Ok(has_room)
    }

    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        let index = self.word_index(peer, key, word)?;
        if peer == self.rank() {
            return Ok(Fetched::Word(words::read(&self.reached[index])));
        }
        if self.is_gone(peer) {
            return Ok(Fetched::Gone);
        }
        Ok(match self.control.get_mut().fetch(peer, index, &self.losses) {
            Ok(Some(value)) => Fetched::Word(value),
            Ok(None) => Fetched::Late,
            Err(Lost) => Fetched::Gone,
        })
    }

    #[inline]
    fn read(&self, _: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        Ok(words::read(&self.reached[self.word_index(self.rank(), key, word)?]))
    }
}

impl IbNic {
    /// Where a word of a region that this rank has lies in the memory that peers reach, at any
    /// rank.
    #[inline]
    fn word_index(&self, peer: Rank, key: RegionKey, word: usize) -> Result<usize, VerbsError> {
        if peer >= self.layout.size {
            return Err(self.no_such_peer(peer));
        }
        let index = self.regions.index(key, word);
        let index = index.ok_or(VerbsError::NoSuchWord { peer, key, word })?;
        Ok(self.layout.word(index))
    }
}

impl Far for IbNic {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        // All have exposed as many.
        let exists = self.exposed.as_ref().is_some_and(|words| word < words.len());
        if !exists || peer >= self.layout.size || self.is_gone(peer) {
            return false;
        }
        self.control.borrow_mut().write_exposed(peer, word, value, &self.losses).is_ok()
    }

    fn written_by(&self, peer: Rank) -> Written {
        let mut control = self.control.borrow_mut();
        control.reap(&self.losses);
        control.written_by(peer)
    }
}
