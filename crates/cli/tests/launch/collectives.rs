//! Large data between processes: collectives of ranks that are killed, and ranks that may not read each other's memory.

use std::cell::Cell;
use std::time::Duration;

use runahead::internals::collective::{Combining, Kind};
use runahead::{Comm, Error, Launch, MessageError, Result, Stats, Tree, ops};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use super::harness::{Test, ended, is_gone, part, succeed, until};
use super::losses::{die, die_asleep};
use super::parts::print;

pub const TESTS: &[Test] = tests![
    "collectives::": [
        those_who_are_left_go_on_without_a_rank_killed_in_a_call,
        those_who_are_left_go_on_without_a_rank_killed_at_any_moment,
        who_has_given_its_data_is_needed_no_more,
        what_may_not_be_read_is_sent_otherwise,
        what_is_lent_and_may_not_be_read_is_copied,
    ],
];

/// So many numbers are 4 MiB.
const LONG: usize = (4 << 20) / 8;

/// With such a heap the parts of an `all_to_all` of 4 MiB do not go at once, so they are offered.
const SMALL_HEAP_BYTES: usize = 1 << 20;

/// One rank's memory for calls.
struct Rooms {
    own: Vec<u64>,
    got: Vec<u64>,
}

impl Rooms {
    fn new() -> Rooms {
        Rooms { own: vec![0; LONG], got: vec![0; LONG] }
    }

    /// Makes a call with other data in each round, and compares what it gives.
    fn call(&mut self, how: &str, world: &Comm, round: u64) -> Result<()> {
        let Rooms { own, got } = self;
        let (rank, size) = (world.rank() as u64, world.size() as u64);
        own.fill(round * 10 + rank);
        if how == "all_reduce" {
            world.all_reduce_into(own, got, ops::sum)?;
            let sum = size * round * 10 + size * (size - 1) / 2;
            assert!(got.iter().all(|&element| element == sum), "round {round}");
            return Ok(());
        }
        let count = LONG / world.size();
        let len = count * world.size();
        world.all_to_all_into(&own[..len], &mut got[..len])?;
        for (from, part) in got[..len].chunks(count).enumerate() {
            let expected = round * 10 + from as u64;
            assert!(part.iter().all(|&element| element == expected), "round {round}");
        }
        Ok(())
    }
}

fn launch(size: usize, how: &str) -> Launch {
    let launch = Launch::new(size);
    if how == "all_to_all" { launch.heap_bytes(SMALL_HEAP_BYTES) } else { launch }
}

/// Rank 1 of 3 is killed while all make such calls, and the others go on without it. It is killed so many
/// microseconds later, or in a call to which rank 0 comes after its end.
pub fn killed(how: &str, delay_us: Option<u64>) -> Result<()> {
    launch(3, how).run(|world| {
        let mut pid = [std::process::id()];
        world.broadcast(1, &mut pid)?;
        let ([pid], mut rooms, warm) = (pid, Rooms::new(), 3);
        (0..warm).try_for_each(|round| rooms.call(how, world, round))?;
        match (world.rank(), delay_us) {
            (1, Some(delay_us)) => drop(std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(delay_us));
                die()
            })),
            (1, None) => drop(std::thread::spawn(move || die_asleep(pid))),
            (0, None) => until(|| is_gone(&pid)),
            _ => {}
        }
        let error = (warm..).find_map(|round| rooms.call(how, world, round).err());
        match error {
            Some(Error::Message(MessageError::PeerLost { rank: 1 })) => {}
            other => return Err(Error::other(format!("rank 1 is lost, and it is {other:?}"))),
        }
        let without = world.group(&[0, 2])?;
        (0..3).try_for_each(|round| rooms.call(how, &without, round))?;
        print(format_args!("rank {} went on", world.rank()));
        Ok(())
    })
}

fn go_on(line: &str) {
    let ended = ended(&mut part(line));
    let message = "Error: rank 1 was killed by signal 9 (SIGKILL)";
    assert_eq!(ended.failed(1), message, "{line}: {ended:?}");
    assert_eq!(ended.err.lines().count(), 1, "{line}: {ended:?}");
    assert_eq!(ended.sorted(), ["rank 0 went on", "rank 2 went on"], "{line}: {ended:?}");
}

/// In an `all_to_all` it has given rank 2 all, and rank 0 only what had room. Rank 0 fails in that call, and rank 2 in the
/// next.
/// SEMANTICS: END-2, FLOW-1
fn those_who_are_left_go_on_without_a_rank_killed_in_a_call() {
    for how in ["all_reduce", "all_to_all"] {
        go_on(&format!("killed-in {how}"));
    }
}

/// One may have all that it needs of the killed rank, and the other not: it fails in an earlier call. What it
/// has for the other it leaves there, and what the other has sent in a later call keeps nothing from coming.
/// SEMANTICS: END-2, FLOW-1, COL-10
fn those_who_are_left_go_on_without_a_rank_killed_at_any_moment() {
    for delay_us in [0, 700, 3_000, 9_000] {
        go_on(&format!("killed-in all_to_all {delay_us}"));
    }
}

/// Rank 1 is killed in its operator in an `all_reduce` of 1 MiB, after so many calls of it: in the middle of a unit that it
/// has claimed. It has given its data, so the others come to the end of that call, which they begin when it has gone. In the
/// next one they need it, and then they go on without it.
pub fn killed_helping(size: usize, calls: usize) -> Result<()> {
    const COUNT: usize = (1 << 20) / 8;
    Launch::new(size).run(|world| {
        let mut pid = [std::process::id()];
        world.broadcast(1, &mut pid)?;
        let ([pid], rank) = (pid, world.rank() as u64);
        let (dies_in, waits) = (Cell::new(None), Cell::new(false));
        let add = |one: u64, other: u64| {
            match dies_in.get() {
                Some(0) => die(),
                calls => dies_in.set(calls.map(|calls| calls - 1)),
            }
            if waits.take() {
                until(|| is_gone(&pid));
            }
            one.wrapping_mul(3).wrapping_add(other)
        };
        let element = |rank: u64, at: u64, round: u64| at.wrapping_mul(rank + 1) ^ round;
        let mut rounds = 0..;
        let mut call = |comm: &Comm, members: &[u64]| -> Result<()> {
            let round = rounds.next().expect("no end");
            let own: Vec<u64> = (0..COUNT as u64).map(|at| element(rank, at, round)).collect();
            let got = comm.all_reduce(&own, add)?;
            let expected = |at| {
                let all = members.iter().map(|&member| element(member, at, round));
                all.reduce(|one, other| one.wrapping_mul(3).wrapping_add(other))
            };
            let is_right = (0..COUNT as u64).all(|at| expected(at) == Some(got[at as usize]));
            assert!(is_right, "round {round} at {rank}");
            Ok(())
        };
        assert_eq!(world.combining(Kind::AllReduce, Tree::Flat, COUNT * 8), Combining::Units);
        let all: Vec<u64> = (0..size as u64).collect();
        (0..3).try_for_each(|_| call(world, &all))?;
        match rank {
            1 => dies_in.set(Some(calls)),
            _ => waits.set(true),
        }
        call(world, &all)?;
        print(format_args!("rank {rank} has all"));
        match call(world, &all) {
            Err(Error::Message(MessageError::PeerLost { rank: 1 })) => {}
            other => return Err(Error::other(format!("rank 1 is lost, and it is {other:?}"))),
        }
        let left: Vec<usize> = (0..size).filter(|&member| member != 1).collect();
        let (without, left) = (world.group(&left)?, [&all[..1], &all[2..]].concat());
        (0..3).try_for_each(|_| call(&without, &left))?;
        print(format_args!("rank {rank} went on"));
        Ok(())
    })
}

/// At the beginning of its first unit, in the middle of it, and after some units: what it has said to have done is copied, and
/// what it has claimed the others do. (Planted: a rank that waits for who has claimed; one that leaves what others have
/// claimed alone; one that tells of a unit when it claims it.)
/// SEMANTICS: COL-11, END-2
fn who_has_given_its_data_is_needed_no_more() {
    for size in [3, 4] {
        for calls in [0, 1_500, 20_000] {
            let line = format!("killed-helping {size} {calls}");
            let ended = ended(&mut part(&line));
            let message = "Error: rank 1 was killed by signal 9 (SIGKILL)";
            assert_eq!(ended.failed(1), message, "{line}: {ended:?}");
            let said =
                |what| [0, 2, 3].map(|rank| format!("rank {rank} {what}"))[..size - 1].to_vec();
            let mut expected = [said("has all"), said("went on")].concat();
            expected.sort_unstable();
            assert_eq!(ended.sorted(), expected, "{line}: {ended:?}");
        }
    }
}

/// From now on the system refuses to let others of this user read the memory of this process, or to
/// let this one read theirs if they do the same.
fn refuse_reads() -> Result<()> {
    let io = |error: rustix::io::Errno| Error::other(std::io::Error::from(error));
    // With this one, root reads all the same.
    let mut own = capabilities(None).map_err(io)?;
    own.effective.remove(CapabilitySet::SYS_PTRACE);
    own.permitted.remove(CapabilitySet::SYS_PTRACE);
    own.inheritable.remove(CapabilitySet::SYS_PTRACE);
    set_capabilities(None, own).map_err(io)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(io)
}

/// Both ranks refuse reads at a moment, and exchange 4 MiB before and after. Prints how many offers were made
/// and accepted in all, before and after.
pub fn refused(when: &str) -> Result<()> {
    let all = launch(2, "all_to_all").collect(|world| {
        let mut rooms = Rooms::new();
        if when == "at-first" {
            refuse_reads()?;
        }
        // So that no rank reads before.
        world.barrier()?.wait()?;
        (0..3).try_for_each(|round| rooms.call("all_to_all", world, round))?;
        world.barrier()?.wait()?;
        let before = world.stats()?;
        if when == "later" {
            refuse_reads()?;
        }
        world.barrier()?.wait()?;
        (3..6).try_for_each(|round| rooms.call("all_to_all", world, round))?;
        let after = world.stats()?;
        let counts = |stats: Stats| [stats.offers, stats.offers_accepted];
        Ok([counts(before), counts(after)])
    })?;
    let sum = |at: usize, which: usize| all.iter().map(|counts| counts[at][which]).sum::<u64>();
    let [made, accepted] = [0, 1].map(|which| [sum(0, which), sum(1, which) - sum(0, which)]);
    print(format_args!("{} {} {} {}", made[0], accepted[0], made[1], accepted[1]));
    Ok(())
}

/// What was offered comes in pieces then. Where reads are refused from the beginning, nothing is offered, since each
/// first tries. Where they are refused later, no offer is accepted any more. (The parts check what they get.)
/// SEMANTICS: COL-10
fn what_may_not_be_read_is_sent_otherwise() {
    let counts = |when: &str| -> Vec<u64> {
        let out = succeed(&mut part(&format!("refused {when}"))).out;
        out.split_whitespace().map(|count| count.parse().expect("a count")).collect()
    };
    assert_eq!(counts("at-first"), [0, 0, 0, 0]);
    let [made, accepted, made_later, accepted_later] = counts("later")[..] else {
        panic!("four counts")
    };
    assert!(accepted > 0 && accepted <= made, "{accepted} of {made}: may processes here be read?");
    assert!(made_later > 0 && accepted_later == 0, "{accepted_later} of {made_later} later");
}

/// Rank 0 lends messages to rank 1, and reads are refused after some of them. It does not call the runtime while rank 1 tries.
/// Prints how many payloads rank 1 has read in its memory before, and in all.
pub fn refused_lent() -> Result<()> {
    const ROUNDS: u64 = 3;
    let all = Launch::new(2).collect(|world| {
        let mut memory = vec![0_u64; 50_000];
        let mut fetched = [0, 0];
        for round in 0..2 * ROUNDS {
            if round == ROUNDS {
                refuse_reads()?;
            }
            if world.rank() == 0 {
                memory.fill(round);
                world.barrier()?.wait()?;
                world.scope(|scope| {
                    scope.isend(1, 1, &memory)?;
                    std::thread::sleep(Duration::from_millis(20));
                    Ok(())
                })?;
                // And one that the call itself waits for.
                world.send(1, 2, &memory)?;
            } else {
                world.barrier()?.wait()?;
                for tag in [1, 2] {
                    memory.fill(u64::MAX);
                    world.recv_into(&mut memory, 0, tag)?;
                    assert!(memory.iter().all(|&element| element == round), "round {round}");
                }
                fetched[usize::from(round >= ROUNDS)] = world.stats()?.payloads_fetched;
            }
        }
        Ok(fetched)
    })?;
    let [before, after] = all[1];
    print(format_args!("{before} {after}"));
    Ok(())
}

/// A rank whose memory may not be read any more is not taken for lost: it copies what it had lent. (Planted: a read that is
/// refused is a peer that is lost.)
/// SEMANTICS: FLOW-4
fn what_is_lent_and_may_not_be_read_is_copied() {
    let out = succeed(&mut part("refused-lent")).out;
    let counts: Vec<u64> = out.split_whitespace().map(|count| count.parse().unwrap()).collect();
    let [before, after] = counts[..] else { panic!("two counts") };
    assert!(before > 0, "may processes here be read?");
    assert_eq!(after, before);
}
