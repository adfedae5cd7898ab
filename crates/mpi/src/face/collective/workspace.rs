//! Memory of this library that has elements as the program has them, gaps included: operators work on it.
//! Source: MPI 5.0, section *User-Defined Reduction Operations*: a function gets buffers of the datatype.
//! Rules: it is aligned for every type of C, and lives as long as what points into it.

use crate::face::memory::{Layout, Memory};
use crate::face::rooms::Room;

/// Room for so many elements, or for several times so many.
pub(crate) struct Workspace {
    /// What `memory` lies in. Its elements have the greatest alignment that C's types have.
    #[cfg_attr(not(test), expect(dead_code, reason = "it keeps the memory"))]
    room: Room,
    /// The first of so many.
    memory: Memory,
    /// How far the next lies behind it, in bytes.
    step: usize,
}

impl Workspace {
    /// Room for `count` elements of this layout.
    pub(crate) fn new(layout: &Layout, count: usize) -> Workspace {
        Workspace::several(1, layout, count)
    }

    /// Room for `number` times as much, each as aligned as the first.
    pub(super) fn several(number: usize, layout: &Layout, count: usize) -> Workspace {
        let (lower, upper) = layout.bounds(count);
        let bytes = upper.wrapping_sub(lower).max(0) as usize;
        // The address of the first element is aligned, wherever its bytes begin.
        let ahead = lower.rem_euclid(size_of::<u128>() as isize);
        let bytes = bytes.saturating_add(ahead.unsigned_abs());
        let step = bytes.checked_next_multiple_of(size_of::<u128>()).unwrap_or(usize::MAX);
        let mut room = Room::new(step.saturating_mul(number));
        let address = room.address().wrapping_offset(ahead.wrapping_sub(lower));
        let memory = Memory::new(address, count, layout.clone());
        Workspace { room, memory, step }
    }

    /// Room that has a copy of these elements.
    pub(crate) fn copy_of(memory: &Memory) -> Workspace {
        let mut workspace = Workspace::new(memory.layout(), memory.count());
        workspace.memory.copy_from(memory);
        workspace
    }

    /// The elements of one of [`several`](Workspace::several). Whoever has this must not outlive the workspace.
    pub(super) fn memory_of(&self, index: usize) -> Memory {
        let address = self.memory.address().wrapping_add(index * self.step);
        Memory::new(address, self.memory.count(), self.memory.layout().clone())
    }

    /// The elements. Whoever has this must not outlive the workspace.
    pub(crate) fn memory(&self) -> Memory {
        self.memory.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::MPI_INT;
    use crate::datatype::Datatype;
    use crate::face::memory::predefined;

    #[test]
    fn the_first_element_is_aligned_wherever_its_bytes_begin() {
        let int = predefined().find(MPI_INT.0).expect("a predefined datatype");
        for displacement in [-20, -4, 0, 4, 8, 20] {
            let made = Datatype::hindexed(&[1_i32], &[displacement], int).expect("a datatype");
            let layout = Layout::Derived(made);
            let mut workspace = Workspace::new(&layout, 1);
            let address = workspace.memory().address();
            assert!(address.cast::<u128>().is_aligned(), "{displacement}");
            let room = workspace.room.address();
            let first = address.wrapping_offset(displacement);
            let end = room.wrapping_add(workspace.room.bytes());
            assert!(first >= room && first.wrapping_add(4) <= end);
        }
    }
}
