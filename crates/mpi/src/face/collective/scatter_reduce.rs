//! Reductions whose result is scattered: each rank gets the combined data of its own block.
//! Source: MPI 5.0, section *Reduce-Scatter*.
//! Rules: a rank sends each other only the block that the other gets.

use super::assembly::Combining;
use super::plan::{Gives, Plan, Takes};
use super::reduction::{Arguments, Operands, check_apart};
use super::{Prepared, Wide, collective, counted, widened};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Memory};
use runahead::internals::collective::Kind;
use std::ffi::c_void;
use std::rc::Rc;

impl Library {
    fn prepare_reduce_scatter(
        &self,
        comm: &Rc<Communicator>,
        arguments: Arguments,
        counts: &[isize],
    ) -> Result<impl Prepared + use<>, Fault> {
        let mut all = 0;
        let mut ranges = Vec::with_capacity(counts.len());
        for &count in counts {
            let count = counted("recvcounts", count)?;
            ranges.push((all, count));
            all = usize::checked_add(all, count)
                .ok_or_else(|| Fault::value(MPI_ERR_COUNT, "recvcounts", count))?;
        }
        let mine = ranges[comm.rank as usize];
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
        let blocks: Vec<Memory> = match comm.is_inter() {
            true => vec![own],
            false => ranges.into_iter().map(|(at, count)| own.part(at as isize, count)).collect(),
        };
        let comm = comm.clone();
        Ok(move || {
            let (own, first, gives) = match comm.own_place() {
                None => (&blocks[0], mine.0, Gives::Same(0..comm.peers, &blocks[0])),
                Some(place) => (&blocks[place], 0, Gives::Parts(&blocks)),
            };
            let (own, result) = (own.clone(), (result.clone(), first));
            let combining = Combining { reducer: reducer.clone(), own, result };
            let takes = Takes::Combined(0..comm.peers, combining);
            Plan { kind: Kind::IreduceScatter, root: 0, operator, gives, takes }.start(&comm)
        })
    }
}

/// As many counts as ranks, read from the program.
fn read<C: Wide>(comm: &Communicator, counts: In<C>) -> Result<Vec<isize>, Fault> {
    Ok(widened(counts.slice("recvcounts", comm.size as usize)?))
}

/// The same count for each rank.
fn equal<C: Wide>(comm: &Communicator, count: C) -> Vec<isize> {
    vec![count.wide(); comm.size as usize]
}

collective! {
    /// Combines the data of all ranks, and gives each a block of its own size.
    fn MPI_Reduce_scatter() fn MPI_Reduce_scatter_c() fn MPI_Ireduce_scatter() fn MPI_Ireduce_scatter_c() fn MPI_Reduce_scatter_init() fn MPI_Reduce_scatter_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, recvcounts: In<Count>, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: 0, datatype, op };
        library.prepare_reduce_scatter(&comm, arguments, &read(&comm, recvcounts)?)
    }
    or None
}

collective! {
    /// Combines the data of all ranks, and gives each a block of the same size.
    fn MPI_Reduce_scatter_block() fn MPI_Reduce_scatter_block_c() fn MPI_Ireduce_scatter_block() fn MPI_Ireduce_scatter_block_c() fn MPI_Reduce_scatter_block_init() fn MPI_Reduce_scatter_block_init_c()
    (library, comm; sendbuf: In<c_void>, recvbuf: Out<c_void>, recvcount: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let arguments = Arguments { sendbuf: sendbuf.address(), recvbuf: recvbuf.address(), count: 0, datatype, op };
        library.prepare_reduce_scatter(&comm, arguments, &equal(&comm, recvcount))
    }
    or None
}
