//! Nonblocking reductions and scans of large data within a host: ranks that wait combine for those that do not.
//!
//! Keeps rules COL-3, COL-8, COL-11 and SAFE-1 of SEMANTICS.md.
//!
//! A rank posts its data in the call, with a room behind them. When it has taken those of all others, it combines units as
//! a blocking call does ([`units`](crate::collective::units)), and finds in their rooms what others have combined.
//! What it has of them it gives back then.
//!
//! # Correctness
//!
//! Nobody waits here: what a rank lacks it combines itself. Ranks need not agree on this way. One that combines all
//! by itself has no room, or leaves those of others alone, and its result has the same bits.
//!
//! A unit counts when it is combined. After an operator that panics, the same unit is combined again from its start.

use std::ops::Range;

use super::Assembly;
use super::assembly::Part;
use crate::collective::given::Theirs;
use crate::collective::units::{Step, Units};
use crate::collective::{Kind, call::Call};
use crate::comm::Comm;
use crate::order::Rank;
use crate::verbs::Nic;

/// The element byte of a message whose payload has a room behind it has this mark.
pub(super) const HAS_ROOM: u8 = crate::collective::edge::HAS_ROOM;

/// What a call has of others, and what is left to combine.
pub(super) struct Sharing<N: Nic> {
    pub(super) theirs: Theirs<N>,
    units: Units,
    element_bytes: usize,
    ranks: (Rank, usize),
    kind: Kind,
}

impl<N: Nic> Sharing<N> {
    /// How a call shares the work, if it does: its assembly has elements of so many bytes, `bytes` together.
    pub(super) fn of(
        comm: &Comm<N>,
        call: &Call,
        element_bytes: Option<usize>,
        bytes: Option<usize>,
    ) -> Option<Sharing<N>> {
        let (element_bytes, bytes, ranks) = (element_bytes?, bytes?, (comm.rank(), comm.size()));
        let combines = match call.kind {
            Kind::IallReduce => true,
            // What rank 0 has is a prefix as it is.
            Kind::Iscan | Kind::IexclusiveScan => ranks.0 > 0,
            _ => false,
        };
        // What is deposited has no room.
        let is_large = comm.gives(bytes) && !comm.is_small(bytes);
        let units = Units::new(bytes / element_bytes.max(1), element_bytes, ranks);
        let theirs = Theirs::default();
        let sharing = Sharing { theirs, units, element_bytes, ranks, kind: call.kind };
        (combines && is_large && element_bytes > 0).then_some(sharing)
    }

    /// The bytes of what each rank gives that have a unit's place.
    fn bytes_in(&self, unit: &Range<usize>) -> Range<usize> {
        unit.start * self.element_bytes..unit.end * self.element_bytes
    }

    /// Combines what nobody has combined yet, and copies what others have. All ranks' data are there.
    pub(super) fn combine<A: Assembly>(&mut self, assembly: &mut A) {
        match self.kind {
            Kind::IallReduce => self.combine_all(assembly),
            kind => self.combine_prefix(assembly, kind == Kind::Iscan),
        }
    }

    fn combine_all<A: Assembly>(&mut self, assembly: &mut A) {
        let (rank, size) = self.ranks;
        loop {
            let unit = match self.units.poll_step(self.theirs.rooms.told()) {
                Step::Combine(unit) => {
                    self.theirs.rooms.claim(unit);
                    let range = self.units.range(unit);
                    let bytes = self.bytes_in(&range);
                    let parts = (0..size).map(|from| match from == rank {
                        true => Part::Own,
                        false => self.theirs.part(from, bytes.clone()),
                    });
                    assembly.combine_unit(range.clone(), false, parts);
                    self.theirs.rooms.publish(unit, bytes.start, assembly.unit(range));
                    unit
                }
                Step::Copy(unit, from) => {
                    let range = self.units.range(unit);
                    let start = self.bytes_in(&range).start;
                    self.theirs.rooms.copy(from, start, assembly.unit(range));
                    unit
                }
                Step::Done => return,
            };
            self.units.handle_unit(unit);
        }
    }

    fn combine_prefix<A: Assembly>(&mut self, assembly: &mut A, is_inclusive: bool) {
        let rank = self.ranks.0;
        while let Some((unit, found)) = self.units.poll_prefix(self.theirs.rooms.told()) {
            let range = self.units.range(unit);
            let bytes = self.bytes_in(&range);
            if let Some(below) = found {
                self.theirs.rooms.copy(below, bytes.start, assembly.unit(range.clone()));
            }
            let first = found.map_or(0, |below| below + 1);
            let lower = (first..rank).map(|from| self.theirs.part(from, bytes.clone()));
            let own = is_inclusive.then_some(Part::Own);
            assembly.combine_unit(range.clone(), found.is_some(), lower.chain(own));
            if is_inclusive {
                self.theirs.rooms.publish(unit, bytes.start, assembly.unit(range));
            } else if self.theirs.rooms.are_seen() {
                let through = assembly.unit_with_own(range);
                self.theirs.rooms.publish(unit, bytes.start, through);
            }
            self.units.handle_unit(unit);
        }
    }
}

impl<N: Nic> Theirs<N> {
    /// These bytes of what another rank gives.
    fn part(&self, from: Rank, bytes: Range<usize>) -> Part<'_> {
        // Each length was checked when it came.
        Part::Theirs(self.bytes_of(from).and_then(|data| data.get(bytes)).unwrap_or_default())
    }
}
