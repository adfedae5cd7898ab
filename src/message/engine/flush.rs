//! The way outwards: signals first, then control frames, then messages that waited, then payload.
//!
//! Whatever cannot leave now stays listed, and is tried again with the next progress.
//!
//! Keeps rule FLOW-2 of SEMANTICS.md.

use super::reads::post_reads;
use super::{Engine, Stats};
use crate::message::board::{Board, Shown};
use crate::message::cells::{Cells, Posted};
use crate::message::config::{CONTROL, SIGNAL};
use crate::message::control::encode_signal;
use crate::message::error::MessageError;
use crate::message::header::Kind;
use crate::message::links::{DueFrame, Links};
use crate::message::obstacles::Obstacles;
use crate::order::core::board::{HostWrite, Publication};
use crate::order::hosts::{Target, Write};
use crate::order::{Epoch, Order, Rank, Signal};
use crate::verbs::{Nic, PostError, Vi};

impl<N: Nic> Engine<N> {
    /// Sends all that is due and may leave.
    #[inline]
    pub(super) fn flush(&mut self) -> Result<(), MessageError> {
        if self.has_nothing_due() { Ok(()) } else { self.flush_due() }
    }

    /// Whether a flush would do nothing, as after most messages that come in.
    #[inline(always)]
    pub(super) fn has_nothing_due(&self) -> bool {
        !self.obstacles.has_any(Obstacles::DUE)
            && self.board.as_ref().is_none_or(|board| !board.has_dropped())
            && self.order.owes_nothing()
    }

    fn flush_due(&mut self) -> Result<(), MessageError> {
        self.flush_signals()?;
        // What has completed by that may have released what was deferred or held.
        while self.publish()? {
            self.handle_completions();
            self.settle_matches()?;
            self.flush_signals()?;
        }
        if self.links.has_due() {
            self.flush_control()?;
        }
        if !self.links.sending().is_empty() {
            self.flush_outboxes()?;
        }
        if !self.transfers.streaming().is_empty() {
            self.flush_streams()?;
        }
        Ok(())
    }

    fn flush_signals(&mut self) -> Result<(), MessageError> {
        let (nic, links, stats) = (&mut self.nic, &mut self.links, &mut self.stats);
        let (cells, releases) = (&mut self.cells, &mut self.releases);
        let mut failed: Option<MessageError> = None;
        self.order.poll_signals(|to, signal| {
            // One who has gone needs no signal.
            if links.peer(to).presence().is_gone() {
                return true;
            }
            if releases.is_root(signal.group) {
                releases.note_due(signal.group, signal.epoch);
                // A word, which the root writes down for all.
                stats.signals_sent += 1;
                stats.signals_written += 1;
                return true;
            }
            if let Some(cells) = cells {
                match cells.post(nic, to, &signal) {
                    Ok(None) => {}
                    Ok(Some(posted)) => return stats.count_written(posted),
                    Err(error) => {
                        failed.get_or_insert(error.into());
                        return false;
                    }
                }
            }
            post_signal(nic, links, to, &signal).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                false
            }) && {
                stats.signals_sent += 1;
                true
            }
        });
        if let Some(cells) = cells
            && !releases.is_empty()
        {
            stats.releases_sent += releases.send(nic, cells)?;
        }
        failed.map_or(Ok(()), Err)
    }

    /// Publishes what was entered, looks whether that has completed a barrier, and wakes who sleeps
    /// for it. Returns whether a barrier has completed here.
    fn publish(&mut self) -> Result<bool, MessageError> {
        let Some(board) = &mut self.board else { return Ok(false) };
        let (nic, published) = (&self.nic, &mut self.publications);
        self.order.poll_published(|publication| {
            board.publish(nic, publication.place, publication.epoch);
            published.push(publication);
        });
        let mut news = false;
        if !published.is_empty() {
            self.stats.publications += published.len() as u64;
            news = look(&mut self.order, board, nic, &mut self.stats)?;
            for publication in published.drain(..) {
                self.stats.ranks_woken += tell_if_complete(&self.order, board, nic, publication);
            }
        }
        if board.has_dropped() {
            let order = &self.order;
            board.retire(nic, |group| {
                order
                    .progress_of(group)
                    .is_none_or(|(_, complete, initiated)| complete == initiated)
            });
        }
        Ok(news)
    }

    /// Publishes what was entered just now, and looks.
    #[inline]
    pub(super) fn publish_directly(&mut self, entered: Publication) -> Result<(), MessageError> {
        let (Some(board), nic) = (&self.board, &self.nic) else { return Ok(()) };
        board.publish(nic, entered.place, entered.epoch);
        self.stats.publications += 1;
        self.look_having_entered(entered)
    }

    /// Looks whether what was published just now has completed barriers; then wakes who sleeps for
    /// them, and sends on what was kept back for them.
    fn look_having_entered(&mut self, entered: Publication) -> Result<(), MessageError> {
        let (Some(board), nic) = (&mut self.board, &self.nic) else { return Ok(()) };
        if let Err(error) = look(&mut self.order, board, nic, &mut self.stats) {
            return self.remember(Err(error));
        }
        // Mostly it has completed nothing.
        if self.order.completions() == self.seen_completions {
            return Ok(());
        }
        self.stats.ranks_woken += tell_if_complete(&self.order, board, nic, entered);
        self.handle_released()
    }

    /// Takes in what others have published. Returns whether a barrier has completed here.
    pub(super) fn poll_board(&mut self) -> Result<bool, MessageError> {
        let Some(board) = &mut self.board else { return Ok(false) };
        look(&mut self.order, board, &self.nic, &mut self.stats)
    }

    /// Takes in the signals that others have written. Returns whether there were any.
    #[inline]
    pub(super) fn poll_cells(&mut self) -> Result<bool, MessageError> {
        if self.cells.as_ref().is_some_and(Cells::has_dropped) {
            self.retire_cells()?;
        }
        if !self.releases.is_empty() {
            return self.poll_releases();
        }
        let Some(cells) = &mut self.cells else { return Ok(false) };
        let found = self.order.look_at_cells(|place, from| cells.read(&self.nic, place, from));
        found.map_err(|fault| MessageError::protocol(fault.from(), fault))
    }

    fn retire_cells(&mut self) -> Result<(), MessageError> {
        self.seal_dropped()?;
        let (order, releases) = (&self.order, &self.releases);
        if let Some(cells) = &mut self.cells {
            // What is forgotten is complete, and owes nothing.
            cells.retire(|group| order.progress_of(group).is_none() && !releases.holds(group));
        }
        Ok(())
    }

    /// As [`poll_cells`](Engine::poll_cells), where some signals come by multicast.
    fn poll_releases(&mut self) -> Result<bool, MessageError> {
        let mut news = self.hear_releases()?;
        loop {
            let Some(cells) = &self.cells else { return Ok(news) };
            let nic = &self.nic;
            let found = self.order.look_at_cells(|place, from| cells.read(nic, place, from));
            news |= found.map_err(|fault| MessageError::protocol(fault.from(), fault))?;
            if news || !self.ask_for_releases()? {
                return Ok(news);
            }
            news = true;
        }
    }

    /// Whether [`poll_cells`](Engine::poll_cells) would do nothing.
    #[inline(always)]
    pub(super) fn are_cells_quiet(&self) -> bool {
        let Some(cells) = &self.cells else { return true };
        self.releases.is_empty()
            && !cells.has_dropped()
            && self.order.are_cells_quiet(|place, from| cells.read(&self.nic, place, from))
    }

    /// Whether hosts have told this one nothing new, and lack nothing that it could tell them.
    #[inline(always)]
    pub(super) fn are_hosts_quiet(&self) -> bool {
        match &self.board {
            Some(board) if board.spanning() != 0 => {
                self.order.are_hosts_quiet(&Shown { board, words: &self.nic })
            }
            _ => true,
        }
    }

    /// Asks for the signals that open barriers lack.
    pub(super) fn post_asks(&mut self) -> Result<(), MessageError> {
        let (nic, links, stats) = (&mut self.nic, &mut self.links, &mut self.stats);
        let mut failed = None;
        self.ask_turn = self.ask_turn.wrapping_add(1);
        self.order.poll_asks(self.ask_turn, |to, ask| match post_signal(nic, links, to, &ask) {
            Ok(taken) => stats.signals_asked += u64::from(taken),
            Err(error) => drop(failed.get_or_insert(error)),
        });
        failed.map_or(Ok(()), Err)
    }

    /// Sends the control frames that are due, and says which payloads were read.
    pub(super) fn flush_control(&mut self) -> Result<(), MessageError> {
        let (nic, gathering) = (&mut self.nic, &self.gathering);
        let posted = self.links.poll_due(&mut self.obstacles, |to, due| match due {
            DueFrame::Control(frame) => nic.post_send(Vi { peer: to, cq: CONTROL }, &frame, &[]),
            DueFrame::Reads => post_reads(nic, to, gathering.reads_word(to)),
        });
        Ok(posted?)
    }

    /// Sends what waits in the outboxes and may leave now.
    fn flush_outboxes(&mut self) -> Result<(), MessageError> {
        let sending = self.links.sending().len();
        let result = (0..sending).try_for_each(|at| {
            let to = self.links.sending()[at];
            self.flush_outbox(to)
        });
        self.links.settle_sending(&mut self.obstacles);
        result
    }

    fn flush_outbox(&mut self, to: Rank) -> Result<(), MessageError> {
        while let Some(first) =
            self.links.poll_message(to, |posted| self.order.may_leave(to, posted))
        {
            let posted = match first.header.kind {
                Kind::Request => self.post_request(to, first.header, None)?,
                _ => self.post_data(to, first.header, &first.payload)?,
            };
            if !posted {
                self.links.put_back(to, first);
                return Ok(());
            }
            self.links.handle_left(to);
        }
        Ok(())
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
        let found = order.look(&Shown { board, words: nic });
        news |= found.map_err(|fault| MessageError::protocol(fault.from(), fault))?;
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
            // The last rank to enter need not be the one that finds it: the rank that does wakes those
            // of its host.
            Target::OwnHost => {
                stats.ranks_woken += tell_who_waits(board, nic, place, epoch);
                true
            }
        });
    written > 0
}

/// Says to the members of the group at a place that all have entered `epoch`, and wakes those that
/// sleep for it. The last rank to enter does so, as far as is known. Returns how many were woken.
#[inline]
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

impl Stats {
    /// Counts a signal that was written; returns whether it was.
    #[inline]
    fn count_written(&mut self, posted: Posted) -> bool {
        let written = posted != Posted::NoRoom;
        self.signals_sent += u64::from(written);
        self.signals_written += u64::from(written);
        self.signals_notified += u64::from(posted == Posted::Waking);
        written
    }
}

/// Whether the signal was taken; false where the peer has no room for it now.
fn post_signal<N: Nic>(
    nic: &mut N,
    links: &mut Links,
    to: Rank,
    signal: &Signal,
) -> Result<bool, MessageError> {
    if !links.peer(to).has_credit(SIGNAL) {
        return Ok(false);
    }
    match nic.post_send(Vi { peer: to, cq: SIGNAL }, &encode_signal(signal), &[]) {
        Ok(()) => {
            links.handle_sent(to, SIGNAL);
            Ok(true)
        }
        Err(PostError::PeerGone(_)) => Ok(true),
        Err(PostError::QueueFull(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
