//! A random program, as the text that the player reads, and what each rank must write.
//! Rules: both come from the same step function, which knows only the standard.

use std::rc::Rc;

use fastrand::Rng;

use super::groups::Group;
use super::memory::Memory;
use super::types::{PLAIN, SIZES, Type};

/// A program that is being written.
pub struct Program {
    pub number: usize,
    pub ranks: usize,
    /// Whether it has what MPICH 5.0.2 does otherwise than the standard says.
    pub whole: bool,
    pub text: String,
    /// What each rank must write.
    pub expected: Vec<Vec<String>>,
    pub types: Vec<Type>,
    /// Those that were made, but for the ones whose bounds libraries differ in.
    pub usable: Vec<usize>,
    /// For each communicator of the player and each rank, the group that it is in there.
    pub comms: Vec<Vec<Option<Rc<Group>>>>,
    pub rng: Rng,
    pub step: usize,
    seeds: u64,
}

/// Two datatypes for the two ends of a message, with as many elements.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub send: (usize, usize),
    pub receive: (usize, usize),
}

impl Program {
    /// Writes the program that these seeds stand for, one of them for each step.
    pub fn new(number: usize, ranks: usize, seeds: &[u64], whole: bool) -> Self {
        let world = Rc::new(Group::world(ranks));
        let mut program = Self {
            number,
            ranks,
            whole,
            text: format!("program {number}\n"),
            expected: vec![Vec::new(); ranks],
            types: (0..SIZES.len()).map(Type::basic).collect(),
            usable: Vec::new(),
            comms: vec![vec![Some(world); ranks]],
            rng: Rng::with_seed(0),
            step: 0,
            seeds: 0,
        };
        for seed in seeds {
            program.rng = Rng::with_seed(*seed);
            match program.rng.usize(0..24) {
                0..=4 => program.step_type(),
                5 | 6 => program.step_pack(),
                7..=9 => program.step_exchange(),
                10 => program.step_chain(),
                11 => program.step_shift(),
                12..=14 => program.step_movement(),
                15..=17 => program.step_reduction(),
                18 => program.step_neighbours(),
                19 | 20 => program.step_communicator(),
                21 => program.step_group(),
                22 => program.step_local(),
                _ => program.step_window(),
            }
        }
        program.begin("end");
        program.say_all("end");
        program
    }

    /// Begins a step: what follows is written under its number.
    pub fn begin(&mut self, text: &str) {
        self.step += 1;
        self.text += text;
        self.text.push('\n');
    }

    /// What a rank must write in this step.
    pub fn say(&mut self, rank: usize, line: &str) {
        let line = format!("{}.{} {line}", self.number, self.step);
        self.expected[rank].push(line);
    }

    /// What every rank must write in this step.
    pub fn say_all(&mut self, line: &str) {
        (0..self.ranks).for_each(|rank| self.say(rank, line));
    }

    /// A datatype for messages: more often one that was made than a predefined one.
    pub fn one_of_types(&mut self) -> usize {
        if !self.usable.is_empty() && self.rng.u8(0..4) > 0 {
            return self.usable[self.rng.usize(0..self.usable.len())];
        }
        self.rng.usize(0..PLAIN)
    }

    /// A communicator of the player.
    pub fn one_of_comms(&mut self) -> usize {
        self.rng.usize(0..self.comms.len())
    }

    /// The groups of one communicator, each once.
    pub fn groups(&self, comm: usize) -> Vec<Rc<Group>> {
        let mut groups: Vec<Rc<Group>> = Vec::new();
        for group in self.comms[comm].iter().flatten() {
            if !groups.iter().any(|known| Rc::ptr_eq(known, group)) {
                groups.push(group.clone());
            }
        }
        groups
    }

    pub fn seed(&mut self) -> u64 {
        self.seeds += 1;
        self.seeds + 7 * self.number as u64
    }

    /// Memory for so many elements, with room around them.
    pub fn memory(&mut self, of: &Type, count: usize) -> Memory {
        let (low, high) = of.span(count);
        let (before, after) = (self.rng.i64(0..9), self.rng.i64(0..9));
        let (origin, size) =
            (before - low.min(0), (before + high.max(0) - low.min(0) + after) as usize);
        Memory { size, origin, seed: self.seed(), fill: 0 }
    }

    /// How many elements a message has: few, and rarely so many that it does not fit into a packet.
    pub fn count(&mut self, of: usize) -> usize {
        let extent = self.types[of].extent().max(1) as usize;
        match self.rng.u8(0..80) {
            0..=11 => 0,
            12 => (20_000 / extent).max(1),
            13 => (90_000 / extent).clamp(1, 30_000),
            _ => self.rng.usize(1..6),
        }
    }

    /// Datatypes and counts for both ends of a message; what is received lies nowhere twice.
    pub fn pair(&mut self) -> Pair {
        let send = self.one_of_types();
        let count = self.count(send);
        let receive = self.receiver_of(send, count, true);
        Pair { send: (send, count), receive }
    }

    /// A datatype and a count that so many elements are received by; `exact` says that none is left over.
    pub fn receiver_of(&mut self, send: usize, count: usize, exact: bool) -> (usize, usize) {
        let elements = self.types[send].map.len() * count;
        for _ in 0..4 {
            let other = self.one_of_types();
            let length = self.types[other].map.len();
            let fits = !exact || elements.is_multiple_of(length);
            let same = self.types[send].uniform();
            if same.is_some() && self.types[other].uniform() == same && fits {
                let spare = if exact { 0 } else { self.rng.usize(0..3) };
                let count = elements.div_ceil(length) + spare;
                if self.types[other].disjoint(count) {
                    return (other, count);
                }
            }
        }
        if self.types[send].disjoint(count) {
            return (send, count);
        }
        match self.types[send].uniform() {
            Some(basic) => (basic, elements),
            None => (send, 0),
        }
    }

    /// As [`Self::pair`], and never one that only sends nothing can meet.
    pub fn exact_pair(&mut self) -> Pair {
        loop {
            let pair = self.pair();
            if pair.receive.1 > 0 || pair.send.1 == 0 {
                return pair;
            }
        }
    }
}
