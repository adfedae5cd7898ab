//! The least and the greatest value with its index, on pairs as C and Fortran lay them out.
//! Rules: of equal values the lesser index wins (MPI 5.0, section 6.9.4); a pair moves as a whole, so that padding
//! is of the pair that won. In Fortran's pairs the index has the type of the value.

use std::cmp::Ordering;

use super::value::Value;

/// Which values win.
pub(super) trait Wins {
    /// Whether the first operand does, given how it compares with the second.
    fn wins(order: Ordering) -> bool;
}

/// The least value.
pub(super) struct Least;

/// The greatest value.
pub(super) struct Greatest;

impl Wins for Least {
    fn wins(order: Ordering) -> bool {
        order == Ordering::Less
    }
}

impl Wins for Greatest {
    fn wins(order: Ordering) -> bool {
        order == Ordering::Greater
    }
}

/// The loop over pairs of `N` bytes: a value of `V` bytes first, and an index of `I` bytes from `AT` on.
pub(super) fn locate<
    W: Wins,
    T: Value<V> + PartialOrd,
    X: Value<I> + PartialOrd,
    const V: usize,
    const I: usize,
    const AT: usize,
    const N: usize,
>(
    input: &[u8],
    inout: &mut [u8],
) {
    let value = |pair: &[u8; N]| T::read(*pair.first_chunk::<V>().expect("a pair has a value"));
    let index = |pair: &[u8; N]| X::read(*pair[AT..].first_chunk::<I>().expect("and an index"));
    let (input, _) = input.as_chunks::<N>();
    let (inout, _) = inout.as_chunks_mut::<N>();
    for (a, b) in input.iter().zip(inout) {
        let moves = match value(a).partial_cmp(&value(b)) {
            Some(Ordering::Equal) => index(a) < index(b),
            Some(order) => W::wins(order),
            // A NaN compares with nothing: the second operand stays, as it does in MPI_MIN.
            None => false,
        };
        if moves {
            *b = *a;
        }
    }
}
