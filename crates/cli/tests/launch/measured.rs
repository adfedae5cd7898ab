//! That all ranks of a job go by what was measured of collectives, however they have come to be.

use std::path::Path;
use std::process::Command;

use runahead::internals::tune::cache::{Cache, Key};
use tempfile::TempDir;

use super::harness::{Test, part, run_part, succeed};
use super::meeting;

pub const TESTS: &[Test] = tests![
    "measured::": [ranks_go_by_it_however_they_are_started, the_one_who_starts_them_decides],
];

/// A file that makes broadcasts of four ranks a chain, and the text of the part `shape` with it and
/// without.
fn chains() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = "broadcast 4 1 1024 chain:65536".to_owned();
    let key = Key::of_rules("shm");
    assert!(Cache::remember_rules(&folder.path().join("tune.txt"), &key, |_| true, vec![rule]));
    folder
}

fn with<'c>(command: &'c mut Command, file: &Path) -> &'c mut Command {
    command.env("RUNAHEAD_TUNE_CACHE", file)
}

/// Rank 0 sends to each, or to the next.
const FLAT: &str = "world 3, its child 3, half of it 1, as the program says 3\n";
const CHAIN: &str = "world 1, its child 1, half of it 1, as the program says 3\n";

fn ranks_go_by_it_however_they_are_started() {
    let folder = chains();
    for (file, expected) in [
        (folder.path().join("tune.txt"), CHAIN),
        (folder.path().join("none"), FLAT),
        ("off".into(), FLAT),
    ] {
        assert_eq!(succeed(with(&mut part("shape 4"), &file)).out, expected);
        let mut threads = part("shape 4");
        threads.env("RUNAHEAD_RANKS", "threads");
        assert_eq!(succeed(with(&mut threads, &file)).out, expected);
        assert_eq!(succeed(with(&mut run_part("-n 4", "shape 4"), &file)).out, expected);
        let flag = format!("-n 4 --tune-cache {}", file.display());
        assert_eq!(succeed(with(&mut run_part(&flag, "shape 4"), Path::new("off"))).out, expected);
    }
    // The program has it off.
    let file = folder.path().join("tune.txt");
    assert_eq!(succeed(with(&mut part("shape-off 4"), &file)).out, FLAT);
    assert_eq!(succeed(with(&mut run_part("-n 4", "shape-off 4"), &file)).out, FLAT);
}

/// Of ranks that meet that is rank 0: what the others' environment says counts for nothing.
fn the_one_who_starts_them_decides() {
    let folder = chains();
    let file = folder.path().join("tune.txt");
    let all = meeting::of_each("shape 4", 4, |rank, command| {
        with(command, if rank == 0 { &file } else { Path::new("off") });
    });
    assert_eq!(all[0].out, CHAIN);
    let all = meeting::of_each("shape 4", 4, |rank, command| {
        with(command, if rank == 0 { Path::new("off") } else { &file });
    });
    assert_eq!(all[0].out, FLAT);
}
