//! Constants as Rust items and, from the same lines, as tables that a program can walk.
//! The header, the Fortran include file and the tests read these tables.
//! Rules: a constant is written once; a table holds its values as C sees them.

/// One constant of the binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The standard's name, such as `MPI_SUM`.
    pub name: &'static str,
    /// The value, a handle's or an address's as an integer.
    pub value: isize,
}

/// How the header spells the constants of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Constants of an enumeration without a name.
    Enum,
    /// Macros with a plain number, which the preprocessor can compare.
    Number,
    /// Macros with a number that is cast to a C type.
    Cast(&'static str),
    /// Constants of an enumeration that is a type of this name.
    Named(&'static str),
}

/// Constants that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// What they are, for the header's comment.
    pub title: &'static str,
    /// How the header spells them.
    pub form: Form,
    /// The constants, in ascending order where the standard has no other.
    pub constants: &'static [Constant],
}

/// Defines integer constants and the table of them.
macro_rules! integers {
    ($(#[doc = $title:literal])+ $table:ident: $type:ty, $form:expr; $($(#[$meta:meta])* $name:ident = $value:expr),+ $(,)?) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            $(#[$meta])*
            pub const $name: $type = $value;
        )+
        $(#[doc = $title])+
        pub const $table: crate::abi::Table = crate::abi::Table {
            title: concat!($($title),+),
            form: $form,
            constants: &[$(crate::abi::Constant { name: stringify!($name), value: $name as isize }),+],
        };
    };
}

/// Defines constants of a newtype over `usize`, a handle or an address, and the table of them.
macro_rules! opaques {
    ($(#[doc = $title:literal])+ $table:ident: $type:ident, $c_type:literal; $($(#[$meta:meta])* $name:ident = $value:expr),+ $(,)?) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            $(#[$meta])*
            pub const $name: $type = $type($value);
        )+
        $(#[doc = $title])+
        pub const $table: crate::abi::Table = crate::abi::Table {
            title: concat!($($title),+),
            form: crate::abi::Form::Cast($c_type),
            constants: &[$(crate::abi::Constant { name: stringify!($name), value: $name.0 as isize }),+],
        };
    };
}

pub(super) use {integers, opaques};
