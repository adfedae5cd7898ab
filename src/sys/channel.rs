//! Bounded channels: crossbeam's, or in a model a stand-in that loom can see.

#[cfg(not(loom))]
pub(crate) use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

#[cfg(loom)]
pub(crate) use stand_in::{Receiver, Sender, TrySendError, bounded};

/// Like crossbeam's bounded array channel, and no stronger. It promises that a receiver of a value
/// sees what the sender did before. It leaves out crossbeam's further fences. One end may therefore
/// find the channel empty, or full, when the other has just changed that.
#[cfg(loom)]
mod stand_in {
    use std::sync::{Arc, Mutex};

    use loom::sync::atomic::{AtomicUsize, Ordering};
    use loom::thread::yield_now;

    struct Slot<T> {
        /// Twice the lap, plus one while the slot is full.
        stamp: AtomicUsize,
        /// Only the owner of the slot, by stamp and position, touches the value. No thread
        /// therefore waits for the lock, and it orders nothing: loom does not see it.
        value: Mutex<Option<T>>,
    }

    struct Ring<T> {
        slots: Vec<Slot<T>>,
        head: AtomicUsize,
        tail: AtomicUsize,
    }

    pub(crate) struct Sender<T>(Arc<Ring<T>>);
    pub(crate) struct Receiver<T>(Arc<Ring<T>>);

    /// The channel was empty.
    #[derive(Debug)]
    pub(crate) struct Empty;

    #[derive(Debug)]
    pub(crate) enum TrySendError<T> {
        Full(T),
        /// Never happens: the ends are not counted here.
        #[allow(dead_code)]
        Disconnected(T),
    }

    pub(crate) fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
        let slot = || Slot { stamp: AtomicUsize::new(0), value: Mutex::new(None) };
        let ring = Arc::new(Ring {
            slots: std::iter::repeat_with(slot).take(capacity).collect(),
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        });
        (Sender(Arc::clone(&ring)), Receiver(ring))
    }

    impl<T> Ring<T> {
        /// The slot of a position, and the stamp that it has before it is filled.
        fn slot(&self, position: usize) -> (&Slot<T>, usize) {
            let capacity = self.slots.len();
            (&self.slots[position % capacity], position / capacity * 2)
        }
    }

    impl<T> Sender<T> {
        pub(crate) fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
            let ring = &*self.0;
            if ring.slots.is_empty() {
                return Err(TrySendError::Full(value));
            }
            loop {
                let tail = ring.tail.load(Ordering::Relaxed);
                let (slot, free) = ring.slot(tail);
                // Pairs with the store in `try_recv`.
                let stamp = slot.stamp.load(Ordering::Acquire);
                if stamp < free {
                    return Err(TrySendError::Full(value));
                }
                let next = tail + 1;
                let (relaxed, tails) = (Ordering::Relaxed, &ring.tail);
                if stamp == free && tails.compare_exchange(tail, next, relaxed, relaxed).is_ok() {
                    *slot.value.lock().unwrap() = Some(value);
                    // Pairs with the loads in `try_recv` and `is_empty`.
                    slot.stamp.store(free + 1, Ordering::Release);
                    return Ok(());
                }
                yield_now();
            }
        }
    }

    impl<T> Receiver<T> {
        pub(crate) fn try_recv(&self) -> Result<T, Empty> {
            let ring = &*self.0;
            if ring.slots.is_empty() {
                return Err(Empty);
            }
            loop {
                let head = ring.head.load(Ordering::Relaxed);
                let (slot, free) = ring.slot(head);
                // Pairs with the store in `try_send`.
                let stamp = slot.stamp.load(Ordering::Acquire);
                if stamp <= free {
                    return Err(Empty);
                }
                let next = head + 1;
                let (relaxed, heads) = (Ordering::Relaxed, &ring.head);
                if stamp == free + 1 && heads.compare_exchange(head, next, relaxed, relaxed).is_ok()
                {
                    let value = slot.value.lock().unwrap().take();
                    // Pairs with the load in `try_send`.
                    slot.stamp.store(free + 2, Ordering::Release);
                    return Ok(value.expect("a full slot"));
                }
                yield_now();
            }
        }

        pub(crate) fn is_empty(&self) -> bool {
            let ring = &*self.0;
            ring.slots.is_empty() || {
                let (slot, free) = ring.slot(ring.head.load(Ordering::Relaxed));
                // Pairs with the store in `try_send`.
                slot.stamp.load(Ordering::Acquire) <= free
            }
        }
    }
}
