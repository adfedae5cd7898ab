//! Floating-point numbers of 16 bits, and their conversion to 32 bits and back.
//! Rules: the conversion back rounds to the nearest, and to the even one between two (IEEE 754); a sum or product
//! of two such numbers, computed in 32 bits and rounded again, is the correctly rounded one, as 24 ≥ 2 · 11 + 2.

use super::value::Value;

/// A floating-point number of 16 bits, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half(pub(super) u16);

impl Value<2> for Half {
    fn read(bytes: [u8; 2]) -> Half {
        Half(u16::from_ne_bytes(bytes))
    }

    fn write(self) -> [u8; 2] {
        self.0.to_ne_bytes()
    }
}

/// 2 to the power of -24: the least positive number of 16 bits.
const LEAST: f32 = 1.0 / 16_777_216.0;

impl From<Half> for f32 {
    fn from(Half(bits): Half) -> f32 {
        let sign = u32::from(bits & 0x8000) << 16;
        let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
        let magnitude = match exponent {
            0 => (fraction as f32 * LEAST).to_bits(),
            0x1f => 0x7f80_0000 | fraction << 13,
            _ => (exponent + 127 - 15) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }
}

impl From<f32> for Half {
    fn from(value: f32) -> Half {
        let sign = (value.to_bits() >> 16 & 0x8000) as u16;
        let bits = value.to_bits() & 0x7fff_ffff;
        let magnitude = if value.is_nan() {
            // Quiet, and with the upper bits of what it carries.
            0x7e00 | (bits >> 13 & 0x3ff) as u16
        } else if bits >= 0x477f_f000 {
            // From 65,520 on, the nearest is infinity.
            0x7c00
        } else if bits < 0x3880_0000 {
            // Below 2 to the power of -14 the numbers are evenly spaced; adding this rounds to one of them.
            let spaced = f32::from_bits(bits) + 0.5;
            (spaced.to_bits() - 0.5_f32.to_bits()) as u16
        } else {
            let odd = bits >> 13 & 1;
            (((bits + 0xfff + odd) >> 13) - ((127 - 15) << 10)) as u16
        };
        Half(sign | magnitude)
    }
}
