//! Nonblocking reductions to all of large data within a host: ranks that wait combine for those that do not.
//!
//! Keeps rules COL-3, COL-8, COL-11 and SAFE-1 of SEMANTICS.md.
//!
//! A rank posts its data in the call, with a room behind them. When it has taken those of all others, it combines units as
//! a blocking call does ([`helped`](crate::collective::helped)), and finds in their rooms what others have combined.
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
use crate::collective::Kind;
use crate::collective::call::Call;
use crate::collective::given::Theirs;
use crate::collective::helped::InUnits;
use crate::collective::tree::EACH_READS_RANKS;
use crate::collective::units::Units;
use crate::comm::Comm;
use crate::order::Rank;
use crate::verbs::Nic;

/// Three ranks on two cores are quicker by themselves.
///
/// Measured as programs of MPI, in times of the call in which each combines all, for 16 KiB, 64 KiB and 1 MiB: 0.86 to 1.11, 1.0 to 1.1
/// and 1.01 to 1.28 with 3 ranks, 0.86 to 1.19, 0.89 to 1.0 and 0.6 to 0.91 with 4, and 0.81 to 0.91, 0.65 and 0.43 to 0.54 with 8.
const LEAST_RANKS: usize = 4;

/// What a call has of others, and what is left to combine.
pub(super) struct Sharing<N: Nic> {
    pub(super) theirs: Theirs<N>,
    units: Units,
    element_bytes: usize,
    ranks: (Rank, usize),
}

impl<N: Nic> Sharing<N> {
    /// How a call shares the work, if it does: its assembly has elements of so many bytes, `bytes` together.
    pub(super) fn of(
        comm: &Comm<N>,
        call: &Call,
        element_bytes: Option<usize>,
        bytes: Option<usize>,
    ) -> Option<Sharing<N>> {
        let ranks = (comm.rank(), comm.size());
        if call.kind != Kind::IallReduce || !(LEAST_RANKS..=EACH_READS_RANKS).contains(&ranks.1) {
            return None;
        }
        let (element_bytes, bytes) = (element_bytes.filter(|&bytes| bytes > 0)?, bytes?);
        // What is deposited here has no room. So what is as short as a deposit may be is combined by each.
        if comm.is_small(call.kind, bytes) || !comm.gives(bytes) {
            return None;
        }
        let units = Units::new(bytes / element_bytes, element_bytes, ranks);
        Some(Sharing { theirs: Theirs::default(), units, element_bytes, ranks })
    }

    /// Combines what nobody has combined yet, and copies what others have. All ranks' data are there.
    pub(super) fn combine<A: Assembly>(&mut self, assembly: &mut A) {
        let Sharing { theirs, units, element_bytes, ranks } = self;
        let mut result = Assembled { assembly, element_bytes: *element_bytes, ranks: *ranks };
        theirs.share(units, *element_bytes, &mut result);
    }
}

/// The result that an assembly makes.
struct Assembled<'a, A> {
    assembly: &'a mut A,
    element_bytes: usize,
    ranks: (Rank, usize),
}

impl<A: Assembly, N: Nic> InUnits<N> for Assembled<'_, A> {
    fn combine(&mut self, block: Range<usize>, theirs: &Theirs<N>) {
        let ((rank, size), bytes) = (self.ranks, self.element_bytes);
        let bytes = block.start * bytes..block.end * bytes;
        // Each length was checked when it came.
        let of = |from| theirs.bytes_of(from).and_then(|data| data.get(bytes.clone()));
        let parts = (0..size).map(|from| match from == rank {
            true => Part::Own,
            false => Part::Theirs(of(from).unwrap_or_default()),
        });
        self.assembly.combine_block(block, parts);
    }

    fn bytes(&mut self, unit: Range<usize>) -> &mut [u8] {
        self.assembly.unit(unit)
    }
}
