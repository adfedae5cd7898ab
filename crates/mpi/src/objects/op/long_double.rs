//! The long double of C on x86-64: 80 bits in 16 bytes, which only the x87 unit computes with.
//! Rules: each block of instructions works in place and leaves the unit's stack empty; the padding of a result
//! is that of the second operand. On other machines a long double is another type, and is refused.

use std::arch::asm;
use std::cmp::Ordering;

use super::logical::Truth;
use super::value::Value;
use super::{Builtin, Kernel};

/// A long double, as its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongDouble(pub(super) [u8; 16]);

/// Declares loops over elements of so many bytes. The instructions find the operands at `a` and `b`, and leave the
/// result at `b`.
macro_rules! loops {
    ($bytes:literal bytes: $($name:ident: $($line:literal),+;)+) => {$(
        fn $name(input: &[u8], inout: &mut [u8]) {
            let (input, _) = input.as_chunks::<$bytes>();
            let (inout, _) = inout.as_chunks_mut::<$bytes>();
            for (a, b) in input.iter().zip(inout) {
                // SAFETY: the instructions read and write ten bytes of each 16 of both operands, which they may; all
                // registers that they use are declared.
                unsafe {
                    asm!(
                        $($line,)+
                        a = in(reg) a.as_ptr(),
                        b = in(reg) b.as_mut_ptr(),
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                        options(nostack)
                    );
                }
            }
        }
    )+};
}

loops! {
    16 bytes:
    sum: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "faddp st(1), st", "fstp tbyte ptr [{b}]";
    product: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fmulp st(1), st", "fstp tbyte ptr [{b}]";
    // The upper one of the stack is a; it gives way to b unless it is greater.
    greatest: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fcomi st, st(1)", "fcmovbe st, st(1)",
        "fstp tbyte ptr [{b}]", "fstp st(0)";
    // The upper one is b; it gives way to a if it is greater, and not if they cannot be compared.
    least: "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "fcomi st, st(1)", "fcmovnbe st, st(1)",
        "fstp tbyte ptr [{b}]", "fstp st(0)";
}

loops! {
    32 bytes:
    complex_sum:
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "faddp st(1), st", "fstp tbyte ptr [{b}]",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b} + 16]", "faddp st(1), st",
        "fstp tbyte ptr [{b} + 16]";
    complex_product:
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "fmulp st(1), st",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b} + 16]", "fmulp st(1), st",
        // The lower of the stack less the upper.
        "fsubp st(1), st",
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b} + 16]", "fmulp st(1), st",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b}]", "fmulp st(1), st",
        "faddp st(1), st",
        "fstp tbyte ptr [{b} + 16]", "fstp tbyte ptr [{b}]";
}

/// The loop of an operator that computes or compares.
pub(super) fn arithmetic(operator: Builtin) -> Option<Kernel> {
    match operator {
        Builtin::Sum => Some(sum),
        Builtin::Prod => Some(product),
        Builtin::Max => Some(greatest),
        Builtin::Min => Some(least),
        _ => None,
    }
}

/// The loop of an operator on complex numbers.
pub(super) fn complex_arithmetic(operator: Builtin) -> Option<Kernel> {
    match operator {
        Builtin::Sum => Some(complex_sum),
        Builtin::Prod => Some(complex_product),
        _ => None,
    }
}

impl LongDouble {
    /// How it compares with another; nothing, if one is a NaN.
    pub(super) fn compare(self, other: LongDouble) -> Option<Ordering> {
        let (a, b) = (self.0, other.0);
        let (mut below, mut equal, mut unordered): (u8, u8, u8);
        // SAFETY: as above; nothing is written to memory, and the registers are declared.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fcomip st, st(1)",
                "setb {below}", "sete {equal}", "setp {unordered}", "fstp st(0)",
                a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(),
                below = out(reg_byte) below, equal = out(reg_byte) equal, unordered = out(reg_byte) unordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack, readonly)
            );
        }
        match (unordered != 0, equal != 0, below != 0) {
            (true, ..) => None,
            (_, true, _) => Some(Ordering::Equal),
            (.., true) => Some(Ordering::Less),
            _ => Some(Ordering::Greater),
        }
    }
}

impl Truth for LongDouble {
    fn is_true(self) -> bool {
        // All but the sign.
        self.0[..9].iter().any(|byte| *byte != 0) || self.0[9] & 0x7f != 0
    }

    fn of(truth: bool) -> LongDouble {
        let mut bytes = [0; 16];
        if truth {
            bytes[7..10].copy_from_slice(&[0x80, 0xff, 0x3f]);
        }
        LongDouble(bytes)
    }
}

impl Value<16> for LongDouble {
    fn read(bytes: [u8; 16]) -> LongDouble {
        LongDouble(bytes)
    }

    fn write(self) -> [u8; 16] {
        self.0
    }
}

impl PartialEq for LongDouble {
    fn eq(&self, other: &LongDouble) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for LongDouble {
    fn partial_cmp(&self, other: &LongDouble) -> Option<Ordering> {
        self.compare(*other)
    }
}
