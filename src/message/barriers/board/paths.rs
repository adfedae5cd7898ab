//! Paths: how a word that a rank writes for its host comes to another host. It goes by way of one
//! member of the group there, and when that one is gone, by way of the next.
//!
//! Keeps rules BAR-1, BAR-4 and END-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! Words that one rank writes by way of one member come in the order in which they were written. If
//! that member leaves, words may be lost that were under way to it, or come late. So a rank writes
//! by way of the next member only when nothing is under way by those before. It first writes again
//! all that stands in its words there, the tag last. Otherwise an old number could come over a
//! newer one, or stand beside a new tag.
//!
//! A host of which all members have gone needs no word.
//!
//! What a rank has written of one group has come before it is done with the group
//! ([`Path::is_settled`]). So words of two groups at one place never overtake each other, though
//! they may go by different members.

use super::Words;
use crate::order::Rank;
use crate::verbs::Written;

/// The way from one rank to the members of a group on one other host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Path {
    ranks: Vec<Rank>,
    /// The index of the member by way of which words go.
    at: usize,
    /// Whether all words must be written again.
    is_behind: bool,
}

impl Path {
    /// By way of these members; each rank begins with another.
    pub(super) fn new(own: Rank, mut ranks: Vec<Rank>) -> Path {
        let count = ranks.len().max(1);
        ranks.rotate_left(own % count);
        Path { ranks, at: 0, is_behind: false }
    }

    /// The member by way of which words go; None if all have gone.
    pub(super) fn via(&self) -> Option<Rank> {
        self.ranks.get(self.at).copied()
    }

    /// Writes a word. `all` are all words of this rank there, that one among them, and the tag
    /// last. False if it will be written by a later call, since others are under way still.
    pub(super) fn write<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        words: &impl Words,
        (word, value): (usize, u64),
        all: impl Fn() -> I,
    ) -> bool {
        let Some(via) = self.via() else { return true };
        self.is_behind = self.is_behind || !words.write_at(via, word, value);
        !self.is_behind || self.catch_up(words, all)
    }

    /// `peer` is gone: if words went by way of it, they go by way of the next.
    pub(super) fn handle_gone<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        words: &impl Words,
        peer: Rank,
        all: impl Fn() -> I,
    ) {
        if self.via() == Some(peer) {
            self.is_behind = true;
            self.at += 1;
            self.catch_up(words, all);
        }
    }

    /// If words must be written again, and nothing is under way any more by those before, writes
    /// them. Returns whether none must.
    pub(super) fn catch_up<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        words: &impl Words,
        all: impl Fn() -> I,
    ) -> bool {
        while self.is_behind {
            let before = &self.ranks[..self.at];
            if before.iter().any(|&rank| words.written_at(rank) == Written::UnderWay) {
                return false;
            }
            let Some(via) = self.via() else {
                self.is_behind = false;
                break;
            };
            self.is_behind = !all().all(|(word, value)| words.write_at(via, word, value));
            self.at += usize::from(self.is_behind);
        }
        true
    }

    /// Whether all that was written has come. What is lost is written again: a rank that calls this
    /// until it is so can go on to another group, or leave.
    pub(super) fn is_settled<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        words: &impl Words,
        all: impl Fn() -> I,
    ) -> bool {
        if !self.catch_up(words, &all) {
            return false;
        }
        let Some(via) = self.via() else { return true };
        match words.written_at(via) {
            Written::Arrived => true,
            Written::UnderWay => false,
            Written::Lost => {
                self.handle_gone(words, via, all);
                self.via().is_none()
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod model;
