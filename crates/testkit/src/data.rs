//! Long data of tests, made in optimised code: the tests themselves are not optimised, and would spend more time on what
//! they send than on sending it. What comes back they compare as slices, which is one comparison of memory.

/// So many numbers that count up from `first`, past the highest to 0.
pub fn counting(first: u32, len: usize) -> Vec<u32> {
    (0..len).map(|at| first.wrapping_add(at as u32)).collect()
}

/// So many numbers from `first`, of which each is `step` more than the one before.
pub fn progression(first: u64, step: u64, len: usize) -> Vec<u64> {
    (0..len as u64).map(|at| first + at * step).collect()
}

/// Overwrites data that have been given, so that what is read late is wrong.
pub fn spoil(data: &mut [u32]) {
    data.fill(u32::MAX);
}
