//! Matching: the part of the engine where messages wait for their barrier or for a receive, and
//! posted receives for their message.
//!
//! Keeps rules ORD-2, HOLD-1, HOLD-3, GRP-1 and GRP-3 of SEMANTICS.md.
//!
//! A message that may not be delivered yet is *held*. A deliverable one goes to the first posted
//! receive that matches, or into the queue of its context. A message that no receive will take is
//! *unwanted*. A posted receive that has matched is *unsettled* until the engine has made room for
//! its message or begun the transfer.
//!
//! This part sends nothing and frees no descriptor: the engine does.

mod contexts;
mod ids;
mod posted;
mod queue;

use std::collections::VecDeque;

pub use contexts::{Context, Lane};
use contexts::{Contexts, Meets};
pub use ids::{Ids, Proposal};
pub use posted::RecvRoom;
use posted::{Recv, Recvs, Removed};
pub(super) use queue::Deliverable;
use queue::PostedRecv;
pub use queue::{Pattern, Source, Tag};

use super::inbound::{Body, Inbound};
use super::obstacles::{Obstacles, Watched};
use crate::order::clocks::Seq;
use crate::order::hold::Hold;
use crate::order::{Clock, GroupId, ProtocolError, Rank};

/// A posted receive. Must be given back with [`Engine::finish_recv`](super::Engine::finish_recv) or
/// [`Engine::cancel_recv`](super::Engine::cancel_recv).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvId(PostedRecv);

/// The messages that wait for a barrier or for a receive, and the posted receives of one rank.
pub(super) struct Matching<F> {
    hold: Hold<Inbound<F>>,
    contexts: Contexts<F>,
    recvs: Watched<Recvs<F>>,
    /// Posted receives that have matched a message whose transfer may have yet to start, or which
    /// may have to make room for others.
    unsettled: Watched<VecDeque<RecvId>>,
    /// Messages to be discarded: no receive will take them.
    unwanted: Vec<Unwanted<F>>,
}

/// Its sender, and after which barrier the receive was posted that has met it, if one has.
type Unwanted<F> = (Rank, Inbound<F>, Option<Seq>);

/// Held messages.
impl<F> Matching<F> {
    /// For messages of `size` ranks, with the world as the only group.
    pub(super) fn new(size: usize) -> Matching<F> {
        Matching {
            hold: Hold::new(size),
            contexts: Contexts::new(size),
            recvs: Watched::new(Obstacles::POSTED, Recvs::new()),
            unsettled: Watched::new(Obstacles::UNSETTLED, VecDeque::new()),
            unwanted: Vec::new(),
        }
    }

    /// As [`Hold::handle_stamp`]: whether a message may be delivered at once. If not, the caller
    /// calls [`hold`](Matching::hold) next.
    #[inline(always)]
    pub(super) fn handle_stamp(
        &mut self,
        from: Rank,
        stamp: Clock,
        recv_clock: Clock,
    ) -> Result<bool, ProtocolError> {
        self.hold.handle_stamp(from, stamp, recv_clock)
    }

    /// As [`Hold::handle_stamp_to_deliver`].
    #[inline(always)]
    pub(super) fn handle_stamp_to_deliver(
        &mut self,
        from: Rank,
        stamp: Clock,
        recv_clock: Clock,
    ) -> bool {
        self.hold.handle_stamp_to_deliver(from, stamp, recv_clock)
    }

    /// Keeps a message until its barrier completes.
    pub(super) fn hold(&mut self, from: Rank, stamp: Clock, message: Inbound<F>) {
        self.hold.keep(from, stamp, message);
    }

    /// Receive clocks have moved: delivers the held messages that have become deliverable.
    pub(super) fn release_held(
        &mut self,
        obstacles: &mut Obstacles,
        recv_clock: impl Fn(Rank) -> Clock,
    ) {
        let Matching { hold, contexts, recvs, unsettled, unwanted } = self;
        hold.poll_deliverable(recv_clock, |from, message| {
            Kept { contexts, recvs, unsettled, unwanted, obstacles }.deliver(from, message);
        });
    }

    /// Whether any message is held.
    #[inline]
    pub(super) fn holds_any(&self) -> bool {
        !self.hold.is_empty()
    }

    /// Whether any message of a sender is held.
    #[inline]
    pub(super) fn holds_of(&self, from: Rank) -> bool {
        self.hold.held_from(from) > 0
    }

    /// The held messages of a sender with their stamps, oldest first.
    pub(super) fn held_of(&self, from: Rank) -> impl Iterator<Item = (Clock, &Inbound<F>)> {
        self.hold.iter_from(from)
    }
}

/// Deliverable messages.
impl<F> Matching<F> {
    fn kept<'e>(&'e mut self, obstacles: &'e mut Obstacles) -> Kept<'e, F> {
        let Matching { contexts, recvs, unsettled, unwanted, .. } = self;
        Kept { contexts, recvs, unsettled, unwanted, obstacles }
    }

    /// A message has become deliverable: matches it with a posted receive, or keeps it.
    pub(super) fn deliver(&mut self, obstacles: &mut Obstacles, from: Rank, message: Inbound<F>) {
        self.kept(obstacles).deliver(from, message);
    }

    /// Whether the next message of a sender, if deliverable, will be the first that a receive in
    /// this context finds.
    #[inline(always)]
    pub(super) fn is_clear_of(&self, context: Context, from: Rank) -> bool {
        self.contexts.queue(context).is_clear_of(from) && !self.holds_of(from)
    }

    /// As [`is_clear_of`](Matching::is_clear_of), for a posted receive that names this sender: whether that next
    /// message will be the first that it finds, and none that was posted before would take it. Returns its context and pattern.
    #[inline(always)]
    pub(super) fn next_of(&self, id: RecvId, from: Rank) -> Option<(Context, Pattern)> {
        let Some(Recv::Posted { context }) = self.recvs.get(id.0) else { return None };
        let pattern = self.contexts.queue(context).next_of(id.0, from)?;
        (!self.holds_of(from)).then_some((context, pattern))
    }

    /// Whether a receive is posted that other ranks than this one may send for.
    pub(super) fn has_posted_for_others(&self, from: Rank) -> bool {
        self.contexts.has_posted_for_others(from)
    }

    /// The first message that matches, with its sender and its tag.
    pub(super) fn peek(
        &self,
        context: Context,
        pattern: Pattern,
    ) -> Option<(Rank, u32, &Inbound<F>)> {
        self.contexts.queue(context).peek(pattern)
    }

    /// As [`peek`](Matching::peek), to change where the payload is.
    pub(super) fn peek_mut(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Option<&mut Inbound<F>> {
        self.contexts.queue_mut(context).peek_mut(pattern)
    }

    /// All messages that match.
    pub(super) fn all(
        &self,
        context: Context,
        pattern: Pattern,
    ) -> impl Iterator<Item = (Rank, u32, &Inbound<F>)> {
        self.contexts.queue(context).all(pattern)
    }

    /// Calls `see` for each deliverable message of a sender that no receive has met and that has come
    /// since the last such call. It says whether the message lay in a descriptor.
    pub(super) fn for_each_new_unexpected_of(
        &mut self,
        from: Rank,
        mut see: impl FnMut(&mut Inbound<F>) -> bool,
    ) {
        self.contexts.for_each_new_early_of(from, &mut see);
        self.contexts.for_each_queue(|queue| {
            queue.for_each_new_of(from, |message| {
                see(message);
            });
        });
    }

    /// From now on, [`for_each_new_unexpected_of`](Matching::for_each_new_unexpected_of) calls again for
    /// the messages of this context.
    pub(super) fn look_anew(&mut self, context: Context) {
        self.contexts.queue_mut(context).look_anew();
    }

    /// A message without payload, if a receive is posted for it.
    pub(super) fn deliver_if_posted(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        (context, tag): (Context, u32),
    ) -> bool {
        let is_posted = match self.contexts.meet(context) {
            Meets::Queue(queue) => queue.has_posted_for(from, tag),
            Meets::Early | Meets::Gone => false,
        };
        if is_posted {
            let body = Body::Owned(Vec::new());
            self.deliver(obstacles, from, Inbound { context, tag, element: 0, len: 0, body });
        }
        is_posted
    }

    /// Takes the first message that matches.
    pub(super) fn take(
        &mut self,
        context: Context,
        pattern: Pattern,
    ) -> Option<Deliverable<Inbound<F>>> {
        self.contexts.queue_mut(context).take(pattern)
    }

    /// Takes the first message that matches, if it `is_fit`.
    #[inline]
    pub(super) fn take_if(
        &mut self,
        context: Context,
        pattern: Pattern,
        is_fit: impl FnOnce(&Inbound<F>) -> bool,
    ) -> Option<Deliverable<Inbound<F>>> {
        self.contexts.queue_mut(context).take_if(pattern, is_fit)
    }

    /// The next message to discard.
    pub(super) fn next_unwanted(&mut self) -> Option<Unwanted<F>> {
        self.unwanted.pop()
    }

    /// Whether no receive is to be settled and no message to be discarded.
    #[inline(always)]
    pub(super) fn is_settled(&self) -> bool {
        self.unsettled.is_empty() && self.unwanted.is_empty()
    }
}

/// Posted receives.
impl<F> Matching<F> {
    /// Posts a receive: it gets the first matching message that no earlier receive takes. The barriers
    /// up to `after` were initiated before.
    pub(super) fn post(
        &mut self,
        obstacles: &mut Obstacles,
        context: Context,
        pattern: Pattern,
        after: Seq,
    ) -> RecvId {
        let id = self.recvs.next();
        match self.contexts.queue_mut(context).post_recv(id, pattern) {
            Some(matched) => {
                self.unsettled.change(obstacles, |all| all.push_back(RecvId(id)));
                self.recvs.change(obstacles, |recvs| recvs.add_matched(matched, after));
            }
            None => self.recvs.change(obstacles, |recvs| recvs.add(context, after)),
        }
        RecvId(id)
    }

    /// Cancels a posted receive. If it has matched a message, the message returns to its place in
    /// the queue, and its sender is returned.
    pub(super) fn cancel(&mut self, obstacles: &mut Obstacles, id: RecvId) -> Option<Rank> {
        match self.recvs.change(obstacles, |recvs| recvs.remove(id.0)) {
            None => None,
            Some(Removed::Unmatched { context }) => {
                self.contexts.queue_mut(context).cancel_recv(id.0);
                None
            }
            Some(Removed::Matched(matched)) => {
                let source = matched.source;
                let queue = self.contexts.queue_mut(matched.message.context);
                if let Some((id, matched)) = queue.put_back(matched) {
                    self.kept(obstacles).handle_match(id, matched);
                }
                Some(source)
            }
        }
    }

    /// A posted receive that had matched no message has taken one straight out of the network.
    #[inline]
    pub(super) fn handle_received(
        &mut self,
        obstacles: &mut Obstacles,
        id: RecvId,
        context: Context,
    ) {
        self.recvs.change(obstacles, |recvs| recvs.remove_unmatched(id.0));
        self.contexts.queue_mut(context).cancel_recv(id.0);
    }

    /// Cancels a posted receive together with its message, which no other receive may take. Returns
    /// the message if it has arrived. Otherwise [`next_unwanted`](Matching::next_unwanted) returns
    /// it after its arrival.
    pub(super) fn abandon(
        &mut self,
        obstacles: &mut Obstacles,
        id: RecvId,
    ) -> Option<Deliverable<Inbound<F>>> {
        if self.matched(id).is_none() {
            self.recvs.unchanged().abandon(id.0);
        }
        self.take_matched(obstacles, id)
    }

    /// Whether a receive with this pattern was posted under this id and abandoned, and its message has yet to
    /// come. (An id is used again.)
    pub(super) fn is_abandoned(&self, id: RecvId, (context, pattern): (Context, Pattern)) -> bool {
        let is_its = |of: Context| of == context && self.pattern_of(id) == Some(pattern);
        match self.recvs.get(id.0) {
            Some(Recv::Unwanted { context }) => is_its(context),
            _ => false,
        }
    }

    /// Takes the message that a posted receive has matched, and removes the receive.
    pub(super) fn take_matched(
        &mut self,
        obstacles: &mut Obstacles,
        id: RecvId,
    ) -> Option<Deliverable<Inbound<F>>> {
        self.matched(id)?;
        match self.recvs.change(obstacles, |recvs| recvs.remove(id.0)) {
            Some(Removed::Matched(matched)) => Some(matched),
            _ => None,
        }
    }

    /// The place of the latest barrier that was initiated before a receive was posted.
    pub(super) fn after_of(&self, id: RecvId) -> Option<Seq> {
        self.recvs.after_of(id.0)
    }

    /// The payload of a posted receive goes there, if it can be brought there at once.
    pub(super) fn lend_room(&mut self, id: RecvId, room: RecvRoom) {
        self.recvs.unchanged().lend_room(id.0, room);
    }

    /// A posted receive has no room any more.
    pub(super) fn take_room_back(&mut self, id: RecvId) {
        self.recvs.unchanged().take_room_back(id.0);
    }

    /// Where the payload of a posted receive goes, if the program has said so.
    pub(super) fn room_of(&self, id: RecvId) -> Option<RecvRoom> {
        self.recvs.room_of(id.0)
    }

    /// Where the payload of a posted receive is gathered, and its length, if it has matched such a message.
    pub(super) fn gathered_by(&self, id: RecvId) -> Option<(usize, usize)> {
        let message = &self.matched(id)?.message;
        match message.body {
            Body::Gathering { slot } => Some((slot, message.len)),
            _ => None,
        }
    }

    /// The message that a posted receive has matched.
    pub(super) fn matched(&self, id: RecvId) -> Option<&Deliverable<Inbound<F>>> {
        self.recvs.matched(id.0)
    }

    /// As [`matched`](Matching::matched), to change where the payload is.
    pub(super) fn matched_mut(&mut self, id: RecvId) -> Option<&mut Deliverable<Inbound<F>>> {
        self.recvs.unchanged().matched_mut(id.0)
    }

    /// Whether any posted receive has matched a message.
    #[inline]
    pub(super) fn has_any_matched(&self) -> bool {
        self.recvs.has_matched()
    }

    /// All posted receives that have matched a message, with it.
    pub(super) fn all_matched(&self) -> impl Iterator<Item = (RecvId, &Deliverable<Inbound<F>>)> {
        self.recvs.all_matched().map(|(id, matched)| (RecvId(id), matched))
    }

    /// Whether a posted receive has matched a message of a sender with this tag.
    pub(super) fn has_matched(&self, context: Context, (from, tag): (Rank, u32)) -> bool {
        self.all_matched().any(|(_, matched)| {
            matched.source == from && matched.tag == tag && matched.message.context == context
        })
    }

    /// The next matched receive to settle.
    pub(super) fn next_unsettled(&mut self, obstacles: &mut Obstacles) -> Option<RecvId> {
        if self.unsettled.is_empty() {
            return None;
        }
        self.unsettled.change(obstacles, VecDeque::pop_front)
    }

    /// The context of a posted receive.
    pub(super) fn context_of(&self, id: RecvId) -> Context {
        match self.recvs.get(id.0) {
            Some(Recv::Posted { context } | Recv::Unwanted { context }) => context,
            Some(Recv::Matched) => self.matched(id).map_or(Context::WORLD, |it| it.message.context),
            None => Context::WORLD,
        }
    }

    /// The pattern of a posted receive that has matched no message.
    pub(super) fn pattern_of(&self, id: RecvId) -> Option<Pattern> {
        self.contexts.queue(self.context_of(id)).posted_pattern(id.0)
    }

    /// Whether a posted receive other than `but` has matched no message.
    pub(super) fn has_posted(&self, but: Option<RecvId>) -> bool {
        self.contexts.has_posted(but.map(|id| id.0))
    }
}

/// Groups.
impl<F> Matching<F> {
    /// The ids that new groups may get at this rank.
    pub(super) fn ids(&self) -> &Ids {
        self.contexts.ids()
    }

    /// Whether a group with this id may be made here now.
    pub(super) fn may_open(&self, group: GroupId) -> bool {
        self.contexts.may_open(group)
    }

    /// As [`Ids::propose`], for this rank.
    pub(super) fn propose(&mut self, rank: Rank, free: u64) -> Option<Proposal> {
        self.contexts.propose(rank, free)
    }

    /// A proposal is no longer pending.
    pub(super) fn handle_settled(&mut self, proposal: GroupId) {
        let gone = self.contexts.handle_settled(proposal);
        self.discard_early(gone);
    }

    /// Makes the queues of a group. Returns its messages that arrived early, oldest first, for the
    /// caller to deliver.
    pub(super) fn open(&mut self, group: GroupId) -> Vec<(Rank, Inbound<F>)> {
        self.contexts.open(group)
    }

    /// No group with an id below `next` will be made from now on, but for pending proposals: the early
    /// messages of such groups are unwanted.
    pub(super) fn handle_ids_used(&mut self, next: GroupId) {
        let gone = self.contexts.handle_ids_used(next);
        self.discard_early(gone);
    }

    fn discard_early(&mut self, gone: Vec<(Rank, Inbound<F>)>) {
        self.unwanted.extend(gone.into_iter().map(|(from, message)| (from, message, None)));
    }

    /// Removes the queues and the posted receives of a group; its messages are unwanted. Returns
    /// whether there was such a group.
    pub(super) fn close(&mut self, obstacles: &mut Obstacles, group: GroupId) -> bool {
        let Some(leftovers) = self.contexts.close(group) else { return false };
        // Receives whose handles the program has leaked (`mem::forget`) were never cancelled.
        let of_it = |matched: &Deliverable<Inbound<F>>| matched.message.context.group() == group;
        let forgotten = self.all_matched().filter(|(_, matched)| of_it(matched));
        let forgotten: Vec<RecvId> = forgotten.map(|(id, _)| id).collect();
        for id in forgotten {
            let after = self.after_of(id);
            let matched = self.take_matched(obstacles, id);
            self.unwanted.extend(matched.map(|matched| (matched.source, matched.message, after)));
        }
        for posted in leftovers.posted {
            self.recvs.change(obstacles, |recvs| recvs.remove(posted));
        }
        let messages = leftovers.messages.into_iter();
        self.unwanted.extend(messages.map(|(from, message)| (from, message, None)));
        true
    }

    /// The obstacles of this part, counted anew.
    pub(super) fn recount(&self) -> Obstacles {
        let posted = self.recvs.recount();
        debug_assert_eq!(self.has_posted(None), posted != Obstacles::NONE);
        posted.and(self.unsettled.recount())
    }
}

/// The part of [`Matching`] that keeps deliverable messages. Borrowed apart from the held ones.
struct Kept<'e, F> {
    contexts: &'e mut Contexts<F>,
    recvs: &'e mut Watched<Recvs<F>>,
    unsettled: &'e mut Watched<VecDeque<RecvId>>,
    unwanted: &'e mut Vec<Unwanted<F>>,
    obstacles: &'e mut Obstacles,
}

impl<F> Kept<'_, F> {
    fn deliver(&mut self, from: Rank, message: Inbound<F>) {
        let tag = message.tag;
        match self.contexts.meet(message.context) {
            Meets::Queue(queue) => {
                if let Some((id, matched)) = queue.handle_deliverable(from, tag, message) {
                    self.handle_match(id, matched);
                }
            }
            Meets::Early => self.contexts.keep_early(from, message),
            Meets::Gone => self.unwanted.push((from, message, None)),
        }
    }

    /// A posted receive has matched a message.
    fn handle_match(&mut self, id: PostedRecv, matched: Deliverable<Inbound<F>>) {
        match self.recvs.change(self.obstacles, |recvs| recvs.handle_match(id, matched)) {
            Ok(()) => self.unsettled.change(self.obstacles, |all| all.push_back(RecvId(id))),
            Err((unwanted, after)) => {
                self.unwanted.push((unwanted.source, unwanted.message, Some(after)));
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::message::inbound::Body;

    /// An id is used again, so an abandoned receive is told by its pattern, too. (Planted: any abandoned receive of that
    /// id; one that is cancelled stays in the queue and takes a message.)
    // SEMANTICS: COL-8
    #[test]
    fn an_abandoned_receive_can_be_cancelled() {
        let (mut matching, mut obstacles) = (Matching::<()>::new(2), Obstacles::NONE);
        let (context, other) = (Context::WORLD, Context::new(GroupId::WORLD, Lane::Collective));
        let of = |tag| Pattern { source: Source::Rank(1), tag: Tag::Exactly(tag) };
        let message = |tag| {
            let body = Body::Owned(Vec::new());
            Inbound { context, tag, element: 0, len: 0, body }
        };
        let id = matching.post(&mut obstacles, context, of(3), 0);
        assert!(!matching.is_abandoned(id, (context, of(3))), "it is wanted");
        assert!(matching.abandon(&mut obstacles, id).is_none());
        assert!(matching.is_abandoned(id, (context, of(3))));
        assert!(!matching.is_abandoned(id, (context, of(4))));
        assert!(!matching.is_abandoned(id, (other, of(3))));
        assert_eq!(matching.cancel(&mut obstacles, id), None);
        assert_eq!((matching.recount(), obstacles), (Obstacles::NONE, Obstacles::NONE));
        matching.deliver(&mut obstacles, 1, message(3));
        assert!(matching.peek(context, of(3)).is_some(), "no receive took it");
        // One that meets its message is gone.
        let id = matching.post(&mut obstacles, context, of(5), 0);
        assert!(matching.abandon(&mut obstacles, id).is_none());
        matching.deliver(&mut obstacles, 1, message(5));
        assert!(!matching.is_abandoned(id, (context, of(5))));
        assert!(matching.next_unwanted().is_some() && matching.peek(context, of(5)).is_none());
    }
}
