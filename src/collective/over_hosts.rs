//! The exchange of what each rank has for all, over several hosts: it goes to each other host once, and
//! the rank there that gets it passes it on to the others (wu-2005 §3.4.3).
//!
//! Keeps rules COL-1, COL-4 and COL-7 of SEMANTICS.md.
//!
//! # Which rank passes on
//!
//! Of a host's members each passes on what comes from some ranks of each other host: the one with the same
//! place on its host, modulo their number. So all networks and cores of a host have their part, where
//! wu's coordinators have all of it.
//!
//! # Correctness
//!
//! A rank posts its own data before it receives, and never waits for room: what cannot leave is kept. It takes
//! what it passes on in the order of ranks, and posts each at once. So what it passes on comes to others in
//! that order, in which they take it, and no rank waits for one that waits for it.

use super::call::Call;
use super::edge::PostedSends;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

/// From this many bytes of each rank on.
const LEAST_BYTES: usize = 8 << 10;

/// A rank keeps what it posts until it has left: up to this part of the size of its heap.
const KEPT_SHARE: usize = 8;

impl<N: Nic> Comm<N> {
    /// Whether what each rank has for all, so many bytes, goes to each host once.
    pub(super) fn gathers_over_hosts(&self, bytes: usize) -> bool {
        let all = bytes.saturating_mul(self.size());
        let fits = all <= self.sizes().heap_bytes / KEPT_SHARE;
        self.collectives.hosts.are_shared() && bytes >= LEAST_BYTES && fits
    }

    /// Gives all ranks the `data` of all, all of one length, in the order of ranks: they fill `result`.
    pub(super) fn all_gather_over_hosts<T: Element>(
        &self,
        call: &Call,
        data: &[T],
        result: &mut [T],
    ) -> Result<()> {
        let (rank, size, count) = (self.rank(), self.size(), data.len());
        let hosts = &*self.collectives.hosts;
        let (own, pieces) = (hosts.host(rank), self.pieces_in::<T>(call, count, true));
        let mates = || (0..size).filter(|&other| other != rank && hosts.host(other) == own);
        let abroad = (0..hosts.count()).filter(|&host| host != own);
        let passing = |from: Rank| hosts.host(from) != own && hosts.passes_on(own, from) == rank;
        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        // Other hosts first: that takes longer.
        let first: Vec<Rank> =
            abroad.map(|host| hosts.passes_on(host, rank)).chain(mates()).collect();
        for piece in pieces.clone() {
            self.post_to_each(
                call,
                first.iter().copied(),
                data,
                &piece,
                &mut posted,
                &mut unserved,
            )?;
        }
        copy(data, &mut result[rank * count..][..count]);
        // What others wait for comes first.
        for from in (0..size).filter(|&from| passing(from)) {
            let block = &mut result[from * count..][..count];
            for piece in pieces.clone() {
                self.recv_in(call, from, block, &piece)?;
                self.post_to_each(call, mates(), block, &piece, &mut posted, &mut unserved)?;
            }
        }
        for mate in mates() {
            self.recv_whole(call, mate, &mut result[mate * count..][..count], pieces.clone())?;
            let passed =
                |&from: &Rank| hosts.host(from) != own && hosts.passes_on(own, from) == mate;
            for from in (0..size).filter(passed) {
                self.recv_whole(call, mate, &mut result[from * count..][..count], pieces.clone())?;
            }
        }
        self.see_off(posted)?;
        unserved
    }
}
