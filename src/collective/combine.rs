//! Combining data element by element. All calls that combine do it here, in loops that the compiler
//! can turn into vector instructions.
//!
//! Keeps rule COL-3 of SEMANTICS.md.

use crate::comm::Element;
use crate::comm::element::copy;

/// Replaces each element of `total` by its combination with that of `higher`, in this order.
#[inline]
pub(super) fn combine_into<T: Element>(
    total: &mut [T],
    higher: &[T],
    combine: &impl Fn(T, T) -> T,
) {
    for (total, &higher) in total.iter_mut().zip(higher) {
        *total = combine(*total, higher);
    }
}

/// Replaces each element of `total` by the combination of that of `lower` with it, in this order.
#[inline]
pub(super) fn combine_from_lower<T: Element>(
    total: &mut [T],
    lower: &[T],
    combine: &impl Fn(T, T) -> T,
) {
    for (total, &lower) in total.iter_mut().zip(lower) {
        *total = combine(lower, *total);
    }
}

/// Puts the combination of each element of `lower` with that of `higher` in its place in `total`, in this order.
#[inline]
pub(super) fn combine_both<T: Element>(
    total: &mut [T],
    lower: &[T],
    higher: &[T],
    combine: &impl Fn(T, T) -> T,
) {
    for ((total, &lower), &higher) in total.iter_mut().zip(lower).zip(higher) {
        *total = combine(lower, higher);
    }
}

/// Combines consecutive blocks, each as long as `total`, in their order.
pub(super) fn combine_blocks<T: Element>(
    total: &mut [T],
    blocks: &[T],
    combine: &impl Fn(T, T) -> T,
) {
    let mut blocks = blocks.chunks_exact(total.len().max(1));
    if let Some(first) = blocks.next() {
        copy(first, total);
        blocks.for_each(|block| combine_into(total, block, combine));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(a: u32, b: u32) -> u32 {
        10 * a + b
    }

    #[test]
    fn what_comes_from_lower_ranks_stands_at_the_left() {
        let mut total = [1, 2];
        combine_into(&mut total, &[3, 4], &digits);
        assert_eq!(total, [13, 24]);
        combine_from_lower(&mut total, &[5, 6], &digits);
        assert_eq!(total, [63, 84]);
        combine_both(&mut total, &[1, 2], &[3, 4], &digits);
        assert_eq!(total, [13, 24]);
    }

    #[test]
    fn blocks_are_combined_in_their_order() {
        let mut total = [0; 2];
        combine_blocks(&mut total, &[1, 2, 3, 4, 5, 6], &digits);
        assert_eq!(total, [135, 246]);
        combine_blocks(&mut [0u32; 0], &[], &digits);
    }
}
