//! Ends and losses at awkward moments.

use std::sync::Mutex;

use runahead::{Error, MessageError, Result};
use runahead_testkit::effort::bound;

use crate::harness::{Case, Gate, die, message_error};
use crate::waiting::ways;

/// A rank that enters a barrier and fails before it has forwarded what others need of it does not
/// leave them waiting for ever.
/// SEMANTICS: END-2
fn a_rank_that_fails_inside_a_barrier_strands_nobody(case: &Case) {
    let mut parts = 0..;
    for algorithm in runahead::Algorithm::ALL {
        for size in [3, 4, 5, 8] {
            let mut config = case.config(size);
            config.algorithm = algorithm;
            for failing in 0..size {
                if !case.has_part(parts.next().unwrap()) {
                    continue;
                }
                // Its neighbours call the barrier only when it has failed, so it cannot forward.
                let failed = Gate::new();
                let outcome = case.outcome(&config, size, |world, step| {
                    if world.rank() == failing {
                        world.barrier()?;
                        failed.arrive();
                        return Err(Error::other("failed inside"));
                    }
                    step.to("computing until the rank has failed");
                    failed.wait_computing(1);
                    step.to("waiting for the barrier");
                    world.barrier()?.wait()
                });
                let Err(Error::Rank { rank, error }) = outcome else { panic!("{outcome:?}") };
                assert_eq!((rank, error.to_string().as_str()), (failing, "failed inside"));
            }
        }
    }
}

/// The same, of a rank that others need only by way of a third.
/// SEMANTICS: END-2
fn a_failure_reaches_those_who_need_the_rank_over_others(case: &Case) {
    let size = 8;
    let failed = Gate::new();
    let outcome = case.outcome(&case.config(size), size, |world, step| {
        let barrier = world.barrier()?;
        match world.rank() {
            1 => {
                failed.arrive();
                Err(Error::other("failed inside"))
            }
            0 => {
                failed.wait_computing(1);
                step.to("waiting for the barrier");
                barrier.wait()
            }
            rank => {
                // Would wait for ever, unless the rank before it fails in turn.
                step.to("receiving from the rank before");
                world.recv::<u8>(rank - 1, 1).map(drop)
            }
        }
    });
    let Err(Error::Rank { rank: 1, .. }) = outcome else { panic!("{outcome:?}") };
}

/// A rank that waits for nothing but another's death notices it, however it waits.
/// SEMANTICS: END-2
fn a_sleeper_notices_a_death(case: &Case) {
    for notify in ways() {
        for size in [2, 3, 8] {
            let mut config = case.config(size);
            config.notify = notify;
            for _ in 0..case.times(5) {
                let outcome = case.outcome(&config, size, |world, step| {
                    if world.rank() == 0 {
                        die("gone");
                    }
                    step.to("receiving from the dead");
                    let error = message_error(world.recv::<u8>(0, 1));
                    assert_eq!(error, MessageError::PeerLost { rank: 0 });
                    Ok(())
                });
                assert!(matches!(outcome, Err(Error::Panicked { rank: 0, .. })), "{outcome:?}");
            }
        }
    }
}

/// All that a rank had sent before it ended can be received after, its large messages included,
/// and also by those who wait for it while it goes.
/// SEMANTICS: END-1
fn what_a_rank_sent_last_is_not_mistaken_for_nothing(case: &Case) {
    for notify in ways() {
        let mut config = case.config(2);
        config.notify = notify;
        config.eager_bytes = 64;
        config.segment_bytes = 128;
        for round in 0..bound([5, 20, 20]) {
            case.run_with(&config, 2, |world, step| {
                if world.rank() == 0 {
                    world.isend(1, 1, &[round])?;
                    world.isend(1, 2, &[round; 1000])?;
                    return Ok(());
                }
                step.to("receiving the small one");
                assert_eq!(world.recv::<u8>(0, 1)?.data, [round]);
                step.to("receiving the large one");
                assert_eq!(world.recv::<u8>(0, 2)?.data, [round; 1000]);
                Ok(())
            });
        }
    }
}

/// The death of a rank for which something is queued does not fail a call that has nothing to do
/// with it.
/// SEMANTICS: END-2
fn a_queue_for_a_dead_rank_fails_no_other_call(case: &Case) {
    let (sent, gone, received) = (Gate::new(), Gate::new(), Mutex::new(false));
    let mut config = case.config(3);
    config.eager_bytes = 64;
    let outcome = case.outcome(&config, 3, |world, step| match world.rank() {
        0 => {
            for number in 0..200u32 {
                world.isend(1, 1, &[number])?;
            }
            world.isend(1, 2, &[0u8; 1000])?;
            sent.arrive();
            step.to("computing until rank 1 has gone");
            gone.wait_computing(1);
            step.to("receiving from rank 2");
            assert_eq!(world.recv::<u8>(2, 1)?.data, [5]);
            *received.lock().unwrap() = true;
            Ok(())
        }
        1 => {
            sent.wait_progressing(1, world)?;
            // Gives credit back, so that rank 0 will try to send again.
            world.recv::<u32>(0, 1)?;
            for _ in 0..100 {
                world.progress()?;
            }
            die("gone");
        }
        _ => {
            step.to("watching rank 1 go");
            let error = message_error(world.recv::<u8>(1, 1));
            assert_eq!(error, MessageError::PeerLost { rank: 1 });
            gone.arrive();
            world.send(0, 1, &[5u8])
        }
    });
    assert!(*received.lock().unwrap(), "{outcome:?}");
    let Err(Error::Panicked { rank: 1, .. }) = outcome else { panic!("{outcome:?}") };
}

/// A receiver that ends while transfers to it are under way breaks nothing at their sender.
/// SEMANTICS: END-2, FLOW-4
fn a_receiver_that_ends_inside_a_transfer_is_no_culprit(case: &Case) {
    let (posted, ended) = (Gate::new(), Gate::new());
    let mut config = case.config(2);
    config.window_messages = config.window_messages.max(2);
    config.eager_bytes = 64;
    case.run_with(&config, 2, |world, step| {
        if world.rank() == 0 {
            let requests = [world.isend(1, 1, &[1u8; 500])?, world.isend(1, 1, &[2u8; 500])?];
            posted.arrive();
            step.to("progressing until the receiver's program has returned");
            ended.wait_progressing(1, world)?;
            for _ in 0..500 {
                world.progress()?;
            }
            step.to("completing what is open");
            for request in requests {
                request.wait()?;
            }
            world.barrier()?;
            return Ok(());
        }
        world.barrier()?; // keeps this rank's world from ending at once
        posted.wait_computing(1);
        let first = world.irecv::<u8>(0, 1)?;
        let second = world.irecv::<u8>(0, 1)?;
        for _ in 0..3 {
            world.progress()?;
        }
        drop((first, second));
        ended.arrive();
        Ok(())
    });
}

/// Messages that wait for credit when a barrier turns out hopeless are handed over all the same.
/// SEMANTICS: END-1
fn a_hopeless_barrier_loses_no_message_posted_before_it(case: &Case) {
    let (ended, numbers) = (Gate::new(), Mutex::new(Vec::new()));
    let outcome = case.outcome(&case.config(3), 3, |world, step| match world.rank() {
        0 => {
            for number in 0..300u32 {
                world.isend(1, 1, &[number])?;
            }
            world.barrier()?;
            Ok(())
        }
        1 => {
            step.to("computing until rank 2 has ended");
            ended.wait_computing(1);
            step.to("receiving all");
            for _ in 0..300 {
                let received: Result<_> = world.recv::<u32>(0, 1);
                numbers.lock().unwrap().push(received?.data[0]);
            }
            Ok(())
        }
        _ => {
            ended.arrive();
            Ok(())
        }
    });
    assert_eq!(*numbers.lock().unwrap(), (0..300).collect::<Vec<_>>(), "{outcome:?}");
    let Err(error) = outcome else { panic!("rank 0's barrier never completes") };
    assert!(matches!(error.culprit(), Some(1 | 2)), "{error}");
}

/// Whoever sends to a rank that has ended in order is told that, and not that it was lost.
/// SEMANTICS: END-2
fn an_orderly_end_is_not_taken_for_a_loss(case: &Case) {
    for _ in 0..20 {
        let gone = Gate::new();
        case.run(3, |world, step| match world.rank() {
            0 => {
                step.to("computing until rank 1 has ended");
                gone.wait_computing(1);
                step.to("flooding the rank that has ended");
                let error = loop {
                    if let Err(error) = world.send(1, 1, &[1u8]) {
                        break message_error::<()>(Err(error));
                    }
                };
                assert_eq!(error, MessageError::PeerEnded { rank: 1, failed: false });
                Ok(())
            }
            1 => Ok(()),
            _ => {
                let error = message_error(world.recv::<u8>(1, 1));
                assert_eq!(error, MessageError::PeerEnded { rank: 1, failed: false });
                gone.arrive();
                Ok(())
            }
        });
    }
}

/// A rank that fails while a large message waits for its receiver, and lingers, sends nothing of it
/// after its end, although the receiver makes room.
/// SEMANTICS: END-2
fn nothing_follows_the_end_of_a_rank_that_failed(case: &Case) {
    let mut config = case.config(2);
    (config.eager_bytes, config.segment_bytes) = (64, 128);
    for looks in 0..60 {
        // What fails at rank 1 would be hidden behind the failure of rank 0.
        let (posted, looked, told) = (Gate::new(), Gate::new(), Gate::new());
        let outcome = case.ending_outcome(&config, 2, |world, step| {
            if world.rank() == 0 {
                world.isend(1, 1, &[0u32; 500])?;
                posted.arrive();
                step.to("computing while the receiver makes room");
                looked.wait_computing(1);
                return Err(Error::other("failed"));
            }
            posted.wait_computing(1);
            let request = world.irecv::<u32>(0, 1)?;
            for _ in 0..looks {
                world.progress()?;
            }
            looked.arrive();
            step.to("receiving what will not come whole");
            let received = if looks % 2 == 0 {
                request.wait().map(drop)
            } else {
                drop(request);
                world.recv_into(&mut [0u32; 500], 0, 1).map(drop)
            };
            // Unless it came in the last moment.
            if let Err(error) = received {
                let error = message_error::<()>(Err(error));
                assert_eq!(error, MessageError::PeerEnded { rank: 0, failed: true });
            }
            for _ in 0..200 {
                world.progress()?;
            }
            let error = message_error(world.recv::<u32>(0, 1));
            assert_eq!(error, MessageError::PeerEnded { rank: 0, failed: true });
            told.arrive();
            Ok(())
        });
        let Err(Error::Rank { rank: 0, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(told.has(1), "after {looks} looks");
    }
}

suite_and_exposed!(
    a_rank_that_fails_inside_a_barrier_strands_nobody,
    a_failure_reaches_those_who_need_the_rank_over_others,
    a_sleeper_notices_a_death,
    what_a_rank_sent_last_is_not_mistaken_for_nothing,
    a_queue_for_a_dead_rank_fails_no_other_call,
    a_receiver_that_ends_inside_a_transfer_is_no_culprit,
    a_hopeless_barrier_loses_no_message_posted_before_it,
    an_orderly_end_is_not_taken_for_a_loss,
    nothing_follows_the_end_of_a_rank_that_failed,
);

on_many_hosts!(
    a_rank_that_fails_inside_a_barrier_strands_nobody,
    a_failure_reaches_those_who_need_the_rank_over_others,
    a_sleeper_notices_a_death,
    what_a_rank_sent_last_is_not_mistaken_for_nothing,
    a_queue_for_a_dead_rank_fails_no_other_call,
    a_receiver_that_ends_inside_a_transfer_is_no_culprit,
    a_hopeless_barrier_loses_no_message_posted_before_it,
    an_orderly_end_is_not_taken_for_a_loss,
    nothing_follows_the_end_of_a_rank_that_failed,
);
