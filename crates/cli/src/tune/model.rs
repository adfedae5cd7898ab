//! How long a call of a collective takes, by measured terms: the parameterised LogP model of
//! wu-2005 §4.5, played through message by message and unit by unit. Pure.
//!
//! wu's equations 4.3 to 4.6 say what three ways of overlapping cost, and one has to measure which
//! of them holds. Here ranks that want a core wait for one, so that what overlaps comes out by
//! itself.

use std::collections::BTreeMap;

use runahead::internals::collective::{Combining, Hosts, Kind};
use runahead::internals::order::Schedule;
use runahead::{Algorithm, Rank, Tree};
use serde::{Deserialize, Serialize};

use super::play::{Operation, Play, near};

/// A signal is as long as the shortest message.
const SIGNAL_BYTES: usize = 8;

/// The terms of messages of some lengths, between two ranks: nanoseconds by bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Link {
    /// What posting takes of the sender's core: wu's `os(m)`.
    pub(crate) os: BTreeMap<usize, f64>,
    /// What taking in takes of the receiver's core: `or(m)`.
    pub(crate) or: BTreeMap<usize, f64>,
    /// How long a message is on its way besides: `L`, and `g(m)` where a network carries it.
    pub(crate) way: BTreeMap<usize, f64>,
}

impl Link {
    /// A message of so many bytes takes so long of its sender, of its receiver, and for half a ping-pong.
    pub(super) fn insert(&mut self, bytes: usize, (os, or, half): (f64, f64, f64)) {
        self.os.insert(bytes, os);
        self.or.insert(bytes, or);
        self.way.insert(bytes, (half - os - or).max(0.0));
    }
}

/// The terms of a machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// Between ranks of one host.
    pub(crate) near: Link,
    /// Between ranks of different hosts, if there are several.
    pub(crate) far: Option<Link>,
    /// Of deposits between ranks of one host, where they deposit: what depositing takes, and reading. Empty where they do not.
    pub(crate) deposits: Link,
    /// Combining a message's bytes, beside taking them in.
    pub(crate) combine: BTreeMap<usize, f64>,
    /// A switch from one rank of a core to another.
    pub(crate) switch: f64,
    /// The cores of each host.
    pub(crate) cores: usize,
}

/// Between two lengths that were measured, and beyond the last, the term is a straight line.
pub(super) fn at(term: &BTreeMap<usize, f64>, bytes: usize) -> f64 {
    let below = term.range(..=bytes).next_back();
    let above = term.range(bytes..).next();
    match (below, above) {
        (Some((&low, &first)), Some((&high, &last))) if low < high => {
            first + (last - first) * (bytes - low) as f64 / (high - low) as f64
        }
        (None, Some((_, &value))) | (Some((_, &value)), Some(_)) => value,
        (Some((&most, &value)), None) => value * bytes as f64 / most.max(1) as f64,
        (None, None) => 0.0,
    }
}

/// A call whose shape is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'h> {
    pub(crate) kind: Kind,
    /// The length of what each rank gives.
    pub(crate) bytes: usize,
    /// The lengths of the pieces in which it travels; or a share of it, where each rank combines
    /// one.
    pub(crate) pieces: &'h [usize],
    /// Who combines what.
    pub(crate) combining: Combining,
    /// Whether what a rank gives is deposited, once for all that read it.
    pub(crate) is_deposited: bool,
    pub(crate) hosts: &'h Hosts,
}

impl Call<'_> {
    /// How long the last rank takes in this tree, in nanoseconds. None for calls that the model
    /// does not know.
    pub(crate) fn predicted_ns(&self, tree: Tree, terms: &Terms) -> Option<f64> {
        let parts: Option<Vec<_>> =
            (0..self.hosts.members()).map(|rank| self.part(rank, tree)).collect();
        Some(Play::new(terms, self.hosts, parts?).run())
    }

    fn part(&self, rank: Rank, tree: Tree) -> Option<Vec<Operation>> {
        if self.is_deposited {
            return self.part_of_deposits(rank);
        }
        match self.combining {
            Combining::InTree => self.part_in_tree(rank, tree),
            Combining::All => Some(self.part_of_all(rank)),
            Combining::Units => Some(self.part_of_given(rank)),
        }
    }

    /// A rank deposits what it gives, and reads what others have deposited. What it combines unit by unit it reads where it lies.
    fn part_of_deposits(&self, rank: Rank) -> Option<Vec<Operation>> {
        let (piece, bytes, size) = (0, self.bytes, self.hosts.members());
        let (gives, gets) = match self.kind {
            Kind::Broadcast => (rank == 0, 0..usize::from(rank > 0)),
            Kind::Reduce => (rank > 0, if rank == 0 { 0..size } else { 0..0 }),
            Kind::AllReduce => (true, 0..size),
            Kind::Scan | Kind::ExclusiveScan => (rank + 1 < size, 0..rank),
            _ => return None,
        };
        let in_units = self.combining == Combining::Units;
        let combines = self.kind != Kind::Broadcast && !in_units;
        let read = |from| Operation::Read {
            from,
            piece,
            bytes: if in_units { 0 } else { bytes },
            combines,
        };
        let mut part = Vec::from_iter(gives.then_some(Operation::Deposit { piece, bytes }));
        part.extend(gets.clone().filter(|&from| from != rank).map(read));
        if in_units && !gets.is_empty() {
            part.push(Operation::Help { bytes, in_scan: self.kind != Kind::AllReduce });
        }
        Some(part)
    }

    fn part_in_tree(&self, rank: Rank, tree: Tree) -> Option<Vec<Operation>> {
        let (root, size, pieces) = (0, self.hosts.members(), self.pieces);
        let parent = (0..size)
            .find(|&other| self.hosts.children(tree, other, root).any(|child| child == rank));
        let children: Vec<Rank> = self.hosts.children(tree, rank, root).collect();
        let in_shares = tree == Tree::Flat && pieces.iter().sum::<usize>() < self.bytes;
        let mut part = Vec::new();
        match self.kind {
            Kind::Broadcast => {
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(parent.map(|from| take(from, piece, bytes, false)));
                    part.extend(self.post_to_all(rank, &children, piece, bytes));
                }
            }
            Kind::Reduce | Kind::AllReduce if !in_shares => {
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(children.iter().map(|&from| take(from, piece, bytes, true)));
                    match (parent, self.kind) {
                        (Some(to), _) => {
                            part.push(Operation::Post { to, piece, bytes, copies: true })
                        }
                        (None, Kind::AllReduce) => {
                            let down = piece + pieces.len();
                            part.extend(self.post_to_all(rank, &children, down, bytes));
                        }
                        (None, _) => {}
                    }
                }
                if self.kind == Kind::AllReduce
                    && let Some(from) = parent
                {
                    for (piece, &bytes) in pieces.iter().enumerate() {
                        let down = piece + pieces.len();
                        part.push(take(from, down, bytes, false));
                        part.extend(self.post_to_all(rank, &children, down, bytes));
                    }
                }
            }
            // Each combines a share, and gives it to all.
            Kind::AllReduce => {
                let others: Vec<Rank> = (rank + 1..size).chain(0..rank).collect();
                for &to in &others {
                    let post = |(piece, &bytes)| Operation::Post { to, piece, bytes, copies: true };
                    part.extend(pieces.iter().enumerate().map(post));
                }
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(
                        (0..size)
                            .filter(|&from| from != rank)
                            .map(|from| take(from, piece, bytes, true)),
                    );
                }
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(self.post_to_all(rank, &others, piece + pieces.len(), bytes));
                }
                for &from in others.iter().rev() {
                    let get = |(piece, &bytes)| take(from, piece + pieces.len(), bytes, false);
                    part.extend(pieces.iter().enumerate().map(get));
                }
            }
            Kind::Scan | Kind::ExclusiveScan => match tree {
                Tree::Chain => {
                    for (piece, &bytes) in pieces.iter().enumerate() {
                        part.extend(rank.checked_sub(1).map(|from| take(from, piece, bytes, true)));
                        let next = Some(rank + 1).filter(|&next| next < size);
                        part.extend(next.map(|to| Operation::Post {
                            to,
                            piece,
                            bytes,
                            copies: true,
                        }));
                    }
                }
                Tree::Flat => {
                    for to in rank + 1..size {
                        let post =
                            |(piece, &bytes)| Operation::Post { to, piece, bytes, copies: true };
                        part.extend(pieces.iter().enumerate().map(post));
                    }
                    for from in 0..rank {
                        part.extend(
                            pieces
                                .iter()
                                .enumerate()
                                .map(|(piece, &bytes)| take(from, piece, bytes, true)),
                        );
                    }
                }
                _ => {
                    let (mut distance, bytes) = (1, self.bytes);
                    while distance < size {
                        let to = Some(rank + distance).filter(|&to| to < size);
                        part.extend(to.map(|to| Operation::Post {
                            to,
                            piece: distance,
                            bytes,
                            copies: true,
                        }));
                        part.extend(
                            rank.checked_sub(distance)
                                .map(|from| take(from, distance, bytes, true)),
                        );
                        distance *= 2;
                    }
                }
            },
            _ => return None,
        }
        Some(part)
    }

    /// A rank posts all its data to all others, and combines what they have posted.
    fn part_of_all(&self, rank: Rank) -> Vec<Operation> {
        let others: Vec<Rank> = (0..self.hosts.members()).filter(|&other| other != rank).collect();
        let mut part = Vec::new();
        for (piece, &bytes) in self.pieces.iter().enumerate() {
            part.extend(self.post_to_all(rank, &others, piece, bytes));
        }
        for (piece, &bytes) in self.pieces.iter().enumerate() {
            part.extend(others.iter().map(|&from| take(from, piece, bytes, true)));
        }
        part
    }

    /// A rank posts the word of the call and all its data, and reads what the others, or the lower
    /// ones, have posted where it lies. All that has to be combined it combines unit by unit.
    fn part_of_given(&self, rank: Rank) -> Vec<Operation> {
        const WORD: usize = 0;
        const DATA: usize = 1;
        let (size, in_scan) = (self.hosts.members(), self.kind != Kind::AllReduce);
        let others = || (0..size).filter(|&other| other != rank);
        let to: Vec<Rank> = others().filter(|&to| !in_scan || to > rank).collect();
        let mut part: Vec<Operation> = self.post_to_all(rank, &to, WORD, 0).collect();
        part.extend(self.post_to_all(rank, &to, DATA, self.bytes));
        for from in others().filter(|&from| !in_scan || from < rank) {
            part.extend([WORD, DATA].map(|piece| take(from, piece, 0, false)));
        }
        if rank > 0 || !in_scan {
            part.push(Operation::Help { bytes: self.bytes, in_scan });
        }
        part
    }

    /// A piece for each of `children`: those on the rank's own host read one copy.
    fn post_to_all(
        &self,
        rank: Rank,
        children: &[Rank],
        piece: usize,
        bytes: usize,
    ) -> impl Iterator<Item = Operation> {
        let mut has_copied = false;
        children.iter().map(move |&to| {
            let copies = !near(self.hosts, rank, to) || !std::mem::replace(&mut has_copied, true);
            Operation::Post { to, piece, bytes, copies }
        })
    }
}

/// How long a barrier of all ranks of one host takes with this algorithm, in nanoseconds: its
/// schedule with the terms of the shortest messages (the LogP model; hoefler-2005 §2.1.3 and §2.2).
pub(crate) fn predicted_barrier_ns(algorithm: Algorithm, ranks: usize, terms: &Terms) -> f64 {
    let hosts = Hosts::of((0..ranks).map(|_| 0));
    let on_board = |rank: Rank| {
        let others = (0..ranks).filter(|&other| other != rank);
        let seen = others.map(|from| Operation::See { from, piece: 0 });
        std::iter::once(Operation::Tell { piece: 0, bytes: SIGNAL_BYTES }).chain(seen).collect()
    };
    let by_signals = |rank: Rank| {
        let mut part = Vec::new();
        for (nth, step) in Schedule::new(algorithm, rank, ranks).steps().iter().enumerate() {
            let arrivals = step.recv_from.iter();
            part.extend(arrivals.map(|it| take(it.rank, it.step.into(), SIGNAL_BYTES, false)));
            let bytes = SIGNAL_BYTES;
            let post = |&to| Operation::Post { to, piece: nth, bytes, copies: true };
            part.extend(step.send_to.iter().map(post));
        }
        part
    };
    let parts = match algorithm {
        Algorithm::Board => (0..ranks).map(on_board).collect(),
        _ => (0..ranks).map(by_signals).collect(),
    };
    Play::new(terms, &hosts, parts).run()
}

fn take(from: Rank, piece: usize, bytes: usize, combines: bool) -> Operation {
    Operation::Take { from, piece, bytes, combines }
}

#[cfg(test)]
mod tests;
