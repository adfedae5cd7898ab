//! Loom models of what ranks claim: two threads, all schedules.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{model, thread};

use super::super::tell::tell_gone;
use super::*;
use crate::sys::atomic::AtomicU64;
use crate::sys::futex::ModelFutex;

fn memory(words: usize) -> Arc<[AtomicU64]> {
    std::iter::repeat_with(|| AtomicU64::new(0)).take(words).collect()
}

/// Two who take the same rank: one of them has it.
#[test]
fn claim_of_a_rank_succeeds_for_one_process() {
    model(|| {
        // Taken, and gone.
        let states: Arc<[ModelFutex]> = [ModelFutex::new(), ModelFutex::new()].into();
        let takers = [(); 2].map(|()| {
            let states = Arc::clone(&states);
            thread::spawn(move || take(&states[0], &states[1]))
        });
        let taken = takers.map(|taker| taker.join().unwrap());
        assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 1);
    });
}

/// Who sees that a rank has left, and all that it left behind, cannot take it.
#[test]
fn claim_of_a_rank_that_has_left_is_refused() {
    model(|| {
        let states: Arc<[ModelFutex]> = [ModelFutex::new(), ModelFutex::new()].into();
        let left = {
            let states = Arc::clone(&states);
            thread::spawn(move || tell_gone(&states[1], || {}, || {}))
        };
        let sees = is_gone(&states[1]);
        assert!(!(sees && take(&states[0], &states[1])));
        left.join().unwrap();
        assert!(!take(&states[0], &states[1]));
    });
}

/// Of two who choose different layouts, one is refused; of two who choose the same, none.
#[test]
fn claim_of_a_layout_is_decided_by_the_first() {
    for hashes in [[3, 4], [3, 3]] {
        model(move || {
            let header = memory(1);
            let choosers = hashes.map(|hash| {
                let header = Arc::clone(&header);
                thread::spawn(move || choose(&header[0], hash))
            });
            let chosen = choosers.map(|chooser| chooser.join().unwrap());
            let agree = hashes[0] == hashes[1];
            assert_eq!(chosen.into_iter().filter(|chosen| *chosen).count(), 1 + usize::from(agree));
        });
    }
}
