//! A vector of which one part is written before what comes in front of it: it stands in the place where it will be.
//!
//! # Correctness
//!
//! What stands ahead lies behind the vector's length, where only [`Ahead`] knows of it. So nothing may make the vector longer
//! but [`append`](Ahead::append), which never reaches it, and never takes other memory.

use zerocopy::FromBytes;

use super::copy::{append_elements, copy};

/// What is in front so far, and what stands ahead of it.
pub(crate) struct Ahead<T> {
    /// It has place for what is in front, and behind that for what stands ahead.
    front: Vec<T>,
    /// Where that begins, and how many elements it has.
    at: usize,
    count: usize,
}

impl<T: FromBytes + Copy> Ahead<T> {
    /// Nothing in front of `data`, for which so many elements have place, and place for so many `together`. None if there is
    /// no memory for that.
    pub(crate) fn new(data: &[T], at: usize, together: usize) -> Option<Ahead<T>> {
        let end = at.checked_add(data.len())?;
        let mut front: Vec<T> = Vec::new();
        front.try_reserve_exact(together.max(end)).ok()?;
        // SAFETY: the vector has place for `end` elements, is empty, and is elsewhere than what is borrowed.
        unsafe {
            let to = front.as_mut_ptr().add(at);
            copy(data.as_ptr().cast(), to.cast(), size_of_val(data));
        }
        Some(Ahead { front, at, count: data.len() })
    }

    /// Appends the elements in `bytes` in front. False, and nothing is done, if they have no place there.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> bool {
        let count = bytes.len().checked_div(size_of::<T>()).unwrap_or(0);
        let has_place = count <= self.at - self.front.len();
        if has_place {
            append_elements(bytes, &mut self.front);
        }
        has_place
    }

    /// How many elements are in front.
    pub(crate) fn front_len(&self) -> usize {
        self.front.len()
    }

    /// What stands ahead.
    pub(crate) fn elements(&self) -> &[T] {
        // SAFETY: so many elements were written there, behind the vector's length, and nobody has written there since.
        unsafe { std::slice::from_raw_parts(self.front.as_ptr().add(self.at), self.count) }
    }

    /// What is in front alone.
    pub(crate) fn into_front(self) -> Vec<T> {
        self.front
    }

    /// What is in front, and behind it what stood ahead.
    pub(crate) fn join(self) -> Vec<T> {
        let Ahead { mut front, at, count } = self;
        let len = front.len();
        // SAFETY: what stands ahead was written, and is no further to the front than the end of what is there. The vector
        // has place for both. The two places may overlap.
        unsafe {
            if at > len {
                let start = front.as_mut_ptr();
                std::ptr::copy(start.add(at), start.add(len), count);
            }
            front.set_len(len + count);
        }
        front
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn bytes(elements: &[u16]) -> Vec<u8> {
        elements.iter().flat_map(|element| element.to_ne_bytes()).collect()
    }

    #[test]
    fn what_stands_ahead_comes_behind_what_is_in_front() {
        // As many as were expected, in two parts; fewer, so that it moves by less than its length; and none.
        for (parts, expected) in [
            (&[&[1u16, 2][..], &[3]][..], &[1, 2, 3, 7, 8, 9][..]),
            (&[&[1, 2]], &[1, 2, 7, 8, 9]),
            (&[], &[7, 8, 9]),
        ] {
            let mut ahead = Ahead::new(&[7u16, 8, 9], 3, 7).unwrap();
            for part in parts {
                assert!(ahead.append(&bytes(part)));
                assert_eq!(ahead.elements(), [7, 8, 9]);
            }
            assert_eq!(ahead.front_len(), expected.len() - 3);
            let all = ahead.join();
            assert_eq!((&all[..], all.capacity()), (expected, 7));
        }
    }

    #[test]
    fn what_has_no_place_in_front_is_refused() {
        let mut ahead = Ahead::new(&[7u16], 2, 0).unwrap();
        assert!(ahead.append(&bytes(&[1])));
        assert!(!ahead.append(&bytes(&[2, 3])));
        assert_eq!((ahead.elements(), ahead.front_len()), (&[7][..], 1));
        assert_eq!(ahead.into_front(), [1]);
        assert!(Ahead::new(&[7u16], usize::MAX, 1).is_none());
        assert!(Ahead::new(&[7u16], usize::MAX - 1, 1).is_none());
    }

    #[test]
    fn elements_of_no_bytes_stand_ahead_too() {
        let mut ahead = Ahead::new(&[(); 3], 2, 5).unwrap();
        assert!(ahead.append(&[]));
        assert_eq!(ahead.join().len(), 3);
    }
}
