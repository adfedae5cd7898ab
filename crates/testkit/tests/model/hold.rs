//! The hold queue over every sequence of arrivals and moving clocks, up to a length.
//!
//! A stamp that falls is refused and its sender named; nothing else is, and all else goes on as if
//! it had never come. The oracle is a list for each sender.

use runahead::internals::order::hold::Hold;
use runahead::internals::order::{ProtocolError, Rank};

const SENDERS: usize = 2;
const STAMPS: u64 = 3;
const LENGTH: usize = 6;

/// A hold queue, right or wrong.
trait Holds: Clone {
    fn new() -> Self;
    /// What may be delivered at once, or the sender and the two stamps.
    fn arrive(
        &mut self,
        from: Rank,
        stamp: u64,
        clock: u64,
        number: usize,
    ) -> Result<Option<usize>, (Rank, u64, u64)>;
    fn release(&mut self, clocks: [u64; SENDERS]) -> Vec<usize>;
}

impl Holds for Hold<usize> {
    fn new() -> Self {
        Hold::new(SENDERS)
    }

    fn arrive(
        &mut self,
        from: Rank,
        stamp: u64,
        clock: u64,
        number: usize,
    ) -> Result<Option<usize>, (Rank, u64, u64)> {
        self.handle_arrival(from, stamp, clock, number).map_err(|error| match error {
            ProtocolError::StampFell { from, stamp, before } => (from, stamp, before),
            error => panic!("{error}"),
        })
    }

    fn release(&mut self, clocks: [u64; SENDERS]) -> Vec<usize> {
        let mut found = Vec::new();
        self.poll_deliverable(|from| clocks[from], |_, number| found.push(number));
        found
    }
}

/// A fault in how falling stamps are treated.
#[derive(Clone, Copy)]
enum Mistake {
    /// They are taken.
    Taken,
    /// The stamp that was refused counts from then on.
    Remembered,
    /// The other sender is named.
    OtherNamed,
    /// A message of equal stamp is refused.
    EqualRefused,
    /// The refused message is handed out later all the same.
    Kept,
}

#[derive(Clone)]
struct Wrong<const MISTAKE: usize> {
    inner: Hold<usize>,
    last: [u64; SENDERS],
}

const MISTAKES: [Mistake; 5] = [
    Mistake::Taken,
    Mistake::Remembered,
    Mistake::OtherNamed,
    Mistake::EqualRefused,
    Mistake::Kept,
];

impl<const MISTAKE: usize> Holds for Wrong<MISTAKE> {
    fn new() -> Self {
        Wrong { inner: Hold::new(SENDERS), last: [0; SENDERS] }
    }

    fn arrive(
        &mut self,
        from: Rank,
        stamp: u64,
        clock: u64,
        number: usize,
    ) -> Result<Option<usize>, (Rank, u64, u64)> {
        let before = self.last[from];
        // What the queue inside is told never falls.
        let rising = stamp.max(before);
        match MISTAKES[MISTAKE] {
            Mistake::Taken => self.last[from] = rising,
            Mistake::Kept if stamp < before => {
                let _ = self.inner.arrive(from, rising, 0, number);
                return Err((from, stamp, before));
            }
            Mistake::Remembered if stamp < before => {
                self.last[from] = stamp;
                return Err((from, stamp, before));
            }
            Mistake::EqualRefused if stamp == before && stamp > 0 => {
                return Err((from, stamp, before));
            }
            Mistake::OtherNamed if stamp < before => return Err((1 - from, stamp, before)),
            _ if stamp < before => return Err((from, stamp, before)),
            _ => self.last[from] = stamp,
        }
        // Where a mistake lets one fall, the queue inside is a new one in which it does not.
        self.inner.arrive(from, rising, clock, number).or(Ok(None))
    }

    fn release(&mut self, clocks: [u64; SENDERS]) -> Vec<usize> {
        self.inner.release(clocks)
    }
}

/// What must be: for each sender what is held, and its highest stamp.
#[derive(Clone, Default)]
struct Oracle {
    held: Vec<(Rank, u64, usize)>,
    last: [u64; SENDERS],
    clocks: [u64; SENDERS],
}

/// Every continuation of a sequence; the first difference. Counts sequences, and refusals.
fn explore<H: Holds>(
    holds: &H,
    oracle: &Oracle,
    length: usize,
    counts: &mut [u64; 2],
) -> Result<(), String> {
    counts[0] += 1;
    if length == LENGTH {
        return Ok(());
    }
    for from in 0..SENDERS {
        for stamp in 0..STAMPS {
            let (mut holds, mut oracle) = (holds.clone(), oracle.clone());
            let arrived = holds.arrive(from, stamp, oracle.clocks[from], length);
            let before = oracle.last[from];
            let expected = if stamp < before {
                counts[1] += 1;
                Err((from, stamp, before))
            } else {
                oracle.last[from] = stamp;
                let free = oracle.held.iter().all(|held| held.0 != from);
                if free && stamp <= oracle.clocks[from] {
                    Ok(Some(length))
                } else {
                    oracle.held.push((from, stamp, length));
                    Ok(None)
                }
            };
            if arrived != expected {
                return Err(format!("stamp {stamp} of {from}: {arrived:?}, not {expected:?}"));
            }
            explore(&holds, &oracle, length + 1, counts)?;
        }
        if oracle.clocks[from] + 1 < STAMPS {
            let (mut holds, mut oracle) = (holds.clone(), oracle.clone());
            oracle.clocks[from] += 1;
            let clocks = oracle.clocks;
            let is_free = |held: &(Rank, u64, usize)| held.1 <= clocks[held.0];
            let expected: Vec<_> =
                oracle.held.iter().copied().filter(is_free).map(|held| held.2).collect();
            oracle.held.retain(|held| !is_free(held));
            let found = holds.release(clocks);
            if found != expected {
                return Err(format!("clocks {clocks:?} release {found:?}, not {expected:?}"));
            }
            explore(&holds, &oracle, length + 1, counts)?;
        }
    }
    Ok(())
}

fn check<H: Holds>() -> Result<[u64; 2], String> {
    let mut counts = [0; 2];
    explore(&H::new(), &Oracle::default(), 0, &mut counts)?;
    Ok(counts)
}

/// SEMANTICS: HOLD-4, HOLD-1, HOLD-2, HOLD-3
#[test]
fn falling_stamps_alone_are_refused() {
    let [sequences, refused] = check::<Hold<usize>>().unwrap();
    println!("{sequences} sequences, {refused} refusals");
    assert!(sequences > 100_000 && refused > 10_000);
}

/// SEMANTICS: HOLD-4
#[test]
fn mistakes_about_falling_stamps_are_found() {
    check::<Wrong<0>>().expect_err("one that takes them");
    check::<Wrong<1>>().expect_err("one that remembers them");
    check::<Wrong<2>>().expect_err("one that names another");
    check::<Wrong<3>>().expect_err("one that refuses equal stamps");
    check::<Wrong<4>>().expect_err("one that keeps them");
}
