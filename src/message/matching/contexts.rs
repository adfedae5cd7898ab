//! Contexts: they keep the messages of different communicators apart, and those of a program apart
//! from those of its collectives.
//!
//! Keeps rules GRP-1, GRP-3 and SAFE-1 of SEMANTICS.md.
//!
//! A group has one context, and one match queue, for each [`Lane`]. The queues of dropped groups
//! are reused. This module knows nothing of barriers, and frees no message that it hands back: the
//! engine does.
//!
//! # Correctness
//!
//! No id is used twice ([`super::ids`]), so there are two kinds of unknown contexts. If the id is
//! still to come, a peer has made the group and this rank has not: its messages are kept, in order,
//! until this rank has. Otherwise this rank has dropped the group: no receive will ever take the
//! message, and it is handed back to be discarded. The senders' windows bound the number of both.

use super::ids::{Ids, Proposal};
use super::queue::{MatchQueue, PostedRecv};
use crate::message::inbound::Inbound;
use crate::order::{GroupId, Rank};

/// The layer that the messages of a context belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The program.
    Program,
    /// Collectives.
    Collective,
    /// The making of further groups out of this one.
    Making,
    /// A library on top of this one: its own collectives, and confirmations of messages.
    Library,
}

const LANES: usize = 4;
const LANE_BITS: u32 = 3;

/// A group and one of its lanes, as encoded in a header.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context(u32);

impl Context {
    /// The most groups that can be made in one world.
    pub const GROUPS: u32 = 1 << (u32::BITS - LANE_BITS);

    /// The context of a lane of `group`, whose id is below [`Context::GROUPS`].
    pub fn new(group: GroupId, lane: Lane) -> Context {
        debug_assert!(group.0 < Self::GROUPS);
        Context(group.0 << LANE_BITS | lane as u32)
    }

    /// The context of the world's own messages.
    pub const WORLD: Context = Context(0);

    /// Decodes a context of a header. Any number is a context, but not every one has a lane.
    pub fn from_bits(bits: u32) -> Context {
        Context(bits)
    }

    /// The encoding in a header.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The group.
    #[inline]
    pub fn group(self) -> GroupId {
        GroupId(self.0 >> LANE_BITS)
    }

    /// The lane; None if the header of a peer states one that does not exist.
    #[inline]
    pub fn lane(self) -> Option<Lane> {
        match self.0 & ((1 << LANE_BITS) - 1) {
            0 => Some(Lane::Program),
            1 => Some(Lane::Collective),
            2 => Some(Lane::Making),
            3 => Some(Lane::Library),
            _ => None,
        }
    }

    #[inline]
    fn lane_index(self) -> usize {
        self.lane().expect("a peer's lane is checked on arrival") as usize
    }

    /// Whether this is the context of a group's collectives.
    pub(in crate::message) fn is_of_collectives(self) -> bool {
        self.lane() == Some(Lane::Collective)
    }
}

// Not derived: the number holds a lane and a group.
impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.lane() {
            Some(lane) => write!(f, "lane {lane:?} of {}", self.group()),
            None => write!(f, "an unknown lane of {}", self.group()),
        }
    }
}

type Queue<F> = MatchQueue<Inbound<F>>;

struct Live<F> {
    group: GroupId,
    lanes: [Queue<F>; LANES],
}

/// The contents of the queues of a dropped group.
pub(super) struct Leftovers<F> {
    pub(super) messages: Vec<(Rank, Inbound<F>)>,
    pub(super) posted: Vec<PostedRecv>,
}

/// Where a message that has become deliverable goes.
pub(super) enum Meets<'q, F> {
    /// Into the queue of its context.
    Queue(&'q mut Queue<F>),
    /// It is kept: this rank has yet to make its group.
    Early,
    /// Nowhere: this rank has dropped its group.
    Gone,
}

/// The match queues of all groups of one rank.
pub(super) struct Contexts<F> {
    /// The number of ranks in the world, and so of senders.
    size: usize,
    /// The existing groups by id, lowest first; the world is the first.
    live: Vec<Live<F>>,
    spare: Vec<Live<F>>,
    early: Vec<(Rank, Inbound<F>)>,
    /// Those that new groups may get.
    ids: Ids,
}

impl<F> Contexts<F> {
    /// With the world as the only group.
    pub(super) fn new(size: usize) -> Contexts<F> {
        let (live, spare, early) = (Vec::new(), Vec::new(), Vec::new());
        let mut contexts = Contexts { size, live, spare, early, ids: Ids::default() };
        contexts.open(GroupId::WORLD);
        contexts
    }

    /// The ids that new groups may get at this rank.
    pub(super) fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Whether a group with this id may be made here now.
    pub(super) fn may_open(&self, group: GroupId) -> bool {
        self.ids.is_to_come(group) && self.find(group).is_none()
    }

    /// As [`Ids::propose`].
    pub(super) fn propose(&mut self, rank: Rank, free: u64) -> Option<Proposal> {
        self.ids.propose(rank, self.size, free, GroupId(Context::GROUPS))
    }

    /// A proposal is no longer pending. Returns the early messages of groups that will not be made.
    pub(super) fn handle_settled(&mut self, proposal: GroupId) -> Vec<(Rank, Inbound<F>)> {
        self.ids.handle_settled(proposal);
        self.take_past()
    }

    /// Makes the queues of a group; returns its messages that arrived early, oldest first.
    pub(super) fn open(&mut self, group: GroupId) -> Vec<(Rank, Inbound<F>)> {
        let size = self.size;
        let mut live = self.spare.pop().unwrap_or_else(|| Live {
            group,
            lanes: std::array::from_fn(|_| MatchQueue::new(size)),
        });
        live.group = group;
        let at = self.live.partition_point(|live| live.group < group);
        self.live.insert(at, live);
        self.take_early(|id| id == group)
    }

    /// No group with an id below `next` will be made from now on, but for pending proposals; returns
    /// the early messages of such groups.
    pub(super) fn handle_ids_used(&mut self, next: GroupId) -> Vec<(Rank, Inbound<F>)> {
        self.ids.handle_used(next);
        self.take_past()
    }

    fn take_past(&mut self) -> Vec<(Rank, Inbound<F>)> {
        let floor = self.ids.floor();
        self.take_early(|id| id < floor)
    }

    fn take_early(&mut self, of: impl Fn(GroupId) -> bool) -> Vec<(Rank, Inbound<F>)> {
        self.early.extract_if(.., |(_, message)| of(message.context.group())).collect()
    }

    /// Keeps a message of a group that this rank has yet to make.
    pub(super) fn keep_early(&mut self, from: Rank, message: Inbound<F>) {
        self.early.push((from, message));
    }

    /// Removes the queues of a group; None if there is no such group.
    pub(super) fn close(&mut self, group: GroupId) -> Option<Leftovers<F>> {
        let at = self.live.binary_search_by_key(&group, |live| live.group).ok()?;
        let mut live = self.live.remove(at);
        self.ids.handle_dropped(group);
        let mut leftovers = Leftovers { messages: Vec::new(), posted: Vec::new() };
        for queue in &mut live.lanes {
            queue.clear(
                |taken| leftovers.messages.push((taken.source, taken.message)),
                |posted| leftovers.posted.push(posted),
            );
        }
        self.spare.push(live);
        Some(leftovers)
    }

    /// The queue of a context.
    ///
    /// # Panics
    ///
    /// If its group does not exist here: a communicator keeps its group until it is dropped.
    #[inline]
    pub(super) fn queue(&self, context: Context) -> &Queue<F> {
        &self.live[self.expect(context)].lanes[context.lane_index()]
    }

    /// As [`queue`](Contexts::queue), mutable.
    #[inline]
    pub(super) fn queue_mut(&mut self, context: Context) -> &mut Queue<F> {
        let at = self.expect(context);
        &mut self.live[at].lanes[context.lane_index()]
    }

    #[inline]
    fn expect(&self, context: Context) -> usize {
        self.find(context.group()).expect("a group exists while its communicator does")
    }

    /// Where a message of this context goes.
    #[inline]
    pub(super) fn meet(&mut self, context: Context) -> Meets<'_, F> {
        match self.find(context.group()) {
            Some(at) => Meets::Queue(&mut self.live[at].lanes[context.lane_index()]),
            None if self.ids.is_to_come(context.group()) => Meets::Early,
            None => Meets::Gone,
        }
    }

    /// Calls `see` for the early messages of a sender, newest first, until it finds none to be done.
    pub(super) fn for_each_new_early_of(
        &mut self,
        from: Rank,
        mut see: impl FnMut(&mut Inbound<F>) -> bool,
    ) {
        let mut of_it = self.early.iter_mut().rev().filter(|(rank, _)| *rank == from);
        while of_it.next().is_some_and(|(_, message)| see(message)) {}
    }

    /// Calls `see` for the queue of each context.
    pub(super) fn for_each_queue(&mut self, see: impl FnMut(&mut Queue<F>)) {
        self.live.iter_mut().flat_map(|live| &mut live.lanes).for_each(see);
    }

    /// Whether a posted receive other than `but` has not met a message.
    pub(super) fn has_posted(&self, but: Option<PostedRecv>) -> bool {
        let queues = self.live.iter().flat_map(|live| &live.lanes);
        queues.into_iter().any(|queue| queue.has_posted(but))
    }

    /// Whether a posted receive has not met a message, and may meet one of another rank than this.
    pub(super) fn has_posted_for_others(&self, from: Rank) -> bool {
        let mut queues = self.live.iter().flat_map(|live| &live.lanes);
        queues.any(|queue| queue.has_posted_for_others(from))
    }

    fn find(&self, group: GroupId) -> Option<usize> {
        // The world is always the first.
        if group == GroupId::WORLD {
            return Some(0);
        }
        self.live.binary_search_by_key(&group, |live| live.group).ok()
    }
}
