//! Tests of datatypes: type maps written by hand, and random ones against a naive reference.
//!
//! The reference ([`model`]) expands every type map into its elements, as the standard defines them.

mod arguments;
mod examples;
mod memory;
mod model;
mod plan;
mod programs;
mod random;
