//! Reductions and scans: what each rank's elements combine to, in the order of ranks.
//! Rules: values are small, so results are exact, and one order gives what another does unless the operator forbids it.

use super::collectives::{Entry, IN_PLACE, NOTHING, Side};
use super::memory::{Memory, digest};
use super::program::Program;
use super::types::SIZES;

/// The operators of the player that it makes itself.
const COMPOSE: usize = 12;
const ADD: usize = 13;

/// What a random reduction is of: an operator, a datatype, and how memory is filled.
#[derive(Clone, Copy)]
struct Kind {
    op: usize,
    of: usize,
    fill: usize,
}

/// Combines two integers, as C does after promotion.
fn integers(op: usize, left: i128, right: i128) -> i128 {
    let truth = |value: bool| i128::from(value);
    match op {
        0 => left + right,
        1 => left * right,
        2 => left.min(right),
        3 => left.max(right),
        4 => left & right,
        5 => left | right,
        6 => left ^ right,
        7 => truth(left != 0 && right != 0),
        8 => truth(left != 0 || right != 0),
        _ => truth((left != 0) != (right != 0)),
    }
}

fn floats(op: usize, left: f64, right: f64) -> f64 {
    match op {
        0 => left + right,
        1 => left * right,
        2 => left.min(right),
        _ => left.max(right),
    }
}

fn unsigned(bytes: &[u8]) -> i128 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | i128::from(*byte))
}

fn float(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f32::from_ne_bytes(bytes.try_into().expect("four bytes")).into(),
        _ => f64::from_ne_bytes(bytes.try_into().expect("eight bytes")),
    }
}

fn float_bytes(value: f64, size: usize) -> Vec<u8> {
    if size == 4 { (value as f32).to_ne_bytes().to_vec() } else { value.to_ne_bytes().to_vec() }
}

/// One element out of two: `left` is of the lower rank.
fn element(op: usize, basic: usize, left: &[u8], right: &[u8]) -> Vec<u8> {
    let size = left.len();
    match basic {
        9 | 10 => float_bytes(floats(op, float(left), float(right)), size),
        12 | 13 => {
            let value = |bytes: &[u8]| match basic {
                12 => f64::from(i32::from_ne_bytes(bytes[..4].try_into().expect("four bytes"))),
                _ => float(&bytes[..4]),
            };
            let index =
                |bytes: &[u8]| i32::from_ne_bytes(bytes[4..].try_into().expect("four bytes"));
            let (first, second) = (value(left), value(right));
            let left_wins = match first == second {
                true => index(left) <= index(right),
                false => (first < second) == (op == 10),
            };
            if left_wins { left.to_vec() } else { right.to_vec() }
        }
        14 => {
            let (a, b, c, d) =
                (float(&left[..4]), float(&left[4..]), float(&right[..4]), float(&right[4..]));
            let (real, imaginary) =
                if op == 0 { (a + c, b + d) } else { (a * c - b * d, a * d + b * c) };
            [float_bytes(real, 4), float_bytes(imaginary, 4)].concat()
        }
        _ => {
            let value = |bytes: &[u8]| {
                let value = unsigned(bytes);
                let negative = (1..=4).contains(&basic) && bytes[size - 1] >= 128;
                if negative { value - (1 << (8 * size)) } else { value }
            };
            integers(op, value(left), value(right)).to_ne_bytes()[..size].to_vec()
        }
    }
}

fn pair(op: usize, left: &[u8], right: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
    let (a, b) = (number(&left[..4]), number(&left[4..]));
    let (c, d) = (number(&right[..4]), number(&right[4..]));
    let both = match op {
        COMPOSE => [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)],
        _ => [a.wrapping_add(c), b.wrapping_add(d)],
    };
    both.map(u32::to_ne_bytes).concat()
}

impl Kind {
    /// The data of all elements out of those of two ranks.
    fn combine(self, left: &[u8], right: &[u8]) -> Vec<u8> {
        let size = if self.op >= COMPOSE { 8 } else { SIZES[self.of] };
        let pairs = left.chunks_exact(size).zip(right.chunks_exact(size));
        pairs
            .flat_map(|(left, right)| match self.op {
                COMPOSE | ADD => pair(self.op, left, right),
                _ => element(self.op, self.of, left, right),
            })
            .collect()
    }

    /// Those of several ranks, in their order.
    fn fold<'a>(self, mut data: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
        let first = data.next().expect("a rank").clone();
        data.fold(first, |left, right| self.combine(&left, right))
    }
}

impl Program {
    /// An operator and a datatype that it takes.
    fn kind(&mut self) -> Kind {
        let op = self.rng.usize(0..14);
        if op >= COMPOSE {
            self.made_type("contiguous 2 7", 8);
            if self.rng.bool() {
                let last = self.types.len() - 1;
                self.made_type(&format!("resized 0 12 {last}"), 12);
            }
            return Kind { op, of: self.types.len() - 1, fill: 0 };
        }
        let (choices, way): (&[usize], usize) = match op {
            0 => (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14], 1),
            // Of a complex product, the order of operations decides the sign of a zero.
            1..=3 => (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 1),
            4..=6 => (&[0, 1, 2, 3, 4, 5, 6, 7, 8], 3),
            7..=9 => (&[1, 2, 3, 4, 5, 6, 7, 8, 11], 2),
            _ => (&[12, 13], 1),
        };
        let of = choices[self.rng.usize(0..choices.len())];
        Kind { op, of, fill: of * 10 + way }
    }

    /// A datatype of two numbers.
    fn made_type(&mut self, form: &str, extent: i64) {
        self.begin(&format!("type 0 0 0 {form}"));
        self.say_all("type size 8");
        self.types.push(super::types::Type { map: vec![(0, 7), (4, 7)], lb: 0, ub: extent });
    }

    fn elements(&mut self, kind: Kind, count: usize) -> Side {
        let size = count * self.types[kind.of].extent() as usize;
        let memory = Memory { size, origin: 0, seed: self.seed(), fill: kind.fill };
        Side { given: 0, of: kind.of, count, memory, ..Side::default() }
    }

    /// A reduction or a scan on a random communicator.
    pub fn step_reduction(&mut self) {
        let comm = self.one_of_comms();
        let groups = self.groups(comm);
        if groups.is_empty() {
            return;
        }
        let kind = self.kind();
        let names =
            ["reduce", "allreduce", "scan", "exscan", "reduce_scatter_block", "reduce_scatter"];
        let which = self.rng.usize(0..if groups[0].is_inter() { 2 } else { 6 });
        let count = match self.rng.u8(0..20) {
            0 => 0,
            1 => 3_000,
            _ => self.rng.usize(1..20),
        };
        let mut entries: Vec<Entry> = Vec::new();
        // For each entry whose data it gets, in order, and from which element to which.
        let mut origins: Vec<(Vec<usize>, usize, usize)> = Vec::new();
        for group in &groups {
            let (base, all) = (entries.len(), group.all());
            let place = !group.is_inter() && self.rng.u8(0..3) == 0;
            let root = all[self.rng.usize(0..all.len())];
            let counts: Vec<_> = all
                .iter()
                .map(|_| if which == 5 { self.rng.usize(0..5) } else { count.min(500) })
                .collect();
            let total = match which {
                4 | 5 => counts.iter().sum(),
                _ => count,
            };
            for (index, rank) in all.iter().enumerate() {
                let mut entry = Entry::new(*rank);
                let peers = group.peers(*rank);
                let index_of = |member: &usize| {
                    base + all.iter().position(|other| other == member).expect("a member")
                };
                let mut from: Vec<_> = peers.iter().map(index_of).collect();
                let (mut first, mut last) = (0, total);
                entry.send = self.elements(kind, total);
                entry.receive = self.elements(kind, total);
                let mut in_place = place;
                match which {
                    0 => {
                        let (is_root, sends) = (*rank == root, group.peers(root).contains(rank));
                        entry.root = match (group.is_inter(), is_root, sends) {
                            (true, true, _) => -1,
                            (true, _, false) => -2,
                            _ => group.rank(root) as i64,
                        };
                        in_place = place && is_root;
                        if !is_root {
                            entry.receive.given = NOTHING;
                            entry.shown = 0;
                        }
                        if !sends {
                            entry.send.given = NOTHING;
                        }
                    }
                    2 => from.truncate(index + 1),
                    3 => {
                        from.truncate(index);
                        if index == 0 {
                            entry.shown = 0;
                        }
                    }
                    4 | 5 => {
                        first = counts[..index].iter().sum();
                        last = first + counts[index];
                        let extent = self.types[kind.of].extent() as usize;
                        if place {
                            // What lies behind the result is nobody's.
                            entry.shown = (counts[index] * extent) as i64;
                        } else {
                            entry.receive = self.elements(kind, counts[index]);
                        }
                        entry.receive.count = counts[index];
                        entry.receive.lists[0] = counts.iter().map(|count| *count as i64).collect();
                    }
                    _ => {}
                }
                if in_place {
                    entry.send = Side { given: IN_PLACE, ..Side::default() };
                }
                entries.push(entry);
                origins.push((from, first, last));
            }
        }
        let data = |program: &Self, entry: &Entry, round: usize| {
            let side = if entry.send.given == IN_PLACE { &entry.receive } else { &entry.send };
            let made = &program.types[kind.of];
            let count = side.memory.size / made.extent() as usize;
            side.memory.gather(&side.memory.filled(entry.rank, round), &made.runs(count))
        };
        self.add_collective(names[which], comm, kind.op, &entries, |program, index, round| {
            let (from, first, last) = &origins[index];
            let memory = &entries[index].receive.memory;
            let mut bytes = memory.filled(entries[index].rank, round);
            let each: Vec<_> = from.iter().map(|at| data(program, &entries[*at], round)).collect();
            let size = program.types[kind.of].size();
            let result = kind.fold(each.iter());
            let places = program.types[kind.of].runs(last - first);
            memory.scatter(&mut bytes, &places, &result[first * size..last * size]);
            bytes
        });
    }

    /// A reduction of two arrays of one rank.
    pub fn step_local(&mut self) {
        let kind = self.kind();
        let count = self.rng.usize(0..20);
        let (left, right) = (self.elements(kind, count).memory, self.elements(kind, count).memory);
        let (op, of, large) = (kind.op, kind.of, u8::from(self.rng.bool()));
        self.begin(&format!("local {op} {of} {count} {large} {} {}", left.text(), right.text()));
        let places = self.types[of].runs(count);
        for rank in 0..self.ranks {
            let (first, mut second) = (left.filled(rank, 0), right.filled(rank, 0));
            let result =
                kind.combine(&left.gather(&first, &places), &right.gather(&second, &places));
            right.scatter(&mut second, &places, &result);
            self.say(rank, &format!("local {} {}", digest(&first), digest(&second)));
        }
    }
}
