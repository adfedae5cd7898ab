//! The shape rules of this host: what was measured of its collectives. The launcher reads it once, or rank
//! 0 where ranks meet, so all ranks go by the same.
//!
//! As text it is a line for each rule: the network, a tab, and the rule.

use crate::collective::ShapeRules;
use crate::message::TuneCache;
use crate::tune::cache::{self, Cache, Key};

/// The rules for this host in the file; none if there is none, or it cannot be read.
pub(super) fn text(place: &TuneCache) -> String {
    let file = match place {
        TuneCache::Off => None,
        TuneCache::User => cache::user_file(),
        TuneCache::File(path) => Some(path.clone()),
    };
    let Some(cache) = file.and_then(|file| Cache::load(&file)) else { return String::new() };
    let here = Key::of_rules("");
    let is_here = |key: &Key| (&key.host, key.cores) == (&here.host, here.cores);
    let rules = cache.rules().filter(|(key, _)| is_here(key));
    rules.map(|(key, rule)| format!("{}\t{rule}\n", key.provider)).collect()
}

/// Those of a text for this network. What this version does not know is left out: all ranks of a
/// job are of one version.
pub(super) fn parse(text: &str, provider: &str) -> ShapeRules {
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    let ours = lines.filter(|(of, _)| *of == cache::plain(provider));
    ShapeRules::new(ours.filter_map(|(_, rule)| rule.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_this_host_and_network_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.txt");
        let place = TuneCache::File(path.clone());
        assert_eq!(text(&place), "");
        let rule = |bytes: usize| format!("broadcast 4 1 {bytes} chain:4096");
        let remember = |key: Key, bytes| {
            assert!(Cache::remember_rules(&path, &key, |_| false, vec![rule(bytes)]));
        };
        remember(Key::of_rules("shm"), 1);
        remember(Key::of_rules("shm+ib"), 2);
        remember(Key { host: "another".into(), ..Key::of_rules("shm") }, 3);
        remember(Key { cores: 0, ..Key::of_rules("shm") }, 4);
        let found = |network: &str| {
            let rules = parse(&text(&place), network);
            rules.rules().iter().map(|rule| rule.bytes).collect::<Vec<_>>()
        };
        assert_eq!((found("shm"), found("shm+ib"), found("ib")), (vec![1], vec![2], vec![]));
        assert_eq!(text(&TuneCache::Off), "");
        // A rule of a later version, and none.
        assert_eq!(
            parse("shm\tbroadcast 4 1 1 star:3\nnonsense\n\n", "shm"),
            ShapeRules::default()
        );
    }
}
