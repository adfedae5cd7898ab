//! Info objects: keys with values, in the order in which they were set first (MPI 5.0, chapter 10).
//! Rules: keys and values are strings of bytes without a null, and limited as the constants say; a key that is too
//! long is an error, not cut. The object for `MPI_INFO_ENV` can only be read.

use std::ffi::c_int;

use super::Classified;
use crate::abi::{
    MPI_ERR_ARG, MPI_ERR_INFO, MPI_ERR_INFO_KEY, MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE,
    MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL,
};

#[cfg(test)]
mod tests;

/// What can be wrong with a key or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InfoError {
    /// The key is empty or too long.
    #[error("the key has {0} characters; it must have 1 to {most}", most = MPI_MAX_INFO_KEY - 1)]
    Key(usize),
    /// The value is too long.
    #[error("the value has {0} characters; it may have {most}", most = MPI_MAX_INFO_VAL - 1)]
    Value(usize),
    /// The object has no such key.
    #[error("there is no key \"{0}\"")]
    NoKey(String),
    /// The object has no key of this index.
    #[error("there is no key {index}: the info object has {keys} keys")]
    Index {
        /// The index.
        index: c_int,
        /// The number of keys.
        keys: usize,
    },
    /// The length of the caller's buffer is negative.
    #[error("the buffer's length is {0}, which is negative")]
    Length(c_int),
    /// The object describes the environment.
    #[error("MPI_INFO_ENV can only be read")]
    ReadOnly,
}

impl Classified for InfoError {
    fn class(&self) -> c_int {
        match self {
            InfoError::Key(_) => MPI_ERR_INFO_KEY,
            InfoError::Value(_) => MPI_ERR_INFO_VALUE,
            InfoError::NoKey(_) => MPI_ERR_INFO_NOKEY,
            InfoError::Index { .. } | InfoError::Length(_) => MPI_ERR_ARG,
            InfoError::ReadOnly => MPI_ERR_INFO,
        }
    }
}

/// A key and its value.
type Entry = (Box<[u8]>, Box<[u8]>);

/// An info object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    entries: Vec<Entry>,
    read_only: bool,
}

/// What is known of how the program was started, for `MPI_INFO_ENV` (MPI 5.0, section 11.2.1).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Environment {
    /// The program.
    pub command: Vec<u8>,
    /// Its arguments, without the program.
    pub arguments: Vec<Vec<u8>>,
    /// The number of ranks.
    pub ranks: usize,
    /// The name of the host.
    pub host: Vec<u8>,
    /// The directory in which the program was started.
    pub directory: Vec<u8>,
    /// The thread level that was asked for, by its name.
    pub thread_level: &'static str,
}

/// The hints by which a program asserts something of a communicator.
const ASSERTIONS: [&[u8]; 5] = [
    b"mpi_assert_no_any_tag",
    b"mpi_assert_no_any_source",
    b"mpi_assert_exact_length",
    b"mpi_assert_allow_overtaking",
    b"mpi_assert_strict_persistent_collective_ordering",
];

impl Info {
    /// An object without keys.
    pub const fn new() -> Info {
        Info { entries: Vec::new(), read_only: false }
    }

    /// The object for `MPI_INFO_ENV`. What is not known has no key.
    pub fn environment(environment: &Environment) -> Info {
        let Environment { command, arguments, ranks, host, directory, thread_level } = environment;
        let ranks = ranks.to_string();
        let values: [(&str, &[u8]); 8] = [
            ("command", command),
            ("argv", &arguments.join(&b' ')),
            ("maxprocs", ranks.as_bytes()),
            ("soft", ranks.as_bytes()),
            ("host", host),
            ("arch", std::env::consts::ARCH.as_bytes()),
            ("wdir", directory),
            ("thread_level", thread_level.as_bytes()),
        ];
        let known = values.into_iter().filter(|(_, value)| !value.is_empty());
        let entries = known.map(|(key, value)| {
            (key.as_bytes().into(), value[..value.len().min(MPI_MAX_INFO_VAL - 1)].into())
        });
        Info { entries: entries.collect(), read_only: true }
    }

    /// Another object with the same keys and values, which can be changed (`MPI_Info_dup`).
    #[must_use]
    pub fn dup(&self) -> Info {
        Info { entries: self.entries.clone(), read_only: false }
    }

    /// Takes the hints of `given` that are kept for a communicator: what a program asserts of its messages holds here
    /// whatever it is, and all others are ignored (MPI 5.0, section *Communicator Info*). Those that it has already and that
    /// `given` does not name stay.
    pub fn take_assertions(&mut self, given: &Info) {
        for (key, value) in given.entries.iter().filter(|(key, _)| ASSERTIONS.contains(&&**key)) {
            match self.entries.iter_mut().find(|(other, _)| other == key) {
                Some((_, old)) => old.clone_from(value),
                None => self.entries.push((key.clone(), value.clone())),
            }
        }
    }

    /// Sets the value of a key (`MPI_Info_set`). A key that there is keeps its place.
    ///
    /// # Errors
    ///
    /// If the key or the value has a length that cannot be, or the object can only be read.
    pub fn set(&mut self, key: &[u8], value: &[u8]) -> Result<(), InfoError> {
        checked_key(key)?;
        if value.len() >= MPI_MAX_INFO_VAL {
            return Err(InfoError::Value(value.len()));
        }
        self.check_writable()?;
        match self.entries.iter_mut().find(|(other, _)| **other == *key) {
            Some((_, old)) => *old = value.into(),
            None => self.entries.push((key.into(), value.into())),
        }
        Ok(())
    }

    /// Forgets a key (`MPI_Info_delete`).
    ///
    /// # Errors
    ///
    /// If there is no such key, its length cannot be, or the object can only be read.
    pub fn delete(&mut self, key: &[u8]) -> Result<(), InfoError> {
        checked_key(key)?;
        self.check_writable()?;
        let at = self.entries.iter().position(|(other, _)| **other == *key);
        let at = at.ok_or_else(|| InfoError::NoKey(String::from_utf8_lossy(key).into_owned()))?;
        self.entries.remove(at);
        Ok(())
    }

    /// The value of a key, if it has one.
    ///
    /// # Errors
    ///
    /// If the length of the key cannot be.
    pub fn value(&self, key: &[u8]) -> Result<Option<&[u8]>, InfoError> {
        checked_key(key)?;
        Ok(self.entries.iter().find(|(other, _)| **other == *key).map(|(_, value)| &**value))
    }

    /// The number of keys (`MPI_Info_get_nkeys`).
    pub fn key_count(&self) -> usize {
        self.entries.len()
    }

    /// The key of an index from 0 (`MPI_Info_get_nthkey`).
    ///
    /// # Errors
    ///
    /// If there are not so many.
    pub fn key(&self, index: c_int) -> Result<&[u8], InfoError> {
        let entry = usize::try_from(index).ok().and_then(|index| self.entries.get(index));
        let (key, _) = entry.ok_or(InfoError::Index { index, keys: self.entries.len() })?;
        Ok(key)
    }

    fn check_writable(&self) -> Result<(), InfoError> {
        if self.read_only { Err(InfoError::ReadOnly) } else { Ok(()) }
    }
}

/// The part of a value that fits a buffer of `room` characters beside its null; all of it, and how many characters
/// it needs with its null, are what `MPI_Info_get_string` returns.
///
/// # Errors
///
/// If the length is negative.
pub fn fitting(value: &[u8], room: c_int) -> Result<(&[u8], c_int), InfoError> {
    let size = usize::try_from(room).map_err(|_| InfoError::Length(room))?;
    let part = &value[..value.len().min(size.saturating_sub(1))];
    Ok((part, value.len() as c_int + 1))
}

fn checked_key(key: &[u8]) -> Result<(), InfoError> {
    if (1..MPI_MAX_INFO_KEY).contains(&key.len()) { Ok(()) } else { Err(InfoError::Key(key.len())) }
}
