//! The all-gather of a group on several hosts: a long block comes to each host once, and one member there, its
//! *relay*, passes it on to the others. Each piece goes on while the next is under way (wu-2005 §3.4.3).
//!
//! Keeps rules COL-1, COL-4, COL-5 and COL-7 of SEMANTICS.md.
//!
//! Every rank sends the word of its block to all others itself, and a short block with it. So all know of each
//! block how long it is and which way it goes, although only its owner knew before. Nothing a relay posts waits
//! for room, so it goes on receiving.
//!
//! # Correctness
//!
//! A rank takes what one sender has for it in the order in which it was posted. A sender posts its own block
//! before it receives any. A relay passes blocks on in the order of ranks. The others take its own block first,
//! and what it passes on in the same order.

use super::Tree;
use super::call::Call;
use super::edge::PostedSends;
use super::parts::PutParts;
use super::pieces::Piece;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::message::MemberSet;
use crate::order::Rank;
use crate::verbs::Nic;

/// What a rank knows of the block of another.
#[derive(Clone, Copy)]
struct Block {
    from: Rank,
    /// How many elements it has, and how many have not come.
    count: u64,
    left: u64,
}

impl<N: Nic> Comm<N> {
    /// Whether the long blocks of an all-gather go over hosts. With a flat tree no rank passes
    /// anything on.
    pub(super) fn relays_blocks(&self) -> bool {
        self.hosts().are_shared() && self.tree.get() != Tree::Flat
    }

    /// Collects the blocks of all ranks in `parts`, in which that of this rank, `own`, has its place
    /// already. If all know how many elements each has, it is `expected`.
    pub(super) fn gather_over_hosts<T: Element>(
        &self,
        call: Call,
        own: &[T],
        expected: Option<usize>,
        parts: &mut impl PutParts<T>,
    ) -> Result<()> {
        let (rank, size, hosts) = (self.rank(), self.size(), self.hosts());
        // So that a rank with another tree is noticed.
        let call = call.with_tree(self.tree.get());
        let host = hosts.host(rank);
        let relay = |from: Rank| hosts.relay(host, from);
        let away = || (0..size).filter(|&from| hosts.host(from) != host);

        let (mut sent, mut unserved) = (PostedSends::default(), Ok(()));
        self.post_block(&call, own, &mut sent, &mut unserved)?;

        let passed_on = || away().filter(|&from| relay(from) == rank);
        let from_others = || away().filter(|&from| relay(from) != rank);
        let order = || passed_on().chain(hosts.beside(rank)).chain(from_others());
        let mut posted = PostedSends::default();
        for (at, from) in order().enumerate() {
            let mut by = from;
            let received = self.begin_block(&call, from, expected, parts).and_then(|block| {
                let is_relayed = self.is_relayed::<T>(block);
                if is_relayed {
                    by = hosts.relay_of(rank, from);
                }
                let goes_on = is_relayed && by == from && hosts.host(from) != host;
                self.end_block(&call, by, block, parts, |parts, piece| match goes_on {
                    false => Ok(()),
                    true => {
                        let (data, to) = (parts.part(from), hosts.beside(rank));
                        self.post_to_each(&call, to, data, piece, &mut posted, &mut unserved)
                    }
                })
            });
            received.map_err(|error| {
                // A relay may have ended whose own block came before this one.
                let left = std::iter::once(by).chain(order().skip(at));
                self.most_telling(&call, left, error)
            })?;
        }
        self.see_off(posted)?;
        self.let_go(sent)?;
        unserved
    }

    /// Posts the word of this rank's own block to all others, and the block to those whom it serves.
    fn post_block<T: Element>(
        &self,
        call: &Call,
        own: &[T],
        sent: &mut PostedSends,
        unserved: &mut Result<()>,
    ) -> Result<()> {
        let (rank, size, hosts) = (self.rank(), self.size(), self.hosts());
        let others = || (rank + 1..size).chain(0..rank);
        let relays = hosts.relays(call.tree, size_of_val(own) as u64);
        for piece in self.pieces_in::<T>(call, own.len(), true) {
            match relays && !piece.begins {
                true => {
                    let to = hosts.served_by(rank);
                    self.post_to_each(call, to, own, &piece, sent, unserved)?;
                }
                false => self.post_to_each(call, others(), own, &piece, sent, unserved)?,
            }
        }
        Ok(())
    }

    /// Whether what is left of a block whose word has come goes over hosts.
    fn is_relayed<T: Element>(&self, block: Block) -> bool {
        let bytes = block.count.saturating_mul(size_of::<T>() as u64);
        block.left > 0 && self.hosts().relays(self.tree.get(), bytes)
    }

    /// Takes the word of the block of `from`, and a short block with it.
    fn begin_block<T: Element>(
        &self,
        call: &Call,
        from: Rank,
        expected: Option<usize>,
        parts: &mut impl PutParts<T>,
    ) -> Result<Block> {
        let expected = expected.map(|count| count * size_of::<T>());
        let element = size_of::<T>() as u64;
        self.take(call, from, true, MemberSet::NONE, |message| {
            let (bytes, payload) = call.check_word(from, message, expected)?;
            let (count, came) = (bytes / element, payload.len() as u64);
            // It is the whole block, or nothing of it.
            if !bytes.is_multiple_of(element) || came != bytes && came != 0 {
                return Err(call.wrong_piece(from, payload.len(), bytes as usize));
            }
            if came > 0 {
                parts.put(from, count, payload);
            }
            Ok(Block { from, count, left: count - came / element })
        })
    }

    /// Takes the rest of a block, which `by` sends, and hands each piece that has come to `then`.
    fn end_block<T: Element, P: PutParts<T>>(
        &self,
        call: &Call,
        by: Rank,
        mut block: Block,
        parts: &mut P,
        mut then: impl FnMut(&P, &Piece) -> Result<()>,
    ) -> Result<()> {
        let Block { from, count, .. } = block;
        while block.left > 0 {
            let left = block.left;
            let came = self.take(call, by, false, MemberSet::NONE, |payload| {
                let came = (payload.len() / size_of::<T>()) as u64;
                let is_whole = payload.len().is_multiple_of(size_of::<T>());
                if !is_whole || came == 0 || came > left {
                    let missing = (left as usize).saturating_mul(size_of::<T>());
                    return Err(call.wrong_piece(by, payload.len(), missing));
                }
                parts.put(from, left, payload);
                Ok(came)
            })?;
            block.left -= came;
            let range = (count - left) as usize..(count - block.left) as usize;
            then(parts, &Piece { begins: false, range })?;
        }
        Ok(())
    }
}
