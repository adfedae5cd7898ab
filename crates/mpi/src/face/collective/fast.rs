//! Blocking collectives that the runtime has itself: trees, several hosts, memory that ranks share.
//! Rules: which way is taken depends on what is the same at all ranks alone: the call, the operator, the elements and
//! the communicator; never on whether data are contiguous or in place, which may differ.

use super::reduction::Arguments;
use crate::abi::*;
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory};
use crate::objects::op::{Builtin, Element};
use runahead::ops;
use runahead::zerocopy::IntoBytes;
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
    let mut bytes = memory.to_bytes();
    run(&mut bytes)?;
    memory.put(0, &bytes);
    Ok(())
}

impl Library {
    pub(super) fn broadcast(
        &self,
        comm: &Communicator,
        (address, count, datatype): Buffer,
        root: c_int,
    ) -> Tried {
        let run = || {
            comm.role(root)?;
            let mut memory = self.memory(address, count, datatype)?;
            with_bytes_of(&mut memory, |bytes| comm.comm.broadcast(root as runahead::Rank, bytes))
        };
        Some(run())
    }

    pub(super) fn all_gather(&self, comm: &Communicator, sent: Buffer, received: Buffer) -> Tried {
        let run = || {
            let blocks = self.blocks(comm, received)?;
            let own = comm.rank as usize;
            let mut whole = blocks[0].whole(comm.size as usize)?;
            match self.memory_or_in_place(sent)? {
                Some(sent) => sent.with_bytes(|sent| {
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_gather_into(sent, bytes))
                }),
                None => {
                    let sent = blocks[own].to_bytes();
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_gather_into(&sent, bytes))
                }
            }
        };
        Some(run())
    }

    pub(super) fn all_to_all(&self, comm: &Communicator, sent: Buffer, received: Buffer) -> Tried {
        let run = || {
            let size = comm.size as usize;
            let received = self.memory(received.0, received.1, received.2)?;
            let mut whole = received.whole(size)?;
            match self.memory_or_in_place(sent)? {
                Some(sent) => sent.whole(size)?.with_bytes(|sent| {
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_to_all_into(sent, bytes))
                }),
                None => {
                    let sent = whole.to_bytes();
                    with_bytes_of(&mut whole, |bytes| comm.comm.all_to_all_into(&sent, bytes))
                }
            }
        };
        Some(run())
    }

    pub(super) fn all_reduce(&self, comm: &Communicator, arguments: Arguments) -> Tried {
        let (operator, element) = known(&arguments)?;
        let run = || {
            let operands = self.operands(arguments, true)?;
            let mut result = operands.result.unwrap_or_else(|| operands.own.clone());
            if !MPI_IN_PLACE.is(arguments.sendbuf) {
                result.copy_from(&operands.own);
            }
            typed(operator, element, &mut result, AllReduce { comm })
        };
        Some(run())
    }

    pub(super) fn reduce(&self, comm: &Communicator, arguments: Arguments, root: c_int) -> Tried {
        let (operator, element) = known(&arguments)?;
        let run = || {
            comm.role(root)?;
            let operands = self.operands(arguments, comm.rank == root)?;
            let root = root as runahead::Rank;
            let Some(mut result) = operands.result else {
                return given(operator, element, &operands.own, Give { comm, root });
            };
            // What the runtime combines into is the result of the root.
            if !MPI_IN_PLACE.is(arguments.sendbuf) {
                result.copy_from(&operands.own);
            }
            typed(operator, element, &mut result, Reduce { comm, root })
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

/// A reduction, of elements of any type.
trait Reduction {
    fn run<T: runahead::Element>(
        &self,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()>;
}

struct AllReduce<'a> {
    comm: &'a Communicator,
}

struct Reduce<'a> {
    comm: &'a Communicator,
    root: runahead::Rank,
}

impl Reduction for AllReduce<'_> {
    fn run<T: runahead::Element>(
        &self,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        self.comm.comm.all_reduce_in_place(data, combine)
    }
}

impl Reduction for Reduce<'_> {
    fn run<T: runahead::Element>(
        &self,
        data: &mut [T],
        combine: impl Fn(T, T) -> T,
    ) -> runahead::Result<()> {
        let combined = self.comm.comm.reduce(self.root, data, combine)?;
        if let Some(combined) = combined {
            data.copy_from_slice(&combined);
        }
        Ok(())
    }
}

/// The part of a rank that is not the root: what it gives is read alone, since it may be constant.
struct Give<'a> {
    comm: &'a Communicator,
    root: runahead::Rank,
}

impl Give<'_> {
    fn run<T: runahead::Element + ops::Number>(
        &self,
        operator: Builtin,
        own: &Memory,
    ) -> Result<(), Fault> {
        let run = |data: &[T]| match operator {
            Builtin::Sum => self.comm.comm.reduce_into(self.root, data, &mut [], ops::sum),
            Builtin::Min => self.comm.comm.reduce_into(self.root, data, &mut [], ops::min),
            _ => self.comm.comm.reduce_into(self.root, data, &mut [], ops::max),
        };
        let address = own.address().cast::<T>().cast_const();
        if own.count() == 0 {
            return Ok(run(&[])?);
        }
        if address.is_aligned() {
            // SAFETY: the program vouches for so many elements, and leaves them as they are.
            return Ok(run(unsafe { std::slice::from_raw_parts(address, own.count()) })?);
        }
        let Some(bytes) = own.contiguous() else { return Ok(()) };
        Ok(run(&copied(bytes))?)
    }
}

/// Elements that lie where no reference to them may point.
fn copied<T: runahead::Element>(bytes: &[u8]) -> Vec<T> {
    let read = |bytes: &[u8]| T::read_from_bytes(bytes).map_err(|_| ());
    bytes.chunks_exact(size_of::<T>()).flat_map(read).collect()
}

/// Gives elements of the right type to a reduction.
fn given(operator: Builtin, element: Element, own: &Memory, give: Give<'_>) -> Result<(), Fault> {
    match element {
        Element::I32 => give.run::<i32>(operator, own),
        Element::I64 => give.run::<i64>(operator, own),
        Element::U64 => give.run::<u64>(operator, own),
        Element::F32 => give.run::<f32>(operator, own),
        _ => give.run::<f64>(operator, own),
    }
}

/// Runs a reduction on elements of the right type.
fn typed(
    operator: Builtin,
    element: Element,
    data: &mut Memory,
    reduction: impl Reduction,
) -> Result<(), Fault> {
    match element {
        Element::I32 => of_type::<i32>(operator, data, reduction),
        Element::I64 => of_type::<i64>(operator, data, reduction),
        Element::U64 => of_type::<u64>(operator, data, reduction),
        Element::F32 => of_type::<f32>(operator, data, reduction),
        _ => of_type::<f64>(operator, data, reduction),
    }
}

fn of_type<T: runahead::Element + ops::Number>(
    operator: Builtin,
    data: &mut Memory,
    reduction: impl Reduction,
) -> Result<(), Fault> {
    let count = data.count();
    let run = |data: &mut [T]| match operator {
        Builtin::Sum => reduction.run(data, ops::sum),
        Builtin::Min => reduction.run(data, ops::min),
        _ => reduction.run(data, ops::max),
    };
    let address = data.address().cast::<T>();
    if count == 0 {
        return Ok(run(&mut [])?);
    }
    if address.is_aligned() {
        // SAFETY: the program vouches for so many elements, and leaves them alone.
        return Ok(run(unsafe { std::slice::from_raw_parts_mut(address, count) })?);
    }
    let Some(bytes) = data.contiguous_mut() else { return Ok(()) };
    let mut copy: Vec<T> = copied(bytes);
    run(&mut copy)?;
    bytes.copy_from_slice(copy.as_slice().as_bytes());
    Ok(())
}
