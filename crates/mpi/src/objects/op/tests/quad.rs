//! Arithmetic of 128 bits against integers that 113 bits of fraction hold exactly.
//! Rules: a fraction has 113 bits, and a NaN compares with nothing.
//! The conversion of the tests is shown to tell numbers apart that 64 bits of fraction cannot.

use super::*;

/// An integer as a number of 128 bits.
fn encoded(number: i128) -> [u8; 16] {
    let magnitude = number.unsigned_abs();
    let sign = u128::from(number < 0) << 127;
    if magnitude == 0 {
        return [0; 16];
    }
    let high = 127 - magnitude.leading_zeros();
    // Without its highest bit, which goes without saying.
    let fraction = (magnitude ^ 1 << high) << (112 - high);
    (sign | u128::from(16_383 + high) << 112 | fraction).to_le_bytes()
}

fn pair(parts: (i128, i128)) -> [u8; 32] {
    [encoded(parts.0), encoded(parts.1)].concat().try_into().unwrap()
}

fn result<const N: usize>(operator: Builtin, element: Element, a: [u8; N], b: [u8; N]) -> [u8; N] {
    let mut inout = b;
    kernel(operator, element).unwrap()(&a, &mut inout);
    inout
}

proptest! {
    #[test]
    fn integers_are_exact(a in -(1_i128 << 110)..1 << 110, b in -(1_i128 << 110)..1 << 110) {
        let of = |operator, a, b| result(operator, Element::F128, encoded(a), encoded(b));
        prop_assert_eq!(of(Builtin::Sum, a, b), encoded(a + b));
        prop_assert_eq!(of(Builtin::Min, a, b), encoded(a.min(b)));
        prop_assert_eq!(of(Builtin::Max, a, b), encoded(a.max(b)));
        prop_assert_eq!(of(Builtin::Land, a, b), encoded(i128::from(a != 0 && b != 0)));
        let (c, d) = (a >> 56, b >> 56);
        prop_assert_eq!(of(Builtin::Prod, c, d), encoded(c * d));
        let of = |operator| result(operator, Element::Complex128, pair((c, d)), pair((d - 3, c + 5)));
        prop_assert_eq!(of(Builtin::Sum), pair((c + d - 3, d + c + 5)));
        let product = (c * (d - 3) - d * (c + 5), c * (c + 5) + d * (d - 3));
        prop_assert_eq!(of(Builtin::Prod), pair(product));
    }
}

#[test]
fn a_fraction_has_113_bits() {
    let large = (1_i128 << 112) + 1;
    assert_ne!(encoded(large), encoded(large - 1));
    let sum = result(Builtin::Sum, Element::F128, encoded(large), encoded(1));
    assert_eq!(sum, encoded(large + 1));
}

#[test]
fn nan_compares_with_nothing() {
    let nan = (0x7_fff8_u128 << 108).to_le_bytes();
    for operator in [Builtin::Min, Builtin::Max] {
        assert_eq!(result(operator, Element::F128, nan, encoded(1)), encoded(1));
        assert_eq!(result(operator, Element::F128, encoded(1), nan), nan);
    }
    let minus_zero = (1_u128 << 127).to_le_bytes();
    assert_eq!(result(Builtin::Lor, Element::F128, minus_zero, encoded(0)), encoded(0));
}
