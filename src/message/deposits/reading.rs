//! What a rank has read of the deposits of a group, and what it says of that. Nonblocking calls are pending
//! meanwhile, and are completed in any order.
//!
//! Keeps rules COL-4, COL-8 and COL-9 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A sender uses a slot again once all that read it say that they have *finished* that call. A rank says
//! so up to one call, its *floor*. So the floor stays before the oldest call that is pending here: what was
//! deposited for that call lies where it is, however far others have come. Senders that find no place
//! then send messages.

/// What a rank has finished, and what is pending.
#[derive(Debug, Default)]
pub(super) struct Finished {
    /// The latest call that was finished, whatever is pending before it.
    latest: u64,
    /// What others were told.
    told: u64,
    /// The nonblocking calls of which something has yet to be read here, in the order in which they were called.
    pending: Vec<u64>,
}

impl Finished {
    /// A nonblocking call is made, which has something to read.
    pub(super) fn begin_pending(&mut self, index: u64) {
        debug_assert!(self.pending.last().is_none_or(|&last| last < index));
        self.pending.push(index);
    }

    /// Nothing more is read of a nonblocking call.
    pub(super) fn end_pending(&mut self, index: u64) {
        if let Ok(at) = self.pending.binary_search(&index) {
            self.pending.remove(at);
            self.note(index);
        }
    }

    /// All was read of a call, and of those before it that are not pending.
    #[inline]
    pub(super) fn note(&mut self, index: u64) {
        self.latest = self.latest.max(index);
    }

    /// Whether something of a call before this one has yet to be read.
    #[inline]
    pub(super) fn is_behind(&self, index: u64) -> bool {
        self.pending.first().is_some_and(|&oldest| oldest < index)
    }

    /// What others are to be told, if that is new.
    #[inline]
    pub(super) fn poll_floor(&mut self) -> Option<u64> {
        let floor = match self.pending.first() {
            Some(&oldest) => self.latest.min(oldest - 1),
            None => self.latest,
        };
        // It never goes back: a call that is made now is later than all that were finished.
        (floor > self.told).then(|| {
            self.told = floor;
            floor
        })
    }
}

/// Of which calls this rank has read the deposit of one member, or will: the latest, and which of those
/// before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    latest: u64,
    /// Bit `n` is that of the call `n` before the latest.
    calls: u64,
}

impl Known {
    /// Those of a new group: the call 0, which nobody makes.
    pub(super) const NOTHING: Known = Known { latest: 0, calls: 1 };

    /// Adds a call.
    #[inline]
    pub(super) fn add(&mut self, index: u64) {
        if index > self.latest {
            let distance = (index - self.latest).min(u64::from(u64::BITS)) as u32;
            self.calls = self.calls.checked_shl(distance).unwrap_or(0);
            self.latest = index;
        }
        let before = (self.latest - index).min(u64::from(u64::BITS)) as u32;
        self.calls |= 1u64.checked_shl(before).unwrap_or(0);
    }

    /// Whether the latest is the call before this one, and so many in a row are among them.
    #[inline]
    pub(super) fn has_each_before(self, index: u64, count: u64) -> bool {
        let row = (1 << count) - 1;
        self.latest + 1 == index && self.calls & row == row
    }

    /// Whether it is one of those, or so old that nobody knows.
    #[inline]
    pub(super) fn has(self, index: u64) -> bool {
        if index > self.latest {
            return false;
        }
        let before = (self.latest - index).min(u64::from(u64::BITS)) as u32;
        self.calls.checked_shr(before).is_none_or(|calls| calls & 1 == 1)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Against a set of calls, in any order of calling and completing. (Planted: the floor is that of the latest
    /// call; a call that is completed out of order is no longer pending for those before it.)
    // SEMANTICS: COL-9
    #[test]
    fn the_floor_is_never_beyond_what_is_pending() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut finished, mut pending, mut told) = (Finished::default(), Vec::new(), 0);
        for index in 1..2000 {
            if random.bool() {
                finished.begin_pending(index);
                pending.push(index);
            } else {
                assert_eq!(finished.is_behind(index), !pending.is_empty());
                finished.note(index);
            }
            while pending.len() > 6 || !pending.is_empty() && random.u8(..3) == 0 {
                let done = pending.swap_remove(random.usize(..pending.len()));
                finished.end_pending(done);
                finished.end_pending(done);
                if let Some(floor) = finished.poll_floor() {
                    assert!(floor > told && pending.iter().all(|&other| floor < other));
                    told = floor;
                }
                assert_eq!(finished.poll_floor(), None);
            }
        }
        pending.into_iter().for_each(|index| finished.end_pending(index));
        finished.note(2000);
        assert_eq!(finished.poll_floor(), Some(2000));
        assert!(!finished.is_behind(2001));
    }

    /// Against a set. (Planted: calls that were skipped are known; one that is read late is the latest.)
    // SEMANTICS: COL-4
    #[test]
    fn the_calls_of_a_member_are_known_in_any_order() {
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..50 {
            let (mut known, mut all, mut latest) = (Known::NOTHING, vec![0], 0u64);
            for _ in 0..60 {
                let index = match random.u8(..8) {
                    0 => latest + random.u64(60..70),
                    1..=3 => latest.saturating_sub(random.u64(..70)),
                    _ => latest + random.u64(1..4),
                };
                known.add(index);
                all.push(index);
                latest = latest.max(index);
                for asked in latest.saturating_sub(63)..latest + 3 {
                    assert_eq!(known.has(asked), all.contains(&asked), "{asked} of {all:?}");
                }
                assert!(latest < 64 || known.has(latest - 64), "nobody knows");
                for asked in latest..latest + 3 {
                    let before = asked.saturating_sub(3)..asked;
                    let has_each = asked == latest + 1
                        && asked >= 3
                        && before.clone().all(|at| all.contains(&at));
                    assert_eq!(
                        known.has_each_before(asked, 3),
                        has_each,
                        "before {asked} of {all:?}"
                    );
                }
            }
        }
    }
}
