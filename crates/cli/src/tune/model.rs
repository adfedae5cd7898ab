//! How long a call of a collective takes, by measured terms: the parameterised LogP model of
//! wu-2005 §4.5, played through message by message. Pure.
//!
//! wu's equations 4.3 to 4.6 say what three ways of overlapping cost, and one has to measure which of
//! them holds. Here ranks that want a core wait for one, so that what overlaps comes out by itself.
//!
//! # What is played
//!
//! Each rank has its operations in the order of the call: it posts a piece, which takes `os` of its
//! core; or it takes a piece in, which takes `or` once the piece is there. A rank that has nothing to
//! do leaves its core to another of its host, which takes a switch. Between hosts a piece is on its
//! way for a time, and the pieces of one sender follow each other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

use runahead::internals::collective::{Hosts, Kind, Shape};
use runahead::{Rank, Tree};
use serde::{Deserialize, Serialize};

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

/// The terms of a machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// Between ranks of one host.
    pub(crate) near: Link,
    /// Between ranks of different hosts, if there are several.
    pub(crate) far: Option<Link>,
    /// Combining a message's bytes, beside taking them in.
    pub(crate) combine: BTreeMap<usize, f64>,
    /// A switch from one rank of a core to another.
    pub(crate) switch: f64,
    /// The cores of each host.
    pub(crate) cores: usize,
}

/// Between two lengths that were measured, and beyond the last, the term is a straight line.
fn at(term: &BTreeMap<usize, f64>, bytes: usize) -> f64 {
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

/// What a rank does, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    /// Posts a piece to a rank. `copies` if it has to be copied: one copy serves all of a host.
    Post { to: Rank, piece: usize, bytes: usize, copies: bool },
    /// Takes a piece in, and combines it if it `combines`.
    Take { from: Rank, piece: usize, bytes: usize, combines: bool },
}

/// A call whose shape is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'h> {
    pub(crate) kind: Kind,
    pub(crate) bytes: usize,
    pub(crate) hosts: &'h Hosts,
}

impl Call<'_> {
    /// How long the last rank takes, in nanoseconds. None for calls that the model does not know.
    pub(crate) fn predicted_ns(&self, shape: Shape, terms: &Terms) -> Option<f64> {
        let parts: Option<Vec<_>> =
            (0..self.hosts.members()).map(|rank| self.part(rank, shape)).collect();
        Some(Play::new(terms, self.hosts, parts?).run())
    }

    /// The pieces in which the data travel.
    fn pieces(&self, bytes: usize, shape: Shape) -> Vec<usize> {
        let each = shape.piece_bytes.clamp(1, bytes.max(1));
        let count = bytes.div_ceil(each).max(1);
        (0..count).map(|nth| (bytes - (nth * each).min(bytes)).min(each)).collect()
    }

    fn part(&self, rank: Rank, shape: Shape) -> Option<Vec<Operation>> {
        let (root, size, tree) = (0, self.hosts.members(), shape.tree);
        let parent = (0..size)
            .find(|&other| self.hosts.children(tree, other, root).any(|child| child == rank));
        let children: Vec<Rank> = self.hosts.children(tree, rank, root).collect();
        let pieces = self.pieces(self.bytes, shape);
        let mut part = Vec::new();
        match self.kind {
            Kind::Broadcast => {
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(parent.map(|from| take(from, piece, bytes, false)));
                    part.extend(self.post_to_all(rank, &children, piece, bytes));
                }
            }
            Kind::Reduce | Kind::AllReduce if tree != Tree::Flat || self.kind == Kind::Reduce => {
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
                let share = self.pieces(self.bytes.div_ceil(size), shape);
                let others: Vec<Rank> = (rank + 1..size).chain(0..rank).collect();
                for &to in &others {
                    let post = |(piece, &bytes)| Operation::Post { to, piece, bytes, copies: true };
                    part.extend(share.iter().enumerate().map(post));
                }
                for (piece, &bytes) in share.iter().enumerate() {
                    part.extend(
                        (0..size)
                            .filter(|&from| from != rank)
                            .map(|from| take(from, piece, bytes, true)),
                    );
                }
                for (piece, &bytes) in share.iter().enumerate() {
                    part.extend(self.post_to_all(rank, &others, piece + share.len(), bytes));
                }
                for &from in others.iter().rev() {
                    let get = |(piece, &bytes)| take(from, piece + share.len(), bytes, false);
                    part.extend(share.iter().enumerate().map(get));
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

fn near(hosts: &Hosts, one: Rank, other: Rank) -> bool {
    hosts.host(one) == hosts.host(other)
}

fn take(from: Rank, piece: usize, bytes: usize, combines: bool) -> Operation {
    Operation::Take { from, piece, bytes, combines }
}

/// A moment, in nanoseconds, for the order of events.
#[derive(Clone, Copy)]
struct At(f64);

impl PartialEq for At {
    fn eq(&self, other: &At) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &At) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &At) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// What happens at a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A rank has done its operation.
    Done(Rank),
    /// A piece has come: from, to, which.
    Came(Rank, Rank, usize),
}

/// A call that is played through.
struct Play<'t> {
    terms: &'t Terms,
    hosts: &'t Hosts,
    parts: Vec<VecDeque<Operation>>,
    events: BinaryHeap<Reverse<(At, Event)>>,
    /// For each host the ranks that want a core, and how many cores nobody has.
    ready: HashMap<usize, VecDeque<Rank>>,
    free: HashMap<usize, usize>,
    came: HashMap<(Rank, Rank, usize), ()>,
    /// Which piece a rank waits for.
    waits: HashMap<Rank, (Rank, usize)>,
    /// When the network of a rank has sent all that it was given.
    sent: Vec<f64>,
    last: f64,
}

impl<'t> Play<'t> {
    fn new(terms: &'t Terms, hosts: &'t Hosts, parts: Vec<Vec<Operation>>) -> Play<'t> {
        let mut ready: HashMap<usize, VecDeque<Rank>> = HashMap::new();
        let mut free = HashMap::new();
        for rank in 0..parts.len() {
            ready.entry(hosts.host(rank)).or_default().push_back(rank);
            free.insert(hosts.host(rank), terms.cores);
        }
        Play {
            terms,
            hosts,
            sent: vec![0.0; parts.len()],
            parts: parts.into_iter().map(VecDeque::from).collect(),
            events: BinaryHeap::new(),
            ready,
            free,
            came: HashMap::new(),
            waits: HashMap::new(),
            last: 0.0,
        }
    }

    /// Plays it, and returns when the last has happened.
    fn run(mut self) -> f64 {
        let hosts: Vec<usize> = self.free.keys().copied().collect();
        for host in hosts {
            self.fill(host, 0.0, 0.0);
        }
        while let Some(Reverse((At(now), event))) = self.events.pop() {
            self.last = now;
            match event {
                Event::Done(rank) => self.handle_done(rank, now),
                Event::Came(from, to, piece) => self.handle_came(from, to, piece, now),
            }
        }
        debug_assert!(self.parts.iter().all(VecDeque::is_empty), "a rank waits for ever");
        self.last
    }

    fn link(&self, one: Rank, other: Rank) -> &'t Link {
        match (&self.terms.far, near(self.hosts, one, other)) {
            (Some(far), false) => far,
            _ => &self.terms.near,
        }
    }

    /// The rank has done the first of what it has to do.
    fn handle_done(&mut self, rank: Rank, now: f64) {
        if let Some(Operation::Post { to, piece, bytes, .. }) = self.parts[rank].pop_front() {
            let way = at(&self.link(rank, to).way, bytes);
            let came = if near(self.hosts, rank, to) {
                now + way
            } else {
                self.sent[rank] = self.sent[rank].max(now) + way;
                self.sent[rank]
            };
            self.events.push(Reverse((At(came), Event::Came(rank, to, piece))));
        }
        self.go_on(rank, now, 0.0);
    }

    fn handle_came(&mut self, from: Rank, to: Rank, piece: usize, now: f64) {
        self.came.insert((from, to, piece), ());
        if self.waits.get(&to) == Some(&(from, piece)) {
            self.waits.remove(&to);
            let host = self.hosts.host(to);
            self.ready.entry(host).or_default().push_back(to);
            self.fill(host, now, self.terms.switch);
        }
    }

    /// A rank that has a core begins its next operation, or leaves the core.
    fn go_on(&mut self, rank: Rank, now: f64, delay: f64) {
        let host = self.hosts.host(rank);
        let takes = match self.parts[rank].front() {
            Some(&Operation::Post { to, bytes, copies, .. }) => {
                let link = self.link(rank, to);
                at(&link.os, if copies { bytes } else { 0 })
            }
            Some(&Operation::Take { from, piece, bytes, combines }) => {
                if !self.came.contains_key(&(from, rank, piece)) {
                    self.waits.insert(rank, (from, piece));
                    *self.free.entry(host).or_default() += 1;
                    return self.fill(host, now, self.terms.switch);
                }
                let combining = if combines { at(&self.terms.combine, bytes) } else { 0.0 };
                at(&self.link(rank, from).or, bytes) + combining
            }
            None => {
                *self.free.entry(host).or_default() += 1;
                return self.fill(host, now, self.terms.switch);
            }
        };
        self.events.push(Reverse((At(now + delay + takes), Event::Done(rank))));
    }

    /// Gives free cores to ranks that want one.
    fn fill(&mut self, host: usize, now: f64, delay: f64) {
        while self.free.get(&host).is_some_and(|&free| free > 0)
            && let Some(rank) = self.ready.get_mut(&host).and_then(VecDeque::pop_front)
        {
            *self.free.entry(host).or_default() -= 1;
            self.go_on(rank, now, delay);
        }
    }
}
