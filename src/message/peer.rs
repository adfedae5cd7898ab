//! What a rank knows of one peer: windows, what it is to be told, and its end.
//!
//! Plain state; the engine and its operations move it.

use super::config::Config;
use super::control::Control;
use super::credit::{Returns, Window};
use super::header::Template;
use super::matching::Context;
use super::presence::{Presence, Traffic};
use super::waiting::Activity;
use crate::order::{Clock, Epoch, GroupId};

/// What a rank says when it is asked where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The group that it was asked for, and the latest epoch that it has entered there.
    pub(super) group: GroupId,
    pub(super) entered: Epoch,
    pub(super) activity: Activity,
}

/// Control frames that a peer has yet to get.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// Stands in the engine's list of peers with something due.
    pub(super) listed: bool,
    pub(super) credit: bool,
    /// Payloads that it had exposed were read. (That goes with the payload, where it takes credit.)
    pub(super) reads: bool,
    pub(super) clear_to_send: Option<u32>,
    pub(super) query: Option<Control>,
    pub(super) answer: Option<Answer>,
    pub(super) closing: Option<Control>,
    pub(super) ended: Option<Control>,
}

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
pub(super) const NEVER: u64 = 0;

/// What a rank knows of one peer.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) last_sent: SentHeader,
    pub(super) last_received: ReceivedHeader,
    pub(super) eager: Window,
    pub(super) signal: Window,
    pub(super) bulk: Window,
    pub(super) eager_returns: Returns,
    pub(super) signal_returns: Returns,
    pub(super) bulk_returns: Returns,
    /// Descriptors may be held by messages of it that posted receives have matched.
    pub(super) fills_matched: bool,

    /// It receives nothing more: what has not left never will.
    pub(super) cut: bool,
    /// How many messages had been sent to it when it was last woken about them.
    pub(super) woken_after: u64,

    pub(super) due: Due,
    /// A query is due or was sent, and is not answered.
    pub(super) asked: bool,
    /// The answer to it will be old: ask once more then.
    pub(super) ask_again: Option<Control>,
    /// What it said when it was last asked.
    pub(super) answered: Option<Answer>,
    /// How far it has got with leaving.
    pub(super) presence: Presence,
}

impl Peer {
    pub(super) fn new(config: &Config) -> Peer {
        Peer {
            last_sent: SentHeader { version: NEVER, stamp: 0 },
            last_received: ReceivedHeader {
                version: NEVER,
                context: Context::WORLD,
                template: Template::NONE,
            },
            eager: Window::new(Some(config.window_messages)),
            signal: Window::new(Some(config.signal_window)),
            bulk: Window::new(Some(config.bulk_window)),
            eager_returns: Returns::new(config.window_messages),
            signal_returns: Returns::new(config.signal_window),
            bulk_returns: Returns::new(config.bulk_window),
            fills_matched: false,
            cut: false,
            woken_after: 0,
            due: Due::default(),
            asked: false,
            ask_again: None,
            answered: None,
            presence: Presence::new(),
        }
    }

    /// What the next message of it will be like is not known from the last one on the fast path: another has come
    /// since, or stands before it.
    #[inline]
    pub(super) fn forget_received_header(&mut self) {
        self.last_received.version = NEVER;
    }

    /// What was received from it.
    pub(super) fn received(&self) -> Traffic {
        Traffic { eager: self.eager_returns.received(), bulk: self.bulk_returns.received() }
    }

    /// Nothing more will come from it than was received already.
    pub(super) fn is_exhausted(&self) -> bool {
        self.presence.is_exhausted(self.received())
    }

    /// More has come from it than it had sent, by its last word.
    pub(super) fn is_exceeded(&self) -> bool {
        self.presence.is_exceeded(self.received())
    }

    /// Whether something was sent to it since it was last woken, which now counts as done.
    pub(super) fn is_to_be_woken(&mut self) -> bool {
        let sent = self.eager.sent();
        std::mem::replace(&mut self.woken_after, sent) != sent
    }
}
