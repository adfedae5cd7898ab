//! Plays a call through, message by message and unit by unit, by the terms of a machine. Pure.
//!
//! # What is played
//!
//! Each rank has its operations in the order of the call: it posts a piece, which takes `os` of its
//! core; or it takes a piece in, which takes `or` once the piece is there. A rank that has nothing
//! to do leaves its core to another of its host, which takes a switch. Between hosts a piece is on
//! its way for a time, and the pieces of one sender follow each other.
//!
//! Where ranks combine units of large data for each other, each goes by the call's own [`Units`]. It
//! sees at once what the others have claimed and done, and waits for none of them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use runahead::Rank;
use runahead::internals::collective::{Hosts, Step, Told, Units};

use super::model::{Link, Terms, at};

/// What a rank does, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    /// Posts a piece to a rank. `copies` if it has to be copied: one copy serves all of a host.
    Post { to: Rank, piece: usize, bytes: usize, copies: bool },
    /// Puts a piece where all others see it.
    Tell { piece: usize, bytes: usize },
    /// Puts a piece where all others read it.
    Deposit { piece: usize, bytes: usize },
    /// Takes in a piece that is deposited, and combines it if it `combines`.
    Read { from: Rank, piece: usize, bytes: usize, combines: bool },
    /// Goes on when a piece is seen, which takes nothing.
    See { from: Rank, piece: usize },
    /// Takes a piece in, and combines it if it `combines`.
    Take { from: Rank, piece: usize, bytes: usize, combines: bool },
    /// Combines units of so many bytes that it has of others, or copies them from whoever has done
    /// them, until it has all. In a scan it has those of lower ranks, and begins with what one has done.
    Help { bytes: usize, in_scan: bool },
}

/// Whether two ranks are on one host.
pub(super) fn near(hosts: &Hosts, one: Rank, other: Rank) -> bool {
    hosts.host(one) == hosts.host(other)
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
pub(super) struct Play<'t> {
    terms: &'t Terms,
    hosts: &'t Hosts,
    parts: Vec<VecDeque<Operation>>,
    events: BinaryHeap<Reverse<(At, Event)>>,
    /// For each host the ranks that want a core, and how many cores nobody has.
    ready: HashMap<usize, VecDeque<Rank>>,
    free: HashMap<usize, usize>,
    came: HashSet<(Rank, Rank, usize)>,
    /// Which piece a rank waits for.
    waits: HashMap<Rank, (Rank, usize)>,
    /// When the network of a rank has sent all that it was given.
    sent: Vec<f64>,
    /// The units that a rank lacks, from when it begins with them; and what it says of them.
    units: Vec<Option<Units>>,
    told: Vec<Told>,
    /// The unit that a rank has under way, whether it combines it, and when it ends.
    begun: Vec<Option<(usize, bool, f64)>>,
    last: f64,
}

impl<'t> Play<'t> {
    /// `parts` are what each rank does.
    pub(super) fn new(terms: &'t Terms, hosts: &'t Hosts, parts: Vec<Vec<Operation>>) -> Play<'t> {
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
            units: vec![None; parts.len()],
            told: vec![Told::default(); parts.len()],
            begun: vec![None; parts.len()],
            parts: parts.into_iter().map(VecDeque::from).collect(),
            events: BinaryHeap::new(),
            ready,
            free,
            came: HashSet::new(),
            waits: HashMap::new(),
            last: 0.0,
        }
    }

    /// Plays it, and returns when the last has happened.
    pub(super) fn run(mut self) -> f64 {
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
        if let (Some((unit, combines, _)), Some(units)) =
            (self.begun[rank].take(), &mut self.units[rank])
        {
            units.handle_unit(unit);
            self.told[rank].done |= u64::from(combines) << unit;
            return self.go_on(rank, now, 0.0);
        }
        match self.parts[rank].pop_front() {
            Some(Operation::Post { to, piece, bytes, .. }) => {
                let link = self.link(rank, to);
                self.send(rank, to, (piece, bytes), (link, now))
            }
            Some(Operation::Tell { piece, bytes }) => {
                self.show(rank, (piece, bytes), (&self.terms.near, now))
            }
            Some(Operation::Deposit { piece, bytes }) => {
                self.show(rank, (piece, bytes), (&self.terms.deposits, now))
            }
            _ => {}
        }
        self.go_on(rank, now, 0.0);
    }

    /// A piece is on its way to all others from now on.
    fn show(&mut self, rank: Rank, piece: (usize, usize), on: (&Link, f64)) {
        for to in (0..self.parts.len()).filter(|&to| to != rank) {
            self.send(rank, to, piece, on);
        }
    }

    /// A piece is on its way on this link from now on.
    fn send(
        &mut self,
        rank: Rank,
        to: Rank,
        (piece, bytes): (usize, usize),
        (link, now): (&Link, f64),
    ) {
        let way = at(&link.way, bytes);
        let came = if near(self.hosts, rank, to) {
            now + way
        } else {
            self.sent[rank] = self.sent[rank].max(now) + way;
            self.sent[rank]
        };
        self.events.push(Reverse((At(came), Event::Came(rank, to, piece))));
    }

    fn handle_came(&mut self, from: Rank, to: Rank, piece: usize, now: f64) {
        self.came.insert((from, to, piece));
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
        let waits_for = match self.parts[rank].front() {
            Some(
                &Operation::Take { from, piece, .. }
                | &Operation::Read { from, piece, .. }
                | &Operation::See { from, piece },
            ) => Some((from, piece)),
            _ => None,
        };
        let lacks = waits_for.filter(|&(from, piece)| !self.came.contains(&(from, rank, piece)));
        if let Some(lacking) = lacks {
            self.waits.insert(rank, lacking);
        }
        let Some(&operation) = self.parts[rank].front().filter(|_| lacks.is_none()) else {
            *self.free.entry(host).or_default() += 1;
            return self.fill(host, now, self.terms.switch);
        };
        let combining = |bytes: usize, combines: bool| match combines {
            true => at(&self.terms.combine, bytes),
            false => 0.0,
        };
        let takes = match operation {
            Operation::Post { to, bytes, copies, .. } => {
                at(&self.link(rank, to).os, if copies { bytes } else { 0 })
            }
            Operation::Tell { bytes, .. } => at(&self.terms.near.os, bytes),
            Operation::See { .. } => 0.0,
            Operation::Take { from, bytes, combines, .. } => {
                at(&self.link(rank, from).or, bytes) + combining(bytes, combines)
            }
            Operation::Deposit { bytes, .. } => at(&self.terms.deposits.os, bytes),
            Operation::Read { bytes, combines, .. } => {
                at(&self.terms.deposits.or, bytes) + combining(bytes, combines)
            }
            Operation::Help { bytes, in_scan } => {
                self.begin_unit(rank, now + delay, (bytes, in_scan))
            }
        };
        self.events.push(Reverse((At(now + delay + takes), Event::Done(rank))));
    }

    /// The rank begins its next unit. Returns what that takes; 0 if it has all.
    fn begin_unit(&mut self, rank: Rank, now: f64, (bytes, in_scan): (usize, bool)) -> f64 {
        let size = self.parts.len();
        let units = self.units[rank].get_or_insert_with(|| Units::new(bytes, 1, (rank, size)));
        let begun = &self.begun;
        let told = self.told.iter().copied().enumerate().map(|(other, mut told)| {
            // What ends at this very moment is done.
            if let Some((unit, true, _)) = begun[other].filter(|&(_, _, ends)| ends <= now) {
                told.done |= 1 << unit;
            }
            (other, told)
        });
        let (next, reads, combines) = match in_scan {
            true => match units.poll_prefix(told.take(rank)) {
                // It reads one as a beginning, and combines with it the others and its own.
                Some((unit, found)) => {
                    let steps = rank - found.unwrap_or(0);
                    (Some(unit), steps, steps)
                }
                None => (None, 0, 0),
            },
            false => match units.poll_step(told.filter(|&(other, _)| other != rank)) {
                Step::Combine(unit) => (Some(unit), size - 1, size - 1),
                Step::Copy(unit, _) => (Some(unit), 1, 0),
                Step::Done => (None, 0, 0),
            },
        };
        let Some(unit) = next else { return 0.0 };
        self.told[rank].claimed |= u64::from(combines > 0) << unit;
        let length = units.range(unit).len();
        // What of a message is there already: only its bytes count.
        let or = &self.terms.near.or;
        let reading = (at(or, length) - at(or, 0)).max(0.0);
        let takes = reads as f64 * reading + combines as f64 * at(&self.terms.combine, length);
        self.begun[rank] = Some((unit, combines > 0, now + takes));
        takes
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
