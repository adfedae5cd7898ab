//! How a rank assembles the result of a nonblocking collective. It takes the messages one by one,
//! in an order fixed at the call. Pure. What is combined is in `combined`, what stays apart in `gathered`.
//!
//! Keeps rule COL-3 of SEMANTICS.md.

use std::ops::Range;

use zerocopy::IntoBytes;

use crate::comm::Element;
use crate::order::Rank;
use crate::sys::copy::copy_bytes;

/// How a nonblocking collective assembles the data of the ranks. Only types of this crate, and of the libraries on top
/// of it, implement it.
pub trait Assembly: sealed::Sealed {
    /// The return type of [`CollectiveRequest::wait`](super::CollectiveRequest::wait).
    type Output;

    /// How many bytes a rank must have, if known.
    #[doc(hidden)]
    fn expected_bytes(&self, from: Rank) -> Option<usize>;

    /// Takes this rank's own data, as what another has given.
    #[doc(hidden)]
    fn take_own(&mut self);

    /// Takes the data of another rank: whole elements, in the expected number. They lie where this rank has received
    /// them, so nothing of the program is called.
    #[doc(hidden)]
    fn take(&mut self, payload: &[u8]);

    /// Where the data of the rank belong that is `nth` of those of which something is taken, if they go there unchanged and
    /// are more than so many bytes. Whoever implements this promises that the memory can be written, and that the call alone uses
    /// it, until it is complete or dropped.
    #[doc(hidden)]
    fn room(&mut self, _nth: usize, _above_bytes: usize) -> Option<*mut [u8]> {
        None
    }

    /// As [`take`](Assembly::take), of data that [have their place](Assembly::room) already.
    #[doc(hidden)]
    fn take_in_room(&mut self) {}

    /// Combines what was taken last with what was before, if it is yet to be. Here the program's operator is called, which may
    /// call the runtime. Where it has panicked, this goes on with the same element when it is called again.
    #[doc(hidden)]
    fn combine(&mut self) {}

    /// How many bytes an element of what is combined has, if ranks may combine units for each other: then all that each
    /// gives lies together, and what follows is called in place of [`take_own`](Assembly::take_own),
    /// [`take`](Assembly::take) and [`combine`](Assembly::combine).
    #[doc(hidden)]
    fn shared_element(&self) -> Option<usize> {
        None
    }

    /// What this rank has given lies where others read it. Whether it is to be [taken](Part::Theirs) from there, so that the
    /// result may take the place of the assembly's own. Each call says the same.
    #[doc(hidden)]
    fn forget_own(&mut self) -> bool {
        false
    }

    /// Combines these elements of all ranks, in this order. The program's operator may be called.
    #[doc(hidden)]
    fn combine_block<'p>(&mut self, _block: Range<usize>, _parts: impl Iterator<Item = Part<'p>>) {}

    /// These elements of the result.
    #[doc(hidden)]
    fn unit(&mut self, _unit: Range<usize>) -> &mut [u8] {
        &mut []
    }

    #[doc(hidden)]
    fn finish(self) -> Self::Output;
}

/// What a rank gives to a unit.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Part<'p> {
    /// This rank: the assembly has it.
    Own,
    /// Another, or this one where all read it.
    Theirs(&'p [u8]),
}

pub mod sealed {
    /// Who implements this must change with this crate.
    pub trait Sealed {}

    impl<T> Sealed for super::Filled<'_, T> {}
    impl<T, F> Sealed for super::super::Combined<T, F> {}
    impl<T> Sealed for super::super::Gathered<T> {}
    impl<T> Sealed for super::super::Joined<T> {}
    impl<A: Sealed> Sealed for super::Optional<A> {}
}

/// A slice that receives the data of another rank.
pub struct Filled<'d, T> {
    pub(super) room: &'d mut [T],
}

impl<T: Element> Assembly for Filled<'_, T> {
    type Output = ();

    fn expected_bytes(&self, _: Rank) -> Option<usize> {
        Some(size_of_val(self.room))
    }

    fn take_own(&mut self) {}

    fn take(&mut self, payload: &[u8]) {
        copy_bytes(payload, self.room.as_mut_bytes());
    }

    fn finish(self) {}
}

/// A result that not every rank gets.
pub struct Optional<A>(pub(super) Option<A>);

impl<A: Assembly> Assembly for Optional<A> {
    type Output = Option<A::Output>;

    fn expected_bytes(&self, from: Rank) -> Option<usize> {
        self.0.as_ref().and_then(|inner| inner.expected_bytes(from))
    }

    fn take_own(&mut self) {
        if let Some(inner) = &mut self.0 {
            inner.take_own();
        }
    }

    fn take(&mut self, payload: &[u8]) {
        if let Some(inner) = &mut self.0 {
            inner.take(payload);
        }
    }

    fn combine(&mut self) {
        if let Some(inner) = &mut self.0 {
            inner.combine();
        }
    }

    fn finish(self) -> Option<A::Output> {
        self.0.map(A::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gets_no_result_has_none() {
        assert!(Optional::<Filled<'_, u8>>(None).finish().is_none());
    }
}
