//! Collectives of neighbours, on grids and graphs: whose block becomes which.
//! Rules: in a grid what goes down a dimension comes in from above; the k-th edge between two is the k-th at both ends.

use super::collectives::{Entry, Lists, Way};
use super::groups::{Group, Topology, shifted};
use super::program::Program;

impl Program {
    /// Collectives of neighbours, on a communicator with a topology.
    pub fn step_neighbours(&mut self) {
        let with_topology: Vec<_> = (0..self.comms.len())
            .filter(|comm| {
                let groups = self.groups(*comm);
                !groups.is_empty()
                    && groups.iter().all(|group| !matches!(group.topology, Topology::None))
            })
            .collect();
        if with_topology.is_empty() {
            return;
        }
        let comm = with_topology[self.rng.usize(0..with_topology.len())];
        let kind = self.rng.usize(0..5);
        let names = ["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"];
        let name = format!("neighbor_{}", names[kind]);
        let lists = [Lists::None, Lists::Extents, Lists::None, Lists::Extents, Lists::Bytes][kind];
        let (mut entries, mut ways) = (Vec::new(), Vec::new());
        for group in self.groups(comm) {
            let base = entries.len();
            let first = self.exact_pair();
            let neighbours: Vec<_> =
                (0..group.sides[0].len()).map(|rank| neighbours(&group, rank)).collect();
            let edges = edges(&group, &neighbours);
            let each: Vec<_> =
                edges.iter().map(|_| if kind == 4 { self.exact_pair() } else { first }).collect();
            for (rank, member) in group.sides[0].iter().enumerate() {
                let mut entry = Entry::new(*member);
                let pair_of = |from: bool, at: usize| {
                    let found = edges.iter().position(|edge| {
                        let end =
                            if from { (edge.from, edge.sent) } else { (edge.into, edge.received) };
                        end == (rank, at)
                    });
                    found.map_or(first, |edge| each[edge])
                };
                let sends: Vec<_> = match kind {
                    0 | 1 => vec![first.send],
                    _ => (0..neighbours[rank].1.len()).map(|at| pair_of(true, at).send).collect(),
                };
                let receives: Vec<_> =
                    (0..neighbours[rank].0.len()).map(|at| pair_of(false, at).receive).collect();
                entry.send = self.side(&sends, if kind < 2 { Lists::None } else { lists });
                entry.receive = self.side(&receives, lists);
                if sends.is_empty() {
                    (entry.send.of, entry.send.count) = first.send;
                }
                if receives.is_empty() {
                    (entry.receive.of, entry.receive.count) = first.receive;
                }
                entries.push(entry);
            }
            ways.extend(edges.iter().map(|edge| Way {
                from: (base + edge.from, if kind < 2 { 0 } else { edge.sent }),
                into: (base + edge.into, edge.received),
            }));
        }
        self.add_movement(&name, comm, &entries, &ways);
    }
}

/// Sources and destinations; none where a grid ends.
type Neighbours = (Vec<Option<usize>>, Vec<Option<usize>>);

/// The sources and destinations of a rank, in the order of their blocks.
fn neighbours(group: &Group, rank: usize) -> Neighbours {
    match &group.topology {
        Topology::None => (Vec::new(), Vec::new()),
        Topology::Cart { dims, periods } => {
            let all: Vec<_> = (0..dims.len())
                .flat_map(|dimension| {
                    [-1, 1].map(|steps| shifted(dims, periods, rank, dimension, steps))
                })
                .collect();
            (all.clone(), all)
        }
        Topology::Graph(edges) => {
            let all: Vec<_> = edges[rank].iter().copied().map(Some).collect();
            (all.clone(), all)
        }
        Topology::Distributed { edges, .. } => {
            let (sources, destinations) = &edges[rank];
            (
                sources.iter().copied().map(Some).collect(),
                destinations.iter().copied().map(Some).collect(),
            )
        }
    }
}

/// A block of one rank that another receives as one of its blocks.
struct Edge {
    from: usize,
    sent: usize,
    into: usize,
    received: usize,
}

/// Which block of a destination each block of a source becomes (MPI 5.0, section 8.6).
fn edges(group: &Group, neighbours: &[Neighbours]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (from, (_, destinations)) in neighbours.iter().enumerate() {
        for (sent, into) in destinations.iter().enumerate() {
            let Some(into) = *into else { continue };
            let received = match group.topology {
                // What goes down a dimension comes in from above.
                Topology::Cart { .. } => sent ^ 1,
                // The k-th edge between two is the k-th at both ends.
                _ => {
                    let before =
                        destinations[..sent].iter().filter(|other| **other == Some(into)).count();
                    let sources = neighbours[into].0.iter().enumerate();
                    let mut same = sources.filter(|(_, source)| **source == Some(from));
                    same.nth(before).expect("an edge has two ends").0
                }
            };
            edges.push(Edge { from, sent, into, received });
        }
    }
    edges
}
