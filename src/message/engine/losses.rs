//! Peers that have gone: looks whether the network still sees them, and tells the parts.
//!
//! What a peer has said of its end, and when one is judged to be lost, is in `links/presence.rs`.
//! Here the network is asked. A rank that is lost is *cut* (nothing more is sent to it), what it
//! could read here is revoked, and the barriers learn that it signals no more. What is held of it
//! stays: `recv/outlook.rs` says whether it can still be received.
//!
//! Keeps rule END-2 of SEMANTICS.md.

use super::Engine;
use crate::order::Rank;
use crate::verbs::{Nic, PeerState};

impl<N: Nic> Engine<N> {
    /// Looks for peers that have gone, with or without a word. Returns whether one was found: what
    /// it had sent may have come just before. A call that waits does so; a program that polls asks for
    /// it.
    pub fn note_losses(&mut self) -> bool {
        self.barriers.catch_up(&self.nic);
        let mut found = false;
        for peer in 0..self.size() {
            found |= peer != self.rank() && (self.note_loss(peer) || self.note_departure(peer));
        }
        found
    }

    /// Looks whether a peer that has ended is gone for good, as one that has something to signal
    /// still is not.
    fn note_departure(&mut self, peer: Rank) -> bool {
        let presence = self.links.peer(peer).presence();
        if presence.has_departed()
            || !presence.has_ended()
            || self.nic.peer_state(peer) == PeerState::Connected
        {
            return false;
        }
        // Its last signals may lie in the inbox still, as with those that are lost.
        self.links.handle_seen_closed(peer);
        self.barriers.handle_gone(&self.nic, peer);
        true
    }

    /// As `note_losses`, for one peer.
    pub(super) fn note_loss(&mut self, peer: Rank) -> bool {
        let state = self.links.peer(peer);
        if state.is_exhausted()
            || !state.presence().has_failed() && self.nic.peer_state(peer) == PeerState::Connected
        {
            return false;
        }
        if self.links.handle_seen_closed(peer) {
            self.note_gone(peer);
        } else {
            self.barriers.handle_gone(&self.nic, peer);
        }
        // Else its last words may lie in the inbox still: they are looked at before judging.
        true
    }

    /// The peer's interface is closed and all that it sent was looked at. Unless it said that it
    /// ended, and all that it had sent is here, it is lost.
    pub(super) fn note_gone(&mut self, rank: Rank) {
        if self.links.handle_gone(&mut self.obstacles, rank) {
            self.cut(rank);
            self.revoke_all(rank);
            // No later look does: this rank may have found it gone by a post.
            self.barriers.handle_gone(&self.nic, rank);
        }
    }
}
