//! Logical operators: on truth values of C and Fortran, on integers, and on floating-point numbers.
//! Rules: whatever is not zero is true, and true is written as one, in Fortran too (`MPI_Abi_get_fortran_booleans`).
//! On floating-point numbers the standard defines none; other libraries do, so programs use them.

use super::half::Half;
use super::value::{Combine, Land, Lor, Lxor};

/// A type of which each value is true or false.
pub(super) trait Truth: Copy {
    /// Whether it is not zero.
    fn is_true(self) -> bool;
    /// One or zero.
    fn of(truth: bool) -> Self;
}

macro_rules! truths {
    ($($type:ty: $zero:expr, $one:expr;)+) => {$(
        impl Truth for $type {
            #[inline(always)]
            fn is_true(self) -> bool {
                self != $zero
            }

            #[inline(always)]
            fn of(truth: bool) -> $type {
                if truth { $one } else { $zero }
            }
        }
    )+};
}

truths! {
    i8: 0, 1; i16: 0, 1; i32: 0, 1; i64: 0, 1; i128: 0, 1;
    u8: 0, 1; u16: 0, 1; u32: 0, 1; u64: 0, 1;
    f32: 0.0, 1.0; f64: 0.0, 1.0;
}

impl Truth for Half {
    fn is_true(self) -> bool {
        self.0 & 0x7fff != 0
    }

    fn of(truth: bool) -> Half {
        Half(if truth { 0x3c00 } else { 0 })
    }
}

impl<T: Truth> Combine<T> for Land {
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        // Without a branch: both are looked at.
        T::of(a.is_true() & b.is_true())
    }
}

impl<T: Truth> Combine<T> for Lor {
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        T::of(a.is_true() | b.is_true())
    }
}

impl<T: Truth> Combine<T> for Lxor {
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        T::of(a.is_true() != b.is_true())
    }
}
