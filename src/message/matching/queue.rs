//! The unexpected queue and the posted receives of one context: matches deliverable messages with
//! receives.
//!
//! Keeps rules ORD-2 and HOLD-3 of SEMANTICS.md.
//!
//! A message goes to the matching receive that was posted first; if there is none, it is kept. A
//! receive takes the matching message that was noticed first. For one source that is also the order
//! of sending. A receive searches a linked list from its oldest message: one list for each source,
//! and one for all. A typical search touches one message, however many ranks there are.
//!
//! Held messages never get here (see [`crate::order::hold`]).

use std::collections::VecDeque;

use crate::order::Rank;

/// The senders whose messages a receive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Any sender.
    Any,
    /// This sender only.
    Rank(Rank),
}

/// The tags of the messages that a receive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// Any tag.
    Any,
    /// This tag only.
    Exactly(u32),
}

impl Source {
    /// The sender, where it is one rank.
    pub(in crate::message) fn rank(self) -> Option<Rank> {
        match self {
            Source::Any => None,
            Source::Rank(rank) => Some(rank),
        }
    }
}

impl From<Rank> for Source {
    fn from(rank: Rank) -> Source {
        Source::Rank(rank)
    }
}

impl From<u32> for Tag {
    fn from(tag: u32) -> Tag {
        Tag::Exactly(tag)
    }
}

/// The messages that a receive takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Their sender.
    pub source: Source,
    /// Their tag.
    pub tag: Tag,
}

impl Pattern {
    #[inline]
    pub(in crate::message) fn takes(&self, source: Rank, tag: u32) -> bool {
        (self.source == Source::Any || self.source == Source::Rank(source))
            && (self.tag == Tag::Any || self.tag == Tag::Exactly(tag))
    }
}

const NONE: u32 = u32::MAX;

/// The neighbours of a message in one of its two lists: indices into the nodes, or [`NONE`].
#[derive(Clone, Copy, Debug)]
struct ListLinks {
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Node<M> {
    source: Rank,
    tag: u32,
    noticed: u64,
    all: ListLinks,
    same_source: ListLinks,
    /// None while the node is free.
    message: Option<M>,
}

/// A deliverable message, with the attributes that patterns match.
#[derive(Debug, PartialEq, Eq)]
pub struct Deliverable<M> {
    /// Its sender.
    pub source: Rank,
    /// Its tag.
    pub tag: u32,
    /// Its index in the order in which this queue noticed messages, from 1; set by
    /// [`MatchQueue::handle_deliverable`].
    pub noticed: u64,
    /// The message itself.
    pub message: M,
}

/// The number of a posted receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostedRecv(pub u32);

/// The unexpected queue and the posted receives of one context.
#[derive(Debug)]
pub struct MatchQueue<M> {
    nodes: Vec<Node<M>>,
    free: Vec<u32>,
    all: Ends,
    by_source: Vec<Ends>,
    noticed: u64,
    posted: VecDeque<(PostedRecv, Pattern)>,
    /// By sender, up to which message [`for_each_new_of`](MatchQueue::for_each_new_of) has come.
    seen: Vec<u64>,
}

const EMPTY: Ends = Ends { first: NONE, last: NONE };

impl<M> MatchQueue<M> {
    /// An empty queue for messages from `size` senders.
    pub fn new(size: usize) -> MatchQueue<M> {
        MatchQueue {
            nodes: Vec::new(),
            free: Vec::new(),
            all: EMPTY,
            by_source: vec![EMPTY; size],
            noticed: 0,
            posted: VecDeque::new(),
            seen: Vec::new(),
        }
    }

    /// A message has become deliverable. If it matches a posted receive, both are returned;
    /// otherwise it is kept.
    #[inline]
    pub fn handle_deliverable(
        &mut self,
        source: Rank,
        tag: u32,
        message: M,
    ) -> Option<(PostedRecv, Deliverable<M>)> {
        self.noticed += 1;
        self.put_back(Deliverable { source, tag, noticed: self.noticed, message })
    }

    /// Returns a taken message to its old place, or to a posted receive that matches: as with a new
    /// message, both are returned then.
    #[inline]
    pub fn put_back(&mut self, message: Deliverable<M>) -> Option<(PostedRecv, Deliverable<M>)> {
        let takes = |(_, pattern): &(_, Pattern)| pattern.takes(message.source, message.tag);
        match self.posted.iter().position(takes).and_then(|at| self.posted.remove(at)) {
            Some((id, _)) => Some((id, message)),
            None => {
                self.insert(message);
                None
            }
        }
    }

    /// Takes the message that matches already and returns it, or else posts the receive.
    pub fn post_recv(&mut self, id: PostedRecv, pattern: Pattern) -> Option<Deliverable<M>> {
        let found = if self.all.first == NONE { None } else { self.take(pattern) };
        if found.is_none() {
            self.posted.push_back((id, pattern));
        }
        found
    }

    /// Cancels a posted receive that has matched no message.
    #[inline]
    pub fn cancel_recv(&mut self, id: PostedRecv) {
        // Most often it is the first.
        if self.posted.front().is_some_and(|(posted, _)| *posted == id) {
            self.posted.pop_front();
            return;
        }
        let at = self.posted.iter().position(|(posted, _)| *posted == id);
        at.and_then(|at| self.posted.remove(at));
    }

    /// Whether no message of this sender is kept and no receive is posted: the sender's next
    /// message will be the first that a receive can take.
    #[inline]
    pub fn is_clear_of(&self, source: Rank) -> bool {
        self.posted.is_empty() && self.by_source.get(source).is_some_and(|ends| ends.first == NONE)
    }

    /// The pattern of a posted receive, if the next message of this sender will be the first that it can take, and no
    /// receive that was posted before can take it.
    #[inline(always)]
    pub fn next_of(&self, id: PostedRecv, source: Rank) -> Option<Pattern> {
        let takes_of = |of: Source| of == Source::Any || of == Source::Rank(source);
        let ends = |&(posted, pattern): &(_, Pattern)| posted == id || takes_of(pattern.source);
        // Most often it is the first.
        let first = match self.posted.front()? {
            first if ends(first) => first,
            _ => self.posted.iter().find(|posted| ends(posted))?,
        };
        let &(_, pattern) = Some(first).filter(|(posted, _)| *posted == id)?;
        let has_none = self.by_source.get(source).is_some_and(|ends| ends.first == NONE);
        has_none.then_some(pattern)
    }

    /// Whether a receive is posted that would take such a message.
    pub fn has_posted_for(&self, source: Rank, tag: u32) -> bool {
        self.posted.iter().any(|(_, pattern)| pattern.takes(source, tag))
    }

    /// Whether a posted receive other than `but` has matched no message.
    pub fn has_posted(&self, but: Option<PostedRecv>) -> bool {
        self.posted.iter().any(|&(id, _)| Some(id) != but)
    }

    /// Whether a receive is posted that another rank than this may send for.
    pub fn has_posted_for_others(&self, from: Rank) -> bool {
        self.posted.iter().any(|(_, pattern)| pattern.source != Source::Rank(from))
    }

    /// The pattern of a posted receive that has matched no message.
    pub fn posted_pattern(&self, id: PostedRecv) -> Option<Pattern> {
        let found = self.posted.iter().find(|(posted, _)| *posted == id);
        found.map(|&(_, pattern)| pattern)
    }

    /// The message that a receive of this pattern would take.
    #[inline]
    pub fn peek(&self, pattern: Pattern) -> Option<(Rank, u32, &M)> {
        let node = &self.nodes[self.find(pattern)? as usize];
        node.message.as_ref().map(|message| (node.source, node.tag, message))
    }

    /// All messages that match this pattern, in the order in which receives would take them.
    pub fn all(&self, pattern: Pattern) -> impl Iterator<Item = (Rank, u32, &M)> {
        let (first, follow) = self.list(pattern.source);
        let mut at = first;
        let nodes = std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = follow(node);
            Some(node)
        });
        let matching = nodes.filter(move |node| pattern.takes(node.source, node.tag));
        matching.filter_map(|node| Some((node.source, node.tag, node.message.as_ref()?)))
    }

    /// As [`peek`](MatchQueue::peek), to change the message in place.
    pub fn peek_mut(&mut self, pattern: Pattern) -> Option<&mut M> {
        let at = self.find(pattern)?;
        self.nodes[at as usize].message.as_mut()
    }

    /// Calls `see` for each message of a sender that was noticed since the last such call, newest
    /// first.
    pub fn for_each_new_of(&mut self, source: Rank, mut see: impl FnMut(&mut M)) {
        let mut at = self.by_source.get(source).map_or(NONE, |ends| ends.last);
        if at == NONE {
            return;
        }
        if self.seen.is_empty() {
            self.seen.resize(self.by_source.len(), 0);
        }
        let before = std::mem::replace(&mut self.seen[source], self.noticed);
        while let Some(node) = self.nodes.get_mut(at as usize).filter(|node| node.noticed > before)
        {
            at = node.same_source.before;
            node.message.iter_mut().for_each(&mut see);
        }
    }

    /// From now on, [`for_each_new_of`](MatchQueue::for_each_new_of) calls again for all messages.
    pub fn look_anew(&mut self) {
        self.seen.clear();
    }

    /// Takes the message that a receive of this pattern would take.
    #[inline]
    pub fn take(&mut self, pattern: Pattern) -> Option<Deliverable<M>> {
        self.take_if(pattern, |_| true)
    }

    /// As [`take`](MatchQueue::take), if the message `is_wanted`.
    #[inline]
    pub fn take_if(
        &mut self,
        pattern: Pattern,
        is_wanted: impl FnOnce(&M) -> bool,
    ) -> Option<Deliverable<M>> {
        let index = self.find(pattern)?;
        self.nodes[index as usize].message.as_ref().filter(|&message| is_wanted(message))?;
        self.unlink(index);
        self.free.push(index);
        let node = &mut self.nodes[index as usize];
        let (source, tag, noticed) = (node.source, node.tag, node.noticed);
        node.message.take().map(|message| Deliverable { source, tag, noticed, message })
    }

    /// Empties the queue, handing over the messages and the posted receives. Keeps its memory.
    pub fn clear(
        &mut self,
        mut message: impl FnMut(Deliverable<M>),
        posted: impl FnMut(PostedRecv),
    ) {
        while let Some(taken) = self.take(Pattern { source: Source::Any, tag: Tag::Any }) {
            message(taken);
        }
        self.posted.drain(..).map(|(id, _)| id).for_each(posted);
    }

    #[inline]
    fn find(&self, pattern: Pattern) -> Option<u32> {
        let (mut at, follow) = self.list(pattern.source);
        while at != NONE {
            let node = &self.nodes[at as usize];
            if pattern.takes(node.source, node.tag) {
                return Some(at);
            }
            at = follow(node);
        }
        None
    }

    /// The first message from `source`, or `NONE`, and the function from a message to the next.
    #[inline]
    fn list(&self, source: Source) -> (u32, fn(&Node<M>) -> u32) {
        match source {
            Source::Any => (self.all.first, |node| node.all.after),
            Source::Rank(rank) => {
                let first = self.by_source.get(rank).map_or(NONE, |ends| ends.first);
                (first, |node| node.same_source.after)
            }
        }
    }

    /// Links a message in by the order in which it was noticed. Nearly always that is at the end.
    fn insert(&mut self, deliverable: Deliverable<M>) {
        let Deliverable { source, tag, noticed, message } = deliverable;
        let place = |mut last: u32, before: fn(&Node<M>) -> u32| {
            while last != NONE && self.nodes[last as usize].noticed > noticed {
                last = before(&self.nodes[last as usize]);
            }
            last
        };
        let after_all = place(self.all.last, |node| node.all.before);
        let after_source = place(self.by_source[source].last, |node| node.same_source.before);
        let unlinked = ListLinks { before: NONE, after: NONE };
        let message = Some(message);
        let node = Node { source, tag, noticed, all: unlinked, same_source: unlinked, message };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        let nodes = &mut self.nodes;
        link(nodes, &mut self.all, index, after_all, |node| &mut node.all);
        let ends = &mut self.by_source[source];
        link(nodes, ends, index, after_source, |node| &mut node.same_source);
    }

    fn unlink(&mut self, index: u32) {
        let source = self.nodes[index as usize].source;
        let nodes = &mut self.nodes;
        unlink(nodes, &mut self.all, index, |node| &mut node.all);
        unlink(nodes, &mut self.by_source[source], index, |node| &mut node.same_source);
    }
}

fn link<M>(
    nodes: &mut [Node<M>],
    ends: &mut Ends,
    index: u32,
    before: u32,
    links: fn(&mut Node<M>) -> &mut ListLinks,
) {
    let after = match before {
        NONE => ends.first,
        before => links(&mut nodes[before as usize]).after,
    };
    *links(&mut nodes[index as usize]) = ListLinks { before, after };
    match before {
        NONE => ends.first = index,
        before => links(&mut nodes[before as usize]).after = index,
    }
    match after {
        NONE => ends.last = index,
        after => links(&mut nodes[after as usize]).before = index,
    }
}

fn unlink<M>(
    nodes: &mut [Node<M>],
    ends: &mut Ends,
    index: u32,
    links: fn(&mut Node<M>) -> &mut ListLinks,
) {
    let ListLinks { before, after } = *links(&mut nodes[index as usize]);
    match before {
        NONE => ends.first = after,
        before => links(&mut nodes[before as usize]).after = after,
    }
    match after {
        NONE => ends.last = before,
        after => links(&mut nodes[after as usize]).before = before,
    }
}

#[cfg(test)]
mod tests;
