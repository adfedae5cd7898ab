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
//! two steps on both sides, at least one of them sees the other. The loom models below check it.

use std::time::Duration;

use crate::sys::atomic::{AtomicBool, Ordering, fence};
use crate::sys::thread::{Sleeper, park};

pub(super) struct Parker {
    /// Set by the owner before it parks; cleared by the rank that wakes it, or by itself.
    sleeping: AtomicBool,
    /// Set by bringers of news; cleared by the owner alone.
    news: AtomicBool,
    sleeper: Sleeper,
}

impl Parker {
    pub(super) fn new() -> Self {
        Self {
            sleeping: AtomicBool::new(false),
            news: AtomicBool::new(false),
            sleeper: Sleeper::new(),
        }
    }

    /// Wakes the owner if it sleeps. To be called *after* publishing what `ready` will find.
    pub(super) fn wake(&self) {
        // Orders published words before the look at `sleeping`. Pairs with the fence in `sleep`.
        fence(Ordering::SeqCst);
        // Pairs with the swap in `sleep`: the enlisted thread is the one that sleeps.
        // The swap lets one of several bringers wake it and spares the others the call.
        if self.sleeping.load(Ordering::Relaxed) && self.sleeping.swap(false, Ordering::Acquire) {
            self.sleeper.wake();
        }
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
        // Pairs with the swap in `wake`. A swap too, so that the word has one order of changes by
        // its reads alone: loom's model of mixed stores and swaps is weaker than the language's.
        self.sleeping.swap(true, Ordering::AcqRel);
        // Orders `sleeping` before the looks for published words. Pairs with the fence in
        // `wake`.
        fence(Ordering::SeqCst);
        if !self.news.load(Ordering::Relaxed) && !ready() {
            park(timeout);
        }
        // A bringer that already swapped it away leaves a token behind: one early return.
        self.sleeping.store(false, Ordering::Relaxed);
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
