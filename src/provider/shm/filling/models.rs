//! A receiver follows a copy that its sender fills, and which is followed by another. What it takes for there is there.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{model, thread};

use super::{begin, filled, say_filled, state};
use crate::sys::atomic::{AtomicU64, Ordering};

const BEFORE: u32 = 3;
const KEY: u32 = 4;
const LATER: u32 = 5;

const PIECES: [u64; 2] = [7, 8];

/// A pair with a block of two pieces, each of which is one word, as the bytes are copied: without any order of their own.
struct Pair {
    word: AtomicU64,
    pieces: [AtomicU64; 2],
    /// What the ring of the message that tells of the copy orders.
    told: AtomicU64,
}

/// Looks twice, if it is told, and takes what is there. Returns how many pieces it took.
fn follow(pair: &Pair) -> usize {
    if pair.told.load(Ordering::Acquire) == 0 {
        return 0;
    }
    let mut taken = 0;
    for _ in 0..2 {
        let here = filled(&pair.word, KEY).map_or(PIECES.len(), |pieces| pieces as usize);
        assert!(here <= PIECES.len(), "of another copy");
        for (piece, wanted) in pair.pieces.iter().zip(PIECES).take(here).skip(taken) {
            assert_eq!(piece.load(Ordering::Relaxed), wanted, "{here} pieces are said to be there");
            taken += 1;
        }
    }
    taken
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_said_to_be_filled_is() {
    model(|| {
        let zero = || AtomicU64::new(0);
        let pair = Arc::new(Pair {
            word: AtomicU64::new(state(BEFORE, 9)),
            pieces: [zero(), zero()],
            told: zero(),
        });
        let receiver = {
            let pair = Arc::clone(&pair);
            thread::spawn(move || follow(&pair))
        };
        begin(&pair.word, KEY);
        pair.told.store(1, Ordering::Release);
        for (pieces, (piece, value)) in pair.pieces.iter().zip(PIECES).enumerate() {
            piece.store(value, Ordering::Relaxed);
            say_filled(&pair.word, KEY, pieces as u32 + 1);
        }
        begin(&pair.word, LATER);
        receiver.join().unwrap();
        assert_eq!(follow(&pair), PIECES.len(), "at last all is there");
    });
}
