//! Ranks that something else has started, and that meet: as `srun`, `mpirun` or `ssh` would start them on several hosts,
//! each process by itself. (On one host here; they share nothing but the network.)

use std::net::TcpListener;
use std::process::Command;

use super::harness::{Test, ended, part};

/// Everywhere: what is wrong is said before there is a network.
pub const TESTS: &[Test] = &[("meeting::what_is_wrong_is_named", what_is_wrong_is_named)];

/// A place where nobody listens yet.
fn somewhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    port.local_addr().expect("an address").to_string()
}

/// A part as one rank of a meeting.
fn rank_of(line: &str, rank: usize, size: usize, address: &str) -> Command {
    let mut command = part(line);
    command.env("RUNAHEAD_MEET", address);
    command.env("RUNAHEAD_RANK", rank.to_string()).env("RUNAHEAD_SIZE", size.to_string());
    command
}

fn what_is_wrong_is_named() {
    let address = somewhere();
    let variable = "Error: the environment variable";
    for (name, value, message) in [
        (
            "RUNAHEAD_MEET",
            "node1",
            "\"node1\" is no place to meet: it must be a host and a port, as node1:7117",
        ),
        ("RUNAHEAD_RANK", "2", "\"2\" is no whole number that this can be"),
        ("RUNAHEAD_SIZE", "two", "\"two\" is no whole number that this can be"),
    ] {
        let ended = ended(rank_of("ring 2", 0, 2, &address).env(name, value));
        assert_eq!(ended.failed(1), format!("{variable} {name}: {message}"));
    }
    let alone = ended(part("ring 2").env("RUNAHEAD_MEET", &address).env("RUNAHEAD_SIZE", "2"));
    let message = "it is not set, and neither is what Slurm (SLURM_PROCID, SLURM_NTASKS), Open MPI or a PMI sets";
    assert_eq!(alone.failed(1), format!("{variable} RUNAHEAD_RANK: {message}"));
    let alone = ended(&mut rank_of("ring 1", 0, 1, &address));
    if !cfg!(feature = "ib") {
        let message = "the network ib was asked for, and this program was built without it: runahead has a feature `ib`";
        assert_eq!(alone.failed(1), format!("Error: rank 0: {message}"));
        return;
    }
    let message = "ranks that meet (RUNAHEAD_MEET) are connected by RDMA: set RUNAHEAD_FABRIC=ib";
    assert_eq!(alone.failed(1), format!("Error: rank 0: {message}"));
    // The address is another host's: one of those that documents may name.
    let ended = ended(&mut rank_of("ring 2", 0, 2, "192.0.2.1:7117"));
    let message = ended.failed(1);
    assert!(
        message.starts_with("Error: rank 0: rank 0 cannot meet the others at 192.0.2.1:7117: "),
        "{message}"
    );
    assert!(message.ends_with(": it is to run there"), "{message}");
}

/// In the emulated machine.
#[cfg(feature = "ib")]
pub mod by_rdma {
    use super::*;
    use crate::harness::{Ended, Running, kill, start, succeed};
    use crate::rdma::{RANK, SIGKILL, alone, over_rdma};
    use std::process::Stdio;

    pub const TESTS: &[Test] = &[
        ("rdma::ranks_meet", ranks_meet),
        ("rdma::a_killed_rank_of_a_meeting_is_named", a_killed_rank_of_a_meeting_is_named),
        ("rdma::a_failed_rank_of_a_meeting_is_named", a_failed_rank_of_a_meeting_is_named),
    ];

    /// All ranks, started from the last to the first.
    fn meet(line: &str, transport: &str) -> Vec<Running> {
        let address = somewhere();
        let one = |rank: usize| {
            let mut command = rank_of(line, rank, 4, &address);
            command.env("RUNAHEAD_IB_TRANSPORT", transport).stdin(Stdio::piped());
            start(over_rdma(&mut command))
        };
        let mut ranks: Vec<Running> = (0..4).rev().map(one).collect();
        ranks.reverse();
        ranks
    }

    fn all_ended(ranks: Vec<Running>) -> Vec<Ended> {
        std::thread::scope(|scope| {
            let ends: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(|| rank.end())).collect();
            ends.into_iter().map(|end| end.join().expect("it ends")).collect()
        })
    }

    fn ranks_meet() {
        let _alone = alone();
        for transport in ["rc", "ud"] {
            for ended in all_ended(meet("ring 4", transport)) {
                assert!(ended.status.success() && ended.err.is_empty(), "{transport}: {ended:?}");
            }
        }
        // Megabytes are returned to rank 0. Whatever number the program names, it is the starter's that counts.
        for ended in all_ended(meet("many-values 3", "rc")) {
            assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
        }
        // A rank alone meets nobody.
        succeed(over_rdma(&mut rank_of("ring 1", 0, 1, &somewhere())));
    }

    /// SEMANTICS: END-2
    fn a_killed_rank_of_a_meeting_is_named() {
        let _alone = alone();
        let mut ranks = meet("rounds 4", "rc");
        for (rank, running) in ranks.iter_mut().enumerate() {
            assert!(running.line().starts_with(&format!("{rank} ")));
        }
        assert!(ranks[0].line().starts_with("round "));
        kill(ranks[RANK].child.id(), SIGKILL);
        let all = all_ended(ranks);
        for rank in [0, 1, 3] {
            let said = all[rank].err.lines().last().expect("an error");
            assert!(!all[rank].status.success() && said.contains("rank "), "{said}");
        }
        let said = all[0].failed(1);
        assert!(said.contains("rank 2 is lost"), "{said}");
    }

    fn a_failed_rank_of_a_meeting_is_named() {
        let _alone = alone();
        let all = all_ended(meet("bad error", "rc"));
        let said = all[0].failed(1);
        assert!(said.contains("its own"), "{said}");
    }
}
