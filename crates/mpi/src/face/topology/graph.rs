//! Graphs that every rank knows as a whole, by MPI's names.
//! Source: MPI 5.0, sections *Graph Constructor* and *Topology Inquiry Functions*.
//! Rules: the array of edges is looked at as far as the checked index says.

use super::tell;
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::objects::length;
use crate::objects::topology::{Graph, Topology, checked_room, graph};
use std::ffi::c_int;
use std::sync::Arc;

impl Library {
    /// The graph of a communicator.
    fn graph(&self, comm: MPI_Comm) -> Result<Arc<Graph>, Fault> {
        Ok(Arc::clone(graph(self.comm(comm)?.topology.get())?))
    }
}

/// The graph that a call describes.
fn described(
    comm: &Communicator,
    nnodes: c_int,
    (index, edges): (In<c_int>, In<c_int>),
) -> Result<Graph, Fault> {
    let index = index.slice("index", length("nnodes", nnodes)?)?;
    let edges = edges.slice("edges", graph::edge_count(index)?)?;
    Ok(Graph::new(index, edges, comm.size as usize)?)
}

export! {
    /// Makes a communicator with a graph.
    fn MPI_Graph_create(library; comm_old: MPI_Comm, nnodes: c_int, index: In<c_int>, edges: In<c_int>, _reorder: c_int, comm_graph: Out<MPI_Comm>) on comm_old {
        let comm = library.comm_called("comm_old", comm_old)?;
        let graph = described(&comm, nnodes, (index, edges))?;
        let size = graph.size();
        let made = library.create_with_topology(&comm, size, Topology::Graph(Arc::new(graph)))?;
        comm_graph.set("comm_graph", made)
    }

    /// The rank that this one should have in a graph.
    fn MPI_Graph_map(library; comm: MPI_Comm, nnodes: c_int, index: In<c_int>, edges: In<c_int>, newrank: Out<c_int>) on comm {
        let comm = library.comm(comm)?;
        let graph = described(&comm, nnodes, (index, edges))?;
        newrank.set("newrank", graph.map(comm.rank as usize))
    }

    /// How many nodes and edges the graph has.
    fn MPI_Graphdims_get(library; comm: MPI_Comm, nnodes: Out<c_int>, nedges: Out<c_int>) on comm {
        let graph = library.graph(comm)?;
        nnodes.set("nnodes", graph.size() as c_int)?;
        nedges.set("nedges", graph.edges().len() as c_int)
    }

    /// The graph.
    fn MPI_Graph_get(library; comm: MPI_Comm, maxindex: c_int, maxedges: c_int, index: Out<c_int>, edges: Out<c_int>) on comm {
        let graph = library.graph(comm)?;
        checked_room("maxindex", maxindex, graph.size())?;
        checked_room("maxedges", maxedges, graph.edges().len())?;
        tell("index", index, graph.index().iter().copied())?;
        tell("edges", edges, graph.edges().iter().copied())
    }

    /// How many neighbours a rank has.
    fn MPI_Graph_neighbors_count(library; comm: MPI_Comm, rank: c_int, nneighbors: Out<c_int>) on comm {
        let count = library.graph(comm)?.neighbours(rank)?.len();
        nneighbors.set("nneighbors", count as c_int)
    }

    /// The neighbours of a rank.
    fn MPI_Graph_neighbors(library; comm: MPI_Comm, rank: c_int, maxneighbors: c_int, neighbors: Out<c_int>) on comm {
        let graph = library.graph(comm)?;
        let ranks = graph.neighbours(rank)?;
        checked_room("maxneighbors", maxneighbors, ranks.len())?;
        tell("neighbors", neighbors, ranks.iter().copied())
    }
}
