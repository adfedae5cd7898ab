//! Send and receive clocks toward every peer, over any set of overlapping groups.
//!
//! The send clock toward a peer is the number of barriers initiated here that include it. The
//! receive clock is the longest *prefix*, in this rank's own order, of those barriers that has
//! completed (the thesis counts completions, pakin-2001 §4.2; with overlapping groups that lets a
//! later barrier stand for an earlier one that is still open: SEMANTICS.md section 5, erratum 5).
//!
//! A barrier costs O(1) here, not O(members): the counts are kept per group, and a clock is their
//! sum over the groups that hold the peer, plus a base for groups that are gone. An open barrier
//! remembers how far each group had come when it was initiated, which is the clock just before it.
//!
//! All of it costs less still in the usual job, in which every group holds every rank: there the clocks
//! toward all peers are the same, and are kept as two numbers; an open barrier then remembers one.
//!
//! This knows nothing of signals or schedules.
//!
//! Keeps rules CLK-1 to CLK-4 of SEMANTICS.md.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::scratch::Scratch;
use super::{Clock, Epoch, Rank};

/// A place in this rank's own order of all the barriers that it has initiated: 1, 2, 3 …
pub type Seq = u64;

/// Where a group stands in the tables of this rank.
pub type Slot = usize;

type Counts = Vec<Clock>;

/// A barrier that was initiated and is not complete. Two words, so that it is handed on in registers: what is
/// written in parts and then moved as a whole keeps the processor waiting for all that was stored before, and that is
/// the epoch which was published just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Open {
    seq: Seq,
    /// How many barriers that include a peer had been initiated before, whichever peer it is; or [`EACH`].
    before: Clock,
}

impl Open {
    fn counts_each(&self) -> bool {
        self.before == EACH
    }
}

/// What had been initiated before differs from peer to peer, and is kept for each group.
const EACH: Clock = Clock::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Line {
    /// The epoch that the group starts after. It was no barrier and counts in no clock: were it
    /// counted, what was counted before and after the group was made would not compare.
    first: Epoch,
    /// The number of barriers initiated: the latest has epoch `first + initiated`.
    initiated: Clock,
    /// The place of the latest one in the own order.
    last_seq: Seq,
    /// Oldest first; the last is the latest initiated.
    open: VecDeque<Open>,
    /// The latest complete one: signals for it may still have to leave.
    last: Option<Open>,
    /// For those of `last` and `open` that count each group, in their order: for each slot, the number of its
    /// barriers that had been initiated before.
    each: VecDeque<Counts>,
}

impl Line {
    /// What the barrier that was noted at a place counts of each group.
    fn counts_at(&self, at: Noted) -> &Counts {
        let before = match at {
            Noted::Last => 0,
            Noted::Open(nth) => {
                self.last.iter().chain(self.open.range(..nth)).filter(|o| o.counts_each()).count()
            }
        };
        &self.each[before]
    }
}

/// Where a line has noted a barrier.
#[derive(Clone, Copy, Debug)]
enum Noted {
    Last,
    Open(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Peer {
    /// What the groups that are gone contributed, to both clocks.
    base: Clock,
    groups: SmallVec<[Slot; 4]>,
}

/// The clocks toward every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Common {
    send: Clock,
    recv: Clock,
}

/// The clocks of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    peers: Vec<Peer>,
    /// Where they are the same for all: every group holds every peer, and so did those that are gone.
    /// It follows from the rest.
    common: Option<Common>,
    lines: Vec<Option<Line>>,
    /// The number of open barriers of all groups.
    open: usize,
    seq: Seq,
    /// Counts before completed barriers, kept so that the next ones need no allocation.
    spare: Scratch<Vec<Counts>>,
}

impl Clocks {
    /// Clocks toward `size` peers, without any group.
    pub fn new(size: usize) -> Clocks {
        Clocks::starting_at(size, 0)
    }

    /// As if every two ranks had `clock` barriers behind them already.
    pub fn starting_at(size: usize, clock: Clock) -> Clocks {
        let peers = vec![Peer { base: clock, ..Peer::default() }; size];
        let common = Some(Common { send: clock, recv: clock });
        Clocks { peers, common, lines: Vec::new(), open: 0, seq: 0, spare: Scratch::default() }
    }

    /// Adds a group whose epochs start after `first`, which all members agree on; returns its slot.
    pub fn add_group(&mut self, members: &[Rank], first: Epoch) -> Slot {
        let free = self.lines.iter().position(Option::is_none);
        let slot = free.unwrap_or_else(|| {
            self.lines.push(None);
            self.lines.len() - 1
        });
        let lines = self.lines.iter_mut().flatten();
        for before in lines.flat_map(|line| &mut line.each) {
            if before.len() <= slot {
                before.resize(slot + 1, 0);
            }
            before[slot] = 0;
        }
        let (open, each) = (VecDeque::new(), VecDeque::new());
        self.lines[slot] = Some(Line { first, initiated: 0, last_seq: 0, open, last: None, each });
        for &rank in members {
            self.peers[rank].groups.push(slot);
        }
        self.find_common();
        slot
    }

    /// Forgets a group whose barriers are all complete, if no older barrier is open: its count
    /// goes into the base of its members. Returns whether it did.
    pub fn fold_group(&mut self, slot: Slot, members: &[Rank]) -> bool {
        let line = self.line(slot);
        let (total, last_seq) = (line.initiated, line.last_seq);
        let oldest = self.lines.iter().flatten().filter_map(|l| l.open.front()).map(|o| o.seq);
        if !line.open.is_empty() || oldest.min().is_some_and(|seq| seq < last_seq) {
            return false;
        }
        for &rank in members {
            let peer = &mut self.peers[rank];
            peer.groups.retain(|s| *s != slot);
            peer.base += total;
        }
        self.lines[slot] = None;
        // What the base holds from now on, these had not counted.
        for line in self.lines.iter_mut().flatten() {
            if line.last.take_if(|last| last.seq < last_seq).is_some_and(|last| last.counts_each())
            {
                line.each.pop_front();
            }
        }
        self.find_common();
        true
    }

    /// Counts one more barrier of the group; returns its epoch and its place in the own order.
    #[inline(always)]
    pub fn handle_initiate(&mut self, slot: Slot) -> (Epoch, Seq) {
        let before = match &mut self.common {
            Some(common) => {
                common.send += 1;
                common.send - 1
            }
            None => {
                self.note_each(slot);
                EACH
            }
        };
        self.seq += 1;
        self.open += 1;
        let seq = self.seq;
        let line = line_of(&mut self.lines, slot);
        line.open.push_back(Open { seq, before });
        line.initiated += 1;
        line.last_seq = seq;
        (line.first + line.initiated, seq)
    }

    /// Keeps what each group has initiated, for the next barrier of one of them.
    #[inline(never)]
    fn note_each(&mut self, slot: Slot) {
        let mut before = self.spare.0.pop().unwrap_or_default();
        before.clear();
        before.extend(self.lines.iter().map(|line| line.as_ref().map_or(0, |line| line.initiated)));
        line_of(&mut self.lines, slot).each.push_back(before);
    }

    /// The barriers of the group up to `epoch` have completed. Returns how many of them were open.
    #[inline]
    pub fn handle_complete_through(&mut self, slot: Slot, epoch: Epoch) -> usize {
        let line = line_of(&mut self.lines, slot);
        let left = (line.first + line.initiated - epoch) as usize;
        let done = line.open.len() - left;
        if done == 0 {
            return 0;
        }
        for _ in 0..done {
            let older = std::mem::replace(&mut line.last, line.open.pop_front());
            if older.is_some_and(|older| older.counts_each()) {
                self.spare.0.extend(line.each.pop_front());
            }
        }
        self.open -= done;
        if let Some(Common { send, .. }) = self.common {
            // With nothing open the longest prefix is all.
            let recv = if self.open == 0 { send } else { self.prefix(0) };
            self.common = Some(Common { send, recv });
        }
        done
    }

    /// The stamp of a message to `peer` that is posted now.
    #[inline(always)]
    pub fn send_clock(&self, peer: Rank) -> Clock {
        debug_assert!(peer < self.peers.len(), "there is no rank {peer}");
        match self.common {
            Some(common) => common.send,
            None => self.sum(peer),
        }
    }

    /// A message from `peer` may be delivered if its stamp is at most this.
    #[inline(always)]
    pub fn recv_clock(&self, peer: Rank) -> Clock {
        debug_assert!(peer < self.peers.len(), "there is no rank {peer}");
        match self.common {
            Some(common) => common.recv,
            None => self.prefix(peer),
        }
    }

    /// The send clock, from the counts of the groups.
    fn sum(&self, peer: Rank) -> Clock {
        let peer = &self.peers[peer];
        peer.base + peer.groups.iter().map(|&slot| self.line(slot).initiated).sum::<Clock>()
    }

    /// The receive clock, from what is open in the groups.
    fn prefix(&self, peer: Rank) -> Clock {
        let groups = self.peers[peer].groups.iter();
        let lines = groups.map(|&slot| self.line(slot));
        let first_open = lines.filter_map(|line| Some((line, *line.open.front()?)));
        match first_open.min_by_key(|(_, open)| open.seq) {
            None => self.sum(peer),
            Some((line, open)) => self.clock_before(line, Noted::Open(0), open, peer),
        }
    }

    /// Groups have come or gone.
    fn find_common(&mut self) {
        let groups = self.lines.iter().flatten().count();
        let base = self.peers.first().map(|peer| peer.base);
        let alike = |peer: &Peer| Some(peer.base) == base && peer.groups.len() == groups;
        let common = !self.peers.is_empty() && self.peers.iter().all(alike);
        self.common = common.then(|| Common { send: self.sum(0), recv: self.prefix(0) });
    }

    /// The how-many-th barrier, of those that include `peer`, a barrier is that is open or the
    /// latest complete one of its group; None for others, and where it is no longer known.
    pub fn clock_of(&self, slot: Slot, epoch: Epoch, peer: Rank) -> Option<Clock> {
        let (at, open) = self.barrier(slot, epoch)?;
        Some(self.clock_before(self.line(slot), at, open, peer) + 1)
    }

    /// The latest epoch of the group initiated here; what it starts after, if none.
    #[inline]
    pub fn initiated(&self, slot: Slot) -> Epoch {
        let line = self.line(slot);
        line.first + line.initiated
    }

    /// Whether no barrier of the group has been initiated here.
    pub fn is_unused(&self, slot: Slot) -> bool {
        self.line(slot).initiated == 0
    }

    /// The number of open barriers of the group.
    #[inline]
    pub fn open_count(&self, slot: Slot) -> usize {
        self.line(slot).open.len()
    }

    /// The number of open barriers of all groups.
    #[inline]
    pub fn open_in_all(&self) -> usize {
        self.open
    }

    /// The places of the oldest and the newest open barrier of the group.
    #[inline]
    pub fn open_span(&self, slot: Slot) -> Option<(Seq, Seq)> {
        let open = &self.line(slot).open;
        Some((open.front()?.seq, open.back()?.seq))
    }

    /// The place of a barrier that is open, or the latest complete one of its group.
    #[inline]
    pub fn seq_of(&self, slot: Slot, epoch: Epoch) -> Option<Seq> {
        self.barrier(slot, epoch).map(|(_, barrier)| barrier.seq)
    }

    /// The place of the latest barrier initiated, 0 before the first.
    #[inline]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    #[inline]
    fn clock_before(&self, line: &Line, at: Noted, open: Open, peer: Rank) -> Clock {
        if !open.counts_each() {
            return open.before;
        }
        let (before, peer) = (line.counts_at(at), &self.peers[peer]);
        peer.base + peer.groups.iter().map(|&slot| before[slot]).sum::<Clock>()
    }

    #[inline]
    fn barrier(&self, slot: Slot, epoch: Epoch) -> Option<(Noted, Open)> {
        let line = self.line(slot);
        let complete = line.first + line.initiated - line.open.len() as Epoch;
        match epoch.checked_sub(complete)? {
            0 => Some((Noted::Last, line.last?)),
            ahead => {
                let nth = ahead as usize - 1;
                Some((Noted::Open(nth), *line.open.get(nth)?))
            }
        }
    }

    #[inline]
    fn line(&self, slot: Slot) -> &Line {
        self.lines[slot].as_ref().expect("a slot is used only while its group exists")
    }
}

#[inline]
fn line_of(lines: &mut [Option<Line>], slot: Slot) -> &mut Line {
    lines[slot].as_mut().expect("a slot is used only while its group exists")
}
