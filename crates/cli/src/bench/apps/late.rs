//! What the ranks of a loop cannot avoid beside others: a step needs what others have computed in the one before,
//! and they compute it when they have a core.

use runahead::{Comm, Result};

use crate::sys::now_ns;

/// How long the work of each step took at this rank, with the time that others had its core.
#[derive(Debug, Default)]
pub(super) struct Works(Vec<u64>);

impl Works {
    pub(super) fn with_capacity(steps: u32) -> Works {
        Works(Vec::with_capacity(steps as usize))
    }

    /// Does the work of a step.
    pub(super) fn timed(&mut self, work: impl FnOnce()) {
        let start_ns = now_ns();
        work();
        self.0.push(now_ns() - start_ns);
    }

    /// At rank 0, how long the loop takes if nothing but work takes time. A step of a rank needs the one before of
    /// itself and of those that `needs` names.
    ///
    /// # Errors
    ///
    /// Those of gathering.
    pub(super) fn least_ns<I: Iterator<Item = usize>>(
        &self,
        world: &Comm,
        needs: impl Fn(usize) -> I,
    ) -> Result<Option<u64>> {
        let all = world.gather(0, &self.0)?;
        Ok(all.map(|all| least_ns(&all.iter().collect::<Vec<_>>(), needs)))
    }
}

/// The longest path through the steps, of which `works[r][s]` is how long rank `r` works in step `s`.
fn least_ns<I: Iterator<Item = usize>>(works: &[&[u64]], needs: impl Fn(usize) -> I) -> u64 {
    let steps = works.iter().map(|works| works.len()).min().unwrap_or_default();
    let mut done_ns = vec![0; works.len()];
    for step in 0..steps {
        let begin_ns =
            |rank: usize| needs(rank).map(|other| done_ns[other]).fold(done_ns[rank], u64::max);
        done_ns = (0..works.len()).map(|rank| begin_ns(rank) + works[rank][step]).collect();
    }
    done_ns.into_iter().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::least_ns;

    /// Each rank is late in one step. A rank that needs all waits for each of them, one that needs a neighbour for
    /// those that it could have heard of, and one that needs nobody for none.
    #[test]
    fn only_those_that_are_needed_are_waited_for() {
        let works: [&[u64]; 3] = [&[9, 1, 1], &[1, 1, 9], &[1, 9, 1]];
        assert_eq!(least_ns(&works, |_| 0..3), 27);
        assert_eq!(least_ns(&works, |_| 0..0), 11);
        assert_eq!(least_ns(&works, |rank| rank.saturating_sub(1)..rank), 19);
        assert_eq!(least_ns(&[], |_| 0..0), 0);
    }
}
