//! The fence idiom: send, wait for a barrier, then poll for all that there can be.

use runahead::{Source, Tag};

use crate::harness::{Case, SIZES};

/// After a wait on a barrier a poll finds everything that blocking sends had sent before it, and
/// nothing that was sent after it. On providers that are not causal the first half is not promised.
/// SEMANTICS: FEN-1, ORD-1
fn a_poll_after_a_fence_finds_all(case: &Case) {
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            let rank = world.rank();
            for superstep in 0..15 {
                step.to(format!("superstep {superstep}"));
                // A pattern that only the senders know.
                let sends =
                    |from: usize, to: usize| (from * 7 + to * 3 + superstep).is_multiple_of(3);
                for to in (0..size).filter(|&to| sends(rank, to)) {
                    world.send(to, 1, &[superstep])?;
                }
                world.barrier()?.wait()?;
                let mut expected: Vec<usize> = (0..size).filter(|&f| sends(f, rank)).collect();
                while !expected.is_empty() {
                    match world.try_recv::<usize>(Source::Any, Tag::Any)? {
                        Some(message) => {
                            assert_eq!(message.data, [superstep]);
                            let at = expected.iter().position(|&from| from == message.source);
                            expected.remove(at.expect("it comes once from each that sends"));
                        }
                        None => assert!(!case.network.causal, "{expected:?} are missing"),
                    }
                }
                assert_eq!(world.try_recv::<usize>(Source::Any, Tag::Any)?, None);
                world.barrier()?;
            }
            Ok(())
        });
    }
}

suite!(a_poll_after_a_fence_finds_all);

on_many_hosts!(a_poll_after_a_fence_finds_all);
