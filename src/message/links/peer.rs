//! One peer: credit, what was noted on the fast path, what it is to be told, and its end.
//!
//! Keeps rules FLOW-1, FLOW-2 and END-2 of SEMANTICS.md.
//!
//! The fields are the links' alone. Others look at a peer, and change it by what they tell
//! [`Links`](super::Links).

use super::credit::Credit;
use super::due::{Answer, Due};
use super::outbox::Outbox;
use super::presence::{Presence, Traffic};
use crate::message::config::{BULK, Config, EAGER, SIGNAL};
use crate::message::control::Control;
use crate::message::header::Template;
use crate::message::matching::Context;
use crate::order::{Clock, Epoch, GroupId};
use crate::verbs::Cq;

/// The last short message to a peer that was sent on the fast path; see `engine/templates.rs`.
#[derive(Debug)]
pub(super) struct SentHeader {
    /// The version of the order core at that time.
    pub(super) version: u64,
    /// Its stamp.
    pub(super) stamp: Clock,
}

/// The last short message from a peer that was received on the fast path; see `engine/templates.rs`.
#[derive(Debug)]
pub(super) struct ReceivedHeader {
    /// The version of the order core at that time.
    pub(super) version: u64,
    /// Its context.
    pub(super) context: Context,
    /// What the next one's header will have in common with it.
    pub(super) template: Template,
}

/// The order core never has this version.
pub(in crate::message) const NEVER: u64 = 0;

/// What a rank knows of one peer.
#[derive(Debug)]
#[repr(C)]
pub(in crate::message) struct Peer {
    // All that the fast path touches: the first two cache lines.
    pub(super) last_sent: SentHeader,
    pub(super) eager: Credit,
    pub(super) last_received: ReceivedHeader,
    pub(super) fills_matched: bool,

    pub(super) bulk: Credit,
    pub(super) signal: Credit,
    pub(super) due: Due,
    pub(super) outbox: Outbox,
    /// How many messages had been sent to it when it was last woken about them.
    pub(super) woken_after: u64,
    pub(super) presence: Presence,
    /// A query is due or was sent, and is not answered.
    pub(super) is_asked: bool,
    /// The answer to that will be out of date: this question follows it.
    pub(super) ask_again: Option<Control>,
    /// What it said when it was last asked.
    pub(super) answer: Option<Answer>,
}

impl Peer {
    pub(super) fn new(config: &Config, lossy: bool) -> Peer {
        Peer {
            last_sent: SentHeader { version: NEVER, stamp: 0 },
            eager: Credit::new(Some(config.window_messages)),
            last_received: ReceivedHeader {
                version: NEVER,
                context: Context::WORLD,
                template: Template::NONE,
            },
            fills_matched: false,
            bulk: Credit::new(Some(config.bulk_window)),
            // Nobody can count what may be lost; what is too much is lost and asked for again.
            signal: Credit::new((!lossy).then_some(config.signal_window)),
            due: Due::default(),
            outbox: Outbox::default(),
            woken_after: 0,
            presence: Presence::new(),
            is_asked: false,
            ask_again: None,
            answer: None,
        }
    }

    #[inline(always)]
    fn credit(&self, cq: Cq) -> &Credit {
        match cq {
            SIGNAL => &self.signal,
            EAGER => &self.eager,
            BULK => &self.bulk,
            _ => unreachable!("control frames have no credit"),
        }
    }

    #[inline(always)]
    pub(super) fn credit_mut(&mut self, cq: Cq) -> &mut Credit {
        match cq {
            SIGNAL => &mut self.signal,
            EAGER => &mut self.eager,
            BULK => &mut self.bulk,
            _ => unreachable!("control frames have no credit"),
        }
    }

    /// Whether there is credit for one more frame on a queue.
    #[inline(always)]
    pub(in crate::message) fn has_credit(&self, cq: Cq) -> bool {
        self.credit(cq).window.is_open()
    }

    /// How far it has got with leaving.
    pub(in crate::message) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// What it said since it was last asked.
    pub(in crate::message) fn answer(&self) -> Option<Answer> {
        self.answer
    }

    /// The latest epoch of a group that it has entered, by its answer, if it was asked about that.
    pub(in crate::message) fn answer_about(&self, group: GroupId) -> Option<Epoch> {
        self.answer.filter(|said| said.group == group).map(|said| said.entered)
    }

    /// Descriptors may be held by messages of it that posted receives have matched.
    #[inline(always)]
    pub(in crate::message) fn fills_matched(&self) -> bool {
        self.fills_matched
    }

    /// Whether it has little room left for messages to this rank.
    pub(in crate::message) fn is_crowded(&self) -> bool {
        self.eager.returns.is_crowded()
    }

    /// What was received from it.
    pub(super) fn received(&self) -> Traffic {
        Traffic { eager: self.eager.returns.received(), bulk: self.bulk.returns.received() }
    }

    /// Nothing more will come from it than was received already.
    pub(in crate::message) fn is_exhausted(&self) -> bool {
        self.presence.is_exhausted(self.received())
    }

    /// Whether something was sent to it since it was last woken, which now counts as done.
    pub(super) fn poll_wake(&mut self) -> bool {
        let sent = self.eager.window.sent();
        std::mem::replace(&mut self.woken_after, sent) != sent
    }
}
