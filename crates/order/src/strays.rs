//! Signals of groups that do not exist here: not yet, or no longer.
//!
//! A member may call a barrier of a group before this rank has made it; its signals are kept until
//! then, for each step the latest. A member may also lack a signal of a group that was dropped and
//! forgotten here, where signals may be lost; it asks, and the last epoch is all that an answer
//! needs. That epoch also tells late signals from early ones, should the id be used again.
//!
//! Where ids are never used again (see [`Strays::handle_ids_used`]) not even that is kept: every
//! unknown id below the floor is a group of the past, and a question says by its clock whether the
//! barrier that it asks about has completed here. So groups that come and go leave nothing behind.
//!
//! Keeps rules BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use std::collections::BTreeMap;

use super::schedule::StepIndex;
use super::signal::{Signal, SignalKind};
use super::{Clock, Epoch, GroupId, ProtocolError, Rank};

/// The most early signals that are kept of one sender: nobody can crowd out others.
pub(super) const EARLY_LIMIT: usize = 1024;

/// The stray signals of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Strays {
    early: BTreeMap<(GroupId, Rank, StepIndex), (Epoch, Clock)>,
    /// How many of these each sender has.
    early_of: Vec<usize>,
    /// The last epoch, complete here, of each group that is forgotten.
    retired: BTreeMap<GroupId, Epoch>,
    /// No group with a lower id will be made any more.
    floor: GroupId,
    /// Answers that have not left yet.
    answers: Vec<(Rank, Signal)>,
}

impl Strays {
    pub(super) fn new(size: usize) -> Strays {
        let (early, retired) = (BTreeMap::new(), BTreeMap::new());
        let (floor, answers) = (GroupId::WORLD, Vec::new());
        Strays { early, early_of: vec![0; size], retired, floor, answers }
    }

    /// No group with an id below `floor` will be made from now on.
    pub(super) fn handle_ids_used(&mut self, floor: GroupId) {
        self.floor = self.floor.max(floor);
        self.retired = self.retired.split_off(&self.floor);
        let kept = self.early.split_off(&(self.floor, 0, 0));
        for (_, from, _) in std::mem::replace(&mut self.early, kept).into_keys() {
            self.early_of[from] -= 1;
        }
    }

    /// Whether no group of this id will be made any more.
    pub(super) fn is_past(&self, group: GroupId) -> bool {
        group < self.floor
    }

    /// A signal of a group that does not exist here has come. Of the barriers that include the sender,
    /// `complete` have completed here.
    ///
    /// # Errors
    ///
    /// [`ProtocolError::TooManyEarlySignals`] if the sender has as many as may be kept;
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
            // A barrier that this rank never called is beyond its clock: such a question, like a
            // signal, is nothing to it.
            let asked = kind == SignalKind::Ask && (1..=complete).contains(&clock);
            Some(if asked { epoch } else { 0 })
        } else {
            self.retired.get(&group).copied().filter(|last| epoch <= *last)
        };
        match (kind, late) {
            (SignalKind::Ask, Some(0)) => {}
            (SignalKind::Ask, Some(last)) => {
                // What is complete here has been reached in every step.
                let kind = SignalKind::Reached;
                let answer = (from, Signal { kind, group, step, epoch: last, clock: 0 });
                if self.answers.len() < EARLY_LIMIT && !self.answers.contains(&answer) {
                    self.answers.push(answer);
                }
            }
            (SignalKind::Reached, Some(_)) => {}
            // The question will be repeated until this rank has made the group and signalled.
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

    /// The group is made now: hands over what came before.
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

    /// The group is forgotten here; all its barriers up to `last` are complete.
    pub(super) fn retire(&mut self, group: GroupId, last: Epoch) {
        if group >= self.floor {
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
