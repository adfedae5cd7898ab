//! What goes over the lines of a meeting, as bytes: a head of kind, rank, round and length, and what it is about.
//!
//! Pure. Whatever comes is checked before it is used (SAFE-1).

use std::io;

use crate::launch::ledger::{GIVEN_BYTES, Outcome};
use crate::order::Rank;

/// Kind, rank, round and length: 1, 4, 4 and 8 bytes, the lowest first.
pub(super) const HEAD_BYTES: u64 = 17;

/// Of what one says when it comes; processes of other versions do not meet.
const GREETING: &[u8] = b"runahead meets 1";

/// So many rounds can there be.
const ROUNDS: u64 = 16;

/// So long can be what a rank came to, in bytes.
const END_BYTES: u64 = 1 << 32;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Somebody has come.
    Hello,
    /// A rank gives the others something.
    Give,
    /// A rank has ended.
    End,
    /// To one that has ended: that is known.
    Heard,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Hello, Kind::Give, Kind::End, Kind::Heard];
}

/// One thing that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) rank: Rank,
    pub(super) round: u64,
    pub(super) bytes: Vec<u8>,
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Frame {
    pub(super) fn give(rank: Rank, round: u64, bytes: &[u8]) -> io::Result<Frame> {
        if round >= ROUNDS {
            return Err(wrong("too many rounds"));
        }
        Ok(Frame { kind: Kind::Give, rank, round, bytes: bytes.to_vec() })
    }

    pub(super) fn end(rank: Rank, outcome: &Outcome) -> io::Result<Frame> {
        let bytes = outcome.bytes()?;
        if bytes.len() as u64 > END_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Frame { kind: Kind::End, rank, round: 0, bytes })
    }

    pub(super) fn heard() -> Frame {
        Frame { kind: Kind::Heard, rank: 0, round: 0, bytes: Vec::new() }
    }

    /// What all may know of it: what a rank returned is for rank 0.
    pub(super) fn for_all(&self) -> Frame {
        let is_value = self.kind == Kind::End && Outcome::is_value(&self.bytes);
        let bytes = if is_value { self.bytes[..1].to_vec() } else { self.bytes.clone() };
        Frame { bytes, ..*self }
    }

    /// The outcome of a rank that has ended.
    pub(super) fn outcome(&self) -> io::Result<Outcome> {
        Outcome::of_bytes(&self.bytes).ok_or_else(|| wrong("what a rank came to cannot be read"))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut all = vec![self.kind as u8];
        all.extend((self.rank as u32).to_le_bytes());
        all.extend((self.round as u32).to_le_bytes());
        all.extend((self.bytes.len() as u64).to_le_bytes());
        all.extend(&self.bytes);
        all
    }

    /// One without what it is about, and how long that is. `head` has [`HEAD_BYTES`].
    pub(super) fn of_head(head: &[u8], size: usize) -> io::Result<(Frame, u64)> {
        let number = |at: usize, bytes: usize| -> u64 {
            head[at..at + bytes].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == head[0]);
        let kind = kind.ok_or_else(|| wrong("no such kind"))?;
        let (rank, round, length) = (number(1, 4), number(5, 4), number(9, 8));
        let most = match kind {
            Kind::Hello => GREETING.len() as u64,
            Kind::Give => GIVEN_BYTES - 8,
            Kind::End => END_BYTES,
            Kind::Heard => 0,
        };
        // Who comes says the size by the round.
        let rounds = if kind == Kind::Hello { u64::from(u32::MAX) + 1 } else { ROUNDS };
        if rank >= size as u64 || round >= rounds || length > most {
            return Err(wrong("a rank, round or length that cannot be"));
        }
        Ok((Frame { kind, rank: rank as Rank, round, bytes: Vec::new() }, length))
    }
}

/// What a process says when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) rank: Rank,
    pub(super) size: usize,
}

impl Hello {
    pub(super) fn frame(self) -> Frame {
        let Hello { rank, size } = self;
        Frame { kind: Kind::Hello, rank, round: size as u64, bytes: GREETING.to_vec() }
    }

    pub(super) fn of(frame: &Frame) -> io::Result<Hello> {
        if frame.kind != Kind::Hello || frame.bytes != GREETING {
            return Err(wrong("no greeting"));
        }
        Ok(Hello { rank: frame.rank, size: frame.round as usize })
    }
}
