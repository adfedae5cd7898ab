//! Topologies of communicators by MPI's names, and neighbourhood collectives.
//! Source: MPI 5.0, chapter *Virtual Topologies for MPI Processes*.
//! Rules: no rank is reordered, so a rank keeps its number in the new communicator; ranks without a place get none.

pub(crate) mod cart;
pub(crate) mod dist_graph;
pub(crate) mod graph;
pub(crate) mod neighbour;

use super::border::Out;
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::objects::topology::{Topology, TopologyError, balanced_dims};
use std::ffi::c_int;

impl Library {
    /// Makes a communicator of the first `size` ranks of `comm`, with a topology. The others get none.
    fn create_with_topology(
        &self,
        comm: &Communicator,
        size: usize,
        topology: Topology,
    ) -> Result<MPI_Comm, Fault> {
        comm.intra()?;
        let has_place = (comm.rank as usize) < size;
        let made = self.split(comm, has_place.then_some(0), comm.rank.into())?;
        self.give_topology(made, topology)?;
        Ok(made)
    }

    /// Gives a communicator that is being made its topology.
    fn give_topology(&self, made: MPI_Comm, topology: Topology) -> Result<(), Fault> {
        if made != MPI_COMM_NULL {
            self.comm(made)?.topology.get_or_init(|| topology);
        }
        Ok(())
    }
}

/// How many dimensions there are to be.
fn dimensions(ndims: c_int) -> Result<usize, Fault> {
    usize::try_from(ndims).map_err(|_| TopologyError::NegativeDimensions(ndims).into())
}

/// Writes numbers to an array of the caller's.
fn tell<T: Copy>(
    argument: &'static str,
    out: Out<T>,
    values: impl IntoIterator<Item = T>,
) -> Result<(), Fault> {
    values.into_iter().enumerate().try_for_each(|(at, value)| out.set_at(argument, at, value))
}

export! {
    /// Which kind of topology a communicator has.
    fn MPI_Topo_test(library; comm: MPI_Comm, status: Out<c_int>) on comm {
        let comm = library.comm(comm)?;
        status.set("status", comm.topology.get().map_or(MPI_UNDEFINED, Topology::kind))
    }

    /// Lays nodes out in a grid.
    fn MPI_Dims_create(_library; nnodes: c_int, ndims: c_int, dims: Out<c_int>) {
        let dims = dims.slice("dims", dimensions(ndims)?)?;
        Ok(balanced_dims(nnodes, dims)?)
    }
}
