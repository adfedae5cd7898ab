//! Where the blocks of several ranks lie.
//! Source: MPI 5.0, sections *Gather* to *All-to-All Scatter/Gather*.
//! Rules: blocks of one size, one behind the other, are no list; any other list is one of those that are kept.

use crate::face::fault::Fault;
use crate::face::memory::Memory;
use crate::face::rooms::List;

/// The blocks, one for each of several ranks.
#[derive(Clone)]
pub(crate) enum Places {
    /// So many, each as large as the first, and one behind the other.
    Equal(Memory, usize),
    /// Each where it is.
    Listed(List),
}

impl Places {
    /// No blocks.
    pub(crate) fn none() -> Places {
        Places::Equal(Memory::of_bytes(&mut []), 0)
    }

    /// One block.
    pub(crate) fn one(memory: Memory) -> Places {
        Places::Equal(memory, 1)
    }

    /// `number` blocks as large as the first, if an address space can have so many.
    pub(crate) fn equal(first: Memory, number: usize) -> Result<Places, Fault> {
        first.whole(number)?;
        Ok(Places::Equal(first, number))
    }

    /// Blocks that lie anywhere.
    pub(crate) fn listed(
        blocks: impl Iterator<Item = Result<Memory, Fault>>,
    ) -> Result<Places, Fault> {
        let mut list = List::new();
        for block in blocks {
            list.push(block?);
        }
        Ok(Places::Listed(list))
    }

    /// One block, as often as this.
    pub(crate) fn same(block: &Memory, number: usize) -> Places {
        let mut list = List::new();
        list.resize(number, block.clone());
        Places::Listed(list)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Places::Equal(_, number) => *number,
            Places::Listed(list) => list.len(),
        }
    }

    /// The block with this index, which must be below their number.
    pub(crate) fn at(&self, index: usize) -> Memory {
        match self {
            Places::Equal(first, _) => first.part((index * first.count()) as isize, first.count()),
            Places::Listed(list) => list[index].clone(),
        }
    }

    /// How many bytes the block with this index has; None if there is none.
    pub(crate) fn bytes_at(&self, index: usize) -> Option<usize> {
        match self {
            Places::Equal(first, number) => (index < *number).then(|| first.bytes()),
            Places::Listed(list) => list.get(index).map(Memory::bytes),
        }
    }

    /// Whether one of them has memory in common with this; the block with that index does not count.
    pub(crate) fn overlap(&self, memory: &Memory, but: usize) -> bool {
        let may_be = match self {
            Places::Equal(first, number) => first.part(0, first.count() * number).overlaps(memory),
            Places::Listed(_) => true,
        };
        may_be && (0..self.len()).any(|nth| nth != but && self.at(nth).overlaps(memory))
    }

    /// All of them, one after the other.
    pub(crate) fn all(&self) -> impl Iterator<Item = Memory> + '_ {
        (0..self.len()).map(|index| self.at(index))
    }

    /// All bytes, if the blocks are equal and lie together.
    pub(crate) fn together(&self) -> Option<Memory> {
        match self {
            Places::Equal(first, number) => {
                let whole = first.part(0, first.count() * number);
                whole.contiguous().is_some().then_some(whole)
            }
            Places::Listed(_) => None,
        }
    }
}
