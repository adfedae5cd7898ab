//! The end of a world while something is under way.

use std::sync::Barrier;
use std::time::Duration;

use runahead::internals::message::SIGNAL;
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::launch::run_on;
use runahead::{Algorithm, Config, Error, Launch, MessageError, Source};

use super::{pair, settle};

/// Every transfer in segments of this, of which all fit the window.
fn rendezvous() -> Config {
    Config { eager_bytes: 8, segment_bytes: 64, ..Config::new(2) }
}

// SEMANTICS: END-1, FLOW-4
#[test]
fn a_rank_that_ends_with_transfers_pending_breaks_nobody() {
    // Rank 1 has matched two transfers and ends when the first is on its way. It then has room
    // for the second, of which rank 0 knows nothing any more.
    let streamed = Barrier::new(2);
    Launch::new(2)
        .options(rendezvous())
        .run(|world| {
            if world.rank() == 0 {
                let first = world.isend(1, 0, &[1u8; 100])?;
                world.isend(1, 0, &[2u8; 100])?;
                world.send(1, 9, &[0u8])?;
                while !first.test()? {}
                streamed.wait();
                // More than the window takes: what rank 1 will never receive is dropped, as it has
                // called a barrier that this rank has not called yet.
                for _ in 0..1000 {
                    world.send(1, 5, &[0u8])?;
                }
            } else {
                world.recv::<u8>(0, 9)?;
                let first = world.irecv::<u8>(0, 0)?;
                let second = world.irecv::<u8>(0, 0)?;
                streamed.wait();
                drop((first, second));
            }
            world.barrier()?;
            Ok(())
        })
        .unwrap();
}

// SEMANTICS: END-1, END-2
#[test]
fn a_blocked_large_send_to_a_rank_that_ends_fails_and_is_not_waited_for() {
    // Where a copy has room, the send is done once the window has.
    let config = Config { window_messages: 1, heap_bytes: 0, ..rendezvous() };
    for _ in 0..20 {
        Launch::new(2)
            .options(config.clone())
            .run(|world| {
                if world.rank() == 0 {
                    world.send(1, 0, &[1u8])?;
                    let error = world.send(1, 0, &[2u8; 100]).unwrap_err();
                    assert!(
                        matches!(error, Error::Message(MessageError::PeerEnded { rank: 1, .. })),
                        "{error}"
                    );
                } else {
                    world.recv::<u8>(0, 0)?;
                }
                Ok(())
            })
            .unwrap();
    }
}

// SEMANTICS: END-2, BAR-4
#[test]
fn a_rank_that_fails_before_it_has_passed_a_barrier_on_is_named() {
    for algorithm in [Algorithm::Butterfly, Algorithm::default()] {
        for size in [3, 4, 8] {
            let failed = Barrier::new(size);
            let outcome = Launch::new(size).algorithm(algorithm).run(|world| {
                if world.rank() == size - 1 {
                    world.barrier()?;
                    failed.wait();
                    return Err(Error::other("on purpose"));
                }
                failed.wait();
                match world.barrier()?.wait() {
                    // Some get through without it, as far as the algorithm allows.
                    Ok(()) => Ok(()),
                    Err(error) => {
                        assert!(error.culprit().is_some(), "{error}");
                        Ok(())
                    }
                }
            });
            assert!(matches!(outcome, Err(Error::Rank { rank, .. }) if rank == size - 1));
        }
    }
}

// SEMANTICS: END-1
#[test]
fn two_ranks_that_end_with_messages_to_each_other_end() {
    for window_messages in [1, 2, 8] {
        let config = Config { window_messages, ..rendezvous() };
        Launch::new(3)
            .options(config)
            .run(|world| {
                for to in (0..3).filter(|&to| to != world.rank()) {
                    for number in 0..5u8 {
                        world.isend(to, 0, &[number])?;
                        world.isend(to, 0, &[number; 100])?;
                    }
                }
                world.barrier()?;
                Ok(())
            })
            .or_else(|error| match error {
                // One that has ended already may be sent nothing more; that is told. Nothing else
                // is: all have called the barrier, and none has failed.
                Error::Rank { error, .. }
                    if matches!(
                        *error,
                        Error::Message(MessageError::PeerEnded { failed: false, .. })
                    ) =>
                {
                    Ok(())
                }
                error => Err(error),
            })
            .unwrap();
    }
}

// SEMANTICS: END-1
#[test]
fn an_end_hands_over_what_was_posted() {
    let config = Config { window_messages: 2, ..rendezvous() };
    let numbers = Launch::new(2)
        .options(config)
        .collect(|world| {
            if world.rank() == 0 {
                for number in 0..20u8 {
                    world.isend(1, 0, &[number])?;
                    world.isend(1, 1, &[number; 100])?;
                }
                return Ok(0);
            }
            for number in 0..20u8 {
                assert_eq!(world.recv::<u8>(Source::Any, 0)?.data, [number]);
                assert_eq!(world.recv::<u8>(Source::Any, 1)?.data, [number; 100]);
            }
            let error = world.recv::<u8>(Source::Any, 0).unwrap_err();
            assert_eq!(error.culprit(), Some(0));
            Ok(20)
        })
        .unwrap();
    assert_eq!(numbers, [0, 20]);
}

// SEMANTICS: END-2
#[test]
fn what_waits_for_a_rank_that_ends_is_told() {
    let config = Config { window_messages: 1, ..rendezvous() };
    let (first, second) = pair(&config);
    first.isend(1, 0, &[1u8]).unwrap();
    let queued = first.isend(1, 0, &[2u8]).unwrap();
    let large = first.isend(1, 0, &[3u8; 100]).unwrap();
    settle(&[&first, &second]);
    second.end(false).unwrap();
    first.progress().unwrap();
    assert!(queued.test().unwrap() && large.test().unwrap());
    assert_eq!(queued.wait().unwrap_err().culprit(), Some(1));
    assert_eq!(large.wait().unwrap_err().culprit(), Some(1));
    first.end(false).unwrap();
}

// SEMANTICS: END-1, BAR-3, BAR-4
#[test]
fn where_signals_are_lost_nobody_leaves_too_early() {
    for seed in 0..20 {
        let config =
            Config { open_barriers: 3, resend_after: Duration::from_micros(50), ..Config::new(4) };
        let plan = FaultPlan {
            seed,
            lossy: vec![SIGNAL],
            drop_per_mille: 300,
            duplicate_per_mille: 100,
            max_delay_ticks: 3,
            ..FaultPlan::default()
        };
        let nics = Launch::new(4).options(config.clone()).connect().unwrap();
        let nics = nics.into_iter().map(|nic| Fault::new(nic, plan.clone())).collect();
        run_on(nics, &config, |world| {
            for superstep in 0..20u64 {
                world.send((world.rank() + 1) % 4, 0, &[superstep])?;
                world.barrier()?;
                assert_eq!(world.recv::<u64>(Source::Any, 0)?.data, [superstep]);
            }
            Ok(())
        })
        .unwrap();
    }
}
