//! One end of a connection over which frames may be lost, repeated, late and out of order: the
//! frames to send, and when; the frames that have come, and which of them is next.
//!
//! Pure: frames and the time are handed in (`handle_…`), frames and deadlines are taken out
//! (`poll_…`). It holds numbers only. The messages that wait for their acknowledgement, and those
//! that came before their turn, are kept by its owner, at places that follow from the numbers
//! ([`Connection::window`], [`Connection::capacity`]): so memory is bounded.
//!
//! - A frame keeps its number until it is acknowledged. The oldest is sent again when its time is
//!   up, and then less and less often, until the peer answers.
//! - Acknowledgements are cumulative, and travel with whatever is sent; alone they go after a
//!   while, or at once where the peer would else wait: for something that is out of order or
//!   repeated, and for half a window.
//! - What comes before its turn is kept. What has come already is known by its number.
//! - The receiver says how far there are receive descriptors, cumulatively. A sender that lacks
//!   room asks from time to time, since what would tell it may be lost.
//! - A peer that answers nothing at all for so many tries is lost.
//!
//! Numbers are 64 bits, and of these 32 go over the wire: a frame that is late by less than 2^31
//! frames is known for what it is.
//!
//! Keeps rules NET-1 and SAFE-1 of SEMANTICS.md.

use std::collections::VecDeque;
use std::time::Duration;

use super::wire::{Header, Kind};

/// A moment: the time since the owner of a connection began.
pub type Moment = Duration;

/// How patient a connection is. Both ends may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timeouts {
    /// How long a frame may stay without an answer before it is sent again, at first.
    pub first_timeout: Duration,
    /// The same at most, after many tries.
    pub longest_timeout: Duration,
    /// How long an acknowledgement waits for something to travel with.
    pub ack_delay: Duration,
    /// After how many tries without any answer a peer is lost. A rank that computes without calling
    /// the runtime answers nothing.
    pub tries: u32,
}

impl Default for Timeouts {
    /// Some five minutes until a peer is lost.
    fn default() -> Self {
        Self {
            first_timeout: Duration::from_millis(2),
            longest_timeout: Duration::from_millis(250),
            ack_delay: Duration::from_micros(200),
            tries: 1200,
        }
    }
}

/// What no peer can have sent that keeps to the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// It acknowledges a frame that was never sent.
    #[error("acknowledgement")]
    Ack,
    /// It has more room than there are descriptors, or less than it has taken.
    #[error("number of receive descriptors")]
    Room,
    /// Its number is beyond the room that it was told of.
    #[error("number of a frame")]
    Number,
}

/// What has become of a frame that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A message that had not come before: its owner keeps it at the place of this number.
    New(u64),
    /// Nothing to be kept: no message, or one that has come before.
    Nothing,
}

/// A frame to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// What stands in front of it.
    pub header: Header,
    /// The number of the message that it carries.
    pub message: Option<u64>,
}

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Connection {
    timeouts: Timeouts,
    window: u64,
    sending: Sending,
    receiving: Receiving,
    is_lost: bool,
}

/// What goes out. `acked <= sent <= next`, and `sent <= room`; `next` is at most a window beyond
/// `room`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sending {
    /// All before it have come there.
    acked: u64,
    /// All before it have been sent at least once.
    sent: u64,
    /// The number of the next message.
    next: u64,
    /// All before it have a descriptor there.
    room: u64,
    /// When something is to be said again; as long as something is to be answered.
    repeat_at: Option<Moment>,
    /// How long that lasts now.
    timeout: Duration,
    /// Tries since the peer was last heard.
    tries: u32,
    /// What was sent when something was last sent again: until that is acknowledged, each gap is
    /// filled at once.
    recover: u64,
    /// The oldest is to be sent again now.
    fills_gap: bool,
    /// The layer above was refused for want of room.
    wants_room: bool,
    /// There is room again.
    has_new_room: bool,
    /// An answer is wanted, whatever it says.
    wants_answer: bool,
}

/// What comes in. `reposted <= delivered <= expected`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Receiving {
    /// All before it have come.
    expected: u64,
    /// Which have come of those from `expected` on; the first has not.
    early: VecDeque<bool>,
    /// All before it were handed to the layer above.
    delivered: u64,
    /// How many descriptors were posted again, counted as numbers are.
    reposted: u64,
    /// Up to where the peer was told that there is room.
    told_room: u64,
    /// Up to where it was told that all has come.
    told_ack: u64,
    /// When it is to be told.
    ack_at: Option<Moment>,
}

impl Connection {
    /// A connection with receive descriptors for `window` messages at each end, at least one. Both
    /// ends number their messages from `first` on.
    pub fn new(window: u32, first: u64, timeouts: Timeouts) -> Connection {
        let window = u64::from(window.max(1));
        let room = first + window;
        Connection {
            timeouts,
            window,
            sending: Sending {
                acked: first,
                sent: first,
                next: first,
                room,
                repeat_at: None,
                timeout: timeouts.first_timeout,
                tries: 0,
                recover: first,
                fills_gap: false,
                wants_room: false,
                has_new_room: false,
                wants_answer: false,
            },
            receiving: Receiving {
                expected: first,
                early: VecDeque::with_capacity(window as usize),
                delivered: first,
                reposted: first,
                told_room: room,
                told_ack: first,
                ack_at: None,
            },
            is_lost: false,
        }
    }

    /// How many messages the owner keeps at most of those that have come: two that it keeps at once
    /// differ in their numbers by less.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// The same of those that were posted.
    pub fn capacity(&self) -> u64 {
        2 * self.window
    }

    /// Whether one more message can be taken on. A window of them may wait here for room: a peer's
    /// layer above may have told that of this end about its descriptors, on another VI, before this
    /// end hears of them.
    pub fn can_post(&self) -> bool {
        self.sending.next < self.sending.room + self.window
    }

    /// Takes a message on, if [`can_post`](Self::can_post), and returns its number. It is kept
    /// until it is acknowledged, or, which is as long, until its place is wanted.
    pub fn handle_post(&mut self, now: Moment) -> u64 {
        debug_assert!(self.can_post(), "a message was posted without room for it");
        let number = self.sending.next;
        self.sending.next += 1;
        self.ask_in_time(now);
        number
    }

    /// The layer above had a message and no room for it: it is to be told when there is.
    pub fn handle_refused(&mut self, now: Moment) {
        self.sending.wants_room = true;
        self.ask_in_time(now);
    }

    /// It is to be found out whether the peer is there.
    pub fn handle_doubt(&mut self, now: Moment) {
        self.sending.wants_answer = true;
        self.ask_in_time(now);
    }

    fn ask_in_time(&mut self, now: Moment) {
        let sending = &mut self.sending;
        sending.repeat_at.get_or_insert(now + sending.timeout);
    }

    /// A frame has come.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if no peer can have sent it that keeps to the protocol. Nothing has changed
    /// then.
    pub fn handle_frame(&mut self, now: Moment, header: &Header) -> Result<Taken, Impossible> {
        let (sending, receiving) = (&self.sending, &self.receiving);
        // What is late says less than is known; nothing can say more than was sent.
        let ack = unwrap(header.ack, sending.acked).ok_or(Impossible::Ack)?;
        if ack > sending.sent {
            return Err(Impossible::Ack);
        }
        let room = u64::from(header.room.wrapping_sub(header.ack));
        if room > self.window {
            return Err(Impossible::Room);
        }
        let number = match header.kind {
            Kind::Data => {
                let number = unwrap(header.number, receiving.expected);
                let number = number.filter(|&number| number < receiving.told_room);
                Some(number.ok_or(Impossible::Number)?)
            }
            _ => None,
        };
        self.note_answer(now, ack, ack + room);
        match number {
            Some(number) => Ok(self.receiving.take(now, number, self.window, &self.timeouts)),
            None => {
                if header.kind == Kind::Ask {
                    self.receiving.ack_at = Some(now);
                }
                Ok(Taken::Nothing)
            }
        }
    }

    fn note_answer(&mut self, now: Moment, ack: u64, room: u64) {
        let sending = &mut self.sending;
        sending.tries = 0;
        sending.wants_answer = false;
        if ack > sending.acked {
            sending.acked = ack;
            sending.timeout = self.timeouts.first_timeout;
            sending.fills_gap = ack < sending.recover;
            sending.repeat_at = Some(now + sending.timeout);
        }
        if room > sending.room {
            sending.room = room;
        }
        if sending.wants_room && self.can_post() {
            self.sending.wants_room = false;
            self.sending.has_new_room = true;
        }
        if !self.sending.wants_something() {
            self.sending.repeat_at = None;
            self.sending.timeout = self.timeouts.first_timeout;
        }
    }

    /// The number of the next message for the layer above, if it has come.
    pub fn poll_deliver(&mut self) -> Option<u64> {
        let receiving = &mut self.receiving;
        let number = (receiving.delivered < receiving.expected).then_some(receiving.delivered)?;
        receiving.delivered += 1;
        Some(number)
    }

    /// How many messages wait to be [delivered](Self::poll_deliver).
    pub fn deliverable(&self) -> u64 {
        self.receiving.expected - self.receiving.delivered
    }

    /// The layer above has posted the descriptor of a delivered message again.
    pub fn handle_repost(&mut self, now: Moment) {
        let receiving = &mut self.receiving;
        if receiving.reposted < receiving.delivered {
            receiving.reposted += 1;
            receiving.tell(now, self.window, &self.timeouts);
        }
    }

    /// The next frame to be sent now, if there is one. It counts as sent, whatever becomes of it.
    /// None does not say that the peer is [there](Self::is_lost).
    pub fn poll_transmit(&mut self, now: Moment) -> Option<Transmit> {
        if self.is_lost {
            return None;
        }
        let sending = &mut self.sending;
        let is_due = |at: Option<Moment>| at.is_some_and(|at| at <= now);
        if sending.sent < sending.next.min(sending.room) {
            let number = sending.sent;
            sending.sent += 1;
            sending.repeat_at.get_or_insert(now + sending.timeout);
            return Some(self.frame(Kind::Data, Some(number)));
        }
        if sending.fills_gap {
            sending.fills_gap = false;
            let number = sending.acked;
            return Some(self.frame(Kind::Data, Some(number)));
        }
        if is_due(sending.repeat_at) {
            if sending.tries >= self.timeouts.tries {
                self.is_lost = true;
                return None;
            }
            sending.tries += 1;
            sending.timeout = (sending.timeout * 2).min(self.timeouts.longest_timeout);
            sending.repeat_at = Some(now + sending.timeout);
            sending.recover = sending.sent;
            let oldest = (sending.acked < sending.sent).then_some(sending.acked);
            let kind = if oldest.is_some() { Kind::Data } else { Kind::Ask };
            return Some(self.frame(kind, oldest));
        }
        is_due(self.receiving.ack_at).then(|| self.frame(Kind::Ack, None))
    }

    /// What the peer is to be told is not put off any longer: nothing will come with which it could
    /// travel.
    pub fn handle_leaving(&mut self, now: Moment) {
        self.receiving.ack_at = self.receiving.ack_at.map(|at| at.min(now));
    }

    /// The last that the peer hears.
    pub fn farewell(&mut self) -> Transmit {
        self.frame(Kind::Farewell, None)
    }

    fn frame(&mut self, kind: Kind, message: Option<u64>) -> Transmit {
        let receiving = &mut self.receiving;
        (receiving.told_ack, receiving.ack_at) = (receiving.expected, None);
        receiving.told_room = receiving.reposted + self.window;
        // The low bits go over the wire.
        let low = |number: u64| number as u32;
        let header = Header {
            kind,
            number: message.map_or(0, low),
            ack: low(receiving.told_ack),
            room: low(receiving.told_room),
        };
        Transmit { header, message }
    }

    /// When to [poll](Self::poll_transmit) again at the latest, if nothing else happens.
    pub fn poll_timeout(&self) -> Option<Moment> {
        if self.is_lost {
            return None;
        }
        let sending = &self.sending;
        if sending.sent < sending.next.min(sending.room) || sending.fills_gap {
            return Some(Moment::ZERO);
        }
        sending.repeat_at.into_iter().chain(self.receiving.ack_at).min()
    }

    /// Whether there is room again that the layer above [was refused](Self::handle_refused). Said
    /// once.
    pub fn take_new_room(&mut self) -> bool {
        std::mem::take(&mut self.sending.has_new_room)
    }

    /// Whether all messages that were posted have come there.
    pub fn is_settled(&self) -> bool {
        self.sending.acked == self.sending.next
    }

    /// Whether the peer has answered nothing for as many tries as it may.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The peer is known to have gone: nothing is sent to it any more, and nothing owed. What has
    /// come stays.
    pub fn handle_gone(&mut self) {
        let sending = &mut self.sending;
        (sending.acked, sending.sent) = (sending.next, sending.next);
        (sending.wants_room, sending.wants_answer, sending.fills_gap) = (false, false, false);
        sending.repeat_at = None;
        self.receiving.ack_at = None;
        self.is_lost = true;
    }
}

impl Sending {
    fn wants_something(&self) -> bool {
        self.acked < self.next || self.wants_room || self.wants_answer
    }
}

impl Receiving {
    fn take(&mut self, now: Moment, number: u64, window: u64, timeouts: &Timeouts) -> Taken {
        let place = number.checked_sub(self.expected).map(|place| place as usize);
        let Some(place) = place.filter(|&place| self.early.get(place) != Some(&true)) else {
            // The peer lacks the acknowledgement.
            self.ack_at = Some(now);
            return Taken::Nothing;
        };
        if self.early.len() <= place {
            self.early.resize(place + 1, false);
        }
        self.early[place] = true;
        while self.early.front() == Some(&true) {
            self.early.pop_front();
            self.expected += 1;
        }
        if place > 0 {
            // Another is missing, or late.
            self.ack_at = Some(now);
        }
        self.tell(now, window, timeouts);
        Taken::New(number)
    }

    /// The peer is to be told the news of this end: soon, or at once where it may wait for that.
    fn tell(&mut self, now: Moment, window: u64, timeouts: &Timeouts) {
        let news = (self.expected - self.told_ack).max(self.reposted + window - self.told_room);
        let delay = if 2 * news >= window { Duration::ZERO } else { timeouts.ack_delay };
        let at = now + delay;
        self.ack_at = Some(self.ack_at.map_or(at, |before| before.min(at)));
    }
}

/// The full number of which `low` are the low 32 bits: the one nearest to `near`. None if that
/// would be negative.
fn unwrap(low: u32, near: u64) -> Option<u64> {
    // The difference, as a signed number of 32 bits.
    let ahead = low.wrapping_sub(near as u32) as i32;
    near.checked_add_signed(i64::from(ahead))
}

// Pure: there is nothing in it for loom.
#[cfg(all(test, not(loom)))]
mod model;
