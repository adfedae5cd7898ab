//! A job of order cores and the signals in flight between them. It decides nothing by itself: the
//! tests say what is delivered, when, how often, and what is lost.

use std::collections::{BTreeMap, BTreeSet};

use runahead_order::core::board::{Publication, Word};
use runahead_order::hosts::Cell;
use runahead_order::schedule::{Arrival, Step};
use runahead_order::{
    Algorithm, Carrier, Epoch, GroupId, Order, Ordering, ProtocolError, Rank, Refused, Schedule,
    Signal, Ticket,
};

/// A signal on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flying {
    pub from: Rank,
    pub to: Rank,
    pub signal: Signal,
}

/// The ranks of a job and what is in flight.
#[derive(Clone, Debug)]
pub struct World {
    pub ranks: Vec<Order>,
    pub flight: Vec<Flying>,
    /// Pairs whose signals are refused for lack of credit.
    pub without_credit: BTreeSet<(Rank, Rank)>,
    /// What the ranks have published, for all to see at once.
    pub board: BTreeMap<(GroupId, Rank), Epoch>,
    /// What has been made, for `check`.
    groups: Vec<(GroupId, Vec<Rank>)>,
}

impl World {
    pub fn new(size: usize, ordering: Ordering, open_limit: usize) -> World {
        let ranks = (0..size).map(|rank| Order::new(rank, size, ordering, open_limit)).collect();
        let (flight, without_credit) = (Vec::new(), BTreeSet::new());
        let board = BTreeMap::new();
        World { ranks, flight, without_credit, board, groups: Vec::new() }
    }

    /// A job whose only group is the world.
    pub fn of_all(size: usize, algorithm: Algorithm, open_limit: usize) -> World {
        let mut world = World::new(size, Ordering::Contained, open_limit);
        let members: Vec<Rank> = (0..size).collect();
        world.add_group(GroupId::WORLD, &members, algorithm, 0);
        world
    }

    /// All members make the group.
    pub fn add_group(&mut self, id: GroupId, members: &[Rank], algorithm: Algorithm, first: u64) {
        for &rank in members {
            self.make(rank, id, members, algorithm, first);
        }
    }

    /// One member makes the group.
    pub fn make(
        &mut self,
        rank: Rank,
        id: GroupId,
        members: &[Rank],
        algorithm: Algorithm,
        first: u64,
    ) {
        self.groups.retain(|(known, _)| *known != id);
        self.groups.push((id, members.to_vec()));
        let order = &mut self.ranks[rank];
        let made = match algorithm {
            Algorithm::Board => order.add_group(id, members, Carrier::board(0), first),
            algorithm => order.add_group(id, members, algorithm, first),
        };
        made.expect("the group is right");
        self.collect(rank);
    }

    pub fn initiate(&mut self, rank: Rank, group: GroupId) -> Result<Ticket, Refused> {
        let ticket = self.ranks[rank].handle_initiate(group);
        self.collect(rank);
        ticket
    }

    /// Puts what a rank has to signal into flight.
    pub fn collect(&mut self, rank: Rank) {
        let World { ranks, flight, without_credit, board, .. } = self;
        ranks[rank].poll_published(|Publication { group, before, epoch, .. }| {
            assert!(before < epoch);
            board.insert((group, rank), epoch);
        });
        ranks[rank].poll_signals(|to, signal| {
            let taken = !without_credit.contains(&(rank, to));
            if taken {
                flight.push(Flying { from: rank, to, signal });
            }
            taken
        });
    }

    /// A rank looks at what the others have published.
    pub fn look(&mut self, rank: Rank) -> Result<(), ProtocolError> {
        let board = &self.board;
        let is_entered = |word: &Word| word.cell == Cell::Entered;
        let load =
            |word: Word| board.get(&(word.group, word.rank)).copied().filter(|_| is_entered(&word));
        while self.ranks[rank].look(&load)? {}
        self.collect(rank);
        Ok(())
    }

    /// Puts a rank's questions into flight.
    pub fn ask(&mut self, rank: Rank) {
        let World { ranks, flight, .. } = self;
        ranks[rank].poll_asks(0, |to, signal| flight.push(Flying { from: rank, to, signal }));
    }

    /// Hands a signal over, wherever it came from.
    pub fn hand_over(&mut self, flying: Flying) -> Result<(), ProtocolError> {
        let Flying { from, to, signal } = flying;
        let result = self.ranks[to].handle_signal(from, signal);
        self.collect(to);
        result
    }

    /// Delivers until nothing is in flight.
    ///
    /// # Panics
    ///
    /// If a rank finds fault with a signal.
    pub fn deliver_all(&mut self) {
        while !self.flight.is_empty() {
            let next = self.flight.remove(0);
            self.hand_over(next).expect("correct ranks signal only what is right");
            self.check();
        }
        for rank in 0..self.ranks.len() {
            self.look(rank).expect("correct ranks publish only what is right");
            self.check();
        }
    }

    /// The epoch that is complete here.
    pub fn complete(&self, rank: Rank, group: GroupId) -> u64 {
        self.ranks[rank].progress_of(group).map_or(0, |(_, complete, _)| complete)
    }

    /// A barrier is complete nowhere before all members have entered it.
    ///
    /// SEMANTICS: BAR-1
    pub fn check(&self) {
        for (id, members) in &self.groups {
            let progress = || members.iter().filter_map(|&rank| self.ranks[rank].progress_of(*id));
            // A member that has not made the group, or has forgotten it, is not asked.
            if progress().count() < members.len() {
                continue;
            }
            let entered = progress().map(|(entered, ..)| entered).min();
            let complete = progress().map(|(_, complete, _)| complete).max();
            assert!(complete <= entered, "{id}: complete {complete:?}, entered {entered:?}");
        }
    }
}

/// Everyone signals everyone, made by hand: what the algorithms are compared with.
pub fn all_to_all(rank: Rank, size: usize) -> Schedule {
    let others = || (0..size).filter(|&other| other != rank);
    let first = Step { recv_from: Vec::new(), send_to: others().collect() };
    let arrivals = others().map(|rank| Arrival { rank, step: 0 });
    let last = Step { recv_from: arrivals.collect(), send_to: Vec::new() };
    Schedule::from_steps(rank, size, vec![first, last])
}

/// The butterfly of four ranks, made by hand (pakin-2001 figure 4.1).
pub fn butterfly_of_4(rank: Rank) -> Schedule {
    let from = |rank, step| vec![Arrival { rank, step }];
    let steps = vec![
        Step { recv_from: Vec::new(), send_to: vec![rank ^ 1] },
        Step { recv_from: from(rank ^ 1, 0), send_to: vec![rank ^ 2] },
        Step { recv_from: from(rank ^ 2, 1), send_to: Vec::new() },
    ];
    Schedule::from_steps(rank, 4, steps)
}
