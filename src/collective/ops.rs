//! Operators for reductions and scans, under the names that MPI has for them.
//!
//! They are functions, so they stand wherever a closure may:
//!
//! ```
//! use runahead::ops;
//!
//! runahead::launch(3, |world| {
//!     let rank = world.rank() as f64;
//!     assert_eq!(world.all_reduce(&[rank], ops::sum)?, [3.0]);
//!     assert_eq!(world.all_reduce(&[[rank, -rank]], ops::max)?, [[2.0, 0.0]]);
//!     assert_eq!(world.all_reduce(&[rank], |a, b| a + 2.0 * b)?, [6.0]); // what no name stands for
//!     Ok(())
//! }).unwrap();
//! ```
//!
//! Ranks that combine with different ones are told so, as of all functions that have a name (rule
//! COL-4 of SEMANTICS.md). Of a closure nothing can be told.
//!
//! All are commutative, up to the rounding of floats. A reduce-scatter makes use of it where the
//! ranks of a host are not consecutive: it combines large blocks on each host first. Every call
//! combines in the order that it states, so its result is the same in every run (COL-3). Elements
//! are combined in a loop that the compiler turns into vector instructions.

/// What the names of the types of these operators begin with.
pub(super) const PATH: &str = concat!(module_path!(), "::");

mod sealed {
    /// A type that the operators know; only this crate has such.
    pub trait Known: Copy {}
}

use sealed::Known;

/// What can be added, multiplied and compared: integers, floats, and arrays of them, whose elements
/// are combined one by one.
pub trait Number: Known {
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    #[doc(hidden)]
    fn larger(self, other: Self) -> Self;
    #[doc(hidden)]
    fn smaller(self, other: Self) -> Self;
}

/// What consists of bits: integers, and arrays of them, whose elements are combined one by one.
pub trait Bits: Known {
    #[doc(hidden)]
    fn and(self, other: Self) -> Self;
    #[doc(hidden)]
    fn or(self, other: Self) -> Self;
    #[doc(hidden)]
    fn xor(self, other: Self) -> Self;
    /// 1 where it is not 0.
    #[doc(hidden)]
    fn truth(self) -> Self;
}

/// The sum (MPI_SUM). Integers wrap around.
#[inline]
pub fn sum<T: Number>(a: T, b: T) -> T {
    a.plus(b)
}

/// The product (MPI_PROD). Integers wrap around.
#[inline]
pub fn product<T: Number>(a: T, b: T) -> T {
    a.times(b)
}

/// The larger one (MPI_MAX). Of a number and a NaN, the number.
#[inline]
pub fn max<T: Number>(a: T, b: T) -> T {
    a.larger(b)
}

/// The smaller one (MPI_MIN). Of a number and a NaN, the number.
#[inline]
pub fn min<T: Number>(a: T, b: T) -> T {
    a.smaller(b)
}

/// The bits that both have (MPI_BAND).
#[inline]
pub fn bit_and<T: Bits>(a: T, b: T) -> T {
    a.and(b)
}

/// The bits that one has, or both (MPI_BOR).
#[inline]
pub fn bit_or<T: Bits>(a: T, b: T) -> T {
    a.or(b)
}

/// The bits that exactly one has (MPI_BXOR).
#[inline]
pub fn bit_xor<T: Bits>(a: T, b: T) -> T {
    a.xor(b)
}

/// 1 if neither is 0, else 0 (MPI_LAND).
#[inline]
pub fn logical_and<T: Bits>(a: T, b: T) -> T {
    a.truth().and(b.truth())
}

/// 1 if one is not 0, or both, else 0 (MPI_LOR).
#[inline]
pub fn logical_or<T: Bits>(a: T, b: T) -> T {
    a.truth().or(b.truth())
}

/// 1 if exactly one is not 0, else 0 (MPI_LXOR).
#[inline]
pub fn logical_xor<T: Bits>(a: T, b: T) -> T {
    a.truth().xor(b.truth())
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Known for $integer {}

        impl Number for $integer {
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }

        impl Bits for $integer {
            #[inline]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline]
            fn truth(self) -> Self {
                Self::from(self != 0)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Known for $float {}

        impl Number for $float {
            #[inline]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline]
            fn smaller(self, other: Self) -> Self {
                self.min(other)
            }
        }
    )*};
}

floats!(f32 f64);

#[inline]
fn each<T: Copy, const N: usize>(a: [T; N], b: [T; N], combine: impl Fn(T, T) -> T) -> [T; N] {
    std::array::from_fn(|at| combine(a[at], b[at]))
}

impl<T: Known, const N: usize> Known for [T; N] {}

impl<T: Number, const N: usize> Number for [T; N] {
    #[inline]
    fn plus(self, other: Self) -> Self {
        each(self, other, T::plus)
    }

    #[inline]
    fn times(self, other: Self) -> Self {
        each(self, other, T::times)
    }

    #[inline]
    fn larger(self, other: Self) -> Self {
        each(self, other, T::larger)
    }

    #[inline]
    fn smaller(self, other: Self) -> Self {
        each(self, other, T::smaller)
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    #[inline]
    fn and(self, other: Self) -> Self {
        each(self, other, T::and)
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        each(self, other, T::or)
    }

    #[inline]
    fn xor(self, other: Self) -> Self {
        each(self, other, T::xor)
    }

    #[inline]
    fn truth(self) -> Self {
        self.map(T::truth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By that a call knows that an operator calls nothing of the runtime.
    #[test]
    fn their_types_are_told_from_those_of_programs() {
        fn name<F: Fn(u64, u64) -> u64>(_: F) -> &'static str {
            std::any::type_name::<F>()
        }
        for operator in [name(sum), name(product), name(max), name(bit_and), name(logical_xor)] {
            assert!(operator.starts_with(PATH), "{operator}");
        }
        for operator in [name(u64::max), name(u64::wrapping_add)] {
            assert!(!operator.starts_with(PATH), "{operator}");
        }
    }

    #[test]
    fn numbers_are_combined_as_their_names_say() {
        assert_eq!((sum(2, 3), product(2, 3), max(2, 3), min(2, 3)), (5, 6, 3, 2));
        assert_eq!((sum(u8::MAX, 2), product(i8::MIN, -1)), (1, i8::MIN), "they wrap around");
        assert_eq!((sum(0.5, 0.25), product(0.5, 0.25)), (0.75, 0.125));
        assert_eq!((max(f64::NAN, 1.0), min(1.0f32, f32::NAN)), (1.0, 1.0));
        assert_eq!(max([1, 5], [2, 4]), [2, 5]);
        assert_eq!(sum([[1.0, 2.0]], [[0.5, 0.5]]), [[1.5, 2.5]]);
    }

    #[test]
    fn bits_are_combined_as_their_names_say() {
        assert_eq!((bit_and(6, 3), bit_or(6, 3), bit_xor(6, 3)), (2, 7, 5));
        assert_eq!(bit_xor([1u8, 2], [1, 1]), [0, 3]);
        for (a, b) in [(0, 0), (0, 4), (4, 0), (4, 2)] {
            let (p, q) = (a != 0, b != 0);
            assert_eq!(logical_and(a, b), i32::from(p && q));
            assert_eq!(logical_or(a, b), i32::from(p || q));
            assert_eq!(logical_xor([a], [b]), [i32::from(p != q)]);
        }
    }
}
