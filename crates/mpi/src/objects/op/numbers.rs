//! Arithmetic, comparisons and bits on integers and floating-point numbers.
//! Rules: integers wrap; the least and the greatest of floating-point numbers keep the second operand where the
//! comparison is false, so a NaN there stays; 16-bit numbers are computed in 32 bits, which rounds the same.

use super::half::Half;
use super::value::{Band, Bor, Bxor, Combine, Max, Min, Prod, Sum};

macro_rules! integer_operators {
    ($($type:ty)+) => {$(
        impl Combine<$type> for Sum {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a.wrapping_add(b)
            }
        }

        impl Combine<$type> for Prod {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a.wrapping_mul(b)
            }
        }

        impl Combine<$type> for Min {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a.min(b)
            }
        }

        impl Combine<$type> for Max {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a.max(b)
            }
        }

        impl Combine<$type> for Band {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a & b
            }
        }

        impl Combine<$type> for Bor {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a | b
            }
        }

        impl Combine<$type> for Bxor {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a ^ b
            }
        }
    )+};
}

integer_operators! { i8 i16 i32 i64 i128 u8 u16 u32 u64 }

macro_rules! float_operators {
    ($($type:ty)+) => {$(
        impl Combine<$type> for Sum {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a + b
            }
        }

        impl Combine<$type> for Prod {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                a * b
            }
        }

        impl Combine<$type> for Min {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                if a < b { a } else { b }
            }
        }

        impl Combine<$type> for Max {
            #[inline(always)]
            fn combine(a: $type, b: $type) -> $type {
                if a > b { a } else { b }
            }
        }
    )+};
}

float_operators! { f32 f64 }

macro_rules! half_operators {
    ($($name:ident)+) => {$(
        impl Combine<Half> for $name {
            #[inline(always)]
            fn combine(a: Half, b: Half) -> Half {
                Half::from($name::combine(f32::from(a), f32::from(b)))
            }
        }
    )+};
}

half_operators! { Sum Prod }

impl Combine<Half> for Min {
    #[inline(always)]
    fn combine(a: Half, b: Half) -> Half {
        if f32::from(a) < f32::from(b) { a } else { b }
    }
}

impl Combine<Half> for Max {
    #[inline(always)]
    fn combine(a: Half, b: Half) -> Half {
        if f32::from(a) > f32::from(b) { a } else { b }
    }
}
