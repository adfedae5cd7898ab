//! Memory of this library that has elements as the program has them, gaps included: operators work on it.
//! Source: MPI 5.0, section *User-Defined Reduction Operations*: a function gets buffers of the datatype.
//! Rules: it is aligned for every type of C, and lives as long as what points into it.

use crate::face::memory::{Layout, Memory};

/// Room for so many elements.
pub(crate) struct Workspace {
    /// What `memory` lies in. Its elements have the greatest alignment that C's types have.
    _room: Box<[u128]>,
    memory: Memory,
}

impl Workspace {
    /// Room for `count` elements of this layout.
    pub(crate) fn new(layout: &Layout, count: usize) -> Workspace {
        let (lower, upper) = layout.bounds(count);
        let bytes = upper.wrapping_sub(lower).max(0) as usize;
        let mut room = vec![0u128; bytes.div_ceil(size_of::<u128>())].into_boxed_slice();
        let address = room.as_mut_ptr().cast::<u8>().wrapping_offset(lower.wrapping_neg());
        let memory = Memory::new(address, count, layout.clone());
        Workspace { _room: room, memory }
    }

    /// Room that has a copy of these elements.
    pub(crate) fn copy_of(memory: &Memory) -> Workspace {
        let mut workspace = Workspace::new(memory.layout(), memory.count());
        workspace.memory.copy_from(memory);
        workspace
    }

    /// The elements. Whoever has this must not outlive the workspace.
    pub(crate) fn memory(&self) -> Memory {
        self.memory.clone()
    }
}
