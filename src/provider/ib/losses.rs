//! Which peers are lost, and by what that was noticed.

use std::cell::Cell;

use super::device::{EVENTS, MUTE};
use crate::order::Rank;
use crate::sys::ibverbs::{REFUSED, Refusal, SILENT};

/// What has shown that a peer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    /// The verb.
    pub(super) verb: &'static str,
    /// What became of it.
    pub(super) why: &'static str,
    /// What the device says of it, if it was a request that has failed.
    refusal: Option<Refusal>,
}

impl Loss {
    /// For users, with what helps. None if the launcher has noticed it, which says more itself.
    /// `port` is the fault of the port of this rank, if it has one; `sent` how it sends, if
    /// that is not as usual.
    pub(super) fn in_words(self, port: Option<&str>, sent: &str) -> Option<String> {
        if self.verb == LAUNCHER {
            return None;
        }
        let remedy = match self.why {
            SILENT => {
                let way = port.map_or(
                    "its host may be down, or the way there: check cable and port of its device".into(),
                    |port| format!("{port}: check its cable, and what stands at the other end of that"),
                );
                let sent = if sent.is_empty() { "" } else { &format!("; it was asked {sent}") };
                format!("{way}, `runahead info` lists them{sent}")
            }
            FOLLOWED => {
                "the device here has given up the connection: the kernel's log may say why (`dmesg`)".into()
            }
            REFUSED => {
                "it may have failed, and so revoked what it had exposed; what its own rank says comes first".into()
            }
            _ if self.is_told_by_device() || self.why == MUTE => {
                "the kernel's log may say why (`dmesg`)".into()
            }
            _ => "its memory or a device is at fault, and not the program".to_owned(),
        };
        let said = self.refusal.map_or(String::new(), |Refusal { status, vendor }| {
            format!(" (status {status} of the completion, vendor error {vendor:#x})")
        });
        Some(format!("{}: {}; {remedy}{said}", self.verb, self.why))
    }

    /// Whether nobody has answered.
    pub(super) fn is_silence(self) -> bool {
        self.why == SILENT
    }

    /// Whether the own device has told it.
    pub(super) fn is_told_by_device(self) -> bool {
        self.verb == EVENTS
    }
}

/// What stands for the verb where the launcher has said it.
pub(super) const LAUNCHER: &str = "the launcher";

/// Why a request was not even tried.
const FOLLOWED: &str = "its queue pair has failed";

/// What a device has said is not so.
pub(super) const UNREAD: &str = "the device says that a read is done of which nothing has come";

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

    /// The peer is lost. What has shown it first counts, unless that only followed from something
    /// else.
    pub(super) fn note(&self, peer: Rank, verb: &'static str, why: &'static str) {
        self.keep(peer, Loss { verb, why, refusal: None });
    }

    /// The same, by a request that was posted and has failed.
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

    /// The peer is lost, as requests to it come back that were not even tried: by what, is yet to
    /// be told.
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
    fn users_are_told_verb_reason_and_remedy() {
        let said = |verb, why| Loss { verb, why, refusal: None }.in_words(None, "");
        assert_eq!(said(LAUNCHER, "its process has ended"), None);
        let silent = said("ibv_post_send", SILENT).unwrap();
        assert!(silent.starts_with("ibv_post_send: the peer does not answer; "), "{silent}");
        assert!(silent.contains("cable"), "{silent}");
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

    /// (Planted: a memory or a device that is blamed for an exposure that was revoked.)
    #[test]
    fn what_the_device_says_is_told() {
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
        assert!(refused.contains("revoked what") && !refused.contains("at fault"), "{refused}");
    }

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
        assert_eq!(
            losses.of_peer(1),
            Some(Loss { verb: "ibv_post_send", why: "first", refusal: None })
        );
        assert!(!losses.has(2));
    }
}
