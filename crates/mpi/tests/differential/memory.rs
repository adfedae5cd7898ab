//! Memory as the player fills it, and its digest: the same functions as in `c/player.c`.
//! Rules: a byte depends on the seed, the rank, the round and its place, so data that goes astray shows.

use super::types::SIZES;

/// Memory that a call of one rank reads or writes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// How many bytes there are.
    pub size: usize,
    /// Where in them the address lies that the call gets.
    pub origin: i64,
    /// What it is filled from.
    pub seed: u64,
    /// 0 for random bytes; else ten times the element, and the range of its values.
    pub fill: usize,
}

/// The mixing function of the player.
fn hash(seed: u64, index: u64) -> u64 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = x.wrapping_add(index.wrapping_mul(0xD1B5_4A32_D192_ED03));
    x ^= x >> 29;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ x >> 32
}

/// Writes one element as the player does.
fn element(at: &mut [u8], basic: usize, way: usize, random: u64) {
    let value = match way {
        1 if (5..=8).contains(&basic) => (random % 7) as i64,
        1 => (random % 7) as i64 - 3,
        2 => (random % 3) as i64,
        _ => random as i64,
    };
    let second = (random >> 8 & 3) as i32;
    match basic {
        9 => at.copy_from_slice(&(value as f32).to_ne_bytes()),
        10 => at.copy_from_slice(&(value as f64).to_ne_bytes()),
        11 => at[0] = u8::from(value != 0),
        12 => {
            at[..4].copy_from_slice(&(value as i32).to_ne_bytes());
            at[4..].copy_from_slice(&second.to_ne_bytes());
        }
        13 => {
            at[..4].copy_from_slice(&(value as f32).to_ne_bytes());
            at[4..].copy_from_slice(&second.to_ne_bytes());
        }
        14 => {
            at[..4].copy_from_slice(&(value as f32).to_ne_bytes());
            at[4..].copy_from_slice(&(second as f32).to_ne_bytes());
        }
        _ => at.copy_from_slice(&value.to_ne_bytes()[..at.len()]),
    }
}

impl Memory {
    /// What the memory holds before the call.
    pub fn filled(&self, rank: usize, round: usize) -> Vec<u8> {
        let seed = self.seed + 1_000 * rank as u64 + 100_000 * round as u64;
        if self.fill == 0 {
            let mut bytes = vec![0; self.size];
            for (index, word) in bytes.chunks_mut(8).enumerate() {
                word.copy_from_slice(&hash(seed, index as u64).to_le_bytes()[..word.len()]);
            }
            return bytes;
        }
        let (basic, way) = (self.fill / 10, self.fill % 10);
        let mut bytes = vec![0; self.size];
        for (index, at) in bytes.chunks_exact_mut(SIZES[basic]).enumerate() {
            element(at, basic, way, hash(seed, index as u64));
        }
        bytes
    }

    /// As the text has it.
    pub fn text(&self) -> String {
        format!("{} {} {} {}", self.size, self.origin, self.seed, self.fill)
    }

    /// Reads the bytes of these runs, whose places count from the address.
    pub fn gather(&self, bytes: &[u8], runs: &[Run]) -> Vec<u8> {
        let mut data = Vec::new();
        for run in runs {
            let first = (self.origin + run.at) as usize;
            data.extend_from_slice(&bytes[first..first + run.length]);
        }
        data
    }

    /// Writes data into the first of these runs.
    pub fn scatter(&self, bytes: &mut [u8], runs: &[Run], mut data: &[u8]) {
        for run in runs {
            let (now, later) = data.split_at(run.length.min(data.len()));
            let first = (self.origin + run.at) as usize;
            bytes[first..first + now.len()].copy_from_slice(now);
            data = later;
        }
    }
}

/// Bytes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    pub at: i64,
    pub length: usize,
}

/// Whether no byte lies in two runs.
pub fn disjoint(mut runs: Vec<Run>) -> bool {
    runs.sort_unstable();
    runs.windows(2).all(|pair| pair[0].at + pair[0].length as i64 <= pair[1].at)
}

/// The digest of the player, as text.
pub fn digest(bytes: &[u8]) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for word in bytes.chunks(8) {
        let mut whole = [0; 8];
        whole[..word.len()].copy_from_slice(word);
        sum = (sum ^ u64::from_le_bytes(whole)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum ^= sum >> 32;
    }
    format!("{sum:016x}")
}
