//! One call of a collective: how its messages are told from those of others, and how ranks that
//! call different things notice.
//!
//! The tag of a collective's message says which collective it is, with which tree and root, and the
//! how-many-th. A rank takes the *first* message of its parent or child; if that does not belong to
//! the call, the two ranks disagree.

use std::fmt;

use super::Tree;
use crate::comm::element::stated_size;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Envelope, Info, Pattern, Source, Tag};
use crate::order::Rank;
use crate::verbs::Nic;

/// A collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// [`Comm::multicast`].
    Multicast,
    /// [`Comm::reduce`].
    Reduce,
    /// [`Comm::exchange`].
    Exchange,
}

/// A collective that was called wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// The ranks called different collectives, or the same with different arguments.
    #[error("rank {from} called {theirs}; here it is {ours}")]
    Mismatch {
        /// The other rank.
        from: Rank,
        /// What its message belongs to.
        theirs: String,
        /// The call here.
        ours: String,
    },
    /// As many slices must be given to an exchange as there are ranks.
    #[error("an exchange among {size} ranks was given data for {given}")]
    WrongCount {
        /// The slices given.
        given: usize,
        /// The number of ranks.
        size: usize,
    },
}

/// A call of a collective at one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) tree: Tree,
    pub(super) root: Rank,
    number: u32,
}

const KIND_BITS: u32 = 3;
const TREE_BITS: u32 = 3;
const ROOT_BITS: u32 = 16;
const NUMBER_MASK: u32 = u32::MAX >> (KIND_BITS + TREE_BITS + ROOT_BITS);

impl Call {
    /// Counts one more call on `comm`.
    pub(super) fn new<N: Nic>(comm: &Comm<N>, kind: Kind, root: Rank) -> Result<Call> {
        comm.check_rank(root)?;
        let number = comm.collectives.get().wrapping_add(1);
        comm.collectives.set(number);
        Ok(Call { kind, tree: comm.tree.get(), root, number: number & NUMBER_MASK })
    }

    /// The how-many-th call of its communicator.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn tag(&self) -> u32 {
        let (kind, tree) = (self.kind as u32, self.tree as u32);
        let root = self.root as u32 & ((1 << ROOT_BITS) - 1);
        ((kind << TREE_BITS | tree) << ROOT_BITS | root) << NUMBER_MASK.count_ones() | self.number
    }

    pub(super) fn envelope<T: Element>(&self, context: u16) -> Envelope {
        Envelope { context, tag: self.tag(), element: stated_size::<T>() }
    }

    /// Accepts the next message of a collective from `info.source` if it belongs to this call and
    /// has `count` elements.
    pub(super) fn accept<T: Element>(&self, info: &Info, count: usize) -> Result<()> {
        let (size, bytes) = (size_of::<T>(), count * size_of::<T>());
        let same_element = info.element == stated_size::<T>();
        if info.tag == self.tag() && info.len == bytes && same_element {
            return Ok(());
        }
        let describe = |tag: u32, bytes: usize, element: usize| {
            let number = tag & NUMBER_MASK;
            let rest = tag >> NUMBER_MASK.count_ones();
            let root = rest & ((1 << ROOT_BITS) - 1);
            let tree = rest >> ROOT_BITS & ((1 << TREE_BITS) - 1);
            let tree = Tree::ALL.get(tree as usize).map_or("unknown", |tree| tree.name());
            let kind = match rest >> (ROOT_BITS + TREE_BITS) {
                0 => "multicast",
                1 => "reduce",
                2 => "exchange",
                _ => "an unknown collective",
            };
            format!(
                "{kind} number {number} with root {root}, a {tree} tree and {bytes} bytes in \
                 elements of {element}"
            )
        };
        let theirs = describe(info.tag, info.len, info.element.into());
        let ours = describe(self.tag(), bytes, size);
        Err(CollectiveError::Mismatch { from: info.source, theirs, ours }.into())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Multicast => "multicast",
            Kind::Reduce => "reduce",
            Kind::Exchange => "exchange",
        })
    }
}

impl<N: Nic> Comm<N> {
    /// The context of the collectives' own messages.
    pub(super) fn collective_context(&self) -> u16 {
        self.context() + 1
    }

    /// Sends as a rank that only sends in the call: it does not wait until the receiver has room for
    /// a large payload, as long as few such wait already.
    pub(super) fn send_in<T: Element>(&self, call: &Call, to: Rank, data: &[T]) -> Result<()> {
        let envelope = call.envelope::<T>(self.collective_context());
        Ok(self.engine_in(call).send_buffered(to, envelope, zerocopy::IntoBytes::as_bytes(data))?)
    }

    /// Sends as a rank inside the tree: all of it has left when this returns.
    pub(super) fn forward_in<T: Element>(&self, call: &Call, to: Rank, data: &[T]) -> Result<()> {
        let envelope = call.envelope::<T>(self.collective_context());
        Ok(self.engine_in(call).send(to, envelope, zerocopy::IntoBytes::as_bytes(data))?)
    }

    /// Receives as many elements as `room` has, from `from`.
    pub(super) fn recv_in<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        room: &mut [T],
    ) -> Result<()> {
        let pattern = Pattern { source: Source::Rank(from), tag: Tag::Any };
        let count = room.len();
        let bytes = zerocopy::IntoBytes::as_mut_bytes(room);
        self.engine_in(call).recv::<_, Error>(
            self.collective_context(),
            pattern,
            |info| call.accept::<T>(info, count),
            |_, payload| bytes.copy_from_slice(payload),
        )
    }

    /// The shape of the trees of this communicator's collectives.
    pub fn tree(&self) -> Tree {
        self.tree.get()
    }

    /// Chooses the shape of the trees of this communicator's collectives. All members must choose
    /// the same, between the same calls.
    pub fn set_tree(&self, tree: Tree) {
        self.tree.set(tree);
    }
}
