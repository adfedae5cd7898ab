//! The elements on which predefined operators work: what a predefined datatype is, in memory.
//! Rules: types of several languages with one representation are one element (MPI 5.0, section 6.9.2). A plain char
//! of C counts as an integer, which the standard leaves out and every library allows.

use crate::abi::*;

/// Declares the elements: a name, the bytes from one to the next, and the datatypes that are such.
macro_rules! elements {
    ($($(#[$meta:meta])* $name:ident $extent:literal $text:literal: $($datatype:ident)+;)+) => {
        /// What one element of a buffer is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Element {$($(#[$meta])* $name),+}

        impl Element {
            /// All of them.
            pub const ALL: &[Element] = &[$(Element::$name),+];

            /// The element of a predefined datatype, if operators are defined on it.
            pub fn of(datatype: MPI_Datatype) -> Option<Element> {
                // A chain of comparisons that the compiler makes a table of.
                match datatype {
                    $($($datatype)|+ => Some(Element::$name),)+
                    _ => None,
                }
            }

            /// The bytes from one element to the next, with their padding.
            pub const fn extent(self) -> usize {
                match self {
                    $(Element::$name => $extent),+
                }
            }

            /// What it is, for messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Element::$name => $text),+
                }
            }
        }
    };
}

elements! {
    /// A signed integer.
    I8 1 "a signed integer": MPI_INT8_T MPI_SIGNED_CHAR MPI_CHAR MPI_INTEGER1;
    /// A signed integer.
    I16 2 "a signed integer": MPI_INT16_T MPI_SHORT MPI_INTEGER2;
    /// A signed integer.
    I32 4 "a signed integer": MPI_INT32_T MPI_INT MPI_INTEGER MPI_INTEGER4;
    /// A signed integer.
    I64 8 "a signed integer":
        MPI_INT64_T MPI_LONG MPI_LONG_LONG MPI_INTEGER8 MPI_AINT MPI_OFFSET MPI_COUNT;
    /// A signed integer.
    I128 16 "a signed integer": MPI_INTEGER16;
    /// An unsigned integer.
    U8 1 "an unsigned integer": MPI_UINT8_T MPI_UNSIGNED_CHAR;
    /// An unsigned integer.
    U16 2 "an unsigned integer": MPI_UINT16_T MPI_UNSIGNED_SHORT;
    /// An unsigned integer.
    U32 4 "an unsigned integer": MPI_UINT32_T MPI_UNSIGNED;
    /// An unsigned integer.
    U64 8 "an unsigned integer": MPI_UINT64_T MPI_UNSIGNED_LONG MPI_UNSIGNED_LONG_LONG;
    /// Eight bits.
    Byte 1 "a byte": MPI_BYTE;
    /// A floating-point number of 16 bits.
    F16 2 "a floating-point number of 16 bits": MPI_REAL2;
    /// A floating-point number.
    F32 4 "a floating-point number": MPI_FLOAT MPI_REAL MPI_REAL4;
    /// A floating-point number.
    F64 8 "a floating-point number": MPI_DOUBLE MPI_DOUBLE_PRECISION MPI_REAL8;
    /// The long double of C.
    LongDouble 16 "a long double": MPI_LONG_DOUBLE;
    /// A floating-point number of 128 bits.
    F128 16 "a floating-point number of 128 bits": MPI_REAL16;
    /// A complex number.
    Complex16 4 "a complex number of two times 16 bits": MPI_COMPLEX4;
    /// A complex number.
    Complex32 8 "a complex number":
        MPI_C_FLOAT_COMPLEX MPI_CXX_FLOAT_COMPLEX MPI_COMPLEX MPI_COMPLEX8;
    /// A complex number.
    Complex64 16 "a complex number":
        MPI_C_DOUBLE_COMPLEX MPI_CXX_DOUBLE_COMPLEX MPI_DOUBLE_COMPLEX MPI_COMPLEX16;
    /// A complex number of two long doubles.
    ComplexLongDouble 32 "a complex number of long doubles":
        MPI_C_LONG_DOUBLE_COMPLEX MPI_CXX_LONG_DOUBLE_COMPLEX;
    /// A complex number of 256 bits.
    Complex128 32 "a complex number of two times 128 bits": MPI_COMPLEX32;
    /// A truth value.
    Logical8 1 "a truth value": MPI_C_BOOL MPI_CXX_BOOL MPI_LOGICAL1;
    /// A truth value.
    Logical16 2 "a truth value": MPI_LOGICAL2;
    /// A truth value.
    Logical32 4 "a truth value": MPI_LOGICAL MPI_LOGICAL4;
    /// A truth value.
    Logical64 8 "a truth value": MPI_LOGICAL8;
    /// A truth value.
    Logical128 16 "a truth value": MPI_LOGICAL16;
    /// A value and an index.
    FloatInt 8 "a value and an index": MPI_FLOAT_INT;
    /// A value and an index.
    DoubleInt 16 "a value and an index": MPI_DOUBLE_INT;
    /// A value and an index.
    LongInt 16 "a value and an index": MPI_LONG_INT;
    /// A value and an index.
    TwoInt 8 "a value and an index": MPI_2INT MPI_2INTEGER;
    /// A value and an index.
    ShortInt 8 "a value and an index": MPI_SHORT_INT;
    /// A value and an index.
    LongDoubleInt 32 "a value and an index": MPI_LONG_DOUBLE_INT;
    /// A value and an index of the same type.
    TwoReal 8 "a value and an index": MPI_2REAL;
    /// A value and an index of the same type.
    TwoDouble 16 "a value and an index": MPI_2DOUBLE_PRECISION;
}
