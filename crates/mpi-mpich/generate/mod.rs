//! What is made for MPICH's interface from the tables of crates/mpi and from `src/constants.txt`.
//! Used by the build script and by the tests.
//! Rules: pure text from text; the same tables give the same bytes.

pub mod constants;
#[allow(dead_code, reason = "the tests and the build script use different parts of it")]
#[path = "../../mpi/generate/functions.rs"]
pub mod functions;
pub mod kinds;
pub mod paths;
#[path = "../../mpi/generate/rust_types.rs"]
pub mod rust_types;
#[allow(dead_code, reason = "the functions of one file are asked for, and not of all")]
#[path = "../../mpi/generate/scan.rs"]
pub mod scan;
#[path = "../../mpi/generate/stubs.rs"]
pub mod stubs;
pub mod tables;
pub mod wrappers;
