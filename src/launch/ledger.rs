//! What each rank of a job hands over at its end, in memory that all its processes share.
//!
//! One sheet of memory holds a page for each rank, far apart; what is not written takes no memory. A
//! rank writes on its own page only: first that it has come, then what it hands over, then that this
//! is complete. So ranks disturb neither each other nor who reads, wherever one of them is killed.
//! Where several processes may come as one rank, those of a script, the first that writes is it.
//! The starter writes on the page of a rank that ended without handing anything over. In the second half of its
//! page a rank may give the others something when the job starts: an address.
//!
//! Nothing that stands here is trusted: it may come from a process that went wrong.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::told::{Said, Told};
use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, Sheet};
use crate::sys::process::End;

/// How a rank ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// What its closure returned, as bytes.
    Value(Vec<u8>),
    /// Its closure, or the way there, failed.
    Failed(Told),
    /// It panicked, and said this.
    Panicked(String),
    /// It came to a launch of so many ranks, which is not the one that it was started for.
    Elsewhere { size: usize },
    /// It ended without a word.
    Ended { end: End, joined: bool },
}

/// [`Outcome`], without the value, as it is written.
#[derive(Serialize, Deserialize)]
enum Page {
    Failed(Told),
    Panicked(String),
    Elsewhere { size: usize },
    Exited { code: i32, joined: bool },
    Killed { signal: i32, joined: bool },
}

impl Outcome {
    /// All but a value, as bytes.
    fn page(&self) -> io::Result<Vec<u8>> {
        let page = match self {
            Outcome::Value(_) => return Err(io::ErrorKind::InvalidInput.into()),
            Outcome::Failed(told) => Page::Failed(told.clone()),
            Outcome::Panicked(said) => Page::Panicked(said.clone()),
            Outcome::Elsewhere { size } => Page::Elsewhere { size: *size },
            Outcome::Ended { end: End::Exited(code), joined } => {
                Page::Exited { code: *code, joined: *joined }
            }
            Outcome::Ended { end: End::Killed(signal), joined } => {
                Page::Killed { signal: *signal, joined: *joined }
            }
        };
        postcard::to_stdvec(&page).map_err(io::Error::other)
    }

    fn of_page(bytes: &[u8]) -> Option<Outcome> {
        Some(match postcard::from_bytes(bytes).ok()? {
            Page::Failed(told) => Outcome::Failed(told),
            Page::Panicked(said) => Outcome::Panicked(said),
            Page::Elsewhere { size } => Outcome::Elsewhere { size },
            Page::Exited { code, joined } => Outcome::Ended { end: End::Exited(code), joined },
            Page::Killed { signal, joined } => Outcome::Ended { end: End::Killed(signal), joined },
        })
    }
}

/// As bytes: 0 and the value, or 1 and all else.
impl Outcome {
    /// As bytes, for those who share no ledger.
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        let (kind, rest) = match self {
            Outcome::Value(bytes) => (VALUE, bytes.clone()),
            outcome => (NO_VALUE, outcome.page()?),
        };
        Ok([&[kind as u8][..], &rest].concat())
    }

    /// What these bytes say, if they say anything.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Outcome> {
        let (&kind, rest) = bytes.split_first()?;
        match u64::from(kind) {
            VALUE => Some(Outcome::Value(rest.to_vec())),
            NO_VALUE => Outcome::of_page(rest),
            _ => None,
        }
    }

    /// Whether these bytes are a value.
    pub(super) fn is_value(bytes: &[u8]) -> bool {
        bytes.first().is_some_and(|&kind| u64::from(kind) == VALUE)
    }
}

/// The sheet.
#[derive(Debug)]
pub(super) struct Ledger(Sheet);

const NAME: &str = "runahead-ledger";

/// The distance between pages, in bytes.
const PAGE_BYTES: u64 = 1 << 36;
/// Where in a page begins what a rank gives the others.
const GIVEN: u64 = 1 << 35;
/// The distance between what it gives in one round and in the next, in bytes; so long can it be.
pub(super) const GIVEN_BYTES: u64 = 1 << 20;
/// The head of a page: state, kind and length, 8 bytes each.
const HEAD_BYTES: u64 = 24;
/// So long can a value be.
const VALUE_BYTES: u64 = (1 << 35) - HEAD_BYTES;

/// How long a rank waits between two looks for what others give. This is when a job starts, and once.
pub(super) const LOOK: Duration = Duration::from_millis(1);

const JOINED: u64 = 1;
const COMPLETE: u64 = 2;

const VALUE: u64 = 0;
const NO_VALUE: u64 = 1;

impl Ledger {
    pub(super) fn create() -> io::Result<Ledger> {
        Ok(Ledger(Sheet::create(NAME)?))
    }

    /// One that was inherited.
    pub(super) fn of(fd: OwnedFd) -> Ledger {
        Ledger(Sheet::of(fd))
    }

    /// Whether what was inherited is a ledger at all.
    pub(super) fn is_one(&self) -> bool {
        self.0.is_named(NAME)
    }

    /// Whether that process has a ledger under that number, in which a rank has come to the launch.
    pub(super) fn has_joined_at(pid: u32, number: i32, rank: Rank) -> bool {
        let ledger = Sheet::seen_at(pid, number).map(Ledger);
        ledger.is_ok_and(|ledger| ledger.is_one() && ledger.has_joined(rank))
    }

    /// Writes that a rank has come to the launch, unless another process has written that. Says
    /// whether it was this one.
    pub(super) fn claim(&self, rank: Rank) -> io::Result<bool> {
        self.0.alone(|| match self.has_joined(rank) {
            true => Ok(false),
            false => self.join(rank).map(|()| true),
        })
    }

    /// Writes that a rank has come to the launch.
    pub(super) fn join(&self, rank: Rank) -> io::Result<()> {
        self.put(rank, 0, &JOINED.to_le_bytes())
    }

    /// Writes how a rank has ended.
    pub(super) fn hand_over(&self, rank: Rank, outcome: &Outcome) -> io::Result<()> {
        let bytes = match outcome {
            Outcome::Value(bytes) => return self.complete(rank, VALUE, bytes),
            outcome => outcome.page()?,
        };
        self.complete(rank, NO_VALUE, &bytes)
    }

    /// Another handle of it.
    pub(super) fn another(&self) -> io::Result<Ledger> {
        Ok(Ledger(Sheet::of(self.0.as_fd().try_clone_to_owned()?)))
    }

    /// Writes what a rank gives the others in a round, once.
    pub(super) fn give(&self, rank: Rank, round: u64, bytes: &[u8]) -> io::Result<()> {
        let length = bytes.len() as u64;
        if length > GIVEN_BYTES - 8 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.put(rank, GIVEN + round * GIVEN_BYTES + 8, bytes)?;
        self.give_of_length(rank, round, length)
    }

    /// Writes that what a rank gives is there, and so long.
    pub(super) fn give_of_length(&self, rank: Rank, round: u64, length: u64) -> io::Result<()> {
        // 0 is what stands there at first.
        self.put(rank, GIVEN + round * GIVEN_BYTES, &length.saturating_add(1).to_le_bytes())
    }

    /// What a rank has given in a round, if it has.
    pub(super) fn given(&self, rank: Rank, round: u64) -> io::Result<Option<Vec<u8>>> {
        let at = GIVEN + round * GIVEN_BYTES;
        let Some(length) = self.word(rank, at / 8).checked_sub(1) else { return Ok(None) };
        if length > GIVEN_BYTES - 8 {
            return Err(io::Error::other(format!("rank {rank} has given what is too long")));
        }
        let mut bytes = vec![0; length as usize];
        self.0.read_at(&mut bytes, PAGE_BYTES * rank as u64 + at + 8)?;
        Ok(Some(bytes))
    }

    fn complete(&self, rank: Rank, kind: u64, bytes: &[u8]) -> io::Result<()> {
        let length = bytes.len() as u64;
        if length > VALUE_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.put(rank, HEAD_BYTES, bytes)?;
        self.put(rank, 8, &[kind.to_le_bytes(), length.to_le_bytes()].concat())?;
        self.put(rank, 0, &COMPLETE.to_le_bytes())
    }

    fn put(&self, rank: Rank, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_at(bytes, PAGE_BYTES * rank as u64 + offset)
    }

    /// One of the words of a head; 0 if it was never written.
    fn word(&self, rank: Rank, word: u64) -> u64 {
        let mut bytes = [0; 8];
        let read = self.0.read_at(&mut bytes, PAGE_BYTES * rank as u64 + 8 * word);
        read.map_or(0, |()| u64::from_le_bytes(bytes))
    }

    /// Whether a rank has come to the launch.
    pub(super) fn has_joined(&self, rank: Rank) -> bool {
        self.word(rank, 0) != 0
    }

    /// Whether it is written how a rank has ended.
    pub(super) fn is_complete(&self, rank: Rank) -> bool {
        self.word(rank, 0) == COMPLETE
    }

    /// How a rank has ended. What cannot be read counts as its failure.
    pub(super) fn outcome(&self, rank: Rank) -> Outcome {
        let unreadable = || {
            let message = "what it handed over cannot be read".to_owned();
            Outcome::Failed(Said::Other { message, culprit: None }.into())
        };
        self.read(rank).unwrap_or_else(unreadable)
    }

    fn read(&self, rank: Rank) -> Option<Outcome> {
        if !self.is_complete(rank) {
            return None;
        }
        let (kind, length) = (self.word(rank, 1), self.word(rank, 2));
        let start = PAGE_BYTES * rank as u64 + HEAD_BYTES;
        let there = self.0.len().ok()?.checked_sub(start)?;
        // Where nobody wrote there is room for any length, and nothing in it.
        let written = there.min(self.0.held().ok()?);
        if length > written.min(VALUE_BYTES) {
            return None;
        }
        let length = usize::try_from(length).ok()?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).ok()?;
        bytes.resize(length, 0);
        self.0.read_at(&mut bytes, start).ok()?;
        if kind == VALUE {
            return Some(Outcome::Value(bytes));
        }
        Outcome::of_page(&bytes)
    }
}

impl AsFd for Ledger {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_is_read() {
        let ledger = Ledger::create().unwrap();
        let told = Said::Other { message: "no".into(), culprit: Some(3) }.into();
        let outcomes = [
            Outcome::Value(vec![7; 100_000]),
            Outcome::Value(Vec::new()),
            Outcome::Failed(told),
            Outcome::Panicked("oh".into()),
            Outcome::Elsewhere { size: 9 },
            Outcome::Ended { end: End::Exited(-3), joined: false },
            Outcome::Ended { end: End::Killed(9), joined: true },
        ];
        // From the last to the first: pages do not depend on each other.
        for (rank, outcome) in outcomes.iter().enumerate().rev() {
            assert!(!ledger.has_joined(rank) && !ledger.is_complete(rank));
            ledger.join(rank).unwrap();
            assert!(ledger.has_joined(rank) && !ledger.is_complete(rank));
            ledger.hand_over(rank, outcome).unwrap();
            assert!(ledger.has_joined(rank) && ledger.is_complete(rank));
        }
        for (rank, outcome) in outcomes.iter().enumerate() {
            assert_eq!(ledger.outcome(rank), *outcome);
        }
        assert!(!ledger.has_joined(outcomes.len()));
    }

    #[test]
    fn a_page_that_went_wrong_is_a_failure_of_its_rank_alone() {
        let ledger = Ledger::create().unwrap();
        let right = Outcome::Value(vec![1, 2, 3]);
        let heads: [[u64; 3]; 6] = [
            [JOINED, VALUE, 3],
            [COMPLETE, VALUE, u64::MAX],
            [COMPLETE, VALUE, PAGE_BYTES],
            [COMPLETE, NO_VALUE, 3],
            [COMPLETE, 77, 3],
            [77, VALUE, 3],
        ];
        ledger.hand_over(heads.len(), &right).unwrap();
        for (rank, head) in heads.iter().enumerate() {
            ledger.put(rank, HEAD_BYTES, &[255; 3]).unwrap();
            ledger.put(rank, 0, &head.map(u64::to_le_bytes).concat()).unwrap();
            assert!(matches!(ledger.outcome(rank), Outcome::Failed(_)), "{head:?}");
        }
        assert_eq!(ledger.outcome(heads.len()), right);
        // Much, all of it where nobody wrote.
        let head = [COMPLETE, VALUE, PAGE_BYTES / 2];
        let rank = heads.len() - 1;
        ledger.put(rank, 0, &head.map(u64::to_le_bytes).concat()).unwrap();
        assert!(matches!(ledger.outcome(rank), Outcome::Failed(_)));
        // Nothing at all, and beyond the end.
        assert!(matches!(ledger.outcome(heads.len() + 1), Outcome::Failed(_)));
    }
}
