//! Groups that are released by multicast. Members write their epoch to the root, up a tree, as in
//! any other group whose signals are words. The root tells all at once that everyone has entered,
//! by a datagram that may be lost (RGM of kini-2003 §3.3, §4.3).
//!
//! Keeps rules BAR-1, BAR-3, BAR-4, END-1 and SAFE-1 of SEMANTICS.md.
//!
//! This module says when a root sends a release, and what a member does that lacks one. The gather,
//! and what a word is, are those of `cells`; what a release means is the order core's
//! ([`crate::order::Order::handle_complete`]).
//!
//! # What is lost
//!
//! In kini-2003 §4.3 a member that waits too long sends the root a NAK, upon which the root sends
//! again; but a root that computes does not hear it, unless it is interrupted. Here the root need
//! not hear it. It writes down, in its own memory, what it releases before it does so. A member
//! that has waited for [`Config::resend_after`](crate::message::Config) has that read. A member that has
//! asked in vain, since another was late and nothing was lost, waits twice as long the next time,
//! up to 32 times as long.
//!
//! A root that is done with a group, because the program has dropped it or ends, can be asked no
//! more. So at that point it *seals* the group: it writes its last release to each member. If it
//! has died, its members are told so.

use std::sync::OnceLock;
use std::time::Duration;

use super::Barriers;
use super::cells::Cells;
use crate::message::error::MessageError;
use crate::order::core::words::Lacking;
use crate::order::written::{datagram_of, read_datagram};
use crate::order::{Algorithm, Epoch, GroupId, ProtocolError, Rank};
use crate::sys::time::Instant;
use crate::sys::warn;
use crate::verbs::{Fetched, Multicast, Nic, NoMulticast, VerbsError};

/// So many looks of a rank that waits come between two at the clock.
const LOOKS_PER_CLOCK: u32 = 16;

/// A member that has asked so often in vain waits no longer than before.
const MOST_IN_VAIN: u32 = 5;

/// Smaller groups are released by a word to each member, which is as few as there are ways to lose
/// it.
const LEAST: usize = 3;

/// One group, as one of its members sees it.
#[derive(Debug)]
struct Release {
    group: GroupId,
    place: usize,
    /// In the order of the group: the root first.
    members: Vec<Rank>,
    /// Of a member: the epoch whose release it lacks, and since when, or since it last asked.
    since: Option<(Epoch, Instant)>,
    /// How often it has asked in vain since a release was lost: it waits twice as long each time.
    in_vain: u32,
    /// Of the root: what is to be told to all; whether anything was; and how many members have the
    /// last for sure.
    due: Option<Epoch>,
    released: bool,
    sealed: usize,
}

/// All groups of a rank that are released by multicast.
#[derive(Debug)]
pub(super) struct Releases {
    rank: Rank,
    /// How long a member waits for a release before it asks.
    patience: Duration,
    groups: Vec<Release>,
    /// Looks since the last one at the clock.
    looks: u32,
}

impl Releases {
    pub(super) fn new(rank: Rank, patience: Duration) -> Releases {
        Releases { rank, patience, groups: Vec::new(), looks: 0 }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    fn join(&mut self, group: GroupId, place: usize, members: &[Rank]) {
        self.groups.push(Release {
            group,
            place,
            members: members.to_vec(),
            since: None,
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
    pub(super) fn send<N: Nic>(&mut self, nic: &mut N, cells: &Cells) -> Result<u64, VerbsError> {
        let mut sent = 0;
        for Release { group, place, due, released, .. } in &mut self.groups {
            let Some(epoch) = *due else { continue };
            cells.write_released(nic, *place, (*group, epoch))?;
            (*due, *released) = (None, true);
            if let Ok(multicast) = nic.multicast() {
                multicast.post(datagram_of(*group, epoch));
            }
            sent += 1;
        }
        Ok(sent)
    }

    /// How long a member that lacks this signal waits before it asks for it; None if it is no
    /// release.
    pub(super) fn asks_after(&mut self, lacking: Lacking, now: Instant) -> Option<Duration> {
        let Lacking { group, from, epoch, .. } = lacking;
        let patience = self.patience;
        let release = self.of(group).filter(|release| release.members[0] == from)?;
        let since = match release.since {
            Some((lacked, since)) if lacked == epoch => since,
            _ => {
                release.since = Some((epoch, now));
                now
            }
        };
        let patience = patience.saturating_mul(1 << release.in_vain);
        Some(patience.saturating_sub(now.saturating_since(since)))
    }

    /// A member has asked, and has found what it lacked, or has not.
    fn note_asked(&mut self, lacking: Lacking, now: Instant, found: bool) {
        if let Some(release) = self.of(lacking.group) {
            release.since = Some((lacking.epoch, now));
            release.in_vain = if found { 0 } else { (release.in_vain + 1).min(MOST_IN_VAIN) };
        }
    }

    /// The next look at the clock is at once.
    pub(super) fn look_soon(&mut self) {
        self.looks = LOOKS_PER_CLOCK;
    }

    /// Makes sure that each member gets the last release, as far as there is room. Returns whether
    /// all have it.
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
            if to != rank && !cells.repeat_released(nic, release.place, to)? {
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

impl Barriers {
    /// Has a group whose signals are words released by multicast, if that is its algorithm and the
    /// network can.
    pub(super) fn choose_release<N: Nic>(
        &mut self,
        nic: &mut N,
        group: GroupId,
        algorithm: Algorithm,
    ) {
        self.releases.forget(group);
        let (Some(place), Some(members)) = (self.order.cells_of(group), self.order.members(group))
        else {
            return;
        };
        if !matches!(algorithm, Algorithm::GatherMulticast { .. }) || members.len() < LEAST {
            return;
        }
        match nic.multicast().map(|_| ()) {
            Ok(()) => self.releases.join(group, place, members),
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

    /// Takes in the releases that have come by multicast. Returns whether a barrier has completed.
    pub(super) fn hear_releases<N: Nic>(&mut self, nic: &mut N) -> Result<bool, ProtocolError> {
        let Barriers { order, releases, .. } = self;
        let mut news = false;
        while let Some((from, datagram)) = nic.multicast().ok().and_then(|it| it.poll()) {
            let Some((group, epoch)) = read_datagram(datagram) else {
                let (group, word) = (GroupId::WORLD, datagram[0]);
                return Err(ProtocolError::ForeignWord { from, group, word });
            };
            // Most are of groups to which this rank does not belong; or of one of the past.
            if order.progress_of(group).is_none() {
                continue;
            }
            if releases.of(group).is_none() {
                return Err(ProtocolError::UnexpectedStep { from, group, step: 0 });
            }
            news |= order.handle_complete(from, group, epoch)?;
        }
        Ok(news)
    }

    /// Asks for the releases that this rank has lacked for too long. A rank that `is_waiting` looks
    /// again at once, and so only now and then at the clock. Returns whether one was found.
    pub(super) fn ask_for_releases<N: Nic>(
        &mut self,
        nic: &mut N,
        is_waiting: bool,
        now: impl Fn() -> Instant,
    ) -> Result<bool, MessageError> {
        let Barriers { order, releases, cells: Some(cells), stats, .. } = self else {
            return Ok(false);
        };
        releases.looks += 1;
        if is_waiting && releases.looks < LOOKS_PER_CLOCK {
            return Ok(false);
        }
        releases.looks = 0;
        let (now, mut found) = (now(), 0);
        for at in 0..releases.groups.len() {
            let group = releases.groups[at].group;
            let Some(lacking) = order.lacking_words().find(|word| word.group == group) else {
                continue;
            };
            let Lacking { place, group, from, .. } = lacking;
            if releases.asks_after(lacking, now) != Some(Duration::ZERO) {
                continue;
            }
            stats.releases_asked += 1;
            let is_found = match cells.fetch_released(nic, place, from)? {
                Fetched::Word(word) => order.handle_complete_word(from, group, word)?,
                // Of a root that has gone this rank learns by other ways.
                Fetched::Late | Fetched::Gone => false,
            };
            releases.note_asked(lacking, now, is_found);
            found += u64::from(is_found);
        }
        stats.releases_missed += found;
        Ok(found > 0)
    }

    /// Seals the groups with which this rank is done, as far as there is room.
    pub(super) fn seal_dropped<N: Nic>(&mut self, nic: &mut N) -> Result<(), VerbsError> {
        let Barriers { order, releases, cells: Some(cells), .. } = self else { return Ok(()) };
        let (rank, mut failed) = (releases.rank, None);
        releases.groups.retain_mut(|release| {
            // What is forgotten is complete, and owes nothing.
            order.progress_of(release.group).is_some()
                || !Releases::seal(release, rank, nic, cells).unwrap_or_else(|error| {
                    failed.get_or_insert(error);
                    false
                })
        });
        failed.map_or(Ok(()), Err)
    }

    /// Seals all groups: this rank ends. Returns whether that is done.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the network failed.
    pub(in crate::message) fn seal_all<N: Nic>(&mut self, nic: &mut N) -> Result<bool, VerbsError> {
        let Barriers { releases, cells: Some(cells), .. } = self else { return Ok(true) };
        let (rank, mut is_done) = (releases.rank, true);
        for release in &mut releases.groups {
            is_done &= Releases::seal(release, rank, nic, cells)?;
        }
        Ok(is_done)
    }
}
