//! The names of the built-in barrier algorithms, and the way from a name to steps.

use std::fmt;
use std::str::FromStr;

use super::{Step, butterfly, dissemination, exchange, tree};
use crate::order::Rank;

/// A barrier algorithm.
///
/// All give the same result and differ in the number of signals, in how many of them follow one
/// another, and in which ranks must be scheduled in turn for a barrier to complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Pairs at distance 1, 2, 4 … (pakin-2001 §4.1, figure 4.1; hoefler-2005 §2.2.2.1). Sizes
    /// that are no power of two are filled up with virtual ranks, each played by a real one.
    Butterfly,
    /// The butterfly on the largest power of two; each other rank has a proxy in it
    /// (hoefler-2005 §2.2.2.2, kini-2003 §3.1).
    PairwiseExchange,
    /// In round `m` signal the rank `2^m` further on (hoefler-2005 §2.2.2.3, kini-2003 §3.2).
    #[default]
    Dissemination,
    /// Everyone signals everyone: one step, and no rank forwards for another.
    AllToAll,
    /// Everyone signals rank 0, which signals everyone (hoefler-2005 §2.2.1.1 without its counter).
    FlatTree,
    /// Gather up a binary tree, release down it.
    BinaryTree,
}

impl Algorithm {
    /// All of them, in the order in which they are listed to users.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Butterfly,
        Algorithm::PairwiseExchange,
        Algorithm::Dissemination,
        Algorithm::AllToAll,
        Algorithm::FlatTree,
        Algorithm::BinaryTree,
    ];

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Butterfly => "butterfly",
            Algorithm::PairwiseExchange => "pairwise-exchange",
            Algorithm::Dissemination => "dissemination",
            Algorithm::AllToAll => "all-to-all",
            Algorithm::FlatTree => "flat-tree",
            Algorithm::BinaryTree => "binary-tree",
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Algorithm::Butterfly => "pairs at distance 1, 2, 4 ...; lg P steps",
            Algorithm::PairwiseExchange => "butterfly on a power of two, proxies for the rest",
            Algorithm::Dissemination => {
                "signal the rank 1, 2, 4 ... further on; lg P steps, any size"
            }
            Algorithm::AllToAll => "everyone signals everyone; one step, nobody forwards",
            Algorithm::FlatTree => "everyone signals rank 0, which signals everyone",
            Algorithm::BinaryTree => "gather up a binary tree, release down it",
        }
    }

    pub(super) fn steps(self, rank: Rank, size: usize) -> Vec<Step> {
        if size == 1 {
            return Vec::new();
        }
        match self {
            Algorithm::Butterfly => butterfly::steps(rank, size),
            Algorithm::PairwiseExchange => exchange::pairwise(rank, size),
            Algorithm::Dissemination => dissemination::steps(rank, size),
            Algorithm::AllToAll => exchange::all_to_all(rank, size),
            Algorithm::FlatTree => tree::flat(rank, size),
            Algorithm::BinaryTree => tree::binary(rank, size),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No algorithm has this name; the message lists those that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm(pub String);

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Algorithm::ALL.iter().map(|a| a.name()).collect();
        write!(f, "unknown barrier algorithm {:?}; known are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownAlgorithm {}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let found = Algorithm::ALL.into_iter().find(|a| a.name() == name);
        found.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}
