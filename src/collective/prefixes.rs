//! Scans of large data within a host: each rank reads what lower ranks have given, and what they have combined of it so
//! far.
//!
//! Keeps rules COL-1, COL-3, COL-5, COL-6 and COL-11 of SEMANTICS.md.
//!
//! A rank that finds the combination of the rank below in its room needs one step for it, as in a chain. Where it does
//! not, it begins with that of a lower rank, or with the data of rank 0, and does the steps itself. So it waits for what
//! lower ranks give, and for nothing that they do. Ranks begin with different units: of two that run at the same time the
//! higher one finds the more.

use super::call::Call;
use super::combine::{combine_both, combine_into};
use super::given::AllGiven;
use super::units::{Units, block_len, blocks};
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Gives `data` to all higher ranks, and combines those of all lower ones in `prefix`, in their order; with this
    /// rank's own behind them if it `is_inclusive`. That of rank 0 stays as it is if it is not.
    pub(super) fn combine_prefix<T: Element>(
        &self,
        call: &Call,
        (data, is_inclusive): (&[T], bool),
        prefix: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size) = (self.rank(), self.size());
        let lower = self.other_members().without(self.others_from(rank));
        let mut all = AllGiven::begin(self, call, size_of_val(data), lower)?;
        // Before anything is received: no rank waits for something that this one waits for. What rank 0 has is a
        // prefix as it is.
        let (posted, done) = all.post(call, rank + 1..size, data, rank > 0);
        for from in 0..rank {
            let others = self.others_from(from).without(self.others_from(rank));
            all.take(call, (from, others), size_of_val(data))?;
        }
        if rank == 0 && is_inclusive {
            copy(data, prefix);
        }
        let mut units = Units::new(data.len(), size_of::<T>(), (rank, size));
        let theirs = all.theirs();
        self.collectives.scratch.with_room(block_len(size_of::<T>()), |room: &mut [T]| {
            while rank > 0
                && let Some((unit, found)) = units.poll_prefix(theirs.rooms.told())
            {
                for block in blocks(units.range(unit), size_of::<T>()) {
                    let (lower, own) = (&mut prefix[block.clone()], &data[block.clone()]);
                    match found {
                        Some(below) => theirs.rooms.copy(below, block.start, lower),
                        None => copy(theirs.elements((0, block.clone()), room), lower),
                    }
                    for from in found.unwrap_or(0) + 1..rank {
                        combine_into(lower, theirs.elements((from, block.clone()), room), combine);
                    }
                    if is_inclusive {
                        combine_into(lower, own, combine);
                        theirs.rooms.write(block.start, lower);
                    } else if theirs.rooms.are_seen() {
                        let through = &mut room[..block.len()];
                        combine_both(through, lower, own, combine);
                        theirs.rooms.write(block.start, through);
                    }
                }
                theirs.rooms.tell_done(unit);
                units.handle_unit(unit);
            }
        });
        drop(all);
        self.let_go(posted)?;
        done
    }
}
