//! Distributed graphs by MPI's names.
//! Source: MPI 5.0, section *Distributed Graph Constructor*.
//! Rules: each edge that is given is told to both of its ends, in the order in which it was given; the weights
//! `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` are addresses that are compared and never read.

use super::tell;
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::collective::Posting;
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::Memory;
use crate::face::objects::length;
use crate::objects::topology::dist_graph::{Edge, Ends, Given, deal, edge_count};
use crate::objects::topology::{DistGraph, Topology, dist_graph};
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;

/// The bytes of an edge on its way.
const EDGE_BYTES: usize = 12;

/// The weights of a call, unless it has none.
fn weights(
    argument: &'static str,
    weights: In<c_int>,
    count: usize,
) -> Result<Option<&'static [c_int]>, Fault> {
    if MPI_UNWEIGHTED.is(weights.address()) {
        return Ok(None);
    }
    if MPI_WEIGHTS_EMPTY.is(weights.address()) {
        return match count {
            0 => Ok(Some(&[])),
            _ => {
                let message =
                    format!("{argument} is MPI_WEIGHTS_EMPTY, and there are {count} edges");
                Err(Fault::new(MPI_ERR_ARG, message))
            }
        };
    }
    weights.slice(argument, count).map(Some)
}

impl Library {
    fn dist_graph(&self, comm: MPI_Comm) -> Result<Arc<DistGraph>, Fault> {
        Ok(Arc::clone(dist_graph(self.comm(comm)?.topology.get())?))
    }

    /// Tells all ranks of the edges that they have an end of. Returns those of this rank, in the order of ranks.
    fn exchange_edges(&self, comm: &Rc<Communicator>, edges: &[Edge]) -> Result<Vec<Edge>, Fault> {
        let size = comm.size as usize;
        let (told, counts) = deal(edges, size);
        // First how many, then the edges, each by one message of every rank to every other.
        let counts: Vec<Vec<u8>> =
            counts.iter().map(|count| (*count as u64).to_ne_bytes().to_vec()).collect();
        let lengths = self.exchange_bytes(comm, &counts, &vec![8; size])?;
        let mut rest = told.as_slice();
        let parcels: Vec<Vec<u8>> = counts
            .iter()
            .map(|count| {
                let (part, behind) = rest.split_at(number(count));
                rest = behind;
                part.iter().flat_map(encoded).collect()
            })
            .collect();
        let lengths: Vec<usize> = lengths.iter().map(|count| number(count) * EDGE_BYTES).collect();
        let parcels = self.exchange_bytes(comm, &parcels, &lengths)?;
        let edges = parcels.iter().flat_map(|parcel| parcel.as_chunks::<EDGE_BYTES>().0);
        Ok(edges.map(decoded).collect())
    }

    /// Gives each rank some bytes, and takes so many of it.
    fn exchange_bytes(
        &self,
        comm: &Rc<Communicator>,
        outgoing: &[Vec<u8>],
        lengths: &[usize],
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let mut incoming: Vec<Vec<u8>> = lengths.iter().map(|length| vec![0; *length]).collect();
        let mut posting = Posting::new(comm);
        for (from, room) in (0..).zip(&mut incoming) {
            posting.recv(from, Memory::of_bytes(room));
        }
        for (to, bytes) in (0..).zip(outgoing) {
            posting.send_bytes(to, bytes);
        }
        posting.done().complete(comm)?;
        Ok(incoming)
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes) as usize)
}

fn encoded(edge: &Edge) -> [u8; EDGE_BYTES] {
    let mut bytes = [0; EDGE_BYTES];
    let (words, _) = bytes.as_chunks_mut::<4>();
    for (word, value) in words.iter_mut().zip([edge.source, edge.destination, edge.weight]) {
        *word = value.to_ne_bytes();
    }
    bytes
}

fn decoded(bytes: &[u8; EDGE_BYTES]) -> Edge {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |at: usize| c_int::from_ne_bytes(words[at]);
    Edge { source: word(0), destination: word(1), weight: word(2) }
}

export! {
    /// Makes a communicator with a graph of which every rank gives its own edges.
    fn MPI_Dist_graph_create_adjacent(library; comm_old: MPI_Comm, indegree: c_int, sources: In<c_int>, sourceweights: In<c_int>, outdegree: c_int, destinations: In<c_int>, destweights: In<c_int>, info: MPI_Info, _reorder: c_int, comm_dist_graph: Out<MPI_Comm>) on comm_old {
        library.check_hints(info)?;
        let comm = library.comm_called("comm_old", comm_old)?;
        let (into, out) = (length("indegree", indegree)?, length("outdegree", outdegree)?);
        let incoming = (sources.slice("sources", into)?, weights("sourceweights", sourceweights, into)?);
        let outgoing = (destinations.slice("destinations", out)?, weights("destweights", destweights, out)?);
        let graph = DistGraph::adjacent(comm.size as usize, incoming, outgoing)?;
        let made = library.create_with_topology(&comm, comm.size as usize, Topology::DistGraph(Arc::new(graph)))?;
        comm_dist_graph.set("comm_dist_graph", made)
    }

    /// Makes a communicator with a graph of which any rank gives any edges.
    fn MPI_Dist_graph_create(library; comm_old: MPI_Comm, n: c_int, sources: In<c_int>, degrees: In<c_int>, destinations: In<c_int>, edgeweights: In<c_int>, info: MPI_Info, _reorder: c_int, comm_dist_graph: Out<MPI_Comm>) on comm_old {
        library.check_hints(info)?;
        let comm = library.comm_called("comm_old", comm_old)?;
        comm.intra()?;
        let nodes = length("n", n)?;
        let degrees = degrees.slice("degrees", nodes)?;
        let count = edge_count(degrees)?;
        let edgeweights = weights("weights", edgeweights, count)?;
        let given = Given {
            sources: sources.slice("sources", nodes)?,
            degrees,
            destinations: destinations.slice("destinations", count)?,
            weights: edgeweights,
        };
        let edges = library.exchange_edges(&comm, &given.edges(comm.size as usize)?)?;
        let graph = DistGraph::from_edges(comm.rank, edges, edgeweights.is_some());
        let made = library.create_with_topology(&comm, comm.size as usize, Topology::DistGraph(Arc::new(graph)))?;
        comm_dist_graph.set("comm_dist_graph", made)
    }

    /// How many edges this rank has, and whether they have weights.
    fn MPI_Dist_graph_neighbors_count(library; comm: MPI_Comm, indegree: Out<c_int>, outdegree: Out<c_int>, weighted: Out<c_int>) on comm {
        let graph = library.dist_graph(comm)?;
        indegree.set("indegree", graph.incoming.ranks.len() as c_int)?;
        outdegree.set("outdegree", graph.outgoing.ranks.len() as c_int)?;
        weighted.set("weighted", c_int::from(graph.weighted))
    }

    /// The edges of this rank: as many as the caller has room for.
    fn MPI_Dist_graph_neighbors(library; comm: MPI_Comm, maxindegree: c_int, sources: Out<c_int>, sourceweights: Out<c_int>, maxoutdegree: c_int, destinations: Out<c_int>, destweights: Out<c_int>) on comm {
        let graph = library.dist_graph(comm)?;
        let tell_ends = |ends: &Ends, most: usize, ranks: (&'static str, Out<c_int>), weights: (&'static str, Out<c_int>)| {
            tell(ranks.0, ranks.1, ends.ranks.iter().copied().take(most))?;
            let address = weights.1.address();
            let is_wanted = !MPI_UNWEIGHTED.is(address) && !MPI_WEIGHTS_EMPTY.is(address);
            if is_wanted && graph.weighted {
                tell(weights.0, weights.1, ends.weights.iter().copied().take(most))?;
            }
            Ok::<(), Fault>(())
        };
        let (into, out) = (length("maxindegree", maxindegree)?, length("maxoutdegree", maxoutdegree)?);
        tell_ends(&graph.incoming, into, ("sources", sources), ("sourceweights", sourceweights))?;
        tell_ends(&graph.outgoing, out, ("destinations", destinations), ("destweights", destweights))
    }
}
