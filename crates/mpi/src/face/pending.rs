//! Several messages that are one operation: a collective of messages, or a send and a receive.
//! Source: MPI 5.0, sections *Communication Completion* and *Send-Receive*.
//! Rules: each part is waited for, whatever becomes of the one before; the record is kept for another operation.

use super::collective::assembly::Combining;
use super::collective::workspace::Workspace;
use super::communicator::Communicator;
use super::complete::{finish_recv, take_back, wait_sent};
use super::fault::Fault;
use super::memory::Memory;
use super::request::State;
use super::status::Status;
use runahead::internals::message::{RecvId, SendId, Source};
use smallvec::SmallVec;
use std::cell::Cell;

/// How many records a thread keeps, and how many receives, or rooms, each has place for.
const MOST_KEPT: usize = 16;
const MOST_PARTS: usize = 1024;

/// A record, which stays where it is.
type Record = Box<Pending>;

thread_local! {
    /// Records that no operation has.
    static KEPT: Cell<Vec<Record>> = const { Cell::new(Vec::new()) };
}

/// The messages of a collective, or of a send and a receive.
#[derive(Default)]
pub(crate) struct Pending {
    pub(super) sends: SmallVec<[SendId; 4]>,
    pub(super) recvs: Vec<(RecvId, Source, Memory)>,
    /// What is combined when all has come, of these rooms.
    pub(super) combining: Option<Combining>,
    pub(super) rooms: Vec<Workspace>,
    /// Whether the status is that of the receive.
    pub(super) tells_receive: bool,
    pub(super) status: Option<Status>,
    /// What could not be posted. It is told when the rest has come.
    pub(super) failed: Option<Fault>,
}

impl Pending {
    /// The record of an operation that has no messages yet.
    pub(crate) fn new() -> Box<Pending> {
        // A thread that ends keeps none.
        let kept = KEPT.try_with(|kept| {
            let mut all = kept.take();
            let record = all.pop();
            kept.set(all);
            record
        });
        kept.ok().flatten().unwrap_or_default()
    }

    /// A send and a receive.
    pub(super) fn of_exchange(sending: State, receiving: State) -> Box<Pending> {
        let mut pending = Pending::new();
        pending.tells_receive = true;
        if let State::Send(id) = sending {
            pending.sends.push(id);
        }
        match receiving {
            State::Recv { id, source, memory } => pending.recvs.push((id, source, memory)),
            State::Done(status) => pending.status = Some(status),
            _ => {}
        }
        pending
    }

    /// Waits until all is done. The record is another operation's then.
    pub(super) fn complete(mut self: Box<Self>, comm: &Communicator) -> Result<Status, Fault> {
        let completed = self.wait(comm);
        self.keep();
        completed
    }

    fn wait(&mut self, comm: &Communicator) -> Result<Status, Fault> {
        let (mut status, mut first) = (self.status, self.failed.take().map_or(Ok(()), Err));
        // Every receive is given back, whatever becomes of the one before.
        for (id, source, memory) in self.recvs.drain(..) {
            match finish_recv(comm, id, source, memory) {
                Ok(received) => status = Some(received),
                Err(fault) if first.is_ok() => first = Err(fault),
                Err(_) => {}
            }
        }
        if first.is_err() {
            // The program has its memory back.
            comm.comm
                .with_engine(|engine| self.sends.iter().for_each(|&id| take_back(engine, id)))?;
        }
        // The status of a collective tells of none of its messages.
        first.map_err(|fault| match self.tells_receive {
            true => fault,
            false => fault.with(|why| why.status = None),
        })?;
        if let Some(combining) = self.combining.take() {
            combining.finish_with(&self.rooms);
        }
        let mut all_sent = Ok(());
        for id in self.sends.drain(..) {
            // Each is waited for, whatever becomes of the one before.
            let sent = wait_sent(comm, id);
            all_sent = all_sent.and(sent);
        }
        all_sent?;
        Ok(status.filter(|_| self.tells_receive).unwrap_or(Status::EMPTY))
    }

    /// Keeps the record, with nothing in it.
    fn keep(mut self: Box<Self>) {
        let Pending { sends, recvs, rooms, .. } = std::mem::take(&mut *self);
        *self = Pending { sends, recvs, rooms, ..Pending::default() };
        self.sends.clear();
        self.recvs.clear();
        self.rooms.clear();
        let longest = self.sends.capacity().max(self.recvs.capacity()).max(self.rooms.capacity());
        let _ = KEPT.try_with(|kept| {
            let mut all = kept.take();
            if all.len() < MOST_KEPT && longest <= MOST_PARTS {
                all.push(self);
            }
            kept.set(all);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (Planted: the parts of the one before stay; all records are kept.)
    #[test]
    fn a_record_is_used_again_and_is_empty() {
        let mut record = Pending::new();
        record.rooms.push(Workspace::copy_of(&Memory::of_bytes(&mut [1, 2])));
        record.tells_receive = true;
        let address = std::ptr::from_ref(&*record);
        record.keep();
        let record = Pending::new();
        assert_eq!(std::ptr::from_ref(&*record), address);
        assert!(record.rooms.is_empty() && record.rooms.capacity() > 0 && !record.tells_receive);
        let many: Vec<_> = (0..2 * MOST_KEPT).map(|_| Pending::new()).collect();
        many.into_iter().for_each(Pending::keep);
        assert_eq!(KEPT.take().len(), MOST_KEPT);
        let mut long = Pending::new();
        long.rooms.reserve(MOST_PARTS + 1);
        long.keep();
        assert!(KEPT.take().is_empty());
    }
}
