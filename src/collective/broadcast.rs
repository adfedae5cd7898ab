//! One to many.
//!
//! Keeps rules COL-1, COL-2, COL-5 and COL-9 of SEMANTICS.md.

use super::Kind;
use super::Tree;
use super::blocks::SendBlocks;
use super::call::Call;
use super::edge::{PostedSends, serve_all};
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Gives all ranks the `data` of `root` (MPI: Bcast). All must give a slice of the same length.
    ///
    /// The root returns when it has sent, without waiting for a barrier or for another rank. The
    /// others return when they have received and forwarded. A sender waits only if a receiver's
    /// window is full. It keeps copies of a few payloads above the eager limit.
    ///
    /// # Errors
    ///
    /// [`CollectiveError::Mismatch`](super::CollectiveError::Mismatch) naming the parent if it
    /// called something else, or with another root, tree, length or element size;
    /// [`crate::Error::RankOutOfRange`] for the root; [`crate::Error::Message`] if the parent has
    /// ended.
    pub fn broadcast<T: Element>(&self, root: Rank, data: &mut [T]) -> Result<()> {
        let call = Call::new::<T, N>(self, Kind::Broadcast, root, Some(size_of_val(data)))?;
        // All see alike who reads what, whether the root deposits or sends.
        if call.tree == Tree::Flat && call.is_deposited {
            if self.rank() != root {
                return self.take_from_root(&call, data);
            }
            if self.deposit_in(&call, SendBlocks::Same(data), self.all_readers())? {
                return Ok(());
            }
        }
        let pieces = self.pieces_in::<T>(&call, data.len(), call.tree != Tree::Flat);
        let children = || self.children_in(&call);
        let parent = self.parent_in(&call);
        if parent.is_none() && (pieces.is_small() || self.size() == 2) {
            return serve_all(children(), |child| self.send_in(&call, child, data, pieces.clone()));
        }
        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        for piece in pieces {
            if let Some(parent) = parent {
                self.recv_in(&call, parent, data, &piece)?;
            }
            self.post_to_each(&call, children(), data, &piece, &mut posted, &mut unserved)?;
        }
        match parent {
            None => self.let_go(posted)?,
            Some(_) => self.see_off(posted)?,
        }
        unserved
    }

    /// The name that [`broadcast`](Comm::broadcast) had before.
    ///
    /// # Errors
    ///
    /// As by [`broadcast`](Comm::broadcast).
    #[deprecated(note = "renamed to `broadcast`; a multicast is what a network does")]
    pub fn multicast<T: Element>(&self, root: Rank, data: &mut [T]) -> Result<()> {
        self.broadcast(root, data)
    }
}
