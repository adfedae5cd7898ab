//! Sum and product of complex numbers.
//! Rules: the real part lies first; the product is computed as written, without the care for infinities that the
//! annex of C asks for, as other libraries do it. A complex number needs the alignment of its parts only.

use super::half::Half;
use super::value::{Combine, Prod, Sum, Value};

/// A complex number of two parts.
#[derive(Clone, Copy)]
pub(super) struct Complex<T>(T, T);

macro_rules! complex_values {
    ($($part:ty, $bytes:literal;)+) => {$(
        impl Value<$bytes> for Complex<$part> {
            #[inline(always)]
            fn read(bytes: [u8; $bytes]) -> Complex<$part> {
                let (parts, _) = bytes.as_chunks();
                Complex(Value::read(parts[0]), Value::read(parts[1]))
            }

            #[inline(always)]
            fn write(self) -> [u8; $bytes] {
                let mut bytes = [0; $bytes];
                let (parts, _) = bytes.as_chunks_mut();
                (parts[0], parts[1]) = (self.0.write(), self.1.write());
                bytes
            }
        }
    )+};
}

complex_values! { Half, 4; f32, 8; f64, 16; }

macro_rules! complex_operators {
    ($($part:ty)+) => {$(
        impl Combine<Complex<$part>> for Sum {
            #[inline(always)]
            fn combine(a: Complex<$part>, b: Complex<$part>) -> Complex<$part> {
                Complex(a.0 + b.0, a.1 + b.1)
            }
        }

        impl Combine<Complex<$part>> for Prod {
            #[inline(always)]
            fn combine(a: Complex<$part>, b: Complex<$part>) -> Complex<$part> {
                Complex(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
            }
        }
    )+};
}

complex_operators! { f32 f64 }

macro_rules! half_operators {
    ($($name:ident)+) => {$(
        impl Combine<Complex<Half>> for $name {
            fn combine(a: Complex<Half>, b: Complex<Half>) -> Complex<Half> {
                let wide = |part: Complex<Half>| Complex(f32::from(part.0), f32::from(part.1));
                let Complex(real, imaginary) = $name::combine(wide(a), wide(b));
                Complex(real.into(), imaginary.into())
            }
        }
    )+};
}

half_operators! { Sum Prod }
