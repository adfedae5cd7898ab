//! Distributed graphs: each rank knows its own edges (MPI 5.0, section 8.5.4, *Distributed Graph Constructor*).
//! Rules: an adjacent graph keeps the caller's order; in another one, edges are in the order of the ranks that
//! gave them, then as given. Both ends of several edges of one pair see them in the same order.

use std::ffi::c_int;

use super::neighbours::Neighbours;
use super::{TopologyError, checked_rank};

/// The edges of one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistGraph {
    /// What comes in.
    pub incoming: Ends,
    /// What goes out.
    pub outgoing: Ends,
    /// Whether the graph was made with weights. Without, the weights here are not to be shown.
    pub weighted: bool,
}

/// The other ends of a rank's edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The ranks there.
    pub ranks: Vec<c_int>,
    /// The weights of the edges.
    pub weights: Vec<c_int>,
}

impl Ends {
    fn checked(
        ranks: &[c_int],
        weights: Option<&[c_int]>,
        size: usize,
    ) -> Result<Ends, TopologyError> {
        for rank in ranks {
            checked_rank(*rank, size)?;
        }
        let weights = weights.map_or_else(|| vec![1; ranks.len()], <[c_int]>::to_vec);
        check_weights(&weights)?;
        Ok(Ends { ranks: ranks.to_vec(), weights })
    }

    fn push(&mut self, rank: c_int, weight: c_int) {
        self.ranks.push(rank);
        self.weights.push(weight);
    }
}

/// One edge, as ranks tell each other of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Edge {
    /// Where it begins.
    pub source: c_int,
    /// Where it ends.
    pub destination: c_int,
    /// Its weight; 1 without weights.
    pub weight: c_int,
}

/// What one rank gives to `MPI_Dist_graph_create`.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The nodes whose outgoing edges it gives.
    pub sources: &'a [c_int],
    /// How many edges go out of each of them.
    pub degrees: &'a [c_int],
    /// Where they end, node by node.
    pub destinations: &'a [c_int],
    /// Their weights, if they have some.
    pub weights: Option<&'a [c_int]>,
}

/// How many edges these degrees count.
///
/// # Errors
///
/// If one is negative.
pub fn edge_count(degrees: &[c_int]) -> Result<usize, TopologyError> {
    match degrees.iter().find(|degree| **degree < 0) {
        Some(&value) => Err(TopologyError::Negative { argument: "a degree", value }),
        None => Ok(degrees.iter().map(|degree| *degree as usize).sum()),
    }
}

impl Given<'_> {
    /// The edges, for a communicator of `size` ranks.
    ///
    /// # Errors
    ///
    /// If a degree or a weight is negative, or there is no such rank.
    ///
    /// # Panics
    ///
    /// If there are fewer destinations or weights than the degrees count.
    pub fn edges(&self, size: usize) -> Result<Vec<Edge>, TopologyError> {
        let count = edge_count(self.degrees)?;
        let weights = self.weights.map(|weights| &weights[..count]);
        check_weights(weights.unwrap_or_default())?;
        let nodes = self.sources.iter().zip(self.degrees);
        let sources =
            nodes.flat_map(|(source, degree)| std::iter::repeat_n(*source, *degree as usize));
        let edges = sources.zip(&self.destinations[..count]).enumerate();
        edges
            .map(|(at, (source, &destination))| {
                checked_rank(source, size)?;
                checked_rank(destination, size)?;
                let weight = weights.map_or(1, |weights| weights[at]);
                Ok(Edge { source, destination, weight })
            })
            .collect()
    }
}

/// The edges that this rank has to tell each rank of, in the order of the ranks, and how many for each.
///
/// An edge is told to both of its ends, and once to a rank that is both.
pub fn deal(edges: &[Edge], size: usize) -> (Vec<Edge>, Vec<usize>) {
    let ends = |edge: &Edge| {
        let other = (edge.destination != edge.source).then_some(edge.destination as usize);
        std::iter::once(edge.source as usize).chain(other)
    };
    let mut told: Vec<(usize, Edge)> =
        edges.iter().flat_map(|edge| ends(edge).map(move |rank| (rank, *edge))).collect();
    // A stable sort: the edges for one rank stay in the order in which they were given.
    told.sort_by_key(|(rank, _)| *rank);
    let mut counts = vec![0; size];
    for (rank, _) in &told {
        counts[*rank] += 1;
    }
    (told.into_iter().map(|(_, edge)| edge).collect(), counts)
}

impl DistGraph {
    /// The graph of a rank that gives its own edges (`MPI_Dist_graph_create_adjacent`).
    ///
    /// # Errors
    ///
    /// If there is no such rank, or a weight is negative.
    pub fn adjacent(
        size: usize,
        (sources, source_weights): (&[c_int], Option<&[c_int]>),
        (destinations, destination_weights): (&[c_int], Option<&[c_int]>),
    ) -> Result<DistGraph, TopologyError> {
        Ok(DistGraph {
            incoming: Ends::checked(sources, source_weights, size)?,
            outgoing: Ends::checked(destinations, destination_weights, size)?,
            weighted: source_weights.is_some() || destination_weights.is_some(),
        })
    }

    /// The graph of rank `me` from the edges that all ranks have told it, in the order of these ranks.
    pub fn from_edges(
        me: c_int,
        edges: impl IntoIterator<Item = Edge>,
        weighted: bool,
    ) -> DistGraph {
        let mut graph = DistGraph { weighted, ..DistGraph::default() };
        for edge in edges {
            if edge.source == me {
                graph.outgoing.push(edge.destination, edge.weight);
            }
            if edge.destination == me {
                graph.incoming.push(edge.source, edge.weight);
            }
        }
        graph
    }

    /// With whom the rank exchanges data.
    pub fn exchanges(&self) -> Neighbours {
        Neighbours::in_order(&self.incoming.ranks, &self.outgoing.ranks)
    }
}

fn check_weights(weights: &[c_int]) -> Result<(), TopologyError> {
    match weights.iter().find(|weight| **weight < 0) {
        Some(&value) => Err(TopologyError::Negative { argument: "a weight", value }),
        None => Ok(()),
    }
}
