//! Trees over hosts: one member of each host, its *coordinator*, talks with other hosts, and has
//! the other members there below it (wu-2005 §3.3.3 and §4.3: mixed mode). Pure.
//!
//! Keeps rules COL-1, COL-3 and COL-5 of SEMANTICS.md.

use super::{Kind, Tree};
use crate::order::Rank;

/// From this many bytes on, a broadcast or reduction of a group on several hosts goes over hosts.
pub(super) const OVER_HOSTS_BYTES: usize = 32 << 10;

/// Which members of a group are on which host. All members know the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// For each member its host, by a number from 0 in the order of their first members.
    of: Vec<usize>,
    /// The members on each host.
    on: Vec<Vec<Rank>>,
    /// For each member its place among those on its host.
    places: Vec<usize>,
}

impl Hosts {
    /// The hosts of members whose hosts have these ids.
    pub fn of(ids: impl Iterator<Item = usize>) -> Hosts {
        let mut known: Vec<usize> = Vec::new();
        let mut hosts = Hosts { of: Vec::new(), on: Vec::new(), places: Vec::new() };
        for (member, id) in ids.enumerate() {
            let host = known.iter().position(|&known| known == id).unwrap_or(known.len());
            if host == known.len() {
                known.push(id);
                hosts.on.push(Vec::new());
            }
            hosts.of.push(host);
            hosts.places.push(hosts.on[host].len());
            hosts.on[host].push(member);
        }
        hosts
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.on.len()
    }

    /// The number of members.
    pub fn members(&self) -> usize {
        self.of.len()
    }

    /// The host of a member, by a number from 0.
    pub fn host(&self, member: Rank) -> usize {
        self.of[member]
    }

    /// Whether there are several, and some have several members. Else a tree over hosts would be
    /// one over members, or have one node.
    pub(super) fn are_shared(&self) -> bool {
        1 < self.on.len() && self.on.len() < self.of.len()
    }

    /// The members on `host`, in the order of their ranks.
    pub(super) fn members_of(&self, host: usize) -> &[Rank] {
        &self.on[host]
    }

    /// Whether the members on each host have consecutive ranks.
    pub(super) fn are_in_order(&self) -> bool {
        self.of.is_sorted()
    }

    /// The coordinator of `host` in a call with this root: the root, if it is there.
    fn coordinator(&self, host: usize, root: Rank) -> Rank {
        if self.of[root] == host { root } else { self.on[host][0] }
    }

    /// Who passes a long block of `from` on to the other members on `host` in an all-gather, where
    /// `from` is on another. The members of a host take turns, so that each passes on as much.
    pub(super) fn relay(&self, host: usize, from: Rank) -> Rank {
        let on = &self.on[host];
        on[self.places[from] % on.len()]
    }

    /// Who combines what the members on `host` have for `to` in a reduce-scatter, where `to` is on another. The
    /// members take turns.
    pub(super) fn combiner(&self, host: usize, to: Rank) -> Rank {
        self.relay(host, to)
    }

    /// From whom `to` gets a long block of `from` in an all-gather.
    pub(super) fn relay_of(&self, to: Rank, from: Rank) -> Rank {
        let host = self.of[to];
        let relay = self.relay(host, from);
        if host == self.of[from] || relay == to { from } else { relay }
    }

    /// The other members on the host of `rank`.
    pub(super) fn beside(&self, rank: Rank) -> impl Iterator<Item = Rank> + Clone {
        self.on[self.of[rank]].iter().copied().filter(move |&other| other != rank)
    }

    /// Those to whom `from` itself sends a long block of its own in an all-gather: the other
    /// members on its host, and one on each other.
    pub(super) fn served_by(&self, from: Rank) -> impl Iterator<Item = Rank> + Clone {
        let others = (0..self.on.len()).filter(move |&host| host != self.of[from]);
        others.map(move |host| self.relay(host, from)).chain(self.beside(from))
    }

    /// Whether a block of so many bytes goes over hosts in an all-gather, if it does not travel at
    /// once, and the members of some host share its network.
    pub(super) fn relays(&self, tree: Tree, bytes: u64) -> bool {
        tree != Tree::Auto || bytes >= OVER_HOSTS_BYTES as u64
    }

    /// What [`Tree::Auto`] stands for in a call of `kind` with `bytes` of payload at each member:
    /// [`Tree::choose`] says it for a group on one host.
    pub fn choose(&self, kind: Kind, bytes: usize, one_copy: bool) -> Tree {
        match self.are_shared() && bytes >= OVER_HOSTS_BYTES && kind.goes_over_hosts() {
            true => Tree::Binomial,
            false => Tree::choose(kind, bytes, self.of.len(), one_copy),
        }
    }

    /// Whether a `tree` of the group goes over hosts. A flat one does not: no rank forwards there.
    fn are_nodes_of(&self, tree: Tree) -> bool {
        self.are_shared() && !matches!(tree, Tree::Flat | Tree::Auto)
    }

    /// The parent of `rank` in the `tree` of the group; None for the root.
    pub(super) fn parent(&self, tree: Tree, rank: Rank, root: Rank) -> Option<Rank> {
        if !self.are_nodes_of(tree) {
            return tree.parent(rank, root, self.of.len());
        }
        let host = self.of[rank];
        let coordinator = self.coordinator(host, root);
        if coordinator != rank {
            return Some(coordinator);
        }
        let parent = tree.parent(host, self.of[root], self.on.len())?;
        Some(self.coordinator(parent, root))
    }

    /// The children of `rank` there, in the order in which it serves and combines them: those on
    /// other hosts first, since what it sends them takes longer to come.
    pub fn children(&self, tree: Tree, rank: Rank, root: Rank) -> impl Iterator<Item = Rank> {
        let over_hosts = self.are_nodes_of(tree).then(|| {
            let host = self.of[rank];
            let hosts = tree.children(host, self.of[root], self.on.len());
            let hosts = hosts.map(move |host| self.coordinator(host, root));
            let members = (0..self.of.len()).filter(move |&other| self.of[other] == host);
            let below = hosts.chain(members.filter(move |&other| other != rank));
            below.take(if self.coordinator(host, root) == rank { usize::MAX } else { 0 })
        });
        let over_members = over_hosts.is_none().then(|| tree.children(rank, root, self.of.len()));
        over_hosts.into_iter().flatten().chain(over_members.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spread in turn, in blocks, and unevenly; and every spread of four members.
    fn spreads() -> Vec<Hosts> {
        let few =
            (0..4_usize.pow(4)).map(|code| (0..4).map(|at| code / 4_usize.pow(at) % 4).collect());
        let listed: [Vec<usize>; 4] = [
            (0..13).map(|member| member % 3).collect(),
            (0..13).map(|member| member / 4).collect(),
            vec![7, 2, 2, 7, 9, 2],
            vec![5, 5, 5, 5, 5, 5, 5, 1],
        ];
        few.chain(listed).map(|ids: Vec<usize>| Hosts::of(ids.into_iter())).collect()
    }

    /// Every member but the root is the child of its parent, once, and the root reaches all.
    #[test]
    fn parents_and_children_agree() {
        for hosts in spreads() {
            for tree in Tree::SHAPES {
                for root in 0..hosts.of.len() {
                    let mut reached = vec![root];
                    let mut at = 0;
                    while let Some(&rank) = reached.get(at) {
                        for child in hosts.children(tree, rank, root) {
                            assert_eq!(hosts.parent(tree, child, root), Some(rank));
                            reached.push(child);
                        }
                        at += 1;
                    }
                    assert_eq!(hosts.parent(tree, root, root), None);
                    reached.sort_unstable();
                    assert_eq!(
                        reached,
                        (0..hosts.of.len()).collect::<Vec<_>>(),
                        "{tree} {hosts:?}"
                    );
                }
            }
        }
    }

    /// One message goes to each host but the root's, however many members it has.
    #[test]
    fn each_host_is_told_once() {
        for hosts in spreads() {
            for tree in Tree::SHAPES.into_iter().filter(|&tree| hosts.are_nodes_of(tree)) {
                for root in 0..hosts.of.len() {
                    let crossings = (0..hosts.of.len()).filter(|&rank| {
                        let parent = hosts.parent(tree, rank, root);
                        parent.is_some_and(|parent| hosts.of[parent] != hosts.of[rank])
                    });
                    assert_eq!(crossings.count(), hosts.on.len() - 1, "{tree} {hosts:?}");
                }
            }
        }
    }

    /// In an all-gather a long block comes once to each host and once to each member.
    #[test]
    fn a_block_comes_once_to_each_host_and_member() {
        for hosts in spreads() {
            let members = 0..hosts.of.len();
            for from in members.clone() {
                let (own, mut reached) = (hosts.of[from], vec![from]);
                for to in hosts.served_by(from) {
                    assert_eq!(hosts.relay_of(to, from), from);
                    reached.push(to);
                    if hosts.of[to] != own {
                        assert!(hosts.beside(to).all(|other| hosts.relay_of(other, from) == to));
                        reached.extend(hosts.beside(to));
                    }
                }
                reached.sort_unstable();
                assert_eq!(reached, members.clone().collect::<Vec<_>>(), "{from} {hosts:?}");
            }
        }
    }

    /// The members of a host pass on as many blocks of another, give or take one.
    #[test]
    fn members_of_a_host_share_what_is_passed_on() {
        for hosts in spreads() {
            for (host, on) in hosts.on.iter().enumerate() {
                for others in hosts.on.iter().filter(|&others| others != on) {
                    let passed_on = |by: Rank| {
                        others.iter().filter(|&&from| hosts.relay(host, from) == by).count()
                    };
                    let (each, more) = (others.len() / on.len(), others.len() % on.len());
                    for (place, &by) in on.iter().enumerate() {
                        assert_eq!(passed_on(by), each + usize::from(place < more), "{hosts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn much_goes_over_hosts_where_these_are_shared() {
        let shared = Hosts::of([0, 0, 1].into_iter());
        for kind in [Kind::Broadcast, Kind::Reduce, Kind::AllReduce] {
            assert_eq!(shared.choose(kind, 32 << 10, false), Tree::Binomial);
            assert_eq!(shared.choose(kind, (32 << 10) - 1, false), Tree::Flat);
            for others in [[0, 0, 0], [0, 1, 2]] {
                let hosts = Hosts::of(others.into_iter());
                assert_eq!(hosts.choose(kind, 32 << 10, false), Tree::Flat, "{others:?}");
            }
        }
        assert_eq!(shared.choose(Kind::Gather, 1 << 20, false), Tree::Flat);
    }

    #[test]
    fn hosts_are_numbered_by_their_first_members() {
        for (ids, of, firsts, are_shared) in [
            (vec![3], vec![0], vec![0], false),
            (vec![1, 1, 1], vec![0, 0, 0], vec![0], false),
            (vec![2, 0, 1], vec![0, 1, 2], vec![0, 1, 2], false),
            (vec![4, 4, 0, 4], vec![0, 0, 1, 0], vec![0, 2], true),
        ] {
            let hosts = Hosts::of(ids.into_iter());
            assert_eq!((hosts.are_shared(), hosts.count()), (are_shared, firsts.len()));
            assert_eq!(hosts.of, of);
            assert_eq!(hosts.on.iter().map(|on| on[0]).collect::<Vec<_>>(), firsts);
        }
    }
}
