//! Where a rank sleeps, in memory that processes share: a bringer of something wakes the owner
//! there, by a system call only if the owner really sleeps.
//!
//! It is the parker of the threads provider (see there for why no wake-up is lost) with a futex in
//! place of a thread's name.
//!
//! # Correctness
//!
//! Each sleep has a number, which is in the word that the owner sleeps on. A bringer changes that word,
//! so that an owner that is just falling asleep does not, then makes the call, and only then notes that
//! the owner is woken from this sleep. Others spare themselves the call only where that is noted. So
//! a bringer that is taken off its core between its steps, or killed, keeps nobody else from waking
//! the owner. Where two make the call, one of them is in vain, and does no harm.
//!
//! Any process that shares the memory can wake the owner without a reason, or note that it is woken:
//! the owner then returns early, or sleeps as if nothing had been brought. Nothing else comes of
//! it.

use std::ops::Deref;
use std::time::Duration;

use smallvec::SmallVec;

use super::fences::{Fences, MOMENT};
use crate::order::Rank;
use crate::sys::atomic::{Ordering, fence};
use crate::sys::futex::Futex;
use crate::verbs::{Cq, WakeOn};

/// The values of a word that says yes or no. Any other one that is found is a yes.
pub(super) const NO: u32 = 0;
pub(super) const YES: u32 = 1;

/// The owner says with it whether it sleeps, and what for ([`encoded`]). Nobody else changes it.
const SLEEPING: usize = 0;
/// Set by bringers of news; cleared by the owner alone.
const NEWS: usize = 1;
/// The word that the owner sleeps on: the number of its last sleep, whether that is one
/// [together](TOGETHER) with others, and whether a bringer has [called](CALLED) it since.
const NUMBER: usize = 2;
/// The number of a sleep that the owner was woken from, as its waker notes.
const WOKEN: usize = 3;
/// So many words a parker has.
pub(super) const WORDS: usize = 4;

/// The word of a sleep has this bit from the first step of waking its owner on.
const CALLED: u32 = 1;
/// It has this bit if the owner sleeps on the broadcast word too. It is here, and not beside what the
/// owner sleeps for, since a bringer that reads both may read of two sleeps.
const TOGETHER: u32 = 2;

/// What the owner sleeps for, in a word that is not [`NO`]: a bit for each of 14 completion queues, and
/// above them one more than the rank whose messages wake it.
fn encoded(wake_on: WakeOn) -> u32 {
    let peer = wake_on.peer.map_or(0, |peer| peer as u32 + 1);
    YES | u32::from(wake_on.queues & QUEUES) << 1 | peer << 16
}

/// Messages of the queues above always wake the owner.
const QUEUES: u16 = (1 << 14) - 1;

/// Whether a message of `peer` on `cq` wakes a rank that says that it sleeps for `sleeping`.
fn wakes(sleeping: u32, peer: Rank, cq: Cq) -> bool {
    let has_bit = QUEUES.checked_shr(cq.0.into()).is_some_and(|left| left != 0);
    !has_bit || sleeping >> (cq.0 + 1) & 1 == 1 || sleeping >> 16 == peer as u32 + 1
}

/// A sleep of an owner whom nobody has woken from it yet, as a bringer sees it: its word, not
/// [called](CALLED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asleep(u32);

/// A parker on the words that `words` starts with.
pub(super) struct Parker<'a, W>(pub(super) &'a W);

impl<F: Futex, W: Deref<Target = [F]>> Parker<'_, W> {
    /// Wakes the owner if it sleeps. To be called *after* publishing what `ready` will find.
    pub(super) fn wake(&self) {
        // Orders the published word before the look whether it sleeps. Pairs with the fence in
        // `sleep`.
        fence(Ordering::SeqCst);
        self.wake_fenced();
    }

    /// As [`wake`](Self::wake), for callers that have a fence behind what they published.
    pub(super) fn wake_fenced(&self) {
        self.wake_if(|_| true);
    }

    /// As [`wake_fenced`](Self::wake_fenced), for a bringer of a message; an owner that sleeps for
    /// others sleeps on.
    #[inline]
    pub(super) fn wake_for(&self, peer: Rank, cq: Cq) {
        self.wake_if(|sleeping| wakes(sleeping, peer, cq));
    }

    #[inline(always)]
    fn wake_if(&self, meant: impl Fn(u32) -> bool) {
        if let Some(asleep) = self.find_asleep(meant) {
            self.change_number(asleep);
            self.0[NUMBER].wake();
            self.note_woken(asleep);
        }
    }

    /// The sleep that the caller has to end: the owner sleeps, for what is `meant`, and is not known to
    /// be woken.
    #[inline(always)]
    pub(super) fn find_asleep(&self, meant: impl Fn(u32) -> bool) -> Option<Asleep> {
        // Pairs with the swap that says so in `sleep`: the number is that of this sleep, or of a later
        // one, whose look for published words comes after what the caller has published.
        let until = self.0[SLEEPING].load(Ordering::Acquire);
        if until == NO || !meant(until) {
            return None;
        }
        // Pairs with the store in `next_number`: a change of the broadcast word comes after the look at it
        // in this sleep.
        let number = self.0[NUMBER].load(Ordering::Acquire) & !CALLED;
        // Pairs with the store in `note_woken`: the call has been made.
        (self.0[WOKEN].load(Ordering::Acquire) != number).then_some(Asleep(number))
    }

    /// Whether the owner sleeps, and nobody is about to wake it. For who only counts: what this says may
    /// be out of date at once.
    pub(super) fn is_asleep(&self) -> bool {
        // One that is called may be kept from running for long, and so may its waker, before it notes that.
        // Nothing is read because of it, so the load pairs with nothing.
        self.find_asleep(|_| true).is_some() && self.0[NUMBER].load(Ordering::Relaxed) & CALLED == 0
    }

    /// The first step of waking: an owner that has yet to fall asleep finds another number and does not.
    pub(super) fn change_number(&self, Asleep(number): Asleep) {
        // Where it fails, another has done it, or the owner is in a later sleep.
        let word = &self.0[NUMBER];
        let _ = word.compare_exchange(number, number | CALLED, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// The last step of waking, behind the call: others need not make it.
    fn note_woken(&self, Asleep(number): Asleep) {
        // Pairs with the load in `find_asleep`.
        self.0[WOKEN].store(number, Ordering::Release);
    }

    /// As [`wake`](Self::wake), for what `ready` cannot find: the owner's next sleep, if it is not
    /// sleeping now, returns at once.
    pub(super) fn wake_with_news(&self) {
        // Orders the published word before the look at the mark. Pairs with the fence in
        // `take_news`: either the mark is seen missing here, or the owner sees what it stood for.
        fence(Ordering::SeqCst);
        if self.0[NEWS].load(Ordering::Relaxed) == NO {
            // Pairs with the load in `take_news`.
            self.0[NEWS].store(YES, Ordering::Release);
        }
        self.wake();
    }

    /// Sleeps until woken, or until the time is up. Returns at once if `ready` or if there is news.
    /// May return early without a reason. Only the owner calls it.
    ///
    /// If it is to be woken together with others and there is a `broadcast_word`, by which
    /// [`wake_many`] wakes all, it sleeps on that too.
    pub(super) fn sleep(
        &self,
        fences: &Fences,
        wake_on: WakeOn,
        broadcast_word: Option<&F>,
        ready: impl Fn() -> bool,
        timeout: Option<Duration>,
    ) {
        if self.take_news() || ready() {
            return;
        }
        let sleeping = &self.0[SLEEPING];
        // Looked at before this rank says that it sleeps: one that finds it asleep changes the word
        // after that. Pairs with the change in `wake_many`.
        let together = broadcast_word.filter(|_| wake_on.together);
        let together = together.map(|word| (word, word.load(Ordering::Acquire)));
        let number = self.next_number(together.is_some());
        let until = encoded(wake_on);
        // Pairs with the load in `find_asleep`.
        sleeping.swap(until, Ordering::AcqRel);
        // Orders it before the looks for published words. Pairs with the fence in `wake`, and
        // with that of the callers of `wake_fenced` and `wake_for`.
        let seen = fences.heavy();
        // Else somebody may not see for a moment that it sleeps, nor is all seen here that was
        // published: after that it returns, and its caller looks again.
        let timeout = if seen { timeout } else { Some(timeout.unwrap_or(MOMENT).min(MOMENT)) };
        if self.0[NEWS].load(Ordering::Relaxed) == NO && !ready() {
            match together {
                Some((word, value)) => self.0[NUMBER].wait_either(number, word, value, timeout),
                None => self.0[NUMBER].wait(number, timeout),
            }
        }
        // What a bringer has published that saw this rank asleep is seen at the latest when it looks
        // behind the fence of its next sleep.
        sleeping.swap(NO, Ordering::AcqRel);
        self.take_news();
    }

    /// Says that the owner sleeps.
    #[cfg(all(test, loom))]
    pub(super) fn say_asleep(&self, together: bool) {
        self.next_number(together);
        self.0[SLEEPING].swap(encoded(WakeOn::ANYTHING), Ordering::AcqRel);
    }

    /// The number of a sleep that begins. The word has that number until a bringer changes it.
    fn next_number(&self, together: bool) -> u32 {
        let word = &self.0[NUMBER];
        // A bringer that was late for an earlier sleep may change it meanwhile, and is overwritten.
        let next = (word.load(Ordering::Relaxed) | CALLED | TOGETHER).wrapping_add(1);
        let number = next | if together { TOGETHER } else { 0 };
        // Numbers come again after 2^30 sleeps; nobody has noted anything of this one yet.
        if self.0[WOKEN].load(Ordering::Relaxed) == number {
            self.0[WOKEN].store(number | CALLED, Ordering::Relaxed);
        }
        // Pairs with the load in `find_asleep`.
        word.store(number, Ordering::Release);
        number
    }

    /// Takes the mark away, if it is there. What it stood for is then visible.
    fn take_news(&self) -> bool {
        // Pairs with the store in `wake_with_news`.
        let news = self.0[NEWS].load(Ordering::Acquire) != NO;
        if news {
            self.0[NEWS].store(NO, Ordering::Relaxed);
            // Orders the removal before whatever the owner looks at next. Pairs with the first
            // fence in `wake_with_news`.
            fence(Ordering::SeqCst);
        }
        news
    }
}

/// Wakes the owners of all `parkers`: as [`Parker::wake`] on each, but if several owners sleep, one
/// system call wakes all that sleep together. Woken one by one, the first could take the core from
/// the waking rank, and the others would sleep until it gives it back. A rank that is woken without
/// a reason looks and sleeps again.
pub(super) fn wake_many<'a, F, W>(
    parkers: impl Iterator<Item = Parker<'a, W>>,
    broadcast_word: Option<&F>,
) where
    F: Futex,
    W: Deref<Target = [F]> + 'a,
{
    let mut parkers = parkers.peekable();
    if parkers.peek().is_none() {
        return;
    }
    // As in `Parker::wake`, for all of them.
    fence(Ordering::SeqCst);
    let Some(broadcast_word) = broadcast_word else {
        parkers.for_each(|parker| parker.wake_fenced());
        return;
    };
    let mut together = SmallVec::<[_; AT_ONCE]>::new();
    for parker in parkers {
        let Some(asleep) = parker.find_asleep(|_| true) else { continue };
        if asleep.0 & TOGETHER == 0 || together.len() == AT_ONCE {
            parker.wake_fenced();
        } else {
            together.push((parker, asleep));
        }
    }
    match &together[..] {
        [] => {}
        [(parker, _)] => parker.wake_fenced(),
        all => {
            // Pairs with the load in `sleep`: a rank that saw the old value, and was found asleep, finds
            // another one now, or sleeps by now.
            broadcast_word.fetch_add(1, Ordering::AcqRel);
            broadcast_word.wake_all();
            all.iter().for_each(|(parker, asleep)| parker.note_woken(*asleep));
        }
    }
}

/// So many are woken with one call, and any others one by one: there is room for them without an
/// allocation.
const AT_ONCE: usize = 128;

#[cfg(all(test, not(loom)))]
mod tests;
