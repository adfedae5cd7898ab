//! A message or a barrier costs no fence as long as no rank may sleep: asymmetric fences (Linux's
//! `membarrier`), in the words of folly and Go a *light* and a *heavy* side (docs/PERFORMANCE.md).
//!
//! A publisher (of a message, of an epoch on the board) then looks whether it must tell anybody:
//! whether a ready bit was cleared, whether a rank sleeps. A rank that sleeps, or clears a bit,
//! does that first and then looks for published words. Each needs a fence between the two steps,
//! so that at least one sees the other. The first happens with every message, the second seldom. So
//! a word of the segment counts the ranks that *may sleep*: those that may do the second.
//!
//! - A publisher passes a [light](Fences::light) fence: it looks at that word, and fences only if
//!   some rank may sleep.
//! - A rank that is about to sleep, or to clear a bit, passes a [heavy](Fences::heavy) fence: it is
//!   counted, if it is not yet, and then has the system execute a fence in all ranks. It stays
//!   counted, so that next time a fence of its own will do, until it has [published](Fences::light)
//!   or [taken](Fences::note_taken) often enough without a heavy one.
//! - Linux leaves out some ranks at times (below). So for a [moment](MOMENT) after a rank was
//!   counted its heavy fences are not to be relied on: it sleeps no longer than that, and then
//!   looks again.
//!
//! # Correctness
//!
//! Take the fence that the system executes in the publisher when another rank is counted. If it
//! comes before the publisher's look at the word, the publisher finds the other counted, and there
//! is a fence as there would be without all this. If it comes behind that look, it comes behind
//! the published words, and the other then finds them. As long as the other stays counted every
//! later look finds it so. That the word falls back to zero while the other is awake takes nothing
//! away: before it sleeps again it is counted again. And a rank that sees it counted no more also
//! sees cleared the bits that it has cleared, since it cleared them before.
//!
//! Of several ranks that each publish and then look at what all have published (the board), the
//! last is sure to see it all only if each has a fence. If no rank may sleep, perhaps none of them
//! sees it all; then no rank sleeps for it either. Now say that a rank is counted meanwhile, to
//! sleep for it, and does not see it all when it looks, behind the system's fence. The publisher
//! whose word it misses had the system's fence before it published. So that publisher found the
//! other counted and has a fence of its own, which comes behind the system's, or the word would not
//! be missed. So the last of all fences comes behind the system's, too. The rank that passes it
//! sees the words of all that have a fence of their own. It sees the words of all that have none:
//! these did not find the other counted, so they published before the system's fence. It sees it
//! all, sees that the other sleeps, and wakes it.
//!
//! # Where the system leaves a rank out
//!
//! Linux notes for each core whether the process there has registered: when a process registers, on
//! the cores that run it just then, and whenever a core turns from one process to another. A core
//! that has run the process before and is idle meanwhile is not told; nor does it turn to another
//! process when it takes this one up again. Until some other process has run there, fences do not
//! reach it. (Found on Linux 6.18: a thousand such fences send a thousand interrupts to the other
//! core, and none if the process had run there before it registered.)
//!
//! There the moment stands in place of the system's fence, with a look behind it as behind that. A
//! publisher that did not find the other counted looked before that could be found, so it had
//! published before. What a processor has stored is not kept from the others for a millisecond: it
//! waits in a buffer of some dozens of stores, each of which takes as long as a cache line does,
//! and any interrupt empties that.
//!
//! A rank whose system cannot execute fences for it counts for ever; so does one that was killed
//! while it was counted. Then all fence as ever. A process that shares the memory may write the
//! word: wake-ups may then be lost, as by any other false word.
//!
//! In a model all fences are fences.

use std::cell::Cell;
use std::time::Duration;

use crate::sys::atomic::{Atomic, Ordering, compiler_fence, fence};
use crate::sys::membarrier;
use crate::sys::memory::{AtomicU32, MappedWord};
use crate::sys::time::Instant;

/// For so long after a rank was counted another may not see that, and it may not see what another
/// has published.
pub(super) const MOMENT: Duration = Duration::from_millis(1);

/// A rank that has published and taken so many things without a heavy fence is counted no more: to be
/// counted again costs some microseconds. (As long as it is counted, all pay a fence for each thing that they
/// publish. So what a rank takes counts, too: one that receives much and answers seldom stays awake as well.)
const AWAKE_AFTER: u32 = 4096;
/// One less, where numbers wrap around.
const LESS: u32 = u32::MAX;

/// The fences of one rank.
pub(super) struct Fences {
    /// How many ranks may sleep; None where all fences are what they are called.
    may_sleep: Option<MappedWord<AtomicU32>>,
    /// Whether this rank may.
    own: Cell<Own>,
    /// When it was counted, until a [moment](MOMENT) has passed.
    since: Cell<Option<Instant>>,
}

#[derive(Clone, Copy)]
enum Own {
    Awake,
    /// It is counted, for so many more things that it publishes or takes.
    MaySleep(u32),
    /// It is counted for ever.
    Unable,
}

impl Fences {
    /// The fences of a rank of a job. The word counts the job's ranks that may sleep.
    pub(super) fn new(may_sleep: MappedWord<AtomicU32>) -> Fences {
        if cfg!(loom) {
            return Fences::plain();
        }
        let own = if membarrier::register() { Own::Awake } else { Own::Unable };
        let fences =
            Fences { may_sleep: Some(may_sleep), own: Cell::new(own), since: Cell::new(None) };
        if let (Own::Unable, Some(may_sleep)) = (own, &fences.may_sleep) {
            // Before anything that this rank publishes: it finds it itself, without any other's
            // help.
            fences.count_as_sleeper(may_sleep);
        }
        fences
    }

    /// Fences as the processor has them.
    pub(super) fn plain() -> Fences {
        Fences { may_sleep: None, own: Cell::new(Own::Unable), since: Cell::new(None) }
    }

    /// Orders published words before the looks that follow, with respect to heavy fences. False
    /// if no rank may sleep: then no rank sleeps that has not seen these words, and none
    /// will for longer than a [moment](MOMENT).
    #[inline(always)]
    pub(super) fn light(&self) -> bool {
        let Some(may_sleep) = &self.may_sleep else {
            fence(Ordering::SeqCst);
            return true;
        };
        // The system's fence comes anywhere in between.
        compiler_fence(Ordering::SeqCst);
        // Pairs with the change in `heavy`, by way of the system's fence; and with that in
        // `count_as_awake`: bits that were cleared before it are seen cleared.
        let anybody = Atomic::load(&**may_sleep, Ordering::Acquire) != 0;
        if anybody {
            fence(Ordering::SeqCst);
            self.count_as_awake();
        }
        anybody
    }

    /// This rank has taken something that another has published: a message, or words that were waited for.
    #[inline(always)]
    pub(super) fn note_taken(&self) {
        if let Own::MaySleep(_) = self.own.get() {
            self.count_as_awake();
        }
    }

    /// As long as any rank may sleep a light fence costs a fence anyway.
    fn count_as_awake(&self) {
        match (self.own.get(), &self.may_sleep) {
            (Own::MaySleep(0), Some(may_sleep)) => {
                self.own.set(Own::Awake);
                Atomic::fetch_add(&**may_sleep, LESS, Ordering::AcqRel);
            }
            (Own::MaySleep(left), _) => self.own.set(Own::MaySleep(left - 1)),
            _ => {}
        }
    }

    /// Orders what this rank has just said of itself before the looks that follow, with respect to
    /// light fences. False if that is not sure yet: for a [moment](MOMENT) another rank may not see
    /// it.
    #[must_use]
    pub(super) fn heavy(&self) -> bool {
        match (self.own.get(), &self.may_sleep) {
            (Own::Awake, Some(may_sleep)) => {
                self.count_as_sleeper(may_sleep);
                let done = membarrier::fence_everywhere();
                self.own.set(if done { Own::MaySleep(AWAKE_AFTER) } else { Own::Unable });
                return false;
            }
            (Own::MaySleep(_), _) => self.own.set(Own::MaySleep(AWAKE_AFTER)),
            _ => {}
        }
        fence(Ordering::SeqCst);
        self.is_settled()
    }

    fn count_as_sleeper(&self, may_sleep: &AtomicU32) {
        // Pairs with the load in `light`.
        Atomic::fetch_add(may_sleep, 1, Ordering::AcqRel);
        // Behind it, so that the moment is not too short.
        self.since.set(Some(Instant::now()));
    }

    /// Whether this rank has been counted for a moment.
    fn is_settled(&self) -> bool {
        let Some(since) = self.since.get() else { return true };
        let is_over = Instant::now().saturating_since(since) >= MOMENT;
        if is_over {
            self.since.set(None);
        }
        is_over
    }
}

impl Drop for Fences {
    fn drop(&mut self) {
        // It sleeps no more, and clears nothing.
        if let (Own::MaySleep(_), Some(may_sleep)) = (self.own.get(), &self.may_sleep) {
            Atomic::fetch_add(&**may_sleep, LESS, Ordering::AcqRel);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
