//! Communicators, groups and topologies: who is in them, and the steps that make them.
//! Rules: members are ranks of the world; a rank in no group of a communicator takes no part in its steps.

use std::rc::Rc;

use fastrand::Rng;

use super::program::Program;
use super::types::list;

/// How the members of a group lie to each other, by their ranks in it.
#[derive(Clone, Debug)]
pub enum Topology {
    None,
    Cart {
        dims: Vec<usize>,
        periods: Vec<bool>,
    },
    Graph(Vec<Vec<usize>>),
    /// For each rank its sources and its destinations.
    Distributed {
        weighted: bool,
        edges: Vec<(Vec<usize>, Vec<usize>)>,
    },
}

/// The members of a communicator: one list, or two that send to each other.
#[derive(Clone, Debug)]
pub struct Group {
    pub sides: Vec<Vec<usize>>,
    pub topology: Topology,
}

impl Group {
    pub fn world(ranks: usize) -> Self {
        Self::of((0..ranks).collect())
    }

    fn of(members: Vec<usize>) -> Self {
        Self { sides: vec![members], topology: Topology::None }
    }

    pub fn is_inter(&self) -> bool {
        self.sides.len() == 2
    }

    pub fn all(&self) -> Vec<usize> {
        self.sides.concat()
    }

    fn side(&self, rank: usize) -> usize {
        self.sides.iter().position(|side| side.contains(&rank)).expect("a member")
    }

    /// The members on the own side.
    pub fn own(&self, rank: usize) -> &[usize] {
        &self.sides[self.side(rank)]
    }

    /// Whom a member sends to.
    pub fn peers(&self, rank: usize) -> Vec<usize> {
        self.sides[if self.is_inter() { 1 - self.side(rank) } else { 0 }].clone()
    }

    /// The rank by which messages of `owner` name another.
    pub fn rank_seen_by(&self, owner: usize, rank: usize) -> usize {
        self.peers(owner).iter().position(|peer| *peer == rank).expect("a peer")
    }

    /// The own rank.
    pub fn rank(&self, owner: usize) -> usize {
        self.own(owner).iter().position(|member| *member == owner).expect("a member")
    }

    /// For each member whom it sends to, so that each receives from one.
    pub fn permutation(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut targets = Vec::new();
        for side in &self.sides {
            let mut peers = self.peers(side[0]);
            if peers.len() != side.len() {
                return None;
            }
            rng.shuffle(&mut peers);
            targets.extend(peers);
        }
        Some(targets)
    }
}

/// The coordinates of a rank in a grid, in row-major order.
pub fn coordinates(dims: &[usize], mut rank: usize) -> Vec<usize> {
    let mut coordinates = vec![0; dims.len()];
    for at in (0..dims.len()).rev() {
        coordinates[at] = rank % dims[at];
        rank /= dims[at];
    }
    coordinates
}

/// The rank at some steps along a dimension.
pub fn shifted(
    dims: &[usize],
    periods: &[bool],
    rank: usize,
    dimension: usize,
    steps: i64,
) -> Option<usize> {
    let mut place = coordinates(dims, rank);
    let (size, moved) = (dims[dimension] as i64, place[dimension] as i64 + steps);
    if !periods[dimension] && !(0..size).contains(&moved) {
        return None;
    }
    place[dimension] = moved.rem_euclid(size) as usize;
    Some(place.iter().zip(dims).fold(0, |rank, (at, size)| rank * size + at))
}

fn joined<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| format!(" {}", value.to_string())).collect()
}

/// How two lists of members compare.
fn compared(left: &[usize], right: &[usize], same: &'static str) -> &'static str {
    let sorted = |list: &[usize]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    if left == right {
        same
    } else if sorted(left) == sorted(right) {
        "similar"
    } else {
        "unequal"
    }
}

impl Program {
    fn say_group(&mut self, rank: usize, what: &str, members: &[usize]) {
        let own = members.iter().position(|member| *member == rank).map_or(-1, |own| own as i64);
        self.say(rank, &format!("{what} rank {own} members{}", joined(members)));
    }

    /// A step with a new communicator, made of one that there is.
    pub fn step_communicator(&mut self) {
        let from = self.one_of_comms();
        let groups = self.groups(from);
        if groups.is_empty() || self.comms.len() > 20 {
            return;
        }
        let inter = groups[0].is_inter();
        let least = groups.iter().map(|group| group.sides[0].len()).min().unwrap_or(0);
        let is_cart = groups.iter().all(|group| matches!(group.topology, Topology::Cart { .. }));
        // Where it leaves ranks out, MPICH makes grids of all.
        let equal = groups.iter().all(|group| group.sides[0].len() == least);
        let kind = if inter { [0, 9][self.rng.usize(0..2)] } else { self.rng.usize(0..9) };
        let made = match kind {
            0 => (
                format!("dup {}", self.rng.u8(0..3)),
                groups.iter().map(|group| Group::clone(group)).collect(),
            ),
            1 | 2 => self.split(&groups),
            3 | 4 => self.create(&groups, least, kind == 3),
            5 if is_cart => self.sub_grid(&groups),
            5 | 6 if self.whole || equal => self.grid(&groups, least),
            7 if least > 1 => self.two_sides(&groups, least),
            7 | 8 if self.whole || equal => self.graph(&groups, least),
            _ if inter => self.merge(&groups),
            _ => self.split(&groups),
        };
        self.add_comm(from, &made.0, made.1);
    }

    fn split(&mut self, groups: &[Rc<Group>]) -> (String, Vec<Group>) {
        let colours: Vec<_> = (0..self.ranks).map(|_| self.rng.i64(-1..3)).collect();
        let keys: Vec<_> = (0..self.ranks).map(|_| self.rng.i64(-2..3)).collect();
        let mut made = Vec::new();
        for group in groups {
            for colour in 0..3 {
                let mut members = group.all();
                members.retain(|member| colours[*member] == colour);
                // The sort is stable: equal keys keep the order.
                members.sort_by_key(|member| keys[*member]);
                if !members.is_empty() {
                    made.push(Group::of(members));
                }
            }
        }
        (format!("split {} {}", list(&colours), list(&keys)), made)
    }

    fn create(&mut self, groups: &[Rc<Group>], least: usize, by_all: bool) -> (String, Vec<Group>) {
        let mut ranks: Vec<_> = (0..least).collect();
        self.rng.shuffle(&mut ranks);
        ranks.truncate(self.rng.usize(1..=least));
        let made = groups
            .iter()
            .map(|group| Group::of(ranks.iter().map(|rank| group.sides[0][*rank]).collect()));
        let name = if by_all { "create" } else { "create_group" };
        (format!("{name} {} {}", self.rng.u8(0..100), list(&ranks)), made.collect())
    }

    fn grid(&mut self, groups: &[Rc<Group>], least: usize) -> (String, Vec<Group>) {
        let n = self.rng.usize(1..4);
        let mut dims = Vec::new();
        for _ in 0..n {
            let room = least / dims.iter().product::<usize>().max(1);
            dims.push(self.rng.usize(1..=room.max(1)));
        }
        // MPICH leaves nobody out.
        if !self.whole {
            dims = vec![least];
        }
        let n = dims.len();
        let periods: Vec<_> = (0..n).map(|_| self.rng.bool()).collect();
        let nodes = dims.iter().product();
        let numbers: Vec<_> = periods.iter().map(|period| u8::from(*period)).collect();
        let made = groups.iter().map(|group| Group {
            sides: vec![group.sides[0][..nodes].to_vec()],
            topology: Topology::Cart { dims: dims.clone(), periods: periods.clone() },
        });
        (format!("cart {} {}", list(&dims), list(&numbers)), made.collect())
    }

    fn sub_grid(&mut self, groups: &[Rc<Group>]) -> (String, Vec<Group>) {
        let Topology::Cart { dims, periods } = &groups[0].topology else { unreachable!("a grid") };
        let kept: Vec<_> = dims.iter().map(|_| self.rng.bool()).collect();
        let chosen = |values: &[usize], want: bool| -> Vec<usize> {
            values
                .iter()
                .zip(&kept)
                .filter(|(_, keep)| **keep == want)
                .map(|(value, _)| *value)
                .collect()
        };
        let mut made = Vec::new();
        for group in groups {
            let mut parts: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
            for (rank, member) in group.sides[0].iter().enumerate() {
                let left = chosen(&coordinates(dims, rank), false);
                match parts.iter_mut().find(|(place, _)| *place == left) {
                    Some((_, members)) => members.push(*member),
                    None => parts.push((left, vec![*member])),
                }
            }
            let periods =
                periods.iter().zip(&kept).filter(|(_, keep)| **keep).map(|(period, _)| *period);
            let topology = Topology::Cart { dims: chosen(dims, true), periods: periods.collect() };
            made.extend(
                parts
                    .into_iter()
                    .map(|(_, members)| Group { sides: vec![members], topology: topology.clone() }),
            );
        }
        let numbers: Vec<_> = kept.iter().map(|keep| u8::from(*keep)).collect();
        (format!("cart_sub {}", list(&numbers)), made)
    }

    fn graph(&mut self, groups: &[Rc<Group>], least: usize) -> (String, Vec<Group>) {
        if self.rng.bool() {
            // Each edge in both directions, and none twice: what all libraries agree on.
            let nodes = if self.whole { self.rng.usize(1..=least) } else { least };
            let mut edges = vec![Vec::new(); nodes];
            for left in 0..nodes {
                for right in left + 1..nodes {
                    if self.rng.bool() {
                        edges[left].push(right);
                        edges[right].push(left);
                    }
                }
            }
            edges.iter_mut().for_each(|edges| self.rng.shuffle(edges));
            let ends: Vec<_> = edges
                .iter()
                .scan(0, |end, edges| {
                    *end += edges.len();
                    Some(*end)
                })
                .collect();
            let made = groups.iter().map(|group| Group {
                sides: vec![group.sides[0][..nodes].to_vec()],
                topology: Topology::Graph(edges.clone()),
            });
            return (format!("graph {} {}", list(&ends), list(&edges.concat())), made.collect());
        }
        let weighted = self.rng.bool();
        let mut text = format!(
            "adjacent {} {}",
            u8::from(weighted),
            groups.iter().map(|g| g.all().len()).sum::<usize>()
        );
        let mut made = Vec::new();
        for group in groups {
            let members = &group.sides[0];
            let mut edges = vec![(Vec::new(), Vec::new()); members.len()];
            for _ in 0..self.rng.usize(0..3 * members.len()) {
                let (from, to) =
                    (self.rng.usize(0..members.len()), self.rng.usize(0..members.len()));
                edges[from].1.push(to);
                edges[to].0.push(from);
            }
            for (sources, destinations) in &mut edges {
                self.rng.shuffle(sources);
                self.rng.shuffle(destinations);
            }
            for (member, (sources, destinations)) in members.iter().zip(&edges) {
                text += &format!(" {member} {} {}", list(sources), list(destinations));
            }
            made.push(Group {
                sides: vec![members.clone()],
                topology: Topology::Distributed { weighted, edges },
            });
        }
        (text, made)
    }

    fn two_sides(&mut self, groups: &[Rc<Group>], least: usize) -> (String, Vec<Group>) {
        let first = self.rng.usize(1..least);
        let made = groups.iter().map(|group| Group {
            sides: vec![group.sides[0][..first].to_vec(), group.sides[0][first..].to_vec()],
            topology: Topology::None,
        });
        (format!("inter {first} {}", self.rng.u8(0..100)), made.collect())
    }

    fn merge(&mut self, groups: &[Rc<Group>]) -> (String, Vec<Group>) {
        let (mut high, mut made) = (vec![0; self.ranks], Vec::new());
        for group in groups {
            let later = self.rng.usize(0..2);
            group.sides[later].iter().for_each(|member| high[*member] = 1);
            made.push(Group::of([&group.sides[1 - later][..], &group.sides[later]].concat()));
        }
        (format!("merge {}", list(&high)), made)
    }

    /// Adds the communicator, and what its members say about it.
    fn add_comm(&mut self, from: usize, how: &str, made: Vec<Group>) {
        let words = how.split(' ').count() - 1;
        self.begin(&format!("communicator {from} {words} {how}"));
        let made: Vec<_> = made.into_iter().map(Rc::new).collect();
        let world: Vec<_> = (0..self.ranks).collect();
        let mut entry = vec![None; self.ranks];
        for (rank, place) in entry.iter_mut().enumerate() {
            if self.comms[from][rank].is_none() {
                continue;
            }
            let Some(group) = made.iter().find(|group| group.all().contains(&rank)) else {
                self.say(rank, "no communicator");
                continue;
            };
            *place = Some(group.clone());
            self.say_group(rank, "communicator", group.own(rank));
            if group.is_inter() {
                self.say_group(rank, "remote", &group.peers(rank));
                continue;
            }
            self.say(rank, &format!("compared {}", compared(&world, &group.sides[0], "congruent")));
            self.say_topology(rank, group);
        }
        self.comms.push(entry);
    }

    fn say_topology(&mut self, rank: usize, group: &Group) {
        let own = group.rank(rank);
        match &group.topology {
            Topology::None => {}
            Topology::Cart { dims, periods } => {
                self.say(rank, &format!("cart dims{}", joined(dims)));
                self.say(
                    rank,
                    &format!(
                        "cart periods{}",
                        joined(periods.iter().map(|period| u8::from(*period)))
                    ),
                );
                self.say(rank, &format!("cart coords{}", joined(coordinates(dims, own))));
                self.say(rank, &format!("cart rank {own}"));
                for dimension in 0..dims.len() {
                    let shifts = [-1, 1, 2, -2].map(|steps| {
                        shifted(dims, periods, own, dimension, steps).map_or(-1, |at| at as i64)
                    });
                    self.say(rank, &format!("cart shift{}", joined(shifts)));
                }
            }
            Topology::Graph(edges) => {
                let mut end = 0;
                let ends: Vec<_> = edges
                    .iter()
                    .map(|edges| {
                        end += edges.len();
                        end
                    })
                    .collect();
                self.say(rank, &format!("graph index{}", joined(ends)));
                self.say(rank, &format!("graph edges{}", joined(edges.concat())));
                self.say(rank, &format!("graph neighbours{}", joined(&edges[own])));
            }
            Topology::Distributed { weighted, edges } => {
                let (sources, destinations) = &edges[own];
                self.say(rank, &format!("graph weighted {}", u8::from(*weighted)));
                self.say(rank, &format!("graph sources{}", joined(sources)));
                self.say(rank, &format!("graph destinations{}", joined(destinations)));
                if *weighted {
                    self.say(
                        rank,
                        &format!("graph source weights{}", joined(10..10 + sources.len())),
                    );
                    self.say(
                        rank,
                        &format!(
                            "graph destination weights{}",
                            joined(50..50 + destinations.len())
                        ),
                    );
                }
            }
        }
    }

    /// The algebra of groups.
    pub fn step_group(&mut self) {
        let some = |rng: &mut Rng, ranks: usize| -> Vec<usize> {
            let mut some: Vec<_> = (0..ranks).collect();
            rng.shuffle(&mut some);
            some.truncate(rng.usize(0..=ranks));
            some
        };
        let (left, right) = (some(&mut self.rng, self.ranks), some(&mut self.rng, self.ranks));
        let (first, last) = (self.rng.usize(0..self.ranks), self.rng.usize(0..self.ranks));
        let steps = self.rng.usize(1..3);
        let stride = if first <= last { steps as i64 } else { -(steps as i64) };
        self.begin(&format!(
            "group {} {} {}",
            list(&left),
            list(&right),
            list(&[first as i64, last as i64, stride])
        ));
        let excluded: Vec<_> = (0..self.ranks).filter(|rank| !right.contains(rank)).collect();
        let without = |list: &[usize], other: &[usize], keep: bool| -> Vec<usize> {
            list.iter().copied().filter(|rank| other.contains(rank) == keep).collect()
        };
        let union = [left.clone(), without(&excluded, &left, false)].concat();
        let count = first.abs_diff(last) / steps + 1;
        let range: Vec<_> =
            (0..count as i64).map(|at| (first as i64 + at * stride) as usize).collect();
        let outside: Vec<_> = (0..self.ranks).filter(|rank| !range.contains(rank)).collect();
        for rank in 0..self.ranks {
            self.say_group(rank, "incl", &left);
            self.say_group(rank, "excl", &excluded);
            self.say_group(rank, "union", &union);
            self.say_group(rank, "intersection", &without(&left, &excluded, true));
            self.say_group(rank, "difference", &without(&left, &excluded, false));
            self.say(rank, &format!("compared {}", compared(&left, &excluded, "ident")));
            self.say_group(rank, "range incl", &range);
            self.say_group(rank, "range excl", &outside);
        }
    }
}
