//! How programs are made: by repeating one, and by putting several one after another.
//!
//! Both keep a program as small as its regularity allows: what lies in a row becomes one block, and
//! equal steps become a loop, whichever constructor it came from.

use std::mem;
use std::sync::Arc;

use super::{Block, Node, Part, Program, deeper};
use crate::datatype::error::TypeError;

/// A list of at most so many entries is taken apart where it becomes part of another, so that its
/// blocks can join their neighbours.
const SMALL: usize = 16;

impl Program {
    /// The program `count` times, each time `stride` bytes further.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if the stream is too long, [`TypeError::TooDeep`].
    pub(in crate::datatype) fn repeat(
        body: &Arc<Self>,
        count: usize,
        stride: isize,
    ) -> Result<Self, TypeError> {
        let total = body.bytes.checked_mul(count).filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = total.ok_or(TypeError::TooLarge { what: "size" })?;
        if bytes == 0 {
            return Ok(Self::empty());
        }
        if count == 1 {
            return Ok(Self::clone(body));
        }
        match &body.node {
            Node::Block if usize::try_from(stride) == Ok(body.bytes) => {
                Ok(Self::block(body.offset, bytes))
            }
            Node::Loop { count: inner, stride: step, body: innermost }
                if step.checked_mul(*inner as isize) == Some(stride) =>
            {
                let node =
                    Node::Loop { count: inner * count, stride: *step, body: innermost.clone() };
                Ok(Self { offset: body.offset, bytes, depth: body.depth, node })
            }
            _ => {
                let depth = deeper(body.depth)?;
                let node = Node::Loop { count, stride, body: body.clone() };
                Ok(Self { offset: 0, bytes, depth, node })
            }
        }
    }

    /// The same bytes so much further on. Addresses wrap, as those of `MPI_BOTTOM` may.
    pub(in crate::datatype) fn shifted(mut self, displacement: isize) -> Self {
        if self.bytes > 0 {
            self.offset = self.offset.wrapping_add(displacement);
        }
        self
    }

    /// Whether both move the same bytes but for their offset, as far as that is seen at once.
    fn is_alike(&self, other: &Self) -> bool {
        self.bytes == other.bytes
            && match (&self.node, &other.node) {
                (Node::Block, Node::Block) => true,
                (
                    Node::Loop { count, stride, body },
                    Node::Loop { count: others, stride: step, body: their },
                ) => count == others && stride == step && Arc::ptr_eq(body, their),
                (Node::Uniform { offsets, .. }, Node::Uniform { offsets: their, .. }) => {
                    Arc::ptr_eq(offsets, their)
                }
                (Node::Blocks(blocks), Node::Blocks(their)) => Arc::ptr_eq(blocks, their),
                (Node::Sequence(parts), Node::Sequence(their)) => Arc::ptr_eq(parts, their),
                _ => false,
            }
    }
}

/// The step from each to the next, if it is the same everywhere.
fn regular_stride(mut offsets: impl Iterator<Item = isize>) -> Option<isize> {
    let first = offsets.next()?;
    let mut last = offsets.next()?;
    let stride = last.checked_sub(first)?;
    for offset in offsets {
        if last.checked_add(stride) != Some(offset) {
            return None;
        }
        last = offset;
    }
    Some(stride)
}

/// Puts programs one after another.
#[derive(Debug, Default)]
pub(in crate::datatype) struct Builder {
    bytes: usize,
    /// What there is, as long as it is blocks only.
    blocks: Vec<Block>,
    /// What there is, once one was no block.
    parts: Vec<Part>,
}

impl Builder {
    /// Appends a program.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if the stream is too long.
    pub(in crate::datatype) fn push(&mut self, program: Program) -> Result<(), TypeError> {
        let Program { offset, bytes, node, .. } = &program;
        match node {
            Node::Block => self.push_block(*offset, *bytes),
            Node::Uniform { block_bytes, offsets } if offsets.len() <= SMALL => offsets
                .iter()
                .try_for_each(|at| self.push_block(offset.wrapping_add(*at), *block_bytes)),
            Node::Blocks(blocks) if blocks.len() <= SMALL => blocks.iter().try_for_each(|block| {
                self.push_block(offset.wrapping_add(block.offset), block.bytes)
            }),
            Node::Sequence(parts) if parts.len() <= SMALL => {
                parts.iter().try_for_each(|part| self.push(part.program.clone().shifted(*offset)))
            }
            _ => {
                let start = self.advance(program.bytes)?;
                let parts = mem::take(&mut self.blocks).into_iter().map(Part::from);
                self.parts.extend(parts);
                self.parts.push(Part { start, program });
                Ok(())
            }
        }
    }

    /// Counts more bytes of the stream, and tells where they begin.
    fn advance(&mut self, bytes: usize) -> Result<usize, TypeError> {
        let end = self.bytes.checked_add(bytes).filter(|bytes| isize::try_from(*bytes).is_ok());
        let end = end.ok_or(TypeError::TooLarge { what: "size" })?;
        Ok(mem::replace(&mut self.bytes, end))
    }

    fn push_block(&mut self, offset: isize, bytes: usize) -> Result<(), TypeError> {
        if bytes == 0 {
            return Ok(());
        }
        let start = self.advance(bytes)?;
        let continues = |at: isize, length: usize| at.wrapping_add_unsigned(length) == offset;
        if let Some(Part { program, .. }) = self.parts.last_mut() {
            match program.node {
                Node::Block if continues(program.offset, program.bytes) => program.bytes += bytes,
                _ => self.parts.push(Part { start, program: Program::block(offset, bytes) }),
            }
            return Ok(());
        }
        match self.blocks.last_mut() {
            Some(last) if continues(last.offset, last.bytes) => last.bytes += bytes,
            _ => self.blocks.push(Block { start, offset, bytes }),
        }
        Ok(())
    }

    /// The program that does one after another.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooDeep`].
    pub(in crate::datatype) fn finish(mut self) -> Result<Program, TypeError> {
        if self.parts.is_empty() {
            return Ok(self.finish_blocks());
        }
        if self.parts.len() == 1 {
            return Ok(self.parts.swap_remove(0).program);
        }
        let bytes = self.bytes;
        let first = &self.parts[0].program;
        if self.parts.iter().all(|part| part.program.is_alike(first))
            && let Some(stride) = regular_stride(self.parts.iter().map(|part| part.program.offset))
        {
            let (offset, depth) = (first.offset, deeper(first.depth)?);
            let body = Arc::new(Program { offset: 0, ..first.clone() });
            let node = Node::Loop { count: self.parts.len(), stride, body };
            return Ok(Program { offset, bytes, depth, node });
        }
        let depths = self.parts.iter().map(|part| part.program.depth);
        let depth = deeper(depths.max().unwrap_or(0))?;
        Ok(Program { offset: 0, bytes, depth, node: Node::Sequence(self.parts.into()) })
    }

    /// The program that moves one block after another.
    fn finish_blocks(self) -> Program {
        let (bytes, blocks) = (self.bytes, self.blocks);
        let (offset, block_bytes) = match blocks[..] {
            [] => return Program::empty(),
            [only] => return Program::block(only.offset, only.bytes),
            [first, ..] => (first.offset, first.bytes),
        };
        if blocks.iter().any(|block| block.bytes != block_bytes) {
            return Program { offset: 0, bytes, depth: 1, node: Node::Blocks(blocks.into()) };
        }
        if let Some(stride) = regular_stride(blocks.iter().map(|block| block.offset)) {
            let body = Arc::new(Program::block(0, block_bytes));
            let node = Node::Loop { count: blocks.len(), stride, body };
            return Program { offset, bytes, depth: 2, node };
        }
        let offsets = blocks.iter().map(|block| block.offset).collect();
        Program { offset: 0, bytes, depth: 1, node: Node::Uniform { block_bytes, offsets } }
    }
}

impl From<Block> for Part {
    fn from(block: Block) -> Self {
        Self { start: block.start, program: Program::block(block.offset, block.bytes) }
    }
}
