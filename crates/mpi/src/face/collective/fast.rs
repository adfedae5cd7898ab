//! Blocking collectives that the runtime has itself: trees, several hosts, memory that ranks share.
//! Rules: which way is taken depends on what is the same at all ranks alone: the call, the operator, the elements and
//! the communicator; never on whether data are contiguous or in place, which may differ.

use super::movement::no_place;
use super::reduction::{Arguments, check_apart};
use crate::abi::*;
use crate::face::communicator::{Communicator, Role};
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory};
use crate::face::rooms::Room;
use crate::objects::op::{Builtin, Element};
use runahead::ops;
use std::ffi::c_int;

/// What became of a call: None if it is for the general way.
type Tried = Option<Result<(), Fault>>;

/// Lets `run` have the bytes of memory to change; what lies scattered is copied before and after.
fn with_bytes_of(
    memory: &mut Memory,
    run: impl FnOnce(&mut [u8]) -> runahead::Result<()>,
) -> Result<(), Fault> {
    if let Some(bytes) = memory.contiguous_mut() {
        return Ok(run(bytes)?);
    }
    let mut bytes = memory.packed();
    run(&mut bytes)?;
    memory.put(0, &bytes);
    Ok(())
}

/// This rank's block, where the first of all is this one.
fn own_of(comm: &Communicator, first: &Memory) -> Memory {
    first.part(comm.rank as isize * first.count() as isize, first.count())
}

impl Library {
    pub(super) fn broadcast(&self, comm: &Communicator, buffer: Buffer, root: c_int) -> Tried {
        let run = || {
            comm.role(root)?;
            let mut memory = self.memory(buffer)?;
            with_bytes_of(&mut memory, |bytes| comm.comm.broadcast(root as runahead::Rank, bytes))
        };
        Some(run())
    }

    pub(super) fn gather(
        &self,
        comm: &Communicator,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Tried {
        let run = || {
            let (role, to) = (comm.role(root)?, root as runahead::Rank);
            if role != Role::Root {
                let own = self.own_block("sendbuf", comm, sent, role)?.ok_or_else(no_place)?;
                return own.with_bytes(|own| Ok(comm.comm.gather_into(to, own, &mut [])?));
            }
            let block = self.memory(received)?;
            let mut whole = block.whole(comm.size as usize)?;
            let place = own_of(comm, &block);
            match self.own_block("sendbuf", comm, sent, role)? {
                Some(own) if own.begins_with(&place) => {
                    Err(Fault::aliased("sendbuf", "this rank's block of recvbuf"))
                }
                Some(own) => own.with_bytes(|own| {
                    with_bytes_of(&mut whole, |all| comm.comm.gather_into(to, own, all))
                }),
                None => {
                    let own = place.packed();
                    with_bytes_of(&mut whole, |all| comm.comm.gather_into(to, &own, all))
                }
            }
        };
        Some(run())
    }

    pub(super) fn scatter(
        &self,
        comm: &Communicator,
        sent: Buffer,
        received: Buffer,
        root: c_int,
    ) -> Tried {
        let run = || {
            let (role, from) = (comm.role(root)?, root as runahead::Rank);
            if role != Role::Root {
                let own = self.own_block("recvbuf", comm, received, role)?;
                let mut own = own.ok_or_else(no_place)?;
                return with_bytes_of(&mut own, |own| comm.comm.scatter_into(from, &[], own));
            }
            let block = self.memory(sent)?;
            let whole = block.whole(comm.size as usize)?;
            let place = own_of(comm, &block);
            match self.own_block("recvbuf", comm, received, role)? {
                Some(own) if own.begins_with(&place) => {
                    Err(Fault::aliased("recvbuf", "this rank's block of sendbuf"))
                }
                Some(mut own) => whole.with_bytes(|all| {
                    with_bytes_of(&mut own, |own| comm.comm.scatter_into(from, all, own))
                }),
                None => {
                    let mut own = place.packed();
                    whole.with_bytes(|all| Ok(comm.comm.scatter_into(from, all, &mut own)?))
                }
            }
        };
        Some(run())
    }

    pub(super) fn all_gather(&self, comm: &Communicator, sent: Buffer, received: Buffer) -> Tried {
        let run = || {
            let block = self.memory(received)?;
            let mut whole = block.whole(comm.size as usize)?;
            let own = || own_of(comm, &block);
            match self.memory_or_in_place(sent)? {
                Some(sent) if sent.begins_with(&own()) => {
                    Err(Fault::aliased("sendbuf", "this rank's block of recvbuf"))
                }
                Some(sent) => sent.with_bytes(|sent| {
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_gather_into(sent, bytes))
                }),
                None => {
                    let sent = own().packed();
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_gather_into(&sent, bytes))
                }
            }
        };
        Some(run())
    }

    pub(super) fn all_to_all(&self, comm: &Communicator, sent: Buffer, received: Buffer) -> Tried {
        let run = || {
            let size = comm.size as usize;
            let received = self.memory(received)?;
            let mut whole = received.whole(size)?;
            match self.memory_or_in_place(sent)? {
                Some(sent) if sent.begins_with(&received) => Err(Fault::sent_and_received()),
                Some(sent) => sent.whole(size)?.with_bytes(|sent| {
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_to_all_into(sent, bytes))
                }),
                None => {
                    let sent = whole.packed();
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_to_all_into(&sent, bytes))
                }
            }
        };
        Some(run())
    }

    pub(super) fn all_reduce(&self, comm: &Communicator, arguments: Arguments) -> Tried {
        self.reduction(comm, arguments, || Ok(true), AllReduce)
    }

    pub(super) fn reduce(&self, comm: &Communicator, arguments: Arguments, root: c_int) -> Tried {
        let gets_result = || comm.role(root).map(|_| comm.rank == root);
        self.reduction(comm, arguments, gets_result, Reduce { root: root as runahead::Rank })
    }

    pub(super) fn scan(&self, comm: &Communicator, arguments: Arguments) -> Tried {
        self.reduction(comm, arguments, || Ok(true), Scan)
    }

    pub(super) fn exclusive_scan(&self, comm: &Communicator, arguments: Arguments) -> Tried {
        // The first rank gets nothing, so its recvbuf may be no buffer at all.
        let gets_result = || match comm.rank > 0 || MPI_IN_PLACE.is(arguments.sendbuf) {
            true => Ok(true),
            false => arguments.check_unused().map(|()| false),
        };
        self.reduction(comm, arguments, gets_result, ExclusiveScan)
    }

    /// Runs a reduction on elements of the right type, of which this rank gets the result or not.
    fn reduction(
        &self,
        comm: &Communicator,
        arguments: Arguments,
        gets_result: impl FnOnce() -> Result<bool, Fault>,
        reduction: impl Reduction,
    ) -> Tried {
        let (operator, element) = known(&arguments)?;
        let run = || {
            let result = match gets_result()? {
                true => Some(self.memory(arguments.received())?),
                false => None,
            };
            let own = match MPI_IN_PLACE.is(arguments.sendbuf) && result.is_some() {
                true => None,
                // It refuses MPI_IN_PLACE, which there is no result for.
                false => Some(self.memory(arguments.sent())?),
            };
            check_apart(own.as_ref(), result.as_ref())?;
            let call = Reducing { comm: &comm.comm, operator, own, result, reduction };
            match element {
                Element::I32 => call.run::<i32>(),
                Element::I64 => call.run::<i64>(),
                Element::U64 => call.run::<u64>(),
                Element::F32 => call.run::<f32>(),
                _ => call.run::<f64>(),
            }
        };
        Some(run())
    }
}

/// The operator and the element, if the runtime has a loop for them.
fn known(arguments: &Arguments) -> Option<(Builtin, Element)> {
    let (operator, element) = (Builtin::of(arguments.op)?, Element::of(arguments.datatype)?);
    let is_operator = matches!(operator, Builtin::Sum | Builtin::Min | Builtin::Max);
    let is_element =
        matches!(element, Element::I32 | Element::I64 | Element::U64 | Element::F32 | Element::F64);
    (is_operator && is_element).then_some((operator, element))
}

/// One of the runtime's calls that combine.
trait Reduction {
    /// Combines what this rank gives, and what others do, into `result`. That is empty where the rank gets none.
    fn run<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        own: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()>;

    /// The same, where the result takes the place of what this rank gives.
    fn run_in_place<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        let mut own = Room::copy_of(data);
        self.run(comm, own.elements(data.len()), data, combine)
    }
}

struct AllReduce;

impl Reduction for AllReduce {
    fn run<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        own: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        comm.all_reduce_into(own, result, combine)
    }

    fn run_in_place<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        comm.all_reduce_in_place(data, combine)
    }
}

struct Reduce {
    root: runahead::Rank,
}

impl Reduction for Reduce {
    fn run<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        own: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        comm.reduce_into(self.root, own, result, combine)
    }
}

struct Scan;

impl Reduction for Scan {
    fn run<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        own: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        comm.scan_into(own, result, combine)
    }
}

struct ExclusiveScan;

impl Reduction for ExclusiveScan {
    fn run<T: runahead::Element>(
        &self,
        comm: &runahead::Comm,
        own: &[T],
        result: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        match comm.rank() {
            // The runtime leaves the first rank's result as it is, and wants one.
            0 if result.is_empty() => {
                let mut unused = Room::copy_of(own);
                comm.exclusive_scan_into(own, unused.elements(own.len()), combine)
            }
            _ => comm.exclusive_scan_into(own, result, combine),
        }
    }
}

/// A call of a reduction.
struct Reducing<'a, R> {
    comm: &'a runahead::Comm,
    operator: Builtin,
    /// What this rank gives; None if it stands in the result.
    own: Option<Memory>,
    /// None if this rank gets none.
    result: Option<Memory>,
    reduction: R,
}

impl<R: Reduction> Reducing<'_, R> {
    fn run<T: runahead::Element + ops::Number>(mut self) -> Result<(), Fault> {
        let (own, mut result) = (self.own.take(), self.result.take());
        with_elements_of(result.as_mut(), |result: &mut [T]| match own {
            None => self.combine_in_place(result),
            Some(own) => with_elements(&own, |own: &[T]| self.combine(own, result))?,
        })?
    }

    fn combine<T: runahead::Element + ops::Number>(
        &self,
        own: &[T],
        result: &mut [T],
    ) -> Result<(), Fault> {
        let (comm, reduction) = (self.comm, &self.reduction);
        Ok(match self.operator {
            Builtin::Sum => reduction.run(comm, own, result, ops::sum),
            Builtin::Min => reduction.run(comm, own, result, ops::min),
            _ => reduction.run(comm, own, result, ops::max),
        }?)
    }

    fn combine_in_place<T: runahead::Element + ops::Number>(
        &self,
        data: &mut [T],
    ) -> Result<(), Fault> {
        let (comm, reduction) = (self.comm, &self.reduction);
        Ok(match self.operator {
            Builtin::Sum => reduction.run_in_place(comm, data, ops::sum),
            Builtin::Min => reduction.run_in_place(comm, data, ops::min),
            _ => reduction.run_in_place(comm, data, ops::max),
        }?)
    }
}

/// Lets `see` see the elements, which are plain.
fn with_elements<T: runahead::Element, U>(
    memory: &Memory,
    see: impl FnOnce(&[T]) -> U,
) -> Result<U, Fault> {
    let address = memory.address().cast::<T>().cast_const();
    if memory.count() == 0 {
        return Ok(see(&[]));
    }
    if address.is_aligned() {
        // SAFETY: the program vouches for so many elements, and leaves them as they are.
        return Ok(see(unsafe { std::slice::from_raw_parts(address, memory.count()) }));
    }
    let mut copy = Room::copy_of(memory.contiguous().ok_or_else(not_plain)?);
    Ok(see(copy.elements(memory.count())))
}

/// As [`with_elements`], to be changed; none without memory.
fn with_elements_of<T: runahead::Element, U>(
    memory: Option<&mut Memory>,
    see: impl FnOnce(&mut [T]) -> U,
) -> Result<U, Fault> {
    let Some(memory) = memory.filter(|memory| memory.count() > 0) else { return Ok(see(&mut [])) };
    let address = memory.address().cast::<T>();
    if address.is_aligned() {
        // SAFETY: the program vouches for so many elements, and leaves them alone.
        return Ok(see(unsafe { std::slice::from_raw_parts_mut(address, memory.count()) }));
    }
    let bytes = memory.contiguous_mut().ok_or_else(not_plain)?;
    let mut copy = Room::copy_of(bytes);
    let count = bytes.len() / size_of::<T>();
    let seen = see(copy.elements(count));
    bytes.copy_from_slice(copy.elements(bytes.len()));
    Ok(seen)
}

fn not_plain() -> Fault {
    Fault::new(MPI_ERR_INTERN, "elements of a predefined datatype do not lie together")
}
