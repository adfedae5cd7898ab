//! A program of collectives: blocking and posted ones, of little and of large data, over the world
//! and over groups that are split from it; and of messages from each rank to the next, as long as their data. Each rank
//! compares what it gets with what it computes itself. In half of the jobs the system refuses one rank to read the memory of
//! others, from some round on.
//!
//! Its heaps are small, so parts of large data do not go at once: a rank offers them, and their
//! receivers read them where they lie. Large messages are lent, or read while their senders copy them. Its eager limit
//! is low, so that ranks combine for each other, also in parts.

use std::cell::Cell;
use std::ops::Range;

use fastrand::Rng;
use runahead::internals::collective::{Combining, Kind};
use runahead::{Comm, Error, Launch, Parts, Result, Tree, ops};

use crate::input::Sizes;
use crate::refused::refuse_reads;

/// A rank posts at most an eighth of it at once, which is less than a part of large data.
const HEAP_BYTES: usize = 256 << 10;

/// An eighth of the heap is more than that for each of 8 ranks, so they give each other parts.
const EAGER_BYTES: usize = 2 << 10;

/// The numbers of elements: of what is deposited, of what fits a message, and of what is offered.
const COUNTS: [Range<usize>; 3] = [1..10, 150..1000, 5000..9000];

/// Makes other numbers of a seed.
const REFUSED: u64 = 0x5eed_0f0f;

/// The plant of a rank that gives other data than it should, as if it had changed them too early.
pub const STALE: &str = "stale";

/// What a rank says that has got other data than it should.
pub const WRONG: &str = "wrong data";

#[derive(Clone, Copy, Debug)]
enum Call {
    Broadcast,
    Reduce,
    AllReduce,
    Scan,
    ExclusiveScan,
    Gather,
    AllGather,
    Scatter,
    ReduceScatter,
    AllToAll,
    AllToAllV,
    /// Each sends to the next, and receives from the one before.
    Shift,
}

const CALLS: [Call; 12] = [
    Call::Broadcast,
    Call::Reduce,
    Call::AllReduce,
    Call::Scan,
    Call::ExclusiveScan,
    Call::Gather,
    Call::AllGather,
    Call::Scatter,
    Call::ReduceScatter,
    Call::AllToAll,
    Call::AllToAllV,
    Call::Shift,
];

/// A call, as all ranks have it.
#[derive(Clone, Copy, Debug)]
struct Step {
    number: u64,
    call: Call,
    is_posted: bool,
    count: usize,
    /// Ranks of the world whose remainder by this is the same make the call together.
    groups: usize,
    /// The root is this member, counted round.
    root: usize,
}

/// All calls, in rounds. Those of a round are under way together.
fn rounds(seed: u64, sizes: &Sizes) -> Vec<Vec<Step>> {
    let mut source = Rng::with_seed(seed);
    let mut number = 0;
    let mut step = |large: bool| {
        number += 1;
        let count = if large { 2 } else { source.usize(..2) };
        // Of the others all do the same, but those that offer are what this is for.
        let call = match large && source.bool() {
            true => {
                [Call::AllToAll, Call::AllToAllV, Call::AllGather, Call::Shift][source.usize(..4)]
            }
            false => CALLS[source.usize(..CALLS.len())],
        };
        Step {
            number,
            call,
            is_posted: source.bool(),
            count: source.usize(COUNTS[count].clone()),
            groups: source.usize(1..=3),
            root: source.usize(..8),
        }
    };
    (0..sizes.rounds).map(|_| [false, true, false].map(&mut step).to_vec()).collect()
}

impl Step {
    fn members(&self, rank: usize, ranks: usize) -> Vec<usize> {
        (rank % self.groups..ranks).step_by(self.groups).collect()
    }

    /// The data of the rank `from`, for the rank `to` where each gets others.
    fn data(&self, from: usize, to: usize, count: usize) -> impl Iterator<Item = u64> + use<> {
        let first = self.number * 0x9e37_79b9 + (from * 1000 + to) as u64 * 0x0100_0001;
        (0..count as u64).map(move |at| first.wrapping_add(at).wrapping_mul(0xff51_afd7_ed55_8ccd))
    }

    /// How many elements the member `from` gives each other one.
    fn count_of(&self, from: usize) -> usize {
        match self.call {
            Call::AllToAllV => self.count - from.min(self.count),
            _ => self.count,
        }
    }

    /// What the member at `own` of `members` gets.
    fn expected(&self, members: &[usize], own: usize) -> Vec<u64> {
        let (all, root) = (0..members.len(), self.root % members.len());
        let same = |from: usize| self.data(members[from], 0, self.count);
        let part =
            |from: usize, to: usize| self.data(members[from], members[to] + 1, self.count_of(from));
        let sum = |from: Range<usize>| {
            let mut sums = vec![0; self.count];
            for from in from {
                sums.iter_mut().zip(same(from)).for_each(|(sum, more)| *sum = add(*sum, more));
            }
            sums
        };
        match self.call {
            Call::Broadcast => same(root).collect(),
            Call::Reduce if own != root => Vec::new(),
            Call::Reduce | Call::AllReduce => sum(all),
            Call::Scan => sum(0..own + 1),
            Call::ExclusiveScan if own == 0 => Vec::new(),
            Call::ExclusiveScan => sum(0..own),
            Call::Gather if own != root => Vec::new(),
            Call::Gather | Call::AllGather => all.flat_map(same).collect(),
            Call::Scatter => part(root, own).collect(),
            Call::ReduceScatter => {
                let mut least: Vec<u64> = part(0, own).collect();
                for from in all {
                    let more = least.iter_mut().zip(part(from, own));
                    more.for_each(|(least, more)| *least = more.min(*least));
                }
                least
            }
            Call::Shift => part(before(own, members.len()), own).collect(),
            Call::AllToAll | Call::AllToAllV => all.flat_map(|from| part(from, own)).collect(),
        }
    }
}

/// Who sends to a member, of so many, in a shift.
fn before(own: usize, members: usize) -> usize {
    (own + members - 1) % members
}

/// An operator that runahead does not know, so it combines copies.
fn add(a: u64, b: u64) -> u64 {
    a.wrapping_add(b)
}

/// One rank's run.
struct Run<'w> {
    world: &'w Comm,
    /// Its groups of every second rank, and of every third.
    groups: [Comm; 2],
    digest: Cell<u64>,
    is_stale: bool,
}

/// A digest of what calls give, in whatever order they end.
fn digest(digest: u64, elements: &[u64]) -> u64 {
    let fold = |digest: u64, element: &u64| (digest ^ element).wrapping_mul(0x100_0000_01b3);
    digest.wrapping_add(elements.iter().fold(0xcbf2_9ce4_8422_2325, fold))
}

impl Run<'_> {
    /// Compares what a call has given.
    fn check(&self, step: &Step, members: &[usize], own: usize, got: &[u64]) -> Result<()> {
        let expected = step.expected(members, own);
        if got != expected {
            let at = got.iter().zip(&expected).position(|(got, expected)| got != expected);
            return Err(Error::other(format!("{WRONG}, at element {at:?}: {step:?}")));
        }
        self.digest.set(digest(self.digest.get(), got));
        Ok(())
    }

    /// Makes the first of these calls, then the rest. Then it waits for the first, if that is a
    /// posted one: behind barriers, too.
    fn make(&self, steps: &[Step]) -> Result<()> {
        let Some((step, rest)) = steps.split_first() else {
            return self.world.barrier().map(drop);
        };
        let rank = self.world.rank();
        let members = step.members(rank, self.world.size());
        let own = members.iter().position(|&member| member == rank).expect("a member");
        let (count, root) = (step.count, step.root % members.len());
        let fresh;
        let comm = match step.groups {
            1 => self.world,
            // Some groups are made for one call.
            2 if step.number.is_multiple_of(8) => {
                fresh = self.world.split((rank % 2) as u32, 0)?;
                &fresh
            }
            groups => &self.groups[groups - 2],
        };
        let is_stale = self.is_stale && step.number > 10;
        let given = Step { number: step.number - u64::from(is_stale), ..*step };
        let same: Vec<u64> = given.data(rank, 0, count).collect();
        let part = |&to: &usize| given.data(rank, to + 1, step.count_of(own)).collect();
        let parts: Vec<Vec<u64>> = members.iter().map(part).collect();
        let slices: Vec<&[u64]> = parts.iter().map(Vec::as_slice).collect();
        let counts: Vec<usize> = (0..members.len()).map(|from| step.count_of(from)).collect();
        let of_root = if own == root { slices.as_slice() } else { &[] };
        let mut room = if own == root { same.clone() } else { vec![0; count] };
        macro_rules! posted {
            ($request:expr) => {{
                let request = $request?;
                self.make(rest)?;
                request.wait()?
            }};
        }
        let got = match (step.call, step.is_posted) {
            (Call::Broadcast, true) => {
                posted!(comm.ibroadcast(root, &mut room));
                room
            }
            (Call::Broadcast, false) => {
                comm.broadcast(root, &mut room)?;
                room
            }
            (Call::Reduce, true) => posted!(comm.ireduce(root, &same, add)).unwrap_or_default(),
            (Call::Reduce, false) => comm.reduce(root, &same, ops::sum)?.unwrap_or_default(),
            (Call::AllReduce, true) => posted!(comm.iall_reduce(&same, add)),
            (Call::AllReduce, false) => comm.all_reduce(&same, ops::sum)?,
            (Call::Scan, true) => posted!(comm.iscan(&same, ops::sum)),
            (Call::Scan, false) => comm.scan(&same, add)?,
            (Call::ExclusiveScan, true) => {
                posted!(comm.iexclusive_scan(&same, ops::sum)).unwrap_or_default()
            }
            (Call::ExclusiveScan, false) => comm.exclusive_scan(&same, add)?.unwrap_or_default(),
            (Call::Gather, true) => {
                posted!(comm.igather(root, &same)).map(Parts::into_data).unwrap_or_default()
            }
            (Call::Gather, false) => {
                comm.gather(root, &same)?.map(Parts::into_data).unwrap_or_default()
            }
            (Call::AllGather, true) => posted!(comm.iall_gather(&same)).into_data(),
            (Call::AllGather, false) => {
                let mut all = vec![0; count * members.len()];
                comm.all_gather_into(&same, &mut all)?;
                all
            }
            (Call::Scatter, true) => posted!(comm.iscatter(root, of_root)),
            (Call::Scatter, false) => comm.scatter(root, of_root)?,
            (Call::ReduceScatter, true) => {
                posted!(comm.ireduce_scatter(&slices.concat(), ops::min))
            }
            (Call::ReduceScatter, false) => comm.reduce_scatter(&slices.concat(), ops::min)?,
            (Call::AllToAll, true) => posted!(comm.iall_to_all(&slices.concat())),
            (Call::AllToAll, false) => comm.all_to_all(&slices.concat())?,
            (Call::AllToAllV, true) => posted!(comm.iall_to_all_v(&slices, &counts)).into_data(),
            (Call::Shift, is_posted) => {
                let (from, to) = (before(own, members.len()), (own + 1) % members.len());
                let tag = step.number as u32;
                if is_posted {
                    let request = comm.irecv::<u64>(from, tag)?;
                    comm.send(to, tag, slices[to])?;
                    self.make(rest)?;
                    request.wait()?.data
                } else {
                    comm.send_receive::<_, u64>(to, tag, slices[to], from, tag)?.data
                }
            }
            (Call::AllToAllV, false) => comm.all_to_all_v(&slices, &counts)?.into_data(),
        };
        self.check(step, &members, own, &got)?;
        if step.is_posted { Ok(()) } else { self.make(rest) }
    }
}

/// How its ranks are launched.
pub fn launch(ranks: usize) -> Launch {
    Launch::new(ranks).heap_bytes(HEAP_BYTES).eager_bytes(EAGER_BYTES)
}

/// From which round on the system refuses this rank to read the memory of others, if it does.
fn refused_from(seed: u64, sizes: &Sizes, (rank, ranks): (usize, usize)) -> Option<usize> {
    let mut source = Rng::with_seed(seed ^ REFUSED);
    let (is_any, victim) = (source.bool(), source.usize(..ranks));
    (is_any && rank == victim).then(|| source.usize(..sizes.rounds))
}

/// Makes all calls at one rank. Returns a digest of what it got.
pub fn work(seed: u64, sizes: &Sizes, world: &Comm, plant: &str) -> Result<u64> {
    let rank = world.rank() as u32;
    let groups = [world.split(rank % 2, 0)?, world.split(rank % 3, 0)?];
    let is_stale = (plant, world.rank()) == (STALE, 1);
    let run = Run { world, groups, digest: Cell::new(0), is_stale };
    let refused = refused_from(seed, sizes, (world.rank(), world.size()));
    for (number, steps) in rounds(seed, sizes).iter().enumerate() {
        if refused == Some(number) {
            refuse_reads().map_err(|error| Error::other(error.to_string()))?;
        }
        run.make(steps)?;
    }
    world.barrier()?.wait()?;
    Ok(run.digest.get())
}

/// The digest of rank 0.
pub fn right(seed: u64, sizes: &Sizes, ranks: usize) -> u64 {
    rounds(seed, sizes)
        .iter()
        .flatten()
        .fold(0, |sum, step| digest(sum, &step.expected(&step.members(0, ranks), 0)))
}

/// A test of the soak: its collectives offer payloads, and receivers read them; ranks combine for each other, all at once
/// and in parts; and there are large messages, posted and not.
pub fn the_collectives_read_payloads_where_they_lie() {
    let read = launch(3).threads().collect(|world| {
        for count in [COUNTS[1].end - 1, COUNTS[2].start] {
            let combining = world.combining(Kind::AllReduce, Tree::Flat, count * size_of::<u64>());
            assert_eq!(combining, Combining::Units, "{count} elements");
        }
        work(5, &Sizes::usual(), world, "")?;
        Ok(world.stats()?.offers_accepted)
    });
    let read = read.expect("nothing disturbs it");
    assert!(read.iter().sum::<u64>() > 0, "{read:?}");
    let is_large = |step: &Step| matches!(step.call, Call::Shift) && step.count >= COUNTS[2].start;
    let shifts: Vec<bool> = rounds(5, &Sizes::usual())
        .iter()
        .flatten()
        .filter(|step| is_large(step))
        .map(|step| step.is_posted)
        .collect();
    assert!(shifts.contains(&true) && shifts.contains(&false), "{shifts:?}");
}
