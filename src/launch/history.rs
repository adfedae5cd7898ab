//! What the launches of a program have returned so far, for the rank processes that it starts later:
//! they run the same program from its beginning, and come to those launches first.
//!
//! One process writes, and others read what stood there when they were started.

use std::io;

use super::told::Told;
use crate::error::{Error, Result};
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, Sheet};

/// What one launch returned: the values of its ranks as bytes, or its error.
pub(super) type Returned = Result<Vec<Vec<u8>>, Told>;

/// The launches, one after the other.
#[derive(Debug)]
pub(super) struct History {
    sheet: Sheet,
    /// Where the next one is written, or read.
    at: u64,
}

const VALUES: u64 = 0;
const ERROR: u64 = 1;

impl History {
    pub(super) fn create() -> io::Result<History> {
        Ok(History { sheet: Sheet::create("runahead-history")?, at: 0 })
    }

    /// One that was inherited, from its beginning.
    pub(super) fn of(fd: OwnedFd) -> History {
        History { sheet: Sheet::of(fd), at: 0 }
    }

    /// Writes what a launch returned.
    pub(super) fn append(&mut self, returned: &Returned) -> io::Result<()> {
        let (kind, parts) = match returned {
            Ok(values) => (VALUES, values),
            Err(told) => (ERROR, &vec![postcard::to_stdvec(told).map_err(io::Error::other)?]),
        };
        self.put(&[kind.to_le_bytes(), (parts.len() as u64).to_le_bytes()].concat())?;
        for part in parts {
            self.put(&(part.len() as u64).to_le_bytes())?;
            self.put(part)?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sheet.write_at(bytes, self.at)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Reads what the next launch returned; None if that is not there.
    pub(super) fn next(&mut self) -> Option<Returned> {
        let (kind, count) = (self.word()?, self.word()?);
        // Where nobody wrote there is room for any number of parts, and nothing in them.
        let written = self.sheet.held().ok()?;
        if count > written / 8 {
            return None;
        }
        let mut parts = Vec::new();
        for _ in 0..count {
            let length = self.word()?;
            if length > self.sheet.len().ok()?.checked_sub(self.at)?.min(written) {
                return None;
            }
            let mut part = Vec::new();
            part.try_reserve_exact(usize::try_from(length).ok()?).ok()?;
            part.resize(length as usize, 0);
            self.sheet.read_at(&mut part, self.at).ok()?;
            self.at += length;
            parts.push(part);
        }
        match kind {
            VALUES => Some(Ok(parts)),
            ERROR => Some(Err(postcard::from_bytes(parts.first()?).ok()?)),
            _ => None,
        }
    }

    fn word(&mut self) -> Option<u64> {
        let mut bytes = [0; 8];
        self.sheet.read_at(&mut bytes, self.at).ok()?;
        self.at += 8;
        Some(u64::from_le_bytes(bytes))
    }
}

impl AsFd for History {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sheet.as_fd()
    }
}

/// What a launch returned, from what stands in the history.
pub(super) fn replayed(returned: Returned) -> Result<Vec<Vec<u8>>> {
    returned.map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use super::super::told::Said;
    use super::*;

    #[test]
    fn launches_are_read_in_their_order() {
        let mut history = History::create().unwrap();
        let returned: [Returned; 4] = [
            Ok(vec![vec![1, 2], vec![], vec![3; 10_000]]),
            Err(Said::Killed { rank: 3, signal: 9 }.into()),
            Ok(Vec::new()),
            Ok(vec![vec![]; 64]),
        ];
        for returned in &returned {
            history.append(returned).unwrap();
        }
        history.at = 0;
        for returned in &returned {
            assert_eq!(history.next().unwrap(), *returned);
        }
        assert!(history.next().is_none());
    }

    #[test]
    fn what_went_wrong_is_not_believed() {
        for words in [[VALUES, 1, u64::MAX], [VALUES, u64::MAX, 8], [ERROR, 1, 0], [7, 1, 0]] {
            let mut history = History::create().unwrap();
            history.put(&words.map(u64::to_le_bytes).concat()).unwrap();
            history.at = 0;
            assert!(history.next().is_none(), "{words:?}");
        }
        // The same with much behind it that nobody wrote.
        for words in [[VALUES, 1, 1 << 40], [VALUES, 1 << 30, 8]] {
            let mut history = History::create().unwrap();
            history.put(&words.map(u64::to_le_bytes).concat()).unwrap();
            history.sheet.write_at(&[1], 1 << 41).unwrap();
            history.at = 0;
            assert!(history.next().is_none(), "{words:?}");
        }
    }
}
