//! The choices of earlier jobs, in one small text file.
//!
//! ```text
//! runahead-tune 1
//! node7<tab>threads<tab>8<tab>2<tab>dissemination
//! ```
//!
//! The first line names format and version. Each further line is an entry: host, provider, ranks,
//! cores, and a choice: an algorithm for barriers, or a *rule* for collectives, which has spaces.
//! Nothing here is an error: an unreadable file counts as missing, and a failed
//! write stores nothing. A malformed line is dropped. An algorithm that this version does not know
//! is kept for the version that does. A file that begins otherwise is foreign, or of a later
//! version: it is neither used nor changed.
//!
//! A new version of the file replaces the old one atomically, so a reader sees one or the other. If
//! two jobs write at the same time, one may lose its entry and measure again.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::choices::schedule;
use crate::order::Algorithm;
use crate::sys::{file, host};

/// The first line.
const HEAD: &str = "runahead-tune 1";

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The most entries that are kept; the oldest are dropped first.
const MOST_ENTRIES: usize = 1000;

/// The conditions of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The host's name.
    pub host: String,
    /// The network.
    pub provider: String,
    /// The number of ranks in the group.
    pub ranks: usize,
    /// The number of cores that the process may use.
    pub cores: usize,
}

impl Key {
    /// The key of the rules for collectives on this host, which name numbers of ranks themselves.
    /// (Versions that know no rules look up no group of no ranks, and leave these alone.)
    pub fn of_rules(provider: &str) -> Key {
        Key::here(provider, 0)
    }

    /// The key of a group of `ranks` ranks on this host.
    pub fn here(provider: &str, ranks: usize) -> Key {
        Key { host: plain(&host::name()), provider: plain(provider), ranks, cores: host::cores() }
    }
}

/// The text without the separators of fields and lines.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// A choice under its conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The conditions.
    pub key: Key,
    /// The algorithm or rule, as users write it.
    pub choice: String,
}

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    entries: Vec<Entry>,
}

/// The user's file, if the system names a directory for it.
pub fn user_file() -> Option<PathBuf> {
    Some(host::cache_dir()?.join("runahead").join("tune.txt"))
}

impl Cache {
    /// The content of the file. It is empty if the file is missing or cannot be read. None if the
    /// file is foreign.
    pub fn load(path: &Path) -> Option<Cache> {
        match file::read(path, MOST_BYTES) {
            Some(bytes) => Cache::parse(&bytes),
            None => Some(Cache::default()),
        }
    }

    /// Adds the choice to the file, and keeps its other entries. Returns whether that succeeded.
    pub fn remember(path: &Path, key: Key, algorithm: Algorithm) -> bool {
        // Read again: another job may have added to it.
        let Some(mut cache) = Cache::load(path) else { return false };
        cache.learn(key, algorithm);
        file::replace(path, cache.text().as_bytes())
    }

    /// Puts these rules into the file, for those of the same key that `is_replaced`, and keeps its
    /// other entries. Returns whether that succeeded.
    pub fn remember_rules(
        path: &Path,
        key: &Key,
        is_replaced: impl Fn(&str) -> bool,
        rules: Vec<String>,
    ) -> bool {
        let Some(mut cache) = Cache::load(path) else { return false };
        cache.entries.retain(|entry| {
            entry.key != *key || !is_rule(&entry.choice) || !is_replaced(&entry.choice)
        });
        let entry = |rule| Entry { key: key.clone(), choice: rule };
        cache.entries.extend(rules.into_iter().map(entry));
        cache.drop_oldest();
        file::replace(path, cache.text().as_bytes())
    }

    /// The rules for collectives, with their conditions.
    pub fn rules(&self) -> impl Iterator<Item = (&Key, &str)> {
        let rules = self.entries.iter().filter(|entry| is_rule(&entry.choice));
        rules.map(|entry| (&entry.key, &*entry.choice))
    }

    /// All entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The choice under these conditions, if this version knows the algorithm.
    pub fn known(&self, key: &Key) -> Option<Algorithm> {
        let of_key = |entry: &&Entry| entry.key == *key && !is_rule(&entry.choice);
        schedule(&self.entries.iter().rev().find(of_key)?.choice)
    }

    fn learn(&mut self, key: Key, algorithm: Algorithm) {
        self.entries.retain(|entry| entry.key != key || is_rule(&entry.choice));
        self.entries.push(Entry { key, choice: algorithm.to_string() });
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
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
        let mut cache = Cache { entries: lines.filter_map(entry).collect() };
        cache.drop_oldest();
        Some(cache)
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for Entry { key: Key { host, provider, ranks, cores }, choice } in &self.entries {
            let line = writeln!(text, "{host}\t{provider}\t{ranks}\t{cores}\t{choice}");
            line.expect("a string takes all that is written to it");
        }
        text
    }
}

fn entry(line: &str) -> Option<Entry> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [host, provider, ranks, cores, choice] = fields[..] else { return None };
    if line.contains(|c: char| c != '\t' && (c.is_control() || c == char::REPLACEMENT_CHARACTER)) {
        return None;
    }
    let key = Key {
        host: host.to_owned(),
        provider: provider.to_owned(),
        ranks: ranks.parse().ok()?,
        cores: cores.parse().ok()?,
    };
    (!choice.is_empty()).then(|| Entry { key, choice: choice.to_owned() })
}

/// Whether a choice is a rule for collectives. The names of algorithms have no space.
fn is_rule(choice: &str) -> bool {
    choice.contains(' ')
}

/// Files that are whole, missing, corrupt, foreign, read-only, and written by two at once.
#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    fn key(ranks: usize) -> Key {
        Key { host: "node7".to_owned(), provider: "threads".to_owned(), ranks, cores: 2 }
    }

    fn folder() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below").join("tune.txt");
        (folder, path)
    }

    fn write(path: &Path, text: impl AsRef<[u8]>) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_remembered_algorithm_is_found_again() {
        let (_folder, path) = folder();
        assert_eq!(Cache::load(&path), Some(Cache::default()));
        assert!(Cache::remember(&path, key(4), Algorithm::AllToAll));
        assert!(Cache::remember(&path, key(8), "n-way-dissemination:3".parse().unwrap()));
        assert!(Cache::remember(&path, key(4), Algorithm::BinomialTree));
        let cache = Cache::load(&path).unwrap();
        assert_eq!(cache.entries().len(), 2);
        assert_eq!(cache.known(&key(4)), Some(Algorithm::BinomialTree));
        assert_eq!(cache.known(&key(8)).unwrap().to_string(), "n-way-dissemination:3");
        for other in [
            key(5),
            Key { cores: 3, ..key(4) },
            Key { host: "node8".to_owned(), ..key(4) },
            Key { provider: "tcp".to_owned(), ..key(4) },
        ] {
            assert_eq!(cache.known(&other), None);
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("runahead-tune 1\nnode7\tthreads\t8\t2\tn-way-"), "{text}");
        // Nothing is left of the temporary file.
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    /// Neither an algorithm nor rules of another kind push rules out, and the other way round.
    #[test]
    fn rules_are_kept_beside_algorithms() {
        let (_folder, path) = folder();
        let rules = |rules: &[&str]| rules.iter().map(|&rule| rule.to_owned()).collect();
        let is_of_one = |rule: &str| rule.starts_with("one ");
        assert!(Cache::remember(&path, key(4), Algorithm::AllToAll));
        let remember =
            |key: Key, of: &[&str]| Cache::remember_rules(&path, &key, is_of_one, rules(of));
        assert!(remember(key(4), &["one 1", "two 1"]) && remember(key(5), &["one 5"]));
        assert!(remember(key(4), &["one 2", "one 3"]));
        assert!(Cache::remember(&path, key(4), Algorithm::FlatTree));
        let cache = Cache::load(&path).unwrap();
        assert_eq!(cache.known(&key(4)), Some(Algorithm::FlatTree));
        assert_eq!(cache.known(&key(5)), None);
        let found: Vec<_> = cache.rules().map(|(key, rule)| (key.ranks, rule)).collect();
        assert_eq!(found, [(4, "two 1"), (5, "one 5"), (4, "one 2"), (4, "one 3")]);
    }

    #[test]
    fn malformed_lines_are_dropped_and_unknown_algorithms_kept() {
        let (_folder, path) = folder();
        let text = "runahead-tune 1\nnode7\tthreads\t4\t2\tall-to-all\nnonsense\n\
                node7\tthreads\tfour\t2\tall-to-all\nnode7\tthreads\t8\t2\ttelepathy:2\n\
                node7\tthreads\t16\t2\tauto\nnode7\tthreads\t3\t2\t\nnode7\tthreads\t5";
        write(&path, text);
        let cache = Cache::load(&path).unwrap();
        assert_eq!(cache.entries().len(), 3);
        assert_eq!(cache.known(&key(4)), Some(Algorithm::AllToAll));
        assert_eq!((cache.known(&key(8)), cache.known(&key(16))), (None, None));
        assert!(Cache::remember(&path, key(2), Algorithm::FlatTree));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("telepathy:2\n") && !text.contains("nonsense"), "{text}");
    }

    #[test]
    fn a_foreign_file_is_left_alone() {
        for text in
            ["Dear diary,\n", "runahead-tune 2\nnode7\tthreads\t4\t2\tall-to-all\n", "\u{fffd}"]
        {
            let (_folder, path) = folder();
            write(&path, text);
            assert_eq!(Cache::load(&path), None);
            assert!(!Cache::remember(&path, key(4), Algorithm::AllToAll));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // Too long to be ours.
        let (_folder, path) = folder();
        write(&path, format!("{HEAD}\n{}", "x\n".repeat(1 << 20)));
        assert_eq!(Cache::load(&path), None);
        // An empty file is nobody's.
        write(&path, "");
        assert!(Cache::remember(&path, key(4), Algorithm::AllToAll));
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let (folder, path) = folder();
        // A file stands where the folder should be, which stops even those who may do all.
        fs::write(folder.path().join("below"), "a file").unwrap();
        assert_eq!(Cache::load(&path), Some(Cache::default()));
        assert!(!Cache::remember(&path, key(4), Algorithm::AllToAll));
        // A folder stands where the file should be.
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("tune.txt").join("full")).unwrap();
        assert!(!Cache::remember(&taken.join("tune.txt"), key(4), Algorithm::AllToAll));
        assert_eq!(fs::read_dir(&taken).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_read_only_is_no_error() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = folder();
        assert!(Cache::remember(&path, key(4), Algorithm::AllToAll));
        let below = path.parent().unwrap();
        fs::set_permissions(below, fs::Permissions::from_mode(0o500)).unwrap();
        // Those who may do all write nevertheless.
        let may_write = fs::write(below.join("probe"), "").is_ok();
        assert_eq!(Cache::remember(&path, key(8), Algorithm::AllToAll), may_write);
        assert_eq!(Cache::load(&path).unwrap().known(&key(4)), Some(Algorithm::AllToAll));
        fs::set_permissions(below, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn concurrent_writers_leave_a_whole_file() {
        let (_folder, path) = folder();
        std::thread::scope(|scope| {
            for writer in 0..2 {
                let path = &path;
                scope.spawn(move || {
                    for round in 0..50 {
                        let ranks = 2 + writer + 2 * (round % 10);
                        assert!(Cache::remember(path, key(ranks), Algorithm::AllToAll));
                        let text = fs::read_to_string(path).unwrap();
                        let cache = Cache::load(path).unwrap();
                        // Every line of it is an entry, and those of the writers do not mix.
                        assert!(text.starts_with(HEAD) && text.ends_with("all-to-all\n"));
                        assert!(!cache.entries().is_empty());
                        assert!(cache.entries().iter().all(|entry| entry.choice == "all-to-all"));
                    }
                });
            }
        });
        let folder = fs::read_dir(path.parent().unwrap()).unwrap();
        assert_eq!(folder.count(), 1);
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let mut cache = Cache::default();
        for ranks in 0..MOST_ENTRIES + 3 {
            cache.learn(key(ranks), Algorithm::AllToAll);
        }
        assert_eq!(cache.entries().len(), MOST_ENTRIES);
        assert_eq!((cache.known(&key(2)), cache.known(&key(3))), (None, Some(Algorithm::AllToAll)));
        assert_eq!(Cache::parse(cache.text().as_bytes()), Some(cache));
    }

    #[test]
    fn the_key_of_this_host_is_one_line() {
        let here = Key::here("a\tb\nc", 4);
        assert_eq!((here.provider.as_str(), here.ranks), ("a?b?c", 4));
        assert!(here.cores > 0 && !here.host.is_empty());
        let mut cache = Cache::default();
        cache.learn(here.clone(), Algorithm::AllToAll);
        let read = Cache::parse(cache.text().as_bytes()).unwrap();
        assert_eq!(read.known(&here), Some(Algorithm::AllToAll));
    }

    proptest! {
        #[test]
        fn parsing_any_bytes_gives_a_cache_or_refuses_them(
            lines in "([a-z0-9\t:\u{fffd}-]{0,30}\n){0,5}",
            more: Vec<u8>,
            headed: bool,
        ) {
            let head = if headed { format!("{HEAD}\n") } else { String::new() };
            let bytes = [head.as_bytes(), lines.as_bytes(), &more].concat();
            if let Some(cache) = Cache::parse(&bytes) {
                prop_assert_eq!(Cache::parse(cache.text().as_bytes()), Some(cache));
            }
        }
    }
}
