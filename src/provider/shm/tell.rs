//! The sender's steps behind a message in a ring, so that the receiver looks there and wakes; and
//! the same on behalf of a sender that may have died before it came to them.
//!
//! Here is only the order of these steps, over words that may be loom's. See [`super::inbox`] and
//! [`super::parker`] for why nothing is overlooked.

use std::ops::Deref;

use super::fences::Fences;
use super::inbox::announce;
use super::parker::{NO, Parker, YES};
use crate::order::Rank;
use crate::sys::atomic::{Atomic, Ordering, fence};
use crate::sys::futex::Futex;
use crate::verbs::Cq;

/// Tells the rank whose parker this is of a message of `from` that lies in its ring; `ready` is the
/// ready bit.
#[inline(always)]
pub(super) fn tell<'b, A, F, W>(
    ready: (&A, u64),
    parker: impl FnOnce() -> Parker<'b, W>,
    fences: &Fences,
    from: Rank,
    cq: Cq,
) where
    A: Atomic<Value = u64>,
    F: Futex,
    W: Deref<Target = [F]> + 'b,
{
    // Orders the message before the looks at the ready bit and at whether the peer sleeps. Pairs
    // with the fences in `Inbox::sweep` and in the sleep of the parker.
    let may_sleep = fences.light();
    // A rank that falls asleep behind that look finds the message by its bit, unless that comes
    // later still.
    if announce(ready) || may_sleep {
        parker().wake_for(from, cq);
    }
}

/// Marks a rank that has ended as `gone`. `announce_all` sets its ready bits everywhere, and
/// `wake_all` wakes all parkers with news.
pub(super) fn tell_gone<F: Futex>(gone: &F, announce_all: impl FnOnce(), wake_all: impl FnOnce()) {
    // It may have died between a message and the bit that tells of it. Pairs with the fence in
    // `Inbox::sweep`, in place of the one that the rank may not have come to.
    fence(Ordering::SeqCst);
    announce_all();
    // Pairs with the load in `is_gone`: a rank that sees it finds all that was sent.
    gone.swap(YES, Ordering::AcqRel);
    wake_all();
}

/// Whether a rank is marked as gone.
#[inline]
pub(super) fn is_gone<F: Futex>(gone: &F) -> bool {
    // Pairs with the swap in `tell_gone`.
    gone.load(Ordering::Acquire) != NO
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::segment::Segment;
    use super::*;
    use crate::sys::memory::{AtomicU32, AtomicU64};

    /// Whether a rank that says that it sleeps is woken by a message of a sender whose ready bit is
    /// set or not.
    fn wakes(fences: &Fences, is_set: bool) -> bool {
        let ready = AtomicU64::new(is_set.into());
        // It sleeps, for anything, for the first time.
        let words = Vec::from([u32::MAX, NO, 4, 0].map(AtomicU32::new));
        tell((&ready, 1), || Parker(&words), fences, 0, Cq(0));
        assert_eq!(Atomic::load(&ready, Ordering::Acquire), 1);
        // That it was woken from this sleep is noted.
        Atomic::load(&words[3], Ordering::Acquire) == 4
    }

    /// Where no rank may sleep none sleeps that has not seen the message; but whoever's bit was
    /// clear may have fallen asleep between the look at the count and the bit. (Planted: to look
    /// only if a rank may sleep; only if the bit was clear.)
    ///
    /// SEMANTICS: FLOW-3
    #[test]
    fn a_rank_that_may_have_missed_the_message_is_woken() {
        let segment = Segment::create(2).expect("memory");
        let (sender, sleeper) = (segment.fences(), segment.fences());
        assert!(wakes(&sender, false));
        assert_eq!(wakes(&sender, true), sender.light());
        // It is counted from now on, though not all may know it yet.
        let _ = sleeper.heavy();
        assert!(wakes(&sender, true) && wakes(&sender, false));
    }
}
