//! Every form of every collective, and of messages between two ranks, once warm. Where the program has room for the result
//! it takes no memory, and no page of it. Elsewhere it asks for memory as often for 4 MiB as for 8 bytes, for no more than the
//! result has, and takes no more pages. (Malloc may give the memory of a result back to the system, and take it anew.)

use super::counting::{allocations, asked_bytes};
use super::payloads::minor_faults;
use runahead::zerocopy::IntoBytes;
use runahead::{Comm, Exchange, Launch, Pending, Result, ops};
use runahead_testkit::effort::bound;

/// Calls in a measurement.
const CALLS: u64 = 2;
/// So many measurements in turn are to be as they should at all ranks, of calls that hand over no memory: what every few
/// calls take is in one of them. Of the others one is: malloc gives memory of results back now and then.
const IN_TURN: usize = 8;
/// So often it is measured at most. At first, buffers and queues are used as far as they ever are, for the first time.
const MEASUREMENTS: usize = 120;

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

/// A call, with how often it may ask for memory, and the most that it hands over.
type Form = (&'static str, u64, Gives, fn(&Comm, &mut Rooms) -> Result<()>);

/// What a call hands to the program, beside what lies in the program's memory.
#[derive(Clone, Copy)]
enum Gives {
    Nothing,
    /// As much as the data of one rank.
    OfOne,
    /// As much as those of all.
    OfAll,
}

/// The pages that memory of a thread begins with and ends in.
const PAGE_BYTES: usize = 4096;

impl Gives {
    /// How long it is, where data of a rank have so many bytes.
    fn bytes(self, (size, bytes): (usize, usize)) -> usize {
        match self {
            Gives::Nothing => 0,
            Gives::OfOne => bytes,
            Gives::OfAll => bytes * size,
        }
    }

    /// The pages of its memory. Less than a page lies where other such data have lain.
    fn pages(self, case: (usize, usize)) -> u64 {
        let bytes = self.bytes(case);
        if bytes < PAGE_BYTES { 0 } else { bytes.div_ceil(PAGE_BYTES) as u64 + 1 }
    }
}

fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

fn neighbours(world: &Comm) -> (usize, usize) {
    let (rank, size) = (world.rank(), world.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

/// Around a ring of ranks whose sends may wait for their receivers: ranks of even number send first.
fn in_turn(
    world: &Comm,
    send: impl FnOnce() -> Result<()>,
    receive: impl FnOnce() -> Result<()>,
) -> Result<()> {
    match world.rank() % 2 {
        0 => send().and_then(|()| receive()),
        _ => receive().and_then(|()| send()),
    }
}

/// What a `Vec` or `Parts` is used for.
fn look<T>(result: T) {
    drop(std::hint::black_box(result));
}

/// Those that fill memory of the program ask for none.
const INTO: [Form; 25] = [
    ("broadcast", 0, Gives::Nothing, |world, rooms| world.broadcast(0, &mut rooms.one)),
    ("reduce_into", 0, Gives::Nothing, |world, rooms| {
        world.reduce_into(0, &rooms.own, &mut rooms.one, ops::sum)
    }),
    ("all_reduce_into", 0, Gives::Nothing, |world, rooms| {
        world.all_reduce_into(&rooms.own, &mut rooms.one, ops::sum)
    }),
    ("all_reduce_into by a closure", 0, Gives::Nothing, |world, rooms| {
        world.all_reduce_into(&rooms.own, &mut rooms.one, |a, b| a.max(b))
    }),
    ("all_reduce_in_place", 0, Gives::Nothing, |world, rooms| {
        world.all_reduce_in_place(&mut rooms.one, ops::max)
    }),
    ("scan_into", 0, Gives::Nothing, |world, rooms| {
        world.scan_into(&rooms.own, &mut rooms.one, ops::sum)
    }),
    ("exclusive_scan_into", 0, Gives::Nothing, |world, rooms| {
        world.exclusive_scan_into(&rooms.own, &mut rooms.one, ops::sum)
    }),
    ("gather_into", 0, Gives::Nothing, |world, rooms| {
        world.gather_into(0, &rooms.own, &mut rooms.all)
    }),
    ("all_gather_into", 0, Gives::Nothing, |world, rooms| {
        world.all_gather_into(&rooms.own, &mut rooms.all)
    }),
    ("scatter_into", 0, Gives::Nothing, |world, rooms| {
        world.scatter_into(0, &rooms.blocks, &mut rooms.one)
    }),
    ("reduce_scatter_into", 0, Gives::Nothing, |world, rooms| {
        world.reduce_scatter_into(&rooms.blocks, &mut rooms.one, ops::sum)
    }),
    ("all_to_all_into", 0, Gives::Nothing, |world, rooms| {
        world.all_to_all_into(&rooms.blocks, &mut rooms.all)
    }),
    ("send_receive_into", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive_into(next, 1, &rooms.own, &mut rooms.one, before, 1).map(drop)
    }),
    ("send_receive_replace", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive_replace(&mut rooms.one, next, 1, before, 1).map(drop)
    }),
    ("send, recv_into", 0, Gives::Nothing, |world, rooms| {
        let Rooms { own, one, .. } = rooms;
        let (next, before) = neighbours(world);
        in_turn(world, || world.send(next, 1, own), || world.recv_into(one, before, 1).map(drop))
    }),
    ("send_bytes, probe", 0, Gives::Nothing, |world, rooms| {
        let Rooms { own, one, .. } = rooms;
        let (next, before) = neighbours(world);
        let receive = || {
            assert_eq!(world.probe(before, 1)?.bytes, size_of_val(&one[..]));
            world.recv_into(one.as_mut_bytes(), before, 1).map(drop)
        };
        in_turn(world, || world.send_bytes(next, 1, own.as_bytes()), receive)
    }),
    ("try_send", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        while !world.try_send(next, 1, &rooms.own)? {}
        while world.try_probe(before, 1)?.is_none() {}
        world.recv_into(&mut rooms.one, before, 1).map(drop)
    }),
    ("isend", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let sent = world.isend(next, 1, &rooms.own)?;
        world.recv_into(&mut rooms.one, before, 1)?;
        sent.wait()
    }),
    ("isend_owned", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let sent = world.isend_owned(next, 1, std::mem::take(&mut rooms.own))?;
        world.recv_into(&mut rooms.one, before, 1)?;
        rooms.own = sent.wait()?;
        Ok(())
    }),
    ("isend in a scope", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        world.scope(|scope| {
            scope.isend(next, 1, &rooms.own)?;
            world.recv_into(&mut rooms.one, before, 1).map(drop)
        })
    }),
    ("irecv_into in a scope", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let Rooms { own, one, .. } = rooms;
        world.scope(|scope| {
            let received = scope.irecv_into(one, before, 1)?;
            scope.isend(next, 1, own)?;
            received.wait().map(drop)
        })
    }),
    ("wait_all", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let (receive, sent) = (world.irecv::<u64>(before, 1)?, world.isend(next, 1, &rooms.own)?);
        let both: [&dyn Pending; 2] = [&receive, &sent];
        world.wait_all(&both)?;
        receive.wait_into(&mut rooms.one).map(drop)
    }),
    ("wait_any", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let (receive, sent) = (world.irecv::<u64>(before, 1)?, world.isend(next, 1, &rooms.own)?);
        let both: [&dyn Pending; 2] = [&receive, &sent];
        world.wait_any(&both)?;
        receive.wait_into(&mut rooms.one).map(drop)
    }),
    ("test", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let (receive, sent) = (world.irecv::<u64>(before, 1)?, world.isend(next, 1, &rooms.own)?);
        while !(receive.test()? && sent.test()?) {}
        receive.wait_into(&mut rooms.one).map(drop)
    }),
    ("wait_into", 0, Gives::Nothing, |world, rooms| {
        let (next, before) = neighbours(world);
        let receive = world.irecv(before, 1)?;
        world.isend(next, 1, &rooms.own)?;
        receive.wait_into(&mut rooms.one).map(drop)
    }),
];

/// Those that give what runahead has asked for: a result, with the lengths of its parts. Where nobody knows how long
/// the parts of others are, their memory grows as they come. (The slices and counts that a call is given are counted.)
const RETURNED: [Form; 18] = [
    ("reduce", 1, Gives::OfOne, |world, rooms| world.reduce(0, &rooms.own, ops::sum).map(look)),
    ("all_reduce", 1, Gives::OfOne, |world, rooms| {
        world.all_reduce(&rooms.own, ops::sum).map(look)
    }),
    ("scan", 1, Gives::OfOne, |world, rooms| world.scan(&rooms.own, add).map(look)),
    ("exclusive_scan", 1, Gives::OfOne, |world, rooms| {
        world.exclusive_scan(&rooms.own, ops::sum).map(look)
    }),
    ("gather", 4, Gives::OfAll, |world, rooms| world.gather(0, &rooms.own).map(look)),
    ("all_gather", 2, Gives::OfAll, |world, rooms| world.all_gather(&rooms.own).map(look)),
    ("scatter", 5, Gives::OfOne, |world, rooms| world.scatter(0, &rooms.parts()).map(look)),
    ("reduce_scatter", 1, Gives::OfOne, |world, rooms| {
        world.reduce_scatter(&rooms.blocks, ops::sum).map(look)
    }),
    ("reduce_scatter_v", 3, Gives::OfOne, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.reduce_scatter_v(&rooms.blocks, &counts, ops::sum).map(look)
    }),
    ("all_to_all", 1, Gives::OfAll, |world, rooms| world.all_to_all(&rooms.blocks).map(look)),
    ("all_to_all_v", 4, Gives::OfAll, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.all_to_all_v(&rooms.parts(), &counts).map(look)
    }),
    ("exchange_parts", 6, Gives::OfAll, |world, rooms| {
        world.exchange_parts(&rooms.parts()).map(look)
    }),
    ("exchange", 3, Gives::OfAll, |world, rooms| {
        world.exchange(&rooms.parts(), Exchange::default(), |_, part| look(part.len()))
    }),
    ("send, recv", 1, Gives::OfOne, |world, rooms| {
        let (next, before) = neighbours(world);
        let receive = || world.recv::<u64>(before, 1).map(look);
        in_turn(world, || world.send(next, 1, &rooms.own), receive)
    }),
    ("isend, recv_bytes", 1, Gives::OfOne, |world, rooms| {
        let (next, before) = neighbours(world);
        world.isend(next, 1, &rooms.own)?;
        world.recv_bytes(before, 1).map(look)
    }),
    ("isend, try_recv", 1, Gives::OfOne, |world, rooms| {
        let (next, before) = neighbours(world);
        world.isend(next, 1, &rooms.own)?;
        loop {
            if let Some(message) = world.try_recv::<u64>(before, 1)? {
                look(message);
                return Ok(());
            }
        }
    }),
    ("irecv, isend", 1, Gives::OfOne, |world, rooms| {
        let (next, before) = neighbours(world);
        let receive = world.irecv::<u64>(before, 1)?;
        world.isend(next, 1, &rooms.own)?;
        receive.wait().map(look)
    }),
    ("send_receive", 1, Gives::OfOne, |world, rooms| {
        let (next, before) = neighbours(world);
        world.send_receive::<_, u64>(next, 1, &rooms.own, before, 1).map(look)
    }),
];

/// So often for each rank may a nonblocking call ask for memory: for what it awaits, and for copies of what has not left.
const POSTED_PER_RANK: u64 = 8;

/// Nonblocking ones, with how often for each rank.
const POSTED: [Form; 13] = [
    ("ibroadcast", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.ibroadcast(0, &mut rooms.one)?.wait().map(look)
    }),
    ("ireduce", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.ireduce(0, &rooms.own, ops::sum)?.wait().map(look)
    }),
    ("iall_reduce", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.iall_reduce(&rooms.own, ops::sum)?.wait().map(look)
    }),
    ("iscan", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.iscan(&rooms.own, ops::sum)?.wait().map(look)
    }),
    ("iexclusive_scan", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.iexclusive_scan(&rooms.own, ops::sum)?.wait().map(look)
    }),
    ("igather", POSTED_PER_RANK, Gives::OfAll, |world, rooms| {
        world.igather(0, &rooms.own)?.wait().map(look)
    }),
    ("iall_gather", POSTED_PER_RANK, Gives::OfAll, |world, rooms| {
        world.iall_gather(&rooms.own)?.wait().map(look)
    }),
    ("iscatter", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.iscatter(0, &rooms.parts())?.wait().map(look)
    }),
    ("ireduce_scatter", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        world.ireduce_scatter(&rooms.blocks, ops::sum)?.wait().map(look)
    }),
    ("ireduce_scatter_v", POSTED_PER_RANK, Gives::OfOne, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.ireduce_scatter_v(&rooms.blocks, &counts, ops::sum)?.wait().map(look)
    }),
    ("iall_to_all", POSTED_PER_RANK, Gives::OfAll, |world, rooms| {
        world.iall_to_all(&rooms.blocks)?.wait().map(look)
    }),
    ("iall_to_all_v", POSTED_PER_RANK, Gives::OfAll, |world, rooms| {
        let counts = vec![rooms.own.len(); world.size()];
        world.iall_to_all_v(&rooms.parts(), &counts)?.wait().map(look)
    }),
    ("iexchange", POSTED_PER_RANK, Gives::OfAll, |world, rooms| {
        world.iexchange(&rooms.parts())?.wait().map(look)
    }),
];

/// How often a call asks for memory, for how many bytes, and how many pages it is given.
type Counts = [u64; 3];

/// Beside its result a call asks for so many bytes at most each time: lists of what it awaits.
const LIST_BYTES: u64 = 1 << 10;

/// Calls it until it asks for memory no more often than `allowed`, for no more, and is given no more pages, in some
/// measurements in turn at all ranks. Returns whether that came about, and the last counts of each rank.
fn is_warm(
    (size, bytes): (usize, usize),
    (allowed, wanted): (Counts, usize),
    call: fn(&Comm, &mut Rooms) -> Result<()>,
) -> (bool, Vec<Counts>) {
    let counts = Launch::new(size).collect(|world| {
        let mut rooms = Rooms::new(world.rank(), size, bytes / 8);
        let mut calls = || -> Result<()> {
            for _ in 0..CALLS {
                call(world, &mut rooms)?;
                world.barrier()?.wait()?;
            }
            Ok(())
        };
        let (mut counts, mut in_turn) = ([0; 3], 0);
        for _ in 0..MEASUREMENTS {
            let (before, asked, mut outcome) = (minor_faults(), asked_bytes(), Ok(()));
            let count = allocations(|| outcome = calls());
            counts = [count, asked_bytes() - asked, minor_faults() - before];
            outcome?;
            let is_more = u64::from(counts.iter().zip(allowed).any(|(&count, most)| count > most));
            let is_warm = world.all_reduce(&[is_more], ops::max)? == [0];
            in_turn = if is_warm { in_turn + 1 } else { 0 };
            if in_turn == wanted {
                return Ok((true, counts));
            }
        }
        Ok((false, counts))
    });
    let (are_warm, counts): (Vec<bool>, Vec<_>) = counts.unwrap().into_iter().unzip();
    (are_warm[0], counts)
}

/// How many ranks, and bytes of each. Quick tests have the first two.
const CASES: [(usize, usize); 5] = [(2, 8), (3, 64 << 10), (2, 4 << 20), (3, 8), (2, 64 << 10)];

/// Checks each of these, which may ask for memory `times` as often in a world of so many ranks.
fn check(forms: &[Form], times: impl Fn(usize) -> u64) {
    let mut failed = Vec::new();
    for &case @ (size, bytes) in bound([&CASES[..2], &CASES, &CASES]) {
        for &(name, allocations, gives, call) in forms {
            let asks = allocations * times(size);
            let most_bytes = gives.bytes(case) as u64 + asks * LIST_BYTES;
            let allowed = [asks, most_bytes, gives.pages(case)].map(|each| each * CALLS);
            let in_turn = if matches!(gives, Gives::Nothing) { IN_TURN } else { 1 };
            let (is_warm, counts) = is_warm(case, (allowed, in_turn), call);
            if !is_warm {
                failed.push(format!(
                    "{name} of {bytes} bytes, {size} ranks: {counts:?}, allowed {allowed:?}"
                ));
            }
        }
    }
    assert!(failed.is_empty(), "in {CALLS} calls:\n{}", failed.join("\n"));
}

/// (Planted: a copy of what is given.)
#[test]
fn calls_into_the_programs_memory_take_none() {
    check(&INTO, |_| 1);
}

/// (Planted: a call that asks for memory for each piece.)
#[test]
fn no_call_asks_for_more_memory_for_longer_data() {
    check(&RETURNED, |_| 1);
}

/// The same of calls that do not wait.
#[test]
fn no_nonblocking_call_asks_for_more_memory_for_longer_data() {
    check(&POSTED, |size| size as u64);
}
