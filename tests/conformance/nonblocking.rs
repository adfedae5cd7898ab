//! Collectives that return at once: every one against what a sequential program computes, several
//! pending at a time, completed in every way and order, among everything else that a program does.

use runahead::internals::collective::posted::Assembly;
use runahead::internals::verbs::Nic;
use runahead::{CollectiveRequest, Comm, Exchange, Parts, Result, Source, Tree, ops};

use crate::harness::{Case, Host, Step, World};

const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// An affine map modulo 2^64: composition is associative and not commutative, so that a wrong order
/// shows.
type Map = [u64; 2];

fn then(first: Map, second: Map) -> Map {
    let [a, b] = first;
    let [c, d] = second;
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

/// Element `at` of the data of `rank`.
fn map(rank: usize, at: usize) -> Map {
    [(2 * rank + 3) as u64, (rank * 1000 + at) as u64]
}

fn maps(rank: usize, count: usize) -> Vec<Map> {
    (0..count).map(|at| map(rank, at)).collect()
}

/// The combination of element `at` of these ranks.
fn folded(ranks: impl Iterator<Item = usize>, at: usize) -> Map {
    ranks.map(|rank| map(rank, at)).reduce(then).expect("a rank")
}

fn values(from: usize, to: usize, count: usize) -> Vec<u32> {
    (0..count).map(|at| (from * 1_000_000 + to * 10_000 + at) as u32).collect()
}

/// A call that was made, and what must come of it.
trait Pending {
    fn test(&mut self) -> Result<bool>;
    fn check(self: Box<Self>) -> Result<()>;
}

struct Expecting<A: Assembly, N: Nic, C> {
    request: CollectiveRequest<A, N>,
    check: C,
}

impl<A: Assembly, N: Nic, C: FnOnce(A::Output)> Pending for Expecting<A, N, C> {
    fn test(&mut self) -> Result<bool> {
        self.request.test()
    }

    fn check(self: Box<Self>) -> Result<()> {
        (self.check)(self.request.wait()?);
        Ok(())
    }
}

fn expecting<'p, A: Assembly + 'p, N: Nic>(
    request: CollectiveRequest<A, N>,
    check: impl FnOnce(A::Output) + 'p,
) -> Box<dyn Pending + 'p> {
    Box::new(Expecting { request, check })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Completing {
    InOrder,
    InReverse,
    Polling,
}
use Completing::*;

fn complete(mut pending: Vec<Box<dyn Pending + '_>>, how: Completing) -> Result<()> {
    if how == InReverse {
        pending.reverse();
    }
    while how == Polling
        && pending.iter_mut().map(|next| next.test()).collect::<Result<Vec<_>>>()?.contains(&false)
    {
        std::thread::yield_now();
    }
    pending.into_iter().try_for_each(|next| next.check())
}

/// Makes every call, does something `between`, and completes them.
fn every_call<N: Nic>(
    world: &Comm<N>,
    root: usize,
    count: usize,
    how: Completing,
    between: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let own = maps(rank, count);
    let mut filled = own.clone();
    let behind_root = move || (root..size).chain(0..root);
    let each = move |fold: &dyn Fn(usize) -> Map| (0..count).map(fold).collect::<Vec<_>>();
    // So much has `from` for `to`, where it need not be the same for all.
    let amount = move |from: usize, to: usize| count * ((from + 2 * to) % 3) / 2;
    let outgoing: Vec<Vec<u32>> = (0..size).map(|to| values(rank, to, amount(rank, to))).collect();
    let slices: Vec<&[u32]> = outgoing.iter().map(Vec::as_slice).collect();
    let counts: Vec<usize> = (0..size).map(|from| amount(from, rank)).collect();
    let mine = &slices[root];
    let is = |parts: &Parts<u32>, to: usize| {
        let expected = (0..size).map(|from| values(from, to, amount(from, to)));
        assert!(parts.iter().eq(expected), "{parts:?}");
    };
    let blocks: Vec<u32> = (0..size).flat_map(|to| values(rank, to, count)).collect();
    let block_maps = maps(rank, size * count);
    let shares: Vec<usize> = (0..size).map(|to| amount(1, to)).collect();
    let share_maps = maps(rank, shares.iter().sum());
    let before: usize = shares[..rank].iter().sum();

    let pending = vec![
        expecting(world.ibroadcast(root, &mut filled)?, |()| {}),
        expecting(world.ireduce(root, &own, then)?, |total| {
            let expected = || each(&|at| folded(behind_root(), at));
            assert_eq!(total, (rank == root).then(expected));
        }),
        expecting(world.iall_reduce(&own, then)?, |total| {
            assert_eq!(total, each(&|at| folded(0..size, at)));
        }),
        expecting(world.iscan(&own, then)?, |through| {
            assert_eq!(through, each(&|at| folded(0..rank + 1, at)));
        }),
        expecting(world.iexclusive_scan(&own, then)?, |lower| {
            assert_eq!(lower, (rank > 0).then(|| each(&|at| folded(0..rank, at))));
        }),
        expecting(world.igather(root, mine)?, |parts| {
            assert_eq!(parts.is_some(), rank == root);
            parts.iter().for_each(|parts| is(parts, root));
        }),
        expecting(world.iall_gather(mine)?, |parts| is(&parts, root)),
        expecting(world.iscatter(root, if rank == root { &slices } else { &[] })?, |part| {
            assert_eq!(part, values(root, rank, amount(root, rank)));
        }),
        expecting(world.ireduce_scatter(&block_maps, then)?, |block| {
            let own = rank * count..(rank + 1) * count;
            assert_eq!(block, own.map(|at| folded(0..size, at)).collect::<Vec<_>>());
        }),
        expecting(world.iall_to_all(&blocks)?, |transposed| {
            let expected = (0..size).flat_map(|from| values(from, rank, count));
            assert!(transposed.into_iter().eq(expected));
        }),
        expecting(world.iall_to_all_v(&slices, &counts)?, |parts| is(&parts, rank)),
        expecting(world.ireduce_scatter_v(&share_maps, &shares, then)?, |block| {
            let own = before..before + shares[rank];
            assert_eq!(block, own.map(|at| folded(0..size, at)).collect::<Vec<_>>());
        }),
        expecting(world.iexchange(&slices)?, |parts| is(&parts, rank)),
    ];
    between()?;
    complete(pending, how)?;
    assert_eq!(filled, maps(root, count));
    Ok(())
}

/// Every call, with all of them pending at once, from empty to above the eager limit; with windows of
/// one, and whatever tree others are called with. Barriers between change nothing.
/// SEMANTICS: COL-3, COL-8, FLOW-1
fn results_are_those_of_the_oracle(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 300;
        config.segment_bytes = 500;
        case.run_with(&config, size, |world, step| {
            world.set_tree(Tree::Binary);
            for (number, count) in [0, 1, 14, 200].into_iter().enumerate() {
                for (turn, how) in [InOrder, InReverse, Polling].into_iter().enumerate() {
                    if !case.has_part(size + number * 3 + turn) {
                        continue;
                    }
                    let root = (number + turn) % size;
                    step.to(format!("{how:?}, root {root}, {count} elements"));
                    every_call(world, root, count, how, || {
                        if turn > 0 {
                            world.barrier()?;
                        }
                        Ok(())
                    })?;
                    if turn == 1 {
                        world.barrier()?;
                    }
                }
            }
            Ok(())
        });
    }
}

/// Blocking collectives, messages of the program and barriers, while all are pending; and the same in
/// groups at the same time.
/// SEMANTICS: COL-8, ORD-1, ORD-2
fn everything_else_goes_on_while_they_are_pending(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 300;
        case.run_with(&config, size, |world, step| {
            let rank = world.rank();
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            step.to("making groups");
            let half = world.split((rank % 2) as u32, -(rank as i64))?;
            let twin = world.dup()?;
            for count in [1, 100] {
                for how in [InOrder, InReverse, Polling] {
                    let root = count % size;
                    let between = || {
                        step.to("sending and receiving");
                        world.isend(next, 1, &[rank; 3])?;
                        world.barrier()?;
                        world.isend(next, 2, &vec![rank; 100])?;
                        assert_eq!(world.recv::<usize>(previous, 1)?.data, [previous; 3]);
                        assert_eq!(world.recv::<usize>(Source::Any, 2)?.source, previous);
                        step.to("blocking collectives");
                        let sum = world.reduce(root, &[rank], |a, b| a + b)?;
                        assert_eq!(sum, (rank == root).then(|| vec![size * (size - 1) / 2]));
                        let mut data = vec![rank; 90];
                        world.broadcast(root, &mut data)?;
                        assert_eq!(data, [root; 90]);
                        let all = [rank; 2];
                        let outgoing = vec![all.as_slice(); size];
                        let mut heard = 0;
                        world.exchange(&outgoing, Exchange::FirstArrived, |from, piece| {
                            heard += usize::from(piece == [from; 2]);
                        })?;
                        assert_eq!(heard, size);
                        Ok(())
                    };
                    step.to(format!("{how:?}, {count} elements, in groups"));
                    every_call(world, root, count, how, || {
                        every_call(&half, 0, count, how, || {
                            twin.barrier()?;
                            every_call(&twin, root, count, how, between)
                        })
                    })?;
                }
            }
            Ok(())
        });
    }
}

/// Many of one kind are pending at once: more than the window, completed last first.
/// SEMANTICS: COL-8, FLOW-1
fn more_may_be_pending_than_the_window_holds(case: &Case) {
    for size in [2, 3, 5] {
        let mut config = case.config(size);
        config.window_messages = config.window_messages.min(4);
        config.eager_bytes = 200;
        case.run_with(&config, size, |world, step| {
            step.to("calling");
            let call = |number: usize| {
                let length = if number % 10 == 9 { 200 } else { 2 };
                world.iall_reduce(&vec![number + world.rank(); length], |a, b| a + b)
            };
            let mut pending = (0..60).map(call).collect::<Result<Vec<_>>>()?;
            // Behind them all, with the same window.
            step.to("exchanging a message");
            let other = size - 1 - world.rank();
            world.isend(other, 7, &[1u8])?;
            assert_eq!(world.recv::<u8>(other, 7)?.data, [1]);
            step.to("waiting, last first");
            while let Some(request) = pending.pop() {
                let sum = size * pending.len() + size * (size - 1) / 2;
                assert!(request.wait()?.into_iter().all(|element| element == sum));
            }
            Ok(())
        });
    }
}

/// Sums of floats are the same bits at all ranks and in every run, whoever comes first.
/// SEMANTICS: COL-3
fn float_sums_are_the_same_bits(case: &Case) {
    for size in case.sizes(&SIZES) {
        let runs: Vec<Vec<[u64; 2]>> = (0..6)
            .map(|run| {
                case.run(size, |world, _| {
                    for _ in 0..(world.rank() * 7 + run * 5) % 11 {
                        std::thread::yield_now();
                    }
                    let addend = 0.1f64 / (world.rank() as f64 + 0.3);
                    let sum = world.iall_reduce(&[addend], |a, b| a + b)?;
                    // The blocking one with a flat tree combines in the same order.
                    world.set_tree(Tree::Flat);
                    let at_root = world.ireduce(size / 2, &[addend], |a, b| a + b)?;
                    let flat = world.reduce(size / 2, &[addend], |a, b| a + b)?;
                    let at_root = at_root.wait()?;
                    assert_eq!(at_root, flat);
                    let at_root = at_root.map_or(0, |sum| sum[0].to_bits());
                    Ok([sum.wait()?[0].to_bits(), at_root])
                })
            })
            .collect();
        assert!(runs.iter().all(|run| *run == runs[0]));
        assert!(runs[0].iter().all(|sums| sums[0] == runs[0][0][0]));
    }
}

/// As many bytes as wait in memory of the rank, and more.
const LONG_BYTES: usize = 20_000;

/// Data of a rank.
trait Sample: runahead::Element + ops::Number + PartialEq + std::fmt::Debug {
    fn of(rank: usize, at: usize) -> Self;
}

impl Sample for u64 {
    fn of(rank: usize, at: usize) -> u64 {
        (rank * 1_000_003 + at) as u64
    }
}

/// It lies behind no word of a call.
impl Sample for u128 {
    fn of(rank: usize, at: usize) -> u128 {
        u128::MAX / (rank * 1009 + at + 1) as u128
    }
}

impl Sample for [u8; 3] {
    fn of(rank: usize, at: usize) -> [u8; 3] {
        [rank as u8, at as u8, (at >> 8) as u8]
    }
}

/// Calls all that keep data of this rank, changes these at once, and completes the calls, the last first.
fn long_calls<T: Sample>(world: &World) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let count = LONG_BYTES / size_of::<T>();
    let of = |rank: usize| move |at: usize| T::of(rank, at);
    let sums = |ranks: std::ops::Range<usize>, first: usize| -> Vec<T> {
        let sum = |at| ranks.clone().map(|rank| T::of(rank, at)).reduce(ops::sum);
        (first..first + count).map(|at| sum(at).expect("a rank")).collect()
    };
    let mut own: Vec<T> = (0..count).map(of(rank)).collect();
    let mut blocks: Vec<T> = (0..size * count).map(of(rank)).collect();
    for round in 0..2 {
        let slices: Vec<&[T]> = blocks.chunks(count).collect();
        let moves = (world.iall_gather(&own)?, world.igather(0, &own)?, world.iexchange(&slices)?);
        let counts = vec![count; size];
        let parts = (world.iall_to_all(&blocks)?, world.iall_to_all_v(&slices, &counts)?);
        let scans = (world.iscan(&own, ops::sum)?, world.iexclusive_scan(&own, ops::sum)?);
        // What is not known may call the runtime.
        let calls = |a: T, b: T| {
            world.stats().expect("no call is under way");
            ops::sum(a, b)
        };
        let of_closure = world.iscan(&own, calls)?;
        let totals = (world.iall_reduce(&own, ops::sum)?, world.ireduce(size - 1, &own, ops::sum)?);
        let shares = (
            world.ireduce_scatter(&blocks, ops::sum)?,
            world.ireduce_scatter(&blocks, calls)?,
            world.ireduce_scatter_v(&blocks, &counts, ops::sum)?,
        );
        own.fill(T::of(999, 9));
        blocks.fill(T::of(999, 9));

        let block = sums(0..size, rank * count);
        assert!(
            shares.2.wait()? == block && shares.1.wait()? == block && shares.0.wait()? == block
        );
        let total = sums(0..size, 0);
        assert!(totals.1.wait()? == (rank == size - 1).then(|| total.clone()), "{round}");
        assert!(totals.0.wait()? == total);
        assert!(of_closure.wait()? == sums(0..rank + 1, 0));
        assert!(scans.1.wait()? == (rank > 0).then(|| sums(0..rank, 0)));
        assert!(scans.0.wait()? == sums(0..rank + 1, 0));
        let mine = |from: usize| (rank * count..(rank + 1) * count).map(of(from));
        let all: Vec<T> = (0..size).flat_map(mine).collect();
        assert!(*parts.1.wait()?.data() == all && parts.0.wait()? == all);
        assert!(*moves.2.wait()?.data() == all);
        let all: Vec<T> = (0..size).flat_map(|from| (0..count).map(of(from))).collect();
        let gathered = moves.1.wait()?;
        assert!(gathered.as_ref().map(Parts::data) == (rank == 0).then_some(&all[..]));
        assert!(*moves.0.wait()?.data() == all);
        own = (0..count).map(of(rank)).collect();
        blocks = (0..size * count).map(of(rank)).collect();
    }
    Ok(())
}

/// Long data are copied when a call is made: the program may change its own at once. Operators that are known combine where
/// the data of others lie, and give what a closure gives. (Planted: a closure that is called while data are taken; data that
/// are not copied; a head whose length is not said.)
/// SEMANTICS: COL-3, COL-4, COL-8
#[test]
fn long_data_are_the_programs_again_when_the_call_returns() {
    for size in [2, 3, 5] {
        let case = Case::on::<Host>("long data", None);
        for eager_bytes in [300, 64 << 10] {
            let mut config = case.config(size);
            config.eager_bytes = eager_bytes;
            case.run_with(&config, size, |world, step: &Step| {
                step.to(format!("eager up to {eager_bytes}"));
                long_calls::<u64>(world)?;
                world.barrier()?;
                long_calls::<[u8; 3]>(world)?;
                long_calls::<u128>(world)
            });
        }
    }
}

/// What was copied once for all is free when all have read it, however often: else receivers would get segments.
/// (Planted: a copy that stays its sender's.)
/// SEMANTICS: FLOW-4, COL-8
#[test]
fn long_data_are_copied_where_earlier_ones_have_lain() {
    const ROUNDS: u64 = 20;
    let case = Case::on::<Host>("long data", None);
    let mut config = case.config(3);
    // Place for eight copies.
    config.heap_bytes = 256 << 10;
    config.eager_bytes = 300;
    case.run_with(&config, 3, |world, step: &Step| {
        let own = vec![world.rank() as u64; LONG_BYTES / 8];
        let before = world.stats()?.payloads_exposed;
        for round in 0..ROUNDS {
            step.to(format!("round {round}"));
            let lower = world.iexclusive_scan(&own, ops::sum)?.wait()?;
            let sum = [None, Some(0), Some(1)][world.rank()];
            assert_eq!(lower.map(|lower| lower[own.len() - 1]), sum);
            world.barrier()?.wait()?;
        }
        let readers = [2, 1, 0][world.rank()];
        assert_eq!(world.stats()?.payloads_exposed - before, ROUNDS * readers);
        Ok(())
    });
}

suite_and_exposed!(
    results_are_those_of_the_oracle,
    everything_else_goes_on_while_they_are_pending,
    more_may_be_pending_than_the_window_holds,
    float_sums_are_the_same_bits,
);

in_calls!(results_are_those_of_the_oracle);
