//! MPI's standard binary interface (MPI 5.0, chapter *Application Binary Interface*) on runahead.
//!
//! `abi` has the values and layouts that the standard fixes, `datatype` and `objects` what is pure (no
//! communication), `face` the exported functions over `Comm`; `dialect` is how callbacks of the program write.

pub mod abi;
mod convert;
pub mod datatype;
pub mod dialect;
mod face;
pub mod objects;
