//! How a rank assembles the result of a nonblocking collective. It takes the messages one by one,
//! in an order fixed at the call. Pure.
//!
//! Keeps rule COL-3 of SEMANTICS.md.

use zerocopy::IntoBytes;

use crate::collective::Parts;
use crate::comm::Element;
use crate::comm::element::elements;
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

    /// Takes this rank's own data.
    #[doc(hidden)]
    fn take_own(&mut self);

    /// Takes the data of another rank: whole elements, in the expected number. They lie where this rank has received
    /// them, so nothing of the program is called.
    #[doc(hidden)]
    fn take(&mut self, payload: &[u8]);

    /// Combines what was taken last with what was before. Here the program's operator is called, which may call the
    /// runtime.
    #[doc(hidden)]
    fn combine(&mut self) {}

    #[doc(hidden)]
    fn finish(self) -> Self::Output;
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
    bytes: usize,
    combine: F,
}

impl<T: Element, F: Fn(T, T) -> T> Combined<T, F> {
    pub(super) fn new(own: &[T], combine: F) -> Combined<T, F> {
        let (total, next, has_next) = (None, Vec::new(), false);
        Combined { own: own.to_vec(), total, next, has_next, bytes: size_of_val(own), combine }
    }

    fn add(&mut self, data: Vec<T>) {
        let Some(total) = &mut self.total else {
            self.total = Some(data);
            return;
        };
        for (total, next) in total.iter_mut().zip(data) {
            *total = (self.combine)(*total, next);
        }
    }
}

impl<T: Element, F: Fn(T, T) -> T> Assembly for Combined<T, F> {
    type Output = Vec<T>;

    fn expected_bytes(&self, _: Rank) -> Option<usize> {
        Some(self.bytes)
    }

    fn take_own(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.add(own);
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
        if let Some(total) = &mut self.total
            && std::mem::take(&mut self.has_next)
        {
            for (total, &next) in total.iter_mut().zip(&self.next) {
                *total = (self.combine)(*total, next);
            }
        }
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
