//! What differs between the languages and is no address: truth values, indices, strings, and arrays of handles.
//! Source: MPI 5.0, chapter *Language Bindings*.
//! Rules: up to 16 handles or truth values cost no allocation; a string is cut or filled with blanks.

use crate::abi::*;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, PoisonError};

/// Where the error code goes: nowhere, if the program left this optional argument out.
#[repr(transparent)]
pub struct Ierror(*mut c_int);

impl Ierror {
    /// Writes the code, and returns it.
    ///
    /// # Safety
    ///
    /// The argument is an INTEGER, or was left out.
    pub(crate) unsafe fn set(self, code: c_int) -> c_int {
        // SAFETY: the caller vouches for the argument.
        if let Some(ierror) = unsafe { self.0.as_mut() } {
            *ierror = code;
        }
        code
    }
}

/// A LOGICAL as C wants it. Compilers differ in what is true, 1 or -1; the lowest bit is the same in all.
pub(crate) fn truth(logical: c_int) -> c_int {
    logical & 1
}

/// A number of elements; none for what C refuses as negative.
///
/// # Safety
///
/// The pointer is valid.
pub(crate) unsafe fn to_length(count: *const c_int) -> usize {
    // SAFETY: the caller vouches for the pointer.
    usize::try_from(unsafe { *count }).unwrap_or(0)
}

/// Reads LOGICALs.
///
/// # Safety
///
/// The array is as long as `count` says.
pub(crate) unsafe fn truths(logicals: *const c_int, count: usize) -> SmallVec<[c_int; 16]> {
    // SAFETY: the caller vouches for the array.
    (0..count).map(|at| truth(unsafe { *logicals.add(at) })).collect()
}

/// Writes LOGICALs.
///
/// # Safety
///
/// The array is as long as `values`.
pub(crate) unsafe fn write_truths(logicals: *mut c_int, values: &[c_int]) {
    for (at, value) in values.iter().enumerate() {
        // SAFETY: the caller vouches for the array.
        unsafe { *logicals.add(at) = c_int::from(*value != 0) };
    }
}

/// An index from 1, of one from 0; what is no index stays.
pub(crate) fn from_one(index: c_int) -> c_int {
    if index >= 0 { index + 1 } else { index }
}

/// Makes indices count from 1. There are none if the call failed before it wrote them: their count is undefined.
///
/// # Safety
///
/// The array has `count` indices.
pub(crate) unsafe fn indices_from_one(indices: *mut c_int, count: c_int) {
    for at in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the caller vouches for the array.
        unsafe { *indices.add(at) = from_one(*indices.add(at)) };
    }
}

/// An array of handles as C wants it.
pub(crate) struct Handles<T: Copy>(SmallVec<[T; 16]>);

impl<T: Copy> Handles<T> {
    /// Room for handles that C writes.
    pub(crate) fn filled(null: T, count: usize) -> Handles<T> {
        Handles(SmallVec::from_elem(null, count))
    }

    /// Reads Fortran's array.
    ///
    /// # Safety
    ///
    /// The array is as long as `count` says.
    pub(crate) unsafe fn read(
        array: *const c_int,
        count: usize,
        from: impl Fn(c_int) -> T,
    ) -> Handles<T> {
        // SAFETY: the caller vouches for the array.
        Handles((0..count).map(|at| from(unsafe { *array.add(at) })).collect())
    }

    /// Writes Fortran's array.
    ///
    /// # Safety
    ///
    /// The array is as long as it was when it was read.
    pub(crate) unsafe fn write(&self, array: *mut c_int, to: impl Fn(T) -> c_int) {
        for (at, handle) in self.0.iter().enumerate() {
            // SAFETY: the caller vouches for the array.
            unsafe { *array.add(at) = to(*handle) };
        }
    }

    /// For C.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }

    /// For C, to write.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
        self.0.as_mut_ptr()
    }
}

impl Handles<MPI_Datatype> {
    /// The same handles in memory that stays: a nonblocking call may read them until it completes. Equal arrays
    /// share their memory, so a loop needs no more than its first pass.
    pub(crate) fn kept(self) -> &'static [MPI_Datatype] {
        static KEPT: Mutex<BTreeSet<&'static [MPI_Datatype]>> = Mutex::new(BTreeSet::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(self.0.as_slice()) {
            Some(array) => array,
            None => {
                let array = Vec::leak(self.0.to_vec());
                kept.insert(array);
                array
            }
        }
    }
}

/// A string that Fortran passes, as C wants it.
pub(crate) struct Text;

impl Text {
    /// Without the blanks behind it.
    ///
    /// # Safety
    ///
    /// The string has `length` characters.
    pub(crate) unsafe fn read(string: *const c_char, length: usize) -> CString {
        // SAFETY: the caller vouches for the string.
        let bytes = unsafe { std::slice::from_raw_parts(string.cast::<u8>(), length) };
        let bytes = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        CString::new(bytes.trim_ascii_end()).unwrap_or_default()
    }

    /// Without the blanks on both sides, as keys and values of info objects are.
    ///
    /// # Safety
    ///
    /// The string has `length` characters.
    pub(crate) unsafe fn trimmed(string: *const c_char, length: usize) -> CString {
        // SAFETY: the caller vouches for the string.
        let text = unsafe { Text::read(string, length) };
        CString::new(text.as_bytes().trim_ascii_start()).unwrap_or_default()
    }
}

/// Room for a string that C writes.
pub(crate) struct Room(Vec<u8>);

impl Room {
    /// As much as the longest string of the standard needs, and as Fortran's variable has.
    pub(crate) fn new(length: usize) -> Room {
        Room(vec![0; length.max(MPI_MAX_LIBRARY_VERSION_STRING) + 1])
    }

    /// For C.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    /// Copies what C has written, cut or filled with blanks.
    ///
    /// # Safety
    ///
    /// The string has `length` characters.
    pub(crate) unsafe fn write(&self, string: *mut c_char, length: usize) {
        // SAFETY: the caller vouches for the string.
        let string = unsafe { std::slice::from_raw_parts_mut(string.cast::<u8>(), length) };
        let text = self.0.split(|&byte| byte == 0).next().unwrap_or_default();
        let copied = text.len().min(length);
        string[..copied].copy_from_slice(&text[..copied]);
        string[copied..].fill(b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_lose_and_gain_blanks() {
        let fortran = *b"  name   ";
        // SAFETY: the lengths are those of the arrays.
        unsafe {
            assert_eq!(Text::read(fortran.as_ptr().cast(), 9).as_bytes(), b"  name");
            assert_eq!(Text::trimmed(fortran.as_ptr().cast(), 9).as_bytes(), b"name");
            assert_eq!(Text::read(fortran.as_ptr().cast(), 4).as_bytes(), b"  na");
            let mut room = Room::new(9);
            room.0[..5].copy_from_slice(b"hello");
            let mut variable = [b'x'; 9];
            room.write(variable.as_mut_ptr().cast(), 7);
            assert_eq!(&variable, b"hello  xx");
            room.write(variable.as_mut_ptr().cast(), 3);
            assert_eq!(&variable, b"hello  xx");
        }
    }

    #[test]
    fn indices_count_from_one_and_undefined_stays() {
        let mut indices = [0, 4, MPI_UNDEFINED, 7];
        // SAFETY: the counts are at most the array's length.
        unsafe {
            indices_from_one(indices.as_mut_ptr(), MPI_UNDEFINED);
            assert_eq!(indices, [0, 4, MPI_UNDEFINED, 7]);
            indices_from_one(indices.as_mut_ptr(), 3);
        }
        assert_eq!(indices, [1, 5, MPI_UNDEFINED, 7]);
    }

    #[test]
    fn equal_arrays_are_kept_once() {
        let array = |of: [usize; 2]| Handles(of.into_iter().map(MPI_Datatype).collect()).kept();
        assert_eq!(array([1, 2]).as_ptr(), array([1, 2]).as_ptr());
        assert_ne!(array([1, 2]).as_ptr(), array([2, 1]).as_ptr());
        assert_eq!(array([2, 1]), [MPI_Datatype(2), MPI_Datatype(1)]);
    }

    #[test]
    fn truth_is_the_lowest_bit() {
        let logicals = [0, 1, -1];
        // SAFETY: the array has three elements.
        let truths = unsafe { truths(logicals.as_ptr(), 3) };
        assert_eq!(truths.as_slice(), [0, 1, 1]);
    }
}
