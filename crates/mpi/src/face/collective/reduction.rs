//! Reductions and scans.
//! Source: MPI 5.0, sections *Global Reduction Operations* and *Scan*.
//! Rules: operands are combined in the order of ranks, for every operator, so that all runs have the same bits.

use super::assembly::Combining;
use super::plan::{Gives, Plan, Takes};
use super::reducer::Reducer;
use super::{Prepared, collective};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::{Communicator, Role};
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory, buffer};
use crate::objects::op::Builtin;
use runahead::internals::collective::Kind;
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
    /// The operator, if the library has it itself.
    pub(super) operator: Option<Builtin>,
}

impl Operands {
    /// What these ranks give, combined for this one.
    fn combined(&self, ranks: Range<c_int>) -> Takes {
        let Operands { own, result, reducer, .. } = self;
        let result = (result.as_ref().unwrap_or(own).clone(), 0);
        Takes::Combined(ranks, Combining { reducer: reducer.clone(), own: own.clone(), result })
    }
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

    /// Checks at the first rank of an exclusive scan, which gets nothing, that recvbuf is another memory than sendbuf:
    /// what all ranks give alike, each refuses, so that none of them is one call ahead.
    pub(super) fn check_unused(&self) -> Result<(), Fault> {
        let is_same = self.sendbuf == self.recvbuf.cast_const() && self.count > 0;
        if is_same { Err(Fault::sent_and_received()) } else { Ok(()) }
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
        Ok(Operands { own, result, reducer, operator: Builtin::of(op) })
    }

    fn prepare_reduce(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        root: c_int,
    ) -> Result<impl Prepared + use<>, Fault> {
        let role = comm.role(root)?;
        // The root of an inter-communicator gives nothing itself.
        let sendbuf = match (role, comm.is_inter()) {
            (Role::Root, true) => std::ptr::without_provenance(MPI_IN_PLACE.0),
            _ => arguments.sendbuf,
        };
        let comm = comm.clone();
        let (kind, named) = (Kind::Ireduce, role.root(&comm));
        let operands = match role {
            Role::Idle => None,
            _ => Some(self.operands(Arguments { sendbuf, ..arguments }, role == Role::Root)?),
        };
        Ok(move || {
            let (gives, takes) = match (role, &operands) {
                (_, None) => (Gives::Nothing, Takes::Nothing),
                (Role::Other(root), Some(operands)) => {
                    (Gives::Same(root..root + 1, &operands.own), Takes::Nothing)
                }
                (_, Some(operands)) => (Gives::Nothing, operands.combined(0..comm.peers)),
            };
            let operator = operands.as_ref().and_then(|operands| operands.operator);
            Plan { kind, root: named, operator, gives, takes }.start(&comm)
        })
    }

    fn prepare_all_reduce(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
    ) -> Result<impl Prepared + use<>, Fault> {
        let operands = self.operands(arguments, true)?;
        let comm = comm.clone();
        Ok(move || {
            let gives = Gives::Same(0..comm.peers, &operands.own);
            let takes = operands.combined(0..comm.peers);
            let operator = operands.operator;
            Plan { kind: Kind::IallReduce, root: 0, operator, gives, takes }.start(&comm)
        })
    }

    /// A scan over lower ranks, with this one or without.
    fn prepare_scan(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        with_own: bool,
    ) -> Result<impl Prepared + use<>, Fault> {
        comm.intra()?;
        // The first rank of an exclusive scan gets nothing, so its recvbuf may be no buffer at all.
        let gets_result = with_own || comm.rank > 0 || MPI_IN_PLACE.is(arguments.sendbuf);
        if !gets_result {
            arguments.check_unused()?;
        }
        let operands = self.operands(arguments, gets_result)?;
        let kind = if with_own { Kind::Iscan } else { Kind::IexclusiveScan };
        let comm = comm.clone();
        Ok(move || {
            let gives = Gives::Same(comm.rank + 1..comm.size, &operands.own);
            let takes = operands.combined(0..comm.rank + c_int::from(with_own));
            Plan { kind, root: 0, operator: operands.operator, gives, takes }.start(&comm)
        })
    }
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
