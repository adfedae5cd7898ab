//! Every form of every collective, and of an exchange of messages, once warm. Where the program has room for the result
//! it takes no memory, and no page of it. Elsewhere it asks for memory as often for 4 MiB as for 8 bytes. How
//! many pages that takes is malloc's to say: it may give the memory of a result back to the system, and take it anew.

use super::counting::allocations;
use super::payloads::minor_faults;
use runahead::{Comm, Exchange, Launch, Result, ops};

/// Calls in a measurement.
const CALLS: u64 = 2;
/// So often it is measured, until a measurement is as it should be at all ranks. Before, buffers and queues are used
/// as far as they ever are, for the first time; what each call takes is in each measurement.
const MEASUREMENTS: usize = 30;

/// Memory of the program for all calls: of one rank's data, and of as many blocks as there are ranks.
struct Rooms {
    own: Vec<u64>,
    one: Vec<u64>,
    blocks: Vec<u64>,
    all: Vec<u64>,
}

impl Rooms {
    fn new(rank: usize, size: usize, count: usize) -> Rooms {
        let vec = |count: usize| vec![rank as u64; count];
        let (own, one) = (vec(count), vec(count));
        Rooms { own, one, blocks: vec(count * size), all: vec(count * size) }
    }

    /// The block for each rank.
    fn parts(&self) -> Vec<&[u64]> {
        self.blocks.chunks(self.own.len()).collect()
    }
}

/// A call, with how often it may ask for memory.
type Form = (&'static str, u64, fn(&Comm, &mut Rooms) -> Result<()>);

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

fn neighbours(world: &Comm) -> (usize, usize) {
    let (rank, size) = (world.rank(), world.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

/// What a `Vec` or `Parts` is used for.
fn look<T>(result: T) {
    drop(std::hint::black_box(result));
}

/// Those that fill memory of the program ask for none.
const INTO: [Form; 15] = [
    ("broadcast", 0, |world, rooms| world.broadcast(0, &mut rooms.one)),
    ("reduce_into", 0, |world, rooms| world.reduce_into(0, &rooms.own, &mut rooms.one, ops::sum)),
    ("all_reduce_into", 0, |world, rooms| {
        world.all_reduce_into(&rooms.own, &mut rooms.one, ops::sum)
    }),
    ("all_reduce_into by a closure", 0, |world, rooms| {
        world.all_reduce_into(&rooms.own, &mut rooms.one, |a, b| a.max(b))
    }),
    ("all_reduce_in_place", 0, |world, rooms| world.all_reduce_in_place(&mut rooms.one, ops::max)),
    ("scan_into", 0, |world, rooms| world.scan_into(&rooms.own, &mut rooms.one, ops::sum)),
    ("exclusive_scan_into", 0, |world, rooms| {
        world.exclusive_scan_into(&rooms.own, &mut rooms.one, ops::sum)
    }),
    ("gather_into", 0, |world, rooms| world.gather_into(0, &rooms.own, &mut rooms.all)),
    ("all_gather_into", 0, |world, rooms| world.all_gather_into(&rooms.own, &mut rooms.all)),
    ("scatter_into", 0, |world, rooms| world.scatter_into(0, &rooms.blocks, &mut rooms.one)),
    ("reduce_scatter_into", 0, |world, rooms| {
        world.reduce_scatter_into(&rooms.blocks, &mut rooms.one, ops::sum)
    }),
    ("all_to_all_into", 0, |world, rooms| world.all_to_all_into(&rooms.blocks, &mut rooms.all)),
    ("send_receive_into", 0, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive_into(next, 1, &rooms.own, &mut rooms.one, before, 1).map(drop)
    }),
    ("send_receive_replace", 0, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive_replace(&mut rooms.one, next, 1, before, 1).map(drop)
    }),
    ("wait_into", 0, |world, rooms| {
        let (next, before) = neighbours(world);
        let receive = world.irecv(before, 1)?;
        world.isend(next, 1, &rooms.own)?;
        receive.wait_into(&mut rooms.one).map(drop)
    }),
];

/// Those that give what runahead has asked for: a result, with the lengths of its parts. Where nobody knows how long
/// the parts of others are, their memory grows as they come. (The slices and counts that a call is given are counted.)
const RETURNED: [Form; 14] = [
    ("reduce", 1, |world, rooms| world.reduce(0, &rooms.own, ops::sum).map(look)),
    ("all_reduce", 1, |world, rooms| world.all_reduce(&rooms.own, ops::sum).map(look)),
    ("scan", 1, |world, rooms| world.scan(&rooms.own, add).map(look)),
    ("exclusive_scan", 1, |world, rooms| world.exclusive_scan(&rooms.own, ops::sum).map(look)),
    ("gather", 4, |world, rooms| world.gather(0, &rooms.own).map(look)),
    ("all_gather", 2, |world, rooms| world.all_gather(&rooms.own).map(look)),
    ("scatter", 5, |world, rooms| world.scatter(0, &rooms.parts()).map(look)),
    ("reduce_scatter", 1, |world, rooms| world.reduce_scatter(&rooms.blocks, ops::sum).map(look)),
    ("reduce_scatter_v", 3, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.reduce_scatter_v(&rooms.blocks, &counts, ops::sum).map(look)
    }),
    ("all_to_all", 1, |world, rooms| world.all_to_all(&rooms.blocks).map(look)),
    ("all_to_all_v", 4, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.all_to_all_v(&rooms.parts(), &counts).map(look)
    }),
    ("exchange_parts", 6, |world, rooms| world.exchange_parts(&rooms.parts()).map(look)),
    ("exchange", 3, |world, rooms| {
        world.exchange(&rooms.parts(), Exchange::default(), |_, part| look(part.len()))
    }),
    ("send_receive", 1, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive::<_, u64>(next, 1, &rooms.own, before, 1).map(look)
    }),
];

/// So often for each rank may a nonblocking call ask for memory: for what it awaits, and for copies of what has not left.
const POSTED_PER_RANK: u64 = 8;

/// Nonblocking ones, with how often for each rank.
const POSTED: [Form; 13] = [
    ("ibroadcast", POSTED_PER_RANK, |world, rooms| {
        world.ibroadcast(0, &mut rooms.one)?.wait().map(look)
    }),
    ("ireduce", POSTED_PER_RANK, |world, rooms| {
        world.ireduce(0, &rooms.own, ops::sum)?.wait().map(look)
    }),
    ("iall_reduce", POSTED_PER_RANK, |world, rooms| {
        world.iall_reduce(&rooms.own, ops::sum)?.wait().map(look)
    }),
    ("iscan", POSTED_PER_RANK, |world, rooms| world.iscan(&rooms.own, ops::sum)?.wait().map(look)),
    ("iexclusive_scan", POSTED_PER_RANK, |world, rooms| {
        world.iexclusive_scan(&rooms.own, ops::sum)?.wait().map(look)
    }),
    ("igather", POSTED_PER_RANK, |world, rooms| world.igather(0, &rooms.own)?.wait().map(look)),
    ("iall_gather", POSTED_PER_RANK, |world, rooms| {
        world.iall_gather(&rooms.own)?.wait().map(look)
    }),
    ("iscatter", POSTED_PER_RANK, |world, rooms| {
        world.iscatter(0, &rooms.parts())?.wait().map(look)
    }),
    ("ireduce_scatter", POSTED_PER_RANK, |world, rooms| {
        world.ireduce_scatter(&rooms.blocks, ops::sum)?.wait().map(look)
    }),
    ("ireduce_scatter_v", POSTED_PER_RANK, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.ireduce_scatter_v(&rooms.blocks, &counts, ops::sum)?.wait().map(look)
    }),
    ("iall_to_all", POSTED_PER_RANK, |world, rooms| {
        world.iall_to_all(&rooms.blocks)?.wait().map(look)
    }),
    ("iall_to_all_v", POSTED_PER_RANK, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.iall_to_all_v(&rooms.parts(), &counts)?.wait().map(look)
    }),
    ("iexchange", POSTED_PER_RANK, |world, rooms| {
        world.iexchange(&rooms.parts())?.wait().map(look)
    }),
];

/// Calls it until it asks for memory no more often than `allowed`, and is given fewer pages, in a measurement at all
/// ranks. Returns whether that came about, and the last counts of each rank.
fn is_warm(
    (size, bytes): (usize, usize),
    allowed: (u64, u64),
    call: fn(&Comm, &mut Rooms) -> Result<()>,
) -> (bool, Vec<(u64, u64)>) {
    let counts = Launch::new(size).collect(|world| {
        let mut rooms = Rooms::new(world.rank(), size, bytes / 8);
        let mut calls = || -> Result<()> {
            for _ in 0..CALLS {
                call(world, &mut rooms)?;
                world.barrier()?.wait()?;
            }
            Ok(())
        };
        let (mut count, mut faults) = (0, 0);
        for _ in 0..MEASUREMENTS {
            let (before, mut outcome) = (minor_faults(), Ok(()));
            count = allocations(|| outcome = calls());
            faults = minor_faults() - before;
            outcome?;
            let is_more = u64::from(count > allowed.0 || faults >= allowed.1);
            if world.all_reduce(&[is_more], ops::max)? == [0] {
                return Ok((true, (count, faults)));
            }
        }
        Ok((false, (count, faults)))
    });
    let (are_warm, counts): (Vec<bool>, Vec<_>) = counts.unwrap().into_iter().unzip();
    (are_warm[0], counts)
}

const CASES: [(usize, usize); 5] = [(2, 8), (3, 8), (2, 64 << 10), (3, 64 << 10), (2, 4 << 20)];

/// (Planted: a copy of what is given.)
#[test]
fn calls_into_the_programs_memory_take_none() {
    for (size, bytes) in CASES {
        // New copies of long data would take 16 pages or more. The system may take one away at any time.
        for (name, allowed, call) in INTO {
            let (is_warm, counts) = is_warm((size, bytes), (allowed, 2 * CALLS), call);
            assert!(is_warm, "{name} of {bytes} bytes, {size} ranks: {counts:?}");
        }
    }
}

/// (Planted: a call that asks for memory for each piece.)
#[test]
fn no_call_asks_for_more_memory_for_longer_data() {
    for (size, bytes) in CASES {
        let of_ranks = POSTED.map(|(name, allowed, call)| (name, allowed * size as u64, call));
        for (name, allowed, call) in RETURNED.into_iter().chain(of_ranks) {
            let (is_warm, counts) = is_warm((size, bytes), (allowed * CALLS, u64::MAX), call);
            assert!(is_warm, "{name} of {bytes} bytes, {size} ranks: {counts:?} in {CALLS} calls");
        }
    }
}
