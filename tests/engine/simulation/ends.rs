//! Ranks that end early, with or without failure, or go without a word, under random schedules:
//! whoever needs one of them is told, by its name, and nobody else is.
//!
//! The programs are one sequence of messages and barriers, dealt out to the ranks, so that nobody
//! waits for anybody but those who are cut short. A rank that gets an error goes on with its next
//! operation.

use std::sync::Mutex;

use fastrand::Rng;
use runahead::internals::order::GroupId;
use runahead::{Algorithm, Comm, Config, Error, MessageError, Source};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Wired, run, tight};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// To whom, and whether the payload travels by rendezvous.
    Send(usize, bool),
    Recv(usize),
    /// From whoever; then all receives are, and nobody ends early in good order: who waits for anybody
    /// may wait for one that has.
    RecvAny,
    Barrier,
    /// Until all barriers so far are complete.
    Wait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Orderly,
    Failed,
    Lost,
}

struct Message {
    number: u64,
    /// How many barriers its sender had initiated.
    stamp: u64,
    large: bool,
}

/// What is known of the ranks, apart from the runtime.
struct Truth {
    initiated: Vec<u64>,
    ended: Vec<Option<How>>,
    /// `sent[from][to]`: what was not received yet.
    sent: Vec<Vec<Vec<Message>>>,
    numbers: u64,
    /// How many errors were right.
    told: u64,
}

fn programs(rng: &mut Rng, size: usize) -> Vec<(Vec<Op>, How)> {
    let mut lists = vec![Vec::new(); size];
    let from_any = rng.u8(..3) == 0;
    for _ in 0..rng.usize(4..24) {
        let (from, to) = (rng.usize(..size), rng.usize(..size));
        match rng.u8(..10) {
            0..6 if from != to => {
                lists[from].push(Op::Send(to, rng.u8(..4) == 0));
                lists[to].push(if from_any { Op::RecvAny } else { Op::Recv(from) });
            }
            6..8 => lists.iter_mut().for_each(|list| list.push(Op::Barrier)),
            _ => lists[from].push(Op::Wait),
        }
    }
    let cut = rng.usize(..size);
    let lists = lists.into_iter().enumerate().map(|(rank, mut list)| {
        if rank != cut && rng.bool() {
            return (list, How::Orderly);
        }
        list.truncate(rng.usize(..=list.len()));
        (list, [How::Failed, How::Lost, How::Orderly][rng.usize(..3 - usize::from(from_any))])
    });
    lists.collect()
}

impl Truth {
    /// Whether an error at `rank` is right, where a message of, or for, `peer` was asked for, or
    /// barriers up to `through`.
    fn judge(
        &mut self,
        rank: usize,
        error: &Error,
        peer: Option<usize>,
        through: u64,
    ) -> Result<(), String> {
        let through = through.min(self.initiated[rank]);
        let Error::Message(found) = error else { return Err(format!("rank {rank}: {error}")) };
        let right = match *found {
            MessageError::PeerLost { rank: named } => {
                self.ended[named] == Some(How::Lost) && (peer == Some(named) || through > 0)
            }
            MessageError::PeerEnded { rank: named, failed } => match self.ended[named] {
                Some(How::Failed) => failed && (peer == Some(named) || through > 0),
                // Its own end may have failed, which it says.
                Some(How::Orderly) => peer == Some(named) || failed && through > 0,
                _ => false,
            },
            MessageError::EndedBeforeBarrier { rank: named, group, epoch } => {
                let has_ended = matches!(self.ended[named], Some(How::Orderly | How::Failed));
                // One that failed, or whose own end did, need not have passed signals on.
                let failed = self.ended.iter().zip(&self.initiated).any(|(end, &initiated)| {
                    matches!(end, Some(How::Failed | How::Lost))
                        || end.is_some() && initiated < epoch
                });
                let missing = self.initiated[named] < epoch || failed;
                has_ended && group == GroupId::WORLD && missing && epoch <= through
            }
            _ => false,
        };
        self.told += u64::from(right);
        if right {
            return Ok(());
        }
        Err(format!(
            "rank {rank}, which needs {peer:?} and barriers up to {through}, is told: {error}; \
             ended: {:?}, initiated: {:?}",
            self.ended, self.initiated
        ))
    }

    /// Rank `rank` has received a message.
    fn take(&mut self, rank: usize, from: usize, number: u64) -> Result<(), String> {
        let sent = &mut self.sent[from][rank];
        let Some(place) = sent.iter().position(|sent| sent.number == number) else {
            return Err(format!("rank {rank} received {number} out of nowhere"));
        };
        // A large one whose sender has gone is passed over.
        if sent[..place].iter().any(|earlier| !earlier.large) {
            return Err(format!("rank {rank} received {number} out of order"));
        }
        let stamp = sent[place].stamp;
        sent.drain(..=place);
        self.require_all(rank, stamp)
    }

    /// Whether all have entered the barrier, as those who complete it say.
    fn require_all(&self, rank: usize, epoch: u64) -> Result<(), String> {
        match self.initiated.iter().position(|&initiated| initiated < epoch) {
            None => Ok(()),
            Some(other) => Err(format!("rank {rank} completed {epoch} without {other}")),
        }
    }
}

fn one(comm: Comm<Wired>, truth: &Mutex<Truth>, ops: &[Op], how: How) -> Result<(), String> {
    let rank = comm.rank();
    let truth = || truth.lock().unwrap();
    let (mut last, mut completed) = (None, 0);
    for &op in ops {
        let own = truth().initiated[rank];
        match op {
            Op::Send(to, large) => {
                let number = {
                    let mut truth = truth();
                    truth.numbers += 1;
                    let number = truth.numbers;
                    truth.sent[rank][to].push(Message { number, stamp: own, large });
                    number
                };
                let len = if large { 20 } else { 2 };
                if let Err(error) = comm.isend(to, 0, &vec![number; len]).map(drop) {
                    let mut truth = truth();
                    truth.sent[rank][to].retain(|message| message.number != number);
                    // To one that has ended; silence would do as well.
                    truth.judge(rank, &error, Some(to), 0)?;
                }
            }
            Op::Recv(from) => match comm.recv::<u64>(from, 0) {
                Ok(message) => truth().take(rank, from, message.data[0])?,
                Err(error) => {
                    let mut truth = truth();
                    // Of what was sent, only a payload that was under way may be missing.
                    let sent = &truth.sent[from][rank];
                    let lacks = truth.ended[from].is_some() && sent.first().is_none_or(|m| m.large);
                    let clean = matches!(
                        error,
                        Error::Message(MessageError::PeerEnded { failed: false, .. })
                    );
                    let lacks = lacks && (sent.is_empty() || !clean);
                    // A large one of a rank that has gone may have been passed over before.
                    let whole = sent.iter().find(|sent| !(sent.large && lacks)).or(sent.first());
                    let through = whole.map_or(0, |sent| sent.stamp);
                    truth.judge(rank, &error, lacks.then_some(from), through)?;
                }
            },
            Op::RecvAny => match comm.recv::<u64>(Source::Any, 0) {
                Ok(message) => truth().take(rank, message.source, message.data[0])?,
                Err(error) => {
                    let mut truth = truth();
                    let named = error.culprit();
                    truth.judge(rank, &error, named, own)?;
                    // What it had sent, and may be delivered, was to be received first.
                    let first = named.and_then(|named| truth.sent[named][rank].first());
                    if first.is_some_and(|first| !first.large && first.stamp <= completed) {
                        return Err(format!("rank {rank} was not given all that came: {error}"));
                    }
                }
            },
            Op::Barrier => {
                truth().initiated[rank] += 1;
                match comm.barrier() {
                    Ok(barrier) => last = Some(barrier),
                    Err(error) => return Err(format!("rank {rank}, a mere barrier: {error}")),
                }
            }
            Op::Wait => {
                let Some(barrier) = last.take() else { continue };
                match barrier.wait() {
                    Ok(()) => {
                        truth().require_all(rank, own)?;
                        completed = own;
                    }
                    Err(error) => truth().judge(rank, &error, None, own)?,
                }
            }
        }
    }
    let own = {
        let mut truth = truth();
        truth.ended[rank] = Some(how);
        truth.initiated[rank]
    };
    match how {
        How::Lost => drop(comm),
        How::Failed => comm.end(true).map_err(|error| format!("rank {rank}: {error}"))?,
        How::Orderly => match comm.end(false) {
            Ok(()) => truth().require_all(rank, own)?,
            Err(error) => truth().judge(rank, &error, None, own)?,
        },
    }
    Ok(())
}

/// How many were told of an end, or what was wrong.
fn explore(seed: u64, fault: Fault) -> Result<u64, String> {
    let mut rng = Rng::with_seed(seed);
    let size = rng.usize(2..=5);
    let algorithm = Algorithm::ALL[rng.usize(..Algorithm::ALL.len())];
    let config = Config { algorithm, window_messages: 64, ..tight(size) };
    let programs = programs(&mut rng, size);
    let truth = Mutex::new(Truth {
        initiated: vec![0; size],
        ended: vec![None; size],
        sent: (0..size).map(|_| (0..size).map(|_| Vec::new()).collect()).collect(),
        numbers: 0,
        told: 0,
    });
    let outcome = run(
        &config,
        size,
        seed,
        |_| fault,
        |comm, _| {
            let (ops, how) = &programs[comm.rank()];
            one(comm, &truth, ops, *how)
        },
    );
    outcome.values.into_iter().collect::<Result<(), _>>()?;
    if outcome.stuck {
        return Err(format!("stuck: {programs:?}"));
    }
    Ok(truth.into_inner().unwrap().told)
}

// SEMANTICS: END-2, END-3
#[test]
fn who_needs_a_rank_that_has_ended_is_told() {
    let (mut told, seeds) = (0, bound([150, 600, 600]));
    for seed in 0..seeds {
        told += explore(seed, Fault::None).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
    println!("{told} calls were told of an end");
    assert!(told > seeds, "only {told}");
}

// SEMANTICS: END-2, END-3
#[test]
fn ends_that_are_not_told_or_told_wrongly_are_found() {
    for fault in [Fault::SilentEnd, Fault::EndsTooLow, Fault::SeesNobodyGo] {
        let found = (0..100).filter(|&seed| explore(seed, fault).is_err()).take(5).count();
        assert_eq!(found, 5, "{fault:?} of 100");
    }
}

/// Who ends and promises barriers that it never signals keeps nobody waiting, once it has gone.
// SEMANTICS: END-2, SAFE-1
#[test]
fn an_end_that_promises_too_much_keeps_nobody_waiting() {
    for seed in 0..bound([30, 100, 100]) {
        if let Err(wrong) = explore(seed, Fault::EndsTooHigh) {
            println!("seed {seed}: {wrong}");
            assert!(!wrong.starts_with("stuck"), "seed {seed}: {wrong}");
        }
    }
}
