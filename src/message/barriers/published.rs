//! Barriers on the board: a rank publishes what it has entered, takes in what others have
//! published, tells other hosts, and wakes those that sleep for what has completed.
//!
//! Keeps rules BAR-1, BAR-4, END-1 and SAFE-1 of SEMANTICS.md.

use super::Barriers;
use super::board::{Board, Shown, Want};
use crate::message::Stats;
use crate::message::error::MessageError;
use crate::order::clocks::Seq;
use crate::order::core::board::{Awaited, HostWrite, Publication};
use crate::order::hosts::{Target, Write};
use crate::order::{Epoch, GroupId, Order, Rank, Ticket};
use crate::verbs::Nic;

impl Barriers {
    /// Publishes what was entered, looks whether that has completed a barrier, and wakes the ranks
    /// that sleep for it. Leaves the places of groups that are done. Returns whether a barrier has
    /// completed here.
    ///
    /// # Errors
    ///
    /// As by [`poll_board`](Barriers::poll_board).
    #[inline(always)]
    pub(in crate::message) fn poll_published<N: Nic>(
        &mut self,
        nic: &N,
    ) -> Result<bool, MessageError> {
        let Barriers { order, board: Some(board), publications, stats, .. } = self else {
            return Ok(false);
        };
        order.poll_published(|publication| {
            board.publish(nic, publication.place, publication.epoch);
            publications.push(publication);
        });
        let mut news = false;
        if !publications.is_empty() {
            stats.publications += publications.len() as u64;
            news = look(order, board, nic, stats)?;
            for publication in publications.drain(..) {
                stats.ranks_woken += tell_if_complete(order, board, nic, publication);
            }
        }
        if board.has_dropped() {
            board.retire(nic, |group| {
                let progress = order.progress_of(group);
                progress.is_none_or(|(_, complete, initiated)| complete == initiated)
            });
        }
        Ok(news)
    }

    /// Initiates and enters a barrier of a group on the board that nothing keeps back, and looks
    /// whether that has completed it. None, and nothing has changed, where something may.
    ///
    /// # Errors
    ///
    /// As by [`poll_board`](Barriers::poll_board).
    #[inline]
    pub(in crate::message) fn enter_published<N: Nic>(
        &mut self,
        nic: &N,
        group: GroupId,
    ) -> Result<Option<Ticket>, MessageError> {
        let Some(board) = &mut self.board else { return Ok(None) };
        let initiated = self.order.handle_initiate_published(group);
        let Some((ticket, entered)) = initiated else { return Ok(None) };
        board.publish(nic, entered.place, entered.epoch);
        self.stats.publications += 1;
        look(&mut self.order, board, nic, &mut self.stats)?;
        // Mostly it has completed nothing.
        if self.order.completions() != self.seen_completions {
            self.stats.ranks_woken += tell_if_complete(&self.order, board, nic, entered);
        }
        Ok(Some(ticket))
    }

    /// Takes in what others have published. Returns whether a barrier has completed here.
    ///
    /// # Errors
    ///
    /// [`MessageError::Protocol`] if a rank has published what cannot be.
    #[inline]
    pub(in crate::message) fn poll_board<N: Nic>(&mut self, nic: &N) -> Result<bool, MessageError> {
        let Some(board) = &mut self.board else { return Ok(false) };
        look(&mut self.order, board, nic, &mut self.stats)
    }

    /// Whether [`poll_board`](Barriers::poll_board) would find nothing, as far as few words say.
    #[inline(always)]
    pub(in crate::message) fn is_board_quiet<N: Nic>(&self, nic: &N) -> bool {
        let Some(board) = &self.board else { return true };
        self.order.is_board_quiet(&Shown { board, words: nic })
    }

    /// Whether hosts have told this one nothing new, and lack nothing that it could tell them.
    #[inline(always)]
    pub(in crate::message) fn are_hosts_quiet<N: Nic>(&self, nic: &N) -> bool {
        match &self.board {
            Some(board) if board.spanning() != 0 => {
                self.order.are_hosts_quiet(&Shown { board, words: nic })
            }
            _ => true,
        }
    }

    /// What completes on the board while this rank sleeps, and must wake it. It matters to the
    /// rank up to the place `through` in its own order; not at all if that is None.
    #[inline]
    pub(in crate::message) fn want(&self, through: Option<Seq>) -> Want {
        let mut awaited = self.order.awaited();
        let (Some(first), Some(through)) = (awaited.next(), through) else { return Want::Nothing };
        if awaited.next().is_some() {
            return Want::Any;
        }
        let Awaited { place, group, complete, entered } = first;
        let is_meant = |epoch| self.order.seq_of(group, epoch).is_some_and(|seq| seq <= through);
        let newest = (complete + 1..=entered).rev().find(|&epoch| is_meant(epoch));
        Want::Epoch { place, epoch: newest.unwrap_or(complete + 1) }
    }

    /// Says for which barriers this rank is about to sleep.
    pub(in crate::message) fn tell_want<N: Nic>(&mut self, nic: &N, want: Want) {
        if let Some(board) = &mut self.board {
            board.want(nic, want);
        }
    }

    /// Whether a barrier that this rank wants is complete already, by these words.
    pub(in crate::message) fn has_wanted(&self, load: &dyn Fn(usize) -> u64, want: Want) -> bool {
        let has_it = |board: &Board| board.has_wanted(&load, want, self.order.awaited());
        self.board.as_ref().is_some_and(has_it)
    }

    /// Writes to other hosts what must be written again, where that can be done now.
    pub(in crate::message) fn catch_up<N: Nic>(&mut self, nic: &N) {
        if let Some(board) = self.board_on_hosts() {
            board.catch_up(nic);
        }
    }

    /// A peer is gone. What this rank has written to another host by way of it goes by way of
    /// another.
    pub(in crate::message) fn handle_gone<N: Nic>(&mut self, nic: &N, peer: Rank) {
        if let Some(board) = self.board_on_hosts() {
            board.handle_gone(nic, peer);
        }
    }

    /// Whether all that this rank has written to other hosts has come.
    pub(in crate::message) fn is_settled<N: Nic>(&mut self, nic: &N) -> bool {
        self.board_on_hosts().is_none_or(|board| board.is_settled(nic))
    }

    /// The board, if it has groups on several hosts.
    fn board_on_hosts(&mut self) -> Option<&mut Board> {
        self.board.as_mut().filter(|board| board.spanning() != 0)
    }
}

/// Takes in the words of others, and writes for this host what is due. Returns whether a barrier
/// has completed.
fn look<N: Nic>(
    order: &mut Order,
    board: &mut Board,
    nic: &N,
    stats: &mut Stats,
) -> Result<bool, MessageError> {
    let mut news = false;
    loop {
        news |= order.look(&Shown { board, words: nic })?;
        // What was told in one round permits the next.
        if board.spanning() == 0 || !write_for_host(order, board, nic, stats) {
            return Ok(news);
        }
    }
}

/// Writes what is due to other hosts, and on this host which barriers are complete. Returns whether
/// anything was written.
#[inline(never)]
fn write_for_host<N: Nic>(
    order: &mut Order,
    board: &mut Board,
    nic: &N,
    stats: &mut Stats,
) -> bool {
    let written =
        order.poll_writes(|HostWrite { place, write: Write { to, epoch }, .. }| match to {
            Target::Round(round) => {
                let is_told = board.tell_hosts(nic, place, (round, epoch));
                stats.hosts_told += u64::from(is_told);
                is_told
            }
            // The last rank to enter need not be the one that finds it: the rank that does wakes
            // those of its host.
            Target::OwnHost => {
                stats.ranks_woken += tell_who_waits(board, nic, place, epoch);
                true
            }
        });
    written > 0
}

/// Says to the members of the group at a place that all have entered `epoch`, and wakes those that
/// sleep for it. The last rank to enter does so, as far as is known. Returns how many were woken.
#[inline(never)]
pub(super) fn tell_who_waits<N: Nic>(board: &Board, nic: &N, place: usize, epoch: Epoch) -> u64 {
    board.publish_completed(nic, place, epoch);
    let mut wanting = board.wanting(nic, place, epoch).peekable();
    if wanting.peek().is_none() {
        return 0;
    }
    let mut woken = 0;
    nic.wake_many(wanting.inspect(|_| woken += 1));
    woken
}

/// The same, if what was published has completed barriers; else another rank has completed them, or
/// will.
fn tell_if_complete<N: Nic>(order: &Order, board: &Board, nic: &N, published: Publication) -> u64 {
    let Publication { place, group, before, epoch } = published;
    // There the rank that found it has said so already.
    if board.spans_hosts(place) {
        return 0;
    }
    // A group that is forgotten had nothing open.
    let complete = order.progress_of(group).map_or(epoch, |(_, complete, _)| complete);
    if complete > before { tell_who_waits(board, nic, place, complete) } else { 0 }
}
