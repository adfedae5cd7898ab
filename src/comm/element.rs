//! What a message is made of.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::message::Envelope;
use crate::sys::copy::{append_elements, copy_bytes};

/// Plain data that may travel in messages: integers, floats, arrays of them, and structs that
/// derive zerocopy's `FromBytes`, `IntoBytes` and `Immutable` ([`crate::zerocopy`]).
///
/// It is implemented for every type that qualifies. `bool` and `char` do not, since not all bytes
/// are one of theirs: send an integer. Types without a size are refused when the program is
/// compiled. Bytes travel in the machine's own order: all ranks of a job run on machines of one
/// kind.
///
/// ```
/// use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
/// #[zerocopy(crate = "runahead::zerocopy")] // unless your crate depends on zerocopy itself
/// #[repr(C)]
/// struct Particle { position: [f64; 3], charge: f64 }
///
/// fn travels<T: runahead::Element>() {}
/// travels::<Particle>();
/// ```
///
/// ```compile_fail,E0080
/// runahead::launch(1, |world| world.send(0, 0, &[()])).unwrap(); // a message of how many?
/// ```
pub trait Element: FromBytes + IntoBytes + Immutable + Copy + Send + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Send + 'static> Element for T {}

/// Refuses, when the program is compiled, elements that have no size: their number would be lost.
pub(crate) const fn check_sized<T>() {
    const { assert!(size_of::<T>() > 0, "elements of no size cannot be counted in a message") }
}

/// The size of an element as a header states it: 0, "not stated", where it does not fit a byte, or
/// would ask for a confirmation.
pub(crate) const fn stated_size<T>() -> u8 {
    check_sized::<T>();
    if size_of::<T>() < Envelope::CONFIRMED as usize { size_of::<T>() as u8 } else { 0 }
}

/// Copies elements into as many, as `copy_from_slice` does.
///
/// # Panics
///
/// If they are not as many.
#[inline]
pub(crate) fn copy<T: Element>(from: &[T], to: &mut [T]) {
    copy_bytes(from.as_bytes(), to.as_mut_bytes());
}

/// The elements in `bytes`, copied.
pub(crate) fn elements<T: Element>(bytes: &[u8]) -> Vec<T> {
    let mut data = Vec::new();
    copy_elements(bytes, &mut data);
    data
}

/// As [`elements`], into memory that may be used again.
pub(crate) fn copy_elements<T: Element>(bytes: &[u8], data: &mut Vec<T>) {
    data.clear();
    append_elements(bytes, data);
}
