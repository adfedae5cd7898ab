//! What one rank gives and takes in a collective, and how that is started.
//! Source: MPI 5.0, chapter *Collective Communication*; SEMANTICS.md, on collectives that return at once.
//! Rules: which way is taken depends on what is the same at all ranks alone: the call, and the communicator.
//!
//! A call within one group is one of the runtime's nonblocking collectives, of bytes: little data are deposited, and a
//! rank that has called something else is named. Messages of this library's own serve what the runtime does not have:
//! two groups; persistent calls, which ranks start in any order.

use super::assembly::{Assembly, Combining};
use super::places::Places;
use super::posting::Posting;
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::LIBRARY;
use crate::face::memory::Memory;
use crate::face::request::State;
use crate::face::rooms::Bytes;
use crate::face::status::Status;
use crate::objects::op::Builtin;
use runahead::CollectiveRequest;
use runahead::internals::collective::Kind;
use runahead::internals::collective::posted::Given;
use smallvec::SmallVec;
use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;

/// What this rank has for others.
pub(crate) enum Gives<'m> {
    Nothing,
    /// The same for each of these, itself left out.
    Same(Range<c_int>, &'m Memory),
    /// A part for each.
    Parts(&'m Places),
}

/// What this rank gets.
pub(crate) enum Takes {
    Nothing,
    /// What each rank from this one on gives, into one place after the other. Its own is there already.
    Places(c_int, Places),
    /// What each of these gives, combined.
    Combined(Range<c_int>, Combining),
}

/// A call of a collective at one rank.
pub(crate) struct Plan<'m> {
    pub(crate) kind: Kind,
    /// The root, or 0 where there is none.
    pub(crate) root: c_int,
    /// The operator, if the library has it itself.
    pub(crate) operator: Option<Builtin>,
    pub(crate) gives: Gives<'m>,
    pub(crate) takes: Takes,
}

impl Plan<'_> {
    /// Starts the call: all that this rank gives is posted. What cannot be is told when the rest has come.
    pub(crate) fn start(self, comm: &Rc<Communicator>) -> State {
        match comm.is_inter() || comm.reserved.get().is_some() {
            true => self.start_with_messages(comm),
            false => self.start_in_runtime(comm),
        }
    }

    fn start_in_runtime(self, comm: &Communicator) -> State {
        let Plan { kind, root, operator, gives, takes } = self;
        let from = takes.from();
        let lent_from = comm.comm.lends_from(kind);
        let stays = lent_from.is_some_and(|least| gives.stay_beside(&takes, (comm, least)));
        let assembly = Assembly::of(takes, comm.rank);
        let call = (kind, root as runahead::Rank);
        let operator = operator.map_or((0, ""), |operator| (operator as u32 + 1, operator.name()));
        let start = |given: Given<'_>| {
            let given = (given, stays);
            // SAFETY: the program leaves its buffers to the call until that is complete (MPI 5.0, section *Nonblocking Collective
            // Operations*), and what lies elsewhere does not stay. One thread is in the library at a time.
            unsafe { comm.comm.post_bytes(call, operator, given, from, assembly, &LIBRARY.records) }
        };
        let started = gives.with_bytes(start);
        match started {
            Ok(Some(request)) => State::Collective(request),
            Ok(None) => State::Done(Status::EMPTY),
            Err(error) => State::Failed(error.into()),
        }
    }

    fn start_with_messages(self, comm: &Rc<Communicator>) -> State {
        let mut posting = Posting::new(comm);
        match self.gives {
            Gives::Nothing => {}
            Gives::Same(to, memory) => {
                posting.send_to_each(comm.others().filter(|rank| to.contains(rank)), memory);
            }
            Gives::Parts(parts) => {
                // Each begins with another, so that no rank gets all at once.
                for to in (0..comm.peers).map(|step| (comm.rank + step) % comm.peers) {
                    if Some(to as usize) != comm.own_place() {
                        posting.send(to, &parts.at(to as usize));
                    }
                }
            }
        }
        match self.takes {
            Takes::Nothing => {}
            Takes::Places(first, places) => {
                for (step, place) in (0..).zip(places.all()) {
                    let from = (first + step) % comm.peers;
                    if Some(from as usize) != comm.own_place() {
                        posting.recv(from, place);
                    }
                }
            }
            Takes::Combined(ranks, combining) => posting.combine(ranks, combining),
        }
        State::Several(posting.done())
    }
}

/// Waits for a call of the runtime's.
pub(crate) fn wait_for(request: CollectiveRequest<Assembly>) -> Result<(), Fault> {
    Ok(request.wait_in(&LIBRARY.records)?)
}

impl Takes {
    /// The first rank that something is taken of, and how many there are.
    fn from(&self) -> (runahead::Rank, usize) {
        match self {
            Takes::Nothing => (0, 0),
            Takes::Places(first, places) => (*first as runahead::Rank, places.len()),
            Takes::Combined(ranks, _) => (ranks.start as runahead::Rank, ranks.len()),
        }
    }
}

impl Gives<'_> {
    /// Whether this has a part of at least so many bytes, and stays as it is until the call is over: it lies together, and nothing
    /// that comes of others takes its place.
    fn stay_beside(&self, takes: &Takes, (comm, least): (&Communicator, usize)) -> bool {
        let own = |first: c_int| (comm.rank - first).rem_euclid(comm.peers) as usize;
        let stays = |given: &Memory| {
            let is_taken = match takes {
                Takes::Nothing => false,
                Takes::Places(first, places) => places.overlap(given, own(*first)),
                Takes::Combined(..) => true,
            };
            given.contiguous().is_some() && !is_taken
        };
        let is_long = |bytes: usize| bytes >= least;
        match self {
            Gives::Nothing => false,
            Gives::Same(_, memory) => is_long(memory.bytes()) && stays(memory),
            Gives::Parts(parts) => {
                (0..parts.len()).any(|nth| parts.bytes_at(nth).is_some_and(is_long))
                    && parts.all().all(|part| stays(&part))
            }
        }
    }

    /// Lets `give` see the bytes. What lies scattered is copied before.
    fn with_bytes<R>(self, give: impl FnOnce(Given<'_>) -> R) -> R {
        match self {
            Gives::Nothing => give(Given::Nothing),
            Gives::Same(to, memory) => memory.with_bytes(|bytes| {
                give(Given::Same(to.start as runahead::Rank..to.end as runahead::Rank, bytes))
            }),
            Gives::Parts(parts) => match parts.together() {
                Some(whole) => whole.with_bytes(|bytes| give(Given::Blocks(bytes))),
                None => give_parts(parts, give),
            },
        }
    }
}

/// Lets `give` see the bytes of parts of several sizes, or with gaps. These are copied to one room before.
fn give_parts<R>(parts: &Places, give: impl FnOnce(Given<'_>) -> R) -> R {
    let parts: SmallVec<[Memory; 8]> = parts.all().collect();
    let scattered = || parts.iter().filter(|part| part.contiguous().is_none());
    let mut room = Bytes::new(scattered().map(Memory::bytes).sum());
    let mut rest = &mut *room;
    let part_of = |part| {
        let Some(bytes) = Memory::contiguous(part) else {
            let (packed, behind) = std::mem::take(&mut rest).split_at_mut(part.bytes());
            rest = behind;
            part.pack(packed);
            return &*packed;
        };
        bytes
    };
    let bytes: SmallVec<[&[u8]; 8]> = parts.iter().map(part_of).collect();
    give(Given::Parts(&bytes))
}
