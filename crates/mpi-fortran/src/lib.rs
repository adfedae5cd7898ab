//! MPI's Fortran binding over the standard binary interface: `mpi_send_` and all others, as gfortran calls them.
//!
//! `arguments` changes what differs between the languages, `special` knows the addresses that stand for a choice,
//! `start`, `attributes` and `callbacks` have what no rule covers; the build script writes all other wrappers.

#[allow(dead_code, unused_imports, reason = "the table of MPI has more than Fortran needs")]
#[path = "../../mpi/src/abi/mod.rs"]
mod abi;
mod arguments;
mod attributes;
mod block;
mod callbacks;
mod special;
mod start;
mod wrappers;
