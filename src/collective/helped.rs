//! The reduction to all of large data within a host: the ranks share the work, and those that run do that of those that
//! do not.
//!
//! Keeps rules COL-1, COL-3, COL-5, COL-7 and COL-11 of SEMANTICS.md.
//!
//! [`units`](super::units) says what a rank does next, and [`given`](super::given) how the others see it.

use super::call::Call;
use super::combine::{combine_from_lower, combine_into};
use super::given::AllGiven;
use super::units::{Step, Units};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the data of all ranks in the place of this rank's own, in the order of ranks, a part of so many bytes at a
    /// time.
    pub(super) fn all_reduce_in_parts<T: Element>(
        &self,
        call: &Call,
        data: &mut [T],
        part_bytes: usize,
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (bytes, most) = (size_of_val(data), (part_bytes / size_of::<T>()).max(1));
        data.chunks_mut(most)
            .try_for_each(|part| self.all_reduce_with_help(call, (part, bytes), &combine))
    }

    /// Combines the data of all ranks in the place of this rank's own, in the order of ranks. They are a part of so many bytes.
    pub(super) fn all_reduce_with_help<T: Element>(
        &self,
        call: &Call,
        (data, whole_bytes): (&mut [T], usize),
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let mut all = AllGiven::new(self, whole_bytes);
        let (posted, done) = all.post(call, self.others(), data, true);
        done?;
        for from in 0..size {
            if from == rank {
                all.skip_own();
                continue;
            }
            let left = (from..size).filter(|&left| left != rank);
            let taken = all.take(call, from, size_of_val(data));
            taken.map_err(|error| self.most_telling(call, left, error))?;
        }
        let mut units = Units::new(data.len(), size_of::<T>(), (rank, size));
        loop {
            let unit = match units.poll_step(all.rooms().told()) {
                Step::Combine(unit) => {
                    all.rooms().claim(unit);
                    let range = units.range(unit);
                    let total = &mut data[range.clone()];
                    self.combine_unit(&all, total, range.start, &combine);
                    all.rooms().publish(unit, range.start, total);
                    unit
                }
                Step::Copy(unit, from) => {
                    let range = units.range(unit);
                    all.rooms().copy(from, range.start, &mut data[range]);
                    unit
                }
                Step::Done => break,
            };
            units.handle_unit(unit);
        }
        drop(all);
        self.see_off(posted)
    }

    /// Combines the elements from `start` on of all ranks in `total`, which has this rank's.
    fn combine_unit<T: Element>(
        &self,
        all: &AllGiven<'_, N>,
        total: &mut [T],
        start: usize,
        combine: &impl Fn(T, T) -> T,
    ) {
        let rank = self.rank();
        let range = start..start + total.len();
        let append = |from, total: &mut [T]| {
            all.with(from, range.clone(), total, |total, theirs| {
                combine_into(total, theirs, combine);
            });
        };
        match rank {
            0 => {}
            1 => all.with(0, range.clone(), total, |total, theirs| {
                combine_from_lower(total, theirs, combine);
            }),
            _ => self.collectives.scratch.with_room(total.len(), |own: &mut [T]| {
                copy(total, own);
                all.with(0, range.clone(), total, |total, theirs| copy(theirs, total));
                (1..rank).for_each(|from| append(from, total));
                combine_into(total, own, combine);
            }),
        }
        (rank + 1..self.size()).for_each(|from| append(from, total));
    }
}
