//! Groups whose signals are words, as searches see them: the memory in which words lie, and what must
//! hold in every state. `written` and `released` say what a rank does, and what else there is.

use std::collections::VecDeque;

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

    /// Nobody has completed a barrier that somebody has not entered.
    pub fn check(&self) -> Result<(), String> {
        let least = self.ranks.iter().map(entered).min().unwrap_or(0);
        match self.ranks.iter().map(complete).max() {
            Some(most) if most > least => Err(format!("{most} is complete, and {least} entered")),
            _ => Ok(()),
        }
    }

    /// Whether all have completed so many barriers.
    pub fn are_complete(&self, epochs: Epoch) -> bool {
        self.ranks.iter().all(|order| complete(order) == epochs)
    }
}
