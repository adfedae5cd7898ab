//! The barriers of one group, as seen by one of its ranks: entered, signalled, complete.
//!
//! There is no table of barrier instances. The rank keeps `entered`, and one monotone cell for each
//! signal that its schedule waits for: the highest epoch that this sender has signalled there. Step
//! `s` may be signalled up to `min(entered, cells of steps <= s)`. The barrier is complete up to
//! `min(entered, all cells)`. A signal says "at least epoch e", so it may arrive twice or late, or
//! stand for earlier ones that were never sent.
//!
//! This module knows nothing of other groups, clocks or containment (see [`super::core`]). Ranks
//! here are positions in the group.
//!
//! Keeps rules BAR-1 to BAR-5 of SEMANTICS.md.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::schedule::{Schedule, StepIndex};
use super::scratch::Scratch;
use super::{Clock, Epoch, Rank};

/// The constant part: the schedule, laid out for look-up.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    rank: Rank,
    size: usize,
    first: Epoch,
    /// For each step, its cells and its targets, as ranges of `cells` and `targets`.
    steps: Vec<PlanStep>,
    /// `(sender, sender's step, index of the cell)`, sorted.
    lookup: Vec<(Rank, StepIndex, u32)>,
    /// The own step of each cell, and the signal that it records.
    cells: Vec<(StepIndex, Rank, StepIndex)>,
    /// The own step of each target, and its rank.
    targets: Vec<(StepIndex, Rank)>,
}

#[derive(Debug, PartialEq, Eq)]
struct PlanStep {
    cells: std::ops::Range<usize>,
    targets: std::ops::Range<usize>,
}

/// The latest signal of a sender for one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Cell {
    epoch: Epoch,
    /// The sender's own count for that epoch; see [`super::core`].
    clock: Clock,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StepState {
    /// The lowest cell of the step, or `Epoch::MAX` without cells.
    floor: Epoch,
    /// The number of cells at `floor`.
    at_floor: u32,
    /// The epoch up to which the step may be signalled.
    reach: Epoch,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TargetState {
    sent: Epoch,
    queued: bool,
}

/// A signal that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DueSignal {
    /// The position of the receiver in the group.
    pub to: Rank,
    /// The step of this rank's schedule that it belongs to.
    pub step: StepIndex,
    /// At least this epoch has been reached.
    pub epoch: Epoch,
}

/// A signal that no schedule expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unexpected;

/// The state of all barriers of one group at one of its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epochs {
    plan: Arc<Plan>,
    entered: Epoch,
    complete: Epoch,
    cells: Vec<Cell>,
    steps: Vec<StepState>,
    targets: Vec<TargetState>,
    /// Indices of targets whose `sent` is behind their step's `reach`.
    unsent: Vec<u32>,
    /// All cells before this one are beyond `complete`.
    beyond: Scratch<usize>,
}

/// The plan follows from the group, so hashing and equality leave it out.
impl Hash for Epochs {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.entered, self.complete).hash(state);
        self.cells.hash(state);
        self.targets.hash(state);
        self.unsent.hash(state);
    }
}

impl Epochs {
    /// The state in which `first` is the last epoch entered; usually 0. All members must agree on
    /// it.
    pub fn new(schedule: &Schedule, first: Epoch) -> Epochs {
        let mut plan = Plan {
            rank: schedule.rank(),
            size: schedule.size(),
            first,
            steps: Vec::new(),
            lookup: Vec::new(),
            cells: Vec::new(),
            targets: Vec::new(),
        };
        for (s, step) in schedule.steps().iter().enumerate() {
            let s = s as StepIndex;
            let (cells, targets) = (plan.cells.len(), plan.targets.len());
            for arrival in &step.recv_from {
                plan.lookup.push((arrival.rank, arrival.step, plan.cells.len() as u32));
                plan.cells.push((s, arrival.rank, arrival.step));
            }
            plan.targets.extend(step.send_to.iter().map(|&to| (s, to)));
            plan.steps.push(PlanStep {
                cells: cells..plan.cells.len(),
                targets: targets..plan.targets.len(),
            });
        }
        plan.lookup.sort_unstable();
        let steps = plan.steps.iter().map(|step| StepState {
            floor: if step.cells.is_empty() { Epoch::MAX } else { first },
            at_floor: step.cells.len() as u32,
            reach: first,
        });
        Epochs {
            entered: first,
            complete: first,
            cells: vec![Cell { epoch: first, clock: 0 }; plan.cells.len()],
            steps: steps.collect(),
            targets: vec![TargetState { sent: first, queued: false }; plan.targets.len()],
            unsent: Vec::with_capacity(plan.targets.len()),
            beyond: Scratch::default(),
            plan: Arc::new(plan),
        }
    }

    /// The latest epoch that this rank has entered.
    #[inline]
    pub fn entered(&self) -> Epoch {
        self.entered
    }

    /// All members are known to have entered this epoch and those before.
    #[inline]
    pub fn complete(&self) -> Epoch {
        self.complete
    }

    /// Every signal of this rank's schedule has been taken for this epoch and those before.
    pub fn signalled(&self) -> Epoch {
        let sent = self.targets.iter().map(|target| target.sent);
        sent.fold(self.entered, Epoch::min)
    }

    /// Enters the next epoch. The others may learn of it from now on.
    pub fn handle_enter(&mut self) {
        self.enter_through(self.entered + 1);
    }

    /// Enters all epochs up to this one.
    #[inline]
    pub(super) fn enter_through(&mut self, epoch: Epoch) {
        if epoch > self.entered {
            self.entered = epoch;
            self.advance(0, epoch);
        }
    }

    /// Handles a signal: `sender` has reached step `step` of at least `epoch`; `clock` is its own
    /// count. Returns whether that was news.
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
        let index = self.cell_index(sender, step)?;
        let cell = &mut self.cells[index];
        if epoch <= cell.epoch {
            return Ok(false);
        }
        let before = cell.epoch;
        *cell = Cell { epoch, clock };
        let own = self.plan.cells[index].0 as usize;
        let state = &mut self.steps[own];
        if before == state.floor {
            state.at_floor -= 1;
            if state.at_floor == 0 {
                self.lift_floor(own);
                let below = if own == 0 { self.entered } else { self.steps[own - 1].reach };
                self.advance(own, below);
            }
        }
        Ok(true)
    }

    /// All members have entered `epoch`, which this rank has entered: so all signals for it count
    /// as arrived. Returns whether a barrier has completed.
    pub fn handle_complete(&mut self, epoch: Epoch) -> bool {
        let (before, epoch) = (self.complete, epoch.min(self.entered));
        if epoch <= before {
            return false;
        }
        for cell in self.cells.iter_mut().filter(|cell| cell.epoch < epoch) {
            *cell = Cell { epoch, clock: 0 };
        }
        for step in 0..self.steps.len() {
            self.lift_floor(step);
            let below = if step == 0 { self.entered } else { self.steps[step - 1].reach };
            self.advance(step, below);
        }
        self.complete > before
    }

    /// Handles a request: `target` lacks the signal of step `step` and asks for it again. Does
    /// nothing if the signal was not due yet.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if this rank never signals `target` in that step.
    pub fn handle_ask(
        &mut self,
        target: Rank,
        step: StepIndex,
        epoch: Epoch,
    ) -> Result<(), Unexpected> {
        let range = self.plan.steps.get(step as usize).ok_or(Unexpected)?.targets.clone();
        let found = range.into_iter().find(|&t| self.plan.targets[t].1 == target);
        let index = found.ok_or(Unexpected)?;
        let state = &mut self.targets[index];
        if state.sent >= epoch && !state.queued {
            state.queued = true;
            self.unsent.push(index as u32);
        }
        Ok(())
    }

    /// Offers each signal that is due to `emit`, which returns whether it took it. A signal that is
    /// not taken is offered again next time, with a newer epoch if there is one by then.
    pub fn poll_signals(&mut self, mut emit: impl FnMut(DueSignal) -> bool) {
        let (plan, steps, targets) = (&self.plan, &self.steps, &mut self.targets);
        self.unsent.retain(|&index| {
            let (step, to) = plan.targets[index as usize];
            let epoch = steps[step as usize].reach;
            let taken = emit(DueSignal { to, step, epoch });
            if taken {
                targets[index as usize] = TargetState { sent: epoch, queued: false };
            }
            !taken
        });
    }

    /// Whether `poll_signals` would offer a signal.
    #[inline]
    pub fn has_signals(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether a signal of this step is due.
    pub(super) fn is_due(&self, step: StepIndex) -> bool {
        let targets = &self.plan.steps[usize::from(step)].targets;
        self.unsent.iter().any(|&index| targets.contains(&(index as usize)))
    }

    /// The first step of which a signal is due, and the epoch that it is to say.
    pub(super) fn first_due(&self) -> Option<(StepIndex, Epoch)> {
        let (step, _) = self.plan.targets[*self.unsent.iter().min()? as usize];
        Some((step, self.steps[usize::from(step)].reach))
    }

    /// All signals of a step have been sent for this epoch, by this rank or by another that speaks
    /// for the same node.
    pub(super) fn handle_told(&mut self, step: StepIndex, epoch: Epoch) {
        let (at, targets) = (usize::from(step), &mut self.targets);
        let reach = self.steps[at].reach;
        for target in &mut targets[self.plan.steps[at].targets.clone()] {
            target.sent = target.sent.max(epoch);
            target.queued = target.sent < reach;
        }
        self.unsent.retain(|&index| targets[index as usize].queued);
    }

    /// The signals that are missing for `epoch`: the sender, its step, and the oldest epoch for
    /// which it is missing.
    pub fn lacking(&self, epoch: Epoch) -> impl Iterator<Item = (Rank, StepIndex, Epoch)> + '_ {
        let cells = self.cells.iter().zip(&self.plan.cells);
        let missing = cells.filter(move |(cell, _)| cell.epoch < epoch);
        missing.map(|(cell, &(_, from, step))| (from, step, cell.epoch + 1))
    }

    /// The first missing signal of the next barrier, in the order of the steps: its sender, the
    /// sender's step, and the epoch up to which it has arrived. None if no barrier is open. Until
    /// it arrives, nothing can complete here, and no step from its own on can be signalled for that
    /// barrier.
    #[inline]
    pub fn first_lacking(&self) -> Option<(Rank, StepIndex, Epoch)> {
        let (_, from, step, epoch) = self.first_lacking_cell()?;
        Some((from, step, epoch))
    }

    /// As [`first_lacking`](Epochs::first_lacking), with the index of the cell that records the
    /// signal.
    #[inline]
    pub(super) fn first_lacking_cell(&self) -> Option<(usize, Rank, StepIndex, Epoch)> {
        let at = self.first_lacking_at()?;
        let (_, from, step) = self.plan.cells[at];
        Some((at, from, step, self.cells[at].epoch))
    }

    /// The number of signals that the schedule waits for.
    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    fn first_lacking_at(&self) -> Option<usize> {
        if self.complete == self.entered {
            return None;
        }
        let from = self.beyond.0;
        let lacking = |cell: &Cell| cell.epoch <= self.complete;
        self.cells[from..].iter().position(lacking).map(|at| from + at)
    }

    /// Records the result of [`first_lacking`](Epochs::first_lacking), so that it starts there next
    /// time.
    #[inline]
    pub fn note_lacking(&mut self) {
        if let Some(at) = self.first_lacking_at() {
            self.beyond.0 = at;
        }
    }

    /// The epoch that the group starts after.
    pub fn first(&self) -> Epoch {
        self.plan.first
    }

    /// Whether every other member signals this rank itself, in its first step, which waits for no
    /// rank. Then the barrier can complete here even if a member is lost after its signal has
    /// arrived.
    pub fn hears_all_directly(&self) -> bool {
        self.plan.cells.len() + 1 == self.plan.size
            && self.plan.cells.iter().all(|&(_, _, step)| step == 0)
    }

    /// Whether any member has signalled `epoch` or a later one.
    pub fn has_heard_of(&self, epoch: Epoch) -> bool {
        self.cells.iter().any(|cell| cell.epoch >= epoch)
    }

    /// Whether `sender` itself is known to have entered `epoch`, from its own signals. False does
    /// not mean that it has not.
    pub fn has_heard(&self, sender: Rank, epoch: Epoch) -> bool {
        let from = self.plan.lookup.partition_point(|entry| entry.0 < sender);
        let own = self.plan.lookup[from..].iter().take_while(|entry| entry.0 == sender);
        sender == self.plan.rank && self.entered >= epoch
            || own.into_iter().any(|entry| self.cells[entry.2 as usize].epoch >= epoch)
    }

    /// For each sender whose latest signal is for exactly `epoch`: the sender and its own count.
    pub fn claims(&self, epoch: Epoch) -> impl Iterator<Item = (Rank, Clock)> + '_ {
        let cells = self.cells.iter().zip(&self.plan.cells);
        cells.filter(move |(c, _)| c.epoch == epoch).map(|(c, &(_, from, _))| (from, c.clock))
    }

    fn cell_index(&self, sender: Rank, step: StepIndex) -> Result<usize, Unexpected> {
        let lookup = &self.plan.lookup;
        let at = lookup.binary_search_by_key(&(sender, step), |&(r, s, _)| (r, s));
        at.map(|at| lookup[at].2 as usize).map_err(|_| Unexpected)
    }

    fn lift_floor(&mut self, step: usize) {
        let (mut floor, mut at_floor) = (Epoch::MAX, 0);
        for cell in &self.cells[self.plan.steps[step].cells.clone()] {
            match cell.epoch.cmp(&floor) {
                std::cmp::Ordering::Less => (floor, at_floor) = (cell.epoch, 1),
                std::cmp::Ordering::Equal => at_floor += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        let state = &mut self.steps[step];
        (state.floor, state.at_floor) = (floor, at_floor);
    }

    /// Propagates a change at step `from` to the later steps, as far as it goes. `below` is the
    /// epoch that the steps before it permit.
    fn advance(&mut self, from: usize, mut below: Epoch) {
        for step in from..self.steps.len() {
            let state = &mut self.steps[step];
            below = below.min(state.floor);
            if below == state.reach {
                return;
            }
            state.reach = below;
            for target in self.plan.steps[step].targets.clone() {
                let state = &mut self.targets[target];
                if !state.queued {
                    state.queued = true;
                    self.unsent.push(target as u32);
                }
            }
        }
        self.complete = below;
        self.beyond.0 = 0;
    }
}
