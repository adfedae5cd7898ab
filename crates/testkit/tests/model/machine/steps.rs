//! What may happen in a state of the whole: the steps, and which of them may be left out.
//!
//! What an event does to the rank it happens at is the parent module's.

use runahead::internals::order::Rank;
use smallvec::SmallVec;

use super::super::explore::System;
use super::super::program::{NOTHING, Op};
use super::super::protocol::{Delivered, Protocol};
use super::{Event, LOSSES, Local, Machine, Next, Outcome, Parcel, SIGNALS, Step, Whole};

impl<P: Protocol> System for Machine<'_, P> {
    type State = Whole;
    type Step = Step;

    fn initial(&mut self) -> Whole {
        let fresh = |rank| Local {
            rank,
            pc: 0,
            core: self.cores.borrow().initial(rank),
            unexpected: Delivered::new(),
            outbox: SmallVec::new(),
            observed: Vec::new(),
            fault: None,
        };
        let locals: Vec<_> = (0..self.program.size()).map(fresh).collect();
        let mut whole: Whole = locals.into_iter().map(|local| self.intern(local)).collect();
        if self.setting.losses > 0 {
            whole.push(LOSSES << 16 | u32::from(self.setting.losses));
        }
        whole
    }

    fn successors(&mut self, whole: &Whole, into: &mut Vec<(Step, Whole)>) {
        if self.ranks(whole).any(|entry| entry.local.fault.is_some()) {
            return;
        }
        let size = self.program.size();
        for rank in 0..size {
            let entry = self.entries[whole[rank] as usize].clone();
            for &to in &entry.leaving {
                if self.has_credit(whole, rank, to)
                    && self.take(whole, rank, Event::Leave(to), true, into)
                {
                    return;
                }
            }
            for &to in &entry.signalling {
                // What leaves sooner may still arrive later, but it takes nothing newer along.
                if self.take(whole, rank, Event::Signal(to), false, into) {
                    return;
                }
            }
            let polls = matches!(self.program.ranks[rank].get(entry.local.pc), Some(Op::Poll(_)));
            if self.setting.causal && polls && self.has_mail(whole, rank) {
                continue;
            }
            let early = match entry.next {
                Next::No => continue,
                Next::Yes { early } => early || entry.determined,
                Next::Credit(to) if self.has_credit(whole, rank, to) => true,
                Next::Credit(_) => continue,
            };
            if self.take(whole, rank, Event::Op, early, into) {
                return;
            }
        }
        let mut channel = None;
        for index in size..whole.len() {
            let (of, parcel) = (whole[index] >> 16, whole[index] as u16);
            let before = channel.replace(of);
            if of == LOSSES || of < SIGNALS && before == Some(of) {
                continue;
            }
            let (from, to) = ((of % SIGNALS) as usize / size, (of % SIGNALS) as usize % size);
            let event = Event::Arrive(from, parcel);
            let outcome = self.outcome(whole[to], event);
            let idle = of >= SIGNALS && outcome.local == whole[to] && outcome.out.is_empty();
            let early = idle || self.entries[whole[to] as usize].determined;
            let step = Step { rank: to, event, index };
            if self.push(whole, step, &outcome, early, into) {
                return;
            }
        }
        if self.setting.losses > 0 {
            self.ask_or_lose(whole, into);
        }
    }

    fn describe(&self, whole: &Whole, step: Step) -> String {
        let rank = step.rank;
        let entry = &self.entries[whole[rank] as usize];
        match step.event {
            Event::Op => {
                let op = self.program.ranks[rank][entry.local.pc];
                let mut line = format!("rank {rank}: {}", self.program.say(op));
                if let Some(outcome) = self.outcomes.get(&(whole[rank], Event::Op)) {
                    let after = &self.entries[outcome.local as usize].local.observed;
                    match after.get(entry.local.observed.len()) {
                        Some(&NOTHING) => line.push_str(" -> nothing"),
                        Some(value) => line.push_str(&format!(" -> {value}")),
                        None => {}
                    }
                }
                line
            }
            Event::Ask => "all ask for the signals that they lack".to_owned(),
            Event::Lose => {
                let parcel = (whole[step.index] & 0xffff) as usize;
                format!("lost on the way to rank {rank}: {:?}", self.parcels[parcel])
            }
            Event::Signal(to) => format!("rank {rank}: its signals leave for {to}"),
            Event::Leave(to) => format!("rank {rank}: a queued message leaves for {to}"),
            Event::Arrive(from, parcel) => match &self.parcels[parcel as usize] {
                Parcel::Message(value, stamp) => {
                    format!("rank {rank} receives {value}, stamped {stamp}, from {from}")
                }
                Parcel::Signal(signal) => format!("rank {rank} gets from {from}: {signal:?}"),
            },
        }
    }
}

impl<P: Protocol> Machine<'_, P> {
    /// If nothing else can happen, all ask; a signal that is under way may be lost.
    fn ask_or_lose(&mut self, whole: &Whole, into: &mut Vec<(Step, Whole)>) {
        let size = self.program.size();
        if into.is_empty() {
            let mut after = whole.clone();
            for rank in 0..size {
                let number = self.entries[whole[rank] as usize].local.core;
                let asks = self.cores.borrow().core(number).state.poll_asks();
                for (to, ask) in asks {
                    let parcel = self.parcel(Parcel::Signal(ask));
                    let outcome = self.outcome(after[to], Event::Arrive(rank, parcel));
                    after[to] = outcome.local;
                    self.dispatch(&mut after, &outcome.out);
                }
            }
            if after != *whole {
                into.push((Step { rank: 0, event: Event::Ask, index: usize::MAX }, after));
            }
        }
        let last = whole.len() - 1;
        for index in (size..last).filter(|&index| whole[index] >> 16 >= SIGNALS) {
            if whole[last] & 0xffff > 0 {
                let rank = (whole[index] >> 16) as usize % SIGNALS as usize % size;
                let mut after = whole.clone();
                after[last] -= 1;
                after.remove(index);
                into.push((Step { rank, event: Event::Lose, index }, after));
            }
        }
    }

    /// Puts what goes out where it belongs.
    fn dispatch(&self, whole: &mut Whole, out: &[(u32, u16)]) {
        let size = self.program.size();
        for &(channel, parcel) in out {
            let item = channel << 16 | u32::from(parcel);
            let items = &whole[size..];
            let at = if channel < SIGNALS {
                items.partition_point(|other| other >> 16 <= channel)
            } else {
                items.partition_point(|&other| other < item)
            };
            if !(self.setting.repeated && items.get(at) == Some(&item)) {
                whole.insert(size + at, item);
            }
        }
    }

    /// Whether messages are under way to a rank.
    fn has_mail(&self, whole: &Whole, rank: Rank) -> bool {
        let size = self.program.size();
        let mut channels = whole[size..].iter().map(|item| item >> 16).filter(|&of| of < SIGNALS);
        channels.any(|of| of as usize % size == rank)
    }

    fn has_credit(&self, whole: &Whole, from: Rank, to: Rank) -> bool {
        let channel = self.channel(from, to);
        let items = &whole[self.program.size()..];
        let under_way = items.iter().filter(|&&item| item >> 16 == channel).count();
        under_way + self.entries[whole[to] as usize].memory[from] < self.setting.window
    }

    fn take(
        &mut self,
        whole: &Whole,
        rank: Rank,
        event: Event,
        early: bool,
        into: &mut Vec<(Step, Whole)>,
    ) -> bool {
        let outcome = self.outcome(whole[rank], event);
        self.push(whole, Step { rank, event, index: usize::MAX }, &outcome, early, into)
    }

    /// Adds a step. Returns whether it may be the only one: where states are left out, a step that
    /// commutes with all that others can do, now or later, is taken at once. Such are the
    /// operations that arrivals cannot change (a send, a receive that finds its message), signals
    /// that say nothing new, and all that happens at a rank whose further observations do not
    /// depend on the order of arrivals: what it sends sooner may still arrive later.
    fn push(
        &self,
        whole: &Whole,
        step: Step,
        outcome: &Outcome,
        early: bool,
        into: &mut Vec<(Step, Whole)>,
    ) -> bool {
        let mut after = whole.clone();
        after[step.rank] = outcome.local;
        let is_signal = step.index < whole.len() && whole[step.index] >> 16 >= SIGNALS;
        if step.index < whole.len() && !(is_signal && self.setting.repeated) {
            after.remove(step.index);
        }
        self.dispatch(&mut after, &outcome.out);
        if after == *whole {
            return false;
        }
        let alone = self.setting.reduced && early;
        if alone {
            into.clear();
        }
        into.push((step, after));
        alone
    }
}
