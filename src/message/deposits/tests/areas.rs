//! Areas: which are open, and when they may be closed.
//!
//! Keeps rules COL-5, COL-9 and SAFE-1 of SEMANTICS.md.

use super::*;
use crate::verbs::RemoteBuffer;

fn buffer(key: u32) -> RemoteBuffer {
    RemoteBuffer { address: 4096 * u64::from(key), key }
}

/// Deposits what lies in an area of this key, behind which there is a room of so many bytes.
fn deposit(own: &mut Deposits, memory: &Memory, of: (u64, MemberSet), (key, room): (u32, u64)) {
    let message = Elsewhere { address: buffer(key).address, len: 9, stride: 64, room };
    let area = (buffer(key), 100);
    let (index, readers) = of;
    own.deposit_elsewhere(memory, PLACE, (index, readers.into()), 7, (message, area));
}

fn poll(own: &mut Deposits, memory: &Memory, look: Look) -> Option<u32> {
    own.poll_read_area(memory, look, |_| false).map(|buffer| buffer.key)
}

/// Each reader is told where its own message lies, and that of one behind the sender is one place before. (Planted: the place of
/// the sender counts.)
// SEMANTICS: COL-9
#[test]
fn each_reader_finds_its_message() {
    let memory = memory(4);
    let mut all = group(&memory, 4, GROUP);
    let readers = MemberSet::below(4).without(MemberSet::only(1));
    // Rank 2 is member 1.
    deposit(&mut all[2], &memory, (1, readers), (3, 40));
    for (rank, nth) in [(3, 0), (1, 1), (0, 2)] {
        let there = NotCopied::There { address: 3 * 4096 + 64 * nth, len: 9, room: 40 };
        assert_eq!(read(&mut all[rank], &memory, (1, 1)), Err(there));
    }
    // Who has read a deposit knows what its sender has finished, wherever it lies.
    deposit(&mut all[2], &memory, (2, readers), (4, 0));
    assert!(read(&mut all[0], &memory, (1, 2)).is_err());
    assert!(all[0].is_free(&memory, PLACE, (1 + SLOTS as u64, MemberSet::only(1).into()), 1));
}

/// An area is closed when all that read it have finished that call: by what is known, or by a look. (Planted: one reader is
/// enough; the call before is; nobody looks; the oldest alone is closed by a look at all.)
// SEMANTICS: COL-9
#[test]
fn an_area_is_closed_when_all_have_finished_the_call() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let others = MemberSet::below(2);
    for (index, readers) in [(1, others), (2, MemberSet::only(1)), (3, others)] {
        deposit(&mut all[0], &memory, (index, readers), (index as u32, 0));
    }
    let looks = [Look::None, Look::AtOldest, Look::AtAll];
    assert!(looks.iter().all(|&look| poll(&mut all[0], &memory, look).is_none()));
    // Rank 1 is member 1.
    all[1].handle_finished(&memory, PLACE, 2);
    assert_eq!(poll(&mut all[0], &memory, Look::None), None);
    assert_eq!(poll(&mut all[0], &memory, Look::AtOldest), None);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(2));
    all[2].handle_finished(&memory, PLACE, 1);
    assert_eq!(poll(&mut all[0], &memory, Look::None), None);
    assert_eq!(poll(&mut all[0], &memory, Look::AtOldest), Some(1));
    // By what it deposits member 0 says that it has finished the calls before.
    for (rank, index) in [(1, 3), (2, 4)] {
        all[rank].handle_finished(&memory, PLACE, index);
    }
    for index in [4, 5] {
        for rank in [1, 2] {
            let reader = MemberSet::only(2).into();
            assert!(all[rank].is_free(&memory, PLACE, (index, reader), 1));
            all[rank].deposit(&memory, PLACE, outgoing(index, reader, b"x"));
            let member = 2 - rank;
            read(&mut all[0], &memory, (member, index)).unwrap();
        }
    }
    assert_eq!(poll(&mut all[0], &memory, Look::None), Some(3));
    assert!(!all[0].has_areas());
}

/// While its owner may write in the room behind, an area is open, whatever others have finished.
// SEMANTICS: COL-9, COL-11
#[test]
fn an_area_with_a_room_is_its_owners_first() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    deposit(&mut all[0], &memory, (1, MemberSet::below(2)), (1, 8));
    deposit(&mut all[0], &memory, (2, MemberSet::below(2)), (2, 8));
    [1, 2].into_iter().for_each(|rank: usize| all[rank].handle_finished(&memory, PLACE, 2));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), None);
    all[0].handle_written(buffer(2));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(2));
    all[0].handle_written(buffer(1));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(1));
}

/// One that has gone reads nothing more, nor one that has dropped the group, or has joined another at its place. A rank that
/// has dropped it itself closes what was read later. (Planted: what it knows of the group is forgotten at once, or with the
/// first area.)
// SEMANTICS: COL-9, GRP-1
#[test]
fn who_has_left_reads_nothing() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let others = MemberSet::below(2);
    for index in 1..=4 {
        deposit(&mut all[0], &memory, (index, others), (index as u32, 0));
    }
    all[2].handle_finished(&memory, PLACE, 1);
    let read_without = |own: &mut Deposits, look| {
        own.poll_read_area(&memory, look, |rank| rank == 1).map(|buffer| buffer.key)
    };
    assert_eq!(read_without(&mut all[0], Look::None), None, "it did not look");
    assert_eq!(read_without(&mut all[0], Look::AtAll), Some(1));
    assert_eq!(read_without(&mut all[0], Look::AtAll), None);

    all[0].handle_drop(&memory, GROUP);
    all[0].join(&memory, PLACE, OTHER, &[2, 1, 0]);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), None);
    all[1].handle_finished(&memory, PLACE, 2);
    all[2].handle_finished(&memory, PLACE, 2);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(2));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), None);
    all[1].handle_drop(&memory, GROUP);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), None);
    // Dropped, and then in another group, of which it has finished nothing.
    all[2].handle_drop(&memory, GROUP);
    all[2].join(&memory, PLACE, OTHER, &[2, 1, 0]);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(3));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(4));
    assert!(!all[0].has_areas());
}

/// (Planted: areas that were closed count still.)
// SEMANTICS: COL-5
#[test]
fn areas_are_bounded() {
    let memory = memory(2);
    let mut all = group(&memory, 2, GROUP);
    let reader = MemberSet::only(0);
    let mut count = 0;
    while all[0].has_room_for_area(100, usize::MAX) {
        count += 1;
        deposit(&mut all[0], &memory, (count, reader), (count as u32, 0));
    }
    assert_eq!(count, 16);
    all[1].handle_finished(&memory, PLACE, 2);
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(1));
    assert!(all[0].has_room_for_area(100, 1600) && !all[0].has_room_for_area(101, 1600));
    assert_eq!(poll(&mut all[0], &memory, Look::AtAll), Some(2));
    assert!(all[0].has_room_for_area(200, 1600) && !all[0].has_room_for_area(usize::MAX, 1600));
}
