//! Turns of a program's threads: one at a time is in the library, in the order in which they came.
//! Source: MPI 5.0, section *MPI and Threads*: a call that waits keeps no other thread from its calls.
//! Rules: a thread that has the turn may come again; one that waits lets those go before it that have come.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So many looks a thread makes before it gives its core away, if its rank has one: what it waits for may come within
/// microseconds, and to give it away takes a call of the system each time.
const LOOKS_BEFORE_YIELD: u32 = 250;

/// After so many looks in a row that found nothing a thread sleeps between them.
const LOOKS_BEFORE_SLEEP: u32 = 2_000;

/// So long it sleeps. Its rank is not woken by what comes: the turn must be free meanwhile.
const SLEEP: Duration = Duration::from_micros(50);

/// After so many looks, or so long, a thread may ask what takes longer. Beside busy ranks few looks take long.
const LOOKS_PER_QUESTION: u32 = 256;
const QUESTION_EVERY: Duration = Duration::from_millis(5);

/// Who is next.
struct Queue {
    /// The number of the thread that comes next.
    next: u64,
    /// The number of the thread whose turn it is, or will be.
    now: u64,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { next: 0, now: 0 });
static LEFT: Condvar = Condvar::new();

thread_local! {
    /// Whether it is this thread's turn.
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// The turn of the calling thread, until this is dropped.
pub(crate) struct Turn(());

impl Turn {
    /// Waits for the turn. None if the thread has it.
    pub(crate) fn take() -> Option<Turn> {
        if HAS_TURN.get() {
            return None;
        }
        enter();
        Some(Turn(()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        leave();
    }
}

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn enter() {
    let mut queue = queue();
    let own = queue.next;
    queue.next += 1;
    while queue.now != own {
        queue = LEFT.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
    HAS_TURN.set(true);
}

fn leave() {
    HAS_TURN.set(false);
    let mut queue = queue();
    queue.now += 1;
    let is_awaited = queue.next > queue.now;
    drop(queue);
    // It is a call of the system, also where nobody waits.
    if is_awaited {
        LEFT.notify_all();
    }
}

/// The pauses of a thread that looks for something again and again.
#[derive(Default)]
pub(crate) struct Pauses {
    taken: u32,
    /// When the thread was last told that it may ask what takes longer.
    told: Option<Instant>,
    is_short: bool,
    has_core: bool,
}

impl Pauses {
    /// Whether the rank has a core to itself, as the engine says at each look.
    pub(crate) fn note_core(&mut self, has_core: bool) {
        self.has_core = has_core;
    }

    /// Lets other threads have their turns, and other ranks the core. Nothing of the library is borrowed.
    pub(crate) fn pause(&mut self) {
        self.taken = self.taken.saturating_add(1);
        let sleeps = self.taken > LOOKS_BEFORE_SLEEP;
        let is_awaited = || {
            let queue = queue();
            queue.next > queue.now + 1
        };
        let leaves = HAS_TURN.get() && (sleeps || is_awaited());
        if self.has_core && !leaves && self.taken <= LOOKS_BEFORE_YIELD {
            std::hint::spin_loop();
            self.is_short = true;
            return;
        }
        if leaves {
            leave();
        }
        match sleeps {
            true => std::thread::sleep(SLEEP),
            false => std::thread::yield_now(),
        }
        if leaves {
            enter();
        }
        let now = Instant::now();
        let told = *self.told.get_or_insert(now);
        let is_due = self.taken.is_multiple_of(LOOKS_PER_QUESTION) || now - told >= QUESTION_EVERY;
        if is_due {
            self.told = Some(now);
        }
        self.is_short = !is_due;
    }

    /// Whether the thread has looked so often, or so long, that it may ask what takes longer.
    pub(crate) fn is_long(&self) -> bool {
        !self.is_short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// The turn is one for the process, and a test looks at who waits for it.
    static ALONE: Mutex<()> = Mutex::new(());

    /// (Planted: the last to come is the next.)
    #[test]
    fn threads_have_the_turn_in_the_order_in_which_they_came() {
        let _alone = ALONE.lock();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let turn = Turn::take();
            let own = queue().now;
            for number in 0..8_u64 {
                let order = &order;
                scope.spawn(move || {
                    let _turn = Turn::take();
                    order.lock().unwrap().push(number);
                });
                while queue().next < own + 2 + number {
                    std::thread::yield_now();
                }
            }
            drop(turn);
        });
        assert_eq!(order.into_inner().unwrap(), (0..8).collect::<Vec<_>>());
    }

    /// With a core and without. (Planted: a thread with a core does not look who waits.)
    #[test]
    fn one_thread_at_a_time_has_the_turn_and_pauses_pass_it_on() {
        const THREADS: u32 = 4;
        let _alone = ALONE.lock();
        for has_core in [false, true] {
            let (inside, entered) = (AtomicU32::new(0), AtomicU32::new(0));
            let run = || {
                let turn = Turn::take();
                assert!(turn.is_some() && Turn::take().is_none());
                entered.fetch_add(1, Ordering::SeqCst);
                let mut pauses = Pauses::default();
                pauses.note_core(has_core);
                // Nobody gets through here alone.
                while entered.load(Ordering::SeqCst) < THREADS {
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two have the turn");
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    pauses.pause();
                }
            };
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(run);
                }
            });
            assert_eq!(entered.load(Ordering::SeqCst), THREADS);
        }
    }

    /// A thread with a core that waits passes its turn on at its first look that finds another, and not when it has
    /// looked for a while.
    #[test]
    fn a_thread_with_a_core_passes_its_turn_on_at_once() {
        let _alone = ALONE.lock();
        let came = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let turn = Turn::take();
            let own = queue().now;
            scope.spawn(|| {
                let _turn = Turn::take();
                came.store(1, Ordering::SeqCst);
            });
            while queue().next < own + 2 {
                std::thread::yield_now();
            }
            let mut pauses = Pauses::default();
            pauses.note_core(true);
            pauses.pause();
            assert_eq!(came.load(Ordering::SeqCst), 1, "it has had its turn meanwhile");
            drop(turn);
        });
    }
}
