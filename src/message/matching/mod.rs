//! Matching: where messages wait for their barrier or for a receive, and receives for their message. One of the parts
//! of the engine.
//!
//! Keeps rules ORD-2, HOLD-1, HOLD-3, GRP-1 and GRP-3 of SEMANTICS.md.
//!
//! A message that may not be delivered yet is *held*. One that may be goes to the first posted receive that matches, or
//! into the queue of its context. What nobody will receive is *unwanted*, and what a posted receive has met is
//! *unsettled* until the engine has made room for it or begun its transfer.
//!
//! This sends nothing and frees no descriptor: the engine does.

mod contexts;
mod posted;
mod queue;

use std::collections::VecDeque;

pub use contexts::{Context, Lane};
use contexts::{Contexts, Meets};
use posted::{Recv, Recvs};
pub(super) use queue::Deliverable;
use queue::PostedRecv;
pub use queue::{Pattern, Source, Tag};

use super::inbound::Inbound;
use super::obstacles::{Obstacles, Watched};
use crate::order::hold::Hold;
use crate::order::{Clock, GroupId, ProtocolError, Rank};

/// A posted receive. Must be given back with [`Engine::finish_recv`](super::Engine::finish_recv) or
/// [`Engine::cancel_recv`](super::Engine::cancel_recv).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecvId(PostedRecv);

/// What waits for its barrier, for a receive, or for a message.
pub(super) struct Matching<F> {
    hold: Hold<Inbound<F>>,
    contexts: Contexts<F>,
    recvs: Watched<Recvs<F>>,
    /// Posted receives that have matched a message, whose transfer may have yet to start, or which may
    /// have to make room for others.
    unsettled: Watched<VecDeque<RecvId>>,
    /// Messages that nobody will receive, to be discarded.
    unwanted: Vec<(Rank, Inbound<F>)>,
}

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

    /// As [`Hold::handle_stamp`]: whether a message may be delivered at once; if not, [`hold`](Matching::hold) comes
    /// next.
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

    /// Receive clocks have moved: delivers what was held and may be delivered now.
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

    /// Whether anything is held.
    #[inline]
    pub(super) fn holds_any(&self) -> bool {
        !self.hold.is_empty()
    }

    /// Whether anything of a sender is held.
    #[inline]
    pub(super) fn holds_of(&self, from: Rank) -> bool {
        self.hold.held_from(from) > 0
    }

    /// What is held of a sender, oldest first, with the stamps.
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

    /// A message may be handed to the program: matches it with a posted receive, or keeps it.
    pub(super) fn deliver(&mut self, obstacles: &mut Obstacles, from: Rank, message: Inbound<F>) {
        self.kept(obstacles).deliver(from, message);
    }

    /// Whether the next message of a sender, if it may be delivered, is the first that a receive in this context finds.
    #[inline(always)]
    pub(super) fn is_clear_of(&self, context: Context, from: Rank) -> bool {
        self.contexts.queue(context).is_clear_of(from) && !self.holds_of(from)
    }

    /// The first message that matches: its sender, its tag, and itself.
    pub(super) fn peek(
        &self,
        context: Context,
        pattern: Pattern,
    ) -> Option<(Rank, u32, &Inbound<F>)> {
        self.contexts.queue(context).peek(pattern)
    }

    /// The same, to change where its payload is.
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

    /// The next message that nobody will receive.
    pub(super) fn next_unwanted(&mut self) -> Option<(Rank, Inbound<F>)> {
        self.unwanted.pop()
    }

    /// Whether nothing waits to be settled or discarded.
    #[inline(always)]
    pub(super) fn is_settled(&self) -> bool {
        self.unsettled.is_empty() && self.unwanted.is_empty()
    }
}

/// Posted receives.
impl<F> Matching<F> {
    /// Posts a receive: the first message that matches and is not taken by an earlier one is kept for it.
    pub(super) fn post(
        &mut self,
        obstacles: &mut Obstacles,
        context: Context,
        pattern: Pattern,
    ) -> RecvId {
        let id = self.recvs.next();
        let recv = match self.contexts.queue_mut(context).post_recv(id, pattern) {
            Some(matched) => {
                self.unsettled.change(obstacles, |all| all.push_back(RecvId(id)));
                Recv::Matched(matched)
            }
            None => Recv::Posted { context },
        };
        self.recvs.change(obstacles, |recvs| recvs.add(recv));
        RecvId(id)
    }

    /// Gives up a posted receive. A message that was kept for it goes back to its place; then its sender is returned.
    pub(super) fn cancel(&mut self, obstacles: &mut Obstacles, id: RecvId) -> Option<Rank> {
        match self.recvs.change(obstacles, |recvs| recvs.remove(id.0)) {
            None | Some(Recv::Unwanted) => None,
            Some(Recv::Posted { context }) => {
                self.contexts.queue_mut(context).cancel_recv(id.0);
                None
            }
            Some(Recv::Matched(matched)) => {
                let source = matched.source;
                let queue = self.contexts.queue_mut(matched.message.context);
                if let Some((id, matched)) = queue.put_back(matched) {
                    self.kept(obstacles).handle_match(id, matched);
                }
                Some(source)
            }
        }
    }

    /// Gives up a posted receive with its message, which nobody else shall have: returns it, if it has come, and else
    /// does so when it comes ([`next_unwanted`](Matching::next_unwanted)).
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

    /// Takes the message of a posted receive that has met one; the receive is gone then.
    pub(super) fn take_matched(
        &mut self,
        obstacles: &mut Obstacles,
        id: RecvId,
    ) -> Option<Deliverable<Inbound<F>>> {
        self.matched(id)?;
        match self.recvs.change(obstacles, |recvs| recvs.remove(id.0)) {
            Some(Recv::Matched(matched)) => Some(matched),
            _ => None,
        }
    }

    /// The message that a posted receive has met.
    pub(super) fn matched(&self, id: RecvId) -> Option<&Deliverable<Inbound<F>>> {
        self.recvs.matched(id.0)
    }

    /// The same, to change where its payload is.
    pub(super) fn matched_mut(&mut self, id: RecvId) -> Option<&mut Deliverable<Inbound<F>>> {
        self.recvs.unchanged().matched_mut(id.0)
    }

    /// All messages that posted receives have met, with these.
    pub(super) fn all_matched(&self) -> impl Iterator<Item = (RecvId, &Deliverable<Inbound<F>>)> {
        self.recvs.all_matched().map(|(id, matched)| (RecvId(id), matched))
    }

    /// The next receive that has met a message and is to be settled.
    pub(super) fn next_unsettled(&mut self, obstacles: &mut Obstacles) -> Option<RecvId> {
        if self.unsettled.is_empty() {
            return None;
        }
        self.unsettled.change(obstacles, VecDeque::pop_front)
    }

    /// The context of a posted receive.
    pub(super) fn context_of(&self, id: RecvId) -> Context {
        match self.recvs.get(id.0) {
            Some(Recv::Posted { context }) => *context,
            Some(Recv::Matched(matched)) => matched.message.context,
            None | Some(Recv::Unwanted) => Context::WORLD,
        }
    }

    /// What a posted receive asks for that has met no message.
    pub(super) fn pattern_of(&self, id: RecvId) -> Option<Pattern> {
        self.contexts.queue(self.context_of(id)).posted_pattern(id.0)
    }

    /// Whether a posted receive other than `but` has not met a message.
    pub(super) fn has_posted(&self, but: Option<RecvId>) -> bool {
        self.contexts.has_posted(but.map(|id| id.0))
    }
}

/// Groups.
impl<F> Matching<F> {
    /// The lowest id that a group may still get here.
    pub(super) fn next_group(&self) -> GroupId {
        self.contexts.next_group()
    }

    /// Makes the queues of a group; returns the messages that came before, oldest first. They are to be delivered.
    pub(super) fn open(&mut self, group: GroupId) -> Vec<(Rank, Inbound<F>)> {
        self.contexts.open(group)
    }

    /// No group with an id below `next` will be made from now on: what came for such is unwanted.
    pub(super) fn handle_ids_used(&mut self, next: GroupId) {
        let mut gone = self.contexts.handle_ids_used(next);
        self.unwanted.append(&mut gone);
    }

    /// Takes the queues of a group away, and its posted receives: its messages are unwanted. Returns whether there was
    /// such a group.
    pub(super) fn close(&mut self, obstacles: &mut Obstacles, group: GroupId) -> bool {
        let Some(mut leftovers) = self.contexts.close(group) else { return false };
        // Nobody gave them back: their handles were forgotten.
        let of_it = |matched: &Deliverable<Inbound<F>>| matched.message.context.group() == group;
        let forgotten = self.all_matched().filter(|(_, matched)| of_it(matched));
        let forgotten: Vec<RecvId> = forgotten.map(|(id, _)| id).collect();
        for id in forgotten {
            let matched = self.take_matched(obstacles, id);
            self.unwanted.extend(matched.map(|matched| (matched.source, matched.message)));
        }
        for posted in leftovers.posted {
            self.recvs.change(obstacles, |recvs| recvs.remove(posted));
        }
        self.unwanted.append(&mut leftovers.messages);
        true
    }

    /// The obstacles that it is now, counted anew.
    pub(super) fn recount(&self) -> Obstacles {
        let posted = self.recvs.recount();
        debug_assert_eq!(self.has_posted(None), posted != Obstacles::NONE);
        posted.and(self.unsettled.recount())
    }
}

/// What keeps deliverable messages until the program asks for them.
struct Kept<'e, F> {
    contexts: &'e mut Contexts<F>,
    recvs: &'e mut Watched<Recvs<F>>,
    unsettled: &'e mut Watched<VecDeque<RecvId>>,
    unwanted: &'e mut Vec<(Rank, Inbound<F>)>,
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
            Meets::Gone => self.unwanted.push((from, message)),
        }
    }

    /// A posted receive has met a message.
    fn handle_match(&mut self, id: PostedRecv, matched: Deliverable<Inbound<F>>) {
        match self.recvs.change(self.obstacles, |recvs| recvs.handle_match(id, matched)) {
            Ok(()) => self.unsettled.change(self.obstacles, |all| all.push_back(RecvId(id))),
            Err(unwanted) => self.unwanted.push((unwanted.source, unwanted.message)),
        }
    }
}
