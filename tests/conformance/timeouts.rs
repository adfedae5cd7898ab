//! A wait that runs out of time says who has not entered, and never names a rank that has.
//!
//! How fast a rank answers depends on the machine. The tests therefore ask again until the full
//! answer has come, and check each answer on the way for what it must never say.

use std::time::Duration;

use runahead::{Algorithm, Config, Error, MessageError, Result};

use crate::harness::{Case, Gate};

const SIZES: [usize; 4] = [2, 3, 5, 8];

fn lists(result: Result<()>) -> Result<(Vec<usize>, Vec<usize>)> {
    match result {
        Err(Error::Message(MessageError::BarrierTimeout { not_entered, no_answer, .. })) => {
            Ok((not_entered, no_answer))
        }
        Ok(()) => panic!("complete without the withheld rank"),
        Err(error) => Err(error),
    }
}

/// Rank `w` waits in the runtime, or outside it, until the others have got the full answer; then it
/// enters, and the barrier completes.
fn withhold(case: &Case, size: usize, w: usize, computes: bool) {
    let (entered, named) = (Gate::new(), Gate::new());
    case.run(size, |world, step| {
        if world.rank() == w {
            step.to("withheld");
            if computes {
                named.wait_computing(size - 1);
            } else {
                named.wait_progressing(size - 1, world)?;
            }
            return world.barrier()?.wait();
        }
        let barrier = world.barrier()?;
        // One that is asked before it has called the barrier rightly says so.
        entered.arrive();
        entered.wait_progressing(size - 1, world)?;
        loop {
            let (not_entered, no_answer) = lists(barrier.wait_timeout(Duration::from_millis(2)))?;
            step.to(format!("not entered {not_entered:?}, no answer {no_answer:?}"));
            // The board shows who has not entered, whether that rank answers or not.
            let silent = computes && !(case.network.sees)(size, world.rank(), w);
            let expected: &[usize] = if silent { &[] } else { &[w] };
            assert!(not_entered.iter().all(|rank| expected.contains(rank)), "{not_entered:?}");
            let silent: &[usize] = if silent { &[w] } else { &[] };
            if not_entered == expected && no_answer == silent {
                break;
            }
        }
        named.arrive();
        // The others may still have to be answered.
        named.wait_progressing(size - 1, world)?;
        step.to("waiting without a limit");
        while let Err(error) = barrier.wait_timeout(Duration::from_secs(60)) {
            assert!(matches!(error, Error::Message(MessageError::BarrierTimeout { .. })));
        }
        assert!(barrier.test()?);
        barrier.wait()
    });
}

/// A rank that has not entered and progresses says so; those that have entered are not named.
/// SEMANTICS: BAR-9
fn a_rank_that_waits_elsewhere_is_named(case: &Case) {
    for size in case.sizes(&SIZES) {
        for w in [0, size - 1] {
            withhold(case, size, w, false);
        }
    }
}

/// A rank that computes is named apart, as one that does not answer; but not on the board.
/// SEMANTICS: BAR-9
fn a_rank_that_computes_does_not_answer(case: &Case) {
    for size in [2, 5] {
        withhold(case, size, size - 1, true);
    }
}

/// A question that a rank could not answer before does not make it answer for the past.
/// SEMANTICS: BAR-9
fn an_old_answer_is_not_taken_for_a_new_one(case: &Case) {
    for _ in 0..3 {
        let (asked, entered, named) = (Gate::new(), Gate::new(), Gate::new());
        // Rank 1's signals do not come to rank 0, so that rank 0 knows of it by answers alone.
        let config = Config { algorithm: Algorithm::Dissemination, ..case.config(4) };
        case.run_with(&config, 4, |world, step| match world.rank() {
            0 => {
                let barrier = world.barrier()?;
                let (not_entered, _) = lists(barrier.wait_timeout(Duration::from_millis(1)))?;
                assert!(!not_entered.contains(&1), "it computes");
                asked.arrive();
                entered.wait_computing(1);
                for _ in 0..5 {
                    let (not_entered, _) = lists(barrier.wait_timeout(Duration::from_millis(1)))?;
                    step.to(format!("{not_entered:?} have not entered"));
                    assert!(!not_entered.contains(&1), "it has entered");
                }
                named.arrive();
                barrier.wait()
            }
            1 => {
                asked.wait_computing(1);
                world.progress()?; // answers that it has not entered
                world.barrier()?;
                entered.arrive();
                named.wait_progressing(1, world)
            }
            2 => {
                world.barrier()?;
                named.wait_progressing(1, world)
            }
            _ => {
                named.wait_progressing(1, world)?;
                world.barrier()?.wait()
            }
        });
    }
}

suite!(
    a_rank_that_waits_elsewhere_is_named,
    a_rank_that_computes_does_not_answer,
    an_old_answer_is_not_taken_for_a_new_one,
);

on_many_hosts!(
    a_rank_that_waits_elsewhere_is_named,
    a_rank_that_computes_does_not_answer,
    an_old_answer_is_not_taken_for_a_new_one,
);
