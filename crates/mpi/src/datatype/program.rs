//! A type map as a compact program: blocks of bytes, loops over them, lists where nothing is regular.
//!
//! A program names bytes in the order of the type map, which is the order of the packed stream. It is
//! made once, when a datatype is; parts that several datatypes have in common are shared.

mod build;

pub(super) use build::Builder;

use std::sync::Arc;

use super::error::TypeError;

/// The most programs that lie in one another, since a walk recurses into each.
const DEPTH_LIMIT: u16 = 1_000;

/// One level more.
///
/// # Errors
///
/// [`TypeError::TooDeep`].
pub(super) fn deeper(depth: u16) -> Result<u16, TypeError> {
    if depth >= DEPTH_LIMIT {
        return Err(TypeError::TooDeep { limit: DEPTH_LIMIT });
    }
    Ok(depth + 1)
}

/// What to move: `bytes` of the stream, at addresses that count from a base plus `offset`.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Added to the base, in bytes.
    pub(super) offset: isize,
    /// The bytes of the stream. With none, the node is a block.
    pub(super) bytes: usize,
    /// How many programs lie in one another here.
    pub(super) depth: u16,
    /// How the bytes lie.
    pub(super) node: Node,
}

/// How the bytes of a program lie in memory.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// All in a row.
    Block,
    /// The body again and again, each time `stride` bytes further.
    Loop { count: usize, stride: isize, body: Arc<Program> },
    /// Blocks of the same length, at any offsets.
    Uniform { block_bytes: usize, offsets: Arc<[isize]> },
    /// Blocks of any lengths at any offsets.
    Blocks(Arc<[Block]>),
    /// Programs one after another.
    Sequence(Arc<[Part]>),
}

/// A block in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins in the stream of its program.
    pub(super) start: usize,
    /// Where it begins in memory.
    pub(super) offset: isize,
    /// Its length.
    pub(super) bytes: usize,
}

/// A program in a sequence.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Where it begins in the stream of the sequence.
    pub(super) start: usize,
    /// What it moves.
    pub(super) program: Program,
}

impl Program {
    /// So many bytes in a row.
    pub(super) const fn block(offset: isize, bytes: usize) -> Self {
        Self { offset, bytes, depth: 1, node: Node::Block }
    }

    /// Nothing at all.
    pub(super) const fn empty() -> Self {
        Self::block(0, 0)
    }

    /// Offset and length, if all bytes lie in a row.
    pub(super) fn as_block(&self) -> Option<(isize, usize)> {
        matches!(self.node, Node::Block).then_some((self.offset, self.bytes))
    }

    /// How many entries of lists and how many loops it has, without those of shared bodies: what it
    /// costs to keep.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        match &self.node {
            Node::Block => 1,
            Node::Loop { body, .. } => 1 + body.entries(),
            Node::Uniform { offsets, .. } => offsets.len(),
            Node::Blocks(blocks) => blocks.len(),
            Node::Sequence(parts) => parts.iter().map(|part| part.program.entries()).sum(),
        }
    }
}
