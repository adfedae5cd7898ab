//! How a rank assembles the result of a nonblocking collective. It takes the messages one by one,
//! in an order fixed at the call. Pure.
//!
//! Keeps rule COL-3 of SEMANTICS.md.

use std::ops::Range;

use zerocopy::{FromBytes, IntoBytes};

use crate::collective::Parts;
use crate::collective::combine::combine_into;
use crate::comm::Element;
use crate::comm::element::{copy, elements};
use crate::error::Result;
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
    impl<T, F> Sealed for super::Combined<T, F> {}
    impl<T> Sealed for super::Gathered<T> {}
    impl<T> Sealed for super::Joined<T> {}
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

/// The combination of the data of several ranks, element by element.
pub struct Combined<T, F> {
    own: Vec<T>,
    total: Option<Vec<T>>,
    /// What was taken last, if it is yet to be combined.
    next: Vec<T>,
    has_next: bool,
    /// So many elements of it are combined: all of them, unless the operator has panicked.
    combined: usize,
    bytes: usize,
    combine: F,
}

impl<T: Element, F: Fn(T, T) -> T> Combined<T, F> {
    pub(super) fn new(own: &[T], combine: F) -> Combined<T, F> {
        Combined {
            own: own.to_vec(),
            total: None,
            next: Vec::new(),
            has_next: false,
            combined: 0,
            bytes: size_of_val(own),
            combine,
        }
    }
}

/// How many elements were combined, also when the stack is unwound.
struct Counted<'c> {
    at: usize,
    combined: &'c mut usize,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        *self.combined = self.at;
    }
}

impl<T: Element, F: Fn(T, T) -> T> Assembly for Combined<T, F> {
    type Output = Vec<T>;

    fn expected_bytes(&self, _: Rank) -> Option<usize> {
        Some(self.bytes)
    }

    fn take_own(&mut self) {
        let own = std::mem::take(&mut self.own);
        match self.total {
            None => self.total = Some(own),
            Some(_) => (self.next, self.has_next) = (own, true),
        }
    }

    fn take(&mut self, payload: &[u8]) {
        if self.total.is_none() {
            self.total = Some(elements(payload));
            return;
        }
        self.has_next = true;
        match size_of_val(&*self.next) == payload.len() {
            true => copy_bytes(payload, self.next.as_mut_bytes()),
            false => self.next = elements(payload),
        }
    }

    fn combine(&mut self) {
        let Combined { total: Some(total), next, has_next: true, combined, .. } = self else {
            return;
        };
        let first = *combined;
        let mut counted = Counted { at: first, combined };
        for (total, &next) in total[first..].iter_mut().zip(&next[first..]) {
            *total = (self.combine)(*total, next);
            counted.at += 1;
        }
        drop(counted);
        (self.combined, self.has_next) = (0, false);
    }

    fn shared_element(&self) -> Option<usize> {
        Some(size_of::<T>())
    }

    fn forget_own(&mut self) -> bool {
        // No memory for two of them: to have it from the system and give it back takes longer than to combine.
        if self.total.is_none() {
            self.total = Some(std::mem::take(&mut self.own));
        }
        true
    }

    fn combine_block<'p>(&mut self, block: Range<usize>, parts: impl Iterator<Item = Part<'p>>) {
        let mut is_begun = false;
        let Combined { own, total, next, combine, .. } = self;
        let total =
            &mut total.get_or_insert_with(|| vec![T::new_zeroed(); own.len()])[block.clone()];
        for part in parts {
            let data = match part {
                Part::Own => &own[block.clone()],
                Part::Theirs(bytes) => match <[T]>::ref_from_bytes(bytes) {
                    Ok(theirs) => theirs,
                    // They do not lie where elements may.
                    Err(_) => {
                        *next = elements(bytes);
                        &*next
                    }
                },
            };
            match std::mem::replace(&mut is_begun, true) {
                true => combine_into(total, data, combine),
                false => copy(data, total),
            }
        }
    }

    fn unit(&mut self, unit: Range<usize>) -> &mut [u8] {
        let len = self.own.len();
        let total = self.total.get_or_insert_with(|| vec![T::new_zeroed(); len]);
        total[unit].as_mut_bytes()
    }

    fn finish(self) -> Vec<T> {
        self.total.unwrap_or_default()
    }
}

/// How many elements each rank must have.
pub(super) enum Counts {
    /// Only the senders know.
    Unknown,
    /// The same number each.
    Equal(usize),
    /// These numbers, by rank.
    Listed(Vec<usize>),
}

/// The data of several ranks, concatenated.
pub struct Gathered<T> {
    own: Vec<T>,
    counts: Counts,
    parts: Parts<T>,
}

impl<T: Element> Gathered<T> {
    pub(super) fn new(own: &[T], counts: Counts) -> Gathered<T> {
        Gathered { own: own.to_vec(), counts, parts: Parts::with_capacity(0, 0) }
    }

    fn push(&mut self, part: &[T]) {
        let pushed: Result<()> = self.parts.push_with(|all| {
            all.extend_from_slice(part);
            Ok(())
        });
        debug_assert!(pushed.is_ok());
    }
}

impl<T: Element> Assembly for Gathered<T> {
    type Output = Parts<T>;

    fn expected_bytes(&self, from: Rank) -> Option<usize> {
        let count = match &self.counts {
            Counts::Unknown => return None,
            Counts::Equal(count) => *count,
            Counts::Listed(counts) => counts[from],
        };
        Some(count.saturating_mul(size_of::<T>()))
    }

    fn take_own(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.push(&own);
    }

    fn take(&mut self, payload: &[u8]) {
        self.push(&elements(payload));
    }

    fn finish(self) -> Parts<T> {
        self.parts
    }
}

/// Like [`Gathered`], without the boundaries between ranks.
pub struct Joined<T>(pub(super) Gathered<T>);

impl<T: Element> Assembly for Joined<T> {
    type Output = Vec<T>;

    fn expected_bytes(&self, from: Rank) -> Option<usize> {
        self.0.expected_bytes(from)
    }

    fn take_own(&mut self) {
        self.0.take_own();
    }

    fn take(&mut self, payload: &[u8]) {
        self.0.take(payload);
    }

    fn finish(self) -> Vec<T> {
        self.0.finish().into_data()
    }
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
    fn elements_are_combined_in_the_order_in_which_they_are_taken() {
        let mut words = Combined::new(&[2u64], |a, b| 10 * a + b);
        words.take(&7u64.to_ne_bytes());
        words.combine();
        words.take_own();
        words.combine();
        words.take(&1u64.to_ne_bytes());
        words.combine();
        assert_eq!(words.expected_bytes(0), Some(8));
        assert_eq!(words.finish(), [721]);
    }

    #[test]
    fn parts_stand_in_the_order_in_which_they_are_taken() {
        let mut parts = Gathered::new(&[5u8, 6], Counts::Listed(vec![1, 2, 0]));
        assert_eq!(parts.expected_bytes(2), Some(0));
        parts.take(&[4]);
        parts.take_own();
        parts.take(&[]);
        assert_eq!(Joined(parts).finish(), [4, 5, 6]);
        assert!(Optional::<Gathered<u8>>(None).finish().is_none());
    }
}
