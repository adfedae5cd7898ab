//! A receiver takes a lent payload while its sender copies or moves it, and then changes it. What the receiver uses
//! is what was lent, and the sender never changes what is used.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{model, thread};

use super::{Found, end, find, is_taken, lend, say_copied, say_moved, take};
use crate::sys::atomic::{AtomicU64, Ordering};

const LENT: u64 = 7;
const LATER: u64 = 8;

const KEY: u32 = 4;

/// A place. Each payload is one word, as the system copies: without any order of its own.
struct Pair {
    word: AtomicU64,
    place: AtomicU64,
    payload: AtomicU64,
    /// Where the copy lies, or where the payload is moved.
    copies: [AtomicU64; 2],
    /// What the ring of the message that tells of the payload orders.
    told: AtomicU64,
}

fn pair() -> Arc<Pair> {
    let zero = || AtomicU64::new(0);
    let pair = Pair {
        word: zero(),
        place: zero(),
        payload: zero(),
        copies: [zero(), zero()],
        told: zero(),
    };
    Arc::new(pair)
}

/// As the receiver takes it, twice. Returns what it uses.
fn receive(pair: &Pair) -> Option<u64> {
    if pair.told.load(Ordering::Acquire) == 0 {
        return None;
    }
    for _ in 0..2 {
        match find(&pair.word, &pair.place, KEY) {
            Found::Lent(moved_to) => {
                let from = moved_to.map_or(&pair.payload, |at| &pair.copies[at as usize]);
                let read = from.load(Ordering::Relaxed);
                if take(&pair.word, KEY, moved_to.is_some()) {
                    return Some(read);
                }
            }
            Found::Copied(at) => return Some(pair.copies[at as usize].load(Ordering::Relaxed)),
            Found::Nothing => return None,
        }
    }
    panic!("it is copied or moved once")
}

/// As the sender lends it, and `gets_back` says how it has its memory back, which changes then.
fn lend_and_change(gets_back: fn(&Pair)) {
    model(move || {
        let pair = pair();
        let receiver = {
            let pair = Arc::clone(&pair);
            thread::spawn(move || receive(&pair))
        };
        pair.payload.store(LENT, Ordering::Relaxed);
        lend(&pair.word, KEY);
        pair.told.store(1, Ordering::Release);
        gets_back(&pair);
        pair.payload.store(LATER, Ordering::Relaxed);
        let used = receiver.join().unwrap();
        assert!(used.is_none_or(|used| used == LENT), "{used:?} is used");
    });
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_used_of_a_copied_payload_is_what_was_lent() {
    lend_and_change(|pair| {
        pair.copies[1].store(LENT, Ordering::Relaxed);
        if !say_copied(&pair.word, &pair.place, KEY, 1) {
            assert!(is_taken(&pair.word, KEY));
            // The copy is nobody's.
            pair.copies[1].store(LATER, Ordering::Relaxed);
        }
    });
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_used_of_a_moved_payload_is_what_was_lent() {
    lend_and_change(|pair| {
        pair.copies[1].store(LENT, Ordering::Relaxed);
        if !say_moved(&pair.word, &pair.place, KEY, 1) {
            assert!(is_taken(&pair.word, KEY));
        }
        if is_taken(&pair.word, KEY) {
            pair.copies[1].store(LATER, Ordering::Relaxed);
        }
    });
}

/// SEMANTICS: FLOW-4
#[test]
fn a_payload_that_was_taken_may_change() {
    lend_and_change(|pair| {
        if !is_taken(&pair.word, KEY) {
            end(&pair.word, KEY);
        }
    });
}
