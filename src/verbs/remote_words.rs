//! Remote words: memory of one rank into which its peers write words by RDMA, without any part of
//! the rank's processor. It is what barrier signals are where a network has it.
//!
//! All ranks register regions of the same lengths in the same order, so a key means the same at
//! every rank. A peer need not have registered its region yet when the first word comes.

use crate::order::Rank;
use crate::verbs::{Absent, VerbsError};

/// Registered memory of one rank; valid at every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionKey(pub u32);

/// Whether the owner of a word is woken when a peer puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PutMode {
    /// It is woken: RDMA's write with immediate data.
    Immediate,
    /// It is not: a plain RDMA write. It finds the word when it looks.
    Silent,
}

impl PutMode {
    /// Whether the owner is woken.
    #[inline]
    pub fn wakes(self) -> bool {
        self == PutMode::Immediate
    }
}

/// The answer to a request for a word of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The word.
    Word(u64),
    /// The peer's interface has not answered within some milliseconds.
    Late,
    /// The peer has gone.
    Gone,
}

/// What a network offers whose ranks write words into each other's memory: see
/// [`Nic::remote_words`](crate::verbs::Nic::remote_words).
///
/// # Sleeping for a word
///
/// Most words wake nobody: a rank that waits for one looks. A rank that is to sleep puts a word that
/// says so into the memory of the writer, looks once more, and sleeps for a short time at most. The
/// writer puts its word and then [reads](Self::read) whether the peer sleeps; if so, the word goes
/// once more, with an immediate. Where ranks share memory, [`post_put`](Self::post_put) passes a
/// fence behind the word, so one of the two sees the other's word.
pub trait RemoteWords {
    /// Whether a word costs less than a message: the peer's processor has no part in it, and no
    /// descriptor is used. All ranks say the same.
    fn is_one_sided(&self) -> bool;

    /// Registers `words` zeroed 8-byte words that peers may put into.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] naming the limit that it would exceed.
    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError>;

    /// Writes one 8-byte word into `peer`'s region, which may be this rank's own, without waiting.
    /// It is seen whole, and words for one peer are written in the order in which they were put. A
    /// rank that reads a word sees what happened before it was put, where the network is causal.
    ///
    /// Returns false if there is no room for it now, which is ordinary back-pressure: nothing was
    /// put, and a [`wait`](crate::verbs::Nic::wait) ends when there is room again. There is always
    /// room in this rank's own memory. Into the memory of a peer that has gone it is written in
    /// vain.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if there is no such peer, or this rank has no such word.
    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError>;

    /// Asks for a word of `peer`'s region and waits for it. The peer itself does nothing for it.
    /// The words that this rank has put there before were written when it is read.
    ///
    /// # Errors
    ///
    /// As by [`post_put`](Self::post_put).
    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError>;

    /// Reads a word of a region of this rank that nobody puts but `writer`, which may be this rank
    /// itself. (Where ranks reach one another by several networks, each has its own memory for it,
    /// and this says which.)
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if there is no such region or word.
    fn read(&self, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError>;
}

impl RemoteWords for Absent {
    fn is_one_sided(&self) -> bool {
        match *self {}
    }

    fn register(&mut self, _: usize) -> Result<RegionKey, VerbsError> {
        match *self {}
    }

    fn post_put(
        &mut self,
        _: Rank,
        _: RegionKey,
        _: usize,
        _: u64,
        _: PutMode,
    ) -> Result<bool, VerbsError> {
        match *self {}
    }

    fn fetch(&mut self, _: Rank, _: RegionKey, _: usize) -> Result<Fetched, VerbsError> {
        match *self {}
    }

    fn read(&self, _: Rank, _: RegionKey, _: usize) -> Result<u64, VerbsError> {
        match *self {}
    }
}
