//! The contestants, and the quantities measured.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::super::names::{App, Notify, Order, Variant, Way, distinct};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum What {
    /// Single operations
    Micro,
    /// The collectives, each on several sizes
    Collectives,
    /// Their nonblocking forms, each with a wait at once
    NonblockingCollectives,
    /// Messages between pairs of ranks, each way on several sizes
    Messages,
    /// The radix sort of `bench app`
    RadixSort,
    /// The same keys, sorted as a program on MPI would: two collectives, messages, a barrier
    NaturalSort,
    /// The prefix scan of `bench app`
    PrefixScan,
    /// The stencil in the order that lets ranks run ahead
    StencilOverlap,
    /// The stencil in the order that hardly lets them
    StencilFence,
    /// Barrier, 200 us of work, repeat
    Barrier,
    /// 200 us of work and a reduction to all, repeat; on each size of `--bytes`
    AllReduceLoop,
    /// Halos to and from two neighbours and 200 us of work, repeat; on each size of `--bytes`
    HaloLoop,
    /// Whether a barrier completes while the ranks compute
    Overlap,
}

impl What {
    /// The program of `bench app`, if this is one.
    pub(crate) fn app(self) -> Option<(App, Order)> {
        match self {
            What::Micro
            | What::Collectives
            | What::NonblockingCollectives
            | What::Messages
            | What::Overlap => None,
            What::RadixSort => Some((App::RadixSort, Order::Overlap)),
            What::NaturalSort => Some((App::NaturalSort, Order::Overlap)),
            What::PrefixScan => Some((App::PrefixScan, Order::Overlap)),
            What::StencilOverlap => Some((App::Stencil, Order::Overlap)),
            What::StencilFence => Some((App::Stencil, Order::Fence)),
            What::Barrier => Some((App::Barrier, Order::Overlap)),
            What::AllReduceLoop => Some((App::AllReduceLoop, Order::Overlap)),
            What::HaloLoop => Some((App::HaloLoop, Order::Overlap)),
        }
    }
}

/// An MPI to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Library {
    OpenMpi,
    Mpich,
    /// MPI's interface to runahead: the same programs on what they are compared with.
    Runahead,
    /// MPICH with the standard interface: what was built for [`Library::Runahead`] runs on it.
    MpichAbi,
}

/// How ranks of an MPI wait at the program's barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `MPI_Barrier`
    Barrier,
    /// `MPI_Ibarrier`, placed by hand
    Ibarrier,
}

/// A setting of an MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tuning {
    /// Nothing.
    Plain,
    /// Open MPI: `mpi_yield_when_idle` is 0 or 1.
    YieldWhenIdle(bool),
    /// MPICH: a progress thread in each rank.
    AsyncProgress,
    /// runahead: barriers return at once.
    Guarded,
}

/// The contestants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Contestant {
    /// runahead with its defaults
    Runahead,
    /// The same, but all ranks wait at its barriers
    RunaheadWaits,
    /// runahead with blocking butterfly barriers, yielding: `base/yield` of `bench app`
    RunaheadBase,
    /// Open MPI that polls, MPI_Barrier
    Openmpi,
    /// Open MPI that polls, MPI_Ibarrier placed by hand
    OpenmpiIbarrier,
    /// Open MPI that yields (mpi_yield_when_idle), MPI_Barrier
    OpenmpiYield,
    /// Open MPI that yields, MPI_Ibarrier placed by hand
    OpenmpiYieldIbarrier,
    /// MPICH, MPI_Barrier
    Mpich,
    /// MPICH, MPI_Ibarrier placed by hand
    MpichIbarrier,
    /// MPICH with a progress thread in each rank, MPI_Ibarrier placed by hand
    MpichAsync,
    /// MPICH 5 in the folder RUNAHEAD_MPICH, MPI_Barrier: the very programs that runahead-mpi runs
    MpichAbi,
    /// The programs of the MPIs on runahead's interface of MPI, which is installed in the PATH
    RunaheadMpi,
    /// The same, with RUNAHEAD_MPI_BARRIER=guarded
    RunaheadMpiGuarded,
}

/// How a contestant is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    Runahead(Way),
    Mpi { library: Library, kind: Kind, tuning: Tuning },
}

impl Contestant {
    pub(crate) fn means(self) -> Means {
        let runahead = |variant, notify| Means::Runahead(Way { variant, notify });
        let open = |kind, yields| Means::Mpi {
            library: Library::OpenMpi,
            kind,
            tuning: Tuning::YieldWhenIdle(yields),
        };
        let mpich = |kind, tuning| Means::Mpi { library: Library::Mpich, kind, tuning };
        let ours = |tuning| Means::Mpi { library: Library::Runahead, kind: Kind::Barrier, tuning };
        match self {
            Contestant::Runahead => runahead(Variant::Best, Notify::Adaptive),
            Contestant::RunaheadWaits => runahead(Variant::Flat, Notify::Adaptive),
            Contestant::RunaheadBase => runahead(Variant::Base, Notify::Yield),
            Contestant::Openmpi => open(Kind::Barrier, false),
            Contestant::OpenmpiIbarrier => open(Kind::Ibarrier, false),
            Contestant::OpenmpiYield => open(Kind::Barrier, true),
            Contestant::OpenmpiYieldIbarrier => open(Kind::Ibarrier, true),
            Contestant::Mpich => mpich(Kind::Barrier, Tuning::Plain),
            Contestant::MpichIbarrier => mpich(Kind::Ibarrier, Tuning::Plain),
            Contestant::MpichAsync => mpich(Kind::Ibarrier, Tuning::AsyncProgress),
            Contestant::MpichAbi => Means::Mpi {
                library: Library::MpichAbi,
                kind: Kind::Barrier,
                tuning: Tuning::Plain,
            },
            Contestant::RunaheadMpi => ours(Tuning::Plain),
            Contestant::RunaheadMpiGuarded => ours(Tuning::Guarded),
        }
    }

    /// Whether it is another MPI, to which runahead is compared.
    pub(crate) fn is_mpi(self) -> bool {
        matches!(self.means(), Means::Mpi { library, .. } if library != Library::Runahead)
    }

    /// Whether this contestant takes part in `what`.
    pub(crate) fn takes_part(self, what: What) -> bool {
        match self.means() {
            // One run has the figures of all single operations; variants differ only in programs, by barriers.
            Means::Runahead(_) => {
                self == Contestant::Runahead
                    || what.app().is_some_and(|(app, _)| distinct(app).len() > 1)
            }
            Means::Mpi { kind, tuning, .. } => match what {
                // Only a barrier that returns at once leaves time to compute.
                What::Overlap => kind == Kind::Ibarrier,
                // All ranks wait at their barriers.
                What::Collectives | What::NonblockingCollectives | What::Messages => {
                    kind == Kind::Barrier
                }
                // There is none.
                What::AllReduceLoop | What::HaloLoop => {
                    kind == Kind::Barrier || tuning == Tuning::AsyncProgress
                }
                _ => true,
            },
        }
    }
}

macro_rules! named {
    ($($kind:ty),*) => { $(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value = self.to_possible_value();
                f.pad(value.as_ref().map_or("", |value| value.get_name()))
            }
        }
    )* };
}

named!(What, Contestant);
