//! Ranks that another launcher has started, each process by itself, as `srun`, `mpirun` or `ssh`
//! start them on several hosts. They meet at the address of rank 0. (Here all run on one host.)

use std::net::TcpListener;
use std::process::{Command, Stdio};

use super::harness::{Ended, Running, SIGKILL, Test, ended, kill, part, start, succeed};

/// The tests that need no device: ranks connected by the memory of one host, and wrong settings,
/// which are errors before there is a network.
pub const TESTS: &[Test] = tests![
    "meeting::": [
        wrong_settings_are_named,
        ranks_meet,
        a_killed_rank_is_named,
        a_failed_rank_is_named,
        ranks_learn_of_a_loss_without_rank_0,
    ],
];

/// An address at which no process listens yet.
fn somewhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    port.local_addr().expect("an address").to_string()
}

/// A part as one rank of a meeting, connected by the memory of its host.
fn rank_of(line: &str, rank: usize, size: usize, address: &str) -> Command {
    let mut command = part(line);
    command.env("RUNAHEAD_FABRIC", "shm").env("RUNAHEAD_MEET", address);
    command.env("RUNAHEAD_RANK", rank.to_string()).env("RUNAHEAD_SIZE", size.to_string());
    command
}

fn wrong_settings_are_named() {
    let address = somewhere();
    for (name, value, message) in [
        (
            "RUNAHEAD_MEET",
            "node1",
            "is \"node1\": expected the host and the port of rank 0, as in node1:7117",
        ),
        ("RUNAHEAD_RANK", "2", "is 2: expected 0 to 1"),
        ("RUNAHEAD_SIZE", "two", "is \"two\": expected a whole number from 1"),
    ] {
        let ended = ended(rank_of("ring 2", 0, 2, &address).env(name, value));
        assert_eq!(ended.failed(1), format!("Error: {name} {message}"));
    }
    let alone = ended(part("ring 2").env("RUNAHEAD_MEET", &address).env("RUNAHEAD_SIZE", "2"));
    let message = "is not set: expected it, or what Slurm (SLURM_PROCID, SLURM_NTASKS), Open MPI or a PMI sets";
    assert_eq!(alone.failed(1), format!("Error: RUNAHEAD_RANK {message}"));
    if !cfg!(feature = "ib") {
        let message = "a network of RDMA was asked for, and this program was built without it: runahead has a feature `ib`";
        for fabric in ["ib", "mixed"] {
            let mut command = rank_of("ring 2", 0, 2, &address);
            let ended = ended(command.env("RUNAHEAD_FABRIC", fabric));
            assert_eq!(ended.failed(1), format!("Error: rank 0: {message}"));
        }
    }
    // A wrong option is an error before the rank waits for others.
    let ended_1 = ended(rank_of("ring 2", 1, 2, &address).env("RUNAHEAD_BARRIER", "none"));
    let message = ended_1.failed(1);
    assert!(message.contains("RUNAHEAD_BARRIER is \"none\": expected one of board, "), "{message}");
    // The address belongs to another host: it is reserved for documentation.
    let ended = ended(&mut rank_of("ring 2", 0, 2, "192.0.2.1:7117"));
    let message = ended.failed(1);
    assert!(
        message.starts_with("Error: rank 0: rank 0 cannot meet the others at 192.0.2.1:7117: "),
        "{message}"
    );
    assert!(message.ends_with(": it is to run there"), "{message}");
}

/// Starts all ranks, from the last to the first.
fn meet(line: &str, size: usize, mut on: impl FnMut(&mut Command)) -> Vec<Running> {
    meet_with(line, size, |_, command| on(command))
}

/// The same, with a change to the command of each rank.
fn meet_with(line: &str, size: usize, mut on: impl FnMut(usize, &mut Command)) -> Vec<Running> {
    let address = somewhere();
    let one = |rank: usize| {
        let mut command = rank_of(line, rank, size, &address);
        command.stdin(Stdio::piped());
        on(rank, &mut command);
        start(&mut command)
    };
    let mut ranks: Vec<Running> = (0..size).rev().map(one).collect();
    ranks.reverse();
    ranks
}

/// Ranks that meet and succeed, each with a change to its command.
pub fn of_each(line: &str, size: usize, on: impl FnMut(usize, &mut Command)) -> Vec<Ended> {
    let all = all_ended(meet_with(line, size, on));
    assert!(all.iter().all(|ended| ended.status.success() && ended.err.is_empty()), "{all:?}");
    all
}

fn all_ended(ranks: Vec<Running>) -> Vec<Ended> {
    std::thread::scope(|scope| {
        let ends: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(|| rank.end())).collect();
        ends.into_iter().map(|end| end.join().expect("it ends")).collect()
    })
}

#[track_caller]
fn all_succeed(ranks: Vec<Running>) {
    for ended in all_ended(ranks) {
        assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
    }
}

fn in_memory(_: &mut Command) {}

/// The ranks return megabytes to rank 0. The program asks for 3 ranks, but the launcher decides.
fn ranks_meet() {
    all_succeed(meet("ring 4", 4, in_memory));
    all_succeed(meet("many-values 3", 4, in_memory));
    succeed(&mut rank_of("ring 1", 0, 1, &somewhere()));
}

/// SEMANTICS: END-2
fn a_killed_rank_is_named() {
    killed(meet("rounds 4", 4, in_memory), 2);
    killed(meet("rounds 4", 4, in_memory), 1);
}

/// Kills a rank of the part `rounds`, and checks that all others learn of it.
fn killed(mut ranks: Vec<Running>, lost: usize) {
    for (rank, running) in ranks.iter_mut().enumerate() {
        assert!(running.line().starts_with(&format!("{rank} ")));
    }
    assert!(ranks[0].line().starts_with("round "));
    // Until they have ended: they go on until rank 0 reads a line, or finds the end of it.
    let _input = ranks[0].child.stdin.take();
    kill(ranks[lost].child.id(), SIGKILL);
    let all = all_ended(ranks);
    for rank in (0..all.len()).filter(|rank| *rank != lost) {
        let said = all[rank].err.lines().last();
        let said = said.unwrap_or_else(|| panic!("rank {rank} gave no error: {all:?}"));
        assert!(!all[rank].status.success() && said.contains("rank "), "{said}");
    }
    let said = all[0].failed(1);
    assert!(said.contains(&format!("rank {lost} is lost")), "{said}");
}

fn a_failed_rank_is_named() {
    let all = all_ended(meet("bad error", 3, in_memory));
    assert_eq!(all[0].failed(1), "Error: rank 1: its own");
    // The other ranks end with their own errors.
    assert_eq!(all[1].failed(1), "runahead: rank 1: its own");
    let followed = "runahead: rank 2: rank 1 has ended with an error, and this call needs it";
    assert_eq!(all[2].failed(1), followed);
}

/// No rank needs rank 0, which has the meeting's hub. Ranks of a host notice each other's ends.
/// SEMANTICS: END-2
fn ranks_learn_of_a_loss_without_rank_0() {
    let mut ranks = meet("needs 4 2", 4, in_memory);
    for running in &mut ranks {
        let _pid: u32 = running.line().parse().expect("its number");
    }
    let first = ranks.remove(0);
    kill(first.child.id(), SIGKILL);
    first.end();
    kill(ranks[1].child.id(), SIGKILL);
    let all = all_ended(ranks);
    for (rank, at) in [(1, 0), (3, 2)] {
        let said = "rank 2 is lost: it went without ending its world";
        let line = format!("runahead: rank {rank}: {said}");
        assert!(all[at].err.lines().any(|it| it == line), "{:?}", all[at]);
    }
}

/// The tests in the emulated machine.
#[cfg(feature = "ib")]
pub mod by_rdma {
    use super::*;
    use crate::mixed::Place;
    use crate::rdma::{RANK, alone, over_rdma};
    use runahead::Algorithm;

    pub const TESTS: &[Test] = tests![
        "rdma::": [
            ranks_meet,
            a_killed_rank_of_a_meeting_is_named,
            a_failed_rank_of_a_meeting_is_named,
        ],
        "mixed::": [
            ranks_of_two_hosts_meet,
            a_killed_rank_of_two_hosts_is_named,
            hosts_apart_run_every_algorithm_and_flood_and_leave_early,
        ],
    ];

    /// Starts all ranks, with a device for each.
    fn meet_by(line: &str, transport: &str) -> Vec<Running> {
        meet(line, 4, |command| {
            over_rdma(command.env("RUNAHEAD_IB_TRANSPORT", transport));
        })
    }

    /// As [`meet`] on two hosts: each rank is told the name of its own.
    fn meet_on_two_hosts(line: &str) -> Vec<Running> {
        meet_on_two_hosts_with(line, |_| {})
    }

    fn meet_on_two_hosts_with(line: &str, on: impl Fn(&mut Command)) -> Vec<Running> {
        let mut rank = 4;
        meet(line, 4, |command| {
            on(command);
            rank -= 1;
            over_rdma(command).env("RUNAHEAD_FABRIC", "mixed");
            command.env("RUNAHEAD_HOST_ID", ["one", "one", "other", "other"][rank]);
        })
    }

    fn ranks_meet() {
        let _alone = alone();
        all_succeed(meet_by("ring 4", "rc"));
        all_succeed(meet_by("ring 4", "ud"));
        all_succeed(meet_by("many-values 3", "rc"));
        succeed(over_rdma(&mut rank_of("ring 1", 0, 1, &somewhere())));
    }

    /// SEMANTICS: END-2
    fn a_killed_rank_of_a_meeting_is_named() {
        let _alone = alone();
        killed(meet_by("rounds 4", "rc"), RANK);
    }

    fn a_failed_rank_of_a_meeting_is_named() {
        let _alone = alone();
        let all = all_ended(meet_by("bad error", "rc"));
        let said = all[0].failed(1);
        assert!(said.contains("its own"), "{said}");
    }

    /// Each host has its own shared memory, which ranks of the other host do not map.
    fn ranks_of_two_hosts_meet() {
        let _alone = alone();
        let mut ranks = meet_on_two_hosts("rounds 4");
        assert!(ranks[3].line().starts_with("3 "));
        let [same, other] = [2, 0].map(|rank: usize| memory_of(ranks[rank].child.id()));
        assert_eq!(memory_of(ranks[3].child.id()), same);
        assert_ne!(same, other);
        for _ in 0..3 {
            assert!(!ranks[0].line().is_empty());
        }
        ranks[0].say("\n");
        all_succeed(ranks);
        // Hosts that are named by a list, and a single host.
        for (hosts, shared) in [("a,b,a,b", false), ("1x4", true)] {
            let mut ranks = meet("needs 4 2", 4, |command| {
                over_rdma(command).env("RUNAHEAD_FABRIC", "mixed").env("RUNAHEAD_HOSTS", hosts);
            });
            ranks.iter_mut().for_each(|rank| drop(rank.line()));
            let memory: Vec<_> = ranks.iter().map(|rank| memory_of(rank.child.id())).collect();
            assert_eq!((&memory[0], &memory[1]), (&memory[2], &memory[3]));
            assert_eq!(memory[0] == memory[1], shared);
            ranks.iter().for_each(|rank| kill(rank.child.id(), SIGKILL));
            all_ended(ranks);
        }
    }

    /// With no memory that all ranks share: every algorithm, a flood from host to host, and ranks
    /// that leave early. SEMANTICS: BAR-1, FLOW-1, END-1
    fn hosts_apart_run_every_algorithm_and_flood_and_leave_early() {
        let _alone = alone();
        let named = Algorithm::ALL.map(|algorithm| algorithm.to_string());
        for algorithm in named.iter().map(String::as_str).chain(["auto"]) {
            let ranks = meet_on_two_hosts_with("ring 4", |command| {
                command.env("RUNAHEAD_BARRIER", algorithm).env("RUNAHEAD_TUNE_CACHE", "off");
            });
            for ended in all_ended(ranks) {
                assert!(ended.status.success() && ended.err.is_empty(), "{algorithm}: {ended:?}");
            }
        }
        let place = Place::new("flood-apart");
        let ended = all_ended(meet_on_two_hosts(&format!("flood {}", place.display())));
        let said = ended.iter().map(|rank| (rank.out.trim(), rank.err.as_str()));
        let barriers = ("barriers are done", "");
        let expected = [("was refused", ""), barriers, ("all has come in order", ""), barriers];
        assert_eq!(said.collect::<Vec<_>>(), expected);
        for round in 0..8 {
            all_succeed(meet_on_two_hosts(&format!("leave-early {} {round}", round + 1)));
        }
    }

    /// The files of shared memory that a process maps.
    fn memory_of(pid: u32) -> Vec<String> {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("it is there");
        let of_job = maps.lines().filter(|line| line.contains("/memfd:runahead "));
        let mut files: Vec<_> =
            of_job.map(|line| line.split_whitespace().nth(4).expect("a file").to_owned()).collect();
        files.sort();
        files.dedup();
        assert_eq!(files.len(), 1, "{maps}");
        files
    }

    /// One rank of each host, in turn.
    /// SEMANTICS: END-2
    fn a_killed_rank_of_two_hosts_is_named() {
        let _alone = alone();
        killed(meet_on_two_hosts("rounds 4"), RANK);
        killed(meet_on_two_hosts("rounds 4"), 1);
    }
}
