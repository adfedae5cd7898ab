//! Floating-point numbers of 128 bits on x86-64, `real(16)` of Fortran: the compiler's own library computes with them.
//! Rules: its functions take and give such numbers in the vector registers that the platform's calling convention
//! names; a comparison with a NaN is false. Elsewhere these numbers are refused.

use std::arch::asm;
use std::arch::x86_64::__m128i;
use std::ffi::c_int;

use super::logical::Truth;
use super::value::{Combine, Max, Min, Prod, Sum, Value};

// Rust has no type for these numbers that C knows, so the functions are called by their registers.
unsafe extern "C" {
    fn __addtf3();
    fn __subtf3();
    fn __multf3();
    fn __lttf2();
}

/// A number of 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Quad(__m128i);

/// A complex number of two of them.
#[derive(Clone, Copy)]
pub(super) struct ComplexQuad(Quad, Quad);

/// Calls a function of two numbers. What it gives is in the register of the first.
macro_rules! call {
    ($function:ident, $a:expr, $b:expr) => {{
        let result: __m128i;
        // SAFETY: a function of the compiler's library, with its two arguments; it may change what C's may.
        unsafe {
            asm!(
                "call {function}",
                function = sym $function,
                inlateout("xmm0") $a.0 => result,
                in("xmm1") $b.0,
                clobber_abi("C")
            );
        }
        Quad(result)
    }};
}

impl Quad {
    fn plus(self, other: Quad) -> Quad {
        call!(__addtf3, self, other)
    }

    fn minus(self, other: Quad) -> Quad {
        call!(__subtf3, self, other)
    }

    fn times(self, other: Quad) -> Quad {
        call!(__multf3, self, other)
    }

    fn is_less(self, other: Quad) -> bool {
        let order: c_int;
        // SAFETY: as above; the result is an int.
        unsafe {
            asm!(
                "call {function}",
                function = sym __lttf2,
                out("eax") order,
                in("xmm0") self.0,
                in("xmm1") other.0,
                clobber_abi("C")
            );
        }
        order < 0
    }
}

impl Value<16> for Quad {
    fn read(bytes: [u8; 16]) -> Quad {
        // SAFETY: any 16 bytes are a vector.
        Quad(unsafe { std::mem::transmute::<[u8; 16], __m128i>(bytes) })
    }

    fn write(self) -> [u8; 16] {
        // SAFETY: a vector is 16 bytes.
        unsafe { std::mem::transmute::<__m128i, [u8; 16]>(self.0) }
    }
}

impl Value<32> for ComplexQuad {
    fn read(bytes: [u8; 32]) -> ComplexQuad {
        let (parts, _) = bytes.as_chunks();
        ComplexQuad(Quad::read(parts[0]), Quad::read(parts[1]))
    }

    fn write(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let (parts, _) = bytes.as_chunks_mut();
        (parts[0], parts[1]) = (self.0.write(), self.1.write());
        bytes
    }
}

impl Combine<Quad> for Sum {
    fn combine(a: Quad, b: Quad) -> Quad {
        a.plus(b)
    }
}

impl Combine<Quad> for Prod {
    fn combine(a: Quad, b: Quad) -> Quad {
        a.times(b)
    }
}

impl Combine<Quad> for Min {
    fn combine(a: Quad, b: Quad) -> Quad {
        if a.is_less(b) { a } else { b }
    }
}

impl Combine<Quad> for Max {
    fn combine(a: Quad, b: Quad) -> Quad {
        if b.is_less(a) { a } else { b }
    }
}

impl Truth for Quad {
    fn is_true(self) -> bool {
        // All but the sign.
        u128::from_le_bytes(self.write()) << 1 != 0
    }

    fn of(truth: bool) -> Quad {
        let one = 0x3fff_u128 << 112;
        Quad::read(if truth { one } else { 0 }.to_le_bytes())
    }
}

impl Combine<ComplexQuad> for Sum {
    fn combine(a: ComplexQuad, b: ComplexQuad) -> ComplexQuad {
        ComplexQuad(a.0.plus(b.0), a.1.plus(b.1))
    }
}

impl Combine<ComplexQuad> for Prod {
    fn combine(a: ComplexQuad, b: ComplexQuad) -> ComplexQuad {
        let real = a.0.times(b.0).minus(a.1.times(b.1));
        ComplexQuad(real, a.0.times(b.1).plus(a.1.times(b.0)))
    }
}
