//! What nonblocking collectives promise about waiting: calls and barriers return whoever is missing,
//! and dropped handles leave nothing behind.

use std::cell::Cell;
use std::time::Duration;

use runahead::{Error, Result};

use crate::harness::{Case, Gate, Threads, World};

fn add(a: usize, b: usize) -> usize {
    a + b
}

/// All but one rank call collectives and then a barrier. The calls return, and so does the barrier,
/// before the last rank has called anything: it waits at a gate that opens when they have. Then it
/// gets all data before it calls the barrier itself: they were sent before it.
/// SEMANTICS: COL-8, CLK-1, ORD-1
fn barriers_return_while_they_are_pending(case: &Case) {
    for size in [2, 3, 5, 8] {
        for (late, count) in [(0, 1), (size - 1, 1), (size / 2, 2000)] {
            let ahead = Gate::new();
            let sum = size * (size - 1) / 2;
            case.run(size, |world, step| {
                let rank = world.rank();
                let promise = (rank != late).then(|| ahead.promise());
                if rank == late {
                    ahead.wait_computing(size - 1);
                }
                step.to("calling");
                let mut room = vec![rank; count];
                let mut sums = world.iall_reduce(&vec![rank; count], add)?;
                let gathered = world.iall_gather(&[rank])?;
                let filled = world.ibroadcast((late + 1) % size, &mut room)?;
                if let Some(promise) = promise {
                    let barrier = world.barrier()?;
                    // The data of the late rank are missing.
                    assert!(!sums.test()?);
                    assert!(!barrier.test()?);
                    world.isend(late, 5, &[rank])?;
                    drop(promise);
                    step.to("waiting for the late rank");
                    assert_eq!(sums.wait()?, vec![sum; count]);
                    assert!(gathered.wait()?.into_data().into_iter().eq(0..size));
                    filled.wait()?;
                    barrier.wait()?;
                } else {
                    step.to("waiting before the barrier");
                    filled.wait()?;
                    assert!(gathered.wait()?.into_data().into_iter().eq(0..size));
                    assert_eq!(sums.wait()?, vec![sum; count]);
                    // Nobody can tell that they are ahead.
                    assert_eq!(world.try_probe(runahead::Source::Any, 5)?, None);
                    world.barrier()?;
                    for from in (0..size).filter(|&from| from != late) {
                        assert_eq!(world.recv::<usize>(from, 5)?.data, [from]);
                    }
                }
                assert_eq!(room, vec![(late + 1) % size; count]);
                Ok(())
            });
        }
    }
}

/// Those who only send have done with `wait` although nobody else has called: the others are at a
/// gate that opens then.
/// SEMANTICS: COL-2
fn who_only_sends_waits_for_nobody(case: &Case) {
    for size in [2, 3, 8] {
        for count in [1, 3000] {
            let done = Gate::new();
            case.run(size, |world, step| {
                let rank = world.rank();
                let promise = (rank == 0).then(|| done.promise());
                if rank != 0 {
                    done.wait_computing(1);
                }
                step.to("scattering");
                let mine = vec![rank; count];
                let parts = vec![mine.as_slice(); size];
                let scattered = world.iscatter(0, &parts)?;
                assert_eq!(scattered.wait()?, vec![0; count]);
                drop(promise);
                // A leaf, with the same.
                world.igather(0, &mine)?.wait()?;
                Ok(())
            });
        }
    }
}

fn call_and_drop(world: &World, number: usize) -> Result<()> {
    // Now and then above the eager limit.
    let count = if number % 50 == 49 { 300 } else { 2 };
    let data = vec![world.rank(); count];
    match number % 5 {
        0 => drop(world.iall_reduce(&data, add)?),
        1 => drop(world.ibroadcast(number % world.size(), &mut data.clone())?),
        2 => {
            let mut request = world.igather(number % world.size(), &data)?;
            request.test()?;
        }
        3 => drop(world.iscan(&data, add)?),
        _ => {
            let mut request = world.iall_gather(&data)?;
            world.progress()?;
            request.test()?;
        }
    }
    Ok(())
}

/// What comes for a dropped handle, before or after, takes no room for ever: messages behind it, with
/// the same window, arrive.
/// SEMANTICS: FLOW-1, COL-8
fn dropped_handles_give_their_room_back(case: &Case) {
    for size in [2, 3] {
        let mut config = case.config(size);
        config.window_messages = config.window_messages.min(2);
        config.eager_bytes = 100;
        case.run_with(&config, size, |world, step| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            for round in 0..10 {
                for number in 0..100 {
                    call_and_drop(world, number)?;
                }
                step.to(format!("round {round}: a message behind them all"));
                world.isend(next, 3, &[round])?;
                assert_eq!(world.recv::<usize>((rank + size - 1) % size, 3)?.data, [round]);
                step.to("a collective behind them all");
                assert_eq!(world.iall_reduce(&[1], add)?.wait()?, [size]);
                let total = world.reduce(0, &[1], add)?;
                assert_eq!(total, (rank == 0).then(|| vec![size]));
            }
            Ok(())
        });
    }
}

/// A dropped handle takes nothing from the calls before and behind it.
/// SEMANTICS: COL-8
fn a_dropped_handle_takes_nothing_else(case: &Case) {
    for size in [1, 2, 5] {
        for count in [1, 2000] {
            case.run(size, |world, step| {
                let call = |addend| world.iall_reduce(&vec![addend; count], add);
                let (first, second, third) = (call(1)?, call(10)?, call(100)?);
                if world.rank() % 2 == 0 {
                    drop(second);
                } else {
                    assert_eq!(second.wait()?, vec![10 * size; count]);
                }
                step.to("waiting for those around it");
                assert_eq!(third.wait()?, vec![100 * size; count]);
                assert_eq!(first.wait()?, vec![size; count]);
                Ok(())
            });
        }
    }
}

/// A handle that is dropped while another thread is in a call of this rank's is given up by the next
/// call; a collective that is called meanwhile is refused and does not count.
/// SEMANTICS: FLOW-1
#[test]
fn a_handle_may_be_dropped_while_another_thread_is_in_a_call() {
    let case = Case::on::<Threads>(module_path!(), Some(1));
    let size = 2;
    for count in [1, 2000] {
        let dropped = Gate::new();
        case.run(size, |world, step| {
            let twin = world.dup()?;
            let data = vec![world.rank(); count];
            let request = world.iall_gather(&data)?;
            if world.rank() == 1 {
                dropped.wait_progressing(1, world)?;
                twin.send(0, 9, &[1u8])?;
                request.wait()?;
            } else {
                let promise = dropped.promise();
                std::thread::scope(|scope| {
                    // Either thread may be the one that finds the other in a call.
                    let receiver = scope.spawn(move || {
                        loop {
                            match twin.recv::<u8>(1, 9) {
                                Err(Error::Busy) => std::thread::yield_now(),
                                received => break received.map(drop),
                            }
                        }
                    });
                    step.to("until the other thread is in its call");
                    while !matches!(world.progress(), Err(Error::Busy)) {
                        std::thread::yield_now();
                    }
                    assert!(matches!(world.iall_gather(&data), Err(Error::Busy)));
                    drop(request);
                    drop(promise);
                    receiver.join().expect("it does not panic")
                })?;
            }
            step.to("messages behind it");
            for number in 0..4 {
                let sum = world.iall_reduce(&[number], add)?;
                world.isend(1 - world.rank(), 1, &[number])?;
                assert_eq!(world.recv::<usize>(1 - world.rank(), 1)?.data, [number]);
                assert_eq!(sum.wait()?, [2 * number]);
            }
            Ok(())
        });
    }
}

/// Another thread is in a call of this rank's when a wait needs the engine: the wait is for that as well, and no result is
/// lost. (Planted: it fails, and the handle is gone.)
/// SEMANTICS: COL-8
#[test]
fn a_wait_waits_while_another_thread_is_in_a_call() {
    let case = Case::on::<Threads>(module_path!(), Some(1));
    let (began, in_a_call) = (Gate::new(), Gate::new());
    case.run(3, |world, _| {
        let twin = world.dup()?;
        let rank = world.rank();
        if rank > 0 {
            world.ireduce(0, &[rank], add)?.wait()?;
            if rank == 1 {
                in_a_call.wait_progressing(1, world)?;
                // Long enough for a wait that would fail to fail; a shorter time shows less, and is no error.
                std::thread::sleep(Duration::from_millis(50));
                twin.send(0, 9, &[1u8])?;
            }
            return Ok(());
        }
        let promises = Cell::new(Some((began.promise(), in_a_call.promise())));
        // It is called within the wait, between two messages.
        let combine = |a, b| {
            if let Some((begin, says_so)) = promises.take() {
                drop(begin);
                while !matches!(world.progress(), Err(Error::Busy)) {
                    std::thread::yield_now();
                }
                drop(says_so);
            }
            add(a, b)
        };
        let request = world.ireduce(0, &[rank], combine)?;
        std::thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                let twin = twin;
                began.wait_computing(1);
                loop {
                    match twin.recv::<u8>(1, 9) {
                        Err(Error::Busy) => std::thread::yield_now(),
                        received => break received.map(drop),
                    }
                }
            });
            let sum = request.wait();
            drop(promises.take());
            receiver.join().expect("it does not panic")?;
            assert_eq!(sum?, Some(vec![3]));
            Ok(())
        })
    });
}

suite!(
    barriers_return_while_they_are_pending,
    who_only_sends_waits_for_nobody,
    dropped_handles_give_their_room_back,
    a_dropped_handle_takes_nothing_else,
);
