//! A stream of numbered messages between all ranks, and the check that each arrives once, in order
//! and undamaged. The check is a value, [`Violation`], so that it can be shown to bite.

use std::thread;

use runahead::internals::order::Rank;
use runahead::internals::verbs::{Completion, Nic, PeerState, PostError, Vi};

use crate::fabric::*;

/// What was wrong with a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A message arrived that was not the next one.
    OutOfOrder { from: Rank, expected: u64, found: u64 },
    /// A message arrived that was never sent.
    Damaged { from: Rank, expected: u64 },
    /// Nothing more arrives, though something was sent.
    Stalled,
    /// A peer left before all that it had to send was there, or all that it was to get.
    Stranded,
    /// A message was refused, though the peer had a descriptor for it.
    Refused(PostError),
}

impl From<PostError> for Violation {
    fn from(error: PostError) -> Self {
        match error {
            PostError::PeerGone(_) => Self::Stranded,
            error => Self::Refused(error),
        }
    }
}

/// The lengths that messages take in turn: about the borders of what providers treat alike.
const LENGTHS: [usize; 8] = [24, 65, 32, 63, MAX_BYTES, 64, 25, 200];

const HEADER: usize = 24;

/// The `number`th message from `from` to `to`.
fn message(from: Rank, to: Rank, number: u64) -> ([u8; HEADER], Vec<u8>) {
    let mut header = [0; HEADER];
    for (place, value) in header.chunks_exact_mut(8).zip([number, from as u64, to as u64]) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    let len = LENGTHS[number as usize % LENGTHS.len()] - HEADER;
    let payload = (0..len).map(|at| (number as usize + 7 * at + from) as u8).collect();
    (header, payload)
}

/// Checks that `bytes` are the message that was expected.
fn check(from: Rank, to: Rank, expected: u64, bytes: &[u8]) -> Result<(), Violation> {
    let damaged = Violation::Damaged { from, expected };
    let found = bytes.first_chunk().copied().map(u64::from_le_bytes).ok_or(damaged.clone())?;
    let (header, payload) = message(from, to, found);
    if bytes != [&header[..], &payload].concat() {
        return Err(damaged);
    }
    if found == expected { Ok(()) } else { Err(Violation::OutOfOrder { from, expected, found }) }
}

/// The stream between one rank and one peer.
#[derive(Clone, Copy, Default)]
struct Pair {
    sent: u64,
    acknowledged: u64,
    received: u64,
}

/// One rank of the stream.
struct Endpoint<N> {
    nic: N,
    pairs: Vec<Pair>,
    window: u64,
    count: u64,
}

impl<N: Nic> Endpoint<N> {
    fn new(nic: N, window: u32, count: u64) -> Self {
        let pairs = vec![Pair::default(); nic.size()];
        Self { nic, pairs, window: window.into(), count }
    }

    fn peers(&self) -> impl Iterator<Item = Rank> + use<N> {
        let rank = self.nic.rank();
        (0..self.nic.size()).filter(move |peer| *peer != rank)
    }

    fn is_done(&self, peer: Rank) -> bool {
        let pair = &self.pairs[peer];
        pair.acknowledged == self.count && pair.received == self.count
    }

    fn all_done(&self) -> bool {
        self.peers().all(|peer| self.is_done(peer))
    }

    /// Sends and receives what it can without waiting. Returns whether that was anything.
    fn step(&mut self) -> Result<bool, Violation> {
        let stranded = self
            .peers()
            .any(|peer| !self.is_done(peer) && self.nic.peer_state(peer) == PeerState::Gone);
        let mut progress = false;
        for peer in self.peers() {
            // What is shown is what is taken, or what a poll finds.
            let (rank, expected) = (self.nic.rank(), self.pairs[peer].received);
            let Some(bytes) = self.nic.peek_recv(to(peer)) else { continue };
            check(peer, rank, expected, bytes)?;
            if expected % 3 == 0 {
                self.nic.take_peeked(to(peer));
                self.pairs[peer].received += 1;
                self.nic.post_send(Vi { peer, cq: ACKS }, &[], &[])?;
                progress = true;
            }
        }
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(DATA).unwrap() {
            check(peer, self.nic.rank(), self.pairs[peer].received, self.nic.bytes(&frame))?;
            self.pairs[peer].received += 1;
            self.nic.post_recv(to(peer), frame);
            // The peer posts the descriptor of an acknowledgement again before it counts it, so
            // that there is always one for each message that it may have under way.
            self.nic.post_send(Vi { peer, cq: ACKS }, &[], &[])?;
            progress = true;
        }
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(ACKS).unwrap() {
            self.nic.post_recv(Vi { peer, cq: ACKS }, frame);
            self.pairs[peer].acknowledged += 1;
            progress = true;
        }
        for peer in self.peers() {
            let pair = &mut self.pairs[peer];
            while pair.sent < self.count && pair.sent - pair.acknowledged < self.window {
                let (header, payload) = message(self.nic.rank(), peer, pair.sent);
                self.nic.post_send(to(peer), &header, &payload)?;
                pair.sent += 1;
                progress = true;
            }
        }
        if stranded && !progress { Err(Violation::Stranded) } else { Ok(progress) }
    }
}

fn endpoints<N: Nic>(nics: Vec<N>, window: u32, count: u64) -> Vec<Endpoint<N>> {
    nics.into_iter().map(|nic| Endpoint::new(nic, window, count)).collect()
}

/// Sends `count` messages from each rank to each other, at most `window` under way, all ranks by
/// turns in this thread.
pub fn by_turns<N: Nic>(nics: Vec<N>, window: u32, count: u64) -> Result<(), Violation> {
    by_turns_within(LOOKS, nics, window, count)
}

/// As [`by_turns`], which finds that nothing moves any more after so many turns.
pub fn by_turns_within<N: Nic>(
    looks: usize,
    nics: Vec<N>,
    window: u32,
    count: u64,
) -> Result<(), Violation> {
    let mut endpoints = endpoints(nics, window, count);
    let mut idle = 0;
    while !endpoints.iter().all(Endpoint::all_done) {
        idle += 1;
        pause(idle);
        for endpoint in &mut endpoints {
            if endpoint.step()? {
                idle = 0;
            }
        }
        if idle == looks {
            return Err(Violation::Stalled);
        }
    }
    Ok(())
}

/// As [`by_turns`], each rank in a thread of its own, which sleeps when there is nothing to do.
pub fn in_parallel<N: Nic>(nics: Vec<N>, window: u32, count: u64) -> Result<(), Violation> {
    let run = |mut endpoint: Endpoint<N>| {
        while !endpoint.all_done() {
            if !endpoint.step()? && !endpoint.all_done() {
                endpoint.nic.wait(None);
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let endpoints = endpoints(nics, window, count).into_iter();
        let threads: Vec<_> = endpoints.map(|e| scope.spawn(move || run(e))).collect();
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        // A violation at one rank strands others: the first cause says more.
        let stranded = |result: &Result<_, _>| *result == Err(Violation::Stranded);
        results.into_iter().min_by_key(|r| (r.is_ok(), stranded(r))).unwrap_or(Ok(()))
    })
}
