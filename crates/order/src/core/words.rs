//! Groups whose signals are words: each member writes them into its own cell at the receiver, and the receiver
//! looks there.
//!
//! The schedule, and what a signal means, are those of every other group. What differs is how signals come: nobody
//! hands them over, so this asks the driver for the words, in the order in which the schedule needs them. The cells
//! themselves are the driver's.
//!
//! Keeps rules BAR-2, BAR-3, BAR-7 and SAFE-1 of SEMANTICS.md.

use super::{Group, Order};
use crate::barriers::Barriers;
use crate::clocks::Slot;
use crate::epochs::Epochs;
use crate::schedule::StepIndex;
use crate::written::{MOST_ID, Said, is_torn, read};
use crate::{Algorithm, Epoch, GroupId, InvalidGroup, ProtocolError, Rank, Signal, SignalKind};

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

/// What a look at a cell has found.
enum Found {
    /// No more than was known.
    Nothing,
    News(Rank, Signal),
    Wrong(ProtocolError),
}

impl Order {
    /// As [`add_group`](Order::add_group), of members whose signals are words, in cells at this place of the
    /// driver's; by messages if the id is too high for a word. Returns whether they are words. In no built-in
    /// algorithm a rank signals another twice, so each has one cell at each other.
    ///
    /// # Errors
    ///
    /// As by [`add_group`](Order::add_group).
    pub fn add_written_group(
        &mut self,
        id: GroupId,
        members: &[Rank],
        algorithm: Algorithm,
        place: usize,
        first: Epoch,
    ) -> Result<bool, InvalidGroup> {
        self.add_group(id, members, algorithm, first)?;
        let suits = id.0 <= MOST_ID;
        if let Some(slot) = self.slot_of(id)
            && suits
        {
            self.group_mut(slot).cells = Some(place);
        }
        Ok(suits)
    }

    /// The place of a group's cells, if its signals are words.
    #[inline]
    pub fn cells_of(&self, group: GroupId) -> Option<usize> {
        self.group(self.slot_of(group)?).cells
    }

    /// Looks at cells, as far as it takes to say what has become of the open barriers: mostly at one word. `load`
    /// reads the cell of a rank at a place. Returns whether anything was new; then signals may be due, and barriers
    /// may have completed.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] naming who has written what cannot be.
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
                    Found::News(from, signal) => {
                        news = true;
                        self.handle_signal(from, signal)?;
                    }
                }
            }
        }
        Ok(news)
    }

    /// Whether [`look_at_cells`](Order::look_at_cells) would find nothing. Costs one word for each group with open
    /// barriers.
    #[inline]
    pub fn are_cells_quiet(&self, load: impl Fn(usize, Rank) -> u64) -> bool {
        let mut slots = 0..self.groups.len();
        slots.all(|slot| matches!(self.look_at_cell(slot, &load), Found::Nothing))
    }

    /// For each group with open barriers whose signals are words, the cell without which nothing goes on.
    pub fn lacking_words(&self) -> impl Iterator<Item = Lacking> + '_ {
        self.groups.iter().flatten().filter_map(|group| {
            let (place, epochs) = written(group)?;
            let (member, _, known) = epochs.first_lacking()?;
            let from = group.members.rank_at(member);
            Some(Lacking { place, group: group.id, from, epoch: known + 1 })
        })
    }

    /// Whether the word of `member`'s cell says that it has entered `epoch` of a group whose signals are words.
    pub fn has_written(&self, group: GroupId, member: Rank, epoch: Epoch, word: u64) -> bool {
        let Some(slot) = self.slot_of(group) else { return false };
        let entered = self.group(slot).barriers.entered();
        let limit = self.limit_after(entered);
        !is_torn(word)
            && matches!(read(word, group, entered, 0), Said::Reached { epoch: said, .. }
            if said >= epoch && said <= limit && self.is_member(group, member) == Some(true))
    }

    /// Whether the barriers of a group complete here by what each member itself says, and nothing else: see
    /// [`Epochs::hears_all_directly`].
    pub fn hears_all_directly(&self, group: GroupId) -> bool {
        let barriers = self.slot_of(group).map(|slot| &self.group(slot).barriers);
        matches!(barriers, Some(Barriers::Signalled(epochs)) if epochs.hears_all_directly())
    }

    /// The next look begins where this one has ended.
    #[inline]
    fn note_lacking(&mut self, slot: Slot) {
        if let Some(Group { cells: Some(_), barriers: Barriers::Signalled(epochs), .. }) =
            &mut self.groups[slot]
        {
            epochs.note_lacking();
        }
    }

    /// Looks at the first cell that a group lacks.
    #[inline]
    fn look_at_cell(&self, slot: Slot, load: impl Fn(usize, Rank) -> u64) -> Found {
        let Some(group) = &self.groups[slot] else { return Found::Nothing };
        let Some((place, epochs)) = written(group) else { return Found::Nothing };
        let Some((member, step, known)) = epochs.first_lacking() else { return Found::Nothing };
        let from = group.members.rank_at(member);
        let word = load(place, from);
        if is_torn(word) {
            return Found::Nothing;
        }
        self.judge(group, epochs, (from, step, known), word)
    }

    #[inline]
    fn judge(
        &self,
        group: &Group,
        epochs: &Epochs,
        (from, step, known): (Rank, StepIndex, Epoch),
        word: u64,
    ) -> Found {
        let id = group.id;
        let fell = |epoch| {
            Found::Wrong(ProtocolError::EpochFell { from, group: id, epoch, before: known })
        };
        match read(word, id, epochs.entered(), self.clocks.send_clock(from)) {
            Said::Reached { epoch, .. } if epoch == known => Found::Nothing,
            Said::Reached { epoch, .. } if epoch < known => fell(epoch),
            Said::Reached { epoch, clock } => {
                let kind = SignalKind::Reached;
                Found::News(from, Signal { kind, group: id, step, epoch, clock })
            }
            Said::Nothing if known == epochs.first() => Found::Nothing,
            Said::Nothing => fell(0),
            Said::Later => Found::Wrong(ProtocolError::ForeignWord { from, group: id, word }),
        }
    }
}

#[inline]
fn written(group: &Group) -> Option<(usize, &Epochs)> {
    match (group.cells, &group.barriers) {
        (Some(place), Barriers::Signalled(epochs)) => Some((place, epochs)),
        _ => None,
    }
}
