//! Delayed writes into the memory of other hosts: each word is in flight for some ticks, words for
//! one peer stay in order, and words in flight to a peer that leaves are lost.

use std::collections::VecDeque;

use crate::order::Rank;
use crate::verbs::Written;

/// Writes a word over the wrapped network; false if the peer has gone.
pub(super) type Write<N> = fn(&N, Rank, usize, u64) -> bool;

/// The words in flight to all peers.
pub(super) struct Exposed<N> {
    /// Set by the first send: not every network has exposed words.
    write: Option<Write<N>>,
    draws: fastrand::Rng,
    max_delay_ticks: u32,
    now: u64,
    /// One for each peer.
    peers: Vec<PeerWrites>,
}

#[derive(Clone, Default)]
struct PeerWrites {
    /// When the write is due, in ticks; the index of the word; its value.
    under_way: VecDeque<(u64, usize, u64)>,
    has_lost: bool,
}

impl<N> Exposed<N> {
    pub(super) fn new(seed: u64, max_delay_ticks: u32, size: usize) -> Exposed<N> {
        let draws = fastrand::Rng::with_seed(seed);
        Exposed {
            write: None,
            draws,
            max_delay_ticks,
            now: 0,
            peers: vec![PeerWrites::default(); size],
        }
    }

    /// Whether words are in flight.
    pub(super) fn has_some(&self) -> bool {
        self.peers.iter().any(|writes| !writes.under_way.is_empty())
    }

    pub(super) fn send(&mut self, write: Write<N>, (peer, word, value): (Rank, usize, u64)) {
        self.write = Some(write);
        let writes = &mut self.peers[peer];
        let due = self.now + u64::from(self.draws.u32(0..=self.max_delay_ticks));
        let due = writes.under_way.back().map_or(due, |last| due.max(last.0));
        writes.under_way.push_back((due, word, value));
    }

    /// Advances time by a tick and writes the words that are due.
    pub(super) fn tick(&mut self, network: &N) {
        self.now += 1;
        let Some(write) = self.write else { return };
        for (peer, writes) in self.peers.iter_mut().enumerate() {
            while let Some(&(due, word, value)) = writes.under_way.front()
                && due <= self.now
            {
                writes.has_lost |= !write(network, peer, word, value);
                writes.under_way.pop_front();
            }
        }
    }

    pub(super) fn written_by(&self, peer: Rank) -> Written {
        match self.peers.get(peer) {
            Some(writes) if !writes.under_way.is_empty() => Written::UnderWay,
            Some(writes) if !writes.has_lost => Written::Arrived,
            _ => Written::Lost,
        }
    }
}
