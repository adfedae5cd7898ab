//! The least and the greatest value with its index, on pairs as C and Fortran lay them out.
//! Rules: of equal values the lesser index wins (MPI 5.0, section 6.9.4); a pair moves as a whole, so that padding
//! is of the pair that won. In Fortran's pairs the index has the type of the value.

use super::value::Value;

/// Which values win.
pub(super) trait Wins {
    /// Whether the first operand does. A NaN compares with nothing, so the second stays, as it does in `MPI_MIN`.
    fn wins<T: PartialOrd>(a: &T, b: &T) -> bool;
}

/// The least value.
pub(super) struct Least;

/// The greatest value.
pub(super) struct Greatest;

impl Wins for Least {
    #[inline(always)]
    fn wins<T: PartialOrd>(a: &T, b: &T) -> bool {
        a < b
    }
}

impl Wins for Greatest {
    #[inline(always)]
    fn wins<T: PartialOrd>(a: &T, b: &T) -> bool {
        a > b
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
        let (x, y) = (value(a), value(b));
        // All is looked at, since a branch on the data would be guessed wrong.
        if W::wins(&x, &y) | ((x == y) & (index(a) < index(b))) {
            *b = *a;
        }
    }
}
