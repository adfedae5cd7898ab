//! The reduction to all of large data within a host: the ranks share the work, and those that run do that of those that
//! do not.
//!
//! Keeps rules COL-1, COL-3, COL-5, COL-7 and COL-11 of SEMANTICS.md.
//!
//! [`units`](super::units) says what a rank does next, and [`given`](super::given) how the others see it. The nonblocking form
//! shares the work in the same way ([`posted`](super::posted)).

use std::ops::Range;

use zerocopy::IntoBytes;

use super::call::Call;
use super::combine::{combine_from_lower, combine_into};
use super::given::{AllGiven, Theirs};
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
        let mut result = InPlace { comm: self, data, combine: &combine };
        all.theirs().share(&mut units, size_of::<T>(), &mut result);
        drop(all);
        self.see_off(posted)
    }
}

/// The result of a rank, of which others see units.
pub(super) trait InUnits<N: Nic> {
    /// Combines these elements of all ranks, in the order of ranks.
    fn combine(&mut self, unit: Range<usize>, theirs: &Theirs<N>);

    /// The bytes of these elements.
    fn bytes(&mut self, unit: Range<usize>) -> &mut [u8];
}

impl<N: Nic> Theirs<N> {
    /// Combines the units that nobody has combined yet, and copies those that others have. All ranks' data are there, of
    /// elements of so many bytes.
    pub(super) fn share(
        &mut self,
        units: &mut Units,
        element_bytes: usize,
        result: &mut impl InUnits<N>,
    ) {
        loop {
            let unit = match units.poll_step(self.rooms.told()) {
                Step::Combine(unit) => {
                    self.rooms.claim(unit);
                    let range = units.range(unit);
                    result.combine(range.clone(), self);
                    self.rooms.publish(unit, range.start * element_bytes, result.bytes(range));
                    unit
                }
                Step::Copy(unit, from) => {
                    let range = units.range(unit);
                    self.rooms.copy(from, range.start * element_bytes, result.bytes(range));
                    unit
                }
                Step::Done => return,
            };
            units.handle_unit(unit);
        }
    }
}

/// The result in the place of what this rank gives.
struct InPlace<'d, T, F, N: Nic> {
    comm: &'d Comm<N>,
    data: &'d mut [T],
    combine: &'d F,
}

impl<T: Element, F: Fn(T, T) -> T, N: Nic> InUnits<N> for InPlace<'_, T, F, N> {
    fn combine(&mut self, unit: Range<usize>, theirs: &Theirs<N>) {
        let (comm, combine, rank) = (self.comm, self.combine, self.comm.rank());
        let total = &mut self.data[unit.clone()];
        let append = |from, total: &mut [T]| {
            theirs.with(comm, (from, unit.clone()), total, |total, theirs| {
                combine_into(total, theirs, combine);
            });
        };
        let of_0 = (0, unit.clone());
        match rank {
            0 => {}
            1 => theirs.with(comm, of_0, total, |total, theirs| {
                combine_from_lower(total, theirs, combine);
            }),
            _ => comm.collectives.scratch.with_room(total.len(), |own: &mut [T]| {
                copy(total, own);
                theirs.with(comm, of_0, total, |total, theirs| copy(theirs, total));
                (1..rank).for_each(|from| append(from, total));
                combine_into(total, own, combine);
            }),
        }
        (rank + 1..comm.size()).for_each(|from| append(from, total));
    }

    fn bytes(&mut self, unit: Range<usize>) -> &mut [u8] {
        self.data[unit].as_mut_bytes()
    }
}
