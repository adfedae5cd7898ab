//! Collectives that move data: one rank and all, all and all. Each says which block of whom becomes which of whom.
//! Rules: all groups of a communicator make the same call, each with data of its own.

use std::rc::Rc;

use super::collectives::{Entry, IN_PLACE, Lists, NOTHING, Side, Way};
use super::groups::Group;
use super::program::{Pair, Program};

impl Program {
    /// A random collective on a random communicator.
    pub fn step_movement(&mut self) {
        let comm = self.one_of_comms();
        let groups = self.groups(comm);
        let kind = self.rng.usize(0..10);
        let (mut entries, mut ways) = (Vec::new(), Vec::new());
        let mut name = "barrier";
        for group in groups {
            let base = entries.len();
            let all = group.all();
            let place = !group.is_inter() && self.rng.u8(0..3) == 0;
            match kind {
                0 => entries.extend(all.iter().map(|rank| {
                    let mut entry = Entry::new(*rank);
                    entry.shown = 0;
                    entry
                })),
                1 => {
                    name = "bcast";
                    self.rooted(&group, false, false, place, true, &mut entries, &mut ways);
                }
                2..=5 => {
                    let (gathers, lists) = (kind < 4, kind % 2 == 1);
                    name = [["scatter", "scatterv"], ["gather", "gatherv"]][usize::from(gathers)]
                        [usize::from(lists)];
                    self.rooted(&group, gathers, lists, place, false, &mut entries, &mut ways);
                }
                6 | 7 => {
                    name = if kind == 6 { "allgather" } else { "allgatherv" };
                    self.gathered_by_all(&group, kind == 7, place, &mut entries, &mut ways);
                }
                _ => {
                    let lists = [Lists::None, Lists::Extents, Lists::Bytes][self.rng.usize(0..3)];
                    // All groups of a step make the same call.
                    let lists = match name {
                        "alltoall" => Lists::None,
                        "alltoallv" => Lists::Extents,
                        "alltoallw" => Lists::Bytes,
                        _ => lists,
                    };
                    name = match lists {
                        Lists::None => "alltoall",
                        Lists::Extents => "alltoallv",
                        Lists::Bytes => "alltoallw",
                    };
                    self.all_to_all(&group, lists, place, base, &mut entries, &mut ways);
                }
            }
        }
        self.add_movement(name, comm, &entries, &ways);
    }

    /// One rank has a block for each other, or receives one of each, or all receive the same one.
    #[expect(clippy::too_many_arguments, reason = "what differs between five collectives")]
    fn rooted(
        &mut self,
        group: &Rc<Group>,
        gathers: bool,
        lists: bool,
        place: bool,
        same: bool,
        entries: &mut Vec<Entry>,
        ways: &mut Vec<Way>,
    ) {
        let base = entries.len();
        let all = group.all();
        let root = all[self.rng.usize(0..all.len())];
        let others = group.peers(root);
        let lists = if lists { Lists::Extents } else { Lists::None };
        let first = self.exact_pair();
        // With lists the blocks differ in their number of elements, and not in the datatype.
        let pairs: Vec<Pair> = others
            .iter()
            .map(|_| match lists {
                Lists::None => first,
                _ => {
                    let times = self.rng.usize(0..3);
                    let scaled = |(of, count): (usize, usize)| (of, count.min(50) * times);
                    match first.send.1 == first.receive.1 {
                        true => Pair { send: scaled(first.send), receive: scaled(first.receive) },
                        false if times == 0 => {
                            Pair { send: (first.send.0, 0), receive: (first.receive.0, 0) }
                        }
                        false => first,
                    }
                }
            })
            .collect();
        let root_index = all.iter().position(|rank| *rank == root).expect("a member");
        for rank in &all {
            let mut entry = Entry::new(*rank);
            let is_root = *rank == root;
            let takes_part = others.contains(rank);
            entry.root = match (group.is_inter(), is_root, takes_part) {
                (true, true, _) => -1,
                (true, _, false) => -2,
                _ => group.rank(root) as i64,
            };
            let mine = others.iter().position(|other| other == rank);
            (entry.send.given, entry.receive.given) = (NOTHING, NOTHING);
            if same {
                // A broadcast has one buffer, which the player takes from the receiving side.
                let given = if is_root || self.rng.bool() { first.send } else { first.receive };
                let given =
                    if self.types[given.0].disjoint(given.1) { given } else { first.receive };
                entry.receive = self.side(&[given], Lists::None);
                if group.is_inter() && !is_root && !takes_part {
                    entry.receive.given = NOTHING;
                }
            } else {
                let at_root: Vec<_> = pairs
                    .iter()
                    .map(|pair| if gathers { pair.receive } else { pair.send })
                    .collect();
                if let Some(mine) = mine {
                    let own = if gathers { pairs[mine].send } else { pairs[mine].receive };
                    let side = self.side(&[own], Lists::None);
                    if gathers { entry.send = side } else { entry.receive = side }
                }
                if is_root {
                    let side = self.side(&at_root, lists);
                    if gathers {
                        entry.receive = side
                    } else {
                        entry.send = side
                    }
                    if mine.is_some() && place {
                        let side = if gathers { &mut entry.send } else { &mut entry.receive };
                        *side = Side { given: IN_PLACE, ..Side::default() };
                    }
                }
            }
            entries.push(entry);
        }
        for (block, other) in others.iter().enumerate() {
            let other_index = all.iter().position(|rank| rank == other).expect("a member");
            if same {
                if *other != root {
                    ways.push(Way { from: (base + root_index, 0), into: (base + other_index, 0) });
                }
            } else if !(place && *other == root) {
                let (far, near) = ((base + root_index, block), (base + other_index, 0));
                ways.push(if gathers {
                    Way { from: near, into: far }
                } else {
                    Way { from: far, into: near }
                });
            }
        }
    }

    /// Each receives a block of each.
    fn gathered_by_all(
        &mut self,
        group: &Rc<Group>,
        lists: bool,
        place: bool,
        entries: &mut Vec<Entry>,
        ways: &mut Vec<Way>,
    ) {
        let base = entries.len();
        let all = group.all();
        let first = self.exact_pair();
        let counts: Vec<_> = all.iter().map(|_| self.rng.usize(0..4)).collect();
        let of = |rank: &usize, receives: bool| {
            let (made, count) = if receives { first.receive } else { first.send };
            match lists {
                true if first.send.1 == first.receive.1 => {
                    let at = all.iter().position(|member| member == rank).expect("a member");
                    (made, count.min(20) * counts[at])
                }
                _ => (made, count),
            }
        };
        let way = if lists { Lists::Extents } else { Lists::None };
        for (index, rank) in all.iter().enumerate() {
            let mut entry = Entry::new(*rank);
            let peers = group.peers(*rank);
            entry.send = self.side(&[of(rank, false)], Lists::None);
            let blocks: Vec<_> = peers.iter().map(|peer| of(peer, true)).collect();
            entry.receive = self.side(&blocks, way);
            if place {
                entry.send = Side { given: IN_PLACE, ..Side::default() };
            }
            entries.push(entry);
            for (block, peer) in peers.iter().enumerate() {
                let from = all.iter().position(|member| member == peer).expect("a member");
                let sent = if place { group.rank(*peer) } else { 0 };
                ways.push(Way { from: (base + from, sent), into: (base + index, block) });
            }
        }
    }

    /// Each has a block for each.
    fn all_to_all(
        &mut self,
        group: &Rc<Group>,
        lists: Lists,
        place: bool,
        base: usize,
        entries: &mut Vec<Entry>,
        ways: &mut Vec<Way>,
    ) {
        let all = group.all();
        let first = self.exact_pair();
        let n = all.len();
        // In place, what two exchange is of one size; with lists, each pair has its own.
        let mut pairs = vec![vec![first; n]; n];
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            let pair = match lists {
                Lists::None => first,
                Lists::Extents => match self.rng.usize(0..3) {
                    0 => Pair { send: (first.send.0, 0), receive: (first.receive.0, 0) },
                    _ => first,
                },
                Lists::Bytes => self.exact_pair(),
            };
            pairs[from][to] = pair;
            if place {
                let pair = Pair { send: pair.receive, receive: pair.receive };
                pairs[from][to] = pair;
                pairs[to][from] = pair;
            }
        }
        let index_of =
            |rank: &usize| all.iter().position(|member| member == rank).expect("a member");
        for (index, rank) in all.iter().enumerate() {
            let mut entry = Entry::new(*rank);
            let peers = group.peers(*rank);
            let sends: Vec<_> =
                peers.iter().map(|peer| pairs[index][index_of(peer)].send).collect();
            let receives: Vec<_> =
                peers.iter().map(|peer| pairs[index_of(peer)][index].receive).collect();
            entry.send = self.side(&sends, lists);
            entry.receive = self.side(&receives, lists);
            if place {
                entry.send = Side { given: IN_PLACE, ..Side::default() };
            }
            entries.push(entry);
            for (block, peer) in peers.iter().enumerate() {
                let from = (base + index_of(peer), group.rank_seen_by(*peer, *rank));
                ways.push(Way { from, into: (base + index, block) });
            }
        }
    }
}
