//! Graphs that every rank knows as a whole, `MPI_Graph_create` (MPI 5.0, section 8.5.3).
//! Rules: `index[n]` counts the edges of nodes 0 to n; edges may repeat and may lead to their own node.
//! An array of the caller's is looked at only as far as an already checked one says.

use std::ffi::c_int;

use super::neighbours::Neighbours;
use super::{TopologyError, checked_rank};
use crate::abi::MPI_UNDEFINED;

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    index: Box<[c_int]>,
    edges: Box<[c_int]>,
}

/// How many edges a graph with this index has.
///
/// # Errors
///
/// If the index is negative or decreases.
pub fn edge_count(index: &[c_int]) -> Result<usize, TopologyError> {
    let mut before = 0;
    for (node, &value) in index.iter().enumerate() {
        if value < before {
            return Err(TopologyError::Index { node, value, before });
        }
        before = value;
    }
    Ok(before as usize)
}

impl Graph {
    /// A graph with a node for each element of `index`, for a communicator of `ranks` ranks.
    ///
    /// # Errors
    ///
    /// If the index decreases, an edge leads to no node, or there are more nodes than ranks.
    ///
    /// # Panics
    ///
    /// If there are fewer edges than the index counts.
    pub fn new(index: &[c_int], edges: &[c_int], ranks: usize) -> Result<Graph, TopologyError> {
        let nodes = index.len();
        if nodes > ranks {
            return Err(TopologyError::TooLarge { nodes: nodes as i64, ranks });
        }
        let edges = &edges[..edge_count(index)?];
        let known = |node: &c_int| usize::try_from(*node).is_ok_and(|node| node < nodes);
        if let Some(edge) = edges.iter().position(|node| !known(node)) {
            return Err(TopologyError::Edge { edge, node: edges[edge], nodes });
        }
        Ok(Graph { index: index.into(), edges: edges.into() })
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.index.len()
    }

    /// For each node the number of edges up to it and of it (`MPI_Graph_get`).
    pub fn index(&self) -> &[c_int] {
        &self.index
    }

    /// The nodes to which the edges lead, node by node.
    pub fn edges(&self) -> &[c_int] {
        &self.edges
    }

    /// The rank that a process should have: its own, or `MPI_UNDEFINED` if there is no node for it (`MPI_Graph_map`).
    pub fn map(&self, rank: usize) -> c_int {
        if rank < self.size() { rank as c_int } else { MPI_UNDEFINED }
    }

    /// The neighbours of a rank, in the order in which the graph was given (`MPI_Graph_neighbors`).
    ///
    /// # Errors
    ///
    /// If the graph has no such rank.
    pub fn neighbours(&self, rank: c_int) -> Result<&[c_int], TopologyError> {
        let node = checked_rank(rank, self.size())?;
        let begin = if node == 0 { 0 } else { self.index[node - 1] };
        Ok(&self.edges[begin as usize..self.index[node] as usize])
    }

    /// With whom a rank exchanges data: its neighbours are sources and destinations.
    ///
    /// # Errors
    ///
    /// If the graph has no such rank.
    pub fn exchanges(&self, rank: c_int) -> Result<Neighbours, TopologyError> {
        let ranks = self.neighbours(rank)?;
        Ok(Neighbours::in_order(ranks, ranks))
    }
}
