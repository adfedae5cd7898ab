//! What was found in earlier jobs, in one small file of text.
//!
//! ```text
//! runahead-tune 1
//! node7<tab>threads<tab>8<tab>2<tab>dissemination
//! ```
//!
//! The first line names format and version; then each line is an entry: host, provider, ranks, cores,
//! algorithm. Nothing here is an error: what cannot be read is not there, what cannot be written is
//! not remembered. A line that is no entry is dropped; an algorithm that this version does not know is
//! kept for the version that does. A file that begins otherwise is somebody else's, or a later
//! version's: it is neither used nor touched.
//!
//! A new version of the file replaces the old one at once, so a reader sees the one or the other. Of
//! two jobs that write at once, one may lose its entry and measure again.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::choices::schedule;
use crate::order::Algorithm;
use crate::sys::{file, host};

/// The first line.
const HEAD: &str = "runahead-tune 1";

/// No honest file is longer, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The most entries that are kept; the oldest go first.
const MOST_ENTRIES: usize = 1000;

/// For what an algorithm was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The host's name.
    pub host: String,
    /// The network.
    pub provider: String,
    /// The number of ranks in the group.
    pub ranks: usize,
    /// How many cores the process may use.
    pub cores: usize,
}

impl Key {
    /// For a group of so many ranks on this host.
    pub fn here(provider: &str, ranks: usize) -> Key {
        Key { host: plain(&host::name()), provider: plain(provider), ranks, cores: host::cores() }
    }
}

/// Without what separates fields and lines.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// What was found for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// For what.
    pub key: Key,
    /// The algorithm, as it is written.
    pub algorithm: String,
}

/// What stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    entries: Vec<Entry>,
}

/// The user's file, where the system says that there is a place for it.
pub fn user_file() -> Option<PathBuf> {
    Some(host::cache_dir()?.join("runahead").join("tune.txt"))
}

impl Cache {
    /// What stands in the file: nothing if there is none, or none that can be read. None if it is
    /// somebody else's.
    pub fn load(path: &Path) -> Option<Cache> {
        match file::read(path, MOST_BYTES) {
            Some(bytes) => Cache::parse(&bytes),
            None => Some(Cache::default()),
        }
    }

    /// Notes the choice in the file, which then holds what else it held. Returns whether it does.
    pub fn remember(path: &Path, key: Key, algorithm: Algorithm) -> bool {
        // Read again: another job may have added to it.
        let Some(mut cache) = Cache::load(path) else { return false };
        cache.learn(key, algorithm);
        file::replace(path, cache.text().as_bytes())
    }

    /// All that it holds.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was found for this, if this version knows the algorithm.
    pub fn known(&self, key: &Key) -> Option<Algorithm> {
        let entry = self.entries.iter().rev().find(|entry| entry.key == *key)?;
        schedule(&entry.algorithm)
    }

    fn learn(&mut self, key: Key, algorithm: Algorithm) {
        self.entries.retain(|entry| entry.key != key);
        self.entries.push(Entry { key, algorithm: algorithm.to_string() });
        let too_many = self.entries.len().saturating_sub(MOST_ENTRIES);
        self.entries.drain(..too_many);
    }

    fn parse(bytes: &[u8]) -> Option<Cache> {
        if bytes.len() as u64 > MOST_BYTES {
            return None;
        }
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        if !bytes.is_empty() && lines.next() != Some(HEAD) {
            return None;
        }
        let mut entries: Vec<Entry> = lines.filter_map(entry).collect();
        let too_many = entries.len().saturating_sub(MOST_ENTRIES);
        entries.drain(..too_many);
        Some(Cache { entries })
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for Entry { key: Key { host, provider, ranks, cores }, algorithm } in &self.entries {
            let line = writeln!(text, "{host}\t{provider}\t{ranks}\t{cores}\t{algorithm}");
            line.expect("a string takes all that is written to it");
        }
        text
    }
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [host, provider, ranks, cores, algorithm] = fields[..] else { return None };
    if line.contains(|c: char| c != '\t' && (c.is_control() || c == char::REPLACEMENT_CHARACTER)) {
        return None;
    }
    let key = Key {
        host: host.to_owned(),
        provider: provider.to_owned(),
        ranks: ranks.parse().ok()?,
        cores: cores.parse().ok()?,
    };
    (!algorithm.is_empty()).then(|| Entry { key, algorithm: algorithm.to_owned() })
}

#[cfg(test)]
mod tests;
