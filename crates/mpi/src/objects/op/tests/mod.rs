//! Operators against scalar code on values of Rust, on buffers of any alignment.
//! Rules: which operators are defined for which types is compared with the tables of MPI 5.0, section 6.9.2.
//! The comparison is shown to reject another operator, another sign, and operands in the wrong order.

use proptest::prelude::*;

use super::half::Half;
use super::value::Value;
use super::*;

#[cfg(target_arch = "x86_64")]
mod long_double;
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
mod quad;
mod undefined;

/// What the loop makes of two lists of values, in buffers that begin at an odd address.
fn applied<T: Value<N>, const N: usize>(
    operator: Builtin,
    element: Element,
    a: &[T],
    b: &[T],
) -> Vec<[u8; N]> {
    assert_eq!(element.extent(), N);
    let bytes = |values: &[T]| {
        let mut bytes = vec![0; 1 + values.len() * N];
        for (place, value) in bytes[1..].as_chunks_mut::<N>().0.iter_mut().zip(values) {
            *place = value.write();
        }
        bytes
    };
    let (input, mut inout) = (bytes(a), bytes(b));
    kernel(operator, element).unwrap()(&input[1..], &mut inout[1..]);
    inout[1..].as_chunks::<N>().0.to_vec()
}

/// Whether the loop makes of each pair of values what `expected` does.
fn agrees<T: Value<N>, const N: usize>(
    operator: Builtin,
    element: Element,
    (a, b): (&[T], &[T]),
    expected: impl Fn(T, T) -> T,
) -> bool {
    let expected = a.iter().zip(b).map(|(a, b)| expected(*a, *b).write());
    applied(operator, element, a, b).into_iter().eq(expected)
}

/// Pairs of values, some of which are alike or zero.
fn pairs<T: Arbitrary + Copy + Default>() -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    let value = || prop_oneof![4 => any::<T>(), 1 => Just(T::default())];
    let pair = prop_oneof![4 => (value(), value()), 1 => value().prop_map(|one| (one, one))];
    prop::collection::vec(pair, 0..70).prop_map(|pairs| pairs.into_iter().unzip())
}

macro_rules! integer_tests {
    ($($test:ident $element:ident $type:ident;)+) => {
        proptest! {$(
            #[test]
            fn $test((a, b) in pairs::<$type>()) {
                let lists = (&a[..], &b[..]);
                let of = |operator, expected: fn($type, $type) -> $type| {
                    agrees(operator, Element::$element, lists, expected)
                };
                prop_assert!(of(Builtin::Sum, |a, b| a.overflowing_add(b).0));
                prop_assert!(of(Builtin::Prod, |a, b| a.overflowing_mul(b).0));
                prop_assert!(of(Builtin::Min, |a, b| *[a, b].iter().min().unwrap()));
                prop_assert!(of(Builtin::Max, |a, b| *[a, b].iter().max().unwrap()));
                prop_assert!(of(Builtin::Land, |a, b| $type::from(a != 0 && b != 0)));
                prop_assert!(of(Builtin::Lor, |a, b| $type::from(a != 0 || b != 0)));
                prop_assert!(of(Builtin::Lxor, |a, b| $type::from((a == 0) != (b == 0))));
                prop_assert!(of(Builtin::Band, |a, b| !(!a | !b)));
                prop_assert!(of(Builtin::Bor, |a, b| !(!a & !b)));
                prop_assert!(of(Builtin::Bxor, |a, b| (a | b) & !(a & b)));
                prop_assert!(of(Builtin::Replace, |a, _| a));
                prop_assert!(of(Builtin::NoOp, |_, b| b));
            }
        )+}
    };
}

integer_tests! {
    signed_8 I8 i8;
    signed_16 I16 i16;
    signed_32 I32 i32;
    signed_64 I64 i64;
    signed_128 I128 i128;
    unsigned_8 U8 u8;
    unsigned_16 U16 u16;
    unsigned_32 U32 u32;
    unsigned_64 U64 u64;
}

macro_rules! float_tests {
    ($($test:ident $element:ident $complex:ident $type:ident $bytes:literal;)+) => {
        proptest! {$(
            #[test]
            fn $test((a, b) in pairs::<$type>(), (c, d) in pairs::<$type>()) {
                let of = |operator, expected: fn($type, $type) -> $type| {
                    agrees(operator, Element::$element, (&a, &b), expected)
                };
                prop_assert!(of(Builtin::Sum, |a, b| a + b));
                prop_assert!(of(Builtin::Prod, |a, b| a * b));
                let least = |a, b| if a < b { a } else { b };
                prop_assert!(of(Builtin::Min, least));
                let greatest = |a, b| if b < a { a } else { b };
                prop_assert!(of(Builtin::Max, greatest));
                prop_assert!(of(Builtin::Land, |a, b| $type::from(u8::from(a != 0.0 && b != 0.0))));
                prop_assert!(of(Builtin::Lor, |a, b| $type::from(u8::from(a != 0.0 || b != 0.0))));
                prop_assert!(of(Builtin::Lxor, |a, b| $type::from(u8::from((a == 0.0) != (b == 0.0)))));

                let pair = |of: (&$type, &$type)| Pair(*of.0, *of.1);
                let (a, b): (Vec<_>, Vec<_>) =
                    (a.iter().zip(&c).map(pair).collect(), b.iter().zip(&d).map(pair).collect());
                let of = |operator, expected: fn(Pair<$type>, Pair<$type>) -> Pair<$type>| {
                    agrees::<_, $bytes>(operator, Element::$complex, (&a, &b), expected)
                };
                prop_assert!(of(Builtin::Sum, |a, b| Pair(a.0 + b.0, a.1 + b.1)));
                prop_assert!(of(Builtin::Prod, |a, b| Pair(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)));
            }
        )+}
    };
}

float_tests! {
    single F32 Complex32 f32 8;
    double F64 Complex64 f64 16;
}

/// A complex number, written otherwise than in the code.
#[derive(Clone, Copy)]
struct Pair<T>(T, T);

macro_rules! pair_values {
    ($($type:ident $half:literal $bytes:literal;)+) => {$(
        impl Value<$bytes> for Pair<$type> {
            fn read(bytes: [u8; $bytes]) -> Self {
                let part = |at: usize| $type::from_ne_bytes(bytes[at..at + $half].try_into().unwrap());
                Pair(part(0), part($half))
            }

            fn write(self) -> [u8; $bytes] {
                [self.0.to_ne_bytes(), self.1.to_ne_bytes()].concat().try_into().unwrap()
            }
        }
    )+};
}

pair_values! { f32 4 8; f64 8 16; i32 4 8; }

/// A value and an index as C lays them out, with their padding.
macro_rules! located {
    ($($test:ident $element:ident $name:ident $value:ident $index:ident $bytes:literal;)+) => {$(
        #[repr(C)]
        #[derive(Clone, Copy, Default)]
        struct $name {
            value: $value,
            index: $index,
        }

        impl Value<$bytes> for $name {
            fn read(_: [u8; $bytes]) -> Self {
                unreachable!("the tests only write")
            }

            fn write(self) -> [u8; $bytes] {
                let mut bytes = [0; $bytes];
                bytes[..size_of::<$value>()].copy_from_slice(&self.value.to_ne_bytes());
                let at = std::mem::offset_of!($name, index);
                bytes[at..at + size_of::<$index>()].copy_from_slice(&self.index.to_ne_bytes());
                bytes
            }
        }

        #[test]
        fn $test() {
            assert_eq!(size_of::<$name>(), $bytes);
            // All pairs of few values and few indices.
            let all = || (0..3_i8).flat_map(|value| (0..3_i8).map(move |index| (value, index)));
            let of = |(value, index)| $name { value: $value::from(value), index: $index::from(index) };
            let (a, b): (Vec<_>, Vec<_>) =
                all().flat_map(|a| all().map(move |b| (of(a), of(b)))).unzip();
            let least = |a: $name, b: $name| {
                let tie = if a.index < b.index { a } else { b };
                if a.value == b.value { tie } else if a.value < b.value { a } else { b }
            };
            let greatest = |a: $name, b: $name| {
                let tie = if a.index < b.index { a } else { b };
                if a.value == b.value { tie } else if a.value > b.value { a } else { b }
            };
            assert!(agrees(Builtin::Minloc, Element::$element, (&a, &b), least));
            assert!(agrees(Builtin::Maxloc, Element::$element, (&a, &b), greatest));
            assert!(!agrees(Builtin::Maxloc, Element::$element, (&a, &b), least));
        }
    )+};
}

located! {
    float_int FloatInt FloatInt f32 i32 8;
    double_int DoubleInt DoubleInt f64 i32 16;
    long_int LongInt LongInt i64 i32 16;
    two_int TwoInt TwoInt i32 i32 8;
    short_int ShortInt ShortInt i16 i32 8;
    two_real TwoReal TwoReal f32 f32 8;
    two_double TwoDouble TwoDouble f64 f64 16;
}

#[test]
fn the_comparison_rejects_wrong_loops() {
    let (a, b) = ([-3_i32, 5, 0], [2_i32, -7, 4]);
    let lists = (&a[..], &b[..]);
    assert!(agrees(Builtin::Max, Element::I32, lists, i32::max));
    // Another operator, another sign, another order of the operands.
    assert!(!agrees(Builtin::Min, Element::I32, lists, i32::max));
    assert!(!agrees(Builtin::Max, Element::U32, lists, i32::max));
    assert!(!agrees(Builtin::Replace, Element::I32, lists, |_, b| b));
}

#[test]
fn truth_values_of_all_sizes_are_one_or_zero() {
    let (a, b) = ([0_u8, 0, 1, 2, 255], [0_u8, 3, 0, 1, 255]);
    let (land, lor, lxor) = ([0, 0, 0, 1, 1], [0, 1, 1, 1, 1], [0, 1, 1, 0, 0]);
    macro_rules! check {
        ($($element:ident $type:ident)+) => {$(
            let (a, b) = (a.map($type::from), b.map($type::from));
            for (operator, expected) in [(Builtin::Land, land), (Builtin::Lor, lor), (Builtin::Lxor, lxor)] {
                let expected = expected.map(|truth| $type::from(truth as u8).write());
                assert_eq!(applied(operator, Element::$element, &a, &b), expected);
            }
        )+};
    }
    check!(Logical8 u8 Logical16 u16 Logical32 u32 Logical64 u64 Logical128 u128);
}

/// A number of 16 bits by its definition.
fn defined(Half(bits): Half) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[test]
fn each_half_is_converted_there_and_back() {
    for bits in 0..=u16::MAX {
        let (single, expected) = (f32::from(Half(bits)), defined(Half(bits)));
        assert!(
            f64::from(single) == expected || (single.is_nan() && expected.is_nan()),
            "{bits:#x}"
        );
        if !single.is_nan() {
            assert_eq!(Half::from(single), Half(bits));
        }
    }
    assert!(f32::from(Half::from(f32::NAN)).is_nan());
}

/// Whether no number of 16 bits is nearer to a value, and of two that are as near the even one was taken.
fn is_nearest(value: f32, Half(bits): Half) -> bool {
    // What comes after the largest counts as two to the power of 16.
    let reached = |bits: u16| match defined(Half(bits & 0x7fff)) {
        f64::INFINITY => 65_536.0,
        magnitude => magnitude,
    };
    let distance = |bits: u16| (f64::from(value.abs()) - reached(bits)).abs();
    let magnitude = bits & 0x7fff;
    let around = [magnitude.saturating_sub(1), (magnitude + 1).min(0x7c00)];
    around.into_iter().filter(|other| *other != magnitude).all(|other| {
        let (here, there) = (distance(magnitude), distance(other));
        here < there || (here == there && magnitude & 1 == 0)
    })
}

proptest! {
    #[test]
    fn halves_are_rounded_to_the_nearest(bits: u32, half: u16, step in -2_i32..=2) {
        // Any value, and values around the middle of two neighbours.
        let middle = (f32::from(Half(half & 0x7bff)) + f32::from(Half((half & 0x7bff) + 1))) / 2.0;
        let near = f32::from_bits(middle.to_bits().wrapping_add_signed(step) & 0x7fff_ffff);
        for value in [f32::from_bits(bits), near] {
            if value.is_finite() && value.abs() < 65_536.0 {
                prop_assert!(is_nearest(value, Half::from(value)), "{}", value);
                let Half(rounded) = Half::from(value);
                prop_assert!(!is_nearest(value, Half(rounded.wrapping_add(2))) || rounded & 0x7fff >= 0x7bfe);
            } else if !value.is_nan() {
                prop_assert_eq!(Half::from(value).0 & 0x7fff, 0x7c00);
            }
        }
    }

    #[test]
    fn halves_are_computed_and_rounded_once(a: u16, b: u16) {
        let (x, y) = (defined(Half(a)), defined(Half(b)));
        // Sums and products of such numbers are exact in 64 bits, so that only the rounding is compared.
        for (operator, exact) in [(Builtin::Sum, x + y), (Builtin::Prod, x * y)] {
            let result = Half::read(applied(operator, Element::F16, &[Half(a)], &[Half(b)])[0]);
            if exact.is_nan() {
                prop_assert!(defined(result).is_nan());
            } else if exact.abs() >= 65_520.0 {
                prop_assert_eq!(defined(result), f64::INFINITY.copysign(exact));
            } else if exact.abs() < 65_504.0 {
                let Half(bits) = result;
                let spacing = defined(Half((bits & 0x7fff) + 1)) - defined(Half(bits & 0x7fff));
                prop_assert!((defined(result) - exact).abs() <= spacing / 2.0);
            }
        }
        let greatest = if x > y { a } else { b };
        prop_assert_eq!(applied(Builtin::Max, Element::F16, &[Half(a)], &[Half(b)]), [greatest.to_ne_bytes()]);
    }
}

#[test]
fn complex_halves_are_multiplied() {
    // (1 + 2i)(3 - i) = 5 + 5i
    let half = |value: f32| Half::from(value).write();
    let (input, mut inout) = ([half(1.0), half(2.0)].concat(), [half(3.0), half(-1.0)].concat());
    kernel(Builtin::Prod, Element::Complex16).unwrap()(&input, &mut inout);
    assert_eq!(inout, [half(5.0), half(5.0)].concat());
}

#[test]
fn packed_pairs_are_pairs_without_their_padding() {
    // Of each element the bytes of the value, and where the index begins; all pairs of few values and indices.
    let pairs = [
        (Element::DoubleInt, 8, 8),
        (Element::LongInt, 8, 8),
        (Element::ShortInt, 2, 4),
        (Element::TwoInt, 4, 4),
        #[cfg(target_arch = "x86_64")]
        (Element::LongDoubleInt, 16, 16),
    ];
    for (element, value_bytes, at) in pairs {
        let list = |number: fn(usize) -> usize| {
            let mut bytes = vec![0; 81 * element.extent()];
            for (which, pair) in bytes.chunks_exact_mut(element.extent()).enumerate() {
                pair[0] = (number(which) % 3) as u8;
                pair[at] = (number(which) / 3) as u8;
            }
            bytes
        };
        let packed = |bytes: &[u8]| {
            let pairs = bytes.chunks_exact(element.extent());
            pairs
                .flat_map(|pair| [&pair[..value_bytes], &pair[at..at + 4]].concat())
                .collect::<Vec<u8>>()
        };
        let (input, inout) = (list(|which| which % 9), list(|which| which / 9));
        let whole = |operator| {
            let mut result = inout.clone();
            kernel(operator, element).unwrap()(&input, &mut result);
            packed(&result)
        };
        for operator in [Builtin::Minloc, Builtin::Maxloc] {
            let mut result = packed(&inout);
            packed_kernel(operator, element).unwrap()(&packed(&input), &mut result);
            assert_eq!(result, whole(operator), "{element:?}");
        }
        assert_ne!(whole(Builtin::Minloc), whole(Builtin::Maxloc));
        assert!(packed_kernel(Builtin::Sum, element).is_err());
    }
}
