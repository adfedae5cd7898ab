//! The hub of a job: keys and values, fences, and the ends of ranks.
//!
//! Pure: frames and moments come in (`handle_*`), frames for ranks go out ([`Hub::poll_send`]). It
//! keeps SAFE-1: frames of one rank can harm that rank alone.
//!
//! # Correctness
//!
//! A rank has ended once there is an outcome under its key. The first outcome counts, be it the
//! rank's own or the hub's. The hub then looks again at every request that waits for the rank: a
//! fence that the rank has not reached breaks, and a value that it has not put is absent. So no
//! rank waits for one that has ended.
//!
//! A rank reads one answer before it makes the next request, unless it has given up. So the hub
//! refuses a rank with [`REQUESTS`] requests whose answers it has not read. What is kept for a rank
//! that reads nothing is bounded: so many answers, and one report for the end of each other rank.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde_bytes::ByteBuf;

use super::frame::{GREETING, Pairs, ProtocolError, ToHub, ToRank, VALUE_BYTES, encode};
use super::{OUTCOME, Outcome};
use crate::launch::error_report::Innermost;
use crate::order::Rank;
use crate::sys::time::Instant;

/// The most requests of a rank at a time: it may give up a fence, then another request, and hands
/// over its outcome.
pub(in crate::launch) const REQUESTS: usize = 4;

/// The state of a rank.
#[derive(Debug, Default)]
struct Seat {
    /// Whether a process has come as this rank.
    has_come: bool,
    /// Whether it has come to its launch.
    has_joined: bool,
    /// The fences that it has called.
    fences: u64,
    is_in_fence: bool,
    /// How many had ended before it, if it has.
    place: Option<usize>,
    /// The values that it has put, and the keys of those since the last fence.
    values: HashMap<String, ByteBuf>,
    fresh: Vec<String>,
    /// Ranks that wait for values of this one, with the keys.
    getters: Vec<(Rank, String)>,
    /// Its requests, except those whose answers it has been sent.
    requests: usize,
    /// How many of these have an answer.
    answered: usize,
}

impl Seat {
    fn has_ended(&self) -> bool {
        self.values.contains_key(OUTCOME)
    }
}

/// A process cannot be the rank of its hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::launch) enum Refusal {
    /// Another process is that rank, or was.
    Taken,
    Protocol(ProtocolError),
}

/// The hub of a job.
#[derive(Debug)]
pub(in crate::launch) struct Hub {
    seats: Vec<Seat>,
    /// How long the hub waits for ranks.
    limit: Option<Duration>,
    /// When the first that waits in a fence has waited for so long.
    fence_until: Option<Instant>,
    /// When ranks that have not come are lost.
    come_until: Option<Instant>,
    outgoing: VecDeque<(Rank, Arc<[u8]>)>,
}

impl Hub {
    /// One for so many ranks, which wait for each other no longer than `limit`.
    pub(in crate::launch) fn new(size: usize, limit: Option<Duration>, now: Instant) -> Hub {
        let seats = (0..size).map(|_| Seat::default()).collect();
        // Somewhat later than those that wait for them give up, which can name them all.
        let come_until = limit.and_then(|limit| now.after(limit * 5 / 4));
        Hub { seats, limit, fence_until: None, come_until, outgoing: VecDeque::new() }
    }

    pub(in crate::launch) fn size(&self) -> usize {
        self.seats.len()
    }

    /// Whether a process has come as that rank.
    pub(in crate::launch) fn has_come(&self, rank: Rank) -> bool {
        self.seats[rank].has_come
    }

    /// Whether it has come to its launch.
    pub(in crate::launch) fn has_joined(&self, rank: Rank) -> bool {
        self.seats[rank].has_joined
    }

    /// The outcome of a rank, if it has ended.
    pub(in crate::launch) fn outcome(&self, rank: Rank) -> Option<Outcome> {
        Some(Outcome::decode(self.seats[rank].values.get(OUTCOME)?))
    }

    /// How many ranks had ended before this one, if it has.
    pub(in crate::launch) fn place(&self, rank: Rank) -> Option<usize> {
        self.seats[rank].place
    }

    /// The first frame of a process. Returns the rank that the process is from now on.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if it cannot be.
    pub(in crate::launch) fn handle_hello(&mut self, frame: ToHub) -> Result<Rank, Refusal> {
        let ToHub::Hello { greeting, rank, size } = frame else {
            return Err(Refusal::Protocol(ProtocolError::Unexpected("no greeting")));
        };
        if greeting != GREETING || size != self.size() || rank >= size {
            return Err(Refusal::Protocol(ProtocolError::Unexpected("a greeting of another job")));
        }
        let seat = &mut self.seats[rank];
        if seat.has_come || seat.has_ended() {
            return Err(Refusal::Taken);
        }
        seat.has_come = true;
        Ok(rank)
    }

    /// A frame of a rank that has come.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if no correct rank sends that now.
    pub(in crate::launch) fn handle_frame(
        &mut self,
        rank: Rank,
        frame: ToHub,
        now: Instant,
    ) -> Result<(), ProtocolError> {
        if matches!(frame, ToHub::Commit(_) | ToHub::Fence(_) | ToHub::Get { .. }) {
            let seat = &mut self.seats[rank];
            if seat.requests == REQUESTS {
                return Err(ProtocolError::Unexpected("requests whose answers nobody reads"));
            }
            seat.requests += 1;
        }
        match frame {
            ToHub::Hello { .. } => return Err(ProtocolError::Unexpected("a second greeting")),
            ToHub::Join => self.seats[rank].has_joined = true,
            ToHub::Commit(pairs) => {
                self.store(rank, pairs)?;
                self.answer(rank, &ToRank::Committed);
            }
            ToHub::Fence(pairs) => {
                if self.seats[rank].is_in_fence {
                    return Err(ProtocolError::Unexpected("a fence within a fence"));
                }
                self.store(rank, pairs)?;
                self.enter_fence(rank, now);
            }
            ToHub::Get { rank: of, key } => {
                let Some(seat) = self.seats.get_mut(of) else {
                    return Err(ProtocolError::Unexpected("a value of a rank that is none"));
                };
                match seat.values.get(&key) {
                    None if !seat.has_ended() => seat.getters.push((rank, key)),
                    value => {
                        let value = value.cloned();
                        self.answer(rank, &ToRank::Value(value));
                    }
                }
            }
            ToHub::Abort { culprit, message } => {
                self.handle_loss(
                    rank,
                    &Outcome::Failed(Innermost::Other { message, culprit }.into()),
                );
            }
        }
        Ok(())
    }

    /// A rank has ended. This is its outcome if it has put none itself.
    pub(in crate::launch) fn handle_loss(&mut self, rank: Rank, outcome: &Outcome) {
        if self.seats[rank].has_ended() {
            return;
        }
        // What cannot be written, because it is too long, is a failure without words.
        let bytes = outcome.encode().unwrap_or_default();
        self.put(rank, OUTCOME.to_owned(), ByteBuf::from(bytes));
    }

    /// When [`handle_timeout`](Self::handle_timeout) is to be called.
    pub(in crate::launch) fn poll_timeout(&self) -> Option<Instant> {
        self.fence_until.into_iter().chain(self.come_until).min()
    }

    /// Time has passed.
    pub(in crate::launch) fn handle_timeout(&mut self, now: Instant) {
        let is_past = |until: Option<Instant>| until.is_some_and(|until| now >= until);
        if is_past(self.come_until) {
            self.come_until = None;
            let never_came: Vec<_> =
                (0..self.size()).filter(|&rank| !self.has_come(rank)).collect();
            if !never_came.is_empty() {
                self.miss();
            }
            for rank in never_came {
                self.handle_loss(rank, &lost(rank, NEVER_CAME));
            }
        }
        if is_past(self.fence_until) {
            self.miss();
        }
    }

    /// Reports to those that wait in a fence which ranks have not come there in time.
    fn miss(&mut self) {
        self.fence_until = None;
        let called = |seat: &&Seat| seat.is_in_fence;
        let round = self.seats.iter().filter(called).map(|seat| seat.fences).max();
        let lacks = |rank: &Rank| Some(self.seats[*rank].fences) < round;
        let missing = ToRank::Missing { ranks: (0..self.size()).filter(lacks).collect() };
        for rank in self.in_fence() {
            self.seats[rank].is_in_fence = false;
            self.answer(rank, &missing);
        }
    }

    /// The next frame for a rank, as bytes.
    pub(in crate::launch) fn poll_send(&mut self) -> Option<(Rank, Arc<[u8]>)> {
        self.outgoing.pop_front()
    }

    /// All frames for a rank have left.
    pub(in crate::launch) fn handle_sent(&mut self, rank: Rank) {
        let seat = &mut self.seats[rank];
        seat.requests -= std::mem::take(&mut seat.answered);
    }

    fn answer(&mut self, rank: Rank, frame: &ToRank) {
        self.seats[rank].answered += 1;
        self.send(rank, frame);
    }

    fn send(&mut self, rank: Rank, frame: &ToRank) {
        // None is longer than the frame that brought its content, but by a few bytes; a rank that
        // does not get one waits no longer than its process lives.
        if let Ok(bytes) = encode(frame) {
            self.outgoing.push_back((rank, bytes.into()));
        }
    }

    fn in_fence(&self) -> Vec<Rank> {
        (0..self.size()).filter(|&rank| self.seats[rank].is_in_fence).collect()
    }

    fn store(&mut self, rank: Rank, pairs: Pairs) -> Result<(), ProtocolError> {
        for (key, value) in pairs {
            if self.seats[rank].values.contains_key(&key) {
                return Err(ProtocolError::Unexpected("a second value under a key"));
            }
            if key != OUTCOME && value.len() > VALUE_BYTES {
                return Err(ProtocolError::Unexpected("a value that is too long"));
            }
            self.put(rank, key, value);
        }
        Ok(())
    }

    fn put(&mut self, rank: Rank, key: String, value: ByteBuf) {
        let seat = &mut self.seats[rank];
        let ends = key == OUTCOME;
        if !ends {
            seat.fresh.push(key.clone());
        }
        seat.values.insert(key, value);
        if ends {
            self.end(rank);
        }
        let seat = &mut self.seats[rank];
        let getters = std::mem::take(&mut seat.getters);
        for (getter, key) in getters {
            let seat = &mut self.seats[rank];
            match seat.values.get(&key) {
                None if !ends => seat.getters.push((getter, key)),
                value => {
                    let value = value.cloned();
                    self.answer(getter, &ToRank::Value(value));
                }
            }
        }
    }

    /// Reports the end of a rank to the others.
    fn end(&mut self, ended: Rank) {
        let before = self.seats.iter().filter(|seat| seat.place.is_some()).count();
        self.seats[ended].place = Some(before);
        self.seats[ended].is_in_fence = false;
        for rank in self.in_fence() {
            self.settle_fence(rank);
        }
        for rank in 0..self.size() {
            // The others learn of it in their first fence.
            if rank != ended && self.seats[rank].fences > 0 && !self.seats[rank].has_ended() {
                self.send(rank, &ToRank::Ended { rank: ended });
            }
        }
    }

    fn enter_fence(&mut self, rank: Rank, now: Instant) {
        self.seats[rank].fences += 1;
        self.seats[rank].is_in_fence = true;
        if self.seats[rank].fences == 1 {
            let ended = |&other: &Rank| other != rank && self.seats[other].has_ended();
            for ended in (0..self.size()).filter(ended).collect::<Vec<_>>() {
                self.send(rank, &ToRank::Ended { rank: ended });
            }
        }
        let round = self.seats[rank].fences;
        if self.seats.iter().all(|seat| seat.fences >= round) {
            self.release_fence(round);
        } else if self.settle_fence(rank) && self.fence_until.is_none() {
            self.fence_until = self.limit.and_then(|limit| now.after(limit));
        }
    }

    /// Whether a rank goes on waiting in its fence: not if another has ended that has not called
    /// it.
    fn settle_fence(&mut self, rank: Rank) -> bool {
        let round = self.seats[rank].fences;
        let breaks = |seat: &Seat| seat.has_ended() && seat.fences < round;
        let Some(culprit) = self.seats.iter().position(breaks) else { return true };
        self.seats[rank].is_in_fence = false;
        self.answer(rank, &ToRank::Broken { rank: culprit });
        false
    }

    /// All have called it as often.
    fn release_fence(&mut self, round: u64) {
        self.fence_until = None;
        let fresh = |seat: &mut Seat| -> Pairs {
            let keys = std::mem::take(&mut seat.fresh).into_iter();
            keys.filter_map(|key| seat.values.get(&key).cloned().map(|value| (key, value)))
                .collect()
        };
        let fenced = ToRank::Fenced(self.seats.iter_mut().map(fresh).collect());
        let Ok(bytes) = encode(&fenced) else { return };
        let bytes: Arc<[u8]> = bytes.into();
        for rank in self.in_fence() {
            if self.seats[rank].fences != round {
                continue;
            }
            self.seats[rank].is_in_fence = false;
            self.seats[rank].answered += 1;
            self.outgoing.push_back((rank, Arc::clone(&bytes)));
        }
    }
}

const NEVER_CAME: &str = "its process has not come in time";

/// The outcome of a rank that cannot be heard any more.
pub(super) fn lost(rank: Rank, why: impl ToString) -> Outcome {
    Outcome::Failed(Innermost::Unreachable { rank, why: why.to_string() }.into())
}
