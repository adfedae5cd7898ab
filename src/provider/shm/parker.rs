//! Where a rank sleeps, in memory that processes share: a bringer of something wakes the owner
//! there, by a system call only if the owner really sleeps.
//!
//! It is the parker of the threads provider (see there for why no wake-up is lost) with a futex in
//! place of a thread's name: the word that says that the rank sleeps is the word that it sleeps on.
//!
//! Any process that shares the memory can wake the owner without a reason, or swallow a wake-up:
//! the owner then returns early, or sleeps as if nothing had been brought. Nothing else comes of
//! it. A bringer that is killed between the two steps of waking swallows one so: whoever tells of its
//! end wakes the owner in any case ([`Parker::wake_after_death`]).

use std::ops::Deref;
use std::time::Duration;

use super::fences::{Fences, MOMENT};
use crate::order::Rank;
use crate::sys::atomic::{Ordering, fence};
use crate::sys::futex::Futex;
use crate::verbs::{Cq, WakeOn};

/// The values of a word that says yes or no. Any other one that is found is a yes.
pub(super) const NO: u32 = 0;
pub(super) const YES: u32 = 1;

/// The owner sets it before it sleeps, and says with it what for ([`encoded`]); cleared by the rank
/// that wakes it, or by itself.
const SLEEPING: usize = 0;
/// Set by bringers of news; cleared by the owner alone.
const NEWS: usize = 1;

/// What the owner sleeps for, in a word that is not [`NO`]: a bit for each of 14 completion queues,
/// one that says whether it sleeps together, and above them one more than the rank whose messages
/// wake it.
fn encoded(wake_on: WakeOn, together: bool) -> u32 {
    let peer = wake_on.peer.map_or(0, |peer| peer as u32 + 1);
    let queues = u32::from(wake_on.queues & QUEUES) << 1;
    YES | queues | if together { ASLEEP_TOGETHER } else { 0 } | peer << 16
}

const ASLEEP_TOGETHER: u32 = 1 << 15;

/// Messages of the queues above always wake the owner.
const QUEUES: u16 = (1 << 14) - 1;

/// Whether a message of `peer` on `cq` wakes a rank that says that it sleeps for `sleeping`.
fn wakes(sleeping: u32, peer: Rank, cq: Cq) -> bool {
    let has_bit = QUEUES.checked_shr(cq.0.into()).is_some_and(|left| left != 0);
    !has_bit || sleeping >> (cq.0 + 1) & 1 == 1 || sleeping >> 16 == peer as u32 + 1
}

/// A parker on the two words that `words` starts with.
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
        if self.rouse(meant) != NO {
            self.0[SLEEPING].wake();
        }
    }

    /// Takes away that the owner sleeps, and returns what it was; if it did sleep, the caller must
    /// wake it.
    #[inline(always)]
    pub(super) fn rouse(&self, meant: impl Fn(u32) -> bool) -> u32 {
        let sleeping = &self.0[SLEEPING];
        // Pairs with the swaps in `sleep`. The swap here lets one of several bringers wake the
        // owner and spares the others the call.
        let found = sleeping.load(Ordering::Relaxed);
        if found != NO && meant(found) { sleeping.swap(NO, Ordering::AcqRel) } else { NO }
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

    /// As [`wake_with_news`](Self::wake_with_news), after the death of a rank: it may have roused the
    /// owner, and died before it woke it. The owner then sleeps and does not say so, and no other
    /// bringer would wake it.
    pub(super) fn wake_after_death(&self) {
        self.wake_with_news();
        self.0[SLEEPING].wake();
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
        // Looked at before the own word is compared for the sleep: a rank that rouses this one
        // after that also changes this one after. Pairs with the change in `wake_many`.
        let together = broadcast_word.filter(|_| wake_on.together);
        let together = together.map(|word| (word, word.load(Ordering::Acquire)));
        // Pairs with the swap in `wake_if`.
        let until = encoded(wake_on, together.is_some());
        sleeping.swap(until, Ordering::AcqRel);
        // Orders it before the looks for published words. Pairs with the fence in `wake`, and
        // with that of the callers of `wake_fenced` and `wake_for`.
        let seen = fences.heavy();
        // Else somebody may not see for a moment that it sleeps, nor is all seen here that was
        // published: after that it returns, and its caller looks again.
        let timeout = if seen { timeout } else { Some(timeout.unwrap_or(MOMENT).min(MOMENT)) };
        if self.0[NEWS].load(Ordering::Relaxed) == NO && !ready() {
            match together {
                Some((word, value)) => sleeping.wait_either(until, word, value, timeout),
                None => sleeping.wait(until, timeout),
            }
        }
        // Pairs with the swap in `wake_if`: what the bringer has published is seen from here on.
        sleeping.swap(NO, Ordering::AcqRel);
        self.take_news();
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
    let mut first = None;
    let mut many = false;
    for parker in parkers {
        match parker.rouse(|_| true) {
            NO => {}
            sleeping if sleeping & ASLEEP_TOGETHER == 0 => parker.0[SLEEPING].wake(),
            _ => {
                many |= first.is_some();
                first.get_or_insert(parker);
            }
        }
    }
    match first {
        Some(_) if many => {
            // Pairs with the load in `sleep`: a rank that saw the old value finds that its own word
            // has changed, or this one, or sleeps by now.
            broadcast_word.fetch_add(1, Ordering::AcqRel);
            broadcast_word.wake_all();
        }
        Some(parker) => parker.0[SLEEPING].wake(),
        None => {}
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
