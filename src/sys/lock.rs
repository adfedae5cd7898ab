//! A value that one thread at a time looks at. For what happens seldom: the paths of messages and barriers have none.

#[cfg(loom)]
use loom::sync::Mutex;
#[cfg(not(loom))]
use std::sync::Mutex;

/// A value under a lock.
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Lock<T> {
        Lock(Mutex::new(value))
    }

    /// Lets `look` have the value. A panic within leaves it as it is then, for the next.
    pub(crate) fn with<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Lock<T> {
        Lock::new(T::default())
    }
}
