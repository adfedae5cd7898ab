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
use super::combine::{combine_both, combine_into};
use super::given::{AllGiven, Theirs};
use super::units::{Step, Units, block_len, blocks};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Combines the data of all ranks in `result`, in the order of ranks, `part_bytes` of each at a time. What this rank has
    /// is `given`, or stands in `result`.
    pub(super) fn all_reduce_in_parts<T: Element>(
        &self,
        call: &Call,
        given: Option<&[T]>,
        result: &mut [T],
        part_bytes: usize,
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (bytes, most) = (size_of_val(result), (part_bytes / size_of::<T>()).max(1));
        // Of one call there is one deposit.
        let call = &call.deposited_if(false);
        for (nth, part) in result.chunks_mut(most).enumerate() {
            let given = given.map(|given| &given[nth * most..][..part.len()]);
            self.all_reduce_with_help(call, given, (part, bytes), &combine)?;
        }
        Ok(())
    }

    /// Combines the data of all ranks in `result`, in the order of ranks. They are a part of so many bytes. What this rank has
    /// is `given`, or stands in `result`.
    pub(super) fn all_reduce_with_help<T: Element>(
        &self,
        call: &Call,
        given: Option<&[T]>,
        (result, whole_bytes): (&mut [T], usize),
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let (count, bytes) = (result.len(), size_of_val(result));
        let mut all = AllGiven::begin(self, call, whole_bytes, self.other_members())?;
        let (posted, done) = all.post(call, self.others(), given.unwrap_or(result), true);
        done?;
        for from in 0..size {
            if from == rank {
                all.skip_own();
                continue;
            }
            let left = (from..size).filter(|&left| left != rank);
            let others = self.others_from(from);
            let taken = all.take(call, (from, others), bytes);
            taken.map_err(|error| self.most_telling(call, left, error))?;
        }
        let mut units = Units::new(count, size_of::<T>(), (rank, size));
        self.collectives.scratch.with_room(3 * block_len(size_of::<T>()), |rooms| {
            let combine = &combine;
            let mut combined = Combined { ranks: (rank, size), given, result, combine, rooms };
            all.theirs().share(&mut units, size_of::<T>(), &mut combined);
        });
        drop(all);
        self.see_off(posted)
    }
}

/// The result of a rank, of which others see units.
pub(super) trait InUnits<N: Nic> {
    /// Combines these elements of all ranks, in the order of ranks.
    fn combine(&mut self, block: Range<usize>, theirs: &Theirs<N>);

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
                    for block in blocks(range.clone(), element_bytes) {
                        result.combine(block, self);
                    }
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

/// The result of a blocking call.
struct Combined<'d, T, F> {
    ranks: (Rank, usize),
    /// What this rank gives. None where it stands in the result.
    given: Option<&'d [T]>,
    result: &'d mut [T],
    combine: &'d F,
    /// For three blocks: of this rank where it stands in the result, and of two where no elements may lie.
    rooms: &'d mut [T],
}

impl<T: Element, F: Fn(T, T) -> T, N: Nic> InUnits<N> for Combined<'_, T, F> {
    fn combine(&mut self, block: Range<usize>, theirs: &Theirs<N>) {
        let Combined { ranks: (rank, size), given, result, combine, rooms } = self;
        let total = &mut result[block.clone()];
        let (own_room, rooms) = rooms.split_at_mut(block.len());
        let (room, second_room) = rooms.split_at_mut(block.len());
        let own = match given {
            Some(given) => &given[block.clone()],
            None => {
                copy(total, own_room);
                own_room
            }
        };
        let sources = Sources { theirs, rank: *rank, own, block };
        combine_both(total, sources.of(0, room), sources.of(1, second_room), combine);
        for from in 2..*size {
            combine_into(total, sources.of(from, room), combine);
        }
    }

    fn bytes(&mut self, unit: Range<usize>) -> &mut [u8] {
        self.result[unit].as_mut_bytes()
    }
}

/// What all ranks have of a block.
struct Sources<'s, T, N: Nic> {
    theirs: &'s Theirs<N>,
    rank: Rank,
    own: &'s [T],
    block: Range<usize>,
}

impl<T: Element, N: Nic> Sources<'_, T, N> {
    fn of<'s>(&'s self, from: Rank, room: &'s mut [T]) -> &'s [T] {
        match from == self.rank {
            true => self.own,
            false => self.theirs.elements((from, self.block.clone()), room),
        }
    }
}
