//! Barriers as a program calls them: initiate and go on, or wait, with or without a time limit.
//!
//! Keeps rules BAR-6 to BAR-9, CON-3 and END-2 of SEMANTICS.md.

use std::time::Duration;

use super::Engine;
use crate::message::control::Cause;
use crate::message::control::Control;
use crate::message::error::MessageError;
use crate::message::links::Closing;
use crate::message::obstacles::Obstacles;
use crate::message::waiting::{ANSWER_TIME, WaitsFor};
use crate::order::{Epoch, GroupId, Posted, Rank, Refused, Ticket};
use crate::sys::time::Instant;
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// Initiates a barrier and returns without waiting for it. Waits, progressing, only if as many
    /// are open as may be, or if its entry would have to be deferred (then a traditional barrier
    /// would have waited too).
    ///
    /// # Errors
    ///
    /// [`MessageError::EndedBeforeBarrier`] or [`MessageError::PeerLost`] if it had to wait for a
    /// barrier that can never complete; [`MessageError::Protocol`] if the members called their
    /// barriers in different orders; others as by [`Engine::progress`].
    pub fn barrier(&mut self, group: GroupId) -> Result<Ticket, MessageError> {
        if let Some(ticket) = self.enter_directly(group)? {
            return Ok(ticket);
        }
        self.progress_urgent()?;
        if self.order().may_initiate(group).is_err() || !self.order().would_enter(group) {
            self.wait_until(
                WaitsFor::Barriers { through: None },
                |engine| match engine.order().may_initiate(group) {
                    Ok(()) => Ok(engine.order().would_enter(group).then_some(())),
                    Err(Refused::OpenLimit { .. }) => Ok(None),
                    Err(refused) => Err(refused.into()),
                },
                |engine| engine.check_open_barriers(u64::MAX, &|_| true),
            )?;
        }
        self.initiate(group)
    }

    /// Initiates a barrier if that needs no waiting. One whose entry must be deferred is initiated
    /// and entered later.
    ///
    /// # Errors
    ///
    /// [`MessageError::Refused`] if as many are open as may be; others as by [`Engine::barrier`].
    pub fn try_barrier(&mut self, group: GroupId) -> Result<Ticket, MessageError> {
        self.progress()?;
        self.initiate(group)
    }

    fn initiate(&mut self, group: GroupId) -> Result<Ticket, MessageError> {
        let ticket = self.barriers.handle_initiate(group)?;
        self.check_fault()?;
        self.handle_completions();
        self.settle_matches()?;
        self.flush()?;
        Ok(ticket)
    }

    pub(super) fn check_fault(&mut self) -> Result<(), MessageError> {
        self.barriers.poll_fault().map_or(Ok(()), |fault| self.break_with(fault.into()))
    }

    /// Whether every barrier that this rank initiated up to `ticket` has completed.
    ///
    /// # Errors
    ///
    /// As by [`Engine::wait_barrier`].
    pub fn test_barrier(&mut self, ticket: Ticket) -> Result<bool, MessageError> {
        loop {
            let news = self.progress()?;
            if self.order().is_complete_through(ticket.seq) {
                return Ok(true);
            }
            if news {
                return Ok(false);
            }
            // What one that has gone had sent may have come just before, so it is looked again:
            // twice for each, at most.
            if !self.note_losses() {
                self.check_open_barriers(ticket.seq, &|_| true)?;
                return Ok(false);
            }
        }
    }

    /// Waits until every barrier that this rank initiated up to `ticket` has completed.
    ///
    /// # Errors
    ///
    /// [`MessageError::EndedBeforeBarrier`] or [`MessageError::PeerLost`] if that can never be;
    /// others as by [`Engine::progress`].
    pub fn wait_barrier(&mut self, ticket: Ticket) -> Result<(), MessageError> {
        if self.poll_barrier(ticket)? { Ok(()) } else { self.wait_further(ticket) }
    }

    /// Looks for about a microsecond whether a barrier is complete, as
    /// [`wait_barrier`](Engine::wait_barrier) does before it waits.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`].
    pub fn poll_barrier(&mut self, ticket: Ticket) -> Result<bool, MessageError> {
        if self.completes_directly(ticket.seq)? {
            return Ok(true);
        }
        // Look once at least, so that what came before the barrier can be polled after it.
        self.progress()?;
        Ok(self.order().is_complete_through(ticket.seq))
    }

    /// As [`wait_barrier`](Engine::wait_barrier), where [`poll_barrier`](Engine::poll_barrier) has
    /// just said that it is not complete.
    ///
    /// # Errors
    ///
    /// As by [`wait_barrier`](Engine::wait_barrier).
    pub fn wait_further(&mut self, ticket: Ticket) -> Result<(), MessageError> {
        self.wait_until(
            WaitsFor::Barriers { through: Some(ticket.seq) },
            |engine| Ok(engine.order().is_complete_through(ticket.seq).then_some(())),
            |engine| engine.check_open_barriers(ticket.seq, &|_| true),
        )
    }

    /// As [`wait_barrier`](Engine::wait_barrier), for at most `limit`, and the time that it then
    /// takes to ask the others: up to 50 ms, where one does not answer.
    ///
    /// # Errors
    ///
    /// As by [`Engine::wait_barrier`]; [`MessageError::BarrierTimeout`] if the time has run out. It
    /// names the members that say that they have not entered the oldest open barrier, and apart
    /// from them those that did not answer when asked; never one that has entered. Where they
    /// publish what they enter, that is seen, and nobody is asked.
    pub fn wait_barrier_timeout(
        &mut self,
        ticket: Ticket,
        limit: Duration,
    ) -> Result<(), MessageError> {
        self.progress()?;
        let deadline = Instant::now().after(limit);
        let complete = |engine: &mut Engine<N>| {
            Ok(engine.order().is_complete_through(ticket.seq).then_some(()))
        };
        let hopeless = |engine: &mut Engine<N>| engine.check_open_barriers(ticket.seq, &|_| true);
        let waits_for = WaitsFor::Barriers { through: Some(ticket.seq) };
        if self.wait_deadline(waits_for, deadline, complete, hopeless)?.is_some() {
            return Ok(());
        }
        let Some((group, epoch)) = self.barriers.oldest_open() else { return Ok(()) };
        self.ask_who_lacks(group, epoch)?;
        let answered = Instant::now().after(ANSWER_TIME);
        let members: Vec<Rank> = self.order().members(group).unwrap_or(&[]).to_vec();
        let settled = |engine: &mut Engine<N>| {
            let complete = engine.order().is_complete_through(ticket.seq);
            let silent = members.iter().any(|&m| engine.is_silent(m, group, epoch));
            Ok((complete || !silent).then_some(()))
        };
        self.wait_deadline(waits_for, answered, settled, |_| Ok(()))?;
        if self.order().is_complete_through(ticket.seq) {
            return Ok(());
        }
        let (mut not_entered, mut no_answer) = (Vec::new(), Vec::new());
        for member in members {
            if self.is_silent(member, group, epoch) {
                no_answer.push(member);
            } else if !self.has_entered(member, group, epoch) {
                not_entered.push(member);
            }
        }
        Err(MessageError::BarrierTimeout { group, epoch, not_entered, no_answer })
    }

    /// Asks every member that is not known to have entered.
    fn ask_who_lacks(&mut self, group: GroupId, epoch: Epoch) -> Result<(), MessageError> {
        for member in self.order().members(group).unwrap_or(&[]).to_vec() {
            let known = member == self.rank() || self.barriers.sees(member, group);
            if !known && !self.has_entered(member, group, epoch) {
                self.ask(member, group, epoch);
            }
        }
        self.flush()
    }

    /// Asks a peer where it is, and how far it has entered the barriers of `group`, of which
    /// `epoch` is open here; 0 if none is.
    pub(super) fn ask(&mut self, peer: Rank, group: GroupId, epoch: Epoch) {
        let clock = self.order().clock_of(group, epoch, peer).unwrap_or(0);
        let query = Control::Query { group, epoch, clock };
        self.links.ask(&mut self.obstacles, peer, query);
    }

    fn has_entered(&self, member: Rank, group: GroupId, epoch: Epoch) -> bool {
        self.barriers.has_entered(&self.nic, member, group, epoch)
            || self.links.peer(member).answer_about(group).is_some_and(|said| said >= epoch)
    }

    /// Has neither entered, as far as is known, nor said that it has not.
    fn is_silent(&self, member: Rank, group: GroupId, epoch: Epoch) -> bool {
        let known = member == self.rank() || self.barriers.sees(member, group);
        !known && !self.has_answered(member, group) && !self.has_entered(member, group, epoch)
    }

    /// Has said, since it was asked, that it has not entered, and nothing else is known; or the
    /// board shows it.
    pub(super) fn says_not_entered(&self, member: Rank, group: GroupId, epoch: Epoch) -> bool {
        let own = member == self.rank();
        let told = self.has_answered(member, group) || self.barriers.sees(member, group);
        !own && told && !self.has_entered(member, group, epoch)
    }

    fn has_answered(&self, member: Rank, group: GroupId) -> bool {
        self.links.peer(member).answer_about(group).is_some()
    }

    /// Fails if a message to `to` can never leave, because a barrier that contains it can never
    /// complete.
    pub(super) fn check_containing(&self, to: Rank, posted: Posted) -> Result<(), MessageError> {
        self.check_open_barriers(posted.after, &|members| !members.contains(&to))
    }

    /// Fails if an open barrier up to the place `through`, of a group that `concerns` the caller,
    /// can never complete, because a member has gone without entering it, or without the signals
    /// that it had promised.
    pub(super) fn check_open_barriers(
        &self,
        through: u64,
        concerns: &dyn Fn(&[Rank]) -> bool,
    ) -> Result<(), MessageError> {
        if !self.obstacles.has_any(Obstacles::LEAVING) {
            return Ok(());
        }
        // If several are to blame, it names one from which the others may have followed.
        let mut worst = None;
        for (group, epoch, _) in self.order().open_barriers() {
            if self.order().seq_of(group, epoch).is_none_or(|seq| seq > through) {
                continue;
            }
            let members = self.order().members(group).unwrap_or(&[]);
            let has_published = |rank| self.barriers.has_published(&self.nic, rank, group, epoch);
            for &rank in members.iter().filter(|_| concerns(members)) {
                let presence = self.links.peer(rank).presence();
                let ours = self.order().clock_of(group, epoch, rank);
                let (blame, error) = match (presence.closing(), ours) {
                    _ if has_published(rank) => continue,
                    _ if presence.is_lost() => (4, MessageError::PeerLost { rank }),
                    (Some(Closing { clock: theirs, failed, .. }), Some(ours)) if theirs < ours => {
                        let cause = self.links.told_cause(rank, members);
                        match cause.filter(|cause| !has_published(cause.rank())) {
                            Some(Cause::Lost(rank)) => (3, MessageError::PeerLost { rank }),
                            Some(Cause::Ended { rank, group: of, epoch: missed })
                                if (of, missed) == (group, epoch as u32) =>
                            {
                                (2, MessageError::EndedBeforeBarrier { rank, group, epoch })
                            }
                            _ => {
                                let error = MessageError::EndedBeforeBarrier { rank, group, epoch };
                                (if failed { 1 } else { 2 }, error)
                            }
                        }
                    }
                    // No correct rank goes so, and whom this one lied to cannot be to blame. (A
                    // word of it may lie here that was not taken in, since one before it in the
                    // order of the steps is still to come.) (Nor is anything seen of a rank on
                    // another host: it left when the barrier was complete there.)
                    _ if presence.has_departed()
                        && !self.barriers.is_out_of_sight(rank, group)
                        && self.order().lacks(group, rank, epoch)
                        && !self.barriers.has_written(&self.nic, rank, group, epoch) =>
                    {
                        (4, MessageError::EndedBeforeBarrier { rank, group, epoch })
                    }
                    _ => continue,
                };
                if worst.as_ref().is_none_or(|(most, _)| blame > *most) {
                    worst = Some((blame, error));
                }
            }
        }
        worst.map_or(Ok(()), |(_, error)| Err(error))
    }
}
