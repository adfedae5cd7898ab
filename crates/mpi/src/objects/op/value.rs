//! How elements are read from bytes and combined, whatever their type.
//! Rules: chunks of a constant length need no alignment, and a loop over them without calls is vectorised; each
//! operator is a type without a value, so that every loop is compiled for one operator and one type.

/// A number that lies in `N` bytes.
pub(super) trait Value<const N: usize>: Copy {
    /// Reads it.
    fn read(bytes: [u8; N]) -> Self;
    /// Writes it.
    fn write(self) -> [u8; N];
}

macro_rules! plain_values {
    ($($type:ty)+) => {$(
        impl Value<{ size_of::<$type>() }> for $type {
            #[inline(always)]
            fn read(bytes: [u8; size_of::<$type>()]) -> $type {
                <$type>::from_ne_bytes(bytes)
            }

            #[inline(always)]
            fn write(self) -> [u8; size_of::<$type>()] {
                self.to_ne_bytes()
            }
        }
    )+};
}

plain_values! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 }

/// An operator on values of one type. The first operand is that of the lower ranks.
pub(super) trait Combine<T> {
    /// The value of the operator.
    fn combine(a: T, b: T) -> T;
}

/// Declares operators as types.
macro_rules! operators {
    ($($name:ident)+) => {$(
        /// See [`Builtin`](super::Builtin).
        pub(super) struct $name;
    )+};
}

operators! { Sum Prod Min Max Land Lor Lxor Band Bor Bxor }

/// The loop of one operator over values of one type.
pub(super) fn combine<O: Combine<T>, T: Value<N>, const N: usize>(input: &[u8], inout: &mut [u8]) {
    let (input, _) = input.as_chunks::<N>();
    let (inout, _) = inout.as_chunks_mut::<N>();
    for (a, b) in input.iter().zip(inout) {
        *b = O::combine(T::read(*a), T::read(*b)).write();
    }
}
