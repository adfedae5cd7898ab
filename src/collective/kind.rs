//! The names of the collectives, and the errors of wrong calls.

use std::fmt;

use crate::error::{Error, Result};
use crate::order::Rank;

/// A collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// [`crate::Comm::broadcast`].
    Broadcast,
    /// [`crate::Comm::reduce`].
    Reduce,
    /// [`crate::Comm::all_reduce`].
    AllReduce,
    /// [`crate::Comm::scan`].
    Scan,
    /// [`crate::Comm::exclusive_scan`].
    ExclusiveScan,
    /// [`crate::Comm::gather`].
    Gather,
    /// [`crate::Comm::all_gather`].
    AllGather,
    /// [`crate::Comm::scatter`].
    Scatter,
    /// [`crate::Comm::reduce_scatter`].
    ReduceScatter,
    /// [`crate::Comm::reduce_scatter_v`].
    ReduceScatterV,
    /// [`crate::Comm::all_to_all`].
    AllToAll,
    /// [`crate::Comm::all_to_all_v`].
    AllToAllV,
    /// [`crate::Comm::exchange`] and [`crate::Comm::exchange_parts`].
    Exchange,
    /// [`crate::Comm::ibroadcast`].
    Ibroadcast,
    /// [`crate::Comm::ireduce`].
    Ireduce,
    /// [`crate::Comm::iall_reduce`].
    IallReduce,
    /// [`crate::Comm::iscan`].
    Iscan,
    /// [`crate::Comm::iexclusive_scan`].
    IexclusiveScan,
    /// [`crate::Comm::igather`].
    Igather,
    /// [`crate::Comm::iall_gather`].
    IallGather,
    /// [`crate::Comm::iscatter`].
    Iscatter,
    /// [`crate::Comm::ireduce_scatter`].
    IreduceScatter,
    /// [`crate::Comm::ireduce_scatter_v`].
    IreduceScatterV,
    /// [`crate::Comm::iall_to_all`].
    IallToAll,
    /// [`crate::Comm::iall_to_all_v`].
    IallToAllV,
    /// [`crate::Comm::iexchange`].
    Iexchange,
}

impl Kind {
    /// All collectives.
    pub const ALL: [Kind; 26] = [
        Kind::Broadcast,
        Kind::Reduce,
        Kind::AllReduce,
        Kind::Scan,
        Kind::ExclusiveScan,
        Kind::Gather,
        Kind::AllGather,
        Kind::Scatter,
        Kind::ReduceScatter,
        Kind::ReduceScatterV,
        Kind::AllToAll,
        Kind::AllToAllV,
        Kind::Exchange,
        Kind::Ibroadcast,
        Kind::Ireduce,
        Kind::IallReduce,
        Kind::Iscan,
        Kind::IexclusiveScan,
        Kind::Igather,
        Kind::IallGather,
        Kind::Iscatter,
        Kind::IreduceScatter,
        Kind::IreduceScatterV,
        Kind::IallToAll,
        Kind::IallToAllV,
        Kind::Iexchange,
    ];

    /// Whether a rank may deposit its data: they are the same for all that need them, or as long for
    /// each.
    pub(super) fn is_deposited(self) -> bool {
        matches!(
            self,
            Kind::AllReduce
                | Kind::AllGather
                | Kind::AllToAll
                | Kind::Broadcast
                | Kind::ExclusiveScan
                | Kind::Gather
                | Kind::Reduce
                | Kind::ReduceScatter
                | Kind::Scan
                | Kind::Scatter
                | Kind::IallGather
                | Kind::IallReduce
                | Kind::IallToAll
                | Kind::Ibroadcast
                | Kind::IexclusiveScan
                | Kind::Igather
                | Kind::Ireduce
                | Kind::IreduceScatter
                | Kind::Iscan
                | Kind::Iscatter
        )
    }

    /// Whether all that a rank passes on in a tree is as long as what it has itself: then a tree
    /// over hosts brings less to each host than a flat one.
    pub(super) fn goes_over_hosts(self) -> bool {
        matches!(self, Kind::Broadcast | Kind::Reduce | Kind::AllReduce)
    }

    /// The name of the call.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Broadcast => "broadcast",
            Kind::Reduce => "reduce",
            Kind::AllReduce => "all_reduce",
            Kind::Scan => "scan",
            Kind::ExclusiveScan => "exclusive_scan",
            Kind::Gather => "gather",
            Kind::AllGather => "all_gather",
            Kind::Scatter => "scatter",
            Kind::ReduceScatter => "reduce_scatter",
            Kind::ReduceScatterV => "reduce_scatter_v",
            Kind::AllToAll => "all_to_all",
            Kind::AllToAllV => "all_to_all_v",
            Kind::Exchange => "exchange",
            Kind::Ibroadcast => "ibroadcast",
            Kind::Ireduce => "ireduce",
            Kind::IallReduce => "iall_reduce",
            Kind::Iscan => "iscan",
            Kind::IexclusiveScan => "iexclusive_scan",
            Kind::Igather => "igather",
            Kind::IallGather => "iall_gather",
            Kind::Iscatter => "iscatter",
            Kind::IreduceScatter => "ireduce_scatter",
            Kind::IreduceScatterV => "ireduce_scatter_v",
            Kind::IallToAll => "iall_to_all",
            Kind::IallToAllV => "iall_to_all_v",
            Kind::Iexchange => "iexchange",
        }
    }

    pub(super) fn has_root(self) -> bool {
        let posted = [Kind::Ibroadcast, Kind::Ireduce, Kind::Igather, Kind::Iscatter];
        matches!(self, Kind::Broadcast | Kind::Reduce | Kind::Gather | Kind::Scatter)
            || posted.contains(&self)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A collective that was called wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// The ranks called different collectives, or the same with different arguments.
    #[error("rank {from} called {theirs}; here it is {ours}")]
    Mismatch {
        /// The other rank.
        from: Rank,
        /// The other rank's call, as far as it differs.
        theirs: String,
        /// This rank's call, as far as it differs.
        ours: String,
    },
    /// An argument must have one part for each rank.
    #[error("{argument} of {kind} has {given} parts, and there are {size} ranks")]
    WrongCount {
        /// The collective.
        kind: Kind,
        /// The name of the argument.
        argument: &'static str,
        /// The parts given.
        given: usize,
        /// The number of ranks.
        size: usize,
    },
    /// The data must consist of one block for each rank, all of one length.
    #[error("{kind} was given {given} elements, which {size} ranks cannot share evenly")]
    Uneven {
        /// The collective.
        kind: Kind,
        /// The elements given.
        given: usize,
        /// The number of ranks.
        size: usize,
    },
    /// An argument must have as many elements as another argument says.
    #[error("{argument} of {kind} has {given} elements, and {expected} are stated")]
    WrongSum {
        /// The collective.
        kind: Kind,
        /// The name of the argument.
        argument: &'static str,
        /// The elements given.
        given: usize,
        /// The elements stated.
        expected: usize,
    },
    /// An argument must have another length, given the other arguments and the number of ranks.
    #[error("{argument} of {kind} has {given} elements, and {expected} are needed")]
    WrongLength {
        /// The collective.
        kind: Kind,
        /// The name of the argument.
        argument: &'static str,
        /// The elements given.
        given: usize,
        /// The elements needed.
        expected: usize,
    },
}

impl CollectiveError {
    pub(super) fn wrong_count(
        kind: Kind,
        argument: &'static str,
        given: usize,
        size: usize,
    ) -> Error {
        CollectiveError::WrongCount { kind, argument, given, size }.into()
    }

    pub(super) fn wrong_sum(
        kind: Kind,
        argument: &'static str,
        given: usize,
        expected: usize,
    ) -> Error {
        CollectiveError::WrongSum { kind, argument, given, expected }.into()
    }

    /// Checks that an argument has as many elements as are `expected`.
    #[inline]
    pub(super) fn check_length(
        kind: Kind,
        argument: &'static str,
        given: usize,
        expected: usize,
    ) -> Result<()> {
        match given == expected {
            true => Ok(()),
            false => Err(CollectiveError::WrongLength { kind, argument, given, expected }.into()),
        }
    }

    /// Checks that `data` consists of blocks with `counts[r]` elements for each rank `r`.
    pub(super) fn blocks<'d, T>(
        kind: Kind,
        data: &'d [T],
        counts: &[usize],
        size: usize,
    ) -> Result<Vec<&'d [T]>> {
        if counts.len() != size {
            return Err(CollectiveError::wrong_count(kind, "counts", counts.len(), size));
        }
        let sum = counts.iter().fold(0usize, |sum, &count| sum.saturating_add(count));
        if sum != data.len() {
            return Err(CollectiveError::wrong_sum(kind, "data", data.len(), sum));
        }
        let mut rest = data;
        let blocks = counts.iter().map(|&count| {
            let (block, others) = rest.split_at(count);
            rest = others;
            block
        });
        Ok(blocks.collect())
    }

    /// The length of a block, if the ranks can share this many elements evenly.
    pub(super) fn block(kind: Kind, given: usize, size: usize) -> Result<usize> {
        match given.is_multiple_of(size) {
            true => Ok(given / size),
            false => Err(CollectiveError::Uneven { kind, given, size }.into()),
        }
    }
}
