//! What is peculiar to the board: one store a barrier, places that run out and come back, and ranks
//! that go. Providers without shared words run the same programs by signals.

use runahead::{Algorithm, Config, MessageError, Result};

use crate::harness::{Case, Gate, World, die, message_error};

/// A barrier sends no signal, and is published once.
/// SEMANTICS: BAR-2, BAR-4
fn a_barrier_is_one_publication(case: &Case) {
    for size in [2, 3, 8] {
        case.run(size, |world, step| {
            for epoch in 1..=20 {
                step.to(format!("barrier {epoch}"));
                world.barrier()?.wait()?;
            }
            let stats = world.stats()?;
            let published = if case.network.shares_words { 20 } else { 0 };
            assert_eq!(stats.publications, published);
            assert_eq!(stats.signals_sent == 0, case.network.shares_words);
            Ok(())
        });
    }
}

/// Where no place is left, groups go by signals, at all members alike; when groups are dropped their
/// places come back.
/// SEMANTICS: BAR-1, BAR-4, GRP-2, GRP-3
fn places_run_out_and_come_back(case: &Case) {
    let places = Config::BOARD_SLOTS - 1;
    let expected = if case.network.shares_words { places } else { 0 };
    let used = |comms: &[World]| -> Result<usize> {
        for comm in comms {
            comm.barrier()?.wait()?;
        }
        Ok(comms.iter().filter(|comm| comm.algorithm() == Algorithm::Board).count())
    };
    // Between hosts it takes a moment until all have heard that the members of a group are done with it.
    let made = |make: &dyn Fn() -> Result<Vec<World>>| -> Result<Vec<World>> {
        loop {
            let comms = make()?;
            match used(&comms)? {
                fewer if fewer < expected && case.has_hosts(3) => {}
                count => {
                    assert_eq!(count, expected);
                    return Ok(comms);
                }
            }
        }
    };
    case.run(3, |world, step| {
        for round in 0..3 {
            step.to(format!("round {round}"));
            let all = made(&|| (0..places + 3).map(|_| world.dup()).collect())?;
            assert_ne!(all[places].algorithm(), Algorithm::Board);
            drop(all);
            // All have dropped them now.
            world.barrier()?.wait()?;
        }
        // Groups that share no rank are no burden to each other.
        let color = u32::from(world.rank() == 2);
        made(&|| (0..places).map(|_| world.split(color, 0)).collect())?;
        Ok(())
    });
}

/// What a rank published before it died stays valid; the next barrier fails. (On another host it is the last of its host to
/// enter who tells of it, and the loss may be noticed before.)
/// SEMANTICS: END-2
fn a_barrier_that_a_lost_rank_had_entered_completes(case: &Case) {
    if !case.network.shares_words {
        // There a signal may be lost with its sender.
        return;
    }
    for size in [2, 3, 5] {
        let gone = Gate::new();
        let outcome = case.ending_outcome(&case.config(size), size, |world, step| {
            if world.rank() == 1 {
                world.barrier()?;
                gone.arrive();
                die("on purpose");
            }
            gone.wait_computing(1);
            step.to("the barrier that it had entered");
            match world.barrier()?.wait() {
                Err(error)
                    if !(case.network.sees)(size, world.rank(), 1) && case.has_mate(size, 1) =>
                {
                    let error = message_error::<()>(Err(error));
                    assert!(matches!(error, MessageError::PeerLost { rank: 1 }), "{error}");
                }
                done => done?,
            }
            step.to("one that it never enters");
            let error = message_error(world.barrier()?.wait());
            assert!(matches!(error, MessageError::PeerLost { rank: 1 }), "{error}");
            Ok(())
        });
        let error = outcome.expect_err("a rank has died").to_string();
        assert_eq!(error, "rank 1 panicked: on purpose");
    }
}

suite!(
    a_barrier_is_one_publication,
    places_run_out_and_come_back,
    a_barrier_that_a_lost_rank_had_entered_completes,
);

on_many_hosts!(
    a_barrier_is_one_publication,
    places_run_out_and_come_back,
    a_barrier_that_a_lost_rank_had_entered_completes,
);

on_two_hosts!(
    a_barrier_is_one_publication,
    places_run_out_and_come_back,
    a_barrier_that_a_lost_rank_had_entered_completes,
);
