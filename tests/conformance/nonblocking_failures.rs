//! Nonblocking collectives that are called wrongly, or whose ranks end: whoever can notice is told,
//! by `wait` and by `test`, and nothing hangs.

use runahead::internals::collective::posted::Assembly;
use runahead::internals::verbs::Nic;
use runahead::{CollectiveError, CollectiveRequest, Config, Error, MessageError, Result};

use crate::harness::{Case, Gate, World, die, message_error};

fn add(a: u32, b: u32) -> u32 {
    a + b
}

/// The error of a request that must fail: what `test` says first, and then `wait`.
fn failure<A: Assembly, N: Nic>(mut request: CollectiveRequest<A, N>, polls: bool) -> Error {
    if !polls {
        return request.wait().map(drop).expect_err("an error");
    }
    let told = loop {
        match request.test() {
            Ok(done) => assert!(!done, "it cannot be done"),
            Err(error) => break error,
        }
        std::thread::yield_now();
    };
    assert_eq!(request.test().expect_err("an error stays").to_string(), told.to_string());
    assert_eq!(request.wait().map(drop).expect_err("so").to_string(), told.to_string());
    told
}

fn mismatch(
    case: &Case,
    expected: &str,
    ours: impl Fn(&World, bool) -> Error + Sync,
    theirs: impl Fn(&World) -> Result<()> + Sync,
) {
    for polls in [false, true] {
        let mut config = case.config(2);
        // What belongs to no call of this rank's stays where it is, and keeps its room.
        config.window_messages = config.window_messages.max(8);
        case.run_with(&config, 2, |world, step| {
            world.barrier()?;
            if world.rank() == 1 {
                theirs(world)?;
            } else {
                let error = ours(world, polls);
                let is_mismatch = |error: &Error| {
                    matches!(error, Error::Collective(CollectiveError::Mismatch { from: 1, .. }))
                };
                assert!(is_mismatch(&error), "{error}");
                assert_eq!(error.to_string(), format!("rank 1 called {expected}"));
            }
            step.to("going on after a mismatch");
            world.barrier()?.wait()?;
            world.send(1 - world.rank(), 1, &[1u8])?;
            assert_eq!(world.recv::<u8>(1 - world.rank(), 1)?.data, [1]);
            Ok(())
        });
    }
}

/// Ranks that call different collectives, or one with different arguments, are told by whom and
/// what; messages and barriers go on.
/// SEMANTICS: COL-4
fn different_calls_are_noticed(case: &Case) {
    let three = |world: &World| world.iall_reduce(&[1u32; 3], add).map(drop);
    mismatch(
        case,
        "iall_reduce with 3 elements of 4 bytes; here it is iall_reduce with 4 elements of 4 bytes",
        |world, polls| failure(world.iall_reduce(&[1u32; 4], add).unwrap(), polls),
        three,
    );
    mismatch(
        case,
        "iall_reduce with 3 elements of 4 bytes; here it is iall_reduce with 6 elements of 2 bytes",
        |world, polls| failure(world.iall_reduce(&[1u16; 6], |a, b| a + b).unwrap(), polls),
        three,
    );
    mismatch(
        case,
        "iall_reduce; here it is iscatter with root 1",
        |world, polls| failure(world.iscatter::<u32>(1, &[]).unwrap(), polls),
        three,
    );
    mismatch(
        case,
        "iall_reduce; here it is iall_gather",
        |world, polls| failure(world.iall_gather(&[1u32; 3]).unwrap(), polls),
        three,
    );
    // The blocking one is another collective.
    mismatch(
        case,
        "reduce with root 0; here it is ireduce with root 0",
        |world, polls| failure(world.ireduce(0, &[1u32], add).unwrap(), polls),
        |world| world.reduce(0, &[1u32], add).map(drop),
    );
    mismatch(
        case,
        "iall_to_all with 2 elements of 4 bytes; here it is iall_to_all with 1 elements of 4 bytes",
        |world, polls| failure(world.iall_to_all(&[1u32; 2]).unwrap(), polls),
        |world| world.iall_to_all(&[1u32; 4]).map(drop),
    );
    mismatch(
        case,
        "iall_to_all_v with 1 elements of 4 bytes; here it is iall_to_all_v with 2 elements of 4 \
         bytes",
        |world, polls| failure(world.iall_to_all_v(&[&[], &[7u32]], &[0, 2]).unwrap(), polls),
        |world| world.iall_to_all_v(&[&[7u32], &[]], &[1, 0]).map(drop),
    );
    // Another named function; its code is not for people.
    case.run(2, |world, _| {
        let error = match world.rank() {
            0 => failure(world.iall_reduce(&[1.0], f64::max)?, false),
            _ => failure(world.iall_reduce(&[1.0], f64::min)?, true),
        };
        assert!(error.to_string().contains("with another operator; here it is"), "{error}");
        Ok(())
    });
}

/// A rank that left a call out, or made one too many, is noticed by its later calls: while an earlier
/// one is waited for, when a later one is waited for first, or by what is left over.
/// SEMANTICS: COL-4, COL-8
fn calls_that_do_not_match_are_noticed(case: &Case) {
    // Here rank 1 is the root, there rank 0 is: both would send, or both wait. The next call tells.
    let next = |world: &World| world.iall_reduce(&[1u32], add).map(drop);
    let missing = "its collective number 2; here it is number 1, iscatter";
    let theirs = |world: &World| {
        drop(world.iscatter::<u32>(0, &[])?);
        next(world)
    };
    // Both are pending here, and the first is waited for first.
    mismatch(
        case,
        missing,
        |world, polls| {
            let first = world.iscatter::<u32>(1, &[]).unwrap();
            let _second = world.iall_reduce(&[1u32], add).unwrap();
            failure(first, polls)
        },
        theirs,
    );
    // The second has been completed.
    mismatch(
        case,
        missing,
        |world, polls| {
            let first = world.iscatter::<u32>(1, &[]).unwrap();
            world.iall_reduce(&[1u32], add).unwrap().wait().unwrap();
            failure(first, polls)
        },
        theirs,
    );
    // The second has not been called here: nobody waits for what has come.
    mismatch(
        case,
        missing,
        |world, polls| failure(world.iscatter::<u32>(1, &[]).unwrap(), polls),
        theirs,
    );
    // The second is a blocking one.
    mismatch(
        case,
        "its collective number 2; here it is number 1, iscatter",
        |world, polls| {
            let first = world.iscatter::<u32>(1, &[]).unwrap();
            world.reduce(0, &[1u32], add).unwrap();
            failure(first, polls)
        },
        |world| {
            drop(world.iscatter::<u32>(0, &[])?);
            world.reduce(0, &[1u32], add).map(drop)
        },
    );
    // Both have sent, and neither has asked for it: it is left over.
    mismatch(
        case,
        "its collective number 1; here it is number 2, iall_reduce",
        |world, polls| {
            let parts: [&[u32]; 2] = [&[], &[]];
            drop(world.iscatter(0, &parts).unwrap());
            failure(world.iall_reduce(&[1u32], add).unwrap(), polls)
        },
        |world| {
            let parts: [&[u32]; 2] = [&[], &[]];
            drop(world.iscatter(1, &parts)?);
            next(world)
        },
    );
}

/// A call that is refused was not made: the next one has its number.
/// SEMANTICS: COL-4
fn what_is_refused_does_not_count(case: &Case) {
    for size in [1, 2, 3] {
        let mut config = case.config(size);
        config.message_bytes = 4000;
        config.eager_bytes = 100;
        case.run_with(&config, size, |world, _| {
            let rank = world.rank();
            let refused = |result: Result<()>| result.expect_err("a refusal").to_string();
            if rank == 0 {
                let error = refused(world.ibroadcast(size, &mut [0u8]).map(drop));
                assert!(error.contains("out of range"), "{error}");
                let error = refused(world.iscatter(0, &vec![&[1u8][..]; size + 1]).map(drop));
                assert!(error.contains("parts of iscatter has"), "{error}");
                if size > 1 {
                    let error = refused(world.iall_to_all(&vec![1u8; size + 1]).map(drop));
                    assert!(error.contains("cannot share evenly"), "{error}");
                    let error = refused(world.ireduce_scatter(&[1u32], add).map(drop));
                    assert!(error.contains("cannot share evenly"), "{error}");
                }
                let none = vec![&[0u8; 0][..]; size];
                let error = refused(world.iall_to_all_v(&none, &vec![1; size]).map(drop));
                assert!(error.contains("and 1 are stated"), "{error}");
                let error = refused(world.iall_to_all_v(&none, &[]).map(drop));
                assert!(error.contains("expected of iall_to_all_v has 0 parts"), "{error}");
                let error =
                    refused(world.ireduce_scatter_v(&[1u32], &vec![0; size], add).map(drop));
                assert!(error.contains("data of ireduce_scatter_v has 1 elements"), "{error}");
                let error = refused(world.iexchange::<u8>(&[]).map(drop));
                assert!(error.contains("outgoing of iexchange has 0 parts"), "{error}");
                // With the word in front it is just too long.
                let long = message_error(world.iall_gather(&[0u8; 3977]).map(drop));
                assert_eq!(long, MessageError::TooLarge { len: 4001, limit: 4000 });
            }
            let parts = world.iall_gather(&vec![rank as u8; 3976])?.wait()?;
            assert_eq!(parts.into_data().len(), size * 3976);
            Ok(())
        });
    }
}

/// A rank that ends or dies without its part is named by `wait` and by `test`, whoever else is missing;
/// what it had sent before counts.
/// SEMANTICS: END-2
fn who_waits_for_a_rank_that_has_gone_is_told(case: &Case) {
    for size in [2, 3, 5] {
        for (dies, polls) in [(false, false), (false, true), (true, false), (true, true)] {
            let done = Gate::new();
            let gone = size - 1;
            let outcome = case.outcome(&case.config(size), size, |world, step| {
                let rank = world.rank();
                let before = world.iall_gather(&[rank])?;
                if rank == gone {
                    before.wait()?;
                    if dies {
                        die("gone");
                    }
                    return Ok(());
                }
                step.to("waiting for what it had sent");
                assert!(before.wait()?.into_data().into_iter().eq(0..size));
                let expected = match dies {
                    true => MessageError::PeerLost { rank: gone },
                    false => MessageError::PeerEnded { rank: gone, failed: false },
                };
                // The first rank of several is missing too, until all others were told.
                let callers = if size > 2 { size - 2 } else { 1 };
                if size > 2 && rank == 0 {
                    done.wait_computing(callers);
                    return Ok(());
                }
                let promise = done.promise();
                step.to("waiting for who has gone");
                // The call itself may notice that nobody is there to send to.
                let error = match world.iall_reduce(&[rank], |a, b| a + b) {
                    Ok(request) => failure(request, polls),
                    Err(error) => error,
                };
                assert_eq!(message_error::<()>(Err(error)), expected);
                drop(promise);
                done.wait_computing(callers);
                Ok(())
            });
            assert_eq!(outcome.is_err(), dies);
        }
    }
}

/// A rank dies when the header of its large payload has come, and nothing else. (No copy of it is
/// where its receiver sees it.)
/// SEMANTICS: END-2
fn a_death_in_the_middle_of_a_payload_is_noticed(case: &Case) {
    for (size, polls) in [(2, false), (2, true), (4, false), (4, true)] {
        let (posted, told) = (Gate::new(), Gate::new());
        let config = Config { heap_bytes: 0, ..case.config(size) };
        let outcome = case.outcome(&config, size, |world, step| {
            let rank = world.rank();
            if rank == size - 1 {
                drop(world.igather(0, &vec![rank; 100_000])?);
                posted.arrive();
                die("gone");
            }
            if rank > 0 {
                // Missing until the root was told.
                told.wait_computing(1);
                return Ok(());
            }
            let promise = told.promise();
            posted.wait_computing(1);
            step.to("gathering");
            let error = failure(world.igather(0, &[rank])?, polls);
            let expected = MessageError::PeerLost { rank: size - 1 };
            assert_eq!(message_error::<()>(Err(error)), expected);
            drop(promise);
            Ok(())
        });
        let Err(Error::Panicked { rank, message }) = outcome else { panic!("{outcome:?}") };
        assert_eq!((rank, message.as_str()), (size - 1, "gone"));
    }
}

suite!(
    different_calls_are_noticed,
    calls_that_do_not_match_are_noticed,
    what_is_refused_does_not_count,
    who_waits_for_a_rank_that_has_gone_is_told,
    a_death_in_the_middle_of_a_payload_is_noticed,
);
