//! Who gets room, explored with the smallest windows under random schedules of ranks with all their
//! blocking calls: a message that a receive was posted for can be sent, whatever its receiver waits for
//! and in whatever order (FLOW-5); and who needs the room of messages that nobody will receive wakes a
//! receiver that sleeps over them (FLOW-3, GRP-3).

use std::sync::atomic::Ordering;

use fastrand::Rng;
use runahead::{Algorithm, Comm, Config, Error, MessageError, Result, Source, Tag};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Shared, Wired, run, tight};

/// Every rank posts receives for all that it will get, some from anybody or with any tag, then sends,
/// and then waits in any order; some it gives up before that, and receives what they gave back. Others,
/// for which no receive is posted until the end, may take all of a window but one.
fn posted_for_everything(comm: Comm<Wired>, shared: &Shared, seed: u64) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut rng = Rng::with_seed(seed << 8 | rank as u64);
    // The same at all ranks: how many messages each sends to each other, and of which length.
    let mut common = Rng::with_seed(seed);
    let each = common.usize(2..6);
    let len = |number: usize| if (seed as usize + number).is_multiple_of(3) { 5 } else { 1 };
    let (wild, gives_up, barrier) = (common.bool(), common.bool(), common.bool());
    let most = comm.config().window_messages as usize - 1;
    let unexpected = if common.bool() { most } else { 0 };
    shared.in_call[rank].store(true, Ordering::Relaxed);
    let mut receives = Vec::new();
    for at in 0..each * (size - 1) {
        let from = (rank + 1 + at % (size - 1)) % size;
        let source = if wild { Source::Any } else { Source::Rank(from) };
        let tag = if unexpected == 0 && rng.bool() { Tag::Any } else { Tag::Exactly(1) };
        receives.push(comm.irecv::<u64>(source, tag)?);
    }
    if barrier {
        comm.barrier()?;
    }
    let mut sends = Vec::new();
    for number in 0..each {
        for to in (0..size).filter(|&to| to != rank) {
            if number == 1 {
                for _ in 0..unexpected {
                    sends.push(comm.isend(to, 2, &[0u64])?);
                }
            }
            let data = vec![number as u64; len(number)];
            match rng.u8(..3) {
                0 => comm.send(to, 1, &data)?,
                1 => comm.isend(to, 1, &data)?.wait()?,
                _ => sends.push(comm.isend(to, 1, &data)?),
            }
        }
    }
    rng.shuffle(&mut sends);
    sends.into_iter().try_for_each(|send| send.wait())?;
    if gives_up {
        // A message that comes later has lost its receive, and may keep its sender waiting.
        comm.barrier()?.wait()?;
    }
    shared.in_call[rank].store(false, Ordering::Relaxed);
    let mut numbers = vec![Vec::new(); size];
    let mut given_up = Vec::new();
    let mut waits = Vec::new();
    for (at, receive) in receives.into_iter().enumerate() {
        if gives_up && rng.u8(..4) == 0 {
            given_up.push(receive);
        } else {
            waits.push((at, receive));
        }
    }
    rng.shuffle(&mut waits);
    rng.shuffle(&mut given_up);
    let to_come = given_up.len();
    drop(given_up);
    for (at, receive) in waits {
        let message = receive.wait()?;
        let number = message.data[0];
        assert_eq!(message.data, vec![number; len(number as usize)]);
        numbers[message.source].push((at, number));
    }
    // Receives get the messages of a sender in the order of posting, unless one that was given up early
    // has left its message to a later one.
    for numbers in &mut numbers {
        numbers.sort_unstable();
        assert!(gives_up || numbers.is_sorted_by(|a, b| a.1 < b.1), "{numbers:?}");
    }
    // What was given back comes in its order, too.
    for _ in 0..to_come {
        let message = comm.recv::<u64>(Source::Any, 1)?;
        let (from, number) = (message.source, message.data[0]);
        assert_eq!(message.data, vec![number; len(number as usize)]);
        let back = numbers[from].iter().filter(|(at, _)| *at == usize::MAX).map(|&(_, n)| n);
        assert!(back.max().is_none_or(|last| last < number), "{number} of {from}: {numbers:?}");
        numbers[from].push((usize::MAX, number));
    }
    for (from, numbers) in numbers.iter_mut().enumerate().filter(|&(from, _)| from != rank) {
        let mut all: Vec<u64> = numbers.iter().map(|&(_, number)| number).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..each as u64), "of {from}: {numbers:?}");
    }
    for from in (0..size).filter(|&from| from != rank) {
        for _ in 0..unexpected {
            assert_eq!(comm.recv::<u64>(from, 2)?.data, [0]);
        }
    }
    comm.end(false)
}

fn posted(algorithm: Algorithm, size: usize, seed: u64, fault: Fault) -> bool {
    let mut config = Config { algorithm, ..tight(size) };
    // Mostly one; others have places that are free, and places that are not.
    config.window_messages = [1, 2, 3, 4][seed as usize % 4];
    let outcome = run(
        &config,
        size,
        seed,
        |_| fault,
        |comm, shared| posted_for_everything(comm, shared, seed),
    );
    if !outcome.stuck {
        outcome.values.into_iter().for_each(Result::unwrap);
    }
    !outcome.stuck
}

const ALGORITHMS: [Algorithm; 3] =
    [Algorithm::Board, Algorithm::Dissemination, Algorithm::AllToAll];

// SEMANTICS: FLOW-5, ORD-2
#[test]
fn what_is_posted_for_can_be_sent() {
    for algorithm in ALGORITHMS {
        for size in 2..=4 {
            for seed in 0..bound([5, 40, 40]) {
                assert!(
                    posted(algorithm, size, seed, Fault::None),
                    "{algorithm} of {size}, seed {seed}"
                );
            }
        }
    }
}

// SEMANTICS: FLOW-5
#[test]
fn room_that_comes_only_when_the_program_asks_is_found() {
    for algorithm in ALGORITHMS {
        let is_found = |seed: &u64| !posted(algorithm, 2, *seed, Fault::KeepsRoom);
        let found = (0..20).filter(is_found).take(11).count();
        assert_eq!(found, 11, "{algorithm} of 20");
    }
}

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
        for seed in 0..bound([3, 12, 12]) {
            let went = ends(algorithm, sleep, need, seed, Fault::None);
            assert!(went, "{algorithm}, {need:?} while it sleeps in {sleep:?}, seed {seed}");
        }
    }
}

// SEMANTICS: FLOW-3
#[test]
fn who_is_not_woken_is_found() {
    for (algorithm, sleep, need) in cases() {
        // It may have looked just before, and discards them unasked: at a barrier on the board mostly, where
        // 7 of 600 found it.
        let found = (0..2000).any(|seed| !ends(algorithm, sleep, need, seed, Fault::NeverRings));
        assert!(found, "{algorithm}, {need:?} while it sleeps in {sleep:?}");
    }
}
