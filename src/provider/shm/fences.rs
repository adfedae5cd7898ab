//! The fences behind what a rank publishes and before what it looks at, and how they come to cost nothing
//! as long as nobody sleeps.
//!
//! Who publishes something (a message, an epoch on the board) then looks whether anybody must be told: whether
//! a ready bit was cleared, whether a rank sleeps. Who sleeps, or clears a bit, does that first and then looks
//! for what was published. Each needs a fence between the two steps, so that at least one sees the other. The
//! first happens with every message, the second seldom. So a word of the segment counts the ranks that are
//! *restless*: those that may do the second.
//!
//! - Who publishes passes a [light](Fences::light) fence: it looks at that word, and fences only if somebody is
//!   restless.
//! - Who is about to sleep or to clear passes a [heavy](Fences::heavy) fence: it becomes restless, if it is
//!   not, and then has the system execute a fence in all ranks. It stays restless, so the next time a fence of
//!   its own will do, until it has [published](Fences::light) often enough without a heavy one.
//! - Linux leaves out some ranks at times (below). So for a [moment](MOMENT) after a rank has become restless its
//!   heavy fences are not to be relied on: it sleeps no longer than that, and then looks again.
//!
//! # Why that is enough
//!
//! Take the fence that the system executes in the publisher when another becomes restless. It comes before
//! the publisher's look at the word, which then finds the other restless, and there is a fence as there would
//! be without all this; or it comes behind that look, and so behind what was published, which the other then
//! finds. As long as the other stays restless every later look finds it so. That the word falls back to
//! zero while the other is awake takes nothing away: before it sleeps again it counts itself again. And a bit
//! that it has cleared is seen cleared by whoever sees that it is not restless any more, which it says later.
//!
//! Of several who each publish and then look at what all have published (the board), the last is sure to
//! see it all only if each has a fence. If nobody is restless none of them may see it all; nobody then sleeps
//! for it either. Now say that a rank becomes restless meanwhile to sleep for it, and does not see it all when it
//! looks, behind the system's fence. Whoever's word it misses had the system's fence before publishing, so
//! found it restless and has a fence of its own, and that comes behind the system's, or the word would not be
//! missed. So the last of all fences comes behind the system's, too. Whoever passes it sees the words of all that
//! have a fence of their own, and of all that have none: these did not find it restless, so their words were
//! published before the system's fence. It sees it all, sees that the other sleeps, and wakes it.
//!
//! # Where the system leaves a rank out
//!
//! Linux notes for each core whether the process there has registered: when a process registers, on the cores that
//! run it just then, and whenever a core turns from one process to another. A core that has run the process before and
//! is idle meanwhile is not told; nor does it turn to another process when it takes this one up again. Until some
//! other process has run there, fences do not reach it. (Found on Linux 6.18: a thousand such fences send a thousand
//! interrupts to the other core, and none if the process had run there before it registered.)
//!
//! There the moment stands in place of the system's fence, with a look behind it as behind that. Whoever did not
//! find the other restless looked before that could be found, so had published before; and what a processor has
//! stored is not kept from the others for a millisecond: it waits in a buffer of some dozens of stores, each of which
//! takes as long as a cache line does, and any interrupt empties that.
//!
//! A rank whose system cannot execute fences for it counts as restless for ever; so does one that was killed
//! while it was. Then all fence as ever. Whoever shares the memory may write the word: wake-ups may then be
//! lost, as by any other false word.
//!
//! In a model all fences are fences.

use std::cell::Cell;
use std::time::Duration;

use crate::sys::atomic::{Atomic, Ordering, compiler_fence, fence};
use crate::sys::membarrier;
use crate::sys::memory::{AtomicU32, MappedWord};
use crate::sys::time::Instant;

/// For so long after a rank has become restless somebody may not see that, and it may not see what somebody
/// has published.
pub(super) const MOMENT: Duration = Duration::from_millis(1);

/// Who has published so often without a heavy fence is not restless any more: to become so again costs some
/// microseconds.
const CALM_AFTER: u32 = 4096;
/// One less, where numbers wrap around.
const LESS: u32 = u32::MAX;

/// The fences of one rank.
pub(super) struct Fences {
    /// How many ranks are restless; None where all fences are what they are called.
    restless: Option<MappedWord<AtomicU32>>,
    /// Whether this rank is.
    own: Cell<Own>,
    /// When it became so, until a [moment](MOMENT) has passed.
    since: Cell<Option<Instant>>,
}

#[derive(Clone, Copy)]
enum Own {
    Calm,
    /// For so many more things that it publishes.
    Restless(u32),
    /// For ever.
    Unable,
}

impl Fences {
    /// The fences of a rank of a job whose restless ranks this word counts.
    pub(super) fn new(restless: MappedWord<AtomicU32>) -> Fences {
        if cfg!(loom) {
            return Fences::plain();
        }
        let own = if membarrier::register() { Own::Calm } else { Own::Unable };
        let fences =
            Fences { restless: Some(restless), own: Cell::new(own), since: Cell::new(None) };
        if let (Own::Unable, Some(restless)) = (own, &fences.restless) {
            // Before anything that this rank publishes: it finds it itself, without any other's help.
            fences.grow_restless(restless);
        }
        fences
    }

    /// Fences as the processor has them.
    pub(super) fn plain() -> Fences {
        Fences { restless: None, own: Cell::new(Own::Unable), since: Cell::new(None) }
    }

    /// Orders what was published before the looks that follow, with respect to heavy fences. False if nobody is
    /// restless: then nobody sleeps who has not seen what was published, and nobody will for longer than a
    /// [moment](MOMENT).
    #[inline(always)]
    pub(super) fn light(&self) -> bool {
        let Some(restless) = &self.restless else {
            fence(Ordering::SeqCst);
            return true;
        };
        // The system's fence comes anywhere in between.
        compiler_fence(Ordering::SeqCst);
        // Pairs with the change in `heavy`, by way of the system's fence; and with that in `grow_calm`: bits that
        // were cleared before it are seen cleared.
        let anybody = Atomic::load(&**restless, Ordering::Acquire) != 0;
        if anybody {
            fence(Ordering::SeqCst);
            self.grow_calm();
        }
        anybody
    }

    /// As long as anybody is restless that costs a fence anyway.
    fn grow_calm(&self) {
        match (self.own.get(), &self.restless) {
            (Own::Restless(0), Some(restless)) => {
                self.own.set(Own::Calm);
                Atomic::fetch_add(&**restless, LESS, Ordering::AcqRel);
            }
            (Own::Restless(left), _) => self.own.set(Own::Restless(left - 1)),
            _ => {}
        }
    }

    /// Orders what this rank has just said of itself before the looks that follow, with respect to light
    /// fences. False if that is not sure yet: for a [moment](MOMENT) somebody may not see it.
    #[must_use]
    pub(super) fn heavy(&self) -> bool {
        match (self.own.get(), &self.restless) {
            (Own::Calm, Some(restless)) => {
                self.grow_restless(restless);
                let done = membarrier::fence_everywhere();
                self.own.set(if done { Own::Restless(CALM_AFTER) } else { Own::Unable });
                return false;
            }
            (Own::Restless(_), _) => self.own.set(Own::Restless(CALM_AFTER)),
            _ => {}
        }
        fence(Ordering::SeqCst);
        self.is_settled()
    }

    fn grow_restless(&self, restless: &AtomicU32) {
        // Pairs with the load in `light`.
        Atomic::fetch_add(restless, 1, Ordering::AcqRel);
        // Behind it, so that the moment is not too short.
        self.since.set(Some(Instant::now()));
    }

    /// Whether this rank has been restless for a moment.
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
        if let (Own::Restless(_), Some(restless)) = (self.own.get(), &self.restless) {
            Atomic::fetch_add(&**restless, LESS, Ordering::AcqRel);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
