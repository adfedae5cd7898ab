//! Epoch cells in registered memory: where the network writes words into a peer's memory, barrier signals are such
//! words, and need no message, no descriptor and nothing of the peer's processor (kini-2003 §3.1 and §3.2,
//! hoefler-2005 §4.1.3).
//!
//! Here are the layout of the words, whose place is whose, and who wakes whom, over anything that can put words.
//! What a word says is [`crate::order::written`]'s, who signals whom the schedule's, sleeping the provider's.
//!
//! # Layout
//!
//! Each rank has a region of the same form, with a number of *places*, each for one group at a time; the first is
//! the world's. At each place it has, for each rank of the job,
//!
//! - a *cell*: the latest signal of that rank to this one. It alone writes there;
//! - a *want*: the signal to it without which that rank does not wake. It alone writes there;
//! - what was *sent*: the latest signal of this rank to that one, which it can fetch. This rank writes there.
//!
//! A place is free at a rank that is done with its last group there: the program has dropped it, its barriers are
//! complete, and no signal of it is owed. No member of the next group at that place writes of an earlier one any
//! more, as it has agreed to the place and was done; and nobody else writes into the same words. So nothing that is
//! still to be read is written over, and what an earlier group left says nothing, as its id is another.
//!
//! # No wake-up is lost
//!
//! Most signals wake nobody: who waits, looks. Whoever signals (1) writes into its own memory what it is about to
//! send, (2) passes a fence, (3) looks there for a want of the receiver, and (4) puts the word, aloud if it is
//! wanted. Whoever is to sleep (1) puts its want into the memory of that member whose signal is lacking, and (2) has
//! that read what the member says it has sent. If that is not the signal, the signaller's (1) comes after the
//! read, so its look (3) comes after the want, and it is aloud. If it is, the signal is on its way, or waits for
//! room, and nobody sleeps for long. So it is the sleeper that pays for a sleep, with the way to one member and
//! back, and only one for each group: the first signal in the order of the steps that it lacks, without which
//! nothing of the next barrier can go on. The models below check it.
//!
//! Most sleeps are short, and most wants come long before the signal. So a rank first puts its want and sleeps for a
//! short time without a question, and asks when it goes to sleep for that signal once more. A want stays until a signal
//! has answered it, so who sleeps again after that asks for nothing.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use crate::order::core::words::Lacking;
use crate::order::written::{reaches, word_of};
use crate::order::{Algorithm, GroupId, Rank, Signal};
use crate::verbs::{Fetched, Nic, PutMode, RegionKey, RemoteWords, VerbsError};

/// Words that all ranks can put, as [`RemoteWords::post_put`] and [`RemoteWords::fetch`] say.
pub(super) trait Puts {
    type Error;

    /// False where there is no room for it now.
    fn put(&mut self, to: Rank, word: usize, value: u64, aloud: bool) -> Result<bool, Self::Error>;

    /// A word of this rank's, which `writer` puts.
    fn read(&self, writer: Rank, word: usize) -> Result<u64, Self::Error>;

    fn fetch(&mut self, from: Rank, word: usize) -> Result<Fetched, Self::Error>;
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
    fn put(&mut self, to: Rank, word: usize, value: u64, aloud: bool) -> Result<bool, VerbsError> {
        let mode = if aloud { PutMode::Immediate } else { PutMode::Silent };
        words_mut(self.nic).post_put(to, self.key, word, value, mode)
    }

    #[inline]
    fn read(&self, writer: Rank, word: usize) -> Result<u64, VerbsError> {
        words(self.nic).read(writer, self.key, word)
    }

    fn fetch(&mut self, from: Rank, word: usize) -> Result<Fetched, VerbsError> {
        words_mut(self.nic).fetch(from, self.key, word)
    }
}

/// The most places; as many as the board has.
const MOST_PLACES: usize = super::board::PLACES;

/// The place of the world.
pub(super) const WORLD_PLACE: usize = super::board::WORLD_PLACE;

/// Which word is which, in a world of `size` ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    size: usize,
    places: usize,
}

impl Layout {
    /// As many places as fit into `words`; at least one, whatever there is room for.
    const fn within(words: usize, size: usize) -> Layout {
        let fit = words / (3 * size);
        let places = if fit < MOST_PLACES { fit } else { MOST_PLACES };
        Layout { size, places: if places == 0 { 1 } else { places } }
    }

    const fn words(self) -> usize {
        self.cell(self.places, 0)
    }

    #[inline]
    const fn cell(self, place: usize, from: Rank) -> usize {
        3 * place * self.size + from
    }

    #[inline]
    const fn want(self, place: usize, of: Rank) -> usize {
        self.cell(place, of) + self.size
    }

    #[inline]
    const fn sent(self, place: usize, to: Rank) -> usize {
        self.cell(place, to) + 2 * self.size
    }
}

/// What a rank knows of one place.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The group that it was used for last.
    last: Option<GroupId>,
    state: State,
    /// The want that each rank was told; that which is known to have come before the signal; and that which each rank
    /// has had answered.
    told: Vec<u64>,
    sure: Vec<u64>,
    answered: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The group exists.
    Used,
    /// It was dropped, and this rank may not be done with it.
    Dropped,
    #[default]
    Done,
}

/// How long a rank may sleep, shortest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sleep {
    /// A signal is on its way that may wake nobody, or it cannot be said.
    Short,
    /// It will be woken, unless the signal was just then about to leave.
    Unsure,
    /// As long as it likes: it will be woken.
    Long,
}

/// Cells, wants and what was sent, as one rank sees them.
#[derive(Debug)]
pub(super) struct Cells {
    layout: Layout,
    rank: Rank,
    key: RegionKey,
    places: Vec<Place>,
    /// How many places are those of dropped groups.
    dropped: usize,
}

impl Cells {
    /// Registers the words.
    pub(super) fn new<N: Nic>(nic: &mut N) -> Result<Cells, VerbsError> {
        let layout = Layout::within(nic.attributes().max_registered_bytes / 8, nic.size());
        let key = words_mut(nic).register(layout.words())?;
        Ok(Cells::laid_out(layout, nic.rank(), key))
    }

    fn laid_out(layout: Layout, rank: Rank, key: RegionKey) -> Cells {
        let places = vec![Place::default(); layout.places];
        Cells { layout, rank, key, places, dropped: 0 }
    }

    /// Takes a place for a group. All members agree that it is free.
    pub(super) fn join(&mut self, place: usize, group: GroupId) {
        let (size, taken) = (self.layout.size, &mut self.places[place]);
        (taken.last, taken.state) = (Some(group), State::Used);
        // Wants of the last group are none of this one's, whose id is another.
        taken.told.resize(size, 0);
        taken.sure.resize(size, 0);
        taken.answered.resize(size, 0);
    }

    /// The program has dropped a group.
    pub(super) fn handle_drop(&mut self, group: GroupId) {
        if let Some(at) = self.place_of(group).filter(|&at| self.places[at].state == State::Used) {
            self.places[at].state = State::Dropped;
            self.dropped += 1;
        }
    }

    /// Whether dropped groups may have become complete.
    #[inline]
    pub(super) fn has_dropped(&self) -> bool {
        self.dropped > 0
    }

    /// Takes note of those dropped groups that this rank `is_done` with.
    pub(super) fn retire(&mut self, is_done: impl Fn(GroupId) -> bool) {
        for place in &mut self.places {
            if place.state == State::Dropped && place.last.is_some_and(&is_done) {
                place.state = State::Done;
                self.dropped -= 1;
            }
        }
    }

    /// The places that are free at this rank, one bit for each.
    pub(super) fn free(&self) -> u64 {
        let free = (0..self.places.len()).filter(|&at| self.may_join(at));
        free.fold(0, |free, at| free | 1 << at)
    }

    /// Whether a place is free at this rank.
    pub(super) fn may_join(&self, at: usize) -> bool {
        at != WORLD_PLACE && self.places.get(at).is_some_and(|place| place.state == State::Done)
    }

    /// The place that a group has, or had last.
    #[inline]
    fn place_of(&self, group: GroupId) -> Option<usize> {
        let has = |place: &Place| place.last == Some(group) && place.state != State::Done;
        self.places.iter().position(has)
    }

    /// The word that `from` has written for this rank at a place. Of no meaning where that is impossible.
    #[inline]
    pub(super) fn read<N: Nic>(&self, nic: &N, place: usize, from: Rank) -> u64 {
        words(nic).read(from, self.key, self.layout.cell(place, from)).unwrap_or(0)
    }

    /// Sends a signal of a group that has a place here; if it is to go only `if_wanted`, as others go another way
    /// besides, it is written down, and goes only to one that wants to be woken for it. None if the group has no place:
    /// then it goes by message.
    #[inline]
    pub(super) fn post<N: Nic>(
        &mut self,
        nic: &mut N,
        to: Rank,
        signal: &Signal,
        if_wanted: bool,
    ) -> Result<Option<Posted>, VerbsError> {
        let Some(place) = self.place_of(signal.group) else { return Ok(None) };
        let word = word_of(signal.group, signal.epoch, signal.clock);
        let key = self.key;
        self.put_where(&mut Region { nic, key }, place, to, word, if_wanted).map(Some)
    }

    #[cfg(test)]
    fn put<P: Puts>(
        &mut self,
        puts: &mut P,
        place: usize,
        to: Rank,
        word: u64,
    ) -> Result<Posted, P::Error> {
        self.put_where(puts, place, to, word, false)
    }

    #[inline]
    fn put_where<P: Puts>(
        &mut self,
        puts: &mut P,
        place: usize,
        to: Rank,
        word: u64,
        if_wanted: bool,
    ) -> Result<Posted, P::Error> {
        let (layout, answered) = (self.layout, &mut self.places[place].answered[to]);
        // Passes a fence. There is always room for it.
        puts.put(self.rank, layout.sent(place, to), word, false)?;
        let want = puts.read(to, layout.want(place, to))?;
        // Where it is another's, or nonsense, nobody needs to be woken for this.
        let aloud = want != *answered && reaches(word, want);
        if if_wanted && !aloud {
            return Ok(Posted::Quietly);
        }
        if !puts.put(to, layout.cell(place, self.rank), word, aloud)? {
            return Ok(Posted::NoRoom);
        }
        if !aloud {
            return Ok(Posted::Quietly);
        }
        *answered = want;
        Ok(Posted::Aloud)
    }

    /// Puts a want into the memory of the member whose signal is lacking, as for a sleep. False where there is no room
    /// for it now.
    pub(super) fn put_want<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        from: Rank,
        want: u64,
    ) -> Result<bool, VerbsError> {
        let at = self.layout.want(place, self.rank);
        words_mut(nic).post_put(from, self.key, at, want, PutMode::Silent)
    }

    /// Asks what a member has written down that it has sent to this rank, or is about to.
    pub(super) fn fetch_sent<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        from: Rank,
    ) -> Result<Fetched, VerbsError> {
        words_mut(nic).fetch(from, self.key, self.layout.sent(place, self.rank))
    }

    /// Sends the signal again that a member was sent last, aloud. False where there is no room for it now.
    pub(super) fn repeat_last<N: Nic>(
        &self,
        nic: &mut N,
        place: usize,
        to: Rank,
    ) -> Result<bool, VerbsError> {
        let word = words(nic).read(self.rank, self.key, self.layout.sent(place, to))?;
        let at = self.layout.cell(place, self.rank);
        words_mut(nic).post_put(to, self.key, at, word, PutMode::Immediate)
    }

    /// This rank is about to sleep: asks to be woken for the signal that it lacks.
    pub(super) fn want<N: Nic>(
        &mut self,
        nic: &mut N,
        lacking: Lacking,
    ) -> Result<Sleep, VerbsError> {
        let Lacking { place, group, from, epoch } = lacking;
        let key = self.key;
        self.ask(&mut Region { nic, key }, place, from, word_of(group, epoch, 0))
    }

    fn ask<P: Puts>(
        &mut self,
        puts: &mut P,
        place: usize,
        from: Rank,
        want: u64,
    ) -> Result<Sleep, P::Error> {
        let (layout, known) = (self.layout, &mut self.places[place]);
        let (told, sure) = (&mut known.told[from], &mut known.sure[from]);
        if *sure == want {
            return Ok(Sleep::Long);
        }
        if *told != want {
            if !puts.put(from, layout.want(place, self.rank), want, false)? {
                return Ok(Sleep::Short);
            }
            *told = want;
            return Ok(Sleep::Unsure);
        }
        Ok(match puts.fetch(from, layout.sent(place, self.rank))? {
            Fetched::Word(sent) if reaches(sent, want) => Sleep::Short,
            Fetched::Word(_) => {
                *sure = want;
                Sleep::Long
            }
            Fetched::Late => Sleep::Short,
            // It wakes nobody any more, and that it has gone does.
            Fetched::Gone => Sleep::Long,
        })
    }
}

/// What became of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Posted {
    Quietly,
    /// It wakes its receiver.
    Aloud,
    /// Nothing: there is no room for it now.
    NoRoom,
}

/// The algorithm of a group of `size` whose signals are words, where `algorithm` is asked for: instead of the board,
/// that by which everyone writes to everyone, as long as there are not too many.
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
