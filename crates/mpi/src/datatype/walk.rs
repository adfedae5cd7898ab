//! Runs programs: moves any piece of the packed stream between it and memory, at one copy.
//!
//! A piece begins anywhere. Its first iteration or entry is found by division or binary search, so
//! that pieces of a long message cost the same wherever they are.

use super::copy::{Direction, Stream};
use super::program::{Block, Node, Part, Program};

impl Program {
    /// Moves what is left of the stream, or up to the program's end, beginning with byte `skip` of
    /// the program.
    pub(super) fn run<D: Direction>(&self, base: usize, skip: usize, stream: &mut Stream<'_, D>) {
        if skip == 0 && self.bytes <= stream.left() {
            return self.run_whole(base, stream);
        }
        let base = base.wrapping_add_signed(self.offset);
        match &self.node {
            _ if skip >= self.bytes => {}
            Node::Block => stream.block(base.wrapping_add(skip), self.bytes - skip),
            Node::Loop { count, stride, body } => {
                body.repeat_run(base, *count, *stride, skip, stream)
            }
            Node::Uniform { block_bytes, offsets } => {
                let mut skip_in = skip % block_bytes;
                for offset in &offsets[skip / block_bytes..] {
                    if stream.left() == 0 {
                        break;
                    }
                    let address = base.wrapping_add_signed(*offset).wrapping_add(skip_in);
                    stream.block(address, block_bytes - skip_in);
                    skip_in = 0;
                }
            }
            Node::Blocks(blocks) => {
                let first = blocks.partition_point(|block| block.start + block.bytes <= skip);
                let mut skip_in = blocks.get(first).map_or(0, |block| skip - block.start);
                for Block { offset, bytes, .. } in &blocks[first..] {
                    if stream.left() == 0 {
                        break;
                    }
                    let address = base.wrapping_add_signed(*offset).wrapping_add(skip_in);
                    stream.block(address, bytes - skip_in);
                    skip_in = 0;
                }
            }
            Node::Sequence(parts) => {
                let first = parts.partition_point(|part| part.start + part.program.bytes <= skip);
                let mut skip_in = parts.get(first).map_or(0, |part| skip - part.start);
                for Part { program, .. } in &parts[first..] {
                    if stream.left() == 0 {
                        break;
                    }
                    program.run(base, skip_in, stream);
                    skip_in = 0;
                }
            }
        }
    }

    /// The same for `count` times the program, each time `stride` bytes further.
    pub(super) fn repeat_run<D: Direction>(
        &self,
        base: usize,
        count: usize,
        stride: isize,
        skip: usize,
        stream: &mut Stream<'_, D>,
    ) {
        if self.bytes == 0 {
            return;
        }
        let (mut index, skip_in) = (skip / self.bytes, skip % self.bytes);
        // A count may be huge, and addresses wrap: so does the product.
        let at = |index: usize| base.wrapping_add((stride as usize).wrapping_mul(index));
        if skip_in > 0 && index < count {
            self.run(at(index), skip_in, stream);
            index += 1;
        }
        if index >= count {
            return;
        }
        let whole = (count - index).min(stream.left() / self.bytes);
        self.repeat_whole(at(index), whole, stride, stream);
        index += whole;
        if index < count && stream.left() > 0 {
            self.run(at(index), 0, stream);
        }
    }

    /// Moves all of `count` times the program. The stream has so many bytes left.
    fn repeat_whole<D: Direction>(
        &self,
        base: usize,
        count: usize,
        stride: isize,
        stream: &mut Stream<'_, D>,
    ) {
        if matches!(self.node, Node::Block) {
            let address = base.wrapping_add_signed(self.offset);
            if usize::try_from(stride) == Ok(self.bytes) {
                return stream.block(address, self.bytes * count);
            }
            return stream.blocks(address, count, self.bytes, stride);
        }
        let mut address = base;
        for _ in 0..count {
            self.run_whole(address, stream);
            address = address.wrapping_add_signed(stride);
        }
    }

    /// Moves all of the program. The stream has so many bytes left.
    fn run_whole<D: Direction>(&self, base: usize, stream: &mut Stream<'_, D>) {
        let base = base.wrapping_add_signed(self.offset);
        match &self.node {
            Node::Block => stream.block(base, self.bytes),
            Node::Loop { count, stride, body } => body.repeat_whole(base, *count, *stride, stream),
            Node::Uniform { block_bytes, offsets } => stream.scattered(base, offsets, *block_bytes),
            Node::Blocks(blocks) => {
                for Block { offset, bytes, .. } in blocks.iter() {
                    stream.block(base.wrapping_add_signed(*offset), *bytes);
                }
            }
            Node::Sequence(parts) => {
                for Part { program, .. } in parts.iter() {
                    program.run_whole(base, stream);
                }
            }
        }
    }
}
