//! Which peers are lost, and by what that was noticed.

use std::cell::Cell;

use crate::order::Rank;

/// What has shown that a peer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// The verb.
    pub(super) verb: &'static str,
    /// What became of it.
    pub(super) why: &'static str,
}

/// Why a request was not even tried.
const FOLLOWED: &str = "its queue pair has failed";

/// Of all peers of a rank. Nobody comes back.
#[derive(Debug)]
pub(super) struct Losses(Box<[Cell<Option<Loss>>]>);

impl Losses {
    pub(super) fn of(size: usize) -> Losses {
        Losses((0..size).map(|_| Cell::new(None)).collect())
    }

    /// What has shown it, if the peer is lost.
    #[inline]
    pub(super) fn of_peer(&self, peer: Rank) -> Option<Loss> {
        self.0.get(peer)?.get()
    }

    #[inline(always)]
    pub(super) fn has(&self, peer: Rank) -> bool {
        self.of_peer(peer).is_some()
    }

    /// The peer is lost. What has shown it first counts, unless that only followed from something else.
    pub(super) fn note(&self, peer: Rank, verb: &'static str, why: &'static str) {
        if let Some(cell) = self.0.get(peer)
            && cell.get().is_none_or(|known| known.why == FOLLOWED)
        {
            cell.set(Some(Loss { verb, why }));
        }
    }

    /// The peer is lost, as requests to it come back that were not even tried: by what, is yet to be told.
    pub(super) fn note_that_it_followed(&self, peer: Rank) {
        if !self.has(peer) {
            self.note(peer, "ibv_poll_cq", FOLLOWED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts() {
        let losses = Losses::of(2);
        losses.note_that_it_followed(0);
        assert!(losses.has(0));
        losses.note(0, "ibv_post_send", "the cause");
        losses.note_that_it_followed(0);
        assert_eq!(losses.of_peer(0).map(|loss| loss.why), Some("the cause"));
        assert!(!losses.has(1) && !losses.has(2));
        losses.note(1, "ibv_post_send", "first");
        losses.note(1, "ibv_poll_cq", "second");
        losses.note(2, "ibv_poll_cq", "no such rank");
        assert_eq!(losses.of_peer(1), Some(Loss { verb: "ibv_post_send", why: "first" }));
        assert!(!losses.has(2));
    }
}
