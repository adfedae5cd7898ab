//! What searches of groups whose signals are words share: the memory in which words lie, and a search of all that can
//! happen, with what is checked in every state. Not here: what a rank does, and what else there is (`written`,
//! `released`).
//!
//! In every state nobody has completed what somebody has not entered; and where nothing goes on any more, all have
//! completed as many barriers as there are.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use runahead_order::{Algorithm, Carrier, Epoch, GroupId, Order, Ordering, Rank};

pub const GROUP: GroupId = GroupId(3);
pub const PLACE: usize = 2;

/// The ranks, and the words between them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Words {
    pub ranks: Vec<Order>,
    /// For each rank and sender.
    pub cells: Vec<Vec<u64>>,
    pub under_way: Vec<Vec<VecDeque<u64>>>,
}

pub fn entered(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").0
}

pub fn complete(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").1
}

impl Words {
    /// A group of these members.
    pub fn new(algorithm: Algorithm, members: &[Rank]) -> Words {
        let size = members.len();
        let rank = |rank| {
            let mut order = Order::new(rank, size, Ordering::default(), 2);
            let made =
                order.add_group(GROUP, members, Carrier::Cells { algorithm, place: PLACE }, 0);
            assert_eq!((made, order.cells_of(GROUP)), (Ok(()), Some(PLACE)));
            order
        };
        Words {
            ranks: (0..size).map(rank).collect(),
            cells: vec![vec![0; size]; size],
            under_way: vec![vec![VecDeque::new(); size]; size],
        }
    }

    /// The oldest word under way from one rank to another is there; a newer one covers one that nobody has looked at. False
    /// if there is none.
    pub fn deliver(&mut self, to: Rank, from: Rank) -> bool {
        let next = self.under_way[to][from].pop_front();
        next.map(|word| self.cells[to][from] = word).is_some()
    }

    /// Whether a rank may enter a barrier, of so many.
    pub fn may_enter(&self, rank: Rank, epochs: Epoch) -> bool {
        entered(&self.ranks[rank]) < epochs && self.ranks[rank].may_initiate(GROUP).is_ok()
    }

    fn check(&self) -> Result<(), String> {
        let least = self.ranks.iter().map(entered).min().unwrap_or(0);
        match self.ranks.iter().map(complete).max() {
            Some(most) if most > least => Err(format!("{most} is complete, and {least} entered")),
            _ => Ok(()),
        }
    }
}

/// What may follow a state.
pub struct Next<S> {
    /// One of these follows some time, those that change nothing apart.
    pub sure: Vec<S>,
    /// These may not happen, as what is under way may be lost.
    pub unsure: Vec<S>,
}

impl<S> Next<S> {
    pub fn new() -> Next<S> {
        Next { sure: Vec::new(), unsure: Vec::new() }
    }
}

/// What was found.
pub struct Found {
    pub states: usize,
    /// How many of them in which nothing goes on.
    pub ended: usize,
}

/// All states from one on, of so many barriers. What is wrong ends it.
pub fn search<S: Clone + Eq + Hash>(
    first: S,
    epochs: Epoch,
    words: impl Fn(&S) -> &Words,
    mut next: impl FnMut(&S) -> Result<Next<S>, String>,
) -> Result<Found, String> {
    let (mut found, mut open, mut ended) = (HashSet::new(), vec![first], 0);
    while let Some(state) = open.pop() {
        if found.contains(&state) {
            continue;
        }
        words(&state).check()?;
        let Next { sure, unsure } = next(&state)?;
        // What changes nothing is no step.
        if sure.iter().all(|next| *next == state) {
            if words(&state).ranks.iter().any(|order| complete(order) < epochs) {
                return Err("nothing goes on, and somebody waits".to_owned());
            }
            ended += 1;
        }
        open.extend(sure.into_iter().chain(unsure));
        found.insert(state);
    }
    Ok(Found { states: found.len(), ended })
}
