//! The functions on datatypes: the handles of programs, over what `crate::datatype` does.
//! Source: MPI 5.0, chapter *Datatypes*.
//! Rules: a datatype lives as long as anything uses it, whether its handle was freed or not.

pub(crate) mod construct;
pub(crate) mod count;
pub(crate) mod fortran;
pub(crate) mod inquire;
pub(crate) mod pack;

use super::fault::Fault;
use super::library::{Library, keep};
use crate::abi::*;
use crate::datatype::{Datatype, TypeError};
use std::ffi::c_int;
use std::sync::Arc;

impl Library {
    /// The datatype of a named argument.
    fn named_datatype(
        &self,
        argument: &'static str,
        handle: MPI_Datatype,
    ) -> Result<Arc<Datatype>, Fault> {
        let wrong = |_| Fault::handle(MPI_ERR_TYPE, argument, handle.0);
        self.datatype(handle).map_err(wrong)
    }

    /// A datatype that the program may communicate.
    fn committed(&self, handle: MPI_Datatype) -> Result<Arc<Datatype>, Fault> {
        let datatype = self.datatype(handle)?;
        match datatype.is_committed() {
            true => Ok(datatype),
            false => Err(Fault::argument(MPI_ERR_TYPE, "datatype", "not committed")),
        }
    }

    /// A handle of a new datatype.
    fn keep_datatype(&self, datatype: Arc<Datatype>) -> Result<MPI_Datatype, Fault> {
        keep(&self.types, datatype).map(MPI_Datatype)
    }

    /// A handle of a datatype that was there before: a predefined one has one handle only, a derived
    /// one gets another.
    fn handle_of(&self, datatype: &Arc<Datatype>) -> Result<MPI_Datatype, Fault> {
        if let Some(handle) = datatype.handle() {
            return Ok(MPI_Datatype(handle));
        }
        let known = datatype.is_predefined().then(|| {
            let types = self.types.borrow();
            types.handle_of(|kept| Arc::ptr_eq(kept, datatype))
        });
        match known.flatten() {
            Some(handle) => Ok(MPI_Datatype(handle)),
            None => self.keep_datatype(datatype.clone()),
        }
    }
}

/// A number as an `int` or an `MPI_Count`; `MPI_UNDEFINED` if there is none, or if it does not fit.
fn narrow<C: From<c_int> + TryFrom<i64>>(number: Option<i64>) -> C {
    let fitting = number.and_then(|number| C::try_from(number).ok());
    fitting.unwrap_or_else(|| C::from(MPI_UNDEFINED))
}

/// A length as an `MPI_Count`: memory is never longer.
fn wide(length: usize) -> MPI_Count {
    MPI_Count::try_from(length).unwrap_or(MPI_Count::MAX)
}

/// How many elements an array has, which is not negative.
fn array_length(argument: &'static str, length: impl Into<i64>) -> Result<usize, Fault> {
    let length = length.into();
    usize::try_from(length).map_err(|_| Fault::value(MPI_ERR_ARG, argument, length))
}

/// A count, which is not negative.
fn length_of(argument: &'static str, count: impl Into<i64>) -> Result<usize, Fault> {
    let value = count.into();
    let count = usize::try_from(value);
    count.map_err(|_| Fault::from(TypeError::NegativeCount { argument, value }))
}
