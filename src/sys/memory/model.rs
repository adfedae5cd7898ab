//! The stand-in for mapped memory in a model: words that loom sees, created at their first use.
//!
//! All uses of the words at a place must ask for the same number and type. There are no bytes. In a
//! model messages are short; the buffers of longer ones have models of their own, of the ring.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex};

use super::{BorrowedFd, SystemError};
pub(crate) use crate::sys::atomic::AtomicU64;
pub(crate) use crate::sys::futex::ModelFutex as AtomicU32;

/// The first bytes of a file.
pub(crate) struct Mapping {
    len: usize,
    /// The words, by place. One thread of a model runs at a time, so no thread ever waits for the
    /// lock.
    words: Mutex<BTreeMap<usize, Arc<dyn Any + Send + Sync>>>,
}

impl Mapping {
    pub(crate) fn new(_: BorrowedFd<'_>, len: usize) -> Result<Arc<Mapping>, SystemError> {
        Ok(Arc::new(Mapping { len, words: Mutex::default() }))
    }

    pub(crate) fn words<T: Word>(self: &Arc<Self>, offset: usize, len: usize) -> Mapped<T> {
        let new = || -> Arc<[T]> { std::iter::repeat_with(T::zero).take(len).collect() };
        if len == 0 {
            return Mapped { words: new(), part: 0..0 };
        }
        assert!(offset < self.len, "{len} words at {offset} of {}", self.len);
        let mut words = self.words.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let place = words.entry(offset).or_insert_with(|| Arc::new(new()));
        let words = place.downcast_ref::<Arc<[T]>>().expect("words of one kind at a place");
        assert_eq!(words.len(), len, "as many words at a place as before");
        Mapped { words: Arc::clone(words), part: 0..len }
    }

    pub(crate) fn bytes(self: &Arc<Self>, _: usize, _: usize) -> MappedBytes {
        MappedBytes
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// A type that may be in mapped memory.
pub(crate) trait Word: Send + Sync + 'static {
    fn zero() -> Self;
}

impl Word for AtomicU32 {
    fn zero() -> Self {
        AtomicU32::new()
    }
}

impl Word for AtomicU64 {
    fn zero() -> Self {
        AtomicU64::new(0)
    }
}

/// Words in a mapping.
pub(crate) struct Mapped<T> {
    words: Arc<[T]>,
    part: Range<usize>,
}

impl<T> Mapped<T> {
    pub(crate) fn part(&self, first: usize, len: usize) -> Mapped<T> {
        let start = self.part.start + first;
        assert!(start + len <= self.part.end, "{len} words at {first}");
        Mapped { words: Arc::clone(&self.words), part: start..start + len }
    }
}

impl<T> Mapped<T> {
    pub(crate) fn word(&self, at: usize) -> MappedWord<T> {
        MappedWord(self.part(at, 1))
    }
}

/// One word in a mapping.
pub(crate) struct MappedWord<T>(Mapped<T>);

impl<T> Deref for MappedWord<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0[0]
    }
}

impl<T> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.words[self.part.clone()]
    }
}

/// No bytes.
pub(crate) struct MappedBytes;

impl MappedBytes {
    /// # Safety
    ///
    /// As of mapped memory.
    pub(crate) unsafe fn write(&self, _: usize, _: &[u8], _: &[u8], _: bool) {
        panic!("a model has no message that needs a buffer")
    }

    /// # Safety
    ///
    /// As of mapped memory.
    pub(crate) unsafe fn read(&self, _: usize, _: usize) -> &[u8] {
        panic!("a model has no message that needs a buffer")
    }

    /// # Safety
    ///
    /// As of mapped memory.
    pub(crate) unsafe fn copy_out(&self, _: usize, _: &mut [u8]) {
        panic!("a model has no message that needs a buffer")
    }

    /// # Safety
    ///
    /// As of mapped memory.
    pub(crate) unsafe fn words<T: Word>(&self, _: usize, _: usize) -> Mapped<T> {
        panic!("a model has no message that needs a buffer")
    }
}
