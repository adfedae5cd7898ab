//! Epoch cells in registered memory (kini-2003 §3.1 and §3.2, hoefler-2005 §4.1.3). Where the
//! network writes words into a peer's memory, barrier signals are such words. They need no message,
//! no descriptor and nothing of the peer's processor.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.
//!
//! This module has the layout of the words and wakes ranks that sleep, over anything that can put
//! words. [`super::places`] says which group has which place, [`crate::order::written`] what a word
//! means, the schedule which member signals which, and the provider how a rank sleeps.
//!
//! # Layout
//!
//! Each rank has a region of the same form, with a number of *places*, each for one group at a
//! time; the first is the world's. At each place there are
//!
//! - for each rank of the job a *cell*: the latest signal of that rank to this one. It alone writes
//!   there;
//! - the epoch that this rank has *released*, if it is the root of a group: members can read it,
//!   and this rank writes.
//!
//! Besides, there is for each rank of the job a flag, whether it is *asleep* and wants to be woken
//! by the next signal of this rank. That rank sets it, and this one clears it.
//!
//! A rank is done with a group if the program has dropped it, its barriers are complete, and no
//! signal of it is owed. A member of the next group at a place was done when it agreed to the
//! place, so it writes of no earlier group any more. No other rank writes into the same words. So
//! no word that is still to be read is written over. A word that an earlier group left says
//! nothing, as the id of that group is another.
//!
//! # Sleeping for a word
//!
//! Most signals wake no rank: one that waits looks. A rank that is to sleep (1) sets its flag at
//! the member whose signal is lacking, (2) looks once more, and (3) sleeps for [`NAP`] at most. A
//! rank that signals (1) puts the word and (2) looks at the flag; if it is set, the word goes once
//! more, with a wake-up.
//!
//! Where ranks share memory, both pass a fence between (1) and (2), so one of them sees the other's
//! word, and no wake-up is lost; the models below check it. Over a network a word and a flag may
//! cross. Then the sleeper finds the word after its nap. So a forgotten or crossed flag costs a
//! millisecond, and never a barrier.

use std::time::Duration;

use super::places::{PLACES, PlaceTable};
use crate::order::core::words::Lacking;
use crate::order::written::word_of;
use crate::order::{Algorithm, Epoch, GroupId, Rank, Signal};
use crate::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, VerbsError};

/// How long a rank sleeps for a word at most before it looks again.
pub(super) const NAP: Duration = Duration::from_millis(1);

/// Words that all ranks can put, as [`RemoteWords::post_put`] says.
pub(super) trait Puts {
    type Error;

    /// Puts the word and passes a fence. False where there is no room for it now.
    fn put(
        &mut self,
        to: Rank,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, Self::Error>;

    /// A word of this rank's, which `writer` puts.
    fn read(&self, writer: Rank, word: usize) -> Result<u64, Self::Error>;
}

/// The remote words of a network whose signals are words.
#[inline(always)]
fn words<N: Nic>(nic: &N) -> &N::RemoteWords {
    nic.remote_words().expect("there are cells only where the network has remote words")
}

/// As [`words`].
#[inline(always)]
fn words_mut<N: Nic>(nic: &mut N) -> &mut N::RemoteWords {
    nic.remote_words_mut().expect("there are cells only where the network has remote words")
}

/// The region of an interface.
struct Region<'n, N> {
    nic: &'n mut N,
    key: RegionKey,
}

impl<N: Nic> Puts for Region<'_, N> {
    type Error = VerbsError;

    #[inline]
    fn put(
        &mut self,
        to: Rank,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        words_mut(self.nic).post_put(to, self.key, word, value, mode)
    }

    #[inline]
    fn read(&self, writer: Rank, word: usize) -> Result<u64, VerbsError> {
        words(self.nic).read(writer, self.key, word)
    }
}

/// Which word is which, in a world of `size` ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    size: usize,
    places: usize,
}

impl Layout {
    /// As many places as fit into `words`; at least one, whatever there is room for.
    const fn within(words: usize, size: usize) -> Layout {
        let fit = words.saturating_sub(size) / (size + 1);
        let places = if fit < PLACES { fit } else { PLACES };
        Layout { size, places: if places == 0 { 1 } else { places } }
    }

    const fn words(self) -> usize {
        self.asleep(self.size)
    }

    #[inline]
    const fn cell(self, place: usize, from: Rank) -> usize {
        place * (self.size + 1) + from
    }

    /// What this rank has released of its group at a place.
    #[inline]
    const fn released(self, place: usize) -> usize {
        self.cell(place, self.size)
    }

    #[inline]
    const fn asleep(self, rank: Rank) -> usize {
        self.cell(self.places, rank)
    }
}

/// Cells and flags, as one rank sees them.
#[derive(Debug)]
pub(super) struct Cells {
    layout: Layout,
    rank: Rank,
    key: RegionKey,
    places: PlaceTable,
}

impl Cells {
    /// Registers the words.
    pub(super) fn new<N: Nic>(nic: &mut N) -> Result<Cells, VerbsError> {
        let layout = Layout::within(nic.attributes().max_registered_bytes / 8, nic.size());
        let key = words_mut(nic).register(layout.words())?;
        Ok(Cells::laid_out(layout, nic.rank(), key))
    }

    fn laid_out(layout: Layout, rank: Rank, key: RegionKey) -> Cells {
        Cells { layout, rank, key, places: PlaceTable::new(layout.places) }
    }

    /// Takes a place for a group. All members agree that it is free.
    pub(super) fn join(&mut self, place: usize, group: GroupId, members: &[Rank]) {
        self.places.join(place, group, members);
    }

    /// The program has dropped a group.
    pub(super) fn handle_drop(&mut self, group: GroupId) {
        self.places.handle_drop(group);
    }

    /// Whether dropped groups may have become complete.
    #[inline]
    pub(super) fn has_dropped(&self) -> bool {
        self.places.has_dropped()
    }

    /// Takes note of those dropped groups that this rank `is_done` with. Only its owner reads a
    /// cell, so no other rank is told.
    pub(super) fn retire(&mut self, is_done: impl Fn(GroupId) -> bool) {
        self.places.retire(is_done, |_, _, _| true);
    }

    /// The places that are free at this rank, one bit for each.
    pub(super) fn free(&self) -> u64 {
        self.places.free(|_, _| true)
    }

    /// Whether a place is free at this rank.
    pub(super) fn may_join(&self, at: usize) -> bool {
        self.places.may_join(at)
    }

    /// The word that `from` has written for this rank at a place. Of no meaning where that is
    /// impossible.
    #[inline]
    pub(super) fn read<N: Nic>(&self, nic: &N, place: usize, from: Rank) -> u64 {
        words(nic).read(from, self.key, self.layout.cell(place, from)).unwrap_or(0)
    }

    /// Sends a signal of a group that has a place here. None if the group has no place: then it
    /// goes by message.
    #[inline]
    pub(super) fn post<N: Nic>(
        &self,
        nic: &mut N,
        to: Rank,
        signal: &Signal,
    ) -> Result<Option<Signalled>, VerbsError> {
        let Some(place) = self.places.place_of(signal.group) else { return Ok(None) };
        let word = word_of(signal.group, signal.epoch, signal.clock);
        let key = self.key;
        self.put(&mut Region { nic, key }, place, to, word).map(Some)
    }

    #[inline]
    fn put<P: Puts>(
        &self,
        puts: &mut P,
        place: usize,
        to: Rank,
        word: u64,
    ) -> Result<Signalled, P::Error> {
        let (cell, asleep) = (self.layout.cell(place, self.rank), self.layout.asleep(to));
        if puts.read(to, asleep)? == 0 {
            if !puts.put(to, cell, word, PutMode::Silent)? {
                return Ok(Signalled::NoRoom);
            }
            // It may have gone to sleep meanwhile.
            if puts.read(to, asleep)? == 0 {
                return Ok(Signalled::Silently);
            }
        }
        // Before the word: a flag that is set after it is for the next signal.
        puts.put(self.rank, asleep, 0, PutMode::Silent)?;
        if puts.put(to, cell, word, PutMode::Immediate)? {
            return Ok(Signalled::Waking);
        }
        puts.put(self.rank, asleep, 1, PutMode::Silent)?;
        Ok(Signalled::NoRoom)
    }

    /// This rank is about to sleep: the member whose signal it lacks is to wake it. Without room
    /// for that it sleeps all the same, no longer than a [`NAP`].
    pub(super) fn ask_to_be_woken<N: Nic>(
        &self,
        nic: &mut N,
        lacking: Lacking,
    ) -> Result<(), VerbsError> {
        let key = self.key;
        self.set_asleep(&mut Region { nic, key }, lacking.from)
    }

    fn set_asleep<P: Puts>(&self, puts: &mut P, from: Rank) -> Result<(), P::Error> {
        puts.put(from, self.layout.asleep(self.rank), 1, PutMode::Silent).map(drop)
    }

    /// Writes down what this rank, the root of a group, is about to release.
    pub(super) fn write_released<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        (group, epoch): (GroupId, Epoch),
    ) -> Result<(), VerbsError> {
        let (word, at) = (word_of(group, epoch, 0), self.layout.released(place));
        // Into its own memory there is always room.
        words_mut(nic).post_put(self.rank, self.key, at, word, PutMode::Silent).map(drop)
    }

    /// Reads what the root of a group has written down that it has released, or is about to.
    pub(super) fn fetch_released<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        root: Rank,
    ) -> Result<Fetched, VerbsError> {
        words_mut(nic).fetch(root, self.key, self.layout.released(place))
    }

    /// Writes what this rank has released last into the cell of a member, and wakes it. False where
    /// there is no room for it now.
    pub(super) fn repeat_released<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        to: Rank,
    ) -> Result<bool, VerbsError> {
        let word = words(nic).read(self.rank, self.key, self.layout.released(place))?;
        let at = self.layout.cell(place, self.rank);
        words_mut(nic).post_put(to, self.key, at, word, PutMode::Immediate)
    }
}

/// What became of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signalled {
    /// Its receiver finds it when it looks.
    Silently,
    /// It wakes its receiver.
    Waking,
    /// Nothing: there is no room for it now.
    NoRoom,
}

/// The algorithm of a group of `size` whose signals are words, where `algorithm` is asked for.
/// Instead of the board that is all-to-all, as long as there are not too many members.
pub(super) fn by_words(algorithm: Algorithm, size: usize) -> Algorithm {
    match algorithm {
        Algorithm::Board | Algorithm::Auto if size <= MOST_FLAT => Algorithm::AllToAll,
        other => other.by_signals(),
    }
}

/// From here on a rank would write more words in each barrier than pays.
const MOST_FLAT: usize = 64;

// They use more places than a model has.
#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;
