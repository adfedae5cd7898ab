//! The long double of C on x86-64: 80 bits in 16 bytes, which only the x87 unit computes with.
//! Rules: each block of instructions leaves the unit's stack as it was, empty; the six bytes of padding of a result
//! are those of the second operand. On other machines a long double is another type, and is refused.

use std::arch::asm;
use std::cmp::Ordering;

use super::logical::Truth;
use super::value::{Combine, Max, Min, Prod, Sum, Value};

/// A long double, as its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongDouble(pub(super) [u8; 16]);

/// Runs instructions on the numbers at some addresses. They may write to ten bytes at `out` (and those after
/// `out + 16`, if it has two numbers), and use all of the unit's stack.
macro_rules! x87 {
    ($($line:literal),+; in $($name:ident = $address:expr),+; out $out:expr) => {
        asm!(
            $($line,)+
            $($name = in(reg) $address.as_ptr(),)+
            out = in(reg) $out.as_mut_ptr(),
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack)
        )
    };
}

macro_rules! operators {
    ($($name:ident: $($line:literal),+;)+) => {$(
        impl Combine<LongDouble> for $name {
            #[inline(always)]
            fn combine(LongDouble(a): LongDouble, LongDouble(b): LongDouble) -> LongDouble {
                let mut out = b;
                // SAFETY: the instructions read ten bytes of each operand, write ten to `out`, all of which
                // have 16; all registers that they use are declared.
                unsafe { x87!($($line),+; in a = a, b = b; out out) };
                LongDouble(out)
            }
        }
    )+};
}

operators! {
    Sum: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "faddp st(1), st", "fstp tbyte ptr [{out}]";
    Prod: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fmulp st(1), st", "fstp tbyte ptr [{out}]";
    // The upper one of the stack is a; it gives way to b unless it is greater.
    Max: "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fcomi st, st(1)", "fcmovbe st, st(1)",
        "fstp tbyte ptr [{out}]", "fstp st(0)";
    // The upper one is b; it gives way to a if it is greater, and not if they cannot be compared.
    Min: "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "fcomi st, st(1)", "fcmovnbe st, st(1)",
        "fstp tbyte ptr [{out}]", "fstp st(0)";
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

/// A complex number of two long doubles, as its bytes.
#[derive(Clone, Copy)]
pub(super) struct ComplexLongDouble([u8; 32]);

impl Value<32> for ComplexLongDouble {
    fn read(bytes: [u8; 32]) -> ComplexLongDouble {
        ComplexLongDouble(bytes)
    }

    fn write(self) -> [u8; 32] {
        self.0
    }
}

macro_rules! complex_operators {
    ($($name:ident: $($line:literal),+;)+) => {$(
        impl Combine<ComplexLongDouble> for $name {
            #[inline(always)]
            fn combine(
                ComplexLongDouble(a): ComplexLongDouble,
                ComplexLongDouble(b): ComplexLongDouble,
            ) -> ComplexLongDouble {
                let mut out = b;
                // SAFETY: as above, with two numbers 16 bytes apart in each of the 32 bytes.
                unsafe { x87!($($line),+; in a = a, b = b; out out) };
                ComplexLongDouble(out)
            }
        }
    )+};
}

complex_operators! {
    Sum:
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "faddp st(1), st", "fstp tbyte ptr [{out}]",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b} + 16]", "faddp st(1), st",
        "fstp tbyte ptr [{out} + 16]";
    Prod:
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "fmulp st(1), st",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b} + 16]", "fmulp st(1), st",
        // The lower of the stack less the upper.
        "fsubp st(1), st",
        "fld tbyte ptr [{a}]", "fld tbyte ptr [{b} + 16]", "fmulp st(1), st",
        "fld tbyte ptr [{a} + 16]", "fld tbyte ptr [{b}]", "fmulp st(1), st",
        "faddp st(1), st",
        "fstp tbyte ptr [{out} + 16]", "fstp tbyte ptr [{out}]";
}
