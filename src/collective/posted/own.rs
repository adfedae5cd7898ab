//! What a rank itself gives to the result of a nonblocking collective: a copy, since the program has its data back when the
//! call returns. One that comes first becomes the result, and so may the second. One of which the place in the result is known
//! stands there. Another one waits in memory of the rank that is warm.
//!
//! Keeps rule COL-8 of SEMANTICS.md.

use zerocopy::{FromBytes, IntoBytes};

use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::message::{Copied, LEAST_WARM_BYTES};
use crate::sys::ahead::Ahead;
use crate::sys::copy::append_elements;
use crate::verbs::Nic;

/// A copy of this rank's data.
pub(super) enum Own<T> {
    /// In memory of its own, of which the result may be made.
    Apart(Vec<T>),
    /// In memory of the rank. They are many.
    Kept(Copied),
    /// In the result, ahead of what comes before them.
    Ahead(Ahead<T>),
}

impl<T: Element> Own<T> {
    /// Nothing.
    pub(super) const NONE: Own<T> = Own::Apart(Vec::new());

    /// A copy that the result begins with, and place for so many elements in all, if there is memory for them.
    pub(super) fn first(data: &[T], together: usize) -> Own<T> {
        let mut all = Vec::new();
        let _ = all.try_reserve_exact(together);
        append_elements(data.as_bytes(), &mut all);
        Own::Apart(all)
    }

    pub(super) fn elements(&self) -> &[T] {
        match self {
            Own::Apart(data) => data,
            Own::Kept(copied) => {
                let elements = <[T]>::ref_from_bytes(copied.as_ref());
                elements.expect("many are aligned as these elements are")
            }
            Own::Ahead(ahead) => ahead.elements(),
        }
    }

    /// The same in memory of its own.
    pub(super) fn into_vec(self) -> Vec<T> {
        match self {
            Own::Apart(data) => data,
            Own::Kept(_) | Own::Ahead(_) => self.elements().to_vec(),
        }
    }
}

impl<N: Nic> Comm<N> {
    /// A copy of what this rank gives: the result begins with it, and has so many elements together, or it waits.
    pub(super) fn own<T: Element>(&self, data: &[T], first: Option<usize>) -> Result<Own<T>> {
        let is_short = size_of_val(data) < LEAST_WARM_BYTES;
        match first {
            Some(together) => Ok(Own::first(data, together)),
            None if is_short || align_of::<T>() > align_of::<u64>() => {
                Ok(Own::first(data, data.len()))
            }
            None => Ok(Own::Kept(self.engine()?.copy_behind(&[], data.as_bytes()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_has_place_for_all_unless_there_is_no_memory() {
        assert_eq!(Own::first(&[1u8], 3).into_vec().capacity(), 3);
        assert_eq!(Own::first(&[1u64], usize::MAX).elements(), [1]);
    }
}
