//! Steps of one-sided communication: each operation has memory of its own at its target, but for accumulates.
//! Rules: nothing that the standard leaves open decides what a window holds at the end.

use super::memory::{Memory, digest};
use super::program::Program;
use super::types::SIZES;

/// The memory of each rank, in bytes, and the part of it that all accumulate to.
const MEMORY: usize = 1_024;
const SHARED: usize = 64;
/// Numbers of 64 bits, of which each is 0, 1 or 2, so that comparisons succeed and fail.
const SMALL: usize = 42;
const INT64: usize = 4;

const PUT: usize = 0;
const GET: usize = 1;
const ACCUMULATE: usize = 2;
const GET_ACCUMULATE: usize = 3;
const FETCH: usize = 4;
const SWAP: usize = 5;
const LOCK_ALL: usize = 2;

struct Operation {
    kind: usize,
    rank: usize,
    target: usize,
    of: usize,
    count: usize,
    at: usize,
    there: usize,
    there_count: usize,
    op: i64,
    memory: Memory,
    result: Memory,
}

/// What an accumulate with this operator leaves.
fn accumulated(op: i64, before: i64, operand: i64) -> i64 {
    match op {
        0 => before.wrapping_add(operand),
        2 => before.min(operand),
        3 => before.max(operand),
        5 => before | operand,
        6 => before ^ operand,
        -1 => operand,
        _ => before,
    }
}

fn numbers(bytes: &[u8]) -> Vec<i64> {
    bytes
        .chunks_exact(8)
        .map(|bytes| i64::from_ne_bytes(bytes.try_into().expect("eight bytes")))
        .collect()
}

impl Program {
    fn operation(
        &mut self,
        rank: usize,
        target: usize,
        free: &mut usize,
        shared_op: i64,
    ) -> Option<Operation> {
        let kind = self.rng.usize(0..6);
        let none = Memory::default();
        let numbers = |program: &mut Self, count: usize| Memory {
            size: 8 * count,
            origin: 0,
            seed: program.seed(),
            fill: SMALL,
        };
        let mut take = |size: usize| {
            let at = free.next_multiple_of(8);
            (at + size <= MEMORY).then(|| {
                *free = at + size;
                at
            })
        };
        let of_numbers = |at, count, op, memory, result| Operation {
            kind,
            rank,
            target,
            of: INT64,
            count,
            at,
            there: INT64,
            there_count: count,
            op,
            memory,
            result,
        };
        Some(match kind {
            PUT | GET => {
                let pair = self.exact_pair();
                let (near, far) =
                    if kind == PUT { (pair.send, pair.receive) } else { (pair.receive, pair.send) };
                let (low, high) = self.types[far.0].span(far.1);
                // The same signature is not enough: what is put lies nowhere twice, neither here nor there.
                if !self.types[near.0].disjoint(near.1)
                    || !self.types[far.0].disjoint(far.1)
                    || high - low > 300
                {
                    return None;
                }
                let at = take((high - low) as usize)? as i64 - low;
                let memory = self.memory(&self.types[near.0].clone(), near.1);
                let at = usize::try_from(at).ok()?;
                Operation {
                    kind,
                    rank,
                    target,
                    of: near.0,
                    count: near.1,
                    at,
                    there: far.0,
                    there_count: far.1,
                    op: 0,
                    memory,
                    result: none,
                }
            }
            ACCUMULATE => {
                let count = self.rng.usize(1..=SHARED / 8);
                let memory = numbers(self, count);
                of_numbers(
                    8 * self.rng.usize(0..=SHARED / 8 - count),
                    count,
                    shared_op,
                    memory,
                    none,
                )
            }
            GET_ACCUMULATE => {
                let count = self.rng.usize(1..5);
                let op = [0, 2, 3, 5, 6, -1, 99][self.rng.usize(0..7)];
                let (memory, result) = (numbers(self, count), numbers(self, count));
                of_numbers(take(8 * count)?, count, op, memory, result)
            }
            FETCH => {
                let op = [0, 2, 3, 5, 6, -1, 99][self.rng.usize(0..7)];
                let (memory, result) = (numbers(self, 1), numbers(self, 1));
                of_numbers(take(8)?, 1, op, memory, result)
            }
            _ => {
                let (memory, result) = (numbers(self, 2), numbers(self, 1));
                of_numbers(take(8)?, 1, 0, memory, result)
            }
        })
    }

    /// A window on a random communicator of one side.
    pub fn step_window(&mut self) {
        let comm = self.one_of_comms();
        let groups = self.groups(comm);
        if groups.is_empty() || groups[0].is_inter() {
            return;
        }
        let (flavour, epoch, large) =
            (self.rng.usize(0..3), self.rng.usize(0..4), u8::from(self.rng.bool()));
        let unit = [1, 8][self.rng.usize(0..2)];
        let shared_op = [0, 2, 3, 5, 6][self.rng.usize(0..5)];
        let memory = Memory { size: MEMORY, origin: 0, seed: self.seed(), fill: SMALL };
        let mut operations = Vec::new();
        for group in &groups {
            let all = group.all();
            let mut free = vec![SHARED; self.ranks];
            for rank in &all {
                for _ in 0..self.rng.usize(0..5) {
                    let target = all[self.rng.usize(0..all.len())];
                    let operation = self.operation(*rank, target, &mut free[target], shared_op);
                    operations.extend(operation.filter(|operation| operation.at % unit == 0));
                }
            }
        }
        let mut text = format!(
            "window {comm} {flavour} {unit} {epoch} {large} {} {}",
            memory.text(),
            operations.len()
        );
        for o in &operations {
            let group = self.comms[comm][o.rank].clone().expect("a member");
            let requested = u8::from((1..=LOCK_ALL).contains(&epoch) && self.rng.bool());
            text += &format!(
                "\n  {} {} {} {} {} {} {} {} {} {requested} {} {}",
                o.rank,
                o.kind,
                group.rank_seen_by(o.rank, o.target),
                o.of,
                o.count,
                o.at / unit,
                o.there,
                o.there_count,
                o.op,
                o.memory.text(),
                o.result.text()
            );
        }
        self.begin(&text);
        let mut windows: Vec<_> = (0..self.ranks).map(|rank| memory.filled(rank, 0)).collect();
        let mut told = vec![Vec::new(); self.ranks];
        for o in &operations {
            let (mut near, mut result) = (o.memory.filled(o.rank, 0), o.result.filled(o.rank, 0));
            let window = &mut windows[o.target];
            let here = self.types[o.of].runs(o.count);
            let there = self.types[o.there].runs(o.there_count);
            let at_target = Memory { origin: o.at as i64, ..Memory::default() };
            match o.kind {
                PUT => {
                    let data = o.memory.gather(&near, &here);
                    at_target.scatter(window, &there, &data);
                }
                GET => {
                    let data = at_target.gather(window, &there);
                    o.memory.scatter(&mut near, &here, &data);
                }
                _ => {
                    let part = &mut window[o.at..o.at + SIZES[INT64] * o.count];
                    let (before, operands) = (numbers(part), numbers(&near));
                    if o.kind != ACCUMULATE {
                        result.copy_from_slice(part);
                    }
                    let after =
                        before.iter().zip(&operands).map(|(before, operand)| match o.kind {
                            SWAP if *before == operands[1] => *operand,
                            SWAP => *before,
                            _ => accumulated(o.op, *before, *operand),
                        });
                    let bytes: Vec<_> = after.flat_map(i64::to_ne_bytes).collect();
                    part.copy_from_slice(&bytes);
                }
            }
            told[o.rank].push((digest(&near), digest(&result)));
        }
        for group in &groups {
            for rank in group.all() {
                let line = format!("window {}", digest(&windows[rank]));
                self.say(rank, &line);
                for (index, (near, result)) in told[rank].iter().enumerate() {
                    self.say(rank, &format!("window operation {index} {near} {result}"));
                }
            }
        }
    }
}
