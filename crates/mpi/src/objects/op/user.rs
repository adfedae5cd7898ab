//! Operators of the program's: a function in C or Fortran, and whether its operands may be exchanged.
//! Rules: a function gets the handle of the datatype that the call was given, and never more elements than its
//! count can hold; it may not unwind (MPI 5.0, section 6.9.5, *User-Defined Reduction Operations*).

use std::ffi::{c_int, c_void};

use crate::abi::{MPI_Count, MPI_Datatype};
use crate::dialect::{self, Object};

/// A function of the program's that combines elements.
#[derive(Clone, Copy, Debug)]
pub enum UserFunction {
    /// One that counts in int, from `MPI_Op_create`.
    Small(unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype)),
    /// One that counts in `MPI_Count`, from `MPI_Op_create_c`.
    Large(unsafe extern "C" fn(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype)),
}

/// An operator of the program's.
#[derive(Clone, Copy, Debug)]
pub struct UserOperator {
    /// What combines elements.
    pub function: UserFunction,
    /// Whether operands may be exchanged.
    pub commutes: bool,
}

impl UserOperator {
    /// Combines `count` elements: `inout[i] = op(in[i], inout[i])`. They lie `extent` bytes apart.
    ///
    /// # Safety
    ///
    /// Both addresses are of `count` elements of the datatype, of which those at `inout` may be written to. No lock
    /// is held that the program's function could need, and nothing is borrowed that it could change.
    pub unsafe fn call(
        &self,
        input: *const u8,
        inout: *mut u8,
        count: MPI_Count,
        datatype: MPI_Datatype,
        extent: isize,
    ) {
        let mut datatype = MPI_Datatype(dialect::handle_in_memory(Object::Datatype, datatype.0));
        match self.function {
            UserFunction::Large(function) => {
                let mut count = count;
                // SAFETY: as the caller promises; the function gets its own copy of count and handle.
                unsafe {
                    function(input.cast_mut().cast(), inout.cast(), &mut count, &mut datatype);
                }
            }
            UserFunction::Small(function) => {
                let mut done = 0;
                while done < count {
                    let mut part = c_int::try_from(count - done).unwrap_or(c_int::MAX);
                    let (step, way) = (MPI_Count::from(part), extent.wrapping_mul(done as isize));
                    let input = input.cast_mut().wrapping_offset(way);
                    let inout = inout.wrapping_offset(way);
                    // SAFETY: as the caller promises: the elements from here on are part of those.
                    unsafe { function(input.cast(), inout.cast(), &mut part, &mut datatype) };
                    done += step;
                }
            }
        }
    }
}
