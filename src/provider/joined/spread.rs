//! Words that all ranks share, where they are on several hosts: each host has a copy of them in memory that its ranks
//! see. Who stores a word stores it at home, and has the far network write it into the copy of each other host, by
//! whichever rank there is still there.
//!
//! So nobody forwards anything, and no rank of a host does anything for the others: a word is at all hosts as soon as
//! the network has brought it. A word has one writer, whose words come to a host in the order in which they were stored.
//!
//! A word may also be for the copy of one other host alone, where writing it to all would be too much.
//!
//! If the rank by which they went leaves, what was on the way to it may be lost, or come late. So words are held back until
//! nothing is on that way any more; then all are written again, by another, in the order that `stored` says (those for this
//! copy alone with all that is published), and from then on
//! each as it is stored. Else an old word could come over a newer one, an old number beside a new mark. A rank that leaves
//! stays until all that it has stored lies in all copies: nobody else writes it again.
//!
//! What words mean is not known here. Keeps rules BAR-1 and END-1 of SEMANTICS.md.

use std::cell::{Cell, RefCell};

use super::Hosts;
use super::stored::{Listed, Stored};
use crate::order::Rank;
use crate::verbs::{Nic, PeerState};

/// What has become of words that were written by a rank of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Some are under way.
    UnderWay,
    /// All lie in the copy of that host.
    Arrived,
    /// The way is closed: some may not have arrived, and these never will.
    Lost,
}

/// A network between hosts that writes into memory of theirs.
pub trait Far: Nic {
    /// Writes a word of the memory that `peer` has exposed when it was connected, waiting for room in queues, and for
    /// nothing else: neither for the peer, nor until it is written. Words for one peer are written in the order in which
    /// this was called, and nobody is woken. False if the peer has gone, or has exposed no such word.
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool;

    /// What has become of all that was written so by `peer`, also if it has gone. Who asks again and again is told one day
    /// that nothing is under way any more.
    fn written_by(&self, peer: Rank) -> Written;
}

/// The copies of the other hosts, as one rank sees them.
#[cfg_attr(test, derive(Clone))]
pub(super) struct Spread {
    /// The number of words of each copy; 0 if there are none.
    pub(super) words: usize,
    /// Where, among the words of the near network, those of this host begin.
    pub(super) first: usize,
    hosts: Vec<Copy>,
    /// For each host its place there.
    places: Vec<usize>,
    /// What this rank has stored.
    stored: RefCell<Stored>,
}

#[cfg_attr(test, derive(Clone))]
struct Copy {
    /// What this rank has stored there alone.
    stored: RefCell<Listed>,
    ranks: Vec<Rank>,
    /// The place, among them, of the one by which words go there.
    by: Cell<usize>,
    /// Whether words are held back, since what was written by those before may still come.
    again: Cell<bool>,
}

impl Spread {
    pub(super) fn new(rank: Rank, hosts: &Hosts, words: usize) -> Spread {
        let own = hosts.of(rank);
        let copies = (0..hosts.count() as u32).filter(|&host| Some(host) != own).map(|host| {
            let mut ranks: Vec<Rank> =
                (0..hosts.ranks()).filter(|&peer| hosts.of(peer) == Some(host)).collect();
            // Not all by the same one.
            let count = ranks.len().max(1);
            ranks.rotate_left(rank % count);
            Copy { stored: RefCell::default(), ranks, by: Cell::new(0), again: Cell::new(false) }
        });
        // The own host has none.
        let place =
            |host| (host as usize).saturating_sub(usize::from(own.is_some_and(|own| own < host)));
        Spread {
            places: (0..hosts.count() as u32).map(place).collect(),
            words,
            first: own.unwrap_or(0) as usize * words,
            hosts: copies.collect(),
            stored: RefCell::new(Stored::new(words)),
        }
    }

    /// Writes a word that this rank alone stores into all other copies. What `is_published` is a number; what is not may say
    /// of what.
    pub(super) fn store(&self, far: &impl Far, word: usize, value: u64, is_published: bool) {
        self.stored.borrow_mut().note(word, value, is_published);
        for copy in &self.hosts {
            if copy.again.get() {
                self.go_on(far, copy);
            } else if !copy.write(far, word, value) {
                self.change(far, copy);
            }
        }
    }

    /// Writes a word that this rank alone stores into the copy of one other host, and which stands in no other. It is
    /// published. False if it is held back.
    pub(super) fn store_at(&self, far: &impl Far, host: usize, word: usize, value: u64) -> bool {
        let Some(copy) = self.places.get(host).and_then(|&at| self.hosts.get(at)) else {
            return true;
        };
        copy.stored.borrow_mut().note(word, value);
        if copy.again.get() {
            self.go_on(far, copy);
        } else if !copy.write(far, word, value) {
            self.change(far, copy);
        }
        !copy.again.get()
    }

    /// Looks whether those are still there by whom words go.
    pub(super) fn look_around(&self, far: &impl Far) {
        for copy in &self.hosts {
            let by = copy.ranks.get(copy.by.get());
            if by.is_some_and(|&by| far.peer_state(by) == PeerState::Gone) {
                self.change(far, copy);
            } else {
                self.go_on(far, copy);
            }
        }
    }

    /// Whether words are held back.
    pub(super) fn is_changing(&self) -> bool {
        self.hosts.iter().any(|copy| copy.again.get())
    }

    /// Whether all that was stored lies in all copies that anybody needs. What is lost is written again: who calls this
    /// until it is so can leave.
    pub(super) fn is_settled(&self, far: &impl Far) -> bool {
        let is_empty = |copy: &Copy| copy.stored.borrow().is_empty();
        if self.stored.borrow().is_empty() && self.hosts.iter().all(is_empty) {
            return true;
        }
        self.look_around(far);
        self.hosts.iter().all(|copy| {
            let Some(&by) = copy.ranks.get(copy.by.get()) else { return true };
            match far.written_by(by) {
                Written::Arrived => !copy.again.get(),
                Written::UnderWay => false,
                Written::Lost => {
                    self.change(far, copy);
                    false
                }
            }
        })
    }

    /// From now on words go by the next rank of that host; all that there are.
    #[cold]
    fn change(&self, far: &impl Far, copy: &Copy) {
        copy.by.set((copy.by.get() + 1).min(copy.ranks.len()));
        copy.again.set(true);
        self.go_on(far, copy);
    }

    /// If words are held back, and nothing is under way any more by those before: writes them, by the first that is still
    /// there.
    fn go_on(&self, far: &impl Far, copy: &Copy) {
        while copy.again.get() && copy.is_rid_of_those_before(far) {
            copy.again.set(false);
            if !self.repeat(far, copy) {
                copy.by.set((copy.by.get() + 1).min(copy.ranks.len()));
                copy.again.set(true);
            }
        }
    }

    fn repeat(&self, far: &impl Far, copy: &Copy) -> bool {
        let (all, alone) = (self.stored.borrow(), copy.stored.borrow());
        let mut words = all.published().chain(alone.iter()).chain(all.merely_stored());
        words.all(|(word, value)| copy.write(far, word, value))
    }
}

impl Copy {
    /// Whether nothing is under way by those by whom words went before.
    fn is_rid_of_those_before(&self, far: &impl Far) -> bool {
        let before = &self.ranks[..self.by.get()];
        before.iter().all(|&rank| far.written_by(rank) != Written::UnderWay)
    }

    /// Whether there is still somebody by whom it is written; nobody needs a copy whose ranks have all gone.
    #[inline]
    fn write(&self, far: &impl Far, word: usize, value: u64) -> bool {
        match self.ranks.get(self.by.get()) {
            Some(&by) => far.write_exposed(by, word, value),
            None => true,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod model;
