//! The members of one node, which see each other's words: the latest epoch that each has entered.
//!
//! Keeps rules BAR-1 and BAR-3 of SEMANTICS.md.
//!
//! A look begins at the member that was lacking last time: while that member has not entered, one
//! word says so. So entering costs a member the same at any size of the group. The epoch that was
//! seen of a member is a lower bound, as an epoch cell is ([`super::epochs`]).

use super::Epoch;
use super::scratch::Scratch;

/// The members of this member's node, by their index in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Near {
    /// The latest epoch that each is known to have entered; of this member itself `Epoch::MAX`.
    seen: Vec<Epoch>,
    /// Where the next look begins.
    lacking: Scratch<usize>,
}

impl Near {
    pub(super) fn new(own: usize, count: usize, first: Epoch) -> Near {
        let mut seen = vec![first; count];
        seen[own] = Epoch::MAX;
        Near { seen, lacking: Scratch::default() }
    }

    /// All have entered this epoch.
    pub(super) fn floor(&self) -> Epoch {
        self.seen.iter().copied().min().unwrap_or(Epoch::MAX)
    }

    /// The epoch that all members have entered, up to `entered`; None if that is no more than
    /// `reached`. `load` reads the word of a member by its index, and gets the epoch seen before.
    /// An epoch above `limit` is returned with its member's index.
    // Out of line, its arguments and its result pass through memory: 8 ns of a pair's barrier.
    #[inline(always)]
    pub(super) fn look(
        &mut self,
        (entered, reached): (Epoch, Epoch),
        limit: Epoch,
        mut load: impl FnMut(usize, Epoch) -> Epoch,
    ) -> Result<Option<Epoch>, (usize, Epoch)> {
        let seen = &mut self.seen[..];
        let from = self.lacking.0;
        let (mut floor, mut index) = (entered, from);
        loop {
            let known = &mut seen[index];
            if *known < entered {
                let epoch = load(index, *known);
                if epoch > limit {
                    return Err((index, epoch));
                }
                if epoch >= entered {
                    *known = epoch;
                } else {
                    *known = epoch.max(*known);
                    if *known <= reached {
                        self.lacking.0 = index;
                        return Ok(None);
                    }
                    if *known < floor {
                        (floor, self.lacking.0) = (*known, index);
                    }
                }
            }
            index = if index + 1 < seen.len() { index + 1 } else { 0 };
            if index == from {
                break;
            }
        }
        Ok(Some(floor))
    }

    /// Whether the word of the member that was lacking last says no more than `reached`.
    #[inline]
    pub(super) fn is_quiet(
        &self,
        reached: Epoch,
        load: impl FnOnce(usize, Epoch) -> Epoch,
    ) -> bool {
        let index = self.lacking.0;
        let seen = self.seen[index];
        seen <= reached && load(index, seen) <= reached
    }

    /// The number of members.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.seen.len()
    }

    /// The latest epoch that a member is known to have entered.
    #[inline]
    pub(super) fn seen(&self, index: usize) -> Epoch {
        self.seen[index]
    }

    /// Whether all may be known to have entered this epoch. Most often the member that was lacking
    /// last is known not to have, and nothing else need be looked at.
    #[inline]
    pub(super) fn may_have_entered(&self, epoch: Epoch) -> bool {
        self.seen[self.lacking.0] >= epoch || self.seen.len() == 1
    }

    /// Whether another member is known to have entered this epoch.
    pub(super) fn has_heard_of(&self, epoch: Epoch) -> bool {
        self.seen.iter().filter(|&&seen| seen >= epoch).count() > 1
    }

    /// A member says that it has entered this epoch. Returns whether that is news.
    pub(super) fn handle(&mut self, index: usize, epoch: Epoch) -> bool {
        let news = epoch > self.seen[index];
        self.seen[index] = self.seen[index].max(epoch);
        news
    }

    /// The member at which the next look begins.
    #[cfg(test)]
    pub(super) fn lacking(&self) -> usize {
        self.lacking.0
    }
}
