//! A rank that waits for too long reports who is where, and the program goes on.
//!
//! How fast a rank answers depends on the machine. The tests therefore run again until the full answer
//! has come, and check each report on the way for what it must never say.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::order::GroupId;
use runahead::{Activity, Whereabouts};

use crate::harness::{Case, Gate};

/// Rank `w` is in the runtime, or computes, until all others have reported; then it enters, and the
/// barrier completes. Returns whether all that could answer were given the time to.
fn withhold(case: &Case, size: usize, w: usize, computes: bool) -> bool {
    let mut config = case.config(size);
    config.stall_after = Duration::from_millis(1);
    let (entered, reported) = (Gate::new(), Arc::new(Gate::new()));
    let count = Arc::new(AtomicUsize::new(0));
    let places = Arc::new(Mutex::new(Vec::new()));
    case.run_with(&config, size, |world, step| {
        let epoch = 1;
        let activity = Activity::Barrier { group: GroupId::WORLD, epoch };
        let (reported_too, count, places) =
            (Arc::clone(&reported), Arc::clone(&count), Arc::clone(&places));
        // Those who only gather reports must not end a wait that is none of the barrier's.
        world.on_stall(move |report| {
            if report.activity == activity {
                count.fetch_add(1, Ordering::Relaxed);
                places.lock().unwrap().push(report.clone());
                reported_too.arrive();
            }
        })?;
        if world.rank() == w {
            step.to("withheld");
            match computes {
                true => reported.wait_computing(size - 1),
                false => reported.wait_progressing(size - 1, world)?,
            }
            // It enters and goes on without waiting: the report of its wait would be one more.
            world.barrier()?;
            return Ok(());
        }
        let barrier = world.barrier()?;
        // One that is asked before it has called the barrier rightly says so.
        entered.arrive();
        entered.wait_progressing(size - 1, world)?;
        step.to("waiting");
        barrier.wait()
    });
    assert_eq!(count.load(Ordering::Relaxed), size - 1, "once for each wait");
    let mut all = true;
    for report in places.lock().unwrap().iter() {
        assert_eq!(report.open_barrier, Some((GroupId::WORLD, 1)));
        for &(rank, place) in &report.others {
            let named = report.not_entered.contains(&rank);
            match place {
                Whereabouts::NoAnswer => {
                    // The board shows who has not entered.
                    assert_eq!(
                        named,
                        (case.network.sees)(size, report.rank, w) && rank == w,
                        "{report}"
                    );
                    all &= computes && rank == w;
                }
                _ if rank == w => assert!(!computes && named, "{report}"),
                Whereabouts::In(Activity::Barrier { .. } | Activity::Nothing) => {
                    assert!(!named, "{report}");
                }
                _ => panic!("{report}"),
            }
        }
    }
    all
}

/// A rank that has not entered and progresses is named, and nobody else; once.
/// SEMANTICS: HANG-1
fn a_rank_that_is_elsewhere_is_named(case: &Case) {
    for size in [2, 5] {
        while !withhold(case, size, size - 1, false) {}
    }
}

/// A rank that computes is said not to have answered.
/// SEMANTICS: HANG-1
fn a_rank_that_computes_gives_no_answer(case: &Case) {
    for size in [2, 5] {
        while !withhold(case, size, 0, true) {}
    }
}

suite!(a_rank_that_is_elsewhere_is_named, a_rank_that_computes_gives_no_answer);

on_many_hosts!(a_rank_that_is_elsewhere_is_named, a_rank_that_computes_gives_no_answer);
