//! The end of a world: what is owed is handed over, and whoever needs a rank that has ended or is
//! lost is told, and told whom. Nothing hangs.

use std::sync::Mutex;

use runahead::internals::order::GroupId;
use runahead::{Error, MessageError, Source, Tag};

use crate::harness::{Case, Gate, die, message_error};

#[cfg(not(guest))]
const SIZES: [usize; 5] = [2, 3, 5, 8, 13];
#[cfg(guest)]
const SIZES: [usize; 4] = [2, 3, 5, 8];

/// Barriers that are open at the end complete, and messages that wait for credit are handed over.
/// SEMANTICS: END-1
fn what_is_open_completes_and_what_was_posted_arrives(case: &Case) {
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            for superstep in 0..4u64 {
                // Rank 0 returns at once, and may have done so: then it receives nothing more.
                let may_fail = |sent: runahead::Result<_>| if next == 0 { Ok(()) } else { sent };
                for number in 0..5u64 {
                    may_fail(world.isend(next, 1, &[superstep, number]).map(drop))?;
                }
                may_fail(world.isend(next, 2, &[superstep; 3000]).map(drop))?;
                world.barrier()?;
            }
            if rank == 0 {
                return Ok(()); // with everything open; what is for it is dropped
            }
            step.to("receiving what the previous rank owes");
            let previous = rank - 1;
            for superstep in 0..4u64 {
                for number in 0..5u64 {
                    assert_eq!(world.recv::<u64>(previous, 1)?.data, [superstep, number]);
                }
                assert_eq!(world.recv::<u64>(previous, 2)?.data, [superstep; 3000]);
            }
            Ok(())
        });
    }
}

/// A rank that ends without entering a barrier is named, with the group and the epoch, to all that
/// wait for it; before that, what it had sent can be received.
/// SEMANTICS: END-2
fn who_waits_for_a_rank_that_has_ended_is_told(case: &Case) {
    for size in case.sizes(&SIZES) {
        for leaver in [0, size - 1] {
            let told = Mutex::new(0);
            let outcome = case.outcome(&case.config(size), size, |world, step| {
                world.barrier()?;
                if world.rank() == leaver {
                    for to in (0..size).filter(|&to| to != leaver) {
                        world.send(to, 3, &[to as u32])?;
                    }
                    return Ok(());
                }
                let barrier = world.barrier()?;
                step.to("waiting for a barrier that never completes");
                let error = message_error(barrier.wait());
                let expected = MessageError::EndedBeforeBarrier {
                    rank: leaver,
                    group: GroupId::WORLD,
                    epoch: 2,
                };
                assert_eq!(error, expected);
                step.to("receiving from the rank that has ended");
                assert_eq!(world.recv::<u32>(leaver, 3)?.data, [world.rank() as u32]);
                let error = message_error(world.recv::<u32>(leaver, Tag::Any));
                assert_eq!(error, MessageError::PeerEnded { rank: leaver, failed: false });
                let error = message_error(world.probe(leaver, 3));
                assert_eq!(error, MessageError::PeerEnded { rank: leaver, failed: false });
                let error = message_error(world.irecv::<u32>(leaver, 3)?.wait());
                assert_eq!(error, MessageError::PeerEnded { rank: leaver, failed: false });
                assert_eq!(world.try_recv::<u32>(leaver, 3)?, None);
                let error = message_error(world.send(leaver, 3, &[0u8]));
                assert_eq!(error, MessageError::PeerEnded { rank: leaver, failed: false });
                *told.lock().unwrap() += 1;
                Ok(())
            });
            assert_eq!(*told.lock().unwrap(), size - 1);
            // The barrier is still open at the end of those that entered it.
            let Err(Error::Rank { rank, error }) = outcome else { panic!("{outcome:?}") };
            assert_ne!(rank, leaver);
            assert_eq!(error.culprit(), Some(leaver));
        }
    }
}

/// A receive from any source fails when all others have ended, naming one of them.
/// SEMANTICS: END-2
fn nobody_is_left_to_receive_from(case: &Case) {
    for size in case.sizes(&SIZES) {
        for last in [0, size - 1] {
            case.run(size, |world, step| {
                if world.rank() != last {
                    return world.send(last, 1, &[1u8]);
                }
                step.to("receiving from all");
                for _ in 1..size {
                    world.recv::<u8>(Source::Any, 1)?;
                }
                step.to("receiving from nobody");
                let error = Error::from(message_error(world.recv::<u8>(Source::Any, 1)));
                assert!(error.culprit().is_some_and(|rank| rank != last), "{error}");
                Ok(())
            });
        }
    }
    case.run(1, |world, _| {
        let error = message_error(world.recv::<u8>(Source::Any, 1));
        assert_eq!(error, MessageError::NothingCanArrive);
        Ok(())
    });
}

/// Sends until it fails, and returns that outcome.
fn until_refused(send: impl Fn() -> runahead::Result<()>) -> runahead::Result<()> {
    std::iter::repeat_with(send).find(Result::is_err).expect("it is an endless flood")
}

/// A rank that panics is `PeerLost` to all who need it: in a barrier, a receive, a send that waits
/// for room, a rendezvous. The launch names it and says what it said.
/// SEMANTICS: END-2
fn a_rank_that_panics_is_lost_to_those_who_need_it(case: &Case) {
    for size in case.sizes(&SIZES) {
        for lost in [0, size - 1] {
            let outcome = case.outcome(&case.config(size), size, |world, step| {
                world.barrier()?.wait()?;
                if world.rank() == lost {
                    die("the roof is leaking");
                }
                let expected = MessageError::PeerLost { rank: lost };
                let payload = vec![7u8; world.config().eager_bytes + 1];
                for need in 0..4 {
                    let error = match (world.rank() + need) % 4 {
                        0 => {
                            step.to("waiting for a barrier with the lost rank");
                            world.barrier()?.wait()
                        }
                        1 => {
                            step.to("receiving from the lost rank");
                            world.recv::<u8>(lost, 1).map(drop)
                        }
                        2 => {
                            // Where shared memory has room for it, a send waits for nobody.
                            step.to("sending much to the lost rank");
                            until_refused(|| world.send(lost, 1, &payload))
                        }
                        _ => {
                            step.to("flooding the lost rank");
                            until_refused(|| world.send(lost, 1, &[1u8]))
                        }
                    };
                    assert_eq!(message_error(error), expected);
                }
                Ok(())
            });
            let Err(Error::Panicked { rank, message }) = outcome else { panic!("{outcome:?}") };
            assert_eq!((rank, message.as_str()), (lost, "the roof is leaking"));
        }
    }
}

/// A rank that returns an error: the launch gives this error and not one that followed from it.
/// SEMANTICS: END-2
fn a_rank_that_fails_is_the_error_of_the_launch(case: &Case) {
    for size in case.sizes(&SIZES) {
        for failing in [0, size - 1] {
            let outcome = case.outcome(&case.config(size), size, |world, step| {
                world.barrier()?;
                if world.rank() == failing {
                    return Err(Error::other("no more paper"));
                }
                match world.rank() {
                    1 => {
                        step.to("receiving from anybody");
                        world.recv::<u8>(Source::Any, 1).map(drop)
                    }
                    rank if rank % 2 == 0 => {
                        step.to("waiting for a barrier without the rank that failed");
                        world.barrier()?.wait()
                    }
                    _ => {
                        step.to("receiving from the rank that failed");
                        world.recv::<u8>(failing, 1).map(drop)
                    }
                }
            });
            let Err(Error::Rank { rank, error }) = outcome else { panic!("{outcome:?}") };
            assert_eq!(rank, failing);
            assert_eq!(error.to_string(), "no more paper");
        }
    }
}

/// Those who do not need a rank that is lost go on without it.
/// SEMANTICS: END-2
fn who_does_not_need_the_lost_rank_goes_on(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 2) {
        let (outcome, done) = (Mutex::new(0), Gate::new());
        let ended = case.outcome(&case.config(size), size, |world, step| {
            let rank = world.rank();
            if rank == 0 {
                die("gone");
            }
            let others = size - 1;
            let (next, previous) = (rank % others + 1, (rank + others - 2) % others + 1);
            for number in 0..20u64 {
                step.to(format!("message {number} among those who are left"));
                let request = world.isend(next, 1, &[number])?;
                assert_eq!(world.recv::<u64>(previous, 1)?.data, [number]);
                request.wait()?;
            }
            done.arrive();
            step.to("waiting until all are done");
            done.wait_progressing(others, world)?;
            *outcome.lock().unwrap() += 1;
            Ok(())
        });
        assert_eq!(*outcome.lock().unwrap(), size - 1, "{ended:?}");
        assert!(matches!(ended, Err(Error::Panicked { rank: 0, .. })), "{ended:?}");
    }
}

suite_and_exposed!(
    what_is_open_completes_and_what_was_posted_arrives,
    who_waits_for_a_rank_that_has_ended_is_told,
    nobody_is_left_to_receive_from,
    a_rank_that_panics_is_lost_to_those_who_need_it,
    a_rank_that_fails_is_the_error_of_the_launch,
    who_does_not_need_the_lost_rank_goes_on,
);

on_many_hosts!(
    what_is_open_completes_and_what_was_posted_arrives,
    who_waits_for_a_rank_that_has_ended_is_told,
    nobody_is_left_to_receive_from,
    a_rank_that_panics_is_lost_to_those_who_need_it,
    a_rank_that_fails_is_the_error_of_the_launch,
    who_does_not_need_the_lost_rank_goes_on,
);

in_calls!(
    what_is_open_completes_and_what_was_posted_arrives,
    a_rank_that_fails_is_the_error_of_the_launch
);
