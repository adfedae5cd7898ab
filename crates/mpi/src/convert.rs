//! Conversions of handles to integers, as Fortran and other languages keep them, and arithmetic of addresses.
//! Source: MPI 5.0, chapter *Application Binary Interface*, section on handle conversion; section 5.1.5 for addresses.
//! Rules: a handle is a small number, so its integer is the same number; a wrong integer gives a wrong handle, which
//! the next call refuses.

#![allow(non_snake_case)]

use crate::abi::*;
use std::ffi::c_int;

/// Defines both conversions of a handle, each under its two names.
macro_rules! conversions {
    ($($handle:ident: fn $to:ident() $p_to:ident, fn $from:ident() $p_from:ident;)+) => {$(
        conversions!(@to $handle $to);
        conversions!(@to $handle $p_to);
        conversions!(@from $handle $from);
        conversions!(@from $handle $p_from);
    )+};
    (@to $handle:ident $name:ident) => {
        #[doc = concat!("The integer of an `", stringify!($handle), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(handle: $handle) -> c_int {
            to_integer(handle.0)
        }
    };
    (@from $handle:ident $name:ident) => {
        #[doc = concat!("The `", stringify!($handle), "` of an integer.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(integer: c_int) -> $handle {
            $handle(from_integer(integer))
        }
    };
}

conversions! {
    MPI_Comm: fn MPI_Comm_toint() PMPI_Comm_toint, fn MPI_Comm_fromint() PMPI_Comm_fromint;
    MPI_Errhandler: fn MPI_Errhandler_toint() PMPI_Errhandler_toint, fn MPI_Errhandler_fromint() PMPI_Errhandler_fromint;
    MPI_File: fn MPI_File_toint() PMPI_File_toint, fn MPI_File_fromint() PMPI_File_fromint;
    MPI_Group: fn MPI_Group_toint() PMPI_Group_toint, fn MPI_Group_fromint() PMPI_Group_fromint;
    MPI_Info: fn MPI_Info_toint() PMPI_Info_toint, fn MPI_Info_fromint() PMPI_Info_fromint;
    MPI_Message: fn MPI_Message_toint() PMPI_Message_toint, fn MPI_Message_fromint() PMPI_Message_fromint;
    MPI_Op: fn MPI_Op_toint() PMPI_Op_toint, fn MPI_Op_fromint() PMPI_Op_fromint;
    MPI_Request: fn MPI_Request_toint() PMPI_Request_toint, fn MPI_Request_fromint() PMPI_Request_fromint;
    MPI_Session: fn MPI_Session_toint() PMPI_Session_toint, fn MPI_Session_fromint() PMPI_Session_fromint;
    MPI_Datatype: fn MPI_Type_toint() PMPI_Type_toint, fn MPI_Type_fromint() PMPI_Type_fromint;
    MPI_Win: fn MPI_Win_toint() PMPI_Win_toint, fn MPI_Win_fromint() PMPI_Win_fromint;
}

/// Defines a function of two addresses under its two names.
macro_rules! arithmetic {
    ($(#[$meta:meta])* fn $name:ident() $p_name:ident: $method:ident) => {
        arithmetic!(@one $(#[$meta])* $name $method);
        arithmetic!(@one $(#[$meta])* $p_name $method);
    };
    (@one $(#[$meta:meta])* $name:ident $method:ident) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(left: MPI_Aint, right: MPI_Aint) -> MPI_Aint {
            left.$method(right)
        }
    };
}

arithmetic! {
    /// The address that lies `right` bytes behind `left`.
    fn MPI_Aint_add() PMPI_Aint_add: wrapping_add
}

arithmetic! {
    /// How many bytes `left` lies behind `right`.
    fn MPI_Aint_diff() PMPI_Aint_diff: wrapping_sub
}

/// The integer of a handle; -1, which no handle has, for a value that the library never gave out.
fn to_integer(handle: usize) -> c_int {
    c_int::try_from(handle).unwrap_or(-1)
}

/// The handle of an integer.
fn from_integer(integer: c_int) -> usize {
    usize::try_from(integer).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_return_what_they_were_given() {
        for value in [0, 1, 0x101, 4095, 4096, i32::MAX as usize] {
            assert_eq!(MPI_Comm_fromint(MPI_Comm_toint(MPI_Comm(value))), MPI_Comm(value));
            assert_eq!(
                PMPI_Type_fromint(PMPI_Type_toint(MPI_Datatype(value))),
                MPI_Datatype(value)
            );
        }
        assert_eq!(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    }

    #[test]
    fn addresses_wrap_around() {
        assert_eq!(MPI_Aint_add(isize::MAX, 1), isize::MIN);
        assert_eq!(PMPI_Aint_diff(isize::MIN, 1), isize::MAX);
        assert_eq!(MPI_Aint_diff(MPI_Aint_add(40, -48), 40), -48);
    }

    #[test]
    fn what_is_no_handle_stays_none() {
        assert_eq!(MPI_Op_toint(MPI_Op(usize::MAX)), -1);
        assert_eq!(MPI_Op_fromint(-1), MPI_Op(usize::MAX));
    }
}
