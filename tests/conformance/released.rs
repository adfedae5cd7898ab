//! Barriers that gather by words and are released to all at once, by multicast (RGM of kini-2003 §3.3); where the network
//! has none, by words. The same programs run on a network that loses what is sent to all: in the emulated machine, with
//! cables that lose packets.

use runahead::{Algorithm, Comm, Config, Result, Signals};

use crate::harness::Case;

suite!(all_are_released_at_once, groups_are_released_apart, a_release_that_is_lost_is_asked_for,);

/// Set where cables lose packets, and it would be wrong if nothing was.
const LOSS: &str = "RUNAHEAD_TEST_LOSS";

fn config(case: &Case, size: usize, fan_in: u8) -> Config {
    let algorithm: Algorithm = format!("gather-multicast:{fan_in}").parse().unwrap();
    Config { algorithm, signals: Signals::Words, ..case.config(size) }
}

fn released(world: &Comm<impl runahead::internals::verbs::Nic>) -> Result<u64> {
    Ok(world.stats()?.releases_sent)
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4
fn all_are_released_at_once(case: &Case) {
    for (nth, (size, fan_in)) in [(3, 2), (4, 3), (4, 1), (8, 7)].into_iter().enumerate() {
        if !case.has_part(nth) {
            continue;
        }
        let sent = case.run_with(&config(case, size, fan_in), size, |world, step| {
            for epoch in 1..=12 {
                step.to(format!("barrier {epoch}"));
                let barrier = world.barrier()?;
                if epoch % 3 > 0 {
                    barrier.wait()?;
                }
            }
            world.barrier()?.wait()?;
            let stats = world.stats()?;
            assert!(stats.releases_missed <= stats.releases_asked);
            released(world)
        });
        // Some of the last third go together.
        assert_eq!(sent[0] >= 8, case.network.multicasts, "{sent:?}");
        assert!(sent[0] <= 13 && sent[1..].iter().all(|&sent| sent == 0), "{sent:?}");
    }
}

/// Each has a root of its own, and what is sent to one is heard by the other, too.
/// SEMANTICS: BAR-1, BAR-4, GRP-2, GRP-3
fn groups_are_released_apart(case: &Case) {
    case.run_with(&config(case, 6, 2), 6, |world, step| {
        for round in 0..4 {
            step.to(format!("round {round}"));
            let (color, key) = (world.rank() % 2, (world.rank() + round) % 6);
            let half = world.split(color as u32, key as i64)?;
            let before = released(world)?;
            for _ in 0..5 {
                half.barrier()?.wait()?;
            }
            let sent = released(world)? - before;
            let is_root = case.network.multicasts && half.rank() == 0;
            assert_eq!(sent, if is_root { 5 } else { 0 });
            // Dropped while others may wait for the last.
            half.barrier()?;
        }
        world.barrier()?.wait()
    });
}

/// It goes on until one was lost, where that is to be expected.
/// SEMANTICS: BAR-1, BAR-4
fn a_release_that_is_lost_is_asked_for(case: &Case) {
    let expected = std::env::var_os(LOSS).is_some() && case.network.multicasts;
    let most = if expected { 400 } else { 3 };
    case.run_with(&config(case, 4, 3), 4, |world, step| {
        let mut missed = 0;
        for round in 0..most {
            step.to(format!("round {round}"));
            for _ in 0..5 {
                world.barrier()?.wait()?;
            }
            missed = world.all_reduce(&[world.stats()?.releases_missed], |a, b| a + b)?[0];
            if missed > 0 {
                break;
            }
        }
        assert!(missed > 0 || !expected, "nothing was lost in {most} rounds");
        Ok(())
    });
}
