//! Send and receive clocks toward every peer, over any set of overlapping groups.
//!
//! The send clock toward a peer is the number of barriers initiated here that include it. The
//! receive clock is the longest *prefix*, in this rank's own order, of those barriers that has
//! completed. (The thesis counts completions, pakin-2001 §4.2. With overlapping groups, a later
//! barrier then stands for an earlier one that is still open: SEMANTICS.md section 5, erratum 5.)
//!
//! A barrier costs O(1) here, not O(members). Counts are kept per group. A clock is their sum over
//! the groups that contain the peer, plus a base for dropped groups. An open barrier records the
//! count of each group at its initiation, which gives the clock just before it.
//!
//! The usual job costs less still. There every group that has barriers contains every rank, so the clocks toward
//! all peers are equal. They are kept as two numbers, and an open barrier records one.
//!
//! This module knows nothing of signals or schedules.
//!
//! Keeps rules CLK-1 to CLK-4 of SEMANTICS.md.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::scratch::Scratch;
use super::{Clock, Epoch, Rank};

/// A place in this rank's own order of all the barriers that it has initiated: 1, 2, 3 …
pub type Seq = u64;

/// The index of a group in the tables of this rank.
pub type Slot = usize;

type Counts = Vec<Clock>;

/// A barrier that was initiated and is not complete. It has two words, so that it travels in
/// registers. A value that is written in parts and then loaded as a whole cannot be forwarded from
/// the store buffer. Such a load waits for all earlier stores, among them that of the epoch just
/// published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Open {
    seq: Seq,
    /// How many barriers that include a peer had been initiated before, if that is the same for
    /// every peer; otherwise [`EACH`].
    before: Clock,
}

impl Open {
    fn counts_each(&self) -> bool {
        self.before == EACH
    }
}

/// The number initiated before differs from peer to peer, and is recorded for each group.
const EACH: Clock = Clock::MAX;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Line {
    /// The epoch that the group starts after. It was not a barrier and counts in no clock:
    /// otherwise counts from before and after the creation of the group would not compare.
    first: Epoch,
    /// The number of barriers initiated: the latest has epoch `first + initiated`.
    initiated: Clock,
    /// Which peers these barriers include: in their clocks they count.
    includes: Includes,
    /// The place of the latest barrier in this rank's own order.
    last_seq: Seq,
    /// The open barriers, oldest first; the last is the latest initiated.
    open: VecDeque<Open>,
    /// The latest complete barrier: signals for it may still have to leave.
    last: Option<Open>,
    /// The records of those of `last` and `open` that count each group, in their order. A record
    /// has, for each slot, the number of its barriers that had been initiated before.
    each: VecDeque<Counts>,
}

impl Line {
    /// The counts of each group that the barrier at a place has recorded.
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

/// Which peers the barriers of a group include.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Includes {
    All,
    Part,
    Nobody,
}

/// The place of a barrier within a group's records.
#[derive(Clone, Copy, Debug)]
enum Noted {
    Last,
    Open(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Peer {
    /// The contribution of dropped groups, to both clocks.
    base: Clock,
    groups: SmallVec<[Slot; 4]>,
}

/// The clocks toward every peer, if they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Common {
    send: Clock,
    recv: Clock,
}

/// The clocks of one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    peers: Vec<Peer>,
    /// The common clocks, if they are equal for all peers: every group that has had a barrier includes all
    /// peers or none, and so did the dropped ones. Derived from the other fields.
    common: Option<Common>,
    lines: Vec<Option<Line>>,
    /// The number of open barriers of all groups.
    open: usize,
    seq: Seq,
    /// Records of completed barriers, kept for reuse without allocation.
    spare: Scratch<Vec<Counts>>,
}

impl Clocks {
    /// Clocks toward `size` peers, without any group.
    pub fn new(size: usize) -> Clocks {
        Clocks::starting_at(size, 0)
    }

    /// Clocks as if each pair of ranks had completed `clock` barriers already.
    pub fn starting_at(size: usize, clock: Clock) -> Clocks {
        let peers = vec![Peer { base: clock, ..Peer::default() }; size];
        let common = Some(Common { send: clock, recv: clock });
        Clocks { peers, common, lines: Vec::new(), open: 0, seq: 0, spare: Scratch::default() }
    }

    /// Adds a group whose barriers include these peers, and whose epochs start after `first`, on which all members
    /// agree. Returns its slot. Barriers that include no peer have a place in this rank's own order, and count in no clock.
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
        let includes = match members.len() {
            0 => Includes::Nobody,
            count if count == self.peers.len() => Includes::All,
            _ => Includes::Part,
        };
        let (initiated, last_seq, last) = (0, 0, None);
        self.lines[slot] = Some(Line { first, initiated, includes, last_seq, open, last, each });
        for &rank in members {
            self.peers[rank].groups.push(slot);
        }
        self.find_common();
        slot
    }

    /// Forgets a group whose barriers are all complete, if no older barrier is open. Adds its count
    /// to the base of its members. Returns whether it did.
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
        // The records of other groups had not counted what the base contains from now on.
        for line in self.lines.iter_mut().flatten() {
            if line.last.take_if(|last| last.seq < last_seq).is_some_and(|last| last.counts_each())
            {
                line.each.pop_front();
            }
        }
        self.find_common();
        true
    }

    /// Counts one more barrier of the group. Returns its epoch and its place in this rank's own
    /// order.
    #[inline(always)]
    pub fn handle_initiate(&mut self, slot: Slot) -> (Epoch, Seq) {
        let before = match (&mut self.common, line_of(&mut self.lines, slot).includes) {
            (Some(common), Includes::All) => {
                common.send += 1;
                common.send - 1
            }
            (Some(common), Includes::Nobody) => common.send,
            _ => {
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

    /// Records what each group has initiated, for the next barrier of one of them. From now on the clocks may differ.
    #[inline(never)]
    fn note_each(&mut self, slot: Slot) {
        self.common = None;
        let mut before = self.spare.0.pop().unwrap_or_default();
        before.clear();
        before.extend(self.lines.iter().map(|line| line.as_ref().map_or(0, |line| line.initiated)));
        line_of(&mut self.lines, slot).each.push_back(before);
    }

    /// Handles the completion of the group's barriers up to `epoch`. Returns how many of them were
    /// open.
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
            // With no open barrier, the longest prefix contains all.
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

    /// The same, if it is one clock for all.
    #[inline(always)]
    pub fn send_clock_of_all(&self) -> Option<Clock> {
        self.common.map(|common| common.send)
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

    /// The send clock, computed from the counts of the groups.
    fn sum(&self, peer: Rank) -> Clock {
        let peer = &self.peers[peer];
        peer.base + peer.groups.iter().map(|&slot| self.line(slot).initiated).sum::<Clock>()
    }

    /// The receive clock, computed from the open barriers of the groups.
    fn prefix(&self, peer: Rank) -> Clock {
        let groups = self.peers[peer].groups.iter();
        let lines = groups.map(|&slot| self.line(slot));
        let first_open = lines.filter_map(|line| Some((line, *line.open.front()?)));
        match first_open.min_by_key(|(_, open)| open.seq) {
            None => self.sum(peer),
            Some((line, open)) => self.clock_before(line, Noted::Open(0), open, peer),
        }
    }

    /// Updates the common clocks after groups were added or dropped.
    fn find_common(&mut self) {
        let base = self.peers.first().map(|peer| peer.base);
        let differs = |line: &Line| line.includes == Includes::Part && line.initiated > 0;
        let common = base.is_some()
            && self.peers.iter().all(|peer| Some(peer.base) == base)
            && !self.lines.iter().flatten().any(differs);
        self.common = common.then(|| Common { send: self.sum(0), recv: self.prefix(0) });
    }

    /// The index of a barrier, from 1, among those that include `peer`. The barrier must be open,
    /// or the latest complete one of its group. None for others, and if the index is no longer
    /// known.
    pub fn clock_of(&self, slot: Slot, epoch: Epoch, peer: Rank) -> Option<Clock> {
        let (at, open) = self.barrier(slot, epoch)?;
        Some(self.clock_before(self.line(slot), at, open, peer) + 1)
    }

    /// The latest epoch of the group initiated here; if there is none, the epoch that it starts
    /// after.
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

    /// The place of a barrier that is open, or that is the latest complete one of its group.
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
