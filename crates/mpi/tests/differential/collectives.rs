//! Collectives that move data: each is a list of blocks that go from one memory to another.
//! Rules: blocks that are received lie nowhere twice; which block goes where is the standard's definition.

use super::memory::{Memory, Run, digest, disjoint};
use super::program::Program;
use super::types::list;

/// How a side of a call is given.
pub const FILLED: usize = 0;
pub const IN_PLACE: usize = 1;
pub const NOTHING: usize = 2;

/// Some elements at a displacement in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub of: usize,
    pub count: usize,
    pub at: i64,
}

/// One side of a rank's call.
#[derive(Clone, Debug, Default)]
pub struct Side {
    pub given: usize,
    pub of: usize,
    pub count: usize,
    pub memory: Memory,
    pub blocks: Vec<Block>,
    /// Counts, places and datatypes, where the collective has them.
    pub lists: [Vec<i64>; 3],
}

/// What one rank calls.
#[derive(Clone, Debug)]
pub struct Entry {
    pub rank: usize,
    /// How many bytes of what it has received are looked at: all if negative.
    pub shown: i64,
    pub root: i64,
    pub send: Side,
    pub receive: Side,
}

/// A block of a sender, and where it is received: an index of entries and one of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub from: (usize, usize),
    pub into: (usize, usize),
}

impl Side {
    fn text(&self) -> String {
        format!("{} {} {} {}", self.given, self.of, self.count, self.memory.text())
    }

    fn lists(&self) -> String {
        self.lists.iter().map(|values| list(values)).collect::<Vec<_>>().join(" ")
    }
}

impl Entry {
    pub fn new(rank: usize) -> Self {
        Self { rank, shown: -1, root: 0, send: Side::default(), receive: Side::default() }
    }
}

/// Blocks of a side, one behind the other or as lists say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    None,
    /// Counts, and places in units of the extent.
    Extents,
    /// Counts, places in bytes, and datatypes.
    Bytes,
}

impl Program {
    /// A side with these blocks, each a datatype and a count.
    pub fn side(&mut self, blocks: &[(usize, usize)], lists: Lists) -> Side {
        let mut side = Side::default();
        if let Some(first) = blocks.first() {
            (side.of, side.count) = *first;
        }
        let mut order: Vec<_> = (0..blocks.len()).collect();
        if lists != Lists::None {
            self.rng.shuffle(&mut order);
        }
        side.blocks =
            blocks.iter().map(|(of, count)| Block { of: *of, count: *count, at: 0 }).collect();
        let mut units = vec![0; blocks.len()];
        let (mut end, mut low, mut high) = (0_i64, 0, 0);
        for index in order {
            let (of, count) = blocks[index];
            let made = self.types[of].clone();
            let (first, last) = made.span(count);
            let at = match lists {
                Lists::None => index as i64 * count as i64 * made.extent(),
                Lists::Extents => {
                    let at = end;
                    units[index] = at;
                    end += count as i64 + self.rng.i64(0..3);
                    at * made.extent()
                }
                Lists::Bytes => {
                    let at = end - first;
                    units[index] = at;
                    end += last - first + self.rng.i64(0..9);
                    at
                }
            };
            side.blocks[index].at = at;
            low = low.min(at + first);
            high = high.max(at + last);
        }
        if lists != Lists::None {
            side.lists[0] = blocks.iter().map(|(_, count)| *count as i64).collect();
            side.lists[1] = units;
        }
        if lists == Lists::Bytes {
            side.lists[2] = blocks.iter().map(|(of, _)| *of as i64).collect();
        }
        let (before, after) = (self.rng.i64(0..9), self.rng.i64(0..9));
        side.memory = Memory {
            size: (before + high - low + after) as usize,
            origin: before - low,
            seed: self.seed(),
            fill: 0,
        };
        side
    }

    /// Whether what a side receives lies nowhere twice.
    fn receivable(&self, side: &Side) -> bool {
        disjoint(side.blocks.iter().flat_map(|block| self.block(block)).collect())
    }

    fn block(&self, block: &Block) -> Vec<Run> {
        let mut runs = self.types[block.of].runs(block.count);
        runs.iter_mut().for_each(|run| run.at += block.at);
        runs
    }

    /// The text of a collective, and what its entries say: `result` is what a rank has received in a round.
    pub fn add_collective(
        &mut self,
        name: &str,
        comm: usize,
        op: usize,
        entries: &[Entry],
        result: impl Fn(&Self, usize, usize) -> Vec<u8>,
    ) {
        let form = self.rng.usize(0..6);
        let rounds = self.rng.usize(1..3);
        let way = self.rng.usize(0..9);
        let mut text =
            format!("collective {name} {form} {rounds} {way} {comm} {op} {}", entries.len());
        for entry in entries {
            let (rank, shown, root) = (entry.rank, entry.shown, entry.root);
            text += &format!(
                "\n  {rank} {shown} {root} {} {}",
                entry.send.text(),
                entry.receive.text()
            );
            text += &format!("\n    {} {}", entry.send.lists(), entry.receive.lists());
        }
        self.begin(&text);
        for round in 0..rounds {
            for (index, entry) in entries.iter().enumerate() {
                let sent = digest(&entry.send.memory.filled(entry.rank, round));
                self.say(entry.rank, &format!("{name} sent {sent}"));
                if entry.shown != 0 {
                    let mut received = result(self, index, round);
                    received.truncate(usize::try_from(entry.shown).unwrap_or(usize::MAX));
                    self.say(entry.rank, &format!("{name} received {}", digest(&received)));
                }
            }
        }
    }

    /// A collective that moves blocks.
    pub fn add_movement(&mut self, name: &str, comm: usize, entries: &[Entry], ways: &[Way]) {
        if entries.iter().any(|entry| !self.receivable(&entry.receive)) {
            return;
        }
        self.add_collective(name, comm, 0, entries, |program, index, round| {
            let entry = &entries[index];
            let mut bytes = entry.receive.memory.filled(entry.rank, round);
            for way in ways.iter().filter(|way| way.into.0 == index) {
                let from = &entries[way.from.0];
                let side = if from.send.given == FILLED && !from.send.blocks.is_empty() {
                    &from.send
                } else {
                    &from.receive
                };
                let places = program.block(&side.blocks[way.from.1]);
                let data = side.memory.gather(&side.memory.filled(from.rank, round), &places);
                let places = program.block(&entry.receive.blocks[way.into.1]);
                entry.receive.memory.scatter(&mut bytes, &places, &data);
            }
            bytes
        });
    }
}
