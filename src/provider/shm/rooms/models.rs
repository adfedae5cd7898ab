//! The owner of a room writes, and tells by a word; a reader that sees the word copies what was written.
//! Planted faults show that the model notices.

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// The owner tells of a unit before it writes it.
    TellsFirst,
    /// The owner writes a unit again that it has told of.
    WritesAgain,
    /// The reader copies a unit of which nothing is told.
    ReadsUntold,
}

fn room(fault: Fault) {
    model(move || {
        let room = Arc::new(Model { word: AtomicU64::new(0), units: Default::default() });
        let reader = {
            let room = Arc::clone(&room);
            thread::spawn(move || {
                let done = told(&room.word);
                let is_read = |unit: usize| done >> unit & 1 == 1 || fault == Fault::ReadsUntold;
                for unit in (0..2).filter(|&unit| is_read(unit)) {
                    // SAFETY: its owner has said that it writes there no more.
                    let read = room.units[unit].with(|unit| unsafe { *unit });
                    assert!(read == 7 + unit as u64, "the unit is not there");
                }
            })
        };
        let write = |unit: usize| {
            // SAFETY: nobody reads it before it is told of.
            room.units[unit].with_mut(|place| unsafe { *place = 7 + unit as u64 });
        };
        for unit in 0..2 {
            if fault != Fault::TellsFirst {
                write(unit);
            }
            tell(&room.word, (2 << unit) - 1);
            if matches!(fault, Fault::TellsFirst | Fault::WritesAgain) {
                write(unit);
            }
        }
        reader.join().unwrap();
    });
}

/// SEMANTICS: COL-11
#[test]
fn who_sees_that_a_unit_is_done_sees_the_unit() {
    room(Fault::None);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_unit_that_is_told_of_before_it_is_written_is_noticed() {
    room(Fault::TellsFirst);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_unit_that_is_written_again_is_noticed() {
    room(Fault::WritesAgain);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_unit_that_is_copied_before_it_is_told_of_is_noticed() {
    room(Fault::ReadsUntold);
}
