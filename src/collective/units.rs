//! The units in which ranks combine large data for each other, and which of them a rank combines or copies next. Pure.
//!
//! Keeps rules COL-3, COL-5 and COL-11 of SEMANTICS.md.
//!
//! Each rank has all data of all, so each can combine each unit. It tells the others by two words which units it has
//! *claimed* and which it has *done*. First it combines the units of its own share. Then it claims those that nobody
//! has claimed, of ranks that are off their cores. What others have done it copies.
//!
//! # Correctness
//!
//! A claim binds nobody: when nothing else is left, a rank combines what others have claimed and not done. So it waits
//! for none, and where several combine a unit, it is to the same bits. A rank writes a unit once, before it says that
//! it is done, so whoever copies it sees all of it.

use std::ops::Range;

use super::blocks::share;
use crate::order::Rank;

/// So many units at most: a word tells of all.
const MOST_UNITS: usize = u64::BITS as usize;

/// A unit has at least so many bytes, unless there would be fewer than ranks. It is combined in some microseconds, so
/// that much is done twice at most at the end.
const UNIT_BYTES: usize = 16 << 10;

/// So many bytes of all ranks are combined before the next are begun. They stay in the caches next to the core meanwhile,
/// so what others give is all that comes from farther away.
const BLOCK_BYTES: usize = 4 << 10;

/// A block has so many elements of so many bytes, or fewer.
pub(super) fn block_len(element_bytes: usize) -> usize {
    (BLOCK_BYTES / element_bytes.max(1)).max(1)
}

/// These elements, of so many bytes each, block by block.
pub(super) fn blocks(
    elements: Range<usize>,
    element_bytes: usize,
) -> impl Iterator<Item = Range<usize>> {
    let most = block_len(element_bytes);
    let end = elements.end;
    elements.step_by(most).map(move |start| start..end.min(start + most))
}

/// What a rank says of the units, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// It has begun, or will presently.
    pub claimed: u64,
    /// It has combined them, and they can be copied.
    pub done: u64,
}

/// What a rank does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It combines this unit.
    Combine(usize),
    /// It copies this unit, which that rank has done.
    Copy(usize, Rank),
    /// It has all.
    Done,
}

/// The units of some data, as one rank sees them.
#[derive(Clone, Debug)]
pub struct Units {
    elements: usize,
    count: usize,
    rank: Rank,
    size: usize,
    /// Those that the rank does not have yet.
    left: u64,
}

impl Units {
    /// Those of so many elements, of so many bytes each, for one of `size` ranks.
    pub fn new(elements: usize, element_bytes: usize, (rank, size): (Rank, usize)) -> Units {
        let bytes = elements.saturating_mul(element_bytes);
        let count = bytes.div_ceil(UNIT_BYTES).max(size).min(elements).clamp(1, MOST_UNITS);
        Units { elements, count, rank, size, left: u64::MAX >> (MOST_UNITS - count) }
    }

    /// The elements of a unit.
    pub fn range(&self, unit: usize) -> Range<usize> {
        share(self.elements, self.count, unit)
    }

    /// The units of a rank's share.
    fn share_of(&self, rank: Rank) -> u64 {
        let Range { start, end } = share(self.count, self.size, rank);
        let below = |unit: usize| u64::MAX.checked_shr((MOST_UNITS - unit) as u32).unwrap_or(0);
        below(end) & !below(start)
    }

    /// What the rank does next, as far as each rank has told, by rank; nothing of this one.
    pub fn poll_step(&self, told: impl Iterator<Item = (Rank, Told)> + Clone) -> Step {
        if self.left == 0 {
            return Step::Done;
        }
        let (claimed, done) = told
            .clone()
            .fold((0, 0), |(claimed, done), (_, told)| (claimed | told.claimed, done | told.done));
        let free = self.left & !claimed & !done;
        if let Some(unit) = first(free & self.share_of(self.rank)) {
            return Step::Combine(unit);
        }
        // Of another's share the last: that one begins with the first.
        let others = (1..self.size).map(|distance| (self.rank + distance) % self.size);
        if let Some(unit) = others.clone().find_map(|rank| last(free & self.share_of(rank))) {
            return Step::Combine(unit);
        }
        let found =
            told.clone().find_map(|(rank, told)| Some((first(told.done & self.left)?, rank)));
        if let Some((unit, rank)) = found {
            return Step::Copy(unit, rank);
        }
        // Whoever has claimed them may be off its core. One that is not begins with the first.
        last(self.left).map_or(Step::Done, Step::Combine)
    }

    /// The unit that a rank combines next in a scan, and the highest of the lower ranks that have done it, as far
    /// as they have told. None if it has all.
    pub fn poll_prefix(
        &self,
        told: impl Iterator<Item = (Rank, Told)>,
    ) -> Option<(usize, Option<Rank>)> {
        let of_rank = |(rank, told): (Rank, Told)| Some((first(told.done & self.left)?, rank));
        if let Some((unit, rank)) = told.filter_map(of_rank).max_by_key(|&(_, rank)| rank) {
            return Some((unit, Some(rank)));
        }
        // From its own share on, once around.
        let above = share(self.count, self.size, self.rank).start as u32;
        let above = self.left & u64::MAX.checked_shl(above).unwrap_or(0);
        Some((first(above).or_else(|| first(self.left))?, None))
    }

    /// The rank has this unit.
    pub fn handle_unit(&mut self, unit: usize) {
        self.left &= !(1 << unit);
    }
}

fn first(units: u64) -> Option<usize> {
    (units != 0).then_some(units.trailing_zeros() as usize)
}

fn last(units: u64) -> Option<usize> {
    units.checked_ilog2().map(|unit| unit as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_are_all_elements_in_order() {
        for (elements, element_bytes) in
            [(3..3, 8), (3..4, 8), (0..512, 8), (5..1030, 8), (2..4, 9000)]
        {
            let mut next = elements.start;
            for block in blocks(elements.clone(), element_bytes) {
                assert_eq!(block.start, next);
                assert!(block.len() == 1 || block.len() * element_bytes <= BLOCK_BYTES);
                next = block.end;
            }
            assert_eq!(next, elements.end);
        }
        assert_eq!(blocks(1..2000, 8).count(), 4);
    }

    /// One rank of a call in which all have given their data.
    #[derive(Clone)]
    struct Model {
        units: Units,
        told: Told,
        /// What it combines just now.
        busy: Option<usize>,
        combined: usize,
    }

    struct Ranks(Vec<Model>);

    impl Ranks {
        fn new(elements: usize, size: usize) -> Ranks {
            let units = |rank| Units::new(elements, 8, (rank, size));
            let told = Told::default();
            Ranks(
                (0..size)
                    .map(|rank| Model { units: units(rank), told, busy: None, combined: 0 })
                    .collect(),
            )
        }

        fn told(&self, by: Rank) -> Vec<(Rank, Told)> {
            self.0
                .iter()
                .enumerate()
                .filter(|&(rank, _)| rank != by)
                .map(|(rank, it)| (rank, it.told))
                .collect()
        }

        /// The rank does one step: it claims a unit and begins, or ends with it, or copies one. False if it has all.
        fn step(&mut self, rank: Rank) -> bool {
            let told = self.told(rank);
            let it = &mut self.0[rank];
            if let Some(unit) = it.busy.take() {
                it.told.done |= 1 << unit;
                it.units.handle_unit(unit);
                return true;
            }
            match it.units.poll_step(told.iter().copied()) {
                Step::Combine(unit) => {
                    assert_eq!(it.told.claimed >> unit & 1, 0, "unit {unit} twice");
                    it.told.claimed |= 1 << unit;
                    it.combined += 1;
                    it.busy = Some(unit);
                }
                Step::Copy(unit, from) => {
                    assert!(self.0[from].told.done >> unit & 1 == 1, "unit {unit} is not done");
                    self.0[rank].units.handle_unit(unit);
                }
                Step::Done => return false,
            }
            true
        }

        fn combined(&self) -> usize {
            self.0.iter().map(|it| it.combined).sum()
        }
    }

    proptest! {
        /// Wherever all others stop for good, a rank comes to its end. (Planted: a rank that leaves alone what others
        /// have claimed.)
        /// SEMANTICS: COL-11
        #[test]
        fn nobody_waits_for_who_has_claimed(
            size in 3usize..10,
            elements in 1usize..200_000,
            steps in proptest::collection::vec(any::<prop::sample::Index>(), 0..300),
            runs in any::<prop::sample::Index>(),
        ) {
            let mut ranks = Ranks::new(elements, size);
            for step in steps {
                ranks.step(step.index(size));
            }
            let rank = runs.index(size);
            let count = ranks.0[rank].units.count;
            let mut left = 2 * count + 2;
            while ranks.step(rank) {
                left -= 1;
                prop_assert!(left > 0, "rank {rank} does not come to its end");
            }
            prop_assert_eq!(ranks.0[rank].units.left, 0);
        }

        /// A rank of a scan finds the highest of what lower ranks have done, whatever that is, and comes to its end.
        /// SEMANTICS: COL-11
        #[test]
        fn a_prefix_begins_with_the_most_that_is_done(
            size in 3usize..10,
            elements in 1usize..100_000,
            done in proptest::collection::vec(any::<u64>(), 10),
        ) {
            let rank = size - 1;
            let mut units = Units::new(elements, 4, (rank, size));
            let told: Vec<(Rank, Told)> =
                (1..rank).map(|lower| (lower, Told { claimed: 0, done: done[lower] })).collect();
            let mut seen = 0u64;
            while let Some((unit, found)) = units.poll_prefix(told.iter().copied()) {
                prop_assert!(unit < units.count && seen >> unit & 1 == 0, "unit {unit} twice");
                seen |= 1 << unit;
                let highest = told.iter().rev().find(|(_, told)| told.done >> unit & 1 == 1);
                prop_assert_eq!(found, highest.map(|&(lower, _)| lower));
                units.handle_unit(unit);
            }
            prop_assert_eq!(seen.count_ones() as usize, units.count);
        }
    }

    proptest! {
        /// Whatever others tell, and however that changes from look to look, a rank has each unit once. (Planted: a rank that
        /// copies what is done of units that there are not, or that it has.)
        /// SEMANTICS: COL-11, SAFE-1
        #[test]
        fn false_words_lead_to_each_unit_once(
            size in 3usize..17,
            elements in 1usize..200_000,
            rank in any::<prop::sample::Index>(),
            seed in any::<u64>(),
            in_scan in any::<bool>(),
        ) {
            let mut units = Units::new(elements, 8, (rank.index(size), size));
            let random = std::cell::RefCell::new(fastrand::Rng::with_seed(seed));
            let word = || {
                let mut random = random.borrow_mut();
                [0, u64::MAX, random.u64(..), 1 << random.u32(..64)][random.usize(..4)]
            };
            let told = (0..size).map(|rank| (rank, Told { claimed: word(), done: word() }));
            let mut seen = 0u64;
            for _ in 0..units.count {
                let (unit, from) = match in_scan {
                    true => units.poll_prefix(told.clone()).expect("some are left"),
                    false => match units.poll_step(told.clone()) {
                        Step::Combine(unit) => (unit, None),
                        Step::Copy(unit, from) => (unit, Some(from)),
                        Step::Done => return Err(TestCaseError::fail("some are left")),
                    },
                };
                prop_assert!(unit < units.count && seen >> unit & 1 == 0, "unit {unit}");
                prop_assert!(units.range(unit).end <= elements && from.is_none_or(|from| from < size));
                seen |= 1 << unit;
                units.handle_unit(unit);
            }
            prop_assert_eq!(units.poll_step(told.clone()), Step::Done);
            prop_assert_eq!(units.poll_prefix(told.clone()), None);
        }
    }

    /// Ranks that run together share the work, and those that do not run leave it to the others.
    #[test]
    fn the_work_is_done_about_once() {
        for (size, running) in [(4, 4), (4, 2), (8, 8), (8, 2), (8, 1), (16, 5)] {
            let mut ranks = Ranks::new(1 << 17, size);
            let count = ranks.0[0].units.count;
            assert_eq!(count, 64);
            while (0..running).fold(false, |any, rank| ranks.step(rank) | any) {}
            let combined = ranks.combined();
            // At the end each may combine what another has claimed.
            assert!(
                (count..count + running).contains(&combined),
                "{combined} of {count}, {running} of {size} run"
            );
            (running..size).for_each(|rank| while ranks.step(rank) {});
            assert_eq!(ranks.combined(), combined, "who comes late finds all done");
        }
    }

    #[test]
    fn units_cover_all_elements_and_each_rank_has_a_share() {
        for size in [3, 4, 7, 16] {
            for elements in [1, 2, 15, 1000, 4096, 100_000, 5_000_000] {
                let units = Units::new(elements, 8, (0, size));
                assert!((1..=MOST_UNITS).contains(&units.count));
                let mut at = 0;
                for unit in 0..units.count {
                    assert_eq!(units.range(unit).start, at);
                    at = units.range(unit).end;
                }
                assert_eq!(at, elements);
                let all = (0..size).fold(0u64, |all, rank| {
                    let share = units.share_of(rank);
                    assert_eq!(all & share, 0);
                    assert!(elements < size || share != 0, "{elements} elements, {size} ranks");
                    all | share
                });
                assert_eq!(all, units.left);
            }
        }
    }
}
