//! How a datatype was made: the constructor and its arguments, exactly as they were given.
//!
//! MPI 5.0, section 5.1.13 *Decoding a Datatype*. Counts given as `int` are integers there, those of
//! the `_c` functions are large counts, and so are these functions' displacements.

use std::sync::Arc;

use super::Datatype;
use crate::abi;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// What counts are in a function: `int`, or `MPI_Count` in the `_c` form.
pub trait Count: Copy + sealed::Sealed {
    /// What displacements in bytes are in the same function: `MPI_Aint`, or `MPI_Count`.
    type Address: Copy;

    /// The number.
    fn value(self) -> i64;

    /// The number of bytes.
    fn bytes(address: Self::Address) -> i64;

    /// Notes counts among the arguments.
    fn record(counts: &[Self], contents: &mut Contents);

    /// Notes displacements among the arguments.
    fn record_addresses(addresses: &[Self::Address], contents: &mut Contents);
}

impl Count for i32 {
    type Address = isize;

    fn value(self) -> i64 {
        i64::from(self)
    }

    fn bytes(address: isize) -> i64 {
        address as i64
    }

    fn record(counts: &[Self], contents: &mut Contents) {
        contents.integers.extend_from_slice(counts);
    }

    fn record_addresses(addresses: &[isize], contents: &mut Contents) {
        contents.addresses.extend_from_slice(addresses);
    }
}

impl Count for i64 {
    type Address = i64;

    fn value(self) -> i64 {
        self
    }

    fn bytes(address: i64) -> i64 {
        address
    }

    fn record(counts: &[Self], contents: &mut Contents) {
        contents.large_counts.extend_from_slice(counts);
    }

    fn record_addresses(addresses: &[i64], contents: &mut Contents) {
        contents.large_counts.extend_from_slice(addresses);
    }
}

/// The constructor of a datatype, and its arguments.
#[derive(Debug, Default)]
pub struct Contents {
    /// One of the `MPI_COMBINER_` constants.
    pub combiner: i32,
    /// Arguments of type `int`.
    pub integers: Vec<i32>,
    /// Arguments of type `MPI_Aint`.
    pub addresses: Vec<isize>,
    /// Arguments of type `MPI_Count`.
    pub large_counts: Vec<i64>,
    /// The old datatypes.
    pub datatypes: Vec<Arc<Datatype>>,
}

impl Contents {
    pub(super) fn new(combiner: i32, datatypes: &[Arc<Datatype>]) -> Self {
        Self { combiner, datatypes: datatypes.to_vec(), ..Self::default() }
    }

    /// Appends arguments that are `int` in both forms of the function.
    pub(super) fn integers(mut self, integers: &[i32]) -> Self {
        self.integers.extend_from_slice(integers);
        self
    }

    /// Appends counts.
    pub(super) fn counts<C: Count>(mut self, counts: &[C]) -> Self {
        C::record(counts, &mut self);
        self
    }

    /// Appends how many there are in a list, as a count of the function's form.
    pub(super) fn length<C: Count>(mut self, length: usize) -> Self {
        match size_of::<C>() {
            4 => self.integers.push(length as i32),
            _ => self.large_counts.push(length as i64),
        }
        self
    }

    /// Appends displacements in bytes.
    pub(super) fn addresses<C: Count>(mut self, addresses: &[C::Address]) -> Self {
        C::record_addresses(addresses, &mut self);
        self
    }
}

/// How many arguments of each kind there are, and which constructor took them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// One of the `MPI_COMBINER_` constants.
    pub combiner: i32,
    /// How many are of type `int`.
    pub integers: usize,
    /// How many are of type `MPI_Aint`.
    pub addresses: usize,
    /// How many are of type `MPI_Count`.
    pub large_counts: usize,
    /// How many are datatypes.
    pub datatypes: usize,
}

impl Envelope {
    /// That of a predefined datatype.
    pub(super) const NAMED: Self = Self {
        combiner: abi::MPI_COMBINER_NAMED,
        integers: 0,
        addresses: 0,
        large_counts: 0,
        datatypes: 0,
    };
}

impl From<&Contents> for Envelope {
    fn from(contents: &Contents) -> Self {
        Self {
            combiner: contents.combiner,
            integers: contents.integers.len(),
            addresses: contents.addresses.len(),
            large_counts: contents.large_counts.len(),
            datatypes: contents.datatypes.len(),
        }
    }
}
