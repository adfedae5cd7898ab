//! The posted receives of a rank, by number. The match queues ([`super::queue`]) keep the pattern
//! of each.
//!
//! What a receive has matched lies apart from the receive: most are finished without that, on the fast path, and a
//! message takes several times as much memory as all else that is known of a receive.
//!
//! # Correctness
//!
//! `unmatched` counts the receives that a later message may match. While there are any, a call that receives takes no
//! message on the fast path: it might be for one of these receives. One that waits for such a receive does, if the
//! message is for that one.

use std::fmt;

use slab::Slab;

use super::contexts::Context;
use super::queue::{Deliverable, PostedRecv};
use crate::message::inbound::Inbound;
use crate::message::obstacles::{Gate, Obstacles};
use crate::order::clocks::Seq;

/// The state of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recv {
    Posted {
        context: Context,
    },
    /// Posted and then abandoned: its message will be discarded.
    Unwanted {
        context: Context,
    },
    Matched,
}

/// A receive that was removed, with what it has matched.
#[derive(Debug)]
pub(super) enum Removed<F> {
    Unmatched { context: Context },
    Matched(Deliverable<Inbound<F>>),
}

/// Memory of the program that a posted receive is to fill. It is the receive's until that ends.
#[derive(Clone, Copy)]
pub struct RecvRoom(*mut [u8]);

// SAFETY: whoever made it has promised that the receive alone uses the memory, from whichever thread.
unsafe impl Send for RecvRoom {}

impl RecvRoom {
    /// This memory.
    ///
    /// # Safety
    ///
    /// It can be written, and nobody else reads or writes it, until the receive has ended: it was finished,
    /// cancelled or discarded, or its engine was dropped.
    pub unsafe fn new(room: *mut [u8]) -> RecvRoom {
        RecvRoom(room)
    }

    /// # Safety
    ///
    /// As [`new`](RecvRoom::new) says; and no other slice of it is in use.
    pub(in crate::message) unsafe fn bytes_mut<'r>(self) -> &'r mut [u8] {
        // SAFETY: the caller promises it.
        unsafe { &mut *self.0 }
    }
}

impl fmt::Debug for RecvRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room for {} bytes", self.0.len())
    }
}

/// What is known of a posted receive.
#[derive(Debug)]
struct Slot {
    recv: Recv,
    /// The place of the latest barrier that was initiated before.
    after: Seq,
    /// Where its payload goes, if the program has said so.
    room: Option<RecvRoom>,
}

/// The posted receives. [`remove`](Recvs::remove) frees a number for reuse.
#[derive(Debug)]
pub(super) struct Recvs<F> {
    slots: Slab<Slot>,
    /// By number, the messages of those that have matched one.
    matched: Vec<Option<Deliverable<Inbound<F>>>>,
    /// The number of receives that have not matched a message.
    unmatched: usize,
}

impl<F> Recvs<F> {
    pub(super) fn new() -> Recvs<F> {
        Recvs { slots: Slab::new(), matched: Vec::new(), unmatched: 0 }
    }

    /// The number that the next receive will get.
    pub(super) fn next(&self) -> PostedRecv {
        PostedRecv(self.slots.vacant_key() as u32)
    }

    /// Adds a receive that has matched no message yet.
    #[inline]
    pub(super) fn add(&mut self, context: Context, after: Seq) {
        self.unmatched += 1;
        self.slots.insert(Slot { recv: Recv::Posted { context }, after, room: None });
    }

    /// As [`add`](Recvs::add), of one that has matched this message.
    pub(super) fn add_matched(&mut self, matched: Deliverable<Inbound<F>>, after: Seq) {
        let at = self.slots.insert(Slot { recv: Recv::Matched, after, room: None });
        self.keep(at, matched);
    }

    fn keep(&mut self, at: usize, matched: Deliverable<Inbound<F>>) {
        if self.matched.len() <= at {
            self.matched.resize_with(at + 1, || None);
        }
        self.matched[at] = Some(matched);
    }

    /// Removes a receive, with the message that it has matched; None if there is no such receive.
    pub(super) fn remove(&mut self, id: PostedRecv) -> Option<Removed<F>> {
        match self.slots.try_remove(id.index())?.recv {
            Recv::Posted { context } | Recv::Unwanted { context } => {
                self.unmatched -= 1;
                Some(Removed::Unmatched { context })
            }
            Recv::Matched => {
                let matched = self.matched[id.index()].take();
                Some(Removed::Matched(matched.expect("its message is kept")))
            }
        }
    }

    /// Removes a receive that has matched no message.
    #[inline]
    pub(super) fn remove_unmatched(&mut self, id: PostedRecv) {
        let removed = self.slots.try_remove(id.index());
        debug_assert!(removed.is_some_and(|slot| slot.recv.is_unmatched()));
        self.unmatched -= 1;
    }

    /// A receive has matched a message. If the receive was abandoned, it is removed and the message
    /// returned, with the place after which it was posted.
    pub(super) fn handle_match(
        &mut self,
        id: PostedRecv,
        matched: Deliverable<Inbound<F>>,
    ) -> Result<(), (Deliverable<Inbound<F>>, Seq)> {
        let Slot { recv, after, .. } = &mut self.slots[id.index()];
        debug_assert!(recv.is_unmatched(), "a receive matches one message");
        if matches!(recv, Recv::Unwanted { .. }) {
            let after = *after;
            self.remove(id);
            return Err((matched, after));
        }
        *recv = Recv::Matched;
        self.unmatched -= 1;
        self.keep(id.index(), matched);
        Ok(())
    }

    #[inline]
    pub(super) fn get(&self, id: PostedRecv) -> Option<Recv> {
        self.slots.get(id.index()).map(|slot| slot.recv)
    }

    /// The place of the latest barrier that was initiated before a receive was posted.
    pub(super) fn after_of(&self, id: PostedRecv) -> Option<Seq> {
        self.slots.get(id.index()).map(|slot| slot.after)
    }

    /// The payload of a receive goes there.
    pub(super) fn lend_room(&mut self, id: PostedRecv, room: RecvRoom) {
        if let Some(slot) = self.slots.get_mut(id.index()) {
            slot.room = Some(room);
        }
    }

    /// A receive has no room any more.
    pub(super) fn take_room_back(&mut self, id: PostedRecv) {
        if let Some(slot) = self.slots.get_mut(id.index()) {
            slot.room = None;
        }
    }

    /// Where the payload of a receive goes, if the program has said so.
    pub(super) fn room_of(&self, id: PostedRecv) -> Option<RecvRoom> {
        self.slots.get(id.index())?.room
    }

    /// The message that a receive has matched.
    pub(super) fn matched(&self, id: PostedRecv) -> Option<&Deliverable<Inbound<F>>> {
        self.matched.get(id.index())?.as_ref()
    }

    /// As [`matched`](Recvs::matched), to change where the payload is.
    pub(super) fn matched_mut(&mut self, id: PostedRecv) -> Option<&mut Deliverable<Inbound<F>>> {
        self.matched.get_mut(id.index())?.as_mut()
    }

    /// Abandons a receive that has matched no message.
    pub(super) fn abandon(&mut self, id: PostedRecv) {
        if let Some(Slot { recv, room, .. }) = self.slots.get_mut(id.index())
            && let Recv::Posted { context } = *recv
        {
            *recv = Recv::Unwanted { context };
            *room = None;
        }
    }

    /// Whether any receive has matched a message.
    #[inline]
    pub(super) fn has_matched(&self) -> bool {
        self.slots.len() > self.unmatched
    }

    /// All receives that have matched a message, with it.
    pub(super) fn all_matched(
        &self,
    ) -> impl Iterator<Item = (PostedRecv, &Deliverable<Inbound<F>>)> {
        let kept = self.matched.iter().enumerate();
        kept.filter_map(|(at, matched)| Some((PostedRecv(at as u32), matched.as_ref()?)))
    }
}

impl<F> Gate for Recvs<F> {
    fn raises(&self, mask: Obstacles) -> Obstacles {
        mask.when(self.unmatched > 0)
    }
}

impl PostedRecv {
    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Recv {
    fn is_unmatched(self) -> bool {
        self != Recv::Matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::inbound::Body;

    fn message() -> Deliverable<Inbound<()>> {
        let context = Context::WORLD;
        let message =
            Inbound { context, tag: 0, element: 1, len: 0, body: Body::Owned(Vec::new()) };
        Deliverable { source: 0, tag: 0, noticed: 0, message }
    }

    /// In any order of posting, matching, abandoning and removing: no two receives have the same
    /// number, free numbers are reused, and the unmatched receives are counted.
    /// (Planted: an abandoned receive no longer counts; a removed one still counts.)
    #[test]
    fn receives_have_distinct_numbers_which_are_reused() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut recvs: Recvs<()> = Recvs::new();
        let mut used: Vec<(PostedRecv, bool)> = Vec::new();
        for _ in 0..5000 {
            match random.u8(..4) {
                0 | 1 if used.len() < 50 => {
                    let id = recvs.next();
                    assert!(used.iter().all(|&(other, _)| other != id) && id.0 < 50, "{id:?}");
                    let has_met = random.bool();
                    match has_met {
                        true => recvs.add_matched(message(), 0),
                        false => recvs.add(Context::WORLD, 0),
                    }
                    used.push((id, has_met));
                }
                2 if !used.is_empty() => {
                    let (id, has_met) = used.swap_remove(random.usize(..used.len()));
                    assert_eq!(matches!(recvs.remove(id), Some(Removed::Matched(_))), has_met);
                    assert!(recvs.remove(id).is_none(), "removed twice");
                    assert!(recvs.matched(id).is_none(), "its message is still there");
                }
                3 if !used.is_empty() => {
                    let nth = random.usize(..used.len());
                    let (id, has_met) = used[nth];
                    if random.bool() {
                        recvs.abandon(id);
                    }
                    let is_abandoned = matches!(recvs.get(id), Some(Recv::Unwanted { .. }));
                    if !has_met {
                        assert_eq!(recvs.handle_match(id, message()).is_err(), is_abandoned);
                        match is_abandoned {
                            true => drop(used.swap_remove(nth)),
                            false => used[nth].1 = true,
                        }
                    }
                }
                _ => {}
            }
            let unmatched = used.iter().filter(|(_, has_met)| !has_met).count();
            assert_eq!(recvs.raises(Obstacles::POSTED) != Obstacles::NONE, unmatched > 0);
            assert_eq!(recvs.all_matched().count() + unmatched, used.len());
            assert_eq!(recvs.has_matched(), used.len() > unmatched);
        }
    }
}
