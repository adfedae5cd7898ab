//! Virtual topologies: Cartesian grids, graphs and distributed graphs, as tables and arithmetic.
//! Rules: a topology knows ranks of its communicator only; making one never reorders ranks; what neighbourhood
//! collectives need is one list of sources and one of destinations (MPI 5.0, chapter 8, *Virtual Topologies*).

use std::ffi::c_int;
use std::sync::Arc;

use super::Classified;
use crate::abi::{
    MPI_CART, MPI_DIST_GRAPH, MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_RANK, MPI_ERR_TOPOLOGY, MPI_GRAPH,
};

pub mod cart;
pub mod dims;
pub mod dist_graph;
pub mod graph;
pub mod neighbours;

pub use cart::Cart;
pub use dims::balanced_dims;
pub use dist_graph::DistGraph;
pub use graph::Graph;
pub use neighbours::Neighbours;

/// What is wrong with a topology, or with a question to one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// The communicator has no topology of the kind that the call needs.
    #[error("the communicator has {found} topology; the call needs {needed}")]
    Kind {
        /// What it has.
        found: &'static str,
        /// What the call needs.
        needed: &'static str,
    },
    /// The number of dimensions is negative.
    #[error("the number of dimensions is {0}, which is negative")]
    NegativeDimensions(c_int),
    /// A dimension cannot have this length.
    #[error("dimension {dimension} has the length {length}")]
    Length {
        /// The dimension.
        dimension: usize,
        /// Its length.
        length: c_int,
    },
    /// The nodes cannot be laid out in the dimensions that are given.
    #[error("{nodes} nodes cannot be laid out in a grid of which {given} places are given")]
    Indivisible {
        /// The number of nodes.
        nodes: c_int,
        /// The product of the dimensions that are given.
        given: i64,
    },
    /// The topology has more nodes than the communicator has ranks.
    #[error("the topology has {nodes} nodes, and the communicator {ranks} ranks")]
    TooLarge {
        /// The nodes of the topology.
        nodes: i64,
        /// The ranks of the communicator.
        ranks: usize,
    },
    /// An argument is negative that counts something.
    #[error("{argument} is {value}, which is negative")]
    Negative {
        /// The argument.
        argument: &'static str,
        /// Its value.
        value: c_int,
    },
    /// An array of the caller's is too short for the answer.
    #[error("{argument} is {room}, and the answer has {needed} elements")]
    Room {
        /// The argument that says how long the array is.
        argument: &'static str,
        /// Its value.
        room: c_int,
        /// What is needed.
        needed: usize,
    },
    /// A dimension that the grid does not have.
    #[error("direction {direction} is out of range: the grid has {dimensions} dimensions")]
    Direction {
        /// The direction.
        direction: c_int,
        /// The number of dimensions.
        dimensions: usize,
    },
    /// A coordinate outside of a dimension that is not periodic.
    #[error(
        "coordinate {coordinate} is out of range: dimension {dimension} has the length {length}"
    )]
    Coordinate {
        /// The dimension.
        dimension: usize,
        /// The coordinate.
        coordinate: c_int,
        /// The length of the dimension.
        length: c_int,
    },
    /// A rank that the communicator does not have.
    #[error("rank {rank} is out of range: there are {size} ranks")]
    Rank {
        /// The rank.
        rank: c_int,
        /// The number of ranks.
        size: usize,
    },
    /// The array of a graph that counts edges up to each node is less than it was at the node before.
    #[error("index[{node}] is {value}, which is less than {before}, the edges up to there")]
    Index {
        /// The node.
        node: usize,
        /// The number of edges up to it.
        value: c_int,
        /// The number of edges up to the node before.
        before: c_int,
    },
    /// An edge leads to a node that the graph does not have.
    #[error("edges[{edge}] is {node}, and the graph has {nodes} nodes")]
    Edge {
        /// The edge.
        edge: usize,
        /// The node.
        node: c_int,
        /// The number of nodes.
        nodes: usize,
    },
}

impl Classified for TopologyError {
    fn class(&self) -> c_int {
        match self {
            TopologyError::Kind { .. } => MPI_ERR_TOPOLOGY,
            TopologyError::NegativeDimensions(_)
            | TopologyError::Length { .. }
            | TopologyError::Indivisible { .. } => MPI_ERR_DIMS,
            TopologyError::Rank { .. } => MPI_ERR_RANK,
            TopologyError::TooLarge { .. }
            | TopologyError::Negative { .. }
            | TopologyError::Room { .. }
            | TopologyError::Direction { .. }
            | TopologyError::Coordinate { .. }
            | TopologyError::Index { .. }
            | TopologyError::Edge { .. } => MPI_ERR_ARG,
        }
    }
}

/// The topology of a communicator. Copies share their tables, so a duplicate of the communicator costs nothing.
#[derive(Clone, Debug)]
pub enum Topology {
    /// A Cartesian grid.
    Cart(Arc<Cart>),
    /// A graph that every rank knows as a whole.
    Graph(Arc<Graph>),
    /// A graph of which every rank knows its own edges.
    DistGraph(Arc<DistGraph>),
}

impl Topology {
    /// What `MPI_Topo_test` returns for it.
    pub fn kind(&self) -> c_int {
        match self {
            Topology::Cart(_) => MPI_CART,
            Topology::Graph(_) => MPI_GRAPH,
            Topology::DistGraph(_) => MPI_DIST_GRAPH,
        }
    }

    /// With whom `rank` exchanges data in a neighbourhood collective (MPI 5.0, section 8.6).
    ///
    /// # Errors
    ///
    /// If the topology has no such rank.
    pub fn neighbours(&self, rank: c_int) -> Result<Neighbours, TopologyError> {
        match self {
            Topology::Cart(cart) => cart.neighbours(rank),
            Topology::Graph(graph) => graph.exchanges(rank),
            Topology::DistGraph(graph) => Ok(graph.exchanges()),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Topology::Cart(_) => "a Cartesian",
            Topology::Graph(_) => "a graph",
            Topology::DistGraph(_) => "a distributed graph",
        }
    }
}

/// The topology of a communicator, if it has one.
///
/// # Errors
///
/// If it has none.
pub fn required(topology: Option<&Topology>) -> Result<&Topology, TopologyError> {
    topology.ok_or(TopologyError::Kind { found: "no", needed: "one" })
}

/// The grid of a communicator.
///
/// # Errors
///
/// If it has no topology, or one of another kind.
pub fn cart(topology: Option<&Topology>) -> Result<&Arc<Cart>, TopologyError> {
    match topology {
        Some(Topology::Cart(cart)) => Ok(cart),
        other => Err(wrong_kind(other, "a Cartesian one")),
    }
}

/// The graph of a communicator.
///
/// # Errors
///
/// If it has no topology, or one of another kind.
pub fn graph(topology: Option<&Topology>) -> Result<&Arc<Graph>, TopologyError> {
    match topology {
        Some(Topology::Graph(graph)) => Ok(graph),
        other => Err(wrong_kind(other, "a graph")),
    }
}

/// The distributed graph of a communicator.
///
/// # Errors
///
/// If it has no topology, or one of another kind.
pub fn dist_graph(topology: Option<&Topology>) -> Result<&Arc<DistGraph>, TopologyError> {
    match topology {
        Some(Topology::DistGraph(graph)) => Ok(graph),
        other => Err(wrong_kind(other, "a distributed graph")),
    }
}

/// A rank as an index, if there are so many.
pub(crate) fn checked_rank(rank: c_int, size: usize) -> Result<usize, TopologyError> {
    let index = usize::try_from(rank).ok().filter(|index| *index < size);
    index.ok_or(TopologyError::Rank { rank, size })
}

/// An array of the caller's that is to get `needed` elements must be so long.
///
/// # Errors
///
/// If it is not.
pub fn checked_room(
    argument: &'static str,
    room: c_int,
    needed: usize,
) -> Result<(), TopologyError> {
    let fits = usize::try_from(room).is_ok_and(|room| room >= needed);
    if fits { Ok(()) } else { Err(TopologyError::Room { argument, room, needed }) }
}

#[cfg(test)]
mod tests;

fn wrong_kind(topology: Option<&Topology>, needed: &'static str) -> TopologyError {
    TopologyError::Kind { found: topology.map_or("no", Topology::name), needed }
}
