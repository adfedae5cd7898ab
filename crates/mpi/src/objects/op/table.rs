//! Which loop goes with which operator and element (MPI 5.0, section 6.9.2, *Predefined Reduction Operations*).
//! Rules: a pair that the standard does not define is refused, but for two that all libraries allow: logical
//! operators on floating-point numbers and on integers of Fortran.

use super::complex::Complex;
use super::half::Half;
#[cfg(target_arch = "x86_64")]
use super::long_double::{self, LongDouble};
use super::pairs::{Greatest, Least, Wins, locate};
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
use super::quad::{ComplexQuad, Quad};
use super::value::{
    Band, Bor, Bxor, Combine, Land, Lor, Lxor, Max, Min, Prod, Sum, Value, combine,
};
use super::{Builtin, Element, Kernel, OpError};

/// The loop of a predefined operator over elements of one type.
///
/// # Errors
///
/// If the operator is not defined for the type, or this library has no arithmetic for it.
pub fn kernel(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    match operator {
        Builtin::Replace => return Ok(|input, inout| inout.copy_from_slice(input)),
        Builtin::NoOp => return Ok(|_, _| {}),
        _ => {}
    }
    let found = match element {
        Element::I8 => integers::<i8, 1>(operator),
        Element::I16 => integers::<i16, 2>(operator),
        Element::I32 => integers::<i32, 4>(operator),
        Element::I64 => integers::<i64, 8>(operator),
        Element::I128 => integers::<i128, 16>(operator),
        Element::U8 => integers::<u8, 1>(operator),
        Element::U16 => integers::<u16, 2>(operator),
        Element::U32 => integers::<u32, 4>(operator),
        Element::U64 => integers::<u64, 8>(operator),
        Element::Byte => bits::<u8, 1>(operator),
        Element::F16 => floats::<Half, 2>(operator),
        Element::F32 => floats::<f32, 4>(operator),
        Element::F64 => floats::<f64, 8>(operator),
        Element::Complex16 => sums::<Complex<Half>, 4>(operator),
        Element::Complex32 => sums::<Complex<f32>, 8>(operator),
        Element::Complex64 => sums::<Complex<f64>, 16>(operator),
        Element::Logical8 => truths::<u8, 1>(operator),
        Element::Logical16 => truths::<u16, 2>(operator),
        Element::Logical32 => truths::<u32, 4>(operator),
        Element::Logical64 => truths::<u64, 8>(operator),
        Element::Logical128 => truths::<i128, 16>(operator),
        Element::FloatInt => pairs::<f32, i32, 4, 4, 4, 8>(operator),
        Element::DoubleInt => pairs::<f64, i32, 8, 4, 8, 16>(operator),
        Element::LongInt => pairs::<i64, i32, 8, 4, 8, 16>(operator),
        Element::TwoInt => pairs::<i32, i32, 4, 4, 4, 8>(operator),
        Element::ShortInt => pairs::<i16, i32, 2, 4, 4, 8>(operator),
        Element::TwoReal => pairs::<f32, f32, 4, 4, 4, 8>(operator),
        Element::TwoDouble => pairs::<f64, f64, 8, 8, 8, 16>(operator),
        Element::LongDouble | Element::ComplexLongDouble | Element::LongDoubleInt => {
            return long_doubles(operator, element);
        }
        Element::F128 | Element::Complex128 => return quads(operator, element),
    };
    found.ok_or_else(|| refusal(operator, element, false))
}

/// The same for elements without padding, one after the other, as they lie in a message.
///
/// # Errors
///
/// As [`kernel`].
pub fn packed_kernel(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    let found = match element {
        Element::DoubleInt => pairs::<f64, i32, 8, 4, 8, 12>(operator),
        Element::LongInt => pairs::<i64, i32, 8, 4, 8, 12>(operator),
        Element::ShortInt => pairs::<i16, i32, 2, 4, 2, 6>(operator),
        #[cfg(target_arch = "x86_64")]
        Element::LongDoubleInt => pairs::<LongDouble, i32, 16, 4, 16, 20>(operator),
        // These have no padding, or no loop but those for all elements.
        _ => None,
    };
    found.map_or_else(|| kernel(operator, element), Ok)
}

/// Why there is no loop: the standard has none, or only this library.
fn refusal(operator: Builtin, element: Element, defined: bool) -> OpError {
    let (operator, element) = (operator.name(), element.name());
    if defined {
        OpError::Unsupported { operator, element }
    } else {
        OpError::Undefined { operator, element }
    }
}

#[cfg_attr(all(target_arch = "x86_64", target_env = "gnu"), allow(dead_code))]
fn has_sums(operator: Builtin) -> bool {
    matches!(operator, Builtin::Sum | Builtin::Prod)
}

#[cfg_attr(all(target_arch = "x86_64", target_env = "gnu"), allow(dead_code))]
fn has_order(operator: Builtin) -> bool {
    has_sums(operator) || matches!(operator, Builtin::Min | Builtin::Max)
}

#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
fn quads(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    let found = match element {
        Element::F128 => floats::<Quad, 16>(operator),
        _ => sums::<ComplexQuad, 32>(operator),
    };
    found.ok_or_else(|| refusal(operator, element, false))
}

#[cfg(not(all(target_arch = "x86_64", target_env = "gnu")))]
fn quads(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    let defined = match element {
        Element::F128 => has_order(operator),
        _ => has_sums(operator),
    };
    Err(refusal(operator, element, defined))
}

#[cfg(target_arch = "x86_64")]
fn long_doubles(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    let found = match element {
        Element::LongDouble => {
            long_double::arithmetic(operator).or_else(|| truths::<LongDouble, 16>(operator))
        }
        Element::ComplexLongDouble => long_double::complex_arithmetic(operator),
        _ => pairs::<LongDouble, i32, 16, 4, 16, 32>(operator),
    };
    found.ok_or_else(|| refusal(operator, element, false))
}

#[cfg(not(target_arch = "x86_64"))]
fn long_doubles(operator: Builtin, element: Element) -> Result<Kernel, OpError> {
    let defined = match element {
        Element::LongDouble => has_order(operator),
        Element::ComplexLongDouble => has_sums(operator),
        _ => matches!(operator, Builtin::Minloc | Builtin::Maxloc),
    };
    Err(refusal(operator, element, defined))
}

fn integers<T: Value<N>, const N: usize>(operator: Builtin) -> Option<Kernel>
where
    Sum: Combine<T>,
    Prod: Combine<T>,
    Min: Combine<T>,
    Max: Combine<T>,
    Land: Combine<T>,
    Lor: Combine<T>,
    Lxor: Combine<T>,
    Band: Combine<T>,
    Bor: Combine<T>,
    Bxor: Combine<T>,
{
    floats::<T, N>(operator).or_else(|| bits::<T, N>(operator))
}

fn floats<T: Value<N>, const N: usize>(operator: Builtin) -> Option<Kernel>
where
    Sum: Combine<T>,
    Prod: Combine<T>,
    Min: Combine<T>,
    Max: Combine<T>,
    Land: Combine<T>,
    Lor: Combine<T>,
    Lxor: Combine<T>,
{
    match operator {
        Builtin::Min => Some(combine::<Min, T, N>),
        Builtin::Max => Some(combine::<Max, T, N>),
        _ => sums::<T, N>(operator).or_else(|| truths::<T, N>(operator)),
    }
}

fn sums<T: Value<N>, const N: usize>(operator: Builtin) -> Option<Kernel>
where
    Sum: Combine<T>,
    Prod: Combine<T>,
{
    match operator {
        Builtin::Sum => Some(combine::<Sum, T, N>),
        Builtin::Prod => Some(combine::<Prod, T, N>),
        _ => None,
    }
}

fn bits<T: Value<N>, const N: usize>(operator: Builtin) -> Option<Kernel>
where
    Band: Combine<T>,
    Bor: Combine<T>,
    Bxor: Combine<T>,
{
    match operator {
        Builtin::Band => Some(combine::<Band, T, N>),
        Builtin::Bor => Some(combine::<Bor, T, N>),
        Builtin::Bxor => Some(combine::<Bxor, T, N>),
        _ => None,
    }
}

fn truths<T: Value<N>, const N: usize>(operator: Builtin) -> Option<Kernel>
where
    Land: Combine<T>,
    Lor: Combine<T>,
    Lxor: Combine<T>,
{
    match operator {
        Builtin::Land => Some(combine::<Land, T, N>),
        Builtin::Lor => Some(combine::<Lor, T, N>),
        Builtin::Lxor => Some(combine::<Lxor, T, N>),
        _ => None,
    }
}

fn pairs<
    T: Value<V> + PartialOrd,
    X: Value<I> + PartialOrd,
    const V: usize,
    const I: usize,
    const AT: usize,
    const N: usize,
>(
    operator: Builtin,
) -> Option<Kernel> {
    fn of<
        W: Wins,
        T: Value<V> + PartialOrd,
        X: Value<I> + PartialOrd,
        const V: usize,
        const I: usize,
        const AT: usize,
        const N: usize,
    >() -> Kernel {
        locate::<W, T, X, V, I, AT, N>
    }
    match operator {
        Builtin::Minloc => Some(of::<Least, T, X, V, I, AT, N>()),
        Builtin::Maxloc => Some(of::<Greatest, T, X, V, I, AT, N>()),
        _ => None,
    }
}
