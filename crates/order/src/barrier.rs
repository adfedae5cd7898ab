//! The barriers of one group, as one of its members sees them: entered, and complete. There is one
//! mechanism, whatever carries its writes.
//!
//! Keeps rules BAR-1 to BAR-5 of SEMANTICS.md.
//!
//! A group consists of *nodes*, and a node of one or several members. The members of a node see
//! each other's words. A node has entered an epoch when all of its members have. Nodes tell each
//! other that by a schedule, through epoch cells ([`super::epochs`]).
//!
//! | the group | its nodes | a node's members |
//! |---|---|---|
//! | is on the board of one host | one | all, on the board |
//! | is on several hosts | its hosts ([`super::hosts`]) | those of a host, on its board |
//! | signals, by frames or by words | its members | one |
//!
//! Once everyone has entered an epoch, a single word may say so: the completed epoch on the board,
//! the release of a root, or a multicast. All of these are one event, [`Barrier::handle_complete`].
//! They are short cuts, and never waited for.
//!
//! This module does not know where words are, or how a frame travels. It knows no other group, no
//! clock and no containment (see [`super::core`]). Ranks here are positions in the group.
//!
//! # Correctness
//!
//! All state is a least or greatest of numbers that only grow and are true whenever they are seen.
//! So old, repeated and late words do no harm, and a word stands for all earlier ones.

use super::epochs::{DueSignal, Epochs, Unexpected};
use super::hosts::{Cell, Hosts, Topology, Write};
use super::near::Near;
use super::schedule::{Schedule, StepIndex};
use super::{Clock, Epoch, Rank};

/// The state of all barriers of one group at one of its members.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    own: Rank,
    first: Epoch,
    entered: Epoch,
    complete: Epoch,
    /// The latest epoch that was given out to be published.
    published: Epoch,
    near: Near,
    nodes: Nodes,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Nodes {
    One,
    Ranks(Box<Epochs>),
    Hosts(Box<Hosts>),
}

/// A word that one member writes for its group: the member, which of its words, and whether it is
/// known to have said something for the group.
pub type MemberWord = (Rank, Cell, bool);

/// The words of others, as a driver shows them. A closure will do. Where every instruction counts,
/// a type can have its loads inlined, which folds what depends on the cell.
pub trait Words<W> {
    /// The epoch that a word says; None if its writer has said nothing for the group.
    fn load(&self, word: W) -> Option<Epoch>;
}

impl<W, F: Fn(W) -> Option<Epoch>> Words<W> for F {
    #[inline(always)]
    fn load(&self, word: W) -> Option<Epoch> {
        self(word)
    }
}

/// A member has said an epoch that it cannot have entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The member.
    pub member: Rank,
    /// The epoch.
    pub epoch: Epoch,
}

impl Barrier {
    /// The barriers of a group on one board. None has been entered beyond `first`. `own` is the
    /// position of this member among `size`.
    pub fn on_board(own: Rank, size: usize, first: Epoch) -> Barrier {
        Barrier::starting(own, Near::new(own, size, first), Nodes::One, first)
    }

    /// As [`on_board`](Barrier::on_board), of members on several hosts.
    pub fn on_hosts(own: Rank, topology: Topology, first: Epoch) -> Barrier {
        let near = topology.near();
        let index = near.iter().position(|&member| member == own).unwrap_or(0);
        let near = Near::new(index, near.len(), first);
        Barrier::starting(own, near, Nodes::Hosts(Box::new(Hosts::new(topology, first))), first)
    }

    /// As [`on_board`](Barrier::on_board), of members that signal each other by this schedule.
    pub fn among_ranks(schedule: &Schedule, first: Epoch) -> Barrier {
        let epochs = Box::new(Epochs::new(schedule, first));
        Barrier::starting(schedule.rank(), Near::new(0, 1, first), Nodes::Ranks(epochs), first)
    }

    fn starting(own: Rank, near: Near, nodes: Nodes, first: Epoch) -> Barrier {
        Barrier { own, first, entered: first, complete: first, published: first, near, nodes }
    }

    /// The latest epoch that this member has entered.
    #[inline]
    pub fn entered(&self) -> Epoch {
        self.entered
    }

    /// All members are known to have entered this epoch and those before.
    #[inline]
    pub fn complete(&self) -> Epoch {
        self.complete
    }

    /// The others can do without this member in this epoch and those before. The first member of a
    /// host answers for the words that its host must pass on.
    #[inline]
    pub fn signalled(&self) -> Epoch {
        match &self.nodes {
            Nodes::One => self.published,
            Nodes::Ranks(epochs) => epochs.signalled(),
            Nodes::Hosts(hosts) if hosts.answers(self.own) => self.published.min(hosts.passed_on()),
            Nodes::Hosts(_) => self.published,
        }
    }

    /// The signals by which the members are nodes of their own, if they are.
    #[inline]
    pub(super) fn signals(&self) -> Option<&Epochs> {
        match &self.nodes {
            Nodes::Ranks(epochs) => Some(epochs),
            _ => None,
        }
    }

    #[inline]
    fn signals_mut(&mut self) -> Option<&mut Epochs> {
        match &mut self.nodes {
            Nodes::Ranks(epochs) => Some(epochs),
            _ => None,
        }
    }

    /// Whether the members are on several hosts.
    #[inline]
    pub fn spans_hosts(&self) -> bool {
        matches!(self.nodes, Nodes::Hosts(_))
    }

    /// The number of members of this member's node.
    #[inline]
    pub fn near_count(&self) -> usize {
        self.near.count()
    }

    /// Enters the next epoch.
    #[inline]
    pub fn handle_enter(&mut self) {
        self.entered += 1;
        // Most often some member is known to lack it, and nothing else need be looked at.
        if self.near.may_have_entered(self.entered) {
            self.settle();
        }
    }

    /// Takes note of what this member and others of its node have entered.
    fn settle(&mut self) {
        let reached = match &mut self.nodes {
            Nodes::One => self.near.floor().min(self.entered),
            Nodes::Ranks(epochs) => {
                epochs.enter_through(self.entered);
                epochs.complete()
            }
            // A look says it, after this member has published its own word.
            Nodes::Hosts(_) => return,
        };
        self.complete = self.complete.max(reached);
    }

    /// `sender` has reached step `step` of at least `epoch`; `clock` is its own count. Returns
    /// whether that was news.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if the schedule contains no such signal.
    pub fn handle_signal(
        &mut self,
        sender: Rank,
        step: StepIndex,
        epoch: Epoch,
        clock: Clock,
    ) -> Result<bool, Unexpected> {
        let epochs = self.signals_mut().ok_or(Unexpected)?;
        let news = epochs.handle_signal(sender, step, epoch, clock)?;
        self.complete = epochs.complete();
        Ok(news)
    }

    /// `target` lacks a signal and asks for it again: see [`Epochs::handle_ask`].
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if this member never signals `target` in that step.
    pub fn handle_ask(
        &mut self,
        target: Rank,
        step: StepIndex,
        epoch: Epoch,
    ) -> Result<(), Unexpected> {
        self.signals_mut().ok_or(Unexpected)?.handle_ask(target, step, epoch)
    }

    /// `member` of this node, which is the only one, says that it has entered at least `epoch`.
    /// Returns whether that was news.
    pub fn handle_published(&mut self, member: Rank, epoch: Epoch) -> bool {
        let news = self.near.handle(member, epoch);
        if news {
            self.settle();
        }
        news
    }

    /// A member that knows says that all have entered `epoch`. Returns whether a barrier has
    /// completed. More than this member has entered is not believed.
    pub fn handle_complete(&mut self, epoch: Epoch) -> bool {
        let news = self.note_complete(epoch);
        match &mut self.nodes {
            Nodes::Ranks(epochs) if news => {
                epochs.handle_complete(epoch);
            }
            Nodes::Hosts(hosts) if news => hosts.handle_complete(epoch),
            _ => {}
        }
        news
    }

    #[inline]
    fn note_complete(&mut self, epoch: Epoch) -> bool {
        let news = epoch > self.complete && epoch <= self.entered;
        if news {
            self.complete = epoch;
        }
        news
    }

    /// Whether there is something to be published.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.published < self.entered
    }

    /// The epoch to be published in this member's own word now, if any, and that of the last time.
    #[inline]
    pub fn poll_published(&mut self) -> Option<(Epoch, Epoch)> {
        let before = std::mem::replace(&mut self.published, self.entered);
        (before < self.entered).then_some((before, self.entered))
    }

    /// Offers each signal that is due to `emit`: see [`Epochs::poll_signals`].
    #[inline]
    pub fn poll_signals(&mut self, emit: impl FnMut(DueSignal) -> bool) {
        if let Some(epochs) = self.signals_mut() {
            epochs.poll_signals(emit);
        }
    }

    /// Whether something is left that the others are to learn: a signal, or this member's own word.
    #[inline]
    pub fn owes(&self) -> bool {
        match &self.nodes {
            Nodes::Ranks(epochs) => epochs.has_signals(),
            _ => self.has_news(),
        }
    }

    /// The write that is due for this member's host, if any.
    #[inline]
    pub fn poll_write(&self) -> Option<Write> {
        match &self.nodes {
            Nodes::Hosts(hosts) => hosts.poll_write(self.complete),
            _ => None,
        }
    }

    /// This member has written that.
    pub fn handle_written(&mut self, write: Write) {
        if let Nodes::Hosts(hosts) = &mut self.nodes {
            hosts.handle_written(write);
        }
    }

    /// Whether this member is to say on its host which epoch is complete.
    #[inline]
    pub(super) fn has_found(&self) -> bool {
        matches!(&self.nodes, Nodes::Hosts(hosts) if hosts.has_found(self.complete))
    }

    /// Looks at the words of others, until it is clear which open barriers of a group on the board
    /// are complete. Returns whether one has become so. Of a group on several hosts, a write may be
    /// due after that ([`poll_write`](Barrier::poll_write)), and the next look goes no further
    /// before it is done.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if a member has said an epoch above `limit`.
    #[inline]
    pub fn look(
        &mut self,
        limit: Epoch,
        words: &impl Words<MemberWord>,
    ) -> Result<bool, Impossible> {
        if self.complete == self.entered {
            return Ok(false);
        }
        match self.nodes {
            Nodes::One => {}
            Nodes::Ranks(_) => return Ok(false),
            Nodes::Hosts(_) => return self.look_on_hosts(limit, words),
        }
        self.look_at_one(limit, words)
    }

    /// As [`look`](Barrier::look), where there is one node and a barrier is open.
    #[inline(always)]
    pub(super) fn look_at_one(
        &mut self,
        limit: Epoch,
        words: &impl Words<MemberWord>,
    ) -> Result<bool, Impossible> {
        let first = self.first;
        // Where there are two members, the word of the other says all that the completed epoch
        // could.
        let news = self.near.count() > 2
            && words
                .load((0, Cell::Complete, self.near.seen(0) > first))
                .is_some_and(|epoch| self.note_complete(epoch));
        if self.complete == self.entered {
            return Ok(news);
        }
        let load =
            |member, seen| words.load((member, Cell::Entered, seen > first)).unwrap_or(first);
        match self.near.look((self.entered, self.complete), limit, load) {
            Ok(None) => Ok(news),
            Ok(Some(floor)) => {
                self.complete = floor;
                Ok(true)
            }
            Err((member, epoch)) => Err(Impossible { member, epoch }),
        }
    }

    #[inline(never)]
    fn look_on_hosts(
        &mut self,
        limit: Epoch,
        words: &impl Words<MemberWord>,
    ) -> Result<bool, Impossible> {
        let before = self.complete;
        let Nodes::Hosts(hosts) = &mut self.nodes else { return Ok(false) };
        let topology = hosts.topology().clone();
        let (near, first) = (topology.near(), self.first);
        if near.len() > 1
            && let Some(epoch) = words.load((near[0], Cell::Complete, false))
        {
            self.handle_complete(epoch);
        }
        let Nodes::Hosts(hosts) = &mut self.nodes else { return Ok(false) };
        let entered =
            |index, seen| words.load((near[index], Cell::Entered, seen > first)).unwrap_or(first);
        match self.near.look((self.entered, hosts.entered()), limit, entered) {
            Ok(floor) => hosts.enter_through(floor.unwrap_or(first)),
            Err((index, epoch)) => return Err(Impossible { member: near[index], epoch }),
        }
        hosts.look(limit, |member, cell| words.load((member, cell, false)).unwrap_or(first))?;
        self.complete = self.complete.max(hosts.complete());
        Ok(self.complete > before)
    }

    /// Whether [`look`](Barrier::look) would find nothing, and nothing is to be written. A few
    /// words tell, mostly those that were lacking last time. False does not mean that a look would
    /// find something.
    #[inline]
    pub fn is_quiet(&self, words: &impl Words<MemberWord>) -> bool {
        if self.complete == self.entered {
            return true;
        }
        match &self.nodes {
            Nodes::One => self.is_one_quiet(words),
            Nodes::Ranks(_) => true,
            Nodes::Hosts(hosts) => self.is_quiet_on_hosts(hosts, words),
        }
    }

    /// As [`is_quiet`](Barrier::is_quiet), where there is one node.
    #[inline(always)]
    pub(super) fn is_one_quiet(&self, words: &impl Words<MemberWord>) -> bool {
        self.complete == self.entered
            || self.near.is_quiet(self.complete, |member, seen| {
                words.load((member, Cell::Entered, seen > self.first)).unwrap_or(self.first)
            })
    }

    #[inline(never)]
    fn is_quiet_on_hosts(&self, hosts: &Hosts, words: &impl Words<MemberWord>) -> bool {
        let near = hosts.topology().near();
        let entered = |index: usize, seen| {
            words.load((near[index], Cell::Entered, seen > self.first)).unwrap_or(self.first)
        };
        let is_near_quiet =
            hosts.entered() == self.entered || self.near.is_quiet(hosts.entered(), entered);
        is_near_quiet
            && hosts
                .is_quiet(|member, cell| words.load((member, cell, false)).unwrap_or(self.first))
    }

    /// The latest epoch that a member of this node is known to have entered.
    fn seen_of(&self, member: Rank) -> Option<Epoch> {
        match &self.nodes {
            Nodes::One => Some(self.near.seen(member)),
            Nodes::Ranks(_) => None,
            Nodes::Hosts(hosts) => {
                let at = hosts.topology().near().iter().position(|&near| near == member)?;
                Some(self.near.seen(at))
            }
        }
    }

    /// Whether `member` itself is known to have entered `epoch`. False does not mean that it has
    /// not.
    pub fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        match &self.nodes {
            Nodes::Ranks(epochs) => epochs.has_heard(member, epoch),
            _ if member == self.own => self.entered >= epoch,
            _ => self.complete >= epoch || self.seen_of(member).is_some_and(|seen| seen >= epoch),
        }
    }

    /// Whether something that `member` says of itself is missing for `epoch`: a signal, or its
    /// word.
    pub fn lacks(&self, member: Rank, epoch: Epoch) -> bool {
        match &self.nodes {
            Nodes::Ranks(epochs) => epochs.lacking(epoch).any(|(from, ..)| from == member),
            _ => !self.has_heard(member, epoch),
        }
    }

    /// For each sender whose latest signal is for exactly `epoch`: the sender and its own count.
    #[inline]
    pub fn claims(&self, epoch: Epoch) -> impl Iterator<Item = (Rank, Clock)> + '_ {
        self.signals().into_iter().flat_map(move |epochs| epochs.claims(epoch))
    }

    /// Whether another member is known to have entered `epoch` or a later one.
    pub fn has_heard_of(&self, epoch: Epoch) -> bool {
        let near = || self.near.has_heard_of(epoch);
        match &self.nodes {
            Nodes::One => near() || self.complete >= epoch && self.near.count() > 1,
            Nodes::Ranks(epochs) => epochs.has_heard_of(epoch),
            Nodes::Hosts(hosts) => near() || self.complete >= epoch || hosts.has_heard_of(epoch),
        }
    }

    /// The next search for a missing signal begins where the last one has ended.
    #[inline]
    pub(super) fn note_lacking(&mut self) {
        if let Some(epochs) = self.signals_mut() {
            epochs.note_lacking();
        }
    }
}

#[cfg(test)]
mod tests;
