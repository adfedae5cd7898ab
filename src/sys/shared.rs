//! State that several threads share and that one at a time uses, without a lock: a second user is
//! refused. Handles ([`Place`]) are copied freely and keep nothing alive.
//!
//! # Correctness
//!
//! One thread, the *favourite*, takes its turn by plain stores: it says that it is busy, and looks
//! whether the gate still has its name. An atomic change would make the processor wait for all that
//! was stored before. Any other thread first takes the turn by an atomic change, and closes the gate
//! for good. It then has to see whether the favourite is busy. Both store and then look at the
//! other's word (Dekker), which needs a fence on each side. The favourite has a compiler fence alone.
//! The other thread has the system execute a fence everywhere ([`membarrier`]),
//! and waits for a [`MOMENT`], since a core may be left out that is just beginning to run.
//! From then on all threads take their turns by atomic changes. A thread may have the name of one that
//! has ended, and be the favourite in its place: all that the other did comes before it. The unit tests search every run of
//! these steps on a machine that delays stores.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
pub(crate) use std::sync::Weak;
// Not loom's: no model contains these.
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering, compiler_fence};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};

use super::membarrier;
use super::thread_name::{give_name, thread_name};

/// For so long a core may be left out of a fence that the system executes everywhere.
const MOMENT: Duration = Duration::from_millis(1);

/// No thread is the favourite.
const CLOSED: u64 = u64::MAX;

/// A handle of a place for a value that one thread at a time uses. The place stays for as long as the
/// process runs, so that a handle needs no count; its few words are all that stays when the value
/// was taken away.
pub(crate) struct Place<T: 'static> {
    words: &'static Words<T>,
}

struct Words<T> {
    /// The name of the favourite, or [`CLOSED`].
    gate: AtomicU64,
    /// Whether the favourite uses the value. Only it changes this.
    busy: AtomicBool,
    /// Whether a thread uses the value that has not come through the gate.
    taken: AtomicBool,
    /// Null when the value was taken away.
    value: AtomicPtr<T>,
    owns: PhantomData<UnsafeCell<T>>,
}

// SAFETY: the value is reached by one thread at a time, as the head of this file shows. It is dropped
// by the thread that takes it away.
unsafe impl<T: Send> Sync for Words<T> {}

impl<T> Copy for Place<T> {}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Whether both are handles of one place.
impl<T> PartialEq for Place<T> {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.words, other.words)
    }
}

/// Why a value cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another thread uses it, or this one does already.
    Busy,
    /// It was taken away.
    Gone,
}

impl<T> Place<T> {
    /// A place with this value. The calling thread is its favourite.
    pub(crate) fn new(value: T) -> Self {
        let gate = if membarrier::register() { give_name() } else { CLOSED };
        let words = Words {
            gate: AtomicU64::new(gate),
            busy: AtomicBool::new(false),
            taken: AtomicBool::new(false),
            value: AtomicPtr::new(Box::into_raw(Box::new(value))),
            owns: PhantomData,
        };
        Self { words: Box::leak(Box::new(words)) }
    }

    /// The value. A thread that has not come through the gate lets `first` have it before: there is
    /// work to be done that a refused thread has left.
    #[inline(always)]
    pub(crate) fn try_use(self, first: impl FnOnce(&mut T)) -> Result<InUse<'static, T>, Refusal> {
        let (words, name) = (self.words, thread_name());
        if words.gate.load(Ordering::Relaxed) == name && !words.busy.load(Ordering::Relaxed) {
            words.busy.store(true, Ordering::Relaxed);
            // The system's fence, of the thread that closes the gate, comes anywhere in between.
            compiler_fence(Ordering::SeqCst);
            if words.gate.load(Ordering::Relaxed) == name {
                let value = words.value.load(Ordering::Relaxed);
                // SAFETY: the gate is open, so the value is there, and no other thread has it: one that
                // closes the gate now sees that this one is busy.
                let value = unsafe { NonNull::new_unchecked(value) };
                return Ok(InUse { value, turn: Turn(&words.busy), borrows: PhantomData });
            }
            // Pairs with the load in `use_otherwise`.
            words.busy.store(false, Ordering::Release);
        }
        self.use_otherwise(first)
    }

    /// As [`try_use`](Self::try_use), where the calling thread is not the favourite, or is busy.
    #[cold]
    #[inline(never)]
    fn use_otherwise(self, first: impl FnOnce(&mut T)) -> Result<InUse<'static, T>, Refusal> {
        let words = self.words;
        // Pairs with the store in `Turn::drop`.
        if words.taken.swap(true, Ordering::Acquire) {
            return Err(Refusal::Busy);
        }
        let turn = Turn(&words.taken);
        let favourite = words.gate.load(Ordering::Relaxed);
        if favourite != CLOSED {
            words.gate.store(CLOSED, Ordering::SeqCst);
            if favourite != thread_name() {
                // Should the system refuse it by now, the wait alone does it: what the favourite has stored
                // arrives meanwhile.
                membarrier::fence_everywhere();
                std::thread::sleep(MOMENT);
            }
        }
        // Pairs with the stores by which the favourite says that it is no more busy.
        if words.busy.load(Ordering::Acquire) {
            return Err(Refusal::Busy);
        }
        let value = NonNull::new(words.value.load(Ordering::Acquire)).ok_or(Refusal::Gone)?;
        let mut used = InUse { value, turn, borrows: PhantomData };
        first(&mut used);
        Ok(used)
    }

    /// Takes the value away: the place is empty for good. `last` has it before, while others are refused it
    /// as one that is in use.
    pub(crate) fn take(self, last: impl FnOnce(&mut T)) -> Result<T, Refusal> {
        let used = self.use_otherwise(last)?;
        let value = self.words.value.swap(ptr::null_mut(), Ordering::AcqRel);
        debug_assert_eq!(value, used.value.as_ptr());
        drop(used);
        // SAFETY: it came from a box, and no other thread can come by it any more: the gate is closed, and
        // the place is empty.
        Ok(*unsafe { Box::from_raw(value) })
    }
}

/// The value of a [`Place`], in use until this is dropped.
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
        // Pairs with the swap and the load in `use_otherwise`.
        self.0.store(false, Ordering::Release);
    }
}

impl<'a, T> InUse<'a, T> {
    /// A part of the value.
    #[inline(always)]
    pub(crate) fn part<U>(mut self, part: impl FnOnce(&mut T) -> &mut U) -> InUse<'a, U> {
        let value = NonNull::from(part(&mut *self));
        InUse { value, turn: self.turn, borrows: PhantomData }
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
mod model;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn uses(place: Place<u64>, most: u64) {
        let mut done = 0;
        while done < most {
            let Ok(mut value) = place.try_use(|_| {}) else { continue };
            assert_eq!(place.try_use(|_| {}).err(), Some(Refusal::Busy), "two have it");
            let before = *value;
            std::hint::spin_loop();
            *value = before + 1;
            done += 1;
        }
    }

    /// The favourite and others use the value at the same time. Each has it alone, and finds what the
    /// others have done; the gate is open at first, and closed under way.
    /// (Mutants: a favourite that does not look at the gate again; one that closes the gate and does not
    /// look whether the favourite is busy; a turn that is not given back.)
    #[test]
    fn one_thread_at_a_time_uses_the_value() {
        const USES: u64 = 2_000;
        const ROUNDS: u64 = 50;
        for round in 0..ROUNDS {
            let place = Place::new(0);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(move || {
                        std::thread::sleep(Duration::from_micros(round % 7 * 10));
                        uses(place, USES)
                    });
                }
                uses(place, USES);
            });
            assert_eq!(place.take(|_| {}), Ok(3 * USES));
            assert_eq!(place.take(|_| {}), Err(Refusal::Gone));
        }
    }

    /// The favourite alone needs no atomic change, and sees when the value has gone.
    #[test]
    fn the_favourite_passes_the_gate_without_an_atomic_change() {
        let place = Place::new(Some(1));
        let mut left = false;
        *place.try_use(|_| left = true).unwrap() = Some(2);
        assert_eq!(left, !membarrier::register(), "it had to ask");
        assert_eq!(*place.try_use(|_| {}).unwrap().part(|value| value), Some(2));
        assert_eq!(place.take(|_| {}), Ok(Some(2)));
        assert_eq!(place.try_use(|_| {}).err(), Some(Refusal::Gone));
        // Another thread has it do the work that was left before.
        let place = Place::new(1);
        let found = std::thread::spawn(move || *place.try_use(|value| *value += 1).unwrap());
        assert_eq!(found.join().unwrap(), 2);
    }

    /// A thread may be given the name of a favourite that has ended. It comes through the gate then, and finds what the
    /// older has done.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        not(miri)
    ))]
    #[test]
    fn a_younger_thread_may_take_the_name_of_a_favourite_that_has_ended() {
        let favourite = || {
            let place = Place::new(1);
            *place.try_use(|_| {}).unwrap() += 1;
            (place, give_name())
        };
        let younger = |(place, name): (Place<u64>, u64)| {
            if thread_name() != name {
                return None;
            }
            let mut left = false;
            let found = *place.try_use(|_| left = true).unwrap();
            Some((found, left))
        };
        // Mostly the next has it. Threads of other tests may have taken it.
        let found = (0..1000).find_map(|_| {
            let older = std::thread::spawn(favourite).join().unwrap();
            let found = std::thread::spawn(move || younger(older)).join().unwrap();
            if found.is_none() {
                older.0.take(|_| {}).unwrap();
            }
            found
        });
        let has_to_ask = !membarrier::register();
        assert_eq!(found.expect("names are used again"), (2, has_to_ask));
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
