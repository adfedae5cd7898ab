//! Datatypes by what Fortran asks of a number: a precision, a range, a size; pairs by their parts.
//! Source: MPI 5.0, sections *Support for Size-Specific MPI Datatypes* and *MINLOC and MAXLOC*.
//! Rules: the same request gives the same handle, which the program does not free.

use super::super::border::Out;
use super::super::export::export;
use super::super::memory::predefined;
use crate::abi::*;
use crate::datatype::TypeClass;
use std::ffi::c_int;

/// A number of digits, unless it is `MPI_UNDEFINED`.
fn digits(number: c_int) -> Option<c_int> {
    (number != MPI_UNDEFINED).then_some(number)
}

export! {
    /// A REAL of at least that precision and range.
    fn MPI_Type_create_f90_real(library; p: c_int, r: c_int, newtype: Out<MPI_Datatype>) {
        let datatype = predefined().f90_real(digits(p), digits(r), false)?;
        newtype.set("newtype", library.handle_of(&datatype)?)
    }

    /// A COMPLEX of at least that precision and range.
    fn MPI_Type_create_f90_complex(library; p: c_int, r: c_int, newtype: Out<MPI_Datatype>) {
        let datatype = predefined().f90_real(digits(p), digits(r), true)?;
        newtype.set("newtype", library.handle_of(&datatype)?)
    }

    /// An INTEGER of at least that many digits.
    fn MPI_Type_create_f90_integer(library; r: c_int, newtype: Out<MPI_Datatype>) {
        let datatype = predefined().f90_integer(r)?;
        newtype.set("newtype", library.handle_of(&datatype)?)
    }

    /// The datatype of a kind of number and a size.
    fn MPI_Type_match_size(library; typeclass: c_int, size: c_int, datatype: Out<MPI_Datatype>) {
        let class = TypeClass::new(typeclass)?;
        let found = predefined().match_size(class, size)?;
        datatype.set("datatype", library.handle_of(found)?)
    }

    /// The pair of a value and an index, or `MPI_DATATYPE_NULL` if there is none.
    fn MPI_Type_get_value_index(library; value_type: MPI_Datatype, index_type: MPI_Datatype, pair_type: Out<MPI_Datatype>) {
        let value = library.named_datatype("value_type", value_type)?;
        let index = library.named_datatype("index_type", index_type)?;
        let handle = match predefined().value_index(&value, &index) {
            Some(pair) => library.handle_of(pair)?,
            None => MPI_DATATYPE_NULL,
        };
        pair_type.set("pair_type", handle)
    }
}
