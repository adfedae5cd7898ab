//! Algorithms 4.1 and 4.2 of pakin-2001 (§4.2), as printed or with any of their faults mended.
//!
//! This is a model for the tests alone; the real core shares nothing with it. Each fault has its
//! own switch, so that a counterexample can be put down to one of them. Barrier messages go in one
//! stream with the others, as on VIA. Where the listing is silent or has a slip of the pen, the
//! kinder reading is taken: after every arrival the queue is looked at until its head must wait,
//! not once, and the clock compared is the one of the queued message's own sender.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;

use runahead::internals::order::{Posted, Rank};

use super::program::{Program, Value};
use super::protocol::{Delivered, Protocol};

/// Which faults are left in, by their numbers in the list of errata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reading {
    /// 1: a stage message is forwarded at once, entered or not, whatever else has arrived.
    pub forwards_unentered: bool,
    /// 2: the receive path counts a finished barrier if `started <= finished`, as printed.
    pub printed_test: bool,
    /// 3: the partner of stage `s` is `self ^ 2^s`, and nobody if that is outside the group.
    pub partner_by_xor: bool,
    /// 4: one FIFO for the messages of all senders.
    pub one_queue: bool,
    /// 5: receive clocks count completions, instead of the longest prefix that has completed.
    pub counts: bool,
    /// 6: nothing is contained.
    pub uncontained: bool,
}

impl Reading {
    /// The listing as it stands.
    pub const AS_PRINTED: Reading = Reading {
        forwards_unentered: true,
        printed_test: true,
        partner_by_xor: true,
        one_queue: true,
        counts: true,
        uncontained: true,
    };
}

/// A barrier message. The epoch is not in the thesis's packet; only the mended parts look at it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Stage {
    group: usize,
    epoch: u64,
    stage: u32,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stage { group, epoch, stage } = self;
        write!(f, "stage {stage} of barrier {epoch} of group {group}")
    }
}

/// What a rank knows of one barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Instance {
    entered: bool,
    complete: bool,
    /// Stages whose message has arrived, and that have been sent, as bits.
    arrived: u32,
    sent: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    rank: Rank,
    reading: Reading,
    groups: Rc<Vec<Vec<Rank>>>,
    /// `barriers_started`, `barriers_finished` and `TS_recv` of the listing, for each peer.
    started: Vec<u64>,
    finished: Vec<u64>,
    recv_clock: Vec<u64>,
    instances: BTreeMap<(usize, u64), Instance>,
    /// The barriers called here, in order.
    own: Vec<(usize, u64)>,
    /// Messages received and not delivered; the first queue alone if there is one for all.
    queues: Vec<VecDeque<(Rank, u64, Value)>>,
    outgoing: Vec<(Rank, Stage)>,
}

impl Literal {
    fn is_inside(&self, group: usize, other: usize) -> bool {
        self.groups[group].iter().all(|member| self.groups[other].contains(member))
    }

    fn is_open(&self, barrier: &(usize, u64)) -> bool {
        self.instances.get(barrier).is_none_or(|instance| !instance.complete)
    }

    /// Whether one more barrier of the group, after the first `through` of the own ones, is to be
    /// entered now.
    fn may_enter(&self, group: usize, through: usize) -> bool {
        let mut open = self.own[..through].iter().filter(|barrier| self.is_open(barrier));
        self.reading.uncontained || open.all(|&(other, _)| self.is_inside(group, other))
    }

    fn stages(&self, group: usize) -> u32 {
        self.groups[group].len().next_power_of_two().ilog2()
    }

    /// Where this rank's message of a stage goes, as a position in the group.
    fn partner(&self, group: usize, stage: u32) -> Option<Rank> {
        let members = &self.groups[group];
        let own = members.iter().position(|&member| member == self.rank)?;
        if self.reading.partner_by_xor {
            return Some(own ^ (1 << stage)).filter(|&partner| partner < members.len());
        }
        Some((own + (1 << stage)) % members.len())
    }

    fn send_stage(&mut self, group: usize, epoch: u64, stage: u32) {
        if let Some(partner) = self.partner(group, stage) {
            self.outgoing.push((self.groups[group][partner], Stage { group, epoch, stage }));
        }
    }

    fn enter_what_may(&mut self) {
        for at in 0..self.own.len() {
            let (group, epoch) = self.own[at];
            let entered = self.instances.get(&(group, epoch)).is_some_and(|i| i.entered);
            if entered || !self.may_enter(group, at) {
                continue;
            }
            self.instances.entry((group, epoch)).or_default().entered = true;
            if self.reading.forwards_unentered {
                self.send_stage(group, epoch, 0);
            } else {
                self.advance(group, epoch);
            }
        }
    }

    /// Sends the stages that are due where all waits for the rank's own entry, and completes.
    fn advance(&mut self, group: usize, epoch: u64) {
        for stage in 0..self.stages(group) {
            let instance = self.instances.entry((group, epoch)).or_default();
            if instance.entered && instance.sent & 1 << stage == 0 {
                instance.sent |= 1 << stage;
                self.send_stage(group, epoch, stage);
            }
            let awaited = self.partner(group, stage).is_some();
            let instance = &self.instances[&(group, epoch)];
            if !instance.entered || awaited && instance.arrived & 1 << stage == 0 {
                return;
            }
        }
        if !self.instances[&(group, epoch)].complete {
            self.finish(group, epoch);
        }
    }

    /// The second half of the last stanza of algorithm 4.2.
    fn finish(&mut self, group: usize, epoch: u64) {
        self.instances.entry((group, epoch)).or_default().complete = true;
        for &peer in self.groups.clone()[group].iter() {
            self.finished[peer] += 1;
            let (started, finished) = (self.started[peer], self.finished[peer]);
            let counts =
                if self.reading.printed_test { started <= finished } else { finished <= started };
            self.recv_clock[peer] += u64::from(counts);
        }
        self.enter_what_may();
    }

    pub fn clock(&self, peer: Rank) -> u64 {
        if self.reading.counts {
            return self.recv_clock[peer];
        }
        let shared = self.own.iter().filter(|(group, _)| self.groups[*group].contains(&peer));
        shared.take_while(|barrier| !self.is_open(barrier)).count() as u64
    }
}

impl Protocol for Literal {
    type Signal = Stage;
    type Rules = Reading;
    const IN_ORDER: bool = true;

    fn new(rank: Rank, program: &Program, reading: &Reading) -> Literal {
        let size = program.size();
        Literal {
            rank,
            reading: *reading,
            groups: Rc::new(program.groups.clone()),
            started: vec![0; size],
            finished: vec![0; size],
            recv_clock: vec![0; size],
            instances: BTreeMap::new(),
            own: Vec::new(),
            queues: vec![VecDeque::new(); size],
            outgoing: Vec::new(),
        }
    }

    fn may_initiate(&self, group: usize, blocking: bool) -> bool {
        !blocking || self.may_enter(group, self.own.len())
    }

    /// Algorithm 4.1.
    fn initiate(&mut self, group: usize) -> Result<(), String> {
        if self.reading.partner_by_xor && self.partner(group, 0).is_none() {
            return Ok(());
        }
        let epoch = 1 + self.own.iter().filter(|(other, _)| *other == group).count() as u64;
        self.own.push((group, epoch));
        for &peer in self.groups.clone()[group].iter() {
            self.started[peer] += 1;
            self.recv_clock[peer] += u64::from(self.started[peer] <= self.finished[peer]);
        }
        self.enter_what_may();
        Ok(())
    }

    fn is_complete(&self) -> bool {
        !self.own.iter().any(|barrier| self.is_open(barrier))
    }

    fn post(&self, to: Rank) -> Posted {
        Posted { stamp: self.started[to], after: self.own.len() as u64 }
    }

    fn may_leave(&self, to: Rank, posted: Posted) -> bool {
        let mut before = self.own[..posted.after as usize].iter();
        self.reading.uncontained
            || before.all(|barrier| !self.is_open(barrier) || self.groups[barrier.0].contains(&to))
    }

    /// Algorithm 4.2, for a barrier message.
    fn handle_signal(&mut self, _from: Rank, signal: &Stage) -> Result<(), String> {
        let &Stage { group, epoch, stage } = signal;
        if !self.reading.forwards_unentered {
            self.instances.entry((group, epoch)).or_default().arrived |= 1 << stage;
            self.advance(group, epoch);
        } else if stage + 1 < self.stages(group) {
            self.send_stage(group, epoch, stage + 1);
        } else {
            self.finish(group, epoch);
        }
        Ok(())
    }

    /// Algorithm 4.2, for any other message.
    fn handle_message(
        &mut self,
        from: Rank,
        stamp: u64,
        value: Value,
    ) -> Result<Delivered, String> {
        let queue = if self.reading.one_queue { 0 } else { from };
        self.queues[queue].push_back((from, stamp, value));
        self.poll_deliverable()
    }

    fn poll_deliverable(&mut self) -> Result<Delivered, String> {
        let mut delivered = Delivered::new();
        for queue in 0..self.queues.len() {
            while let Some(&(from, stamp, value)) = self.queues[queue].front()
                && stamp <= self.clock(from)
            {
                self.queues[queue].pop_front();
                delivered.push((from, value));
            }
        }
        Ok(delivered)
    }

    fn poll_signals(&mut self, only: Option<Rank>) -> Vec<(Rank, Stage)> {
        assert!(only.is_none(), "they leave as they come");
        std::mem::take(&mut self.outgoing)
    }

    fn held_from(&self, from: Rank) -> usize {
        self.queues.iter().flatten().filter(|held| held.0 == from).count()
    }

    fn progress(&self, program: &Program) -> Vec<(u64, u64)> {
        let of = |group| {
            let mine = self.instances.iter().filter(move |((other, _), _)| *other == group);
            let entered = mine.clone().filter(|(_, instance)| instance.entered).count();
            (entered as u64, mine.filter(|(_, instance)| instance.complete).count() as u64)
        };
        (0..program.groups.len()).map(of).collect()
    }
}
