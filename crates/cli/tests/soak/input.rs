//! The input of the jobs, and their right results.

use fastrand::Rng;

use crate::stencil::field::Field;
use crate::stencil::heat::sequential;

/// The amount of work: undisturbed, a job takes some tenths of a second.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub keys: usize,
    pub numbers: usize,
    pub width: usize,
    pub height: usize,
    pub steps: u32,
    /// Of collectives, three calls each.
    pub rounds: usize,
}

impl Sizes {
    pub fn usual() -> Sizes {
        if cfg!(debug_assertions) {
            Sizes { keys: 20_000, numbers: 12_000, width: 100, height: 160, steps: 60, rounds: 12 }
        } else {
            Sizes {
                keys: 700_000,
                numbers: 250_000,
                width: 400,
                height: 600,
                steps: 600,
                rounds: 150,
            }
        }
    }
}

/// FNV-1a.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The line that a witness prints for its result.
pub fn digest_line(digest: u64) -> Vec<u8> {
    format!("{digest:016x}").into_bytes()
}

pub fn keys(seed: u64, sizes: &Sizes) -> Vec<u32> {
    let mut source = Rng::with_seed(seed);
    (0..sizes.keys).map(|_| source.u32(..)).collect()
}

pub fn sorted(seed: u64, sizes: &Sizes) -> Vec<u32> {
    let mut keys = keys(seed, sizes);
    keys.sort_unstable();
    keys
}

pub fn numbers(seed: u64, sizes: &Sizes) -> Vec<u64> {
    let mut source = Rng::with_seed(seed);
    (0..sizes.numbers).map(|_| source.u64(..)).collect()
}

pub fn sums(seed: u64, sizes: &Sizes) -> Vec<u64> {
    let mut sum = 0u64;
    let add = |number: u64| {
        sum = sum.wrapping_add(number);
        sum
    };
    numbers(seed, sizes).into_iter().map(add).collect()
}

/// A plate with a hot spot.
pub fn heat(sizes: &Sizes) -> Field {
    let Sizes { width, height, .. } = *sizes;
    let hot = |at: usize| (at % width).min(at / width) as f64 * 100.0;
    Field::new(width, (0..width * height).map(hot).collect())
}

pub fn heat_digest(sizes: &Sizes) -> u64 {
    sequential(&heat(sizes), sizes.steps).digest()
}

pub fn bytes_u32(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub fn bytes_u64(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
