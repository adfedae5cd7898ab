//! Obstacles: what stands between a call and the fast path, as one number. Each bit is one queue or condition, and is
//! set and cleared where that changes.
//!
//! Keeps rules FLOW-2 and FLOW-3 of SEMANTICS.md: what others may wait for is an obstacle.
//!
//! # Correctness
//!
//! A queue that is an obstacle while it is not empty lies in a [`Watched`], which lends it for a change together with
//! the number only. So its bit cannot be forgotten. What a `Watched` lends without the number must leave the bit as it
//! is. In debug builds each call on the fast path compares the number with a recount (`Engine::check_obstacles`).

use std::collections::VecDeque;
use std::fmt;
use std::ops::Deref;

use slab::Slab;

/// A set of obstacles.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Obstacles(u32);

impl Obstacles {
    pub(super) const NONE: Obstacles = Obstacles(0);
    /// A violation has ended this world.
    pub(super) const BROKEN: Obstacles = Obstacles(1);
    /// A peer is closing, has ended or is lost.
    pub(super) const LEAVING: Obstacles = Obstacles(1 << 1);
    /// A peer has control frames to get.
    pub(super) const CONTROL_DUE: Obstacles = Obstacles(1 << 2);
    /// A peer has messages in its outbox.
    pub(super) const SENDING: Obstacles = Obstacles(1 << 3);
    /// A peer has segments of a large payload to get.
    pub(super) const STREAMING: Obstacles = Obstacles(1 << 4);
    /// A posted receive has matched a message whose transfer may have yet to start.
    pub(super) const UNSETTLED: Obstacles = Obstacles(1 << 5);
    /// A receive is posted that has not met a message: the next one may be a request for room. (In the way of all but
    /// who waits for such a receive.)
    pub(super) const POSTED: Obstacles = Obstacles(1 << 6);
    /// This rank sends a large payload.
    pub(super) const TRANSFERS: Obstacles = Obstacles(1 << 7);
    /// This rank gathers a large payload.
    pub(super) const GATHERED: Obstacles = Obstacles(1 << 8);

    /// A confirmation waits for a barrier.
    pub(super) const CONFIRMING: Obstacles = Obstacles(1 << 9);

    /// Something is to be sent.
    pub(super) const DUE: Obstacles =
        Obstacles::CONTROL_DUE.and(Obstacles::SENDING).and(Obstacles::STREAMING);
    /// The world does not go on as usual.
    pub(super) const UNUSUAL: Obstacles = Obstacles::BROKEN.and(Obstacles::LEAVING);
    /// A large payload is under way.
    const PAYLOAD: Obstacles = Obstacles::TRANSFERS.and(Obstacles::GATHERED);

    /// What stands in the way of a message that is sent ...
    pub(super) const TO_SEND: Obstacles =
        Obstacles::UNUSUAL.and(Obstacles::DUE).and(Obstacles::PAYLOAD);
    /// ... of the call of a barrier, which a posted receive does not concern ...
    pub(super) const TO_ENTER: Obstacles = Obstacles::TO_SEND.and(Obstacles::UNSETTLED);
    /// ... and of a wait: for a message, or for a barrier.
    pub(super) const TO_WAIT: Obstacles = Obstacles::TO_ENTER.and(Obstacles::POSTED);

    /// Those of both sets.
    pub(super) const fn and(self, other: Obstacles) -> Obstacles {
        Obstacles(self.0 | other.0)
    }

    /// Whether any of `these` is in the set.
    #[inline(always)]
    pub(super) const fn has_any(self, these: Obstacles) -> bool {
        self.0 & these.0 != 0
    }

    /// Puts `raised` in the place of what was in the set of those that `mask` names.
    #[inline(always)]
    fn put(&mut self, mask: Obstacles, raised: Obstacles) {
        debug_assert!(raised.0 & !mask.0 == 0);
        self.0 = self.0 & !mask.0 | raised.0;
    }

    /// Adds one that stays for good.
    pub(super) fn raise(&mut self, obstacle: Obstacles) {
        self.0 |= obstacle.0;
    }

    /// The obstacle, if it is there.
    #[inline(always)]
    pub(super) const fn when(self, is_there: bool) -> Obstacles {
        if is_there { self } else { Obstacles::NONE }
    }
}

// Not derived: a failed check names the bits.
impl fmt::Debug for Obstacles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 10] = [
            "broken",
            "leaving",
            "control due",
            "sending",
            "streaming",
            "unsettled",
            "posted",
            "transfers",
            "gathered",
            "confirming",
        ];
        let raised = NAMES.iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 == 1);
        f.debug_set().entries(raised.map(|(_, name)| name)).finish()
    }
}

/// What may be an obstacle, with all that decides whether it is.
pub(super) trait Gate {
    /// Those of `mask` that it is now.
    fn raises(&self, mask: Obstacles) -> Obstacles;
}

impl<T> Gate for Vec<T> {
    #[inline(always)]
    fn raises(&self, mask: Obstacles) -> Obstacles {
        mask.when(!self.is_empty())
    }
}

impl<T> Gate for VecDeque<T> {
    #[inline(always)]
    fn raises(&self, mask: Obstacles) -> Obstacles {
        mask.when(!self.is_empty())
    }
}

impl<T> Gate for Slab<T> {
    fn raises(&self, mask: Obstacles) -> Obstacles {
        mask.when(!self.is_empty())
    }
}

/// A count of what is under way.
impl Gate for usize {
    fn raises(&self, mask: Obstacles) -> Obstacles {
        mask.when(*self > 0)
    }
}

/// A collection with its bit. Whoever changes it brings the number along.
#[derive(Debug)]
pub(super) struct Watched<C> {
    mask: Obstacles,
    inner: C,
}

impl<C: Gate> Watched<C> {
    /// One that is no obstacle yet.
    pub(super) fn new(mask: Obstacles, inner: C) -> Watched<C> {
        debug_assert_eq!(inner.raises(mask), Obstacles::NONE);
        Watched { mask, inner }
    }

    /// Lends it for a change, and puts its bit right after that.
    #[inline(always)]
    pub(super) fn change<R>(
        &mut self,
        obstacles: &mut Obstacles,
        change: impl FnOnce(&mut C) -> R,
    ) -> R {
        let result = change(&mut self.inner);
        obstacles.put(self.mask, self.inner.raises(self.mask));
        result
    }

    /// Lends it for a change that makes it no obstacle and removes none.
    #[inline(always)]
    pub(super) fn unchanged(&mut self) -> &mut C {
        &mut self.inner
    }

    /// What it is now, without regard to the number.
    pub(super) fn recount(&self) -> Obstacles {
        self.inner.raises(self.mask)
    }
}

impl<C> Deref for Watched<C> {
    type Target = C;

    #[inline(always)]
    fn deref(&self) -> &C {
        &self.inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number follows a collection as that becomes empty or not, and touches no other bit.
    #[test]
    fn a_watched_collection_is_an_obstacle_while_it_is_not_empty() {
        let mut obstacles = Obstacles::LEAVING;
        let mut due = Watched::new(Obstacles::CONTROL_DUE, Vec::new());
        due.change(&mut obstacles, |due| due.extend([1, 2]));
        assert_eq!(obstacles, Obstacles::LEAVING.and(Obstacles::CONTROL_DUE));
        due.change(&mut obstacles, |due| due.pop());
        assert!(obstacles.has_any(Obstacles::DUE));
        due.change(&mut obstacles, |due| due.pop());
        assert_eq!(obstacles, Obstacles::LEAVING);
        assert_eq!(format!("{obstacles:?}"), "{\"leaving\"}");
    }
}
