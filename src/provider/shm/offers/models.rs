//! A receiver reads an offered payload while its sender withdraws it, and then changes it. What the receiver accepts is
//! what was offered, and exactly one of the two delivers the payload.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{model, thread};

use super::{accept, is_accepted, make, stands, withdraw};
use crate::sys::atomic::{AtomicU64, Ordering};

const OFFERED: u64 = 7;
const LATER: u64 = 8;

/// One offer. The payload is one word, as the system copies: without any order of its own.
struct Pair {
    state: AtomicU64,
    payload: AtomicU64,
    /// What the ring of the message that tells of the offer orders.
    told: AtomicU64,
}

fn pair() -> Arc<Pair> {
    Arc::new(Pair { state: AtomicU64::new(0), payload: AtomicU64::new(0), told: AtomicU64::new(0) })
}

/// Returns what the receiver has accepted, if it has.
fn receive(pair: &Pair, number: u32) -> Option<u64> {
    if pair.told.load(Ordering::Acquire) < number.into() || !stands(&pair.state, number) {
        return None;
    }
    let read = pair.payload.load(Ordering::Relaxed);
    accept(&pair.state, number).then_some(read)
}

/// SEMANTICS: COL-10
#[test]
fn what_is_accepted_is_what_was_offered() {
    model(|| {
        let pair = pair();
        let receiver = {
            let pair = Arc::clone(&pair);
            thread::spawn(move || receive(&pair, 1))
        };
        pair.payload.store(OFFERED, Ordering::Relaxed);
        assert!(make(&pair.state, 1));
        pair.told.store(1, Ordering::Release);
        let withdrawn = withdraw(&pair.state, 1);
        pair.payload.store(LATER, Ordering::Relaxed);
        let accepted = receiver.join().unwrap();
        assert!(accepted.is_none_or(|read| read == OFFERED), "accepted {accepted:?}");
        assert_eq!(withdrawn, accepted.is_none(), "one of both gives it on");
    });
}

/// A sender that sees that its offer was accepted changes the payload, and offers anew. A receiver that still looks for
/// the first offer accepts nothing of the second.
/// SEMANTICS: COL-10
#[test]
fn an_accepted_payload_may_change() {
    model(|| {
        let pair = pair();
        pair.payload.store(OFFERED, Ordering::Relaxed);
        assert!(make(&pair.state, 1));
        pair.told.store(1, Ordering::Release);
        let receiver = {
            let pair = Arc::clone(&pair);
            thread::spawn(move || receive(&pair, 1))
        };
        let saw = is_accepted(&pair.state, 1);
        if saw {
            pair.payload.store(LATER, Ordering::Relaxed);
            assert!(make(&pair.state, 2));
        }
        let accepted = receiver.join().unwrap();
        assert!(accepted.is_none_or(|read| read == OFFERED), "accepted {accepted:?}");
        assert!(accepted.is_some() || !saw, "it was read");
    });
}
