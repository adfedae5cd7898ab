//! Arrays of handles, statuses and numbers, for which the library wants room of its own.
//! The room is kept for the next call of the thread.
//! Rules: no allocation once warm; a callback that comes back into the library finds no room, and gets its own.

use crate::abi::MPI_Status;
use crate::handles::Foreign;
use crate::statuses::{self, MpichStatus};
use std::cell::Cell;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::null_mut;

thread_local! {
    /// Room for handles. A call has two arrays at most.
    static HANDLES: [Cell<Vec<usize>>; 2] = const { [const { Cell::new(Vec::new()) }; 2] };
    /// Room for statuses.
    static STATUSES: Cell<Vec<MPI_Status>> = const { Cell::new(Vec::new()) };
}

/// The length of an array; none for a count that the library refuses.
pub(crate) fn length(count: impl TryInto<usize>) -> usize {
    count.try_into().unwrap_or(0)
}

/// An array of handles as the library sees it.
pub(crate) struct Handles<H> {
    words: Vec<usize>,
    is_null: bool,
    of: PhantomData<H>,
}

impl<H: Foreign> Handles<H> {
    /// Reads the program's array.
    ///
    /// # Safety
    ///
    /// It has as many handles, or is null.
    pub(crate) unsafe fn read(raw: *const H::Raw, count: usize) -> Handles<H> {
        const { assert!(size_of::<H>() == size_of::<usize>()) };
        let mut words = HANDLES.with(|[first, second]| match first.take() {
            in_use if in_use.capacity() == 0 => second.take(),
            free => free,
        });
        words.clear();
        let is_null = raw.is_null();
        let count = if is_null { 0 } else { count };
        words.extend((0..count).map(|at| {
            // SAFETY: the caller vouches for the array; a handle of the library is a word.
            unsafe { std::mem::transmute_copy::<H, usize>(&H::from_raw(*raw.add(at))) }
        }));
        Handles { words, is_null, of: PhantomData }
    }

    /// For the library.
    pub(crate) fn as_ptr(&self) -> *const H {
        if self.is_null { std::ptr::null() } else { self.words.as_ptr().cast() }
    }

    /// For the library, to write.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut H {
        if self.is_null { null_mut() } else { self.words.as_mut_ptr().cast() }
    }

    /// Gives the program what the library has changed.
    ///
    /// # Safety
    ///
    /// The array is the one that was read.
    pub(crate) unsafe fn write(&self, raw: *mut H::Raw) {
        for (at, word) in self.words.iter().enumerate() {
            // SAFETY: the caller vouches for the array; the word is a handle.
            unsafe {
                let handle = std::mem::transmute_copy::<usize, H>(word);
                if H::from_raw(*raw.add(at)) != handle {
                    *raw.add(at) = handle.to_raw();
                }
            }
        }
    }
}

impl<H> Drop for Handles<H> {
    fn drop(&mut self) {
        let words = std::mem::take(&mut self.words);
        HANDLES.with(|[first, second]| {
            let other = first.replace(words);
            if other.capacity() > 0 {
                second.set(other);
            }
        });
    }
}

/// An array of statuses that the library writes, or none.
pub(crate) struct Statuses {
    raw: *mut MpichStatus,
    values: Vec<MPI_Status>,
}

impl Statuses {
    /// Room for so many.
    pub(crate) fn new(raw: *mut MpichStatus, count: usize) -> Statuses {
        if statuses::are_ignored(raw) {
            return Statuses { raw: null_mut(), values: Vec::new() };
        }
        let mut values = STATUSES.take();
        statuses::empty(count, &mut values);
        Statuses { raw, values }
    }

    /// For the library.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut MPI_Status {
        if self.raw.is_null() { null_mut() } else { self.values.as_mut_ptr() }
    }

    /// Gives the program what the library has written.
    ///
    /// # Safety
    ///
    /// The array has room for as many.
    pub(crate) unsafe fn write(&self) {
        // SAFETY: the caller vouches for the array.
        unsafe { statuses::write_all(&self.values, self.raw) };
    }
}

impl Drop for Statuses {
    fn drop(&mut self) {
        if self.values.capacity() > 0 {
            STATUSES.set(std::mem::take(&mut self.values));
        }
    }
}

/// An array of numbers as the library sees it, for calls that are rare.
pub(crate) struct Numbers(Option<Vec<c_int>>);

impl Numbers {
    /// Reads the program's array.
    ///
    /// # Safety
    ///
    /// It has as many numbers, or is null.
    pub(crate) unsafe fn read(
        raw: *const c_int,
        count: usize,
        convert: fn(c_int) -> c_int,
    ) -> Numbers {
        // SAFETY: the caller vouches for the array.
        let read = || (0..count).map(|at| convert(unsafe { *raw.add(at) })).collect();
        Numbers((!raw.is_null()).then(read))
    }

    /// For the library.
    pub(crate) fn as_ptr(&self) -> *const c_int {
        self.0.as_ref().map_or(std::ptr::null(), |numbers| numbers.as_ptr())
    }
}

/// Converts each number of an array.
///
/// # Safety
///
/// It has as many numbers, or is null.
pub(crate) unsafe fn convert_all(array: *mut c_int, count: usize, convert: fn(c_int) -> c_int) {
    let count = if array.is_null() { 0 } else { count };
    for at in 0..count {
        // SAFETY: the caller vouches for the array.
        unsafe { *array.add(at) = convert(*array.add(at)) };
    }
}
