//! Maps a file into the memory of this process.

use std::ffi::c_void;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};

use super::{BorrowedFd, SystemError, cannot_shrink, failed, length};
pub(crate) use crate::sys::atomic::plain::{AtomicU32, AtomicU64};
use crate::sys::copy::{copy, copy_bytes, copy_streaming};

/// The first bytes of a file that cannot shrink, mapped into this process.
pub(crate) struct Mapping {
    first: NonNull<u8>,
    len: usize,
}

// SAFETY: it is only an address and a length. Access through it is either atomic, or guarded by the
// contract of `MappedBytes`.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `len` bytes of a file that cannot shrink; `len` must not be 0.
    pub(crate) fn new(fd: BorrowedFd<'_>, len: usize) -> Result<Arc<Mapping>, SystemError> {
        // `words` and `bytes` rely on this: access beyond the end of the file would fault.
        if !cannot_shrink(fd) || length(fd)? < len as u64 || isize::try_from(len).is_err() {
            return Err(failed("mmap")(Errno::INVAL));
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, at an address that the system chooses, replaces no other.
        let first =
            unsafe { rustix::mm::mmap(ptr::null_mut(), len, protection, MapFlags::SHARED, fd, 0) };
        let first = first.map_err(failed("mmap"))?;
        let first = NonNull::new(first.cast()).ok_or(("mmap", Errno::NOMEM.raw_os_error()))?;
        Ok(Arc::new(Mapping { first, len }))
    }

    /// `len` words of the mapping, from `offset` bytes on.
    ///
    /// # Panics
    ///
    /// If they are not within the mapping, or not aligned.
    pub(crate) fn words<T: Word>(self: &Arc<Self>, offset: usize, len: usize) -> Mapped<T> {
        assert!(offset.is_multiple_of(align_of::<T>()), "words at {offset}");
        let bytes = len.checked_mul(size_of::<T>()).expect("a length within the mapping");
        let first = self.place(offset, bytes).cast();
        Mapped { mapping: Arc::clone(self), first, len }
    }

    /// `len` bytes of the mapping, from `offset` on.
    ///
    /// # Panics
    ///
    /// If they are not within the mapping.
    pub(crate) fn bytes(self: &Arc<Self>, offset: usize, len: usize) -> MappedBytes {
        let first = self.place(offset, len);
        MappedBytes { first, len, mapping: Arc::clone(self) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn place(&self, offset: usize, len: usize) -> NonNull<u8> {
        let end = offset.checked_add(len);
        assert!(end.is_some_and(|end| end <= self.len), "{len} bytes at {offset} of {}", self.len);
        // SAFETY: `offset` lies within the mapping, or at its end.
        unsafe { self.first.add(offset) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and whatever points into it holds an `Arc` of it.
        let _ = unsafe { rustix::mm::munmap(self.first.as_ptr().cast::<c_void>(), self.len) };
    }
}

/// A type that may be in memory that others write.
///
/// # Safety
///
/// It has the size and alignment of its value, any bytes are a valid value, and it is read and
/// written atomically through a shared reference.
pub(crate) unsafe trait Word {}
// SAFETY: so are the atomics of the standard library.
unsafe impl Word for AtomicU32 {}
// SAFETY: so are the atomics of the standard library.
unsafe impl Word for AtomicU64 {}

/// Atomic words in a mapping.
pub(crate) struct Mapped<T> {
    first: NonNull<T>,
    len: usize,
    mapping: Arc<Mapping>,
}

// SAFETY: it stands for a shared slice of `T`, whose mapping it keeps.
unsafe impl<T: Word + Sync> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: Word + Sync> Sync for Mapped<T> {}

impl<T: Word> Mapped<T> {
    /// Some of them.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub(crate) fn part(&self, first: usize, len: usize) -> Mapped<T> {
        let part = &self[first..][..len];
        Mapped { first: NonNull::from(part).cast(), len, mapping: Arc::clone(&self.mapping) }
    }
}

impl<T: Word> Mapped<T> {
    /// One of them.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub(crate) fn word(&self, at: usize) -> MappedWord<T> {
        MappedWord { place: NonNull::from(&self[at]), _mapping: Arc::clone(&self.mapping) }
    }
}

/// One atomic word in a mapping, accessed without a bounds check.
pub(crate) struct MappedWord<T> {
    place: NonNull<T>,
    _mapping: Arc<Mapping>,
}

// SAFETY: it stands for a shared `T`, whose mapping it keeps.
unsafe impl<T: Word + Sync> Send for MappedWord<T> {}
// SAFETY: as above.
unsafe impl<T: Word + Sync> Sync for MappedWord<T> {}

impl<T: Word> Deref for MappedWord<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: it is one of the words of a `Mapped`, which says why these are valid; the mapping
        // lives as long as this.
        unsafe { self.place.as_ref() }
    }
}

impl<T: Word> Deref for Mapped<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `Mapping::words` has checked place and alignment; the mapping lives as long as
        // this; any bytes are a `T` (see `Word`), and all access to them is atomic.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

/// Bytes in a mapping.
pub(crate) struct MappedBytes {
    first: NonNull<u8>,
    len: usize,
    mapping: Arc<Mapping>,
}

// SAFETY: an address, a length, and what keeps them valid. Access is unsafe and says when it is
// allowed.
unsafe impl Send for MappedBytes {}
// SAFETY: as above.
unsafe impl Sync for MappedBytes {}

impl MappedBytes {
    /// Copies `head` and behind it `tail` to the bytes from `at` on; the latter by [streaming
    /// stores](copy_streaming) if so wanted.
    ///
    /// # Panics
    ///
    /// If there is no room for them.
    ///
    /// # Safety
    ///
    /// No thread reads or writes these bytes meanwhile, and no reference to them exists.
    #[inline]
    pub(crate) unsafe fn write(&self, at: usize, head: &[u8], tail: &[u8], streaming: bool) {
        let end = at.checked_add(head.len()).and_then(|end| end.checked_add(tail.len()));
        assert!(end.is_some_and(|end| end <= self.len), "no room at {at} of {}", self.len);
        // SAFETY: it lies within the mapping, as checked. The sources are none of its bytes: who
        // wrote them into a shared reference would have broken the contract of `bytes`.
        unsafe {
            let place = self.first.add(at).as_ptr();
            ptr::copy_nonoverlapping(head.as_ptr(), place, head.len());
            let place = place.add(head.len());
            if streaming {
                copy_streaming(tail.as_ptr(), place, tail.len());
            } else {
                copy(tail.as_ptr(), place, tail.len());
            }
        }
    }

    /// The `len` bytes from `at` on.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    ///
    /// # Safety
    ///
    /// As long as they are borrowed, nobody writes them.
    #[inline]
    pub(crate) unsafe fn read(&self, at: usize, len: usize) -> &[u8] {
        let end = at.checked_add(len);
        assert!(end.is_some_and(|end| end <= self.len), "{len} bytes at {at} of {}", self.len);
        // SAFETY: it lies within the mapping, as checked, which lives as long as `self`; that
        // nobody writes is the caller's promise.
        unsafe { std::slice::from_raw_parts(self.first.add(at).as_ptr(), len) }
    }

    /// Copies the bytes from `at` on to `into`.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    ///
    /// # Safety
    ///
    /// Nobody writes them meanwhile.
    pub(crate) unsafe fn copy_out(&self, at: usize, into: &mut [u8]) {
        // SAFETY: as the caller promises; the reference ends here.
        copy_bytes(unsafe { self.read(at, into.len()) }, into);
    }

    /// `len` words among these bytes, from `at` on.
    ///
    /// # Panics
    ///
    /// If they are not within, or not aligned.
    ///
    /// # Safety
    ///
    /// As long as the words are there, nobody reads or writes these bytes otherwise.
    pub(crate) unsafe fn words<T: Word>(&self, at: usize, len: usize) -> Mapped<T> {
        let end = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(at));
        assert!(end.is_some_and(|end| end <= self.len), "{len} words at {at} of {}", self.len);
        // SAFETY: it lies within the mapping, as checked.
        let first = unsafe { self.first.add(at) };
        assert!(first.addr().get().is_multiple_of(align_of::<T>()), "words at {at}");
        Mapped { first: first.cast(), len, mapping: Arc::clone(&self.mapping) }
    }
}
