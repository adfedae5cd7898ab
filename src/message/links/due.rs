//! What peers are to be told: control frames, questions and answers, and which payloads were read.
//!
//! Keeps rules FLOW-2 and HANG-1 of SEMANTICS.md.
//!
//! A peer is to get at most one control frame of each kind: a newer one says all that the older one
//! would have said. Each returns the credit of all queues.

use std::collections::VecDeque;

use super::{Links, Peer};
use crate::message::control::{Control, FRAME_BYTES, Returned};
use crate::message::matching::Context;
use crate::message::obstacles::Obstacles;
use crate::message::waiting::Activity;
use crate::order::{Epoch, GroupId, Rank};
use crate::verbs::PostError;

/// A frame that a peer is to get now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum DueFrame {
    /// On the control queue.
    Control([u8; FRAME_BYTES]),
    /// On the queue BULK: which payloads that it had exposed were read.
    Reads,
    /// On the queue BULK: that receives have met messages of it.
    Confirmed(Confirmed),
}

/// Receives have met so many messages of this context and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Confirmed {
    pub(in crate::message) context: Context,
    pub(in crate::message) tag: u32,
    pub(in crate::message) count: u32,
}

/// For so many confirmations at most the room of a peer's is kept.
const KEPT_CONFIRMED: usize = 64;

/// What a peer has yet to be told.
#[derive(Debug, Default)]
pub(super) struct Due {
    /// It stands in the list of peers with something due.
    pub(super) is_listed: bool,
    /// Payloads that it had exposed were read. (That goes with the payload, where it takes credit.)
    pub(super) reads: bool,
    /// Messages of it that receives have met, in this order.
    #[expect(clippy::box_collection, reason = "most peers have none, and each has a word for it")]
    confirmed: Option<Box<VecDeque<Confirmed>>>,
    /// What this rank has consumed; every control frame says it.
    credit: bool,
    /// At most one other control frame of each kind, the most urgent first.
    frames: Vec<Control>,
}

impl Due {
    /// Puts a control frame in the place of an older one of its kind.
    pub(super) fn put(&mut self, control: Control) {
        match self.frames.binary_search_by_key(&place(&control), place) {
            Ok(at) => self.frames[at] = control,
            Err(at) => self.frames.insert(at, control),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.credit && !self.reads && self.first_confirmed().is_none() && self.frames.is_empty()
    }

    /// The control frame to be sent next.
    fn next(&self) -> Option<Control> {
        self.frames.first().copied().or(self.credit.then_some(Control::Credit))
    }

    /// The confirmation to be sent next.
    fn first_confirmed(&self) -> Option<Confirmed> {
        self.confirmed.as_ref()?.front().copied()
    }

    /// The first confirmation has been sent.
    fn handle_confirmed_sent(&mut self) {
        if let Some(confirmed) = &mut self.confirmed {
            confirmed.pop_front();
            // Its room stays for the next ones, so a steady exchange allocates nothing.
            self.confirmed
                .take_if(|confirmed| confirmed.is_empty() && confirmed.capacity() > KEPT_CONFIRMED);
        }
    }

    /// That control frame has been sent.
    fn handle_sent(&mut self) {
        self.credit = false;
        if !self.frames.is_empty() {
            self.frames.remove(0);
        }
    }
}

/// The place of a control frame in the order in which they must be sent.
fn place(control: &Control) -> u8 {
    match control {
        Control::ClearToSend { .. } => 0,
        Control::Query { .. } => 1,
        Control::Answer { .. } => 2,
        Control::Closing { .. } => 3,
        Control::Ended { .. } => 4,
        Control::Credit => 5,
    }
}

/// What a rank says when it is asked where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Answer {
    /// The group that it was asked for, and the latest epoch that it has entered there.
    pub(in crate::message) group: GroupId,
    pub(in crate::message) entered: Epoch,
    pub(in crate::message) activity: Activity,
}

impl Links {
    /// Tells a peer something with the next flush, in the place of an older word of its kind.
    pub(in crate::message) fn tell(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        control: Control,
    ) {
        let due = self.list_due(obstacles, to);
        due.put(control);
        if let Control::Closing { .. } = control {
            // That says it too.
            due.reads = false;
        }
    }

    fn list_due(&mut self, obstacles: &mut Obstacles, to: Rank) -> &mut Due {
        let due = &mut self.peers[to].due;
        if !std::mem::replace(&mut due.is_listed, true) {
            self.due.change(obstacles, |all| all.push(to));
        }
        due
    }

    /// Tells a peer what this rank has consumed.
    pub(super) fn tell_credit(&mut self, obstacles: &mut Obstacles, to: Rank) {
        self.list_due(obstacles, to).credit = true;
    }

    /// Tells a peer, unless it has gone, which payloads that it had exposed were read.
    pub(in crate::message) fn tell_reads(&mut self, obstacles: &mut Obstacles, to: Rank) {
        if !self.peers[to].presence.is_gone() {
            self.list_due(obstacles, to).reads = true;
        }
    }

    /// Tells a peer that a receive has met a message of it.
    pub(in crate::message) fn tell_confirmed(
        &mut self,
        obstacles: &mut Obstacles,
        to: Rank,
        (context, tag): (Context, u32),
    ) {
        let confirmed = self.list_due(obstacles, to).confirmed.get_or_insert_default();
        match confirmed.back_mut() {
            Some(last) if (last.context, last.tag) == (context, tag) && last.count < u32::MAX => {
                last.count += 1;
            }
            _ => confirmed.push_back(Confirmed { context, tag, count: 1 }),
        }
    }

    /// A peer hears of no more messages that receives have met.
    pub(super) fn forget_confirmed(&mut self, to: Rank) {
        self.peers[to].due.confirmed = None;
    }

    /// Tells a peer that this rank goes, and how much it has sent to it.
    pub(in crate::message) fn tell_ended(&mut self, obstacles: &mut Obstacles, to: Rank) {
        self.forget_confirmed(to);
        let Peer { eager, bulk, .. } = &self.peers[to];
        let (eager, segments) = (eager.window.sent(), bulk.window.sent());
        self.tell(obstacles, to, Control::Ended { eager, segments });
    }

    /// Asks a peer. What it has said before counts no more.
    pub(in crate::message) fn ask(
        &mut self,
        obstacles: &mut Obstacles,
        peer: Rank,
        query: Control,
    ) {
        let state = &mut self.peers[peer];
        state.answer = None;
        // One question at a time; the answer to an old one may be old.
        if std::mem::replace(&mut state.is_asked, true) {
            state.ask_again = Some(query);
        } else {
            self.tell(obstacles, peer, query);
        }
    }

    /// A peer has answered.
    pub(in crate::message) fn handle_answer(
        &mut self,
        obstacles: &mut Obstacles,
        from: Rank,
        answer: Answer,
    ) {
        let peer = &mut self.peers[from];
        match peer.ask_again.take() {
            // Said before this rank last asked: the peer may have entered since.
            Some(query) => self.tell(obstacles, from, query),
            // Unless no question was put.
            None if std::mem::take(&mut peer.is_asked) => peer.answer = Some(answer),
            None => {}
        }
    }

    /// Whether any frame is due.
    pub(in crate::message) fn has_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Hands all frames that are due to `post`, those to one peer in the order in which they must be
    /// sent. A frame that finds no room stays due; the frames for a peer that has
    /// gone are forgotten.
    ///
    /// # Errors
    ///
    /// The first other error of `post`. All peers have had their turn all the same.
    pub(in crate::message) fn poll_due(
        &mut self,
        obstacles: &mut Obstacles,
        mut post: impl FnMut(Rank, DueFrame) -> Result<(), PostError>,
    ) -> Result<(), PostError> {
        let (peers, mut result) = (&mut self.peers, Ok(()));
        let mut poll = |&to: &Rank| {
            let peer = &mut peers[to];
            match peer.poll_due(|frame| post(to, frame)) {
                Ok(()) | Err(PostError::QueueFull(_)) => {}
                Err(PostError::PeerGone(_)) => peer.due = Due::default(),
                Err(error) if result.is_ok() => result = Err(error),
                Err(_) => {}
            }
            peer.due.is_listed = !peer.due.is_empty();
            peer.due.is_listed
        };
        self.due.change(obstacles, |due| due.retain(&mut poll));
        result
    }
}

impl Peer {
    /// Hands the frames that are due to `post`, until that fails. The rest stays due.
    fn poll_due(
        &mut self,
        mut post: impl FnMut(DueFrame) -> Result<(), PostError>,
    ) -> Result<(), PostError> {
        if self.due.reads && self.bulk.window.is_open() {
            match post(DueFrame::Reads) {
                Ok(()) => {
                    self.bulk.window.handle_sent();
                    self.due.reads = false;
                }
                Err(PostError::QueueFull(_)) => {}
                Err(error) => return Err(error),
            }
        }
        while self.bulk.window.is_open()
            && let Some(confirmed) = self.due.first_confirmed()
        {
            match post(DueFrame::Confirmed(confirmed)) {
                Ok(()) => {
                    self.bulk.window.handle_sent();
                    self.due.handle_confirmed_sent();
                }
                Err(PostError::QueueFull(_)) => break,
                Err(error) => return Err(error),
            }
        }
        while let Some(control) = self.due.next() {
            post(DueFrame::Control(control.encode(self.returned())))?;
            self.due.handle_sent();
            let credits = [&mut self.eager, &mut self.signal, &mut self.bulk];
            credits.into_iter().for_each(|credit| credit.returns.handle_told());
        }
        Ok(())
    }

    fn returned(&self) -> Returned {
        Returned {
            eager: self.eager.returns.count(),
            signal: self.signal.returns.count(),
            bulk: self.bulk.returns.count(),
        }
    }
}
