//! `MPI_Dims_create`: a balanced grid for a number of nodes.
//! Rules: given dimensions stay; the others are as close to each other as any choice allows, and do not increase
//! (MPI 5.0, section 8.5.2). Among equals the longest shortest one wins, then the least sum. All are searched.

use std::ffi::c_int;

use smallvec::SmallVec;

use super::TopologyError;

#[cfg(test)]
mod tests;

type Lengths = SmallVec<[i64; 8]>;

/// Fills the dimensions that are 0, so that the grid has `nodes` places.
///
/// # Errors
///
/// If a dimension is negative, or `nodes` is no multiple of those that are given.
pub fn balanced_dims(nodes: c_int, dims: &mut [c_int]) -> Result<(), TopologyError> {
    // A grid without dimensions asks for nothing, whatever the number of nodes.
    if dims.is_empty() {
        return Ok(());
    }
    if let Some(dimension) = dims.iter().position(|length| *length < 0) {
        return Err(TopologyError::Length { dimension, length: dims[dimension] });
    }
    let (free, given) =
        (dims.iter().filter(|length| **length == 0), dims.iter().filter(|length| **length > 0));
    let free = free.count();
    // No product of 32-bit lengths that fits the nodes leaves 64 bits.
    let given = given.fold(1_i64, |product, length| product.saturating_mul(i64::from(*length)));
    let wide_nodes = i64::from(nodes);
    if wide_nodes < 1 || wide_nodes % given != 0 || (free == 0 && wide_nodes != given) {
        return Err(TopologyError::Indivisible { nodes, given });
    }
    if free > 0 {
        let lengths = Search::of(wide_nodes / given, free);
        let empty = dims.iter_mut().filter(|length| **length == 0);
        for (length, found) in empty.zip(lengths) {
            *length = found as c_int;
        }
    }
    Ok(())
}

/// The search for the grid whose longest and shortest dimension differ least.
struct Search {
    /// The divisors of the number of nodes, ascending.
    divisors: Vec<i64>,
    best: Lengths,
    /// The difference of the best grid, its shortest dimension, negated, and its sum.
    score: (i64, i64, i64),
}

impl Search {
    fn of(nodes: i64, count: usize) -> Lengths {
        // More dimensions than prime factors have length 1; the search need not try each of them.
        let factors = prime_factors(nodes).max(1);
        let searched = count.min(factors);
        let mut search = Search {
            divisors: divisors(nodes),
            best: Lengths::new(),
            score: (i64::MAX, 0, i64::MAX),
        };
        let fewer = count > searched;
        let longest = search.divisors.clone();
        for longest in longest {
            // The shortest is at most the root, so no grid with this longest one is better than the best.
            let shortest = if fewer { 1 } else { root(nodes, searched) };
            if longest - shortest > search.score.0 {
                break;
            }
            if power_reaches(longest, searched, nodes) {
                let mut lengths = Lengths::from_elem(longest, 1);
                search.extend(nodes / longest, searched - 1, &mut lengths, fewer);
            }
        }
        let mut best = search.best;
        best.resize(count, 1);
        best
    }

    /// Tries all ways to go on with `count` lengths, none above the last.
    fn extend(&mut self, nodes: i64, count: usize, lengths: &mut Lengths, fewer: bool) {
        let (longest, last) = (lengths[0], lengths[lengths.len() - 1]);
        if count == 0 {
            if nodes == 1 {
                let shortest = if fewer { 1 } else { last };
                let score = (longest - shortest, -shortest, lengths.iter().sum());
                if score < self.score {
                    self.score = score;
                    self.best = lengths.clone();
                }
            }
            return;
        }
        let below = self.divisors.partition_point(|divisor| *divisor <= last);
        for at in (0..below).rev() {
            let length = self.divisors[at];
            // A shorter one makes a worse grid, and leaves more to the others than they can hold.
            if !power_reaches(length, count, nodes) || (!fewer && longest - length > self.score.0) {
                return;
            }
            if nodes % length == 0 {
                lengths.push(length);
                self.extend(nodes / length, count - 1, lengths, fewer);
                lengths.pop();
            }
        }
    }
}

/// Whether `base` to the power of `exponent` is at least `goal`.
fn power_reaches(base: i64, exponent: usize, goal: i64) -> bool {
    let mut power = 1_i64;
    for _ in 0..exponent {
        power = power.saturating_mul(base);
        if power >= goal {
            return true;
        }
    }
    power >= goal
}

/// The largest number whose power is at most `nodes`.
fn root(nodes: i64, exponent: usize) -> i64 {
    let estimate = (nodes as f64).powf(1.0 / exponent as f64) as i64;
    // The estimate is off by one at most.
    (estimate.max(1)..=estimate + 1)
        .rev()
        .find(|base| !power_reaches(*base, exponent, nodes + 1))
        .unwrap_or(1)
}

fn divisors(nodes: i64) -> Vec<i64> {
    let low: Vec<i64> =
        (1..).take_while(|at| at * at <= nodes).filter(|at| nodes % at == 0).collect();
    let high: Vec<i64> =
        low.iter().rev().map(|at| nodes / at).filter(|at| at * at != nodes).collect();
    low.into_iter().chain(high).collect()
}

/// The number of prime factors, with repetition.
fn prime_factors(mut nodes: i64) -> usize {
    let mut count = 0;
    let mut prime = 2;
    while prime * prime <= nodes {
        while nodes % prime == 0 {
            nodes /= prime;
            count += 1;
        }
        prime += 1;
    }
    count + usize::from(nodes > 1)
}
