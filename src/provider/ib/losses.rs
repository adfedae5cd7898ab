//! The peers that this rank has lost, and the first cause of each loss.

use std::cell::Cell;

use super::device::{EVENTS, MUTE};
use crate::order::Rank;
use crate::sys::ibverbs::{REFUSED, Refusal, SILENT};

/// How the loss of a peer was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// The verb that has shown it, or [`LAUNCHER`].
    pub(super) verb: &'static str,
    /// The outcome of that verb.
    pub(super) why: &'static str,
    /// The device's own codes, if a request has failed.
    refusal: Option<Refusal>,
}

impl Loss {
    /// The cause and a remedy, for users. None if the launcher has noticed the loss: it reports
    /// more itself. `port` is the fault of this rank's port, if any; `sent` describes the route of
    /// its requests, if that is not the usual one.
    pub(super) fn in_words(self, port: Option<&str>, sent: &str) -> Option<String> {
        if self.verb == LAUNCHER {
            return None;
        }
        let remedy = match self.why {
            SILENT => {
                let way = port.map_or(
                    "its host or the path to it may be down: check the cable and the port of its device".into(),
                    |port| format!("{port}: check its cable, and the port at the cable's far end"),
                );
                let sent = if sent.is_empty() { "" } else { &format!("; it was asked {sent}") };
                format!("{way}, `runahead info` lists them{sent}")
            }
            FOLLOWED => {
                "the device of this rank has given up the connection: the kernel's log may say why (`dmesg`)".into()
            }
            REFUSED => {
                "the peer may have failed and revoked its exposed memory: see its own error first".into()
            }
            _ if self.is_told_by_device() || self.why == MUTE => {
                "the kernel's log may say why (`dmesg`)".into()
            }
            _ => "its memory or a device is at fault, not the program".to_owned(),
        };
        let said = self.refusal.map_or(String::new(), |Refusal { status, vendor }| {
            format!(" (status {status} of the completion, vendor error {vendor:#x})")
        });
        Some(format!("{}: {}; {remedy}{said}", self.verb, self.why))
    }

    /// Whether the peer has not answered.
    pub(super) fn is_silence(self) -> bool {
        self.why == SILENT
    }

    /// Whether an event of this rank's device has shown it.
    pub(super) fn is_told_by_device(self) -> bool {
        self.verb == EVENTS
    }
}

/// Stands for the verb if the launcher has reported the loss.
pub(super) const LAUNCHER: &str = "the launcher";

/// The queue pair has failed before this request was tried.
const FOLLOWED: &str = "its queue pair has failed";

/// The device does not take a request.
pub(super) const NOT_POSTED: &str = "the device refuses it";

/// The completion of a read is wrong.
pub(super) const UNREAD: &str = "the device reports a read as done, but no data has arrived";

/// The peer's count of reposted receives is wrong.
pub(super) const TOO_MANY_RETURNED: &str = "the peer has reposted more receives than were used";

/// The losses of one rank, by peer. A lost peer stays lost.
#[derive(Debug)]
pub(super) struct Losses(Box<[Cell<Option<Loss>>]>);

impl Losses {
    pub(super) fn of(size: usize) -> Losses {
        Losses((0..size).map(|_| Cell::new(None)).collect())
    }

    /// The cause, if the peer is lost.
    #[inline]
    pub(super) fn of_peer(&self, peer: Rank) -> Option<Loss> {
        self.0.get(peer)?.get()
    }

    #[inline(always)]
    pub(super) fn has(&self, peer: Rank) -> bool {
        self.of_peer(peer).is_some()
    }

    /// Notes that the peer is lost. The first cause is kept, unless it only followed from another.
    pub(super) fn note(&self, peer: Rank, verb: &'static str, why: &'static str) {
        self.keep(peer, Loss { verb, why, refusal: None });
    }

    /// As [`note`](Losses::note), of a request that was posted and has failed.
    pub(super) fn note_refusal(&self, peer: Rank, refusal: Refusal) {
        let (verb, why) = ("ibv_post_send", refusal.text());
        self.keep(peer, Loss { verb, why, refusal: Some(refusal) });
    }

    fn keep(&self, peer: Rank, loss: Loss) {
        if let Some(cell) = self.0.get(peer)
            && cell.get().is_none_or(|known| known.why == FOLLOWED)
        {
            cell.set(Some(loss));
        }
    }

    /// Notes that the peer is lost since requests to it were flushed, untried. Their completions
    /// do not tell the cause; a later one may.
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
    fn a_loss_names_verb_cause_and_remedy() {
        let said = |verb, why| Loss { verb, why, refusal: None }.in_words(None, "");
        assert_eq!(said(LAUNCHER, "its process has ended"), None);
        let silent = said("ibv_post_send", SILENT).unwrap();
        assert!(silent.starts_with("ibv_post_send: the peer does not answer; "), "{silent}");
        assert!(silent.contains("check the cable and the port of its device"), "{silent}");
        let port = Loss { verb: "ibv_post_send", why: SILENT, refusal: None }
            .in_words(Some("port 1 is down"), "");
        assert!(port.unwrap().contains("not answer; port 1 is down: check its cable"));
        let sent = Loss { verb: "ibv_post_send", why: SILENT, refusal: None }
            .in_words(None, "by class 96")
            .unwrap();
        assert!(sent.contains("cable") && sent.ends_with("; it was asked by class 96"), "{sent}");
        assert!(said("ibv_poll_cq", FOLLOWED).unwrap().contains("`dmesg`"));
        let dead = said("ibv_poll_cq", MUTE).unwrap();
        assert!(dead.contains("device of this rank") && dead.contains("`dmesg`"), "{dead}");
        assert!(said(EVENTS, "QP_FATAL").unwrap().contains("`dmesg`"));
    }

    /// (Planted: memory or a device is blamed for a revoked exposure.)
    #[test]
    fn a_loss_names_the_completion_status_and_the_vendor_error() {
        let said = |status, vendor| {
            let losses = Losses::of(1);
            losses.note_refusal(0, Refusal { status, vendor });
            losses.of_peer(0).unwrap().in_words(None, "").unwrap()
        };
        let silent = said(12, 0x81);
        assert!(silent.starts_with("ibv_post_send: the peer does not answer; "), "{silent}");
        assert!(silent.ends_with(" (status 12 of the completion, vendor error 0x81)"), "{silent}");
        let unknown = said(22, 0);
        assert!(unknown.contains("the device refuses it") && unknown.contains("status 22 "));
        let refused = said(10, 0x88);
        assert!(refused.contains("revoked its") && !refused.contains("at fault"), "{refused}");
    }

    #[test]
    fn the_first_cause_of_a_loss_is_kept() {
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
        assert_eq!(
            losses.of_peer(1),
            Some(Loss { verb: "ibv_post_send", why: "first", refusal: None })
        );
        assert!(!losses.has(2));
    }
}
