//! What is made from the tables of `src/abi`: the header, the functions that answer "unsupported", the page of states.
//! Used by the build script, by `examples/generate.rs`, and by the tests that what is committed is current.
//! Rules: pure text from text; the same tables give the same bytes.

pub mod functions;
pub mod scan;
pub mod stubs;
