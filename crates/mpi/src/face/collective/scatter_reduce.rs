//! Reductions whose result is scattered: each rank gets the combined data of its own block.
//! Source: MPI 5.0, section *Reduce-Scatter*.
//! Rules: a rank sends each other only the block that the other gets.

use super::assembly::Combining;
use super::plan::{Gives, Plan, Takes};
use super::reduction::{Arguments, Operands, check_apart};
use super::{Places, Prepared, Wide, collective, counted};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::Buffer;
use runahead::internals::collective::Kind;
use std::ffi::c_void;
use std::rc::Rc;

impl Library {
    fn prepare_reduce_scatter<C: Iterator<Item = isize> + Clone>(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        counts: C,
    ) -> Result<impl Prepared + use<C>, Fault> {
        let (mut all, mut mine, mut are_equal, first) = (0, (0, 0), true, counts.clone().next());
        for (place, count) in counts.clone().enumerate() {
            are_equal &= Some(count) == first;
            let count = counted("recvcounts", count)?;
            if place == comm.rank as usize {
                mine = (all, count);
            }
            all = usize::checked_add(all, count)
                .ok_or_else(|| Fault::value(MPI_ERR_COUNT, "recvcounts", count))?;
        }
        let received =
            Buffer { names: &["recvbuf", "recvcounts", "datatype"], ..arguments.received() };
        // In place, the data of all blocks lie where the result goes.
        let is_in_place = MPI_IN_PLACE.is(arguments.sendbuf);
        let arguments = Arguments { count: all as i64, ..arguments };
        let Operands { own, reducer, operator, .. } = self.operands(arguments, is_in_place)?;
        let result = match is_in_place {
            true => own.part(0, mine.1),
            false => {
                let result = self.memory(Buffer { count: mine.1 as i64, ..received })?;
                check_apart(Some(&own), Some(&result))?;
                result
            }
        };
        // How the remote group shares the result, this one does not know: each takes its own part of all.
        let blocks = match (comm.is_inter(), are_equal) {
            (true, _) => Places::one(own),
            (false, true) => Places::Equal(own.part(0, mine.1), comm.size as usize),
            (false, false) => {
                let mut at = 0;
                Places::listed(counts.map(|count| {
                    let block = own.part(at, count as usize);
                    at += count;
                    Ok(block)
                }))?
            }
        };
        let comm = comm.clone();
        Ok(move || {
            let (own, first, gives) = match comm.own_place() {
                None => (0, mine.0, None),
                Some(place) => (place, 0, Some(Gives::Parts(&blocks))),
            };
            let (own, result) = (blocks.at(own), (result.clone(), first));
            let whole = own.clone();
            let gives = gives.unwrap_or(Gives::Same(0..comm.peers, &whole));
            let combining = Combining { reducer: reducer.clone(), own, result };
            let takes = Takes::Combined(0..comm.peers, combining);
            Plan { kind: Kind::IreduceScatter, root: 0, operator, gives, takes }.start(&comm)
        })
    }
}

/// As many counts as ranks, read from the program.
fn read<C: Wide>(
    comm: &Communicator,
    counts: In<C>,
) -> Result<impl Iterator<Item = isize> + Clone + use<C>, Fault> {
    Ok(counts.slice("recvcounts", comm.size as usize)?.iter().map(|count| count.wide()))
}

/// The same count for each rank.
fn equal<C: Wide>(comm: &Communicator, count: C) -> impl Iterator<Item = isize> + Clone + use<C> {
    std::iter::repeat_n(count.wide(), comm.size as usize)
}

collective! {
    /// Combines the data of all ranks, and gives each a block of its own size.
    fn MPI_Reduce_scatter() fn MPI_Reduce_scatter_c() fn MPI_Ireduce_scatter() fn MPI_Ireduce_scatter_c() fn MPI_Reduce_scatter_init() fn MPI_Reduce_scatter_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, recvcounts: In<Count>, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: 0, datatype, op };
        library.prepare_reduce_scatter(&comm, arguments, read(&comm, recvcounts)?)
    }
    or None
}

collective! {
    /// Combines the data of all ranks, and gives each a block of the same size.
    fn MPI_Reduce_scatter_block() fn MPI_Reduce_scatter_block_c() fn MPI_Ireduce_scatter_block() fn MPI_Ireduce_scatter_block_c() fn MPI_Reduce_scatter_block_init() fn MPI_Reduce_scatter_block_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, recvcount: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: 0, datatype, op };
        library.prepare_reduce_scatter(&comm, arguments, equal(&comm, recvcount))
    }
    or None
}
