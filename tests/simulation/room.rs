//! Who needs the room of messages that nobody will receive wakes a receiver that sleeps over them
//! (FLOW-3, GRP-3): explored with the smallest windows under random schedules of ranks with all their
//! blocking calls.

use runahead::{Algorithm, Comm, Config, Error, MessageError, Result};

use super::wired::{Fault, Wired, run, tight};

const ALGORITHMS: [Algorithm; 3] =
    [Algorithm::Board, Algorithm::Dissemination, Algorithm::AllToAll];

/// What a rank sleeps in that has dropped a group, until the third rank frees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sleep {
    Recv,
    Probe,
    PostedRecv,
    Barrier,
    Send,
    LargeSend,
}

/// How another rank needs the room of what it has sent to that group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Send,
    SentWait,
    LargeSend,
    LargeSentWait,
    TrySend,
    TestOfSend,
    End,
}

const SLEEPS: [Sleep; 6] =
    [Sleep::Recv, Sleep::Probe, Sleep::PostedRecv, Sleep::Barrier, Sleep::Send, Sleep::LargeSend];

const NEEDS: [Need; 7] = [
    Need::Send,
    Need::SentWait,
    Need::LargeSend,
    Need::LargeSentWait,
    Need::TrySend,
    Need::TestOfSend,
    Need::End,
];

/// More looks than anybody needs who is not looking in vain.
const LOOKS: usize = 5000;

impl Need {
    /// Sends more to rank 1 of a group than there is room for, and needs it all to be gone.
    fn fill(self, group: &Comm<Wired>) -> Result<()> {
        let (small, large) = ([7u8], [7u8; 40]);
        let vain = || Err(Error::other("looked in vain"));
        match self {
            Need::Send => (0..4).try_for_each(|_| group.send(1, 0, &small)),
            Need::SentWait => {
                let sends: Result<Vec<_>> = (0..4).map(|_| group.isend(1, 0, &small)).collect();
                sends?.into_iter().try_for_each(|send| send.wait())
            }
            Need::LargeSend => (0..4).try_for_each(|_| group.send(1, 0, &large)),
            Need::LargeSentWait => (0..4).try_for_each(|_| group.isend(1, 0, &large)?.wait()),
            Need::TrySend => (0..4).try_for_each(|_| {
                for _ in 0..LOOKS {
                    if group.try_send(1, 0, &small)? {
                        return Ok(());
                    }
                }
                vain()
            }),
            Need::TestOfSend => {
                let sends: Result<Vec<_>> = (0..4).map(|_| group.isend(1, 0, &small)).collect();
                sends?.into_iter().try_for_each(|send| {
                    for _ in 0..LOOKS {
                        if send.test()? {
                            return Ok(());
                        }
                    }
                    vain()
                })
            }
            Need::End => (0..4).try_for_each(|_| group.isend(1, 0, &small).map(drop)),
        }
    }
}

/// Rank 1 drops the group of the first two and sleeps; rank 0 needs it to discard what is for that
/// group before it frees rank 2, which frees rank 1.
fn asleep_over_litter(comm: Comm<Wired>, sleep: Sleep, need: Need) -> Result<()> {
    let rank = comm.rank();
    let group = if rank < 2 { Some(comm.group(&[0, 1])?) } else { None };
    match rank {
        0 => {
            if let Some(group) = group {
                need.fill(&group)?;
            }
            if need != Need::End {
                comm.send(2, 9, &[9u8])?;
            }
            if sleep == Sleep::Barrier {
                comm.barrier()?;
            }
        }
        1 => {
            drop(group);
            match sleep {
                Sleep::Recv => drop(comm.recv::<u8>(2, 9)?),
                Sleep::Probe => {
                    comm.probe(2, 9)?;
                    comm.recv::<u8>(2, 9)?;
                }
                Sleep::PostedRecv => drop(comm.irecv::<u8>(2, 9)?.wait()?),
                Sleep::Barrier => comm.barrier()?.wait()?,
                // The first of them takes the window.
                Sleep::Send => (0..2).try_for_each(|_| comm.send(2, 8, &[8u8]))?,
                Sleep::LargeSend => comm.send(2, 8, &[8u8; 40])?,
            }
        }
        _ => {
            match comm.recv::<u8>(0, 9) {
                // It has handed over all that it owed.
                Err(Error::Message(MessageError::PeerEnded { rank: 0, .. }))
                    if need == Need::End => {}
                freed => drop(freed?),
            }
            match sleep {
                Sleep::Recv | Sleep::Probe | Sleep::PostedRecv => comm.send(1, 9, &[9u8])?,
                Sleep::Barrier => {
                    comm.barrier()?;
                }
                Sleep::Send => {
                    for _ in 0..2 {
                        comm.recv::<u8>(1, 8)?;
                    }
                }
                Sleep::LargeSend => drop(comm.recv::<u8>(1, 8)?),
            }
        }
    }
    comm.end(false)
}

/// Whether all came to their end.
fn ends(algorithm: Algorithm, sleep: Sleep, need: Need, seed: u64, fault: Fault) -> bool {
    let config = Config { algorithm, ..tight(3) };
    let outcome = run(&config, 3, seed, |_| fault, |comm, _| asleep_over_litter(comm, sleep, need));
    !outcome.stuck && outcome.values.len() == 3 && outcome.values.iter().all(Result::is_ok)
}

fn cases() -> impl Iterator<Item = (Algorithm, Sleep, Need)> {
    let pairs = SLEEPS.into_iter().flat_map(|sleep| NEEDS.map(|need| (sleep, need)));
    // Who ends has entered its barriers.
    let pairs = pairs.filter(|&pair| pair != (Sleep::Barrier, Need::End));
    pairs.flat_map(|(sleep, need)| ALGORITHMS.map(|algorithm| (algorithm, sleep, need)))
}

// SEMANTICS: FLOW-3, GRP-3
#[test]
fn who_sleeps_over_what_nobody_receives_is_woken() {
    for (algorithm, sleep, need) in cases() {
        for seed in 0..12 {
            let went = ends(algorithm, sleep, need, seed, Fault::None);
            assert!(went, "{algorithm}, {need:?} while it sleeps in {sleep:?}, seed {seed}");
        }
    }
}

// SEMANTICS: FLOW-3
#[test]
fn who_is_not_woken_is_found() {
    for (algorithm, sleep, need) in cases() {
        // It may have looked just before, and discards them unasked.
        let found = (0..200).any(|seed| !ends(algorithm, sleep, need, seed, Fault::NeverRings));
        assert!(found, "{algorithm}, {need:?} while it sleeps in {sleep:?}");
    }
}
