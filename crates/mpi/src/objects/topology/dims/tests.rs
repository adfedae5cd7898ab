//! Balanced grids against all grids there are.
//! Rules: no grid of the same nodes has a smaller difference of longest and shortest dimension.
//! The check is shown to reject a grid that is not balanced.

use proptest::prelude::*;

use super::super::super::Classified;
use super::*;
use crate::abi::MPI_ERR_DIMS;

/// The least difference of longest and shortest dimension over all grids.
fn least_difference(nodes: c_int, count: usize, longest: c_int, shortest: c_int) -> c_int {
    if count == 0 {
        return if nodes == 1 { longest - shortest } else { c_int::MAX };
    }
    let lengths = (1..=nodes).filter(|length| nodes % length == 0);
    let differences = lengths.map(|length| {
        least_difference(nodes / length, count - 1, longest.max(length), shortest.min(length))
    });
    differences.min().unwrap_or(c_int::MAX)
}

fn is_balanced(nodes: c_int, dims: &[c_int]) -> bool {
    let (longest, shortest) = (dims.iter().max().unwrap(), dims.iter().min().unwrap());
    dims.iter().product::<c_int>() == nodes
        && dims.is_sorted_by(|a, b| a >= b)
        && longest - shortest == least_difference(nodes, dims.len(), 1, c_int::MAX)
}

fn filled<const N: usize>(nodes: c_int) -> [c_int; N] {
    let mut dims = [0; N];
    balanced_dims(nodes, &mut dims).unwrap();
    dims
}

#[test]
fn each_small_grid_is_balanced() {
    for nodes in 1..=96 {
        assert!(is_balanced(nodes, &filled::<1>(nodes)), "{nodes} in 1");
        assert!(is_balanced(nodes, &filled::<2>(nodes)), "{nodes} in 2");
        assert!(is_balanced(nodes, &filled::<3>(nodes)), "{nodes} in 3");
        assert!(is_balanced(nodes, &filled::<4>(nodes)), "{nodes} in 4");
    }
}

#[test]
fn the_check_rejects_an_unbalanced_grid() {
    assert!(is_balanced(12, &[4, 3]));
    assert!(!is_balanced(12, &[6, 2]));
    assert!(!is_balanced(12, &[3, 4]));
    assert!(!is_balanced(12, &[4, 4]));
}

#[test]
fn the_examples_of_the_standard_hold() {
    let mut dims = [0, 0];
    balanced_dims(6, &mut dims).unwrap();
    assert_eq!(dims, [3, 2]);
    assert_eq!(filled::<2>(7), [7, 1]);
    let mut dims = [0, 3, 0];
    balanced_dims(6, &mut dims).unwrap();
    assert_eq!(dims, [2, 3, 1]);
    let error = balanced_dims(7, &mut [0, 3, 0]).unwrap_err();
    assert_eq!(error.class(), MPI_ERR_DIMS);
}

#[test]
fn errors_have_the_standard_class() {
    for (nodes, mut dims) in
        [(4, [-1, 0]), (0, [0, 0]), (-4, [0, 0]), (4, [2, 3]), (4, [2, 4]), (5, [4, 0])]
    {
        assert_eq!(
            balanced_dims(nodes, &mut dims).unwrap_err().class(),
            MPI_ERR_DIMS,
            "{nodes} in {dims:?}"
        );
    }
    assert_eq!(balanced_dims(0, &mut []), Ok(()));
    assert_eq!(balanced_dims(6, &mut [2, 3]), Ok(()));
    let overflowing = balanced_dims(8, &mut [c_int::MAX; 5]).unwrap_err();
    assert_eq!(overflowing.class(), MPI_ERR_DIMS);
}

#[test]
fn large_grids_are_found_at_once() {
    // As many divisors as a number of 31 bits can have, and a power of two in many dimensions.
    for count in 1..=12 {
        let mut dims = vec![0; count];
        balanced_dims(2_095_133_040, &mut dims).unwrap();
        assert_eq!(dims.iter().map(|length| i64::from(*length)).product::<i64>(), 2_095_133_040);
    }
    assert_eq!(filled::<3>(1 << 30), [1 << 10; 3]);
    assert_eq!(filled::<30>(1 << 30), [2; 30]);
    assert_eq!(filled::<40>(1 << 10)[..11], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
    assert_eq!(filled::<2>(c_int::MAX), [c_int::MAX, 1]);
}

proptest! {
    #[test]
    fn given_dimensions_stay(free in 1..400, given in 1..5, before: bool) {
        let mut dims = if before { [given, 0, 0] } else { [0, 0, given] };
        balanced_dims(free * given, &mut dims).unwrap();
        let (kept, found) = if before { (dims[0], &dims[1..]) } else { (dims[2], &dims[..2]) };
        prop_assert_eq!(kept, given);
        prop_assert_eq!(found, filled::<2>(free));
    }
}
