//! Barriers get through though no data does: explored with the smallest windows, for every
//! algorithm, under random schedules of ranks with all their blocking calls.
//!
//! The progress of a blocked rank is seen by others: nobody frees it before the barrier that it
//! must pass on is complete elsewhere, so a rank that does not pass it on leaves the job stuck.

use std::sync::atomic::Ordering;

use runahead::{Algorithm, Comm, Config, Error, Result, Source};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Shared, Wired, run, tight};

const BARRIERS: usize = 3;

/// Ranks fill each other's windows with messages of all kinds, and pass barriers, of which all must
/// complete; only then is anything received.
fn nobody_receives(comm: Comm<Wired>, _: &Shared) -> Result<()> {
    let others = (0..comm.size()).filter(|&to| to != comm.rank());
    for superstep in 0..BARRIERS {
        for to in others.clone() {
            comm.isend(to, 0, &[superstep])?;
            comm.isend(to, 0, &[superstep; 20])?;
            comm.isend(to, 0, &[superstep])?;
        }
        comm.barrier()?.wait()?;
    }
    for from in others {
        for superstep in 0..BARRIERS {
            for len in [1, 20, 1] {
                let found = comm.recv::<usize>(from, 0)?.data;
                assert_eq!(found, vec![superstep; len]);
            }
        }
    }
    comm.end(false)
}

fn seeds() -> std::ops::Range<u64> {
    0..bound([2, 6, 6])
}

// SEMANTICS: FLOW-2
#[test]
fn signals_wait_for_no_data() {
    for algorithm in Algorithm::ALL {
        for size in 2..=4 {
            for seed in seeds() {
                let config = Config { algorithm, ..tight(size) };
                let outcome = run(&config, size, seed, |_| Fault::None, nobody_receives);
                assert!(!outcome.stuck, "{algorithm} of {size}, seed {seed}");
                outcome.values.into_iter().for_each(Result::unwrap);
            }
        }
    }
}

// SEMANTICS: FLOW-2
#[test]
fn signals_that_wait_for_data_are_found() {
    for fault in [Fault::SignalsLeaveBehindData, Fault::SignalsArriveBehindData] {
        // Those on the board send no signals that could wait.
        for algorithm in Algorithm::ALL.into_iter().filter(|&it| it != Algorithm::Board) {
            for seed in seeds() {
                let config = Config { algorithm, ..tight(3) };
                let outcome = run(&config, 3, seed, |_| fault, nobody_receives);
                assert!(outcome.stuck, "{fault:?} with {algorithm}, seed {seed}");
            }
        }
    }
}

/// Why a rank cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Send,
    LargeSend,
    SentWait,
    Tried,
    Recv,
    PostedRecv,
    Probe,
    OpenLimit,
}
use Reason::*;

const REASONS: [Reason; 8] = [Send, LargeSend, SentWait, Tried, Recv, PostedRecv, Probe, OpenLimit];

impl Reason {
    /// What the blocked rank does: it ends when `other` has got past the barrier.
    fn block(self, comm: &Comm<Wired>, other: usize) -> Result<()> {
        let (small, large) = ([7u8], [7u8; 40]);
        match self {
            Send => {
                comm.send(other, 0, &small)?;
                comm.send(other, 0, &small)
            }
            LargeSend => comm.send(other, 0, &large),
            SentWait => comm.isend(other, 0, &large)?.wait(),
            Tried => {
                comm.send(other, 0, &small)?;
                // A rank that is deaf would try for ever.
                for _ in 0..5000 {
                    if comm.try_send(other, 0, &small)? {
                        return Ok(());
                    }
                }
                Err(Error::other("tried in vain"))
            }
            Recv => comm.recv::<u8>(other, 0).map(drop),
            PostedRecv => comm.irecv::<u8>(other, 0)?.wait().map(drop),
            Probe => {
                comm.probe(other, 0)?;
                comm.recv::<u8>(other, 0).map(drop)
            }
            // One barrier may be open: this is the second.
            OpenLimit => comm.barrier()?.wait(),
        }
    }

    /// What the rank does that frees it.
    fn free(self, comm: &Comm<Wired>, blocked: usize) -> Result<()> {
        match self {
            Recv | PostedRecv | Probe => comm.send(blocked, 0, &[7u8]),
            OpenLimit => Ok(()),
            _ => {
                for _ in 0..if matches!(self, Send | Tried) { 2 } else { 1 } {
                    comm.recv::<u8>(Source::Rank(blocked), 0)?;
                }
                Ok(())
            }
        }
    }
}

/// Of all ranks, one enters a barrier and is then blocked until the next one is past it. All others
/// wait for it; with [`OpenLimit`], one of them comes late.
fn one_is_blocked(
    comm: Comm<Wired>,
    shared: &Shared,
    reason: Reason,
    blocked: usize,
    passed: &mut bool,
) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let other = (blocked + 1) % size;
    let barrier = comm.barrier()?;
    if rank == blocked {
        shared.in_call[rank].store(true, Ordering::Relaxed);
        reason.block(&comm, other)?;
        shared.in_call[rank].store(false, Ordering::Relaxed);
    }
    barrier.wait()?;
    *passed = true;
    if rank == other {
        reason.free(&comm, blocked)?;
    }
    if reason == OpenLimit && rank != blocked {
        comm.barrier()?.wait()?;
    }
    comm.end(false)
}

/// Whether all others got past the barrier, and whether all came to their end.
fn blocked(
    algorithm: Algorithm,
    reason: Reason,
    size: usize,
    seed: u64,
    fault: Fault,
) -> (bool, bool) {
    let open_barriers = if reason == OpenLimit { 1 } else { 64 };
    let config = Config { algorithm, open_barriers, ..tight(size) };
    let blocked = seed as usize % size;
    let faults = |rank| if rank == blocked { fault } else { Fault::None };
    let outcome = run(&config, size, seed, faults, |comm, shared| {
        let mut passed = false;
        let result = one_is_blocked(comm, shared, reason, blocked, &mut passed);
        (passed, result.is_ok())
    });
    let mut others = outcome.values.iter().enumerate().filter(|(rank, _)| *rank != blocked);
    let passed = others.all(|(_, &(passed, _))| passed) && outcome.values.len() == size;
    (passed, !outcome.stuck && outcome.values.iter().all(|&(_, ended)| ended))
}

// SEMANTICS: FLOW-3
#[test]
fn a_blocked_rank_passes_barriers_on() {
    for algorithm in Algorithm::ALL {
        for reason in REASONS {
            for size in 2..=5 {
                for seed in seeds() {
                    let went = blocked(algorithm, reason, size, seed, Fault::None);
                    assert_eq!(
                        went,
                        (true, true),
                        "{algorithm} of {size}, {reason:?}, seed {seed}"
                    );
                }
            }
        }
    }
}

/// A rank that looks at no signal while it is blocked keeps the others back, unless its algorithm
/// makes it forward nothing.
// SEMANTICS: FLOW-3
#[test]
fn a_blocked_rank_that_passes_nothing_on_is_found() {
    for algorithm in Algorithm::ALL {
        let cases = REASONS.into_iter().flat_map(|reason| (0..10).map(move |seed| (reason, seed)));
        let is_found = cases.into_iter().any(|(reason, seed)| {
            let (passed, _) = blocked(algorithm, reason, 5, seed, Fault::DeafInCalls);
            !passed
        });
        let forwards = ![Algorithm::AllToAll, Algorithm::Board].contains(&algorithm);
        assert_eq!(is_found, forwards, "{algorithm}");
    }
}
