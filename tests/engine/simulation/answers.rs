//! Waits with a time limit, under random schedules of ranks of which some compute for long: none is
//! ever said not to have entered that has entered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use runahead::{Algorithm, Comm, Config, Error, MessageError, Result};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Shared, Wired, run, tight};

const BARRIERS: u64 = 4;

/// What is known of the ranks, apart from the runtime.
struct Truth {
    /// How many barriers each has begun to call, and has called.
    begun: Vec<AtomicU64>,
    called: Vec<AtomicU64>,
    /// How often the asking rank has run out of time.
    timeouts: AtomicU64,
}

fn read(counts: &[AtomicU64]) -> Vec<u64> {
    counts.iter().map(|count| count.load(Ordering::Relaxed)).collect()
}

/// Waits with no time at all until it is complete, and judges who is named.
fn ask(comm: &Comm<Wired>, shared: &Shared, truth: &Truth) -> Result<u64, String> {
    let mut named = 0;
    for epoch in 1..=BARRIERS {
        truth.begun[comm.rank()].store(epoch, Ordering::Relaxed);
        let barrier = comm.barrier().map_err(|error| error.to_string())?;
        truth.called[comm.rank()].store(epoch, Ordering::Relaxed);
        loop {
            let before = read(&truth.called);
            let outcome = barrier.wait_timeout(Duration::ZERO);
            let after = read(&truth.begun);
            let (epoch, not_entered, no_answer) = match outcome {
                Ok(()) => break,
                Err(Error::Message(MessageError::BarrierTimeout {
                    epoch,
                    not_entered,
                    no_answer,
                    ..
                })) => (epoch, not_entered, no_answer),
                Err(error) => return Err(error.to_string()),
            };
            named += not_entered.len() as u64;
            for &rank in &not_entered {
                if before[rank] >= epoch {
                    return Err(format!("rank {rank} is named and had entered barrier {epoch}"));
                }
            }
            let named = |rank: &usize| not_entered.contains(rank) || no_answer.contains(rank);
            if named(&comm.rank()) {
                return Err("a rank names itself".to_owned());
            }
            if let Some(rank) = (0..comm.size()).find(|rank| !named(rank) && after[*rank] < epoch) {
                return Err(format!("rank {rank} is not named and has not entered {epoch}"));
            }
            truth.timeouts.fetch_add(1, Ordering::Relaxed);
            (0..comm.size()).for_each(|rank| shared.turns.tell(rank));
        }
    }
    comm.progress().map_err(|error| error.to_string())?;
    Ok(named)
}

/// Calls its barriers late, computing until the asking rank has run out of time once more.
fn come_late(comm: &Comm<Wired>, shared: &Shared, truth: &Truth, rng: &mut Rng) -> Result<()> {
    let rank = comm.rank();
    for epoch in 1..=BARRIERS {
        for _ in 0..rng.usize(0..4) {
            comm.progress()?;
        }
        if rng.bool() {
            let enough = truth.timeouts.load(Ordering::Relaxed) + 1;
            let all = || {
                let asks = truth.timeouts.load(Ordering::Relaxed);
                let waits = read(&truth.called)[0] < epoch;
                asks >= enough || waits
            };
            shared.turns.compute(rank, all);
        }
        truth.begun[rank].store(epoch, Ordering::Relaxed);
        comm.barrier()?;
        truth.called[rank].store(epoch, Ordering::Relaxed);
    }
    Ok(())
}

/// How often ranks were named, or what was wrong.
fn explore(seed: u64, fault: Fault) -> Result<u64, String> {
    let mut rng = Rng::with_seed(seed);
    let size = rng.usize(2..=5);
    let algorithm = Algorithm::ALL[rng.usize(..Algorithm::ALL.len())];
    let config = Config { algorithm, ..tight(size) };
    let counts = || (0..size).map(|_| AtomicU64::new(0)).collect();
    let truth = Truth { begun: counts(), called: counts(), timeouts: AtomicU64::new(0) };
    let slow = if rng.bool() { Fault::SlowControl } else { Fault::None };
    let faults = |rank| if rank == size - 1 && fault != Fault::None { fault } else { slow };
    let outcome = run(&config, size, seed, faults, |comm, shared| {
        let mut rng = Rng::with_seed(seed ^ comm.rank() as u64);
        let result = match comm.rank() {
            0 => ask(&comm, shared, &truth),
            _ => come_late(&comm, shared, &truth, &mut rng).map(|()| 0).map_err(|e| e.to_string()),
        };
        let ended = comm.end(result.is_err()).map_err(|error| error.to_string());
        result.and_then(|named| ended.map(|()| named))
    });
    // Rank 0 first: whom it has found wrong, the others do not wait for.
    let named = outcome.values.into_iter().collect::<Result<Vec<_>, _>>()?;
    if outcome.stuck { Err("stuck".to_owned()) } else { Ok(named.iter().sum()) }
}

// SEMANTICS: BAR-9
#[test]
fn nobody_is_named_who_has_entered() {
    let mut named = 0;
    for seed in 0..bound([40, 150, 150]) {
        named += explore(seed, Fault::None).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
    println!("{named} ranks were named");
    assert!(named > bound([5, 20, 20]), "only {named} ranks were named");
}

// SEMANTICS: BAR-9
#[test]
fn old_and_false_answers_are_found() {
    for fault in [Fault::AnswersTooLow, Fault::AnswersLate] {
        let wrong = (0..400).find_map(|seed| explore(seed, fault).err());
        let wrong = wrong.unwrap_or_else(|| panic!("{fault:?} went unnoticed"));
        assert!(wrong.contains("is named and had entered"), "{fault:?}: {wrong}");
    }
}
