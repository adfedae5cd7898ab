//! An area is written again only when it was read: the model has the bytes as loom sees them, so that any access of one rank
//! that does not come before that of the other is a data race.
//!
//! Keeps rule COL-9 of SEMANTICS.md.

#![cfg(all(test, loom))]

use loom::cell::UnsafeCell;

use super::*;
use crate::verbs::RemoteBuffer;

const BUFFER: RemoteBuffer = RemoteBuffer { address: 0, key: 1 };

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Right,
    /// The owner closes the area before all have finished.
    ClosesEarly,
    /// A reader says that it has finished before it reads.
    FinishesFirst,
}

struct Shared {
    memory: Memory,
    bytes: UnsafeCell<u8>,
}

// SAFETY: loom checks each access.
unsafe impl Sync for Shared {}

/// The owner writes, deposits, and writes again once it has closed the area, if it does within this schedule.
fn owner(shared: &Shared, order: Order) {
    let mut own = deposits(0, 2);
    let readers = MemberSet::only(1);
    // SAFETY: nobody was told of it.
    shared.bytes.with_mut(|bytes| unsafe { *bytes = 1 });
    let message = Elsewhere { address: 0, len: 1, stride: 0, room: 0 };
    own.deposit_elsewhere(&shared.memory, 0, (INDEX, readers.into()), 0, (message, (BUFFER, 1)));
    let closed = own.poll_read_area(&shared.memory, Look::AtAll, |_| false);
    if closed.is_some() || order == Order::ClosesEarly {
        // SAFETY: all have read it.
        shared.bytes.with_mut(|bytes| unsafe { *bytes = 2 });
    }
}

fn reader(shared: &Shared, order: Order) {
    let mut own = deposits(1, 2);
    if own.stamp(&shared.memory, 0, (0, INDEX)).is_none() {
        return;
    }
    assert!(own.read(&shared.memory, 0, (0, INDEX)).is_err(), "it lies elsewhere");
    if order == Order::FinishesFirst {
        own.handle_finished(&shared.memory, 0, INDEX);
    }
    // SAFETY: it was deposited, and this rank has not finished the call.
    assert_eq!(shared.bytes.with(|bytes| unsafe { *bytes }), 1);
    own.handle_finished(&shared.memory, 0, INDEX);
}

fn explore_area(order: Order) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let memory = Memory::new(2, tag_of(GROUP), Fault::None);
        let shared = Arc::new(Shared { memory, bytes: UnsafeCell::new(0) });
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || reader(&other, order));
        owner(&shared, order);
        thread.join().unwrap();
    });
}

// SEMANTICS: COL-9
#[test]
fn an_area_is_written_again_when_it_was_read() {
    explore_area(Order::Right);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn an_area_that_is_closed_early_is_noticed() {
    explore_area(Order::ClosesEarly);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn who_has_finished_before_it_reads_is_noticed() {
    explore_area(Order::FinishesFirst);
}
