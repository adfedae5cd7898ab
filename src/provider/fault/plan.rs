//! The plan of faults, the counts of faults made, and the fate of each message.
//!
//! Each VI has a generator of its own. The n-th message to arrive on a VI therefore meets the same
//! fate in every run with the same seed, however the threads interleave.

use crate::order::Rank;
use crate::verbs::{Cq, Vi};

/// A rank that misses an offer withdraws its own. If two missed every second one, and not the same, neither would ever
/// read anything. Of three there is always one that both read.
pub(super) const MISS_EVERY: u64 = 3;

/// Which faults a [`Fault`](super::Fault) makes. The default makes none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// The seed of all fates: the same seed gives the same fates.
    pub seed: u64,
    /// The queues on which messages may be lost, repeated and reordered. Their VIs are unreliable.
    pub lossy: Vec<Cq>,
    /// How many of 1000 messages are lost on lossy queues.
    pub drop_per_mille: u16,
    /// How many of 1000 messages arrive twice on lossy queues.
    pub duplicate_per_mille: u16,
    /// On every queue, the longest delay of a message, in ticks; each poll and each wait of the
    /// receiver is a tick. 0 means no delay. Reliable VIs stay in order.
    pub max_delay_ticks: u32,
    /// Whether this rank misses every third payload that peers offer, as one that comes late.
    pub misses_offers: bool,
}

impl FaultPlan {
    pub(super) fn is_lossy(&self, cq: Cq) -> bool {
        self.lossy.contains(&cq)
    }
}

/// What a [`Fault`](super::Fault) has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Messages lost: those dropped on arrival at this rank, and those that this rank posted on a
    /// lossy queue and that met no receive descriptor.
    pub dropped: u64,
    /// Messages for this rank that arrived twice.
    pub duplicated: u64,
    /// Arrivals at this rank that were delayed by one tick or more.
    pub delayed: u64,
    /// Offers that this rank was to accept, read or missed.
    pub offers: u64,
}

/// The fate of one message.
pub(super) struct Fate {
    /// One entry for each time that the message arrives: its delay in ticks.
    pub(super) delays: [Option<u32>; 2],
}

/// The fates of the messages of one VI.
pub(super) struct Fates {
    draws: fastrand::Rng,
    drop_per_mille: u16,
    duplicate_per_mille: u16,
    max_delay_ticks: u32,
}

impl Fates {
    pub(super) fn new(plan: &FaultPlan, rank: Rank, vi: Vi) -> Self {
        let lossy = plan.is_lossy(vi.cq);
        // Mixed by the generator itself, so that VIs have different seeds.
        let seed = [rank as u64, vi.peer as u64, u64::from(vi.cq.0)]
            .into_iter()
            .fold(plan.seed, |seed, part| fastrand::Rng::with_seed(seed ^ part).u64(..));
        Self {
            draws: fastrand::Rng::with_seed(seed),
            drop_per_mille: if lossy { plan.drop_per_mille } else { 0 },
            duplicate_per_mille: if lossy { plan.duplicate_per_mille } else { 0 },
            max_delay_ticks: plan.max_delay_ticks,
        }
    }

    /// The fate of the next message. The number of draws does not depend on the fate.
    pub(super) fn next(&mut self) -> Fate {
        let dropped = self.draws.u16(0..1000) < self.drop_per_mille;
        let doubled = self.draws.u16(0..1000) < self.duplicate_per_mille;
        let delays = [(); 2].map(|()| self.draws.u32(0..=self.max_delay_ticks));
        Fate {
            delays: [(!dropped).then_some(delays[0]), (doubled && !dropped).then_some(delays[1])],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(seed: u64, rank: Rank, peer: Rank, cq: u8) -> Vec<[Option<u32>; 2]> {
        let plan = FaultPlan {
            seed,
            lossy: vec![Cq(1)],
            drop_per_mille: 300,
            duplicate_per_mille: 300,
            max_delay_ticks: 9,
            ..FaultPlan::default()
        };
        let mut fates = Fates::new(&plan, rank, Vi { peer, cq: Cq(cq) });
        (0..200).map(|_| fates.next().delays).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_fates() {
        assert_eq!(fates(7, 0, 1, 1), fates(7, 0, 1, 1));
    }

    #[test]
    fn each_seed_and_each_vi_has_its_own_fates() {
        let one = fates(7, 0, 1, 1);
        for other in [fates(8, 0, 1, 1), fates(7, 1, 0, 1), fates(7, 0, 2, 1), fates(7, 2, 1, 1)] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn messages_on_a_reliable_queue_are_delayed_but_never_lost_or_repeated() {
        for delays in fates(7, 0, 1, 0) {
            assert!(delays[0].is_some_and(|ticks| ticks <= 9));
            assert_eq!(delays[1], None);
        }
    }

    #[test]
    fn messages_on_a_lossy_queue_meet_every_fate() {
        let fates = fates(7, 0, 1, 1);
        assert!(fates.iter().any(|f| f[0].is_none()));
        assert!(fates.iter().any(|f| f[1].is_some()));
        assert!(fates.iter().all(|f| f[0].is_some() || f[1].is_none()));
    }
}
