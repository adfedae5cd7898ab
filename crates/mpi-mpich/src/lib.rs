//! MPICH's binary interface on runahead: `libmpi.so.12`, for programs that were built with MPICH or what follows it.
//!
//! The library proper is crates/mpi, whose sources are compiled here a second time: `abi`, `datatype`, `objects` and
//! `face`, with a `dialect` that lets callbacks write as MPICH does. `functions` has all functions of MPI, which convert
//! what differs and call those of `face`; `handles`, `numbers`, `statuses` and `arrays` convert; `extras` has what MPICH
//! exports beside MPI's functions, `fortran` what its Fortran library asks for. The build script writes `functions` and the tables of constants.

#[path = "../../mpi/src/abi/mod.rs"]
pub mod abi;
mod arrays;
#[path = "../../mpi/src/datatype/mod.rs"]
pub mod datatype;
pub mod dialect;
mod extras;
#[path = "../../mpi/src/face/mod.rs"]
mod face;
mod fortran;
mod functions;
mod handles;
mod numbers;
#[path = "../../mpi/src/objects/mod.rs"]
pub mod objects;
mod statuses;
mod tables;
