//! How far a peer has got with leaving its world, by its own words and by what the network shows.
//!
//! Keeps rules END-1, END-2 and SAFE-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A peer says *closing*, once or, if it fails afterwards, twice; then *ended*, once. Each word has
//! one transition here, and a word out of that order is a violation. A peer is lost when its
//! interface is closed and not all is here that it had to say. Its last words may lie in the inbox
//! while its interface is closed already. So a rank that sees it closed looks at the inbox once
//! more, and judges when it sees that again ([`Presence::handle_seen_closed`]).
//!
//! A lost peer stays lost. Words of it that are found later change nothing of that; they tell why.

use crate::message::control::Cause;
use crate::message::error::Violation;
use crate::order::Clock;

/// What a peer says when its program has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Closing {
    /// How many barriers it has called that include this rank; of one that failed, how many of them
    /// can complete without it.
    pub(in crate::message) clock: Clock,
    /// Its program has failed.
    pub(in crate::message) failed: bool,
    /// What it lacked itself.
    pub(in crate::message) cause: Option<Cause>,
}

/// How many messages a peer has sent to this rank, or this rank has received from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Eager messages, and requests.
    pub(super) eager: u64,
    /// Segments of payloads, and words about exposed ones.
    pub(super) bulk: u64,
}

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Its program runs.
    Present,
    /// Its program has returned, and its runtime goes on until it owes nothing.
    Closing(Closing),
    /// It has said its last word: so much had it sent.
    Ended(Closing, Traffic),
    /// Its interface was closed before all was here that it had to say.
    Lost(Option<Closing>),
}

/// How often its interface was seen closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interface {
    Open,
    /// Once: its last words may lie in the inbox.
    SeenClosed,
    /// Again, after a look at the inbox.
    Closed,
}

/// How far a peer has got with leaving.
#[derive(Debug)]
pub(in crate::message) struct Presence {
    standing: Standing,
    interface: Interface,
    /// A post to it, or a read from it, has failed.
    has_failed: bool,
}

impl Presence {
    /// Of a peer of which nothing was heard.
    pub(super) fn new() -> Presence {
        Presence { standing: Standing::Present, interface: Interface::Open, has_failed: false }
    }

    /// What it said when its program had returned, if it has said that.
    pub(in crate::message) fn closing(&self) -> Option<Closing> {
        match self.standing {
            Standing::Present => None,
            Standing::Closing(closing) | Standing::Ended(closing, _) => Some(closing),
            Standing::Lost(closing) => closing,
        }
    }

    /// Whether it has gone without saying so.
    pub(in crate::message) fn is_lost(&self) -> bool {
        matches!(self.standing, Standing::Lost(_))
    }

    /// Whether it has said its last word, and all that it sent can come still.
    pub(in crate::message) fn has_ended(&self) -> bool {
        matches!(self.standing, Standing::Ended(..))
    }

    /// Whether it has gone, orderly or not.
    pub(in crate::message) fn is_gone(&self) -> bool {
        self.is_lost() || self.has_ended()
    }

    /// Whether its program runs, as far as is known.
    pub(in crate::message) fn is_present(&self) -> bool {
        self.standing == Standing::Present
    }

    /// Whether it has ended, its interface is closed, and all that it sent was looked at.
    pub(in crate::message) fn has_departed(&self) -> bool {
        self.has_ended() && self.interface == Interface::Closed
    }

    /// Whether a post to it, or a read from it, has failed.
    pub(in crate::message) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Whether nothing more will come from it than the `received`.
    pub(super) fn is_exhausted(&self, received: Traffic) -> bool {
        match self.standing {
            Standing::Present | Standing::Closing(_) => false,
            Standing::Ended(_, sent) => received.eager >= sent.eager && received.bulk >= sent.bulk,
            Standing::Lost(_) => true,
        }
    }

    /// Whether more was `received` than it had sent, by its last word.
    pub(super) fn is_exceeded(&self, received: Traffic) -> bool {
        match self.standing {
            Standing::Ended(_, sent) => received.eager > sent.eager || received.bulk > sent.bulk,
            _ => false,
        }
    }

    /// Its program has returned. The second time it takes back what it had promised: it has failed
    /// since.
    pub(super) fn handle_closing(&mut self, closing: Closing) -> Result<(), Violation> {
        let is_news = |before: Closing| closing.failed && !before.failed;
        self.standing = match self.standing {
            Standing::Present => Standing::Closing(closing),
            Standing::Closing(before) if is_news(before) => Standing::Closing(closing),
            Standing::Lost(before) if before.is_none_or(is_news) => Standing::Lost(Some(closing)),
            _ => return Err(Violation::EndOutOfOrder),
        };
        Ok(())
    }

    /// It says its last word: so much it `sent`, of which so much was `received`.
    pub(super) fn handle_ended(
        &mut self,
        sent: Traffic,
        received: Traffic,
    ) -> Result<(), Violation> {
        match self.standing {
            Standing::Closing(_) if sent.eager < received.eager || sent.bulk < received.bulk => {
                Err(Violation::AfterEnd)
            }
            Standing::Closing(closing) => {
                self.standing = Standing::Ended(closing, sent);
                Ok(())
            }
            // Too late to change anything.
            Standing::Lost(Some(_)) => Ok(()),
            _ => Err(Violation::EndOutOfOrder),
        }
    }

    /// A post to it, or a read from it, has failed. Whether it has ended or is lost can be said after
    /// a look at what it sent.
    pub(super) fn handle_failure(&mut self) {
        self.has_failed = true;
    }

    /// Its interface is closed. Returns whether that was seen before, and its inbox looked at since.
    pub(super) fn handle_seen_closed(&mut self) -> bool {
        let was_seen = self.interface != Interface::Open;
        self.interface = if was_seen { Interface::Closed } else { Interface::SeenClosed };
        was_seen
    }

    /// Its interface is closed, and all that it sent was looked at: so much was `received`. Returns
    /// whether it is lost by that, which it was not before.
    pub(super) fn handle_gone(&mut self, received: Traffic) -> bool {
        if self.is_exhausted(received) {
            return false;
        }
        self.standing = Standing::Lost(self.closing());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Traffic = Traffic { eager: 0, bulk: 0 };
    const SOME: Traffic = Traffic { eager: 3, bulk: 1 };

    fn closing(failed: bool) -> Closing {
        Closing { clock: 5, failed, cause: None }
    }

    fn closed(failed: bool) -> Presence {
        let mut peer = Presence::new();
        peer.handle_closing(closing(failed)).unwrap();
        peer
    }

    // SEMANTICS: END-1
    #[test]
    fn a_peer_that_ends_is_exhausted_when_all_that_it_sent_is_here() {
        let mut peer = closed(false);
        assert!(!peer.is_present() && !peer.is_gone() && !peer.is_exhausted(SOME));
        peer.handle_ended(SOME, NONE).unwrap();
        assert!(peer.is_gone() && !peer.is_lost());
        for missing in [Traffic { eager: 2, ..SOME }, Traffic { bulk: 0, ..SOME }] {
            assert!(!peer.is_exhausted(missing) && !peer.is_exceeded(missing));
        }
        assert!(peer.is_exhausted(SOME) && !peer.is_exceeded(SOME));
        assert!(peer.is_exceeded(Traffic { bulk: 2, ..SOME }));
        assert!(!peer.handle_gone(SOME) && !peer.is_lost());
    }

    // SEMANTICS: END-2
    #[test]
    fn a_peer_whose_last_words_are_missing_is_lost_and_stays_so() {
        let mut ended = closed(false);
        ended.handle_ended(SOME, NONE).unwrap();
        for mut peer in [Presence::new(), closed(false), closed(true), ended] {
            let said = peer.closing();
            assert!(peer.handle_gone(NONE) && !peer.handle_gone(NONE));
            assert!(peer.is_lost() && peer.is_gone() && peer.is_exhausted(NONE));
            assert_eq!(peer.closing(), said);
            assert!(!peer.has_ended() && !peer.has_departed());
        }
        let mut late = Presence::new();
        late.handle_gone(NONE);
        late.handle_closing(closing(false)).unwrap();
        late.handle_ended(SOME, NONE).unwrap();
        assert!(late.is_lost() && late.closing().is_some());
    }

    #[test]
    fn a_closed_interface_is_judged_at_the_second_look() {
        let mut peer = closed(false);
        assert!(!peer.handle_seen_closed() && !peer.has_departed());
        peer.handle_ended(NONE, NONE).unwrap();
        assert!(!peer.has_departed());
        assert!(peer.handle_seen_closed() && peer.has_departed());
    }

    // SEMANTICS: SAFE-1
    #[test]
    fn words_out_of_order_are_refused_and_change_nothing() {
        let refused = Err(Violation::EndOutOfOrder);
        assert_eq!(Presence::new().handle_ended(NONE, NONE), refused);
        assert_eq!(closed(false).handle_closing(closing(false)), refused);
        assert_eq!(closed(true).handle_closing(closing(true)), refused);
        assert_eq!(closed(true).handle_closing(closing(false)), refused);
        assert_eq!(closed(false).handle_closing(closing(true)), Ok(()));
        let mut peer = closed(false);
        assert_eq!(peer.handle_ended(NONE, SOME), Err(Violation::AfterEnd));
        assert!(!peer.is_gone());
        peer.handle_ended(SOME, SOME).unwrap();
        assert_eq!(peer.handle_ended(SOME, SOME), refused);
        assert_eq!(peer.handle_closing(closing(true)), refused);
        assert_eq!(peer.closing(), Some(closing(false)));
        let mut lost = Presence::new();
        lost.handle_gone(NONE);
        assert_eq!(lost.handle_ended(NONE, NONE), refused);
    }
}
