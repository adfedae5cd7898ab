//! What a constructor makes: bounds, program and signature of a type map, together.
//!
//! Every constructor of section 5.1 of MPI 5.0 is a list of *blocks*: copies of an old datatype, one
//! every extent, the first at a displacement in bytes. [`Composer`] takes these.

use std::sync::Arc;

use super::basic::Basic;
use super::bounds::{Bounds, add, multiply};
use super::error::TypeError;
use super::program::{self, Program};
use super::signature::{self, Signature};

/// Everything about a type map that moving data needs.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    bounds: Bounds,
    /// Lower bound and extent, from the bounds.
    pub(super) lb: i64,
    pub(super) extent: i64,
    /// True lower bound and true extent, from the bounds.
    pub(super) true_lb: i64,
    pub(super) true_extent: i64,
    pub(super) program: Arc<Program>,
    pub(super) signature: Arc<Signature>,
}

impl Layout {
    fn new(
        bounds: Bounds,
        program: Arc<Program>,
        signature: Arc<Signature>,
    ) -> Result<Self, TypeError> {
        let (lb, extent) = bounds.extent()?;
        let (true_lb, true_extent) = bounds.true_extent()?;
        Ok(Self { bounds, lb, extent, true_lb, true_extent, program, signature })
    }

    /// One basic element at displacement 0.
    pub(super) fn element(basic: Basic) -> Self {
        let bounds = Bounds::element(basic.size(), basic.alignment());
        let program = Arc::new(Program::block(0, basic.size()));
        let signature = Arc::new(Signature::element(basic));
        let extent = basic.size() as i64;
        Self { bounds, lb: 0, extent, true_lb: 0, true_extent: extent, program, signature }
    }

    /// `length` copies of `old`, one every extent, the first at `displacement`.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`], [`TypeError::TooDeep`].
    pub(super) fn block(displacement: i64, length: usize, old: &Self) -> Result<Self, TypeError> {
        let mut composer = Composer::default();
        composer.add(displacement, length, old)?;
        composer.finish()
    }

    /// `count` blocks of `length` copies of `old`, one block every `stride` bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`], [`TypeError::TooDeep`].
    pub(super) fn blocks(
        count: usize,
        length: usize,
        stride: i64,
        old: &Self,
    ) -> Result<Self, TypeError> {
        let mut composer = Composer::default();
        composer.add_blocks(0, count, stride, length, old)?;
        composer.finish()
    }

    /// The same data with other bounds.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if 64 bits do not hold the upper bound.
    pub(super) fn resized(&self, lb: i64, extent: i64) -> Result<Self, TypeError> {
        let bounds = self.bounds.marked(lb, add(lb, extent, "bound")?);
        Self::new(bounds, self.program.clone(), self.signature.clone())
    }
}

/// Puts blocks one after another.
#[derive(Debug)]
pub(super) struct Composer {
    bounds: Bounds,
    program: program::Builder,
    signature: signature::Builder,
    /// Copies of the same datatype that the signature does not have yet: a list is mostly that.
    pending: Option<(Arc<Signature>, usize)>,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            bounds: Bounds::EMPTY,
            program: program::Builder::default(),
            signature: signature::Builder::default(),
            pending: None,
        }
    }
}

impl Composer {
    /// Appends `length` copies of `old`, one every extent, the first at `displacement`. No copies
    /// add nothing, not even bounds.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`], [`TypeError::TooDeep`].
    pub(super) fn add(
        &mut self,
        displacement: i64,
        length: usize,
        old: &Layout,
    ) -> Result<(), TypeError> {
        self.add_blocks(displacement, 1, 0, length, old)
    }

    /// Appends `count` such blocks, one every `stride` bytes.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`], [`TypeError::TooDeep`].
    pub(super) fn add_blocks(
        &mut self,
        displacement: i64,
        count: usize,
        stride: i64,
        length: usize,
        old: &Layout,
    ) -> Result<(), TypeError> {
        if count == 0 || length == 0 {
            return Ok(());
        }
        let across = |times: usize, step: i64| {
            let last =
                i64::try_from(times - 1).map_err(|_| TypeError::TooLarge { what: "bound" })?;
            multiply(last, step, "bound")
        };
        let (outer, inner) = (across(count, stride)?, across(length, old.extent)?);
        let first = add(add(displacement, outer.min(0), "bound")?, inner.min(0), "bound")?;
        let last = add(add(displacement, outer.max(0), "bound")?, inner.max(0), "bound")?;
        self.bounds.include(&old.bounds, first, last)?;

        let mut blocks = Program::repeat(&old.program, length, old.extent as isize)?;
        if count > 1 {
            blocks = Program::repeat(&Arc::new(blocks), count, stride as isize)?;
        }
        self.program.push(blocks.shifted(displacement as isize))?;
        if old.signature.elements() == 0 {
            // A type map without data may have any number of copies.
            return Ok(());
        }
        let too_large = TypeError::TooLarge { what: "size" };
        let copies = count.checked_mul(length).ok_or(too_large)?;
        match &mut self.pending {
            Some((signature, pending)) if Arc::ptr_eq(signature, &old.signature) => {
                *pending = pending.checked_add(copies).ok_or(too_large)?;
            }
            _ => {
                self.flush()?;
                self.pending = Some((old.signature.clone(), copies));
            }
        }
        Ok(())
    }

    /// Puts pending copies into the signature.
    fn flush(&mut self) -> Result<(), TypeError> {
        if let Some((signature, copies)) = self.pending.take() {
            self.signature.push(Signature::repeat(&signature, copies)?);
        }
        Ok(())
    }

    /// The layout of all blocks.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`], [`TypeError::TooDeep`].
    pub(super) fn finish(mut self) -> Result<Layout, TypeError> {
        self.flush()?;
        let program = Arc::new(self.program.finish()?);
        Layout::new(self.bounds, program, Arc::new(self.signature.finish()?))
    }
}
