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
            let (count, own) = (blocks[0].count(), comm.rank as usize);
            let mut whole = blocks[0].part(0, count * comm.size as usize);
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
            let mut whole = received.part(0, received.count() * size);
            match self.memory_or_in_place(sent)? {
                Some(sent) => sent.part(0, sent.count() * size).with_bytes(|sent| {
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
            // What the runtime combines into is the result of the root, and is not looked at elsewhere.
            let mut data = match operands.result {
                Some(mut result) => {
                    if !MPI_IN_PLACE.is(arguments.sendbuf) {
                        result.copy_from(&operands.own);
                    }
                    result
                }
                None => operands.own,
            };
            typed(operator, element, &mut data, Reduce { comm, root: root as runahead::Rank })
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
    let read = |bytes: &[u8]| T::read_from_bytes(bytes).map_err(|_| ());
    let mut copy: Vec<T> = bytes.chunks_exact(size_of::<T>()).flat_map(read).collect();
    run(&mut copy)?;
    bytes.copy_from_slice(copy.as_slice().as_bytes());
    Ok(())
}
