//! The work for all VIs in whatever call comes: taking in frames, sending those that are due, and,
//! at the end, staying until nothing is owed.
//!
//! Keeps rules NET-1, NET-2 and SAFE-1 of SEMANTICS.md.

use std::time::Duration;

use super::connection::{Moment, Taken};
use super::nic::Reliable;
use super::wire::{Frame, Kind};
use crate::order::Rank;
use crate::sys::thread;
use crate::verbs::{Completion, Cq, Nic, PeerState, VerbsError, Vi};

/// How long a rank that polls lets the other queues be, and its deadlines.
const SERVICE_EVERY: Duration = Duration::from_micros(50);

/// How long a peer may be silent before a rank that waits finds out whether it is there.
const SILENCE: Duration = Duration::from_secs(1);

/// How often a rank says farewell: it waits for no answer, and some of it may be lost.
const FAREWELLS: usize = 3;

impl<N: Nic> Reliable<N> {
    /// Takes in all frames of a queue, and answers where that must not wait.
    pub(super) fn take_in(&mut self, cq: Cq) -> Result<(), VerbsError> {
        while let Some(Completion { peer, frame }) = self.inner.poll_recv(cq)? {
            self.handle_arrival(Vi { peer, cq }, frame);
        }
        let now = self.now();
        while let Some(index) = self.touched.pop() {
            if let Some(end) = &mut self.ends[index] {
                end.is_touched = false;
            }
            self.transmit(index, now);
        }
        Ok(())
    }

    pub(super) fn handle_arrival(&mut self, vi: Vi, frame: N::Frame) {
        let now = self.now();
        let Some(index) = self.index(vi) else { return };
        let Some(end) = &mut self.ends[index] else {
            // In the order in which it came, and no more than there are descriptors beneath.
            return self.early.push((vi, frame));
        };
        if self.peers[vi.peer].is_gone {
            return self.inner.post_recv(vi, frame);
        }
        let bytes = self.inner.bytes(&frame);
        let checked = match Frame::new_checked(bytes) {
            Err(_) => Err("frame"),
            Ok(frame) if frame.message().len() > end.limit => Err("length of a message"),
            Ok(frame) => {
                let taken = end.connection.handle_frame(now, frame.header());
                taken.map(|taken| (taken, frame.header().kind)).map_err(|impossible| {
                    match impossible {
                        super::Impossible::Ack => "acknowledgement",
                        super::Impossible::Room => "number of receive descriptors",
                        super::Impossible::Number => "number of a frame",
                    }
                })
            }
        };
        let (taken, kind) = match checked {
            Ok(checked) => checked,
            Err(what) => {
                self.inner.post_recv(vi, frame);
                return self.break_off(vi.peer, what);
            }
        };
        self.peers[vi.peer].heard_at = now;
        self.has_news |= end.connection.take_new_room();
        if !std::mem::replace(&mut end.is_touched, true) {
            self.touched.push(index);
        }
        match taken {
            Taken::Nothing => self.inner.post_recv(vi, frame),
            Taken::New(number) => {
                end.keep(number, frame);
                self.note_ready(vi, index);
            }
        }
        if kind == Kind::Farewell {
            self.note_gone(vi.peer);
        }
    }

    /// What can be delivered now and could not before.
    fn note_ready(&mut self, vi: Vi, index: usize) {
        if vi.cq == self.side_queue() {
            return self.break_off(vi.peer, "message on the side queue");
        }
        let Some(end) = &mut self.ends[index] else { return };
        let ready = &mut self.ready[usize::from(vi.cq.0)];
        ready.extend((0..end.newly_deliverable()).map(|_| vi.peer));
    }

    /// The peer has sent something impossible, and counts as gone. The next poll says so.
    fn break_off(&mut self, peer: Rank, what: &'static str) {
        self.faults.push_back(VerbsError::Corrupted { peer, what });
        self.note_gone(peer);
    }

    fn note_gone(&mut self, peer: Rank) {
        if std::mem::replace(&mut self.peers[peer].is_gone, true) {
            return;
        }
        self.has_news = true;
        let size = self.peers.len();
        for end in self.ends.iter_mut().skip(peer).step_by(size).flatten() {
            end.connection.handle_gone();
        }
    }

    /// Sends all frames that are due on one end.
    pub(super) fn transmit(&mut self, index: usize, now: Moment) {
        let size = self.peers.len();
        let vi = Vi { peer: index % size, cq: Cq((index / size) as u8) };
        let Some(end) = &mut self.ends[index] else { return };
        if self.peers[vi.peer].is_gone {
            return;
        }
        let is_there = end.transmit(&mut self.inner, vi, now);
        if end.connection.is_lost() {
            // It has answered nothing for so long.
            self.note_gone(vi.peer);
        } else if !is_there {
            // What it has sent before lies in the inbox, perhaps: it goes when that was taken in.
            end.connection.handle_gone();
        }
    }

    /// Takes in all frames that have come, and sends all that are due, on all queues.
    pub(super) fn service(&mut self) -> Result<(), VerbsError> {
        self.take_in_all()?;
        for peer in 0..self.peers.len() {
            if !self.peers[peer].is_gone && self.inner.peer_state(peer) == PeerState::Gone {
                // All that it has sent is there now.
                self.take_in_all()?;
                self.note_gone(peer);
            }
        }
        let now = self.now();
        self.serviced_at = now;
        for index in 0..self.ends.len() {
            self.transmit(index, now);
        }
        Ok(())
    }

    fn take_in_all(&mut self) -> Result<(), VerbsError> {
        (0..self.queues.len() as u8).map(Cq).try_for_each(|cq| self.take_in(cq))
    }

    /// The same, if it was not done just before.
    pub(super) fn service_when_due(&mut self) -> Result<(), VerbsError> {
        if self.now().saturating_sub(self.serviced_at) < SERVICE_EVERY {
            return Ok(());
        }
        self.service()
    }

    /// The same, for calls that cannot fail: the next poll does.
    pub(super) fn service_noting_faults(&mut self) {
        if let Err(error) = self.service() {
            self.faults.push_back(error);
        }
    }

    /// Whether a wait is to return at once.
    pub(super) fn is_news_here(&self) -> bool {
        self.has_news || !self.faults.is_empty() || self.ready.iter().any(|ready| !ready.is_empty())
    }

    /// Finds out about peers that have been silent for long.
    pub(super) fn doubt_the_silent(&mut self, now: Moment) {
        let (side, rank) = (self.side_queue(), self.inner.rank());
        for peer in (0..self.peers.len()).filter(|&peer| peer != rank) {
            let silent = now.saturating_sub(self.peers[peer].heard_at) >= SILENCE;
            if silent
                && !self.peers[peer].is_gone
                && let Some(index) = self.index(Vi { peer, cq: side })
                && let Some(end) = &mut self.ends[index]
            {
                end.connection.handle_doubt(now);
            }
        }
    }

    /// Sleeps until something comes, the next deadline, or the end of the time.
    pub(super) fn rest(&mut self, now: Moment, timeout: Option<Duration>) {
        let deadlines = self.ends.iter().flatten().filter_map(|end| end.connection.poll_timeout());
        let next = deadlines.min().map(|at| at.saturating_sub(now));
        // It asks after silent peers.
        let longest = [Some(SILENCE), next, timeout].into_iter().flatten().min();
        self.inner.wait(longest);
    }

    /// Stays until all that was sent is acknowledged, or its receivers are gone or lost; then says
    /// farewell. A rank that panics stays for nobody.
    pub(super) fn leave(&mut self) {
        while !thread::is_panicking() {
            let now = self.now();
            // Peers that leave as well wait for it.
            self.ends.iter_mut().flatten().for_each(|end| end.connection.handle_leaving(now));
            if self.service().is_err() {
                return;
            }
            let is_settled = self.ends.iter().flatten().all(|end| end.connection.is_settled());
            if is_settled {
                break;
            }
            self.rest(self.now(), None);
        }
        let cq = self.side_queue();
        for peer in 0..self.peers.len() {
            let vi = Vi { peer, cq };
            if !self.peers[peer].is_gone
                && let Some(index) = self.index(vi)
                && let Some(end) = &mut self.ends[index]
            {
                let header = end.connection.farewell().header.encode();
                for _ in 0..FAREWELLS {
                    // One that cannot be told finds out by itself.
                    let _ = self.inner.post_send(vi, &header, &[]);
                }
            }
        }
    }
}
