//! Where a rank sleeps: a bringer of something wakes the owner there, and only an owner that really
//! sleeps costs it a call.
//!
//! It carries no news itself. There are two kinds of it:
//!
//! - What the sleeper can *look for* (a message in an inbox). The bringer publishes it and calls
//!   [`wake`](Parker::wake); the sleeper's `ready` finds it.
//! - What it can not look for (a word written into its memory, a peer that has gone). The bringer
//!   calls [`wake_with_news`](Parker::wake_with_news), which leaves a mark that the next sleep
//!   takes away.
//!
//! No wake-up is lost: the bringer publishes and then looks whether the rank sleeps; the sleeper
//! says that it sleeps and then looks for published words. With a `SeqCst` fence between the
//! two steps on both sides, at least one of them sees the other. Each sleep has a number, and a
//! bringer notes it when it has woken the owner from that: only then do others leave it to that one.
//! So a bringer that is taken off its core before keeps nobody else from waking the owner. The loom
//! models below check it.

use std::time::Duration;

use crate::sys::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::sys::thread::{Sleeper, park};

/// No sleep has this number.
const AWAKE: u64 = 0;

pub(super) struct Parker {
    /// The number of the sleep that the owner is in, or [`AWAKE`]. Only the owner changes it.
    sleeping: AtomicU64,
    /// The number of the owner's last sleep, which only it uses.
    last: AtomicU64,
    /// The number of a sleep that the owner was woken from, as its waker notes.
    woken: AtomicU64,
    /// Set by bringers of news; cleared by the owner alone.
    news: AtomicBool,
    sleeper: Sleeper,
}

impl Parker {
    pub(super) fn new() -> Self {
        Self {
            sleeping: AtomicU64::new(AWAKE),
            last: AtomicU64::new(AWAKE),
            woken: AtomicU64::new(AWAKE),
            news: AtomicBool::new(false),
            sleeper: Sleeper::new(),
        }
    }

    /// Wakes the owner if it sleeps. To be called *after* publishing what `ready` will find.
    pub(super) fn wake(&self) {
        // Orders published words before the look at `sleeping`. Pairs with the fence in `sleep`.
        fence(Ordering::SeqCst);
        if let Some(number) = self.find_asleep() {
            self.sleeper.wake();
            // Pairs with the load in `find_asleep`.
            self.woken.store(number, Ordering::Release);
        }
    }

    /// The number of the sleep that the caller has to end, if the owner sleeps and is not known to be
    /// woken.
    #[inline]
    fn find_asleep(&self) -> Option<u64> {
        // Pairs with the swap in `sleep`: the enlisted thread is the one that sleeps.
        let number = self.sleeping.load(Ordering::Acquire);
        // Pairs with the store in `wake`: the call has been made.
        (number != AWAKE && self.woken.load(Ordering::Acquire) != number).then_some(number)
    }

    /// As [`wake`](Self::wake), for what `ready` cannot find: the owner's next sleep, if it is not
    /// sleeping now, returns at once.
    pub(super) fn wake_with_news(&self) {
        // Orders published words before the look at `news`. Pairs with the fence in
        // `take_news`: either the mark is seen missing here, or the owner sees what it stood for.
        fence(Ordering::SeqCst);
        if !self.news.load(Ordering::Relaxed) {
            // Pairs with the load in `take_news`.
            self.news.store(true, Ordering::Release);
        }
        self.wake();
    }

    /// Sleeps until woken, or until the time is up. Returns at once if `ready` or if there is news.
    /// May return early without a reason. Only the owner calls it.
    pub(super) fn sleep(&self, ready: impl Fn() -> bool, timeout: Option<Duration>) {
        if self.take_news() || ready() {
            return;
        }
        self.sleeper.enlist();
        let number = self.last.load(Ordering::Relaxed) + 1;
        self.last.store(number, Ordering::Relaxed);
        // Pairs with the load in `wake`.
        self.sleeping.swap(number, Ordering::AcqRel);
        // Orders `sleeping` before the looks for published words. Pairs with the fence in
        // `wake`.
        fence(Ordering::SeqCst);
        if !self.news.load(Ordering::Relaxed) && !ready() {
            park(timeout);
        }
        // A bringer that has found it asleep, and comes to the call only now, leaves a token behind: one
        // early return.
        self.sleeping.swap(AWAKE, Ordering::AcqRel);
        self.take_news();
    }

    /// Takes the mark away, if it is there. What it stood for is then visible.
    fn take_news(&self) -> bool {
        // Pairs with the store in `wake_with_news`.
        let news = self.news.load(Ordering::Acquire);
        if news {
            self.news.store(false, Ordering::Relaxed);
            // Orders the removal before whatever the owner looks at next. Pairs with the first
            // fence in `wake_with_news`.
            fence(Ordering::SeqCst);
        }
        news
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::sync::Arc;
    use loom::thread;

    use super::Parker;
    use crate::sys::atomic::{AtomicBool, Ordering};

    /// A parker and a place for each of two bringers.
    struct Rank {
        parker: Parker,
        brought: [AtomicBool; 2],
    }

    impl Rank {
        fn new() -> Arc<Self> {
            Arc::new(Self {
                parker: Parker::new(),
                brought: [AtomicBool::new(false), AtomicBool::new(false)],
            })
        }

        // Relaxed on purpose: the parker's own fences must do.
        fn bring(&self, place: usize) {
            self.brought[place].store(true, Ordering::Relaxed);
        }

        fn has(&self, place: usize) -> bool {
            self.brought[place].load(Ordering::Relaxed)
        }
    }

    /// The owner waits until all places are filled; loom calls it a deadlock if it parks and nobody
    /// wakes it. It has a thread of its own, since in loom a late wake-up would end a `join` too.
    ///
    /// One bringer: all schedules. Two: those of up to 3 preemptions, one for each thread, since
    /// each may be stopped once between what it stores and what it looks at.
    fn model(owner: fn(&Rank), bringers: &'static [fn(&Rank)]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = (bringers.len() > 1).then_some(3);
        model.check(move || {
            let rank = Rank::new();
            let spawn = |body: fn(&Rank)| {
                let rank = Arc::clone(&rank);
                thread::spawn(move || body(&rank))
            };
            let threads =
                [spawn(owner)].into_iter().chain(bringers.iter().map(|body| spawn(*body)));
            for thread in threads.collect::<Vec<_>>() {
                thread.join().unwrap();
            }
        });
    }

    fn send(rank: &Rank) {
        rank.bring(0);
        rank.parker.wake();
    }

    fn put<const PLACE: usize>(rank: &Rank) {
        rank.bring(PLACE);
        rank.parker.wake_with_news();
    }

    #[test]
    fn thread_parker_loses_no_message() {
        let owner = |rank: &Rank| {
            while !rank.has(0) {
                rank.parker.sleep(|| rank.has(0), None);
            }
        };
        model(owner, &[send]);
    }

    /// `ready` finds nothing: the mark alone must do.
    #[test]
    fn thread_parker_loses_no_news() {
        let owner = |rank: &Rank| {
            while !rank.has(0) {
                rank.parker.sleep(|| false, None);
            }
        };
        model(owner, &[put::<0>]);
    }

    /// One bringer finds the mark of the other, or its wake-up under way, and leaves the rest to
    /// it.
    #[test]
    fn thread_parker_serves_two_bringers() {
        let owner = |rank: &Rank| {
            while !(rank.has(0) && rank.has(1)) {
                rank.parker.sleep(|| false, None);
            }
        };
        model(owner, &[put::<0>, put::<1>]);
    }

    /// Of two bringers one is taken off its core for ever before it wakes the owner, which waits for the
    /// other alone.
    #[test]
    fn thread_parker_is_woken_though_another_bringer_stops_halfway() {
        let owner = |rank: &Rank| {
            while !rank.has(0) {
                rank.parker.sleep(|| rank.has(0), None);
            }
        };
        model(owner, &[send, stop_before_the_call]);
    }

    /// All that a bringer does before the call is to look.
    fn stop_before_the_call(rank: &Rank) {
        rank.parker.find_asleep();
    }

    /// A message and news together: the sleep that ends for one must not swallow the other.
    #[test]
    fn thread_parker_serves_a_message_and_news() {
        let owner = |rank: &Rank| {
            let mut seen = false;
            while !(seen && rank.has(1)) {
                rank.parker.sleep(|| !seen && rank.has(0), None);
                seen |= rank.has(0);
            }
        };
        model(owner, &[send, put::<1>]);
    }
}
