//! State that several threads share and that one at a time uses, without a lock: a second user is
//! refused.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
// Not loom's: no model contains these.
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, TryLockError};

use crossbeam_channel::{Receiver, Sender};

/// A handle of a shared value that one thread at a time uses, with a `C` beside it that all may
/// read. A handle is used by one thread at a time (it is not `Sync`). A thread with the only handle
/// therefore takes its turn by a plain store. An atomic read-modify-write would make the processor
/// wait for all earlier stores.
pub(crate) struct Shared<T, C> {
    inner: Arc<Inner<T, C>>,
    one_thread: PhantomData<Cell<()>>,
}

struct Inner<T, C> {
    /// Whether a thread uses the value.
    busy: AtomicBool,
    value: UnsafeCell<T>,
    beside: C,
}

// SAFETY: `busy` lets one thread at a time access the value; what is beside it is shared.
unsafe impl<T: Send, C: Send + Sync> Sync for Inner<T, C> {}

impl<T, C> Clone for Shared<T, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), one_thread: PhantomData }
    }
}

impl<T, C> Shared<T, C> {
    pub(crate) fn new(value: T, beside: C) -> Self {
        let (busy, value) = (AtomicBool::new(false), UnsafeCell::new(value));
        Self { inner: Arc::new(Inner { busy, value, beside }), one_thread: PhantomData }
    }

    /// The shared part beside the value.
    #[inline]
    pub(crate) fn beside(&self) -> &C {
        &self.inner.beside
    }

    /// The value, unless it is in use.
    #[inline]
    pub(crate) fn try_use(&self) -> Option<InUse<'_, T>> {
        let busy = &self.inner.busy;
        if Arc::strong_count(&self.inner) == 1 {
            // Pairs with the decrement by which the last other handle was dropped: its use of the
            // value came before. Meanwhile only this thread could create another handle, from this
            // one.
            fence(Ordering::Acquire);
            if busy.load(Ordering::Relaxed) {
                return None;
            }
            // A later handle comes from this thread, so its owner sees this store.
            busy.store(true, Ordering::Relaxed);
        } else if busy.swap(true, Ordering::Acquire) {
            // Pairs with the store in `InUse::drop`.
            return None;
        }
        // SAFETY: `busy` was false and is true now, and nobody else has changed it meanwhile: they
        // would have had to own a handle, and there was no other, or the swap has decided. It stays
        // so until the guard is dropped, so there is no other reference to the value.
        let value = NonNull::from(unsafe { &mut *self.inner.value.get() });
        Some(InUse { value, turn: Turn(busy), borrows: PhantomData })
    }
}

/// The value of a [`Shared`], in use until this is dropped.
pub(crate) struct InUse<'a, T> {
    // A pointer and not a reference: a reference would have to be valid until the function returns
    // that drops this, but others may use the value as soon as it is dropped.
    value: NonNull<T>,
    turn: Turn<'a>,
    borrows: PhantomData<&'a mut T>,
}

struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        // Pairs with the swap in `try_use`.
        self.0.store(false, Ordering::Release);
    }
}

impl<'a, T> InUse<'a, T> {
    /// A part of the value, if it exists.
    #[inline]
    pub(crate) fn part<U>(
        mut self,
        part: impl FnOnce(&mut T) -> Option<&mut U>,
    ) -> Option<InUse<'a, U>> {
        let value = NonNull::from(part(&mut *self)?);
        Some(InUse { value, turn: self.turn, borrows: PhantomData })
    }
}

impl<T> Deref for InUse<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: it is valid and nobody else's while `turn` lasts.
        unsafe { self.value.as_ref() }
    }
}

impl<T> DerefMut for InUse<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { self.value.as_mut() }
    }
}

/// A value that one caller at a time uses. Another caller does not wait, but is refused.
#[derive(Debug, Default)]
pub(crate) struct OneAtATime<T>(Mutex<T>);

/// The value of a [`OneAtATime`], in use until this is dropped.
pub(crate) type Exclusive<'a, T> = MutexGuard<'a, T>;

impl<T> OneAtATime<T> {
    pub(crate) fn new(value: T) -> OneAtATime<T> {
        OneAtATime(Mutex::new(value))
    }

    /// The value, unless it is in use. A user that panicked has ended its use.
    pub(crate) fn try_use(&self) -> Option<Exclusive<'_, T>> {
        match self.0.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(value)) => Some(value.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A queue of things left for the next user, in order.
pub(crate) struct Leftovers<T> {
    tx: Sender<T>,
    rx: Receiver<T>,
    /// Whether something was left since the last take, so that not every call must check the
    /// channel.
    some: AtomicBool,
}

impl<T> Leftovers<T> {
    pub(crate) fn new() -> Leftovers<T> {
        let (tx, rx) = crossbeam_channel::unbounded();
        Leftovers { tx, rx, some: AtomicBool::new(false) }
    }

    pub(crate) fn leave(&self, left: T) {
        // It cannot fail: the other end is here too.
        let _ = self.tx.send(left);
        // Pairs with the load in `is_empty`.
        self.some.store(true, Ordering::Release);
    }

    pub(crate) fn take(&self) -> Option<T> {
        // Before the check, so that a thing left during it sets the flag again. Pairs with the
        // store in `leave`.
        self.some.swap(false, Ordering::AcqRel);
        let left = self.rx.try_recv().ok();
        if left.is_some() {
            self.some.store(true, Ordering::Release);
        }
        left
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.some.load(Ordering::Acquire)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Handles come and go in several threads; whoever has the value has it alone, and finds what
    /// others have done. (Planted: an only handle that says nothing while it uses the value, and
    /// one that does not give its turn back.)
    #[test]
    fn one_at_a_time_uses_it() {
        const USES: u64 = 20_000;
        let first = Shared::new(0_u64, "beside");
        let uses = |handle: Shared<u64, &str>| {
            let mut done = 0;
            while done < USES {
                // Now and then it is the only one, now and then one of several.
                let other = done.is_multiple_of(3).then(|| handle.clone());
                if let Some(mut value) = handle.try_use() {
                    assert!(handle.clone().try_use().is_none(), "two have it");
                    let before = *value;
                    std::hint::spin_loop();
                    *value = before + 1;
                    done += 1;
                }
                drop(other);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let handle = first.clone();
                scope.spawn(move || uses(handle));
            }
        });
        assert_eq!(first.try_use().map(|value| *value), Some(2 * USES));
        uses(first.clone());
        assert_eq!(first.try_use().map(|value| *value), Some(3 * USES));
        assert_eq!(*first.beside(), "beside");
        let text = Shared::new(Some(1), ());
        assert!(text.try_use().unwrap().part(Option::as_mut).is_some());
        text.try_use().unwrap().take();
        assert!(text.try_use().unwrap().part(Option::as_mut).is_none());
        assert!(text.try_use().is_some(), "a part that is missing gives the turn back");
    }

    #[test]
    fn a_value_in_use_is_refused_and_a_panic_ends_its_use() {
        let value = OneAtATime::new(1);
        let mut used = value.try_use().unwrap();
        assert!(value.try_use().is_none());
        *used = 2;
        drop(used);
        let panics = || {
            let _used = value.try_use();
            panic!("planted");
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).unwrap_err();
        assert_eq!(value.try_use().map(|value| *value), Some(2));
    }
}
