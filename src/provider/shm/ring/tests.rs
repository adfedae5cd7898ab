//! What each end makes of another that writes more than it may, and of descriptors that are posted
//! twice. That the two ends do right by each other is shown by the models and by the tests of the
//! verbs.

use std::sync::Arc;

use super::super::cell::{CELL_WORDS, INLINE_BYTES, INLINE_WORDS, Storage, encode};
use super::{Body, RingReceiver, RingSender, RingWords};
use crate::sys::atomic::Ordering;
use crate::sys::atomic::plain::AtomicU64;

type Shared = Arc<[AtomicU64]>;

fn zeros(words: usize) -> Shared {
    (0..words).map(|_| AtomicU64::new(0)).collect()
}

/// The receiver's end of a ring of `places` with as many descriptors, and what its sender shares
/// with it.
fn incoming(places: u32) -> (RingReceiver<Shared>, Shared, Shared) {
    let (cells, returns) = (zeros(places as usize * CELL_WORDS), zeros(places as usize));
    let words =
        RingWords { cells: Arc::clone(&cells), returns: Arc::clone(&returns), taken: zeros(1) };
    (RingReceiver::new(words, places, 100), cells, returns)
}

/// With as many messages in frames as there are descriptors, there cannot be one more; it is
/// neither shown nor taken.
///
/// SEMANTICS: SAFE-1
#[test]
fn a_message_beyond_the_descriptors_is_refused() {
    let (mut ring, cells, _) = incoming(2);
    let write = |place: usize, lap| {
        cells[place * CELL_WORDS].store(encode(lap, Storage::Inline, 8), Ordering::Release);
    };
    write(0, 1);
    write(1, 1);
    assert!(ring.peek(&mut [0; INLINE_WORDS]).is_some());
    (0..2).for_each(|_| assert!(ring.look().unwrap().is_some()));
    write(0, 2);
    assert_eq!(ring.peek(&mut [0; INLINE_WORDS]), None);
    assert_eq!(ring.look(), Err("number of messages"));
    ring.give_back(Storage::Inline);
    assert_eq!(ring.peek(&mut [0; INLINE_WORDS]), Some((Storage::Inline, 8)));
}

/// A message in a cell cannot be longer than a cell, though the ring takes longer ones.
///
/// SEMANTICS: SAFE-1
#[test]
fn a_message_longer_than_its_cell_is_refused() {
    let (mut ring, cells, _) = incoming(2);
    for (at, len) in [INLINE_BYTES, INLINE_BYTES + 1].into_iter().enumerate() {
        cells[at * CELL_WORDS].store(encode(1, Storage::Inline, len), Ordering::Release);
    }
    assert!(ring.peek(&mut [0; INLINE_WORDS]).is_some());
    assert!(ring.look().unwrap().is_some());
    assert_eq!(ring.peek(&mut [0; INLINE_WORDS]), None);
    assert_eq!(ring.look(), Err("message length"));
}

/// The descriptor of a message is posted again once: else its sender would write a buffer that is
/// read.
///
/// SEMANTICS: SAFE-1
#[test]
fn a_descriptor_is_returned_once() {
    let (mut ring, cells, returns) = incoming(2);
    for buffer in [0, 1] {
        let word = encode(1, Storage::Buffer(buffer), 60);
        cells[buffer as usize * CELL_WORDS].store(word, Ordering::Release);
        let arrived = ring.look().unwrap().expect("it lies there");
        assert_eq!(arrived.body, Body::Buffer(buffer));
    }
    (0..2).for_each(|_| ring.give_back(Storage::Buffer(1)));
    let returned = || [0, 1].map(|at: usize| returns[at].load(Ordering::Acquire));
    assert_eq!(returned(), [encode(1, Storage::Buffer(1), 0), 0]);
    ring.give_back(Storage::Buffer(0));
    assert_eq!(returned(), [1, 0].map(|buffer| encode(1, Storage::Buffer(buffer), 0)));
}

/// The count of short messages that were taken for good neither falls nor exceeds the number sent,
/// messages in buffers aside.
///
/// SEMANTICS: SAFE-1
#[test]
fn an_impossible_count_of_descriptors_is_refused() {
    let (cells, returns, taken) = (zeros(4 * CELL_WORDS), zeros(4), zeros(1));
    let words = RingWords { cells, returns: Arc::clone(&returns), taken: Arc::clone(&taken) };
    let mut ring = RingSender::new(words, 3, 100);
    let say = |count| taken[0].store(count, Ordering::Release);
    (0..2).for_each(|_| ring.push_inline(&[1], &[]));
    ring.push_buffer(60, false);
    assert_eq!(ring.has_descriptor(), Ok(false));
    say(3);
    assert_eq!(ring.has_descriptor(), Err("returned descriptors"));
    say(2);
    assert_eq!(ring.has_descriptor(), Ok(true));
    (0..2).for_each(|_| ring.push_inline(&[1], &[]));
    say(1);
    assert_eq!(ring.has_descriptor(), Err("returned descriptors"));
    say(2);
    assert_eq!(ring.has_descriptor(), Ok(false));
    // The one in the buffer comes back by itself; and a short one never does so.
    returns[0].store(encode(1, Storage::Buffer(0), 0), Ordering::Release);
    assert_eq!(ring.has_descriptor(), Ok(true));
    ring.push_buffer(60, false);
    returns[1].store(encode(1, Storage::Inline, 0), Ordering::Release);
    assert_eq!(ring.has_descriptor(), Err("returned descriptor"));
}

/// Messages that take buffers in turn use each that there is before any a second time, and then the
/// one that came back first; others the one that came back last.
#[test]
fn buffers_are_taken_in_turn_or_again_at_once() {
    let (cells, returns, taken) = (zeros(4 * CELL_WORDS), zeros(4), zeros(1));
    let words = RingWords { cells, returns: Arc::clone(&returns), taken };
    let mut ring = RingSender::new(words, 4, 100);
    let mut back = 0;
    let mut use_one = |in_turn| {
        ring.take_buffers().unwrap();
        let buffer = ring.next_buffer(in_turn);
        ring.push_buffer(60, in_turn);
        let place = encode(1 + back as u64 / 4, Storage::Buffer(buffer), 0);
        returns[back % 4].store(place, Ordering::Release);
        back += 1;
        buffer
    };
    let again: Vec<u32> = (0..3).map(|_| use_one(false)).collect();
    assert_eq!(again, [0, 0, 0]);
    let in_turn: Vec<u32> = (0..9).map(|_| use_one(true)).collect();
    assert_eq!(in_turn, [1, 2, 3, 0, 1, 2, 3, 0, 1]);
    let again: Vec<u32> = (0..3).map(|_| use_one(false)).collect();
    assert_eq!(again, [1, 1, 1]);
}
