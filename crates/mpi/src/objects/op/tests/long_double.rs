//! The x87 unit's arithmetic against integers that 64 bits of fraction hold exactly.
//! Rules: a long double has 64 bits of fraction, and its padding stays as it was; NaN compares with nothing.
//! The conversion of the tests is shown to tell numbers apart that a double cannot.

use super::*;

/// An integer as a long double, with padding that is to stay.
fn encoded(number: i128) -> [u8; 16] {
    let mut bytes = [0xa5; 16];
    let magnitude = u64::try_from(number.unsigned_abs()).unwrap();
    let shift = magnitude.leading_zeros();
    let exponent = if magnitude == 0 { 0 } else { 16_383 + 63 - shift as u16 };
    let fraction = magnitude.checked_shl(shift).unwrap_or(0);
    bytes[..8].copy_from_slice(&fraction.to_le_bytes());
    bytes[8..10].copy_from_slice(&(exponent | u16::from(number < 0) << 15).to_le_bytes());
    bytes
}

fn pair(parts: (i128, i128)) -> [u8; 32] {
    [encoded(parts.0), encoded(parts.1)].concat().try_into().unwrap()
}

fn result<const N: usize>(operator: Builtin, element: Element, a: [u8; N], b: [u8; N]) -> [u8; N] {
    assert_eq!(element.extent(), N);
    let mut inout = b;
    kernel(operator, element).unwrap()(&a, &mut inout);
    inout
}

const NAN: [u8; 16] = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x7f, 1, 2, 3, 4, 5, 6];

proptest! {
    #[test]
    fn integers_are_exact(a in -(1_i64 << 62)..1 << 62, b in -(1_i64 << 62)..1 << 62) {
        let (a, b) = (i128::from(a), i128::from(b));
        let of = |operator, a, b| result(operator, Element::LongDouble, encoded(a), encoded(b));
        prop_assert_eq!(of(Builtin::Sum, a, b), encoded(a + b));
        prop_assert_eq!(of(Builtin::Min, a, b), encoded(a.min(b)));
        prop_assert_eq!(of(Builtin::Max, a, b), encoded(a.max(b)));
        prop_assert_eq!(of(Builtin::Land, a, b), encoded(i128::from(a != 0 && b != 0)).map_padding(of(Builtin::Land, a, b)));
        let (c, d) = (a >> 32, b >> 32);
        prop_assert_eq!(of(Builtin::Prod, c, d), encoded(c * d));
        let of = |operator| result(operator, Element::ComplexLongDouble, pair((c, d)), pair((d - 3, c + 5)));
        prop_assert_eq!(of(Builtin::Sum), pair((c + d - 3, d + c + 5)));
        let product = (c * (d - 3) - d * (c + 5), c * (c + 5) + d * (d - 3));
        if product.1.unsigned_abs() <= u64::MAX.into() && product.0.unsigned_abs() <= u64::MAX.into() {
            prop_assert_eq!(of(Builtin::Prod), pair(product));
        }
    }

    #[test]
    fn pairs_are_located(a in -3_i32..3, i in 0_i32..3, b in -3_i32..3, j in 0_i32..3) {
        let pair = |value: i32, index: i32| {
            let mut bytes = [0; 32];
            bytes[..16].copy_from_slice(&encoded(value.into()));
            bytes[16..20].copy_from_slice(&index.to_ne_bytes());
            bytes
        };
        let tie = i.min(j);
        let of = |operator| result(operator, Element::LongDoubleInt, pair(a, i), pair(b, j));
        let least = if a == b { pair(a, tie) } else if a < b { pair(a, i) } else { pair(b, j) };
        prop_assert_eq!(of(Builtin::Minloc), least);
        let greatest = if a == b { pair(a, tie) } else if a > b { pair(a, i) } else { pair(b, j) };
        prop_assert_eq!(of(Builtin::Maxloc), greatest);
    }
}

trait MapPadding {
    fn map_padding(self, of: [u8; 16]) -> [u8; 16];
}

impl MapPadding for [u8; 16] {
    /// The ten bytes of the number with the padding of another.
    fn map_padding(self, of: [u8; 16]) -> [u8; 16] {
        [&self[..10], &of[10..]].concat().try_into().unwrap()
    }
}

#[test]
fn a_fraction_has_64_bits() {
    let (large, one) = ((1_i128 << 63) + 1, 1);
    assert_ne!(encoded(large), encoded(large - 1));
    let sum = result(Builtin::Sum, Element::LongDouble, encoded(large), encoded(one));
    assert_eq!(sum, encoded(large + 1));
    // Without it, the sum in 53 bits would have lost this.
    assert_eq!((large as f64) as i128, 1 << 63);
}

#[test]
fn nan_compares_with_nothing() {
    for operator in [Builtin::Min, Builtin::Max] {
        assert_eq!(result(operator, Element::LongDouble, NAN, encoded(1)), encoded(1));
        assert_eq!(result(operator, Element::LongDouble, encoded(1), NAN), NAN);
    }
    let truth = result(Builtin::Lor, Element::LongDouble, NAN, encoded(0));
    assert_eq!(truth[..10], encoded(1)[..10]);
    let minus_zero = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0];
    let truth = result(Builtin::Lor, Element::LongDouble, minus_zero, encoded(0));
    assert_eq!(truth[..10], encoded(0)[..10]);
}
