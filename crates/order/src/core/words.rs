//! Groups whose signals are words: each member writes them into its own cell at the receiver, and
//! the receiver looks there.
//!
//! The schedule and the meaning of a signal are those of every other group. Only the way of signals
//! differs: the driver does not hand them over, so this module asks it for the words, in the order
//! in which the schedule needs them. The cells themselves are the driver's.
//!
//! A word holds the low bits of an epoch. Of each cell the last word that was read is kept. A word
//! that has not changed says nothing new, however far its group has come by other ways
//! ([`Order::handle_complete`]). It is never decoded again.
//!
//! Keeps rules BAR-1, BAR-2, BAR-3, BAR-7 and SAFE-1 of SEMANTICS.md.

use super::{Carried, Group, Order};
use crate::barrier::Barrier;
use crate::clocks::Slot;
use crate::epochs::Epochs;
use crate::written::{MOST_ID, Said, is_torn, read};
use crate::{Epoch, GroupId, ProtocolError, Rank, Signal, SignalKind};

/// A cell of this rank's whose word is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lacking {
    /// The place of the group's cells.
    pub place: usize,
    /// The group.
    pub group: GroupId,
    /// The rank that writes it.
    pub from: Rank,
    /// The epoch that it is to say.
    pub epoch: Epoch,
}

/// The cells of a group whose signals are words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cells {
    /// The place, which means nothing here.
    place: usize,
    /// The word that was read last of each cell, and the epoch that it said.
    seen: Vec<(u64, Epoch)>,
}

impl Cells {
    /// The cells of a group at a place; None if its id is too high for a word.
    pub(super) fn new(id: GroupId, place: usize, barrier: &Barrier, first: Epoch) -> Option<Cells> {
        let mut cells = Cells { place, seen: Vec::new() };
        cells.begin(barrier, first);
        (id.0 <= MOST_ID).then_some(cells)
    }

    /// Nothing has been read beyond `first`.
    pub(super) fn begin(&mut self, barrier: &Barrier, first: Epoch) {
        let count = barrier.signals().map_or(0, Epochs::cell_count);
        self.seen = vec![(0, first); count];
    }
}

/// The result of a look at a cell.
enum Found {
    /// No more than was read before.
    Nothing,
    /// This word in the cell of this index.
    News {
        at: usize,
        word: u64,
        from: Rank,
        signal: Signal,
    },
    Wrong(ProtocolError),
}

impl Order {
    /// The place of a group's cells, if its signals are words.
    #[inline]
    pub fn cells_of(&self, group: GroupId) -> Option<usize> {
        match &self.group(self.slot_of(group)?).carried {
            Carried::Cells(cells) => Some(cells.place),
            _ => None,
        }
    }

    /// All members have entered `epoch` of a group, as `from` says: the root that releases it, or a
    /// member of a group that publishes. How that was heard does not matter, nor how often. Returns
    /// whether a barrier has completed.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if `from` cannot know, or if this rank itself has not entered that epoch.
    pub fn handle_complete(
        &mut self,
        from: Rank,
        group: GroupId,
        epoch: Epoch,
    ) -> Result<bool, ProtocolError> {
        let outsider = ProtocolError::NotAMember { from, group };
        let Some(slot) = self.slot_of(group) else { return Err(outsider) };
        self.note_change();
        let state = self.group_mut(slot);
        let Some(member) = state.members.position(from) else { return Err(outsider) };
        let limit = state.barrier.entered();
        if epoch > limit {
            return Err(ProtocolError::ImpossibleEpoch { from, group, epoch, limit });
        }
        // The first member is the root of every schedule that has one.
        if member != 0 && !matches!(state.carried, Carried::Board(_)) {
            return Err(ProtocolError::UnexpectedStep { from, group, step: 0 });
        }
        let news = state.barrier.handle_complete(epoch);
        if news {
            self.settle(slot);
        }
        Ok(news)
    }

    /// As [`handle_complete`](Order::handle_complete), by the record that `from` keeps of a group
    /// whose signals are words. A word of another group says nothing: the root may be done with
    /// this one.
    ///
    /// # Errors
    ///
    /// As by [`handle_complete`](Order::handle_complete).
    pub fn handle_complete_word(
        &mut self,
        from: Rank,
        group: GroupId,
        word: u64,
    ) -> Result<bool, ProtocolError> {
        let entered = self.progress_of(group).map_or(0, |(entered, ..)| entered);
        match read(word, group, entered, 0) {
            Said::Reached { epoch, .. } if !is_torn(word) => {
                self.handle_complete(from, group, epoch)
            }
            _ => Ok(false),
        }
    }

    /// Looks at cells, until it is clear which open barriers are complete: mostly at one word.
    /// `load` reads the cell of a rank at a place. Returns whether anything was new; then signals
    /// may be due, and barriers may have completed.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] naming the rank whose word is impossible.
    #[inline]
    pub fn look_at_cells(
        &mut self,
        load: impl Fn(usize, Rank) -> u64,
    ) -> Result<bool, ProtocolError> {
        let mut news = false;
        for slot in 0..self.groups.len() {
            loop {
                match self.look_at_cell(slot, &load) {
                    Found::Nothing => {
                        self.note_lacking(slot);
                        break;
                    }
                    Found::Wrong(error) => return Err(error),
                    Found::News { at, word, from, signal } => {
                        news = true;
                        self.handle_signal(from, signal)?;
                        if let Some(Group { carried: Carried::Cells(cells), .. }) =
                            &mut self.groups[slot]
                        {
                            cells.seen[at] = (word, signal.epoch);
                        }
                    }
                }
            }
        }
        Ok(news)
    }

    /// Whether [`look_at_cells`](Order::look_at_cells) would find nothing. Costs one word for each
    /// group with open barriers.
    #[inline]
    pub fn are_cells_quiet(&self, load: impl Fn(usize, Rank) -> u64) -> bool {
        let mut slots = 0..self.groups.len();
        slots.all(|slot| matches!(self.look_at_cell(slot, &load), Found::Nothing))
    }

    /// For each group with open barriers whose signals are words, the cell without which nothing
    /// goes on.
    pub fn lacking_words(&self) -> impl Iterator<Item = Lacking> + '_ {
        self.groups.iter().flatten().filter_map(lacking_word)
    }

    /// Whether the word of `member`'s cell says that it has entered `epoch` of a group whose
    /// signals are words.
    pub fn has_written(&self, group: GroupId, member: Rank, epoch: Epoch, word: u64) -> bool {
        let Some(slot) = self.slot_of(group) else { return false };
        let entered = self.group(slot).barrier.entered();
        let limit = self.limit_after(entered);
        !is_torn(word)
            && matches!(read(word, group, entered, 0), Said::Reached { epoch: said, .. }
            if said >= epoch && said <= limit && self.is_member(group, member) == Some(true))
    }

    /// Whether the barriers of a group complete here by the word of each member itself, and nothing
    /// else: see [`Epochs::hears_all_directly`].
    pub fn hears_all_directly(&self, group: GroupId) -> bool {
        let signals = self.slot_of(group).and_then(|slot| self.group(slot).barrier.signals());
        signals.is_some_and(Epochs::hears_all_directly)
    }

    /// The next look begins where this one has ended.
    #[inline]
    fn note_lacking(&mut self, slot: Slot) {
        if let Some(Group { carried: Carried::Cells(_), barrier, .. }) = &mut self.groups[slot] {
            barrier.note_lacking();
        }
    }

    /// Looks at the first cell that a group lacks.
    #[inline]
    fn look_at_cell(&self, slot: Slot, load: impl Fn(usize, Rank) -> u64) -> Found {
        let Some(group) = &self.groups[slot] else { return Found::Nothing };
        let Some((cells, epochs)) = written(group) else { return Found::Nothing };
        let Some((at, member, step, _)) = epochs.first_lacking_cell() else {
            return Found::Nothing;
        };
        let from = group.members.rank_at(member);
        let word = load(cells.place, from);
        let (seen, before) = cells.seen[at];
        if word == seen || is_torn(word) {
            return Found::Nothing;
        }
        let id = group.id;
        let fell =
            |epoch| Found::Wrong(ProtocolError::EpochFell { from, group: id, epoch, before });
        match read(word, id, epochs.entered(), self.clocks.send_clock(from)) {
            Said::Reached { epoch, .. } if epoch == before => Found::Nothing,
            Said::Reached { epoch, .. } if epoch < before => fell(epoch),
            Said::Reached { epoch, clock } => {
                let kind = SignalKind::Reached;
                let signal = Signal { kind, group: id, step, epoch, clock };
                Found::News { at, word, from, signal }
            }
            Said::Nothing if before == epochs.first() => Found::Nothing,
            Said::Nothing => fell(0),
            Said::Later => Found::Wrong(ProtocolError::ForeignWord { from, group: id, word }),
        }
    }
}

fn lacking_word(group: &Group) -> Option<Lacking> {
    let (cells, epochs) = written(group)?;
    let (member, _, known) = epochs.first_lacking()?;
    let from = group.members.rank_at(member);
    Some(Lacking { place: cells.place, group: group.id, from, epoch: known + 1 })
}

#[inline]
fn written(group: &Group) -> Option<(&Cells, &Epochs)> {
    match &group.carried {
        Carried::Cells(cells) => Some((cells, group.barrier.signals()?)),
        _ => None,
    }
}
