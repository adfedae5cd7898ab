//! Reductions and scans in which ranks combine for each other, with others of a rank's calls beside them: what is
//! queued, dropped, tested, or fails on the way.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use runahead::internals::collective::{Combining, Kind};
use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
use runahead::{CollectiveError, Error, Result, Tree, ops};

use crate::harness::{Case, Gate, World};

fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// A kind of call, to be begun, if it is none that blocks. What ends it returns its result.
type Begun<'w> = Box<dyn FnOnce() -> Result<Vec<u64>> + 'w>;

/// The nonblocking calls that combine for all. In the first, ranks share the work.
const CALLS: [&str; 3] = ["iall_reduce", "iscan", "iexclusive_scan"];

fn begin<'w>(
    world: &'w World,
    call: &str,
    data: &'w [u64],
    combine: impl Fn(u64, u64) -> u64 + 'w,
) -> Result<Begun<'w>> {
    Ok(match call {
        "all_reduce" => {
            let result = world.all_reduce(data, combine);
            Box::new(|| result)
        }
        "iall_reduce" => {
            let request = world.iall_reduce(data, combine)?;
            Box::new(|| request.wait())
        }
        "iscan" => {
            let request = world.iscan(data, combine)?;
            Box::new(|| request.wait())
        }
        _ => {
            let request = world.iexclusive_scan(data, combine)?;
            Box::new(|| Ok(request.wait()?.unwrap_or_default()))
        }
    })
}

/// What a rank gives: something else in each place.
fn given(rank: usize, count: usize) -> Vec<u64> {
    (0..count).map(|at| (rank * 1_000_003 + at) as u64).collect()
}

/// What a call gives.
fn expected(call: &str, (rank, size): (usize, usize), count: usize) -> Vec<u64> {
    let ranks = match call {
        "all_reduce" | "iall_reduce" => 0..size,
        "iscan" => 0..rank + 1,
        _ if rank == 0 => return Vec::new(),
        _ => 0..rank,
    };
    (0..count).map(|at| ranks.clone().map(|rank| (rank * 1_000_003 + at) as u64).sum()).collect()
}

/// Each rank in turn has called, and does not return from combining until all others have their results. That holds
/// within a host. (Planted: a rank that leaves alone what others have claimed; two ranks that combine a share for each other.)
/// SEMANTICS: COL-5, COL-8, COL-11
fn nobody_waits_for_who_combines_behind(case: &Case) {
    for size in case.sizes(&[2, 4, 5]) {
        let lengths = [1, 500, 2000, 5000, 60_000];
        for (late, count) in (0..size).flat_map(|late| lengths.map(|count| (late, count))) {
            let mut config = case.config(size);
            config.window_messages = config.window_messages.max(32);
            let calls = || ["all_reduce"].into_iter().chain(CALLS);
            let gates: Vec<Gate> = calls().map(|_| Gate::new()).collect();
            case.run_with(&config, size, |world, step| {
                if !world.copies_payloads() {
                    return Ok(());
                }
                let rank = world.rank();
                let data = given(rank, count);
                for (call, gate) in calls().zip(&gates) {
                    step.to(format!("{call} of {count} elements, rank {late} is late"));
                    let promise = gate.promise();
                    let combine = |a, b| {
                        if rank == late {
                            gate.wait_computing(size - 1);
                        }
                        a + b
                    };
                    let result = begin(world, call, &data, combine)?()?;
                    drop(promise);
                    assert_eq!(result, expected(call, (rank, size), count));
                }
                Ok(())
            });
        }
    }
}

/// So many payloads of calls are on their way that the next cannot be told of, and leaves later: without a room behind it. All
/// are begun before one ends. (Planted: a queued payload is exposed by another copy.)
/// SEMANTICS: COL-11, FLOW-4
fn what_is_queued_has_no_room_behind_it(case: &Case) {
    for size in case.sizes(&[4, 5]) {
        for (call, count) in CALLS.iter().flat_map(|call| [(call, 200), (call, 3000)]) {
            let mut config = case.config(size);
            config.window_messages = config.window_messages.min(8);
            config.eager_bytes = 300;
            case.run_with(&config, size, |world, step| {
                step.to(format!("{call} of {count} elements"));
                let data = given(world.rank(), count);
                let calls = (0..AHEAD).map(|_| begin(world, call, &data, add));
                for end in calls.collect::<Result<Vec<_>>>()? {
                    assert_eq!(end()?, expected(call, (world.rank(), size), count));
                }
                Ok(())
            });
        }
    }
}

/// More than a rank may be told of at a time.
const AHEAD: usize = 40;

/// Calls that are dropped, tested once and dropped, or tested until they are done, beside some that are waited for in
/// another order.
/// SEMANTICS: COL-8, COL-11
fn calls_end_in_any_way(case: &Case) {
    for size in case.sizes(&[4, 5]) {
        case.run(size, |world, step| {
            let rank = world.rank();
            for round in 0..12 {
                step.to(format!("round {round}"));
                let count = [2000, 300, 10_000][round % 3];
                let data = given(rank, count);
                let mut tested = world.iall_reduce(&data, add)?;
                let dropped = world.iscan(&data, add)?;
                let mut looked_at = world.iall_reduce(&data, add)?;
                let waited = world.iall_reduce(&data, ops::sum)?;
                if round % 2 == rank % 2 {
                    drop(dropped);
                    looked_at.test()?;
                }
                let all = expected("iall_reduce", (rank, size), count);
                assert_eq!(waited.wait()?, all);
                drop(looked_at);
                while !tested.test()? {
                    std::thread::yield_now();
                }
                assert_eq!(tested.wait()?, all);
            }
            Ok(())
        });
    }
}

/// What a program does with a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Waited,
    Dropped,
    /// It is tested until it is done, and waited for long after.
    Tested,
}

/// Whatever has become of calls, their payloads and rooms have gone: the next payload lies where its receiver reads it.
/// (Planted: a call that gives nothing back when it is done; one that gives nothing back when it is dropped.)
/// SEMANTICS: COL-8, COL-11, FLOW-4
fn what_calls_had_is_given_back(case: &Case) {
    for fate in [Fate::Waited, Fate::Dropped, Fate::Tested] {
        let mut config = case.config(4);
        config.heap_bytes = 2 << 20;
        // What one rank has given lies in the window of another that has yet to call.
        config.window_messages = config.window_messages.max(8);
        case.run_with(&config, 4, |world, step| {
            step.to(format!("{fate:?}"));
            if !world.copies_payloads() {
                return Ok(());
            }
            let rank = world.rank();
            let data = given(rank, 3000);
            let told = |from| world.recv::<u8>(from, 2).map(drop);
            let tell = |to| world.isend(to, 2, &[0u8]).map(drop);
            let mut tested = Vec::new();
            for _ in 0..60 {
                // The last calls when the others have taken what there is.
                if rank == 3 {
                    (0..3).try_for_each(told)?;
                }
                let mut request = world.iall_reduce(&data, add)?;
                if rank < 3 {
                    let mut others = (0..3).filter(|&other| other != rank);
                    others.clone().try_for_each(tell)?;
                    others.try_for_each(told)?;
                    assert!(!request.test()?);
                    tell(3)?;
                }
                match fate {
                    Fate::Waited => drop(request.wait()?),
                    Fate::Dropped => drop(request),
                    Fate::Tested => {
                        while !request.test()? {
                            std::thread::yield_now();
                        }
                        tested.push(request);
                    }
                }
                world.barrier()?.wait()?;
            }
            step.to("sending");
            let before = world.stats()?.payloads_exposed;
            world.isend((rank + 1) % 4, 1, &data)?;
            assert_eq!(world.stats()?.payloads_exposed, before + 1);
            assert_eq!(world.recv::<u64>((rank + 3) % 4, 1)?.data.len(), 3000);
            for request in tested {
                assert_eq!(request.wait()?, expected("iall_reduce", (rank, 4), 3000));
            }
            world.barrier()?.wait()
        });
    }
}

/// A call is dropped at once while another thread of the rank waits, also for what comes only afterwards. (Planted: a rank that
/// waits for that thread before it gives back what it has of others.)
/// SEMANTICS: COL-8
fn a_call_is_dropped_while_another_thread_waits(case: &Case) {
    let dropped = Gate::new();
    case.run(4, |world, step| {
        step.to("calling");
        let data = given(world.rank(), 3000);
        let twin = world.dup()?;
        let request = world.iall_reduce(&data, add)?;
        if world.rank() != 0 {
            assert_eq!(request.wait()?, expected("iall_reduce", (world.rank(), 4), 3000));
            if world.rank() == 1 {
                dropped.wait_progressing(1, world)?;
                twin.isend(0, 9, &[1u8])?;
            }
            return world.barrier()?.wait();
        }
        std::thread::scope(|scope| {
            let promise = dropped.promise();
            let receiver = scope.spawn(move || {
                loop {
                    match twin.recv::<u8>(1, 9) {
                        Err(Error::Busy) => std::thread::yield_now(),
                        received => break received.map(drop),
                    }
                }
            });
            while world.progress().is_ok() {
                std::thread::yield_now();
            }
            drop(request);
            drop(promise);
            receiver.join().expect("it does not panic")
        })?;
        world.barrier()?.wait()
    });
}

/// More than goes at once, in an `all_reduce`: ranks share the work of a part at a time. Also where the last part is one
/// element. Who gives another number of elements is named at the first. (Planted: a last part that is left out; a
/// word that tells of the part alone; a part of what is given that belongs to another of the result.)
/// SEMANTICS: COL-3, COL-4, COL-11
fn long_data_are_reduced_in_parts(case: &Case) {
    const PART_BYTES: usize = 24_000;
    for size in case.sizes(&[2, 3, 5]) {
        let mut config = case.config(size);
        config.eager_bytes = 300;
        config.heap_bytes = 8 * size * PART_BYTES;
        let count = PART_BYTES / 8;
        for (nth, count) in
            [size * count + 8, 4 * size * count, 4 * size * count + 1].into_iter().enumerate()
        {
            let told = Gate::new();
            case.run_with(&config, size, |world, step| {
                let rank = world.rank();
                step.to(format!("{count} elements"));
                world.set_tree(Tree::Flat);
                if world.copies_payloads() {
                    let combining = world.combining(Kind::AllReduce, Tree::Flat, 8 * count);
                    assert_eq!(combining, Combining::Units);
                }
                // Neither commutative nor the same for all elements.
                let then = |a: u64, b: u64| a.wrapping_mul(31).wrapping_add(b);
                let given_at = |rank: usize, at: usize| (rank * 1_000_003 + at) as u64;
                let data = given(rank, count);
                let folded =
                    |at| (1..size).fold(given_at(0, at), |all, rank| then(all, given_at(rank, at)));
                let is_right = |all: &[u64]| (0..count).all(|at| all[at] == folded(at));
                assert!(is_right(&world.all_reduce(&data, then)?));
                step.to(format!("{count} elements, into a result"));
                let mut all = vec![7; count];
                world.all_reduce_into(&data, &mut all, then)?;
                assert!(is_right(&all));
                assert_eq!(data, given(rank, count));
                if nth == 1 && world.copies_payloads() {
                    // One of them has a part more.
                    step.to("disagreeing");
                    let count = count + usize::from(rank == 1);
                    let error =
                        world.all_reduce(&vec![1u64; count], then).expect_err("they disagree");
                    let Error::Collective(CollectiveError::Mismatch { from, .. }) = error else {
                        panic!("{error}");
                    };
                    assert_eq!(from, usize::from(rank != 1));
                    // Else another might be told of this one's end instead.
                    told.arrive();
                    told.wait_progressing(size, world)?;
                }
                Ok(())
            });
        }
    }
}

/// Ranks scan one after the other. Each takes what the one below has combined, and combines no more than its own with it.
/// (Planted: units that are not told; another's place in the room; a room with another prefix.)
/// SEMANTICS: COL-3, COL-6, COL-11
fn a_higher_rank_goes_on_from_what_lower_ones_have(case: &Case) {
    // Not commutative.
    let then = |a: u64, b: u64| a.wrapping_mul(31).wrapping_add(b);
    for (size, count) in case.sizes(&[3, 5]).flat_map(|size| [(size, 2100), (size, 30_000)]) {
        let gates = [Gate::new(), Gate::new()];
        case.run(size, |world, step| {
            if !world.copies_payloads() {
                return Ok(());
            }
            let (rank, calls) = (world.rank(), Cell::new(0));
            let data = given(rank, count);
            for (is_inclusive, gate) in [(true, &gates[0]), (false, &gates[1])] {
                step.to(format!("{count} elements, inclusive: {is_inclusive}"));
                world.set_tree(Tree::Flat);
                let promise = gate.promise();
                let mut result = vec![9; count];
                gate.wait_computing(rank);
                calls.set(0);
                let combine = |a, b| {
                    calls.set(calls.get() + 1);
                    then(a, b)
                };
                match is_inclusive {
                    true => world.scan_into(&data, &mut result, combine)?,
                    false => world.exclusive_scan_into(&data, &mut result, combine)?,
                }
                drop(promise);
                let passes_on = rank > 0 && (is_inclusive || rank < size - 1);
                assert_eq!(calls.get(), if passes_on { count } else { 0 });
                let of = |rank: usize, at: usize| (rank * 1_000_003 + at) as u64;
                let ranks = rank + usize::from(is_inclusive);
                for (at, &element) in
                    result.iter().enumerate().take(if ranks > 0 { count } else { 0 })
                {
                    assert_eq!(
                        element,
                        (1..ranks).fold(of(0, at), |all, rank| then(all, of(rank, at)))
                    );
                }
            }
            Ok(())
        });
    }
}

/// Elements that lie at multiples of 16 KiB, which payloads need not do where they are. (Planted: they are not copied then.)
/// SEMANTICS: COL-3, COL-11
fn elements_lie_where_they_may(case: &Case) {
    #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
    #[zerocopy(crate = "runahead::zerocopy")]
    #[repr(C, align(16384))]
    struct Wide([u64; 2048]);

    let then = |a: Wide, b: Wide| Wide(std::array::from_fn(|at| 31 * a.0[at] + b.0[at]));
    for size in case.sizes(&[3, 4]) {
        case.run(size, |world, step| {
            world.set_tree(Tree::Flat);
            for count in [1, 3] {
                step.to(format!("{count} elements"));
                let of = |rank, at| Wide([(rank * 7001 + at) as u64; 2048]);
                let data: Vec<_> = (0..count).map(|at| of(world.rank(), at)).collect();
                let (mut all, mut lower) = (vec![of(9, 0); count], vec![of(9, 0); count]);
                world.all_reduce_into(&data, &mut all, then)?;
                world.scan_into(&data, &mut lower, then)?;
                for at in 0..count {
                    let folded = |ranks| {
                        let combined =
                            (1..ranks).fold(of(0, at), |all, rank| then(all, of(rank, at)));
                        combined.0
                    };
                    assert_eq!(all[at].0, folded(size));
                    assert_eq!(lower[at].0, folded(world.rank() + 1));
                }
            }
            Ok(())
        });
    }
}

/// An operator that panics in a test is called again for the same elements, and the result is right. (Planted: a unit that
/// counts when it is begun; a payload of which the rest is forgotten.)
/// SEMANTICS: COL-3, COL-11
fn an_operator_may_panic_in_a_test(case: &Case) {
    for size in case.sizes(&[3, 4, 5]) {
        let panicked = Gate::new();
        case.run(size, |world, step| {
            step.to("testing");
            let (rank, count) = (world.rank(), 5000);
            let left = Cell::new(if rank == 1 { 700 } else { u32::MAX });
            let combine = |a, b| {
                left.set(left.get().saturating_sub(1));
                if left.get() == 0 {
                    left.set(u32::MAX);
                    panicked.arrive();
                    std::panic::panic_any("once");
                }
                // Else others might do all for it. It may need what they have yet to send.
                if rank != 1 {
                    panicked.wait_progressing(1, world).expect("the world goes on");
                }
                a + b
            };
            let data = given(rank, count);
            let mut request = world.iall_reduce(&data, combine)?;
            let mut panics = 0;
            loop {
                match catch_unwind(AssertUnwindSafe(|| request.test())) {
                    Ok(Ok(true)) => break,
                    Ok(is_done) => is_done.map(|_| std::thread::yield_now())?,
                    Err(_) => panics += 1,
                }
            }
            assert_eq!(panics, usize::from(rank == 1));
            assert_eq!(request.wait()?, expected("iall_reduce", (rank, size), count));
            world.barrier()?.wait()
        });
    }
}

suite!(
    nobody_waits_for_who_combines_behind,
    what_is_queued_has_no_room_behind_it,
    calls_end_in_any_way,
    what_calls_had_is_given_back,
    a_call_is_dropped_while_another_thread_waits,
    long_data_are_reduced_in_parts,
    a_higher_rank_goes_on_from_what_lower_ones_have,
    elements_lie_where_they_may,
    an_operator_may_panic_in_a_test,
);
