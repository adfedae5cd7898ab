//! The ranks of a communicator and those of the world: a pure table, both ways.

use std::sync::Arc;

use crate::message::Info;
use crate::order::Rank;

/// The members of a communicator, as one of them sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    own: Rank,
    size: usize,
    /// None where all stand at their places in the world.
    listed: Option<Arc<Listed>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    /// By rank, the rank in the world.
    world: Box<[Rank]>,
    /// (rank in the world, rank), sorted.
    local: Box<[(Rank, Rank)]>,
}

impl Ranks {
    /// All ranks of a world of `size`; `own` is one of them.
    pub(crate) fn world_of(own: Rank, size: usize) -> Ranks {
        Ranks { own, size, listed: None }
    }

    /// The members, by their ranks in the world; `own` says which of them is this rank.
    pub(crate) fn listed(world: &[Rank], own: Rank) -> Ranks {
        let mut local: Vec<_> = world.iter().copied().zip(0..).collect();
        local.sort_unstable();
        let listed = Listed { world: world.into(), local: local.into() };
        Ranks { own, size: world.len(), listed: Some(Arc::new(listed)) }
    }

    pub(crate) fn own(&self) -> Rank {
        self.own
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The rank in the world of a member.
    #[inline]
    pub(crate) fn to_world(&self, rank: Rank) -> Rank {
        self.listed.as_ref().map_or(rank, |listed| listed.world[rank])
    }

    /// The engine's description of a message, with the sender's rank here.
    #[inline]
    pub(crate) fn local_info(&self, info: &Info) -> Info {
        Info { source: self.local(info.source), ..*info }
    }

    /// The rank here of a member, given by its rank in the world. (Messages of others do not get as
    /// far as this.)
    #[inline]
    pub(crate) fn local(&self, rank: Rank) -> Rank {
        let Some(listed) = &self.listed else { return rank };
        let found = listed.local.binary_search_by_key(&rank, |&(world, _)| world);
        found.map_or(rank, |at| listed.local[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn ranks_map_to_the_world_and_back() {
        for ranks in [Ranks::world_of(1, 3), Ranks::listed(&[7, 2, 5], 1)] {
            assert_eq!((ranks.own(), ranks.size()), (1, 3));
            for rank in 0..3 {
                assert_eq!(ranks.local(ranks.to_world(rank)), rank);
            }
        }
        assert_eq!(Ranks::listed(&[7, 2, 5], 1).to_world(2), 5);
        assert_eq!(Ranks::listed(&[7, 2, 5], 1).local(7), 0);
    }
}
