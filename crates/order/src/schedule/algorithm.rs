//! The built-in barrier algorithms, and how each becomes steps. [`names`](super::names) has their
//! names for users.

use std::num::NonZeroU8;

use super::{Step, butterfly, dissemination, exchange, gather, n_wise, tree};
use crate::Rank;

/// A barrier algorithm.
///
/// All give the same result. They differ in the number of signals, in how many of them follow one
/// another, and in which ranks must be scheduled in turn for a barrier to complete.
///
/// As text an algorithm is `name` or `name:parameter`, as in `"n-way-dissemination:3".parse()`;
/// [`names::ALL`](super::names::ALL) lists what can be parsed.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[non_exhaustive]
pub enum Algorithm {
    /// Each rank publishes the epoch that it has entered where all can read it, and looks at the
    /// others' epochs: one store, no signal, and no rank forwards for another. The schedule is that
    /// of [`Algorithm::AllToAll`].
    ///
    /// It needs a network whose ranks share memory, and one of a limited number of places there
    /// (`Config::BOARD_SLOTS` of the runtime). Some networks write words into the memory of peers
    /// instead, as by RDMA. There it becomes [`Algorithm::AllToAll`] by such words, in groups of up
    /// to
    /// 64. Everywhere else it becomes [`Algorithm::Dissemination`]. `Comm::algorithm` says which.
    #[default]
    Board,
    /// Pairs at distance 1, 2, 4 … (pakin-2001 §4.1, figure 4.1; hoefler-2005 §2.2.2.1). Sizes
    /// that are not a power of two are filled up with virtual ranks, each played by a real one.
    Butterfly,
    /// The butterfly on the largest power of two; each other rank has a proxy in it
    /// (hoefler-2005 §2.2.2.2, kini-2003 §3.1).
    PairwiseExchange,
    /// In round `m` signal the rank `2^m` further on (hoefler-2005 §2.2.2.3, kini-2003 §3.2).
    Dissemination,
    /// Each rank signals all others: one step, and no rank forwards for another.
    AllToAll,
    /// All ranks signal rank 0, which signals all.
    ///
    /// This is also the central counter of hoefler-2005 §2.2.1.1, as far as one is possible without
    /// fetch-and-increment: the counter is rank 0's cells, and `counter == P` is "all have
    /// arrived". The counts are the same. One property is lost. In the paper, the rank that arrives
    /// last releases the others, and only rank 0's memory takes part. Here rank 0 must be scheduled
    /// to release.
    FlatTree,
    /// Gather up a binary tree, release down it.
    BinaryTree,
    /// In round `m` signal the ranks `1, 2 … ways` times `(ways + 1)^m` further on (hoefler-2005
    /// §2.2.6.1, §4.1.3). With one way it is [`Algorithm::Dissemination`].
    NWayDissemination {
        /// The ranks that each rank signals in a round, `n` in the paper.
        ways: NonZeroU8,
    },
    /// Exchange with `partners` others a round, on the largest power of `partners + 1`; each other
    /// rank has a proxy in it (hoefler-2005 §2.2.6.2). With one partner it is
    /// [`Algorithm::PairwiseExchange`].
    NWiseExchange {
        /// The ranks with which each rank exchanges signals in a round, `n` in the paper.
        partners: NonZeroU8,
    },
    /// Gather level by level, in groups of `fan_in + 1`; then rank 0 signals all (kini-2003 §3.3).
    ///
    /// The combining tree with groups of `fan_in + 1` (hoefler-2005 §2.2.1.2) has the same signals.
    /// So has the tournament of `fan_in + 1` players a game (§2.2.1.3, §2.2.1.4). Both are other
    /// names of this. They differ in the memory in which a gathering rank learns of the others: a
    /// shared counter, a flag a round, an array of bytes. Cells replace all of these.
    GatherMulticast {
        /// The ranks that report to the first of their group in one level, `l` in the paper. The
        /// paper requires a power of two less one; here any number will do.
        fan_in: NonZeroU8,
    },
    /// Gather up a tree in which rank `r` has the children `n r + 1 … n r + n`; then rank 0 signals
    /// all (Mellor-Crummey and Scott; hoefler-2005 §2.2.1.5).
    McsTree {
        /// The most children of a rank, `n` in the paper.
        children: NonZeroU8,
    },
    /// Gather up a binomial tree, in which the parent of a rank is the rank without its highest
    /// bit; then rank 0 signals all (hoefler-2005 §2.2.1.6).
    BinomialTree,
    /// The fastest of a short list, measured when the group is created (hoefler-2005 §4.1.1).
    ///
    /// This is a request and not a schedule: `Comm` replaces it by one of the others, which
    /// `Comm::algorithm` names. It is not in [`Algorithm::ALL`]. Where nothing is measured it means
    /// the default algorithm. In the layers below, its schedule is that of
    /// [`Algorithm::by_signals`]. Every value of this type therefore means a schedule, and the same
    /// one at every rank.
    Auto,
}

/// A parameter that is known at compile time.
const fn of(number: u8) -> NonZeroU8 {
    NonZeroU8::new(number).expect("parameters begin at 1")
}

impl Algorithm {
    /// All algorithms with a schedule, in the order in which users see them, with default
    /// parameters: those that the papers use or found best ([`names`](super::names) says where).
    pub const ALL: [Algorithm; 12] = [
        Algorithm::Board,
        Algorithm::Butterfly,
        Algorithm::PairwiseExchange,
        Algorithm::Dissemination,
        Algorithm::AllToAll,
        Algorithm::FlatTree,
        Algorithm::BinaryTree,
        Algorithm::NWayDissemination { ways: of(2) },
        Algorithm::NWiseExchange { partners: of(2) },
        Algorithm::GatherMulticast { fan_in: of(7) },
        Algorithm::McsTree { children: of(4) },
        Algorithm::BinomialTree,
    ];

    /// The parameter, if the algorithm has one.
    pub fn parameter(self) -> Option<NonZeroU8> {
        match self {
            Algorithm::NWayDissemination { ways: number }
            | Algorithm::NWiseExchange { partners: number }
            | Algorithm::GatherMulticast { fan_in: number }
            | Algorithm::McsTree { children: number } => Some(number),
            Algorithm::Board
            | Algorithm::Butterfly
            | Algorithm::PairwiseExchange
            | Algorithm::Dissemination
            | Algorithm::AllToAll
            | Algorithm::FlatTree
            | Algorithm::BinaryTree
            | Algorithm::BinomialTree
            | Algorithm::Auto => None,
        }
    }

    /// The algorithm for a group whose members can only signal one another: this one, or
    /// [`Algorithm::Dissemination`] instead of [`Algorithm::Board`] and [`Algorithm::Auto`].
    pub fn by_signals(self) -> Algorithm {
        match self {
            Algorithm::Board | Algorithm::Auto => Algorithm::Dissemination,
            other => other,
        }
    }

    pub(super) fn steps(self, rank: Rank, size: usize) -> Vec<Step> {
        if size == 1 {
            return Vec::new();
        }
        let wide = |number: NonZeroU8| usize::from(number.get());
        match self {
            Algorithm::Butterfly => butterfly::steps(rank, size),
            Algorithm::PairwiseExchange => exchange::pairwise(rank, size),
            Algorithm::Dissemination => dissemination::steps(rank, size),
            Algorithm::Board | Algorithm::AllToAll => exchange::all_to_all(rank, size),
            Algorithm::FlatTree => tree::flat(rank, size),
            Algorithm::BinaryTree => tree::binary(rank, size),
            Algorithm::NWayDissemination { ways } => dissemination::n_way(rank, size, wide(ways)),
            Algorithm::NWiseExchange { partners } => n_wise::steps(rank, size, wide(partners)),
            Algorithm::GatherMulticast { fan_in } => gather::by_groups(rank, size, wide(fan_in)),
            Algorithm::McsTree { children } => gather::mcs(rank, size, wide(children)),
            Algorithm::BinomialTree => gather::binomial(rank, size),
            Algorithm::Auto => self.by_signals().steps(rank, size),
        }
    }
}
