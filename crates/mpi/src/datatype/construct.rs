//! The constructors of derived datatypes: regular ones, lists, structures, resized and duplicates.
//!
//! MPI 5.0, section 5.1.2 *Datatype Constructors*. Each checks its arguments, composes the layout, and
//! keeps the arguments. Every constructor takes counts as `int` or as `MPI_Count` ([`Count`]).

mod array;

use std::sync::Arc;

use super::bounds::multiply;
use super::contents::{Contents, Count};
use super::layout::{Composer, Layout};
use super::{Datatype, TypeError};
use crate::abi;

/// A count that is not negative.
fn count(argument: &'static str, count: impl Count) -> Result<usize, TypeError> {
    let value = count.value();
    usize::try_from(value).map_err(|_| TypeError::NegativeCount { argument, value })
}

/// A block length that is not negative.
fn length(argument: &'static str, length: impl Count) -> Result<usize, TypeError> {
    let (value, expected) = (length.value(), "zero or more");
    usize::try_from(value).map_err(|_| TypeError::Argument { argument, value, expected })
}

/// Two lists of the same function have the same length.
fn same_length(argument: &'static str, length: usize, expected: usize) -> Result<(), TypeError> {
    if length == expected {
        return Ok(());
    }
    Err(TypeError::Length { argument, length, expected })
}

impl Datatype {
    /// `MPI_Type_contiguous`: copies in a row.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn contiguous<C: Count>(copies: C, old: &Arc<Self>) -> Result<Arc<Self>, TypeError> {
        let layout = Layout::block(0, count("count", copies)?, &old.layout)?;
        let contents = Contents::new(abi::MPI_COMBINER_CONTIGUOUS, std::slice::from_ref(old));
        Ok(Self::derived(layout, contents.counts(&[copies])))
    }

    /// `MPI_Type_vector`: equal blocks, the stride in extents of the old datatype.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn vector<C: Count>(
        blocks: C,
        blocklength: C,
        stride: C,
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let (times, copies) = (count("count", blocks)?, length("blocklength", blocklength)?);
        let bytes = multiply(stride.value(), old.layout.extent, "stride")?;
        let layout = Layout::blocks(times, copies, bytes, &old.layout)?;
        let contents = Contents::new(abi::MPI_COMBINER_VECTOR, std::slice::from_ref(old));
        Ok(Self::derived(layout, contents.counts(&[blocks, blocklength, stride])))
    }

    /// `MPI_Type_create_hvector`: equal blocks, the stride in bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn hvector<C: Count>(
        blocks: C,
        blocklength: C,
        stride: C::Address,
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let (times, copies) = (count("count", blocks)?, length("blocklength", blocklength)?);
        let layout = Layout::blocks(times, copies, C::bytes(stride), &old.layout)?;
        let contents = Contents::new(abi::MPI_COMBINER_HVECTOR, std::slice::from_ref(old));
        let contents = contents.counts(&[blocks, blocklength]).addresses::<C>(&[stride]);
        Ok(Self::derived(layout, contents))
    }

    /// `MPI_Type_indexed`: blocks of their own lengths, displacements in extents of the old
    /// datatype.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn indexed<C: Count>(
        blocklengths: &[C],
        displacements: &[C],
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        same_length("array_of_displacements", displacements.len(), blocklengths.len())?;
        let mut composer = Composer::default();
        for (blocklength, displacement) in blocklengths.iter().zip(displacements) {
            let copies = length("array_of_blocklengths", *blocklength)?;
            let bytes = multiply(displacement.value(), old.layout.extent, "displacement")?;
            composer.add(bytes, copies, &old.layout)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_INDEXED, std::slice::from_ref(old));
        let contents = contents.length::<C>(blocklengths.len());
        let contents = contents.counts(blocklengths).counts(displacements);
        Ok(Self::derived(composer.finish()?, contents))
    }

    /// `MPI_Type_create_hindexed`: blocks of their own lengths, displacements in bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn hindexed<C: Count>(
        blocklengths: &[C],
        displacements: &[C::Address],
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        same_length("array_of_displacements", displacements.len(), blocklengths.len())?;
        let mut composer = Composer::default();
        for (blocklength, displacement) in blocklengths.iter().zip(displacements) {
            let copies = length("array_of_blocklengths", *blocklength)?;
            composer.add(C::bytes(*displacement), copies, &old.layout)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_HINDEXED, std::slice::from_ref(old));
        let contents = contents.length::<C>(blocklengths.len());
        let contents = contents.counts(blocklengths).addresses::<C>(displacements);
        Ok(Self::derived(composer.finish()?, contents))
    }

    /// `MPI_Type_create_indexed_block`: blocks of one length, displacements in extents of the old
    /// datatype.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn indexed_block<C: Count>(
        blocklength: C,
        displacements: &[C],
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let copies = length("blocklength", blocklength)?;
        let mut composer = Composer::default();
        for displacement in displacements {
            let bytes = multiply(displacement.value(), old.layout.extent, "displacement")?;
            composer.add(bytes, copies, &old.layout)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_INDEXED_BLOCK, std::slice::from_ref(old));
        let contents = contents.length::<C>(displacements.len());
        let contents = contents.counts(&[blocklength]).counts(displacements);
        Ok(Self::derived(composer.finish()?, contents))
    }

    /// `MPI_Type_create_hindexed_block`: blocks of one length, displacements in bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn hindexed_block<C: Count>(
        blocklength: C,
        displacements: &[C::Address],
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let copies = length("blocklength", blocklength)?;
        let mut composer = Composer::default();
        for displacement in displacements {
            composer.add(C::bytes(*displacement), copies, &old.layout)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_HINDEXED_BLOCK, std::slice::from_ref(old));
        let contents = contents.length::<C>(displacements.len());
        let contents = contents.counts(&[blocklength]).addresses::<C>(displacements);
        Ok(Self::derived(composer.finish()?, contents))
    }

    /// `MPI_Type_create_struct`: blocks of their own lengths and datatypes, displacements in bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn structure<C: Count>(
        blocklengths: &[C],
        displacements: &[C::Address],
        datatypes: &[Arc<Self>],
    ) -> Result<Arc<Self>, TypeError> {
        same_length("array_of_displacements", displacements.len(), blocklengths.len())?;
        same_length("array_of_types", datatypes.len(), blocklengths.len())?;
        let mut composer = Composer::default();
        for ((blocklength, displacement), datatype) in
            blocklengths.iter().zip(displacements).zip(datatypes)
        {
            let copies = length("array_of_blocklengths", *blocklength)?;
            composer.add(C::bytes(*displacement), copies, &datatype.layout)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_STRUCT, datatypes);
        let contents = contents.length::<C>(blocklengths.len());
        let contents = contents.counts(blocklengths).addresses::<C>(displacements);
        Ok(Self::derived(composer.finish()?, contents))
    }

    /// `MPI_Type_create_resized`: the same data, with a lower bound and an extent that are given.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if 64 bits do not hold the upper bound.
    pub fn resized<C: Count>(
        lb: C::Address,
        extent: C::Address,
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let layout = old.layout.resized(C::bytes(lb), C::bytes(extent))?;
        let contents = Contents::new(abi::MPI_COMBINER_RESIZED, std::slice::from_ref(old));
        Ok(Self::derived(layout, contents.addresses::<C>(&[lb, extent])))
    }

    /// `MPI_Type_dup`: the same once more, committed if the old one is.
    pub fn duplicate(old: &Arc<Self>) -> Arc<Self> {
        let contents = Contents::new(abi::MPI_COMBINER_DUP, std::slice::from_ref(old));
        let new = Self::derived(old.layout.clone(), contents);
        if old.is_committed() {
            new.commit();
        }
        new
    }
}
