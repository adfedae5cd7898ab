//! What a nonblocking collective combines, element by element. Pure.
//!
//! Keeps rule COL-3 of SEMANTICS.md.
//!
//! An operator of [`ops`](crate::ops) combines data where they lie when they are taken. Of another one nothing is known:
//! it may call the runtime, which is in this call just then. So the data are copied, and combined after that.

use std::ops::Range;

use zerocopy::{FromBytes, IntoBytes};

use super::assembly::{Assembly, Part};
use super::own::Own;
use crate::collective::combine::{combine_from_lower, combine_into};
use crate::comm::Element;
use crate::comm::element::{copy, copy_elements, elements};
use crate::order::Rank;

/// The combination of the data of several ranks, element by element.
pub struct Combined<T, F> {
    own: Own<T>,
    total: Option<Vec<T>>,
    next: Vec<T>,
    /// What was taken last, if it is yet to be combined.
    waits: Option<Waits>,
    /// So many elements of it are combined: all of them, unless the operator has panicked.
    combined: usize,
    bytes: usize,
    combine: F,
    /// Whether the operator may be called while data are taken.
    is_known: bool,
    /// Whether this rank's data come second: then what comes first is combined where they are, and they become the result.
    is_second: bool,
}

impl<T: Element, F: Fn(T, T) -> T> Combined<T, F> {
    /// Of this rank's data, and of others'. The operator may be called while they are taken if it `is_known`.
    pub(super) fn new(own: Own<T>, combine: F, is_known: bool) -> Combined<T, F> {
        let count = own.elements().len();
        Combined { own, ..Combined::of_others(count, combine, is_known) }
    }

    /// The same. This rank's data may come second, and become the result then. The operator is known.
    pub(super) fn of_second(self, is_second: bool) -> Combined<T, F> {
        debug_assert!(self.is_known || !is_second, "it would be called while data are taken");
        Combined { is_second, ..self }
    }

    /// The same, of the data of others alone: so many elements each.
    pub(super) fn of_others(count: usize, combine: F, is_known: bool) -> Combined<T, F> {
        Combined {
            own: Own::NONE,
            total: None,
            next: Vec::new(),
            waits: None,
            combined: 0,
            bytes: count.saturating_mul(size_of::<T>()),
            combine,
            is_known,
            is_second: false,
        }
    }
}

impl<T: Element, F> Combined<T, F> {
    fn take_out_own(&mut self) -> Vec<T> {
        std::mem::replace(&mut self.own, Own::NONE).into_vec()
    }
}

/// Data that wait to be combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Waits {
    /// This rank's.
    Own,
    /// Those of another, in `next`.
    Theirs,
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

/// These elements where they lie; in `room`, if no elements may lie there.
fn where_they_lie<'a, T: Element>(bytes: &'a [u8], room: &'a mut Vec<T>) -> &'a [T] {
    match <[T]>::ref_from_bytes(bytes) {
        Ok(elements) => elements,
        Err(_) => {
            copy_elements(bytes, room);
            room
        }
    }
}

impl<T: Element, F: Fn(T, T) -> T> Assembly for Combined<T, F> {
    type Output = Vec<T>;

    fn expected_bytes(&self, _: Rank) -> Option<usize> {
        Some(self.bytes)
    }

    fn take_own(&mut self) {
        match &mut self.total {
            None => self.total = Some(self.take_out_own()),
            // They are combined already.
            Some(_) if self.is_second => {}
            Some(total) if self.is_known => {
                combine_into(total, self.own.elements(), &self.combine);
                self.own = Own::NONE;
            }
            Some(_) => self.waits = Some(Waits::Own),
        }
    }

    fn take(&mut self, payload: &[u8]) {
        match &mut self.total {
            None if self.is_second => {
                let mut total = self.take_out_own();
                let lower = where_they_lie(payload, &mut self.next);
                combine_from_lower(&mut total, lower, &self.combine);
                self.total = Some(total);
            }
            None => self.total = Some(elements(payload)),
            Some(total) if self.is_known => {
                combine_into(total, where_they_lie(payload, &mut self.next), &self.combine);
            }
            Some(_) => {
                copy_elements(payload, &mut self.next);
                self.waits = Some(Waits::Theirs);
            }
        }
    }

    fn combine(&mut self) {
        let Combined { total: Some(total), own, next, waits: Some(waits), combined, .. } = self
        else {
            return;
        };
        let next = match waits {
            Waits::Own => own.elements(),
            Waits::Theirs => next,
        };
        let first = *combined;
        let mut counted = Counted { at: first, combined };
        for (total, &next) in total[first..].iter_mut().zip(&next[first..]) {
            *total = (self.combine)(*total, next);
            counted.at += 1;
        }
        drop(counted);
        if self.waits.take() == Some(Waits::Own) {
            self.own = Own::NONE;
        }
        self.combined = 0;
    }

    fn shared_element(&self) -> Option<usize> {
        Some(size_of::<T>())
    }

    fn forget_own(&mut self) -> bool {
        // No memory for two of them: to have it from the system and give it back takes longer than to combine.
        if self.total.is_none() {
            self.total = Some(self.take_out_own());
        }
        true
    }

    fn combine_block<'p>(&mut self, block: Range<usize>, parts: impl Iterator<Item = Part<'p>>) {
        let mut is_begun = false;
        let Combined { own, total, next, combine, .. } = self;
        let own = own.elements();
        let total =
            &mut total.get_or_insert_with(|| vec![T::new_zeroed(); own.len()])[block.clone()];
        for part in parts {
            let data = match part {
                Part::Own => &own[block.clone()],
                Part::Theirs(bytes) => where_they_lie(bytes, next),
            };
            match std::mem::replace(&mut is_begun, true) {
                true => combine_into(total, data, combine),
                false => copy(data, total),
            }
        }
    }

    fn unit(&mut self, unit: Range<usize>) -> &mut [u8] {
        let len = self.own.elements().len();
        let total = self.total.get_or_insert_with(|| vec![T::new_zeroed(); len]);
        total[unit].as_mut_bytes()
    }

    fn finish(self) -> Vec<T> {
        self.total.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_combined_in_the_order_in_which_they_are_taken() {
        for is_known in [false, true] {
            let mut words = Combined::new(Own::first(&[2u64], 1), |a, b| 10 * a + b, is_known);
            for next in [7u64, 3] {
                words.take(&next.to_ne_bytes());
                words.combine();
            }
            words.take_own();
            words.combine();
            assert!(words.own.elements().is_empty(), "others may use its memory");
            words.take(&1u64.to_ne_bytes());
            assert_eq!(words.waits.is_none(), is_known);
            words.combine();
            assert_eq!(words.expected_bytes(0), Some(8));
            assert_eq!(words.finish(), [7321]);
        }
    }

    #[test]
    fn the_second_become_the_result() {
        let mut words = Combined::new(Own::first(&[7u64], 1), |a, b| 10 * a + b, true);
        let own = words.own.elements().as_ptr();
        words = words.of_second(true);
        words.take(&2u64.to_ne_bytes());
        words.combine();
        words.take_own();
        words.combine();
        words.take(&1u64.to_ne_bytes());
        let total = words.finish();
        assert_eq!((&total[..], total.as_ptr()), (&[271][..], own));
    }

    #[test]
    fn elements_are_combined_where_they_lie_unless_none_may_lie_there() {
        let mut words = Combined::of_others(1, |a: u64, b| 10 * a + b, true);
        assert_eq!(words.expected_bytes(0), Some(8));
        let room = [1u64, 2 << 8];
        words.take(&room.as_bytes()[..8]);
        words.take(&room.as_bytes()[..8]);
        assert!(words.next.is_empty(), "no copy");
        words.take(&room.as_bytes()[9..][..7].iter().copied().chain([0]).collect::<Vec<_>>());
        assert!(words.own.elements().is_empty());
        assert_eq!(words.finish(), [112]);
    }
}
