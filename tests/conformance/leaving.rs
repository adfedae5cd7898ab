//! Ranks that end at the same time: what one has entered just before is there for those who stay, by whichever rank's
//! memory the word of it was on its way.
//!
//! It runs besides with ranks on two hosts between which the network takes its time, and loses what is under way to a
//! rank that leaves. Keeps rule END-1 of SEMANTICS.md.

use crate::harness::{Case, Gate};

/// Ranks 0 and 3 have a barrier, which rank 0 enters last, and then ends; so does rank 2 just then, on the host of rank
/// 3, where there are two hosts; what goes there from rank 0 goes by it. (Planted: a rank that leaves with words under
/// way.)
/// SEMANTICS: END-1, BAR-1
fn who_ends_has_entered(case: &Case) {
    const SIZE: usize = 4;
    // Making connections takes longer than all else, where they are real.
    let rounds = if cfg!(guest) { 4 } else { 40 };
    for round in 0..if case.has_part(0) { rounds } else { rounds / 4 } {
        let (entered, stored) = (Gate::new(), Gate::new());
        case.run(SIZE, |world, step| {
            step.to(format!("round {round}"));
            let pair = [0, 3].contains(&world.rank()).then(|| world.group(&[0, 3])).transpose()?;
            match (world.rank(), pair) {
                (0, Some(pair)) => {
                    entered.wait_progressing(1, world)?;
                    let _stored = stored.promise();
                    pair.barrier()?;
                }
                (_, Some(pair)) => {
                    let barrier = pair.barrier()?;
                    entered.arrive();
                    step.to("waiting for who has ended");
                    barrier.wait()?;
                }
                (2, _) => stored.wait_progressing(1, world)?,
                _ => {}
            }
            Ok(())
        });
    }
}

suite!(who_ends_has_entered);

on_many_hosts!(who_ends_has_entered);

#[cfg(all(target_os = "linux", not(guest)))]
suite!(@ mixed_slow, MixedSlow, 9, who_ends_has_entered; quick, quick);

on_two_hosts!(who_ends_has_entered);
