//! Memory of this library that has elements as the program has them, gaps included: operators work on it.
//! Source: MPI 5.0, section *User-Defined Reduction Operations*: a function gets buffers of the datatype.
//! Rules: it is aligned for every type of C, and lives as long as what points into it.

use crate::face::memory::{Layout, Memory};
use std::cell::Cell;

/// The longest room that is kept, in units of 16 bytes.
const MOST_KEPT: usize = (16 << 20) / size_of::<u128>();

thread_local! {
    /// A room that no workspace has. Its memory is warm: large memory that is freed goes back to the system.
    static KEPT: Cell<Box<[u128]>> = Cell::default();
}

/// Room of so many times 16 bytes at least. What lies in it is left from others.
fn kept_room(length: usize) -> Box<[u128]> {
    let kept = KEPT.take();
    match kept.len() >= length {
        true => kept,
        false => vec![0; length].into(),
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A thread that ends keeps none.
        let _ = KEPT.try_with(|place| {
            let kept = place.take();
            let is_longer = self.room.len() > kept.len() && self.room.len() <= MOST_KEPT;
            place.set(if is_longer { std::mem::take(&mut self.room) } else { kept });
        });
    }
}

/// Room for so many elements, or for several times so many.
pub(crate) struct Workspace {
    /// What `memory` lies in. Its elements have the greatest alignment that C's types have.
    room: Box<[u128]>,
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
        let each = bytes.div_ceil(size_of::<u128>());
        let mut room = kept_room(each.saturating_mul(number));
        let address = room.as_mut_ptr().cast::<u8>().wrapping_offset(ahead.wrapping_sub(lower));
        let memory = Memory::new(address, count, layout.clone());
        Workspace { room, memory, step: each * size_of::<u128>() }
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
            let workspace = Workspace::new(&layout, 1);
            let address = workspace.memory().address();
            assert!(address.cast::<u128>().is_aligned(), "{displacement}");
            let room = workspace.room.as_ptr_range();
            let first = address.wrapping_offset(displacement).cast_const();
            assert!(first >= room.start.cast() && first.wrapping_add(4) <= room.end.cast());
        }
    }
}
