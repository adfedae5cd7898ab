//! Early and late signals: signals of groups that do not exist here yet, or no longer.
//!
//! A member may call a barrier of a group before this rank has created it. Its signals are kept
//! until then, the latest for each step. If signals may be lost, a member may also lack a signal of
//! a group that was dropped and forgotten here. It asks for the signal, and the answer needs only
//! the last epoch. That epoch also distinguishes late signals from early ones, should the id be
//! used again.
//!
//! If ids are never reused (see [`EarlySignals::handle_ids_used`]), not even that is kept. Every
//! unknown id below the floor is a past group. The clock in a request says whether the barrier in
//! question has completed here. Groups that come and go therefore leave nothing behind. While a group
//! is agreed on that may get a low id, the floor stays below it, and past ids above are listed.
//!
//! Keeps rules BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use std::collections::{BTreeMap, BTreeSet};

use super::schedule::StepIndex;
use super::signal::{Signal, SignalKind};
use super::{Clock, Epoch, GroupId, ProtocolError, Rank};

/// The most early signals that are kept of one sender, so that no sender can crowd out others.
pub(super) const EARLY_LIMIT: usize = 1024;

/// The early and late signals at one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EarlySignals {
    early: BTreeMap<(GroupId, Rank, StepIndex), (Epoch, Clock)>,
    /// The number of these for each sender.
    early_of: Vec<usize>,
    /// The last epoch of each forgotten group; it is complete here.
    retired: BTreeMap<GroupId, Epoch>,
    /// No group with a lower id will be created any more.
    floor: GroupId,
    /// Ids from the floor on that no group will get any more, either.
    past: BTreeSet<GroupId>,
    /// Answers that have not left yet.
    answers: Vec<(Rank, Signal)>,
}

impl EarlySignals {
    pub(super) fn new(size: usize) -> EarlySignals {
        let (early, retired) = (BTreeMap::new(), BTreeMap::new());
        let (floor, past, answers) = (GroupId::WORLD, BTreeSet::new(), Vec::new());
        EarlySignals { early, early_of: vec![0; size], retired, floor, past, answers }
    }

    /// Promises that no group with an id below `floor` will be created from now on.
    pub(super) fn handle_ids_used(&mut self, floor: GroupId) {
        self.floor = self.floor.max(floor);
        self.retired = self.retired.split_off(&self.floor);
        self.past = self.past.split_off(&self.floor);
        let kept = self.early.split_off(&(self.floor, 0, 0));
        for (_, from, _) in std::mem::replace(&mut self.early, kept).into_keys() {
            self.early_of[from] -= 1;
        }
    }

    /// Promises that no other group with the id of `group` will be created.
    pub(super) fn handle_id_used(&mut self, group: GroupId) {
        if group >= self.floor {
            self.retired.remove(&group);
            self.past.insert(group);
        }
    }

    /// Whether no group with this id will be created any more.
    pub(super) fn is_past(&self, group: GroupId) -> bool {
        group < self.floor || self.past.contains(&group)
    }

    /// Handles a signal of a group that does not exist here. `complete` is the number of barriers
    /// that include the sender and have completed here.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::TooManyEarlySignals`] if the sender's limit is reached;
    /// [`ProtocolError::NotAMember`] if the job has no such rank.
    pub(super) fn handle_signal(
        &mut self,
        from: Rank,
        signal: Signal,
        complete: Clock,
    ) -> Result<(), ProtocolError> {
        let Signal { kind, group, step, epoch, clock } = signal;
        if from >= self.early_of.len() {
            return Err(ProtocolError::NotAMember { from, group });
        }
        let late = if self.is_past(group) {
            // A barrier that this rank never called is beyond its clock: it ignores such a request,
            // as it ignores a signal.
            let asked = kind == SignalKind::Ask && (1..=complete).contains(&clock);
            Some(if asked { epoch } else { 0 })
        } else {
            self.retired.get(&group).copied().filter(|last| epoch <= *last)
        };
        match (kind, late) {
            (SignalKind::Ask, Some(0)) => {}
            (SignalKind::Ask, Some(last)) => {
                // A complete barrier has been reached in every step.
                let kind = SignalKind::Reached;
                let answer = (from, Signal { kind, group, step, epoch: last, clock: 0 });
                if self.answers.len() < EARLY_LIMIT && !self.answers.contains(&answer) {
                    self.answers.push(answer);
                }
            }
            (SignalKind::Reached, Some(_)) => {}
            // The member repeats the request until this rank has created the group and signalled.
            (SignalKind::Ask, None) => {}
            (SignalKind::Reached, None) => {
                let key = (group, from, step);
                let full = self.early_of[from] >= EARLY_LIMIT;
                if full && !self.early.contains_key(&key) {
                    let limit = EARLY_LIMIT;
                    return Err(ProtocolError::TooManyEarlySignals { from, group, limit });
                }
                let early_of = &mut self.early_of[from];
                let kept = self.early.entry(key).or_insert_with(|| {
                    *early_of += 1;
                    (epoch, clock)
                });
                if epoch > kept.0 {
                    *kept = (epoch, clock);
                }
            }
        }
        Ok(())
    }

    /// Returns the early signals of a group that has now been created.
    pub(super) fn take_early(&mut self, group: GroupId) -> Vec<(Rank, Signal)> {
        self.retired.remove(&group);
        let range = (group, 0, 0)..=(group, Rank::MAX, StepIndex::MAX);
        let keys: Vec<_> = self.early.range(range).map(|(&key, _)| key).collect();
        let signals = keys.into_iter().filter_map(|key| {
            let (epoch, clock) = self.early.remove(&key)?;
            let (group, from, step) = key;
            self.early_of[from] -= 1;
            Some((from, Signal { kind: SignalKind::Reached, group, step, epoch, clock }))
        });
        signals.collect()
    }

    /// Notes that the group is forgotten here. All its barriers up to `last` are complete.
    pub(super) fn retire(&mut self, group: GroupId, last: Epoch) {
        if !self.is_past(group) {
            self.retired.insert(group, last);
        }
    }

    /// Whether an answer is due.
    #[inline]
    pub(super) fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Offers each answer that is due to `emit`; see [`super::Order::poll_signals`].
    #[inline]
    pub(super) fn poll_answers(&mut self, mut emit: impl FnMut(Rank, Signal) -> bool) {
        if !self.answers.is_empty() {
            self.answers.retain(|&(to, answer)| !emit(to, answer));
        }
    }
}
