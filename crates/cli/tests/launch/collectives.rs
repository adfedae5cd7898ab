//! Collectives of large data between processes, of which one is killed.

use std::time::Duration;

use runahead::{Comm, Error, Launch, MessageError, Result, ops};

use super::harness::{Test, ended, is_gone, part, until};
use super::losses::{die, die_asleep};
use super::parts::print;

pub const TESTS: &[Test] = tests![
    "collectives::": [
        those_who_are_left_go_on_without_a_rank_killed_in_a_call,
        those_who_are_left_go_on_without_a_rank_killed_at_any_moment,
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
/// next. (Planted: a rank 1 that is not killed.)
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
