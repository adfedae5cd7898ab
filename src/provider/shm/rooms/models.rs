//! The owner of a room writes, and tells by a word; a reader that sees the word copies what was written.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{cell::UnsafeCell, model, thread};

use super::{tell, told};
use crate::sys::atomic::AtomicU64;

/// A room of two units: the bits of its word, and its bytes, which loom watches.
struct Model {
    word: AtomicU64,
    units: [UnsafeCell<u64>; 2],
}

// SAFETY: loom fails where two threads access a cell at once.
unsafe impl Sync for Model {}

/// SEMANTICS: COL-11
#[test]
fn who_sees_that_a_unit_is_done_sees_the_unit() {
    model(|| {
        let room = Arc::new(Model { word: AtomicU64::new(0), units: Default::default() });
        let reader = {
            let room = Arc::clone(&room);
            thread::spawn(move || {
                let done = told(&room.word);
                for unit in (0..2).filter(|unit| done >> unit & 1 == 1) {
                    // SAFETY: its owner has said that it writes there no more.
                    let read = room.units[unit].with(|unit| unsafe { *unit });
                    assert_eq!(read, 7 + unit as u64);
                }
            })
        };
        for unit in 0..2 {
            // SAFETY: nobody reads it before it is told of.
            room.units[unit].with_mut(|place| unsafe { *place = 7 + unit as u64 });
            tell(&room.word, (2 << unit) - 1);
        }
        reader.join().unwrap();
    });
}
