//! Jobs of two hosts with two ranks each: faults in them, and collectives. Shared memory connects ranks 0 and 1, and ranks
//! 2 and 3; RDMA connects ranks of different hosts. No rank hangs, a lost rank is named, late
//! messages arrive, and no file or process is left behind.
//!
//! They are ignored unless asked for, as those of `rdma`, whose job and network they use.

use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use runahead::Tree;

use super::harness::{Test, ended, part};
use super::rdma::{
    HOST, Job, RANK, alone, assert_named, comes_back, happens, killed, over_rdma, shared_files,
    stopped,
};

pub const TESTS: &[Test] = tests![
    "mixed::": [
        a_killed_rank_is_named,
        a_stopped_rank_is_waited_for,
        a_flood_by_one_rank_stops_no_other,
        a_rank_that_leaves_loses_no_word_in_flight,
        a_link_comes_back,
        a_link_stays_down,
        collectives_over_hosts,
        every_collective_over_hosts,
    ],
];

/// Runs the part on two hosts.
fn on_two_hosts(command: &mut Command) -> &mut Command {
    over_rdma(command).env("RUNAHEAD_FABRIC", "mixed").env("RUNAHEAD_HOSTS", "2x2")
}

fn start() -> Job {
    Job::start_by_command(on_two_hosts(&mut part("rounds 4")))
}

/// One rank of each host, in turn.
/// SEMANTICS: END-2
fn a_killed_rank_is_named() {
    let _alone = alone();
    [RANK, 1].into_iter().for_each(|rank| killed(start(), rank));
}

/// SEMANTICS: NET-1
fn a_stopped_rank_is_waited_for() {
    let _alone = alone();
    [1, 3].into_iter().for_each(|seconds| stopped(start(), Duration::from_secs(seconds)));
}

/// A directory of one test, which is removed when this is dropped.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory");
        Place(path)
    }
}

impl Deref for Place {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A rank floods a rank of another host that does not receive: its sends are refused. Meanwhile
/// barriers of the other ranks, over both hosts, complete. All messages arrive in the end.
/// SEMANTICS: FLOW-1
fn a_flood_by_one_rank_stops_no_other() {
    let _alone = alone();
    let (place, shared) = (Place::new("flood"), shared_files());
    let ended = ended(on_two_hosts(&mut part(&format!("flood {}", place.display()))));
    assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
    let said = ["all has come in order", "barriers are done", "barriers are done", "was refused"];
    assert_eq!(ended.sorted(), said);
    assert_eq!(shared_files(), shared);
}

/// Words of rank 0 reach the other host through the memory of rank 2, which leaves early. The
/// others go on. In the end rank 0 leaves right after it has entered a barrier that rank 3 waits
/// for. SEMANTICS: END-1, BAR-1
fn a_rank_that_leaves_loses_no_word_in_flight() {
    let _alone = alone();
    let shared = shared_files();
    let ended = ended(on_two_hosts(&mut part("leave-early 8")));
    assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
    assert_eq!(ended.out, "8 rounds\n");
    assert_eq!(shared_files(), shared);
}

/// The link of one rank fails; the other rank of its host has its own.
fn a_link_comes_back() {
    let _alone = alone();
    comes_back(start());
}

/// Rank 2, whose cable is out, reaches only the other rank of its host. Ranks 0 and 1 lose it. Rank
/// 3 learns of that loss, or of those that rank 2 sees. If rank 2 notices first, its error is the
/// job's: it sees the others as lost, and cannot know better. SEMANTICS: END-2
fn a_link_stays_down() {
    let _alone = alone();
    let job = start();
    happens(&format!("link_down {HOST}"));
    let (ended, said) = job.fail();
    happens(&format!("link_up {HOST}"));
    let said = said.map(|said| said.expect("it has printed its error"));
    for rank in [0, 1] {
        assert_named(&said[rank], RANK);
    }
    assert!(
        said[RANK].contains(" is lost: ") || said[RANK].contains(" has ended with"),
        "{said:?}"
    );
    let followed = said[3].ends_with("has ended with an error, and this call needs it");
    assert!(followed || said[3].contains(" is lost: "), "{said:?}");
    let message = ended.failed(1);
    let lost = [
        ": rank 2 is lost: ibv_p",
        "rank 2: rank 0 is lost: ibv_p",
        "rank 2: rank 1 is lost: ibv_p",
    ];
    assert!(lost.iter().any(|lost| message.contains(lost)), "{message}");
    assert!(message.contains(": the peer does not answer; "), "{message}");
    // Rank 2 sees that its own port is down.
    let remedies = ["check the cable and the port of its device", "is down: check its cable"];
    assert!(remedies.iter().any(|remedy| message.contains(remedy)), "{message}");
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
}

/// Collectives of all kinds follow one another on hosts of these names, in these rounds. Each rank compares what it gets with
/// what it computes itself.
fn over_hosts(hosts: &str, tree: Tree, rounds: Range<usize>) {
    let _alone = alone();
    let (said, shared) = (format!("{} rounds\n", rounds.len()), shared_files());
    let line = format!("over-hosts {hosts} {tree} {} {}", rounds.start, rounds.end);
    let ended = ended(on_two_hosts(&mut part(&line)).env("RUNAHEAD_HOSTS", hosts));
    assert!(ended.status.success() && ended.err.is_empty(), "{line}: {ended:?}");
    assert_eq!(ended.out, said, "{line}");
    assert_eq!(shared_files(), shared);
}

/// With each amount: what travels at once, what one rank of a host passes on or combines, and 1 MiB. The ranks of a host are
/// consecutive, and then they are not. (Planted, between hosts alone: a root of a scatter that sends the part of another
/// rank; a rank that passes on its own block; hosts that combine first though the operator does not commute.)
/// SEMANTICS: COL-1, COL-3, COL-5, COL-7, COL-8
fn collectives_over_hosts() {
    ["a,a,b,b", "a,b,a,b"].into_iter().for_each(|hosts| over_hosts(hosts, Tree::Auto, 0..3));
}

/// With each amount, root and form, and with trees that the program sets; also where hosts have unequal numbers of ranks.
/// SEMANTICS: COL-1, COL-3, COL-5, COL-7, COL-8
fn every_collective_over_hosts() {
    for hosts in ["a,a,b,b", "a,b,a,b", "a,b,b,a", "a,a,a,b"] {
        // Each is much shorter than what is taken to hang.
        for first in (0..36).step_by(6) {
            over_hosts(hosts, Tree::Auto, first..first + 6);
        }
        Tree::SHAPES.into_iter().for_each(|tree| over_hosts(hosts, tree, 0..3));
    }
}
