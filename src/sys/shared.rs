//! State that several threads may reach and one at a time uses, without a lock: whoever comes while
//! another is there is told so.

pub(crate) use atomic_refcell::{AtomicRefCell, AtomicRefMut};
use crossbeam_channel::{Receiver, Sender};
/// What is used by mutable reference alone may be reached by threads that share nothing of it.
pub(crate) use sync_wrapper::SyncWrapper;

/// Things left for whoever is there next, in order.
pub(crate) struct Leftovers<T> {
    tx: Sender<T>,
    rx: Receiver<T>,
}

impl<T> Leftovers<T> {
    pub(crate) fn new() -> Leftovers<T> {
        let (tx, rx) = crossbeam_channel::unbounded();
        Leftovers { tx, rx }
    }

    pub(crate) fn leave(&self, left: T) {
        // It cannot fail: the other end is here too.
        let _ = self.tx.send(left);
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.rx.try_recv().ok()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rx.is_empty()
    }
}
