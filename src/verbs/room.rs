//! Rooms: memory behind a payload that its sender fills after its peers were told of the payload. They look there
//! when they like, and nobody has to answer. Where ranks share memory: see [`RemoteRead::open_room`].
//!
//! [`RemoteRead::open_room`]: crate::verbs::RemoteRead::open_room

use crate::verbs::Absent;

/// The words of a room, which tell what it has; see [`Room::load`].
pub const ROOM_WORDS: usize = 2;

/// Memory of one rank behind a payload: words, and bytes. Its owner writes, and others read.
///
/// The words are 0 at first. What a word stands for, and so which bytes may be read, is between those who use
/// the room. A process that is not correct can write there at any moment, so a reader copies bytes and trusts
/// them as little as a message.
pub trait Room {
    /// The word with this number, below [`ROOM_WORDS`]. What its owner wrote before it stored the value can be read.
    fn load(&self, word: usize) -> u64;

    /// Its owner stores a word, behind all that it has written.
    fn store(&mut self, word: usize, value: u64);

    /// Its owner writes bytes that nobody reads yet, as the words say.
    ///
    /// # Panics
    ///
    /// If the room is shorter.
    fn write(&mut self, at: usize, bytes: &[u8]);

    /// Copies bytes that a word has said to be there.
    ///
    /// # Panics
    ///
    /// If the room is shorter.
    fn read(&self, at: usize, into: &mut [u8]);
}

impl Room for Absent {
    fn load(&self, _: usize) -> u64 {
        match *self {}
    }

    fn store(&mut self, _: usize, _: u64) {
        match *self {}
    }

    fn write(&mut self, _: usize, _: &[u8]) {
        match *self {}
    }

    fn read(&self, _: usize, _: &mut [u8]) {
        match *self {}
    }
}
