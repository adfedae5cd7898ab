//! What one rank can do in one of its states, and what must hold there: states, signals and sets of
//! signals as numbers, each step worked out once.
//!
//! A local state is that of the core and the set of all signals that this rank has ever sent. Its *class*
//! is all of it that others can see. What ranks are in together is the business of [`super::boxes`].

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use runahead_order::{Epoch, GroupId, Rank, Signal, SignalKind};

use super::cores::{Core, Progress, Setup};

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A rank has completed what another has not entered.
    Early { rank: Rank, epoch: Epoch, without: Rank },
    /// A rank takes another to have entered what it has not.
    Imagined { rank: Rank, of: Rank, epoch: Epoch },
    /// A core refuses what a correct peer says.
    Refused(String),
    /// What a core says of itself does not agree.
    Inconsistent(String),
    /// A rank has less entered or complete than before.
    FellBack { before: Progress, after: Progress },
    /// A signal that had nothing to say, to a rank or any more, has something to say later.
    TakenAgain(Flying),
    /// A rank comes back to a state that it was in.
    Circle(Rank),
    /// Everyone has entered all it may, everything was taken, and not all is complete.
    Stuck(Vec<Progress>),
    /// The same, if all that was sent is lost and the ranks ask.
    Unrepaired(Vec<Progress>),
    /// An answer says what was not sent before.
    NewAnswer(Flying),
    /// A question that nobody thought of.
    StrangeQuestion(Flying),
}

/// A signal and its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flying {
    pub from: Rank,
    pub to: Rank,
    pub signal: Signal,
}

/// A set of signals; a bit is a place in [`Locals::signals`].
pub type Signals = u128;

/// Something that happens at one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    Enter,
    /// The signal of this bit is handed over.
    Deliver(u8),
    /// The words read of the others, as digits: 0 for none, else the epoch.
    Look(u32),
    /// The question of this number is handed over.
    Ask(u8),
    /// What is due for this rank leaves.
    Take(Rank),
}

/// One state of one rank.
pub struct Local<C> {
    pub rank: Rank,
    pub core: C,
    pub sent: Signals,
    pub progress: Progress,
    pub class: u32,
    pub may_enter: bool,
    pub due: Vec<Rank>,
    /// For each member the latest epoch that it is known to have entered.
    pub heard: Vec<Epoch>,
    /// The questions that it has: their numbers.
    pub asks: Vec<u8>,
    /// For each peer, a number for all that this rank would answer to its questions.
    pub answers: Vec<u32>,
}

/// Where the steps of a state lead, without those that change nothing.
pub struct Moves {
    pub onward: Vec<u32>,
    /// By questions. These are allowed for safety, and do not count as a way on.
    pub asked: Vec<u32>,
}

type Class = (Rank, Progress, Signals, Vec<u32>);
type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// All local states of a group that have been met.
pub struct Locals<C: Core> {
    pub setup: Arc<Setup>,
    pub all: Vec<Local<C>>,
    pub signals: Vec<Flying>,
    /// For each rank, those that are for it.
    inbound: Vec<Signals>,
    questions: Vec<Flying>,
    /// A signal that is an answer and was not sent before.
    new_answer: Option<u8>,
    numbers: HashMap<(Rank, C::Key, Signals), u32>,
    classes: HashMap<Class, u32>,
    /// By what a rank answers to one peer: for each of that peer's questions the signals.
    answers: HashMap<Vec<(u8, Signals)>, u32>,
    tables: Vec<Vec<(u8, Signals)>>,
    steps: Map<(u32, Event), u32>,
    moves: Map<(u32, Signals), Rc<Moves>>,
}

impl<C: Core> Locals<C> {
    pub fn new(setup: Setup) -> Locals<C> {
        let mut questions = Vec::new();
        for schedule in &setup.schedules {
            let arrivals = schedule.steps().iter().flat_map(|step| &step.recv_from);
            for arrival in arrivals {
                for epoch in 1..=setup.epochs {
                    let (kind, group, step) = (SignalKind::Ask, GroupId::WORLD, arrival.step);
                    let signal = Signal { kind, group, step, epoch, clock: epoch };
                    questions.push(Flying { from: schedule.rank(), to: arrival.rank, signal });
                }
            }
        }
        assert!(questions.len() <= usize::from(u8::MAX), "questions have numbers of 8 bits");
        Locals {
            inbound: vec![0; setup.size()],
            setup: Arc::new(setup),
            all: Vec::new(),
            signals: Vec::new(),
            questions,
            new_answer: None,
            numbers: HashMap::new(),
            classes: HashMap::new(),
            answers: HashMap::new(),
            tables: Vec::new(),
            steps: Map::default(),
            moves: Map::default(),
        }
    }

    pub fn get(&self, number: u32) -> &Local<C> {
        &self.all[number as usize]
    }

    /// The state of each rank before anything has happened.
    pub fn first(&mut self) -> Result<Vec<u32>, Wrong> {
        let setup = self.setup.clone();
        (0..setup.size()).map(|rank| self.intern(rank, C::new(&setup, rank), 0)).collect()
    }

    /// What of `signals` is for `rank`.
    pub fn inbound(&self, rank: Rank, signals: Signals) -> Signals {
        signals & self.inbound[rank]
    }

    fn bit(&mut self, flying: Flying) -> u8 {
        let known = self.signals.iter().position(|&other| other == flying);
        let bit = known.unwrap_or_else(|| {
            self.signals.push(flying);
            self.inbound[flying.to] |= 1 << (self.signals.len() - 1);
            self.signals.len() - 1
        });
        assert!(bit < 128, "a set of signals has 128 bits");
        bit as u8
    }

    fn take(&mut self, rank: Rank, core: &mut C, only: Option<Rank>) -> Signals {
        let mut out = Vec::new();
        core.take(only, &mut |to, signal| out.push(Flying { from: rank, to, signal }));
        out.into_iter().fold(0, |set, flying| set | 1 << self.bit(flying))
    }

    fn intern(&mut self, rank: Rank, core: C, sent: Signals) -> Result<u32, Wrong> {
        let key = (rank, core.key(), sent);
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        core.check().map_err(Wrong::Inconsistent)?;
        let (size, epochs) = (self.setup.size(), self.setup.epochs);
        let progress = core.progress();
        let due = core.due();
        let mut asks = Vec::new();
        for (to, signal) in core.asks() {
            let ask = Flying { from: rank, to, signal };
            let known = self.questions.iter().position(|&question| question == ask);
            asks.push(known.ok_or(Wrong::StrangeQuestion(ask))? as u8);
        }
        let heard = |member| (1..=epochs).rev().find(|&epoch| core.has_heard(member, epoch));
        let heard = (0..size).map(|member| heard(member).unwrap_or(0)).collect();
        let mut tables = vec![Vec::new(); size];
        for at in 0..self.questions.len() {
            let Flying { from, to, signal } = self.questions[at];
            if to == rank {
                let mut asked = core.clone();
                asked.handle(from, signal).map_err(Wrong::Refused)?;
                let answer = self.take(rank, &mut asked, Some(from));
                let new = bits(answer & !sent).next().filter(|_| due.is_empty());
                self.new_answer = self.new_answer.or(new);
                tables[from].push((at as u8, answer));
            }
        }
        let answers: Vec<u32> = tables.into_iter().map(|table| self.table(table)).collect();
        let new = self.classes.len() as u32;
        let class = (rank, progress, sent, answers.clone());
        let class = *self.classes.entry(class).or_insert(new);
        let may_enter = core.may_enter();
        let number = self.all.len() as u32;
        let local =
            Local { rank, core, sent, progress, class, may_enter, due, heard, asks, answers };
        self.all.push(local);
        self.numbers.insert(key, number);
        Ok(number)
    }

    fn table(&mut self, table: Vec<(u8, Signals)>) -> u32 {
        let new = self.tables.len() as u32;
        let number = *self.answers.entry(table.clone()).or_insert(new);
        if number == new {
            self.tables.push(table);
        }
        number
    }

    /// What comes of an event that can happen.
    pub fn step(&mut self, number: u32, event: Event) -> Result<u32, Wrong> {
        if let Some(&after) = self.steps.get(&(number, event)) {
            return Ok(after);
        }
        let local = self.get(number);
        let (rank, mut core, mut sent, before) =
            (local.rank, local.core.clone(), local.sent, local.progress);
        let done = match event {
            Event::Enter => core.enter(),
            Event::Deliver(bit) => {
                let Flying { from, signal, .. } = self.signals[usize::from(bit)];
                core.handle(from, signal)
            }
            Event::Ask(at) => {
                let Flying { from, signal, .. } = self.questions[usize::from(at)];
                core.handle(from, signal)
            }
            Event::Look(code) => core.look(&self.words(code)),
            Event::Take(to) => {
                sent |= self.take(rank, &mut core, Some(to));
                Ok(())
            }
        };
        done.map_err(Wrong::Refused)?;
        if !self.setup.tardy {
            sent |= self.take(rank, &mut core, None);
        }
        let after = core.progress();
        let risen = after.complete >= before.complete
            && after.entered >= before.entered
            && after.initiated >= before.initiated;
        if !risen {
            return Err(Wrong::FellBack { before, after });
        }
        let after = self.intern(rank, core, sent)?;
        self.steps.insert((number, event), after);
        Ok(after)
    }

    fn words(&self, mut code: u32) -> Vec<Option<Epoch>> {
        let base = self.setup.epochs as u32 + 1;
        let digits = (0..self.setup.size()).map(|_| {
            let digit = code % base;
            code /= base;
            (digit > 0).then_some(Epoch::from(digit))
        });
        digits.collect()
    }

    /// All that may be read in the words of the others: of each any word that it ever published.
    fn looks(&self, available: Signals) -> Vec<u32> {
        let base = self.setup.epochs as u32 + 1;
        let mut looks = vec![0];
        for member in (0..self.setup.size()).rev() {
            let flying = bits(available).map(|bit| self.signals[usize::from(bit)]);
            let own = flying.filter(|flying| flying.from == member);
            let mut digits: Vec<u32> = own.map(|flying| flying.signal.epoch as u32).collect();
            digits.push(0);
            let longer = looks.iter().flat_map(|look| digits.iter().map(move |d| look * base + d));
            looks = longer.collect();
        }
        looks
    }

    /// Where a rank can go while these signals for it are in the network.
    pub fn moves(&mut self, number: u32, available: Signals) -> Result<Rc<Moves>, Wrong> {
        if let Some(moves) = self.moves.get(&(number, available)) {
            return Ok(moves.clone());
        }
        let local = self.get(number);
        let rank = local.rank;
        let mut events: Vec<Event> = bits(available).map(Event::Deliver).collect();
        events.extend(local.may_enter.then_some(Event::Enter));
        if self.setup.tardy {
            events.extend(local.due.iter().map(|&to| Event::Take(to)));
        }
        if self.setup.schedules.is_empty() {
            events.extend(self.looks(available).into_iter().map(Event::Look));
        }
        let mut moves = Moves { onward: Vec::new(), asked: Vec::new() };
        for event in events {
            moves.onward.push(self.step(number, event)?);
        }
        for at in 0..self.questions.len() {
            if self.questions[at].to == rank {
                moves.asked.push(self.step(number, Event::Ask(at as u8))?);
            }
        }
        for list in [&mut moves.onward, &mut moves.asked] {
            list.retain(|&after| after != number);
            list.sort_unstable();
            list.dedup();
        }
        let moves = Rc::new(moves);
        self.moves.insert((number, available), moves.clone());
        Ok(moves)
    }

    /// Where the answers to a rank's questions lead, each asked alone and of somebody in the state that
    /// this table stands for; without those that change nothing. Only answers of `sent` are taken.
    pub fn repairs(
        &mut self,
        number: u32,
        answers: &[u32],
        sent: Signals,
    ) -> Result<Vec<u32>, Wrong> {
        let mut found = Vec::new();
        for ask in self.get(number).asks.clone() {
            let to = self.questions[usize::from(ask)].to;
            let table = &self.tables[answers[to] as usize];
            let answer = table.iter().find(|entry| entry.0 == ask).map_or(0, |entry| entry.1);
            for bit in bits(answer & sent) {
                found.push(self.step(number, Event::Deliver(bit))?);
            }
        }
        found.retain(|&after| after != number);
        Ok(found)
    }

    /// What must hold of all steps that were taken: a signal without effect stays so, no rank comes back
    /// to an earlier state, and answers say nothing new.
    ///
    /// # Errors
    ///
    /// What does not hold.
    // SEMANTICS: BAR-3
    pub fn check_steps(&self) -> Result<(), Wrong> {
        let mut onward = vec![Vec::new(); self.all.len()];
        let mut idle = vec![Vec::new(); self.all.len()];
        for (&(before, event), &after) in &self.steps {
            if let Event::Deliver(bit) = event {
                if before == after {
                    idle[before as usize].push(bit);
                } else if self.steps.get(&(after, event)).is_some_and(|&again| again != after) {
                    return Err(Wrong::TakenAgain(self.signals[usize::from(bit)]));
                }
            }
            if before != after && !matches!(event, Event::Ask(_)) {
                onward[before as usize].push(after);
            }
        }
        for (before, next) in onward.iter().enumerate() {
            for &after in next {
                let again = idle[before].iter().find(|&&bit| {
                    let step = self.steps.get(&(after, Event::Deliver(bit)));
                    step.is_some_and(|&again| again != after)
                });
                if let Some(&bit) = again {
                    return Err(Wrong::TakenAgain(self.signals[usize::from(bit)]));
                }
            }
        }
        match circle(&onward) {
            Some(at) => Err(Wrong::Circle(self.all[at].rank)),
            None => match self.new_answer {
                Some(bit) => Err(Wrong::NewAnswer(self.signals[usize::from(bit)])),
                None => Ok(()),
            },
        }
    }
}

/// A node on a circle, by taking away those that nothing leads to.
fn circle(onward: &[Vec<u32>]) -> Option<usize> {
    let mut leading = vec![0; onward.len()];
    onward.iter().flatten().for_each(|&after| leading[after as usize] += 1);
    let mut free: Vec<usize> = (0..onward.len()).filter(|&at| leading[at] == 0).collect();
    while let Some(at) = free.pop() {
        for &after in &onward[at] {
            leading[after as usize] -= 1;
            if leading[after as usize] == 0 {
                free.push(after as usize);
            }
        }
    }
    leading.iter().position(|&leading| leading > 0)
}

/// The bits of a set, lowest first.
pub fn bits(mut set: Signals) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(bit)
    })
}

/// A hash for numbers, of which there are many.
#[derive(Default)]
pub struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    /// The high bits are the better ones.
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}
