//! Reductions and scans.
//! Source: MPI 5.0, sections *Global Reduction Operations* and *Scan*.
//! Rules: operands are combined in the order of ranks, for every operator, so that all runs have the same bits.

use super::reducer::Reducer;
use super::workspace::Workspace;
use super::{Posting, Prepared, collective};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::{Communicator, Role};
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory, buffer};
use crate::face::request::Pending;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::rc::Rc;

/// What a reduction of a program works on.
#[derive(Clone)]
pub(super) struct Operands {
    /// What this rank gives.
    pub(super) own: Memory,
    /// Where the result goes, if this rank gets it.
    pub(super) result: Option<Memory>,
    pub(super) reducer: Reducer,
}

/// The arguments of a reduction as a program passes them.
#[derive(Clone, Copy)]
pub(super) struct Arguments {
    pub(super) sendbuf: *const c_void,
    pub(super) recvbuf: *mut c_void,
    pub(super) count: i64,
    pub(super) datatype: MPI_Datatype,
    pub(super) op: MPI_Op,
}

impl Arguments {
    /// What this rank gives.
    pub(super) fn sent(&self) -> Buffer {
        let &Arguments { sendbuf, count, datatype, .. } = self;
        Buffer { address: sendbuf, count, datatype, names: &["sendbuf", "count", "datatype"] }
    }

    /// Where the result goes.
    pub(super) fn received(&self) -> Buffer {
        let &Arguments { recvbuf, count, datatype, .. } = self;
        Buffer { address: recvbuf, count, datatype, names: &["recvbuf", "count", "datatype"] }
    }
}

/// Checks that what this rank gives lies elsewhere than the result.
#[inline(always)]
pub(super) fn check_apart(own: Option<&Memory>, result: Option<&Memory>) -> Result<(), Fault> {
    match (own, result) {
        (Some(own), Some(result)) if own.begins_with(result) => Err(Fault::sent_and_received()),
        _ => Ok(()),
    }
}

impl Library {
    /// Checks the arguments of a reduction, of which this rank gets the result or not.
    pub(super) fn operands(
        &self,
        arguments: Arguments,
        gets_result: bool,
    ) -> Result<Operands, Fault> {
        let Arguments { sendbuf, datatype, op, .. } = arguments;
        let reducer = self.reducer(op, datatype)?;
        let result = match gets_result {
            true => Some(self.memory(arguments.received())?),
            false => None,
        };
        let own = match (MPI_IN_PLACE.is(sendbuf), &result) {
            (false, _) => self.memory(arguments.sent())?,
            (true, Some(result)) => result.clone(),
            (true, None) => {
                return Err(Fault::new(
                    MPI_ERR_BUFFER,
                    "sendbuf is MPI_IN_PLACE where there is no result",
                ));
            }
        };
        reducer.check(own.layout())?;
        if !MPI_IN_PLACE.is(sendbuf) {
            check_apart(Some(&own), result.as_ref())?;
        }
        Ok(Operands { own, result, reducer })
    }

    fn prepare_reduce(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        root: c_int,
    ) -> Result<Prepared, Fault> {
        let role = comm.role(root)?;
        // The root of an inter-communicator gives nothing itself.
        let sendbuf = match (role, comm.is_inter()) {
            (Role::Root, true) => std::ptr::without_provenance(MPI_IN_PLACE.0),
            _ => arguments.sendbuf,
        };
        let comm = comm.clone();
        if role == Role::Idle {
            return Ok(Box::new(move || Ok(Posting::new(&comm).done())));
        }
        let operands = self.operands(Arguments { sendbuf, ..arguments }, role == Role::Root)?;
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            match (role, &operands.result) {
                (Role::Other(root), _) => posting.send(root, &operands.own),
                (_, Some(result)) => {
                    let all = collect(&mut posting, &comm, 0..comm.peers, &operands.own);
                    return combine_at_end(posting, &operands.reducer, all, result);
                }
                _ => {}
            }
            Ok(posting.done())
        }))
    }

    fn prepare_all_reduce(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
    ) -> Result<Prepared, Fault> {
        let operands = self.operands(arguments, true)?;
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            let all = collect(&mut posting, &comm, 0..comm.peers, &operands.own);
            posting.send_to_each(comm.others(), &operands.own);
            let result = operands.result.as_ref().unwrap_or(&operands.own);
            combine_at_end(posting, &operands.reducer, all, result)
        }))
    }

    /// A scan over lower ranks, with this one or without.
    fn prepare_scan(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        with_own: bool,
    ) -> Result<Prepared, Fault> {
        comm.intra()?;
        // The first rank of an exclusive scan gets nothing, so its recvbuf may be no buffer at all.
        let gets_result = with_own || comm.rank > 0 || MPI_IN_PLACE.is(arguments.sendbuf);
        let operands = self.operands(arguments, gets_result)?;
        let comm = comm.clone();
        Ok(Box::new(move || {
            let mut posting = Posting::new(&comm);
            let until = comm.rank + c_int::from(with_own);
            let all = collect(&mut posting, &comm, 0..until, &operands.own);
            posting.send_to_each(comm.rank + 1..comm.size, &operands.own);
            let result = operands.result.as_ref().unwrap_or(&operands.own);
            combine_at_end(posting, &operands.reducer, all, result)
        }))
    }
}

/// Room for what each of these ranks gives, which is `own` for this one; the others' is received.
pub(super) fn collect(
    posting: &mut Posting,
    comm: &Communicator,
    ranks: Range<c_int>,
    own: &Memory,
) -> Vec<Workspace> {
    let operand = |rank| {
        if Some(rank as usize) == comm.own_place() {
            return Workspace::copy_of(own);
        }
        let room = Workspace::new(own.layout(), own.count());
        posting.recv(rank, room.memory());
        room
    };
    ranks.map(operand).collect()
}

/// Combines what has come into `result`. Of no rank, it stays as it is.
pub(super) fn combine_at_end(
    posting: Posting,
    reducer: &Reducer,
    all: Vec<Workspace>,
    result: &Memory,
) -> Result<Pending, Fault> {
    let (reducer, mut result) = (reducer.clone(), result.clone());
    Ok(posting.and_then(Box::new(move || {
        if let Some(combined) = reducer.combine_all(&all) {
            result.copy_from(&combined);
        }
        Ok(())
    })))
}

collective! {
    /// Combines the data of all ranks at the root.
    fn MPI_Reduce() fn MPI_Reduce_c() fn MPI_Ireduce() fn MPI_Ireduce_c() fn MPI_Reduce_init() fn MPI_Reduce_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op, root: c_int) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op };
        library.prepare_reduce(&comm, arguments, root)
    }
    or library.reduce(&comm, Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op }, root)
}

collective! {
    /// Combines the data of all ranks everywhere.
    fn MPI_Allreduce() fn MPI_Allreduce_c() fn MPI_Iallreduce() fn MPI_Iallreduce_c() fn MPI_Allreduce_init() fn MPI_Allreduce_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op };
        library.prepare_all_reduce(&comm, arguments)
    }
    or library.all_reduce(&comm, Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op })
}

collective! {
    /// Combines the data of the ranks up to each.
    fn MPI_Scan() fn MPI_Scan_c() fn MPI_Iscan() fn MPI_Iscan_c() fn MPI_Scan_init() fn MPI_Scan_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op };
        library.prepare_scan(&comm, arguments, true)
    }
    or library.scan(&comm, Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op })
}

collective! {
    /// Combines the data of the ranks below each.
    fn MPI_Exscan() fn MPI_Exscan_c() fn MPI_Iexscan() fn MPI_Iexscan_c() fn MPI_Exscan_init() fn MPI_Exscan_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op };
        library.prepare_scan(&comm, arguments, false)
    }
    or library.exclusive_scan(&comm, Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: count.into(), datatype, op })
}

export! {
    /// Combines two buffers of this rank.
    fn MPI_Reduce_local() and fn MPI_Reduce_local_c(library; inbuf: In<c_void>, inoutbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let reducer = library.reducer(op, datatype)?;
        let input = library.memory(buffer!(inbuf, count, datatype))?;
        let inout = library.memory(buffer!(inoutbuf, count, datatype))?;
        reducer.check(input.layout())?;
        if input.begins_with(&inout) {
            return Err(Fault::aliased("inoutbuf", "the memory of inbuf"));
        }
        reducer.combine(&input, &inout);
        Ok(())
    }
}
