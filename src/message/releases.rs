//! Groups that are released by multicast: members write their epoch to the root, up a tree, as in any other group
//! whose signals are words, and the root tells all at once that everyone has entered, by a datagram that may be lost
//! (RGM of kini-2003 §3.3, §4.3).
//!
//! Here is when a root sends it, and what a member does that lacks it. The gather, and what a word is, are those of
//! `cells`; what counts of what has come is [`crate::order::released`]'s.
//!
//! # What is lost
//!
//! kini-2003 §4.3 has a member that waits too long send the root a NAK, upon which the root sends again; but a root
//! that computes does not hear it, unless it is interrupted. Here nobody need hear it. The root writes down, in its own
//! memory, what it tells each member, before it tells them; and a member that has waited for
//! [`Config::resend_after`](super::Config) does what one does that is to sleep for a word (`cells`): it puts its
//! want into the root's memory, and has that read what the root has written down. Either that is the release; or the
//! root finds the want when it releases, and then writes the word to that member itself, aloud, by a way on which
//! nothing is lost. So a member asks once for each release, at most, and is answered once. One that has asked in vain,
//! as somebody was late and nothing was lost, waits twice as long the next time, up to 32 times as long.
//!
//! A root that is done with a group, because the program has dropped it or ends, can be asked no more. So at that
//! point it *seals* the group: it writes its last release to each member. Where it has died its members are told so.
//!
//! Keeps rules BAR-1, BAR-3, BAR-4, END-1 and SAFE-1 of SEMANTICS.md.

use std::sync::OnceLock;
use std::time::Duration;

use super::cells::Cells;
use super::engine::Engine;
use super::error::MessageError;
use crate::order::core::words::Lacking;
use crate::order::released::{Released, datagram_of, read_datagram};
use crate::order::written::{reaches, word_of};
use crate::order::{Algorithm, Epoch, GroupId, ProtocolError, Rank};
use crate::sys::time::Instant;
use crate::sys::warn;
use crate::verbs::{Fetched, Multicast, Nic, NoMulticast, VerbsError};

/// So many looks of a rank that waits come between two at the clock.
const LOOKS_PER_CLOCK: u32 = 16;

/// A member that has asked so often in vain waits no longer than before.
const MOST_IN_VAIN: u32 = 5;

/// Smaller groups are released by a word to each member, which is as few as there are ways to lose it.
const LEAST: usize = 3;

/// One group, as one of its members sees it.
#[derive(Debug)]
struct Release {
    group: GroupId,
    place: usize,
    /// In the order of the group: the root first.
    members: Vec<Rank>,
    /// Of a member.
    heard: Released,
    /// The want that its root has not answered yet, and since when; and the one of which it is sure that the root
    /// will.
    since: Option<(u64, Instant)>,
    sure: u64,
    /// How often it has asked in vain since a release was lost: it waits twice as long each time.
    in_vain: u32,
    /// Of the root: what is to be told to all; whether anything was; and how many members have the last for sure.
    due: Option<Epoch>,
    released: bool,
    sealed: usize,
}

/// What a member that lacks a signal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// Nothing: it is no release.
    Other,
    /// It was lost, and is found.
    Found,
    /// It asks after so long.
    After(Duration),
    /// It waits: the root will wake it.
    Sure,
}

/// All groups of a rank that are released by multicast.
#[derive(Debug)]
pub(super) struct Releases {
    rank: Rank,
    groups: Vec<Release>,
    /// Looks since the last one at the clock.
    looks: u32,
}

impl Releases {
    pub(super) fn new(rank: Rank) -> Releases {
        Releases { rank, groups: Vec::new(), looks: 0 }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn join(&mut self, group: GroupId, place: usize, members: &[Rank], first: Epoch, cell: u64) {
        self.groups.push(Release {
            group,
            place,
            members: members.to_vec(),
            heard: Released::new(group, members[0], first, cell),
            since: None,
            sure: 0,
            in_vain: 0,
            due: None,
            released: false,
            sealed: 0,
        });
    }

    fn forget(&mut self, group: GroupId) {
        self.groups.retain(|release| release.group != group);
    }

    #[inline]
    fn of(&mut self, group: GroupId) -> Option<&mut Release> {
        self.groups.iter_mut().find(|release| release.group == group)
    }

    /// Whether this rank releases a group.
    #[inline]
    pub(super) fn is_root(&self, group: GroupId) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|release| release.group == group && release.members[0] == self.rank)
    }

    /// The root has an epoch to tell to all.
    #[inline]
    pub(super) fn note_due(&mut self, group: GroupId, epoch: Epoch) {
        if let Some(release) = self.of(group) {
            release.due = release.due.max(Some(epoch));
        }
    }

    /// Tells all what is due. Returns how many datagrams that takes.
    #[inline]
    pub(super) fn send<N: Nic>(&mut self, nic: &mut N) -> u64 {
        let mut sent = 0;
        for release in &mut self.groups {
            if let Some(epoch) = release.due.take() {
                release.released = true;
                if let Ok(multicast) = nic.multicast() {
                    multicast.post(datagram_of(release.group, epoch));
                }
                sent += 1;
            }
        }
        sent
    }

    /// What stands for the root's cell at a place, where releases come by multicast.
    #[inline]
    pub(super) fn word(&self, place: usize, from: Rank) -> Option<u64> {
        let mut groups = self.groups.iter();
        let found = groups.find(|release| release.place == place && release.members[0] == from);
        found.map(|release| release.heard.word())
    }

    /// Looks whether a signal that is lacking is a release, and if so, whether it is time to ask for it.
    pub(super) fn seek<N: Nic>(
        &mut self,
        nic: &mut N,
        cells: &Cells,
        lacking: Lacking,
        entered: Epoch,
        (now, patience): (Instant, Duration),
        asked: &mut u64,
    ) -> Result<Sought, VerbsError> {
        let Lacking { place, group, from, epoch } = lacking;
        let rank = self.rank;
        let Some(release) = self.of(group).filter(|release| release.members[0] == from) else {
            return Ok(Sought::Other);
        };
        let want = word_of(group, epoch, 0);
        if release.sure == want {
            return Ok(Sought::Sure);
        }
        let since = match release.since {
            Some((wanted, since)) if wanted == want => since,
            _ => {
                release.since = Some((want, now));
                now
            }
        };
        let patience = patience.saturating_mul(1 << release.in_vain);
        let left = patience.saturating_sub(now.saturating_since(since));
        if !left.is_zero() {
            return Ok(Sought::After(left));
        }
        let again = Ok(Sought::After(patience));
        release.since = Some((want, now));
        debug_assert_ne!(rank, from, "a root lacks no release");
        if !cells.put_want(nic, place, from, want)? {
            return again;
        }
        *asked += 1;
        match cells.fetch_sent(nic, place, from)? {
            Fetched::Word(sent) if reaches(sent, want) => {
                release.in_vain = 0;
                let is_news = release.heard.handle_answer(sent, entered);
                Ok(if is_news { Sought::Found } else { Sought::After(patience) })
            }
            // Its look for wants comes after this read, and so after the want.
            Fetched::Word(_) => {
                release.sure = want;
                release.in_vain = (release.in_vain + 1).min(MOST_IN_VAIN);
                Ok(Sought::Sure)
            }
            Fetched::Late => again,
            // It answers nobody any more, and that it has gone wakes.
            Fetched::Gone => Ok(Sought::Sure),
        }
    }

    /// Makes sure that each member gets the last release, as far as there is room. Returns whether all have it.
    fn seal<N: Nic>(
        release: &mut Release,
        rank: Rank,
        nic: &mut N,
        cells: &Cells,
    ) -> Result<bool, VerbsError> {
        if release.members[0] != rank || !release.released {
            return Ok(true);
        }
        while let Some(&to) = release.members.get(release.sealed) {
            if to != rank && !cells.repeat_last(nic, release.place, to)? {
                return Ok(false);
            }
            release.sealed += 1;
        }
        Ok(true)
    }

    /// Whether the root of a group has yet to seal it.
    pub(super) fn holds(&self, group: GroupId) -> bool {
        self.groups.iter().any(|release| release.group == group)
    }
}

impl<N: Nic> Engine<N> {
    /// Has a group whose signals are words released by multicast, if that is its algorithm and the network can.
    pub(super) fn choose_release(&mut self, group: GroupId, algorithm: Algorithm, first: Epoch) {
        self.releases.forget(group);
        let (Some(place), Some(members)) = (self.order.cells_of(group), self.order.members(group))
        else {
            return;
        };
        let Some(cells) = &self.cells else { return };
        if !matches!(algorithm, Algorithm::GatherMulticast { .. }) || members.len() < LEAST {
            return;
        }
        match self.nic.multicast().map(|_| ()) {
            Ok(_) => {
                let cell = cells.read(&self.nic, place, members[0]);
                self.releases.join(group, place, members, first, cell);
            }
            // One of them is enough.
            Err(NoMulticast::Unavailable(why)) if members[0] == self.order.rank() => {
                let what = format_args!(
                    "barriers by {algorithm} are released by a word to each member, and not by multicast: {why}"
                );
                static SAID: OnceLock<()> = OnceLock::new();
                warn::once(&SAID, what);
            }
            Err(_) => {}
        }
    }

    /// Takes in releases that have come, by whichever way.
    pub(super) fn hear_releases(&mut self) -> Result<(), MessageError> {
        let Engine { nic, order, releases, cells, .. } = self;
        while let Some((from, datagram)) = nic.multicast().ok().and_then(|it| it.poll()) {
            let protocol = |fault| MessageError::protocol(from, fault);
            let Some((group, epoch)) = read_datagram(datagram) else {
                let (group, word) = (GroupId::WORLD, datagram[0]);
                return Err(protocol(ProtocolError::ForeignWord { from, group, word }));
            };
            // Most are of groups to which this rank does not belong; or of one of the past.
            let Some((entered, ..)) = order.progress_of(group) else { continue };
            let Some(release) = releases.of(group) else {
                return Err(protocol(ProtocolError::UnexpectedStep { from, group, step: 0 }));
            };
            release.heard.handle_datagram(from, epoch, entered).map_err(protocol)?;
        }
        let (Some(cells), rank) = (cells, releases.rank) else { return Ok(()) };
        for release in releases.groups.iter_mut().filter(|release| release.members[0] != rank) {
            if let Some((entered, ..)) = order.progress_of(release.group) {
                let word = cells.read(nic, release.place, release.heard.root());
                release.heard.handle_cell(word, entered);
            }
        }
        Ok(())
    }

    /// Asks for the releases that this rank has lacked for too long, if it is time to look at the clock. Returns
    /// whether one was found that way.
    pub(super) fn seek_when_due(&mut self) -> Result<bool, MessageError> {
        self.releases.looks += 1;
        if self.stall.waiting.is_some() && self.releases.looks < LOOKS_PER_CLOCK {
            return Ok(false);
        }
        self.releases.looks = 0;
        let (now, patience) = (Instant::now(), self.resend_after());
        let mut found = false;
        let Engine { nic, order, releases, cells, stats, .. } = self;
        let Some(cells) = cells else { return Ok(false) };
        for lacking in order.lacking_words() {
            let entered = order.progress_of(lacking.group).map_or(0, |(entered, ..)| entered);
            let (time, asked) = ((now, patience), &mut stats.releases_asked);
            found |= releases.seek(nic, cells, lacking, entered, time, asked)? == Sought::Found;
        }
        stats.releases_missed += u64::from(found);
        Ok(found)
    }

    /// Seals the groups with which this rank is done, as far as there is room.
    pub(super) fn seal_dropped(&mut self) -> Result<(), MessageError> {
        let Engine { nic, order, releases, cells, .. } = self;
        let (Some(cells), rank) = (cells, releases.rank) else { return Ok(()) };
        let mut failed = None;
        releases.groups.retain_mut(|release| {
            // What is forgotten is complete, and owes nothing.
            order.progress_of(release.group).is_some()
                || !Releases::seal(release, rank, nic, cells).unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    false
                })
        });
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Seals all groups: this rank ends. Returns whether that is done.
    pub(super) fn seal_all(&mut self) -> Result<bool, MessageError> {
        let Engine { nic, releases, cells, .. } = self;
        let (Some(cells), rank) = (cells, releases.rank) else { return Ok(true) };
        let mut done = true;
        for release in &mut releases.groups {
            done &= Releases::seal(release, rank, nic, cells)?;
        }
        Ok(done)
    }
}
