//! The messages of one collective of one rank.
//! Rules: all are posted at once; their tag is the number of the call in its communicator, so that collectives under
//! way at the same time are told apart, as all ranks call them in the same order. A post that fails does not stop the others:
//! a rank that lives gets its part, and gives its own, though another does not.

use super::assembly::Combining;
use super::workspace::Workspace;
use crate::face::communicator::{Communicator, call_after};
use crate::face::fault::Fault;
use crate::face::memory::Memory;
use crate::face::pending::Pending;
use runahead::internals::message::{Envelope, Pattern, Source, Tag};
use std::convert::Infallible;
use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;

/// A collective that is being started.
pub(crate) struct Posting {
    comm: Rc<Communicator>,
    first: u32,
    tag: u32,
    pending: Box<Pending>,
}

impl Posting {
    /// The next collective of a communicator.
    pub(crate) fn new(comm: &Rc<Communicator>) -> Posting {
        Posting::with_lanes(comm, 1)
    }

    /// The next collective of a communicator, whose messages of one pair of ranks are told apart by lanes. All ranks
    /// have as many lanes.
    pub(crate) fn with_lanes(comm: &Rc<Communicator>, lanes: u32) -> Posting {
        // Each lane has the tag that another collective would have had.
        let first = comm.reserved.get().unwrap_or_else(|| comm.next_calls(lanes));
        Posting { comm: comm.clone(), first, tag: first, pending: Pending::new() }
    }

    /// What is posted next belongs to this lane.
    pub(crate) fn in_lane(&mut self, lane: u32) -> &mut Posting {
        self.tag = call_after(self.first, lane);
        self
    }

    /// Sends to a rank of the communicator, which may be this one.
    pub(crate) fn send(&mut self, to: c_int, memory: &Memory) {
        memory.with_bytes(|bytes| self.send_bytes(to, bytes));
    }

    /// As [`send`](Posting::send), of bytes.
    pub(crate) fn send_bytes(&mut self, to: c_int, bytes: &[u8]) {
        let to = self.comm.to_world(to);
        let envelope = Envelope { context: self.comm.library, tag: self.tag, element: 0 };
        let posted = self.comm.engine(|engine| {
            let id = engine.post_send(to, envelope, bytes)?;
            Ok((!engine.is_sent(id)).then_some(id))
        });
        let left = self.posted(posted);
        self.pending.sends.extend(left.flatten());
    }

    /// Sends the same to several ranks.
    pub(crate) fn send_to_each(&mut self, to: impl Iterator<Item = c_int>, memory: &Memory) {
        let envelope = Envelope { context: self.comm.library, tag: self.tag, element: 0 };
        let comm = self.comm.clone();
        let all = memory.with_bytes(|bytes| {
            comm.comm.with_engine(|engine| {
                let receivers = to.map(|to| ((), comm.to_world(to)));
                engine.post_send_to_each(receivers, envelope, bytes, |(), posted| {
                    let left = self.posted(posted.map_err(Fault::from));
                    self.pending.sends.extend(left.flatten());
                    Ok::<(), Infallible>(())
                })
            })
        });
        self.posted(all.map(drop).map_err(Fault::from));
    }

    /// Receives from a rank of the communicator.
    pub(crate) fn recv(&mut self, from: c_int, memory: Memory) {
        let source = Source::Rank(self.comm.to_world(from));
        let pattern = Pattern { source, tag: Tag::Exactly(self.tag) };
        let posted = self.comm.engine(|engine| engine.post_recv(self.comm.library, pattern));
        if let Some(id) = self.posted(posted) {
            self.pending.recvs.push((id, source, memory));
        }
    }

    /// Room for what a rank gives in a reduction: this one's has a copy of it, others' is received.
    fn room_for(&mut self, rank: c_int, own: &Memory) -> Workspace {
        if Some(rank as usize) == self.comm.own_place() {
            return Workspace::copy_of(own);
        }
        let room = Workspace::new(own.layout(), own.count());
        self.recv(rank, room.memory());
        room
    }

    /// Takes what each of these ranks gives, and combines it when all has come.
    pub(super) fn combine(&mut self, ranks: Range<c_int>, combining: Combining) {
        for rank in ranks {
            let room = self.room_for(rank, &combining.own);
            self.pending.rooms.push(room);
        }
        self.pending.combining = Some(combining);
    }

    /// What was posted. A failure is kept, if it is the first.
    fn posted<T>(&mut self, posted: Result<T, Fault>) -> Option<T> {
        posted.map_err(|fault| self.pending.failed.get_or_insert(fault)).ok()
    }

    /// Everything is posted that could be.
    pub(crate) fn done(self) -> Box<Pending> {
        self.pending
    }
}
