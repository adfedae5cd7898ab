//! Grids and graphs against coordinates and edge lists that are searched step by step.
//! Rules: what one rank sends in a neighbourhood, its neighbour receives in the block that MPI 5.0 names.
//! The check of that is shown to reject a grid whose lanes are the same in both directions.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::dist_graph::{Edge, Given, deal};
use super::neighbours::Neighbour;
use super::*;
use crate::abi::{MPI_PROC_NULL, MPI_UNDEFINED};

fn grid() -> impl Strategy<Value = Cart> {
    prop::collection::vec((1..5, any::<bool>()), 0..4).prop_map(|sides| {
        let (dims, periods): (Vec<c_int>, Vec<bool>) = sides.into_iter().unzip();
        Cart::new(&dims, &periods, 64).unwrap()
    })
}

/// All coordinates of a grid, in the order of the ranks.
fn all_coords(dims: &[c_int]) -> Vec<Vec<c_int>> {
    dims.iter().fold(vec![vec![]], |all, length| {
        let longer = |coords: Vec<c_int>| {
            (0..*length).map(move |next| coords.iter().copied().chain([next]).collect())
        };
        all.into_iter().flat_map(longer).collect()
    })
}

proptest! {
    #[test]
    fn coordinates_are_in_row_major_order(cart in grid()) {
        let all = all_coords(cart.dims());
        prop_assert_eq!(all.len(), cart.size());
        for (rank, coords) in all.iter().enumerate() {
            let found = cart.coords(rank as c_int).unwrap();
            prop_assert_eq!(found.as_slice(), coords.as_slice());
            prop_assert_eq!(cart.rank(coords), Ok(rank as c_int));
        }
    }

    #[test]
    fn a_shift_goes_so_many_places(cart in grid(), displacement in -9..9) {
        let all = all_coords(cart.dims());
        for (rank, coords) in all.iter().enumerate() {
            for dimension in 0..cart.dims().len() {
                let far = |way: c_int| {
                    let mut there = coords.clone();
                    there[dimension] += way;
                    if cart.periods()[dimension] {
                        there[dimension] = there[dimension].rem_euclid(cart.dims()[dimension]);
                    }
                    all.iter().position(|at| *at == there).map_or(MPI_PROC_NULL, |at| at as c_int)
                };
                prop_assert_eq!(
                    cart.shift(rank as c_int, dimension as c_int, displacement),
                    Ok((far(-displacement), far(displacement)))
                );
            }
        }
    }

    #[test]
    fn a_subgrid_keeps_what_remains(cart in grid(), remain: [bool; 4]) {
        let remain = &remain[..cart.dims().len()];
        let all = all_coords(cart.dims());
        let subs: Vec<_> =
            (0..all.len()).map(|rank| cart.sub(rank as c_int, remain).unwrap()).collect();
        for (sub, coords) in subs.iter().zip(&all) {
            let kept: Vec<c_int> =
                coords.iter().zip(remain).filter(|(_, keep)| **keep).map(|(at, _)| *at).collect();
            let found = sub.cart.coords(sub.rank).unwrap();
            prop_assert_eq!(found.as_slice(), kept.as_slice());
            for (other, there) in subs.iter().zip(&all) {
                let same = coords.iter().zip(there).zip(remain).all(|((a, b), keep)| *keep || a == b);
                prop_assert_eq!(sub.color == other.color, same);
            }
        }
    }

    #[test]
    fn grids_exchange_with_the_right_side(cart in grid()) {
        let all: Vec<Neighbours> =
            (0..cart.size()).map(|rank| cart.neighbours(rank as c_int).unwrap()).collect();
        prop_assert!(exchanged_in_grid(&all));
    }

    #[test]
    fn a_dealt_graph_has_all_edges(given in prop::collection::vec(any::<[u8; 4]>(), 0..40)) {
        let size = 5;
        // Each rank gives some edges of any node.
        let lists: Vec<Vec<Edge>> = (0..size).map(|rank| {
            let mine = given.iter().filter(|edge| usize::from(edge[0]) % size == rank);
            mine.map(|edge| Edge {
                source: c_int::from(edge[1]) % size as c_int,
                destination: c_int::from(edge[2]) % size as c_int,
                weight: c_int::from(edge[3]),
            }).collect()
        }).collect();
        let dealt: Vec<_> = lists.iter().map(|edges| deal(edges, size)).collect();
        let graphs: Vec<DistGraph> = (0..size).map(|me| {
            let parts = dealt.iter().flat_map(|(edges, counts)| {
                let begin: usize = counts[..me].iter().sum();
                edges[begin..begin + counts[me]].iter().copied()
            });
            DistGraph::from_edges(me as c_int, parts, true)
        }).collect();
        for me in 0..size as c_int {
            let all = || lists.iter().flatten();
            let out: Vec<_> = all().filter(|edge| edge.source == me).collect();
            let found = &graphs[me as usize].outgoing;
            prop_assert!(found.ranks.iter().eq(out.iter().map(|edge| &edge.destination)));
            prop_assert!(found.weights.iter().eq(out.iter().map(|edge| &edge.weight)));
            let into: Vec<_> = all().filter(|edge| edge.destination == me).collect();
            let found = &graphs[me as usize].incoming;
            prop_assert!(found.ranks.iter().eq(into.iter().map(|edge| &edge.source)));
            prop_assert!(found.weights.iter().eq(into.iter().map(|edge| &edge.weight)));
        }
        let all: Vec<Neighbours> = graphs.iter().map(DistGraph::exchanges).collect();
        prop_assert!(received(&all).is_some());
    }
}

/// For each block of a rank, who has sent it, and as which of its own.
type Blocks = Vec<Option<(c_int, usize)>>;

/// What each rank gets in each block, as sender and block of the sender; `None` if a message is left over or missing.
fn received(all: &[Neighbours]) -> Option<Vec<Blocks>> {
    let mut under_way: Vec<(c_int, c_int, c_int, VecDeque<usize>)> = Vec::new();
    for (rank, neighbours) in (0..).zip(all) {
        for (block, to) in neighbours.destinations.iter().enumerate() {
            if to.rank == MPI_PROC_NULL {
                continue;
            }
            match under_way.iter_mut().find(|one| (one.0, one.1, one.2) == (rank, to.rank, to.lane))
            {
                Some(one) => one.3.push_back(block),
                None => under_way.push((rank, to.rank, to.lane, VecDeque::from([block]))),
            }
        }
    }
    let mut all_blocks = Vec::new();
    for (rank, neighbours) in (0..).zip(all) {
        let mut blocks = Vec::new();
        for from in &neighbours.sources {
            if from.rank == MPI_PROC_NULL {
                blocks.push(None);
                continue;
            }
            let one = under_way
                .iter_mut()
                .find(|one| (one.0, one.1, one.2) == (from.rank, rank, from.lane));
            blocks.push(Some((from.rank, one?.3.pop_front()?)));
        }
        all_blocks.push(blocks);
    }
    under_way.iter().all(|one| one.3.is_empty()).then_some(all_blocks)
}

/// Whether each rank gets in the block of one side what its neighbour there has sent to the other side.
fn exchanged_in_grid(all: &[Neighbours]) -> bool {
    let Some(received) = received(all) else { return false };
    received.iter().all(|blocks| {
        blocks.iter().enumerate().all(|(block, got)| got.is_none_or(|(_, sent)| sent == block ^ 1))
    })
}

#[test]
fn the_check_rejects_lanes_that_are_alike() {
    let ring = Cart::new(&[2], &[true], 2).unwrap();
    let mut all: Vec<Neighbours> = (0..2).map(|rank| ring.neighbours(rank).unwrap()).collect();
    assert!(exchanged_in_grid(&all));
    for neighbours in &mut all {
        for end in neighbours.sources.iter_mut().chain(&mut neighbours.destinations) {
            end.lane = 0;
        }
    }
    assert!(!exchanged_in_grid(&all));
}

#[test]
fn grids_refuse_with_the_standard_classes() {
    let class = |error: TopologyError| error.class();
    assert_eq!(Cart::new(&[2, 0], &[false; 2], 4).map_err(class), Err(MPI_ERR_DIMS));
    assert_eq!(Cart::new(&[2, 3], &[false; 2], 5).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(Cart::new(&[c_int::MAX; 5], &[false; 5], 5).map_err(class), Err(MPI_ERR_ARG));
    let cart = Cart::new(&[2, 3], &[false, true], 8).unwrap();
    assert_eq!((cart.map(5), cart.map(6)), (5, MPI_UNDEFINED));
    assert_eq!(cart.coords(6).map_err(class), Err(MPI_ERR_RANK));
    assert_eq!(cart.rank(&[2, 0]).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(cart.rank(&[1, -4]), Ok(5));
    assert_eq!(cart.shift(0, 2, 1).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(cart.shift(0, -1, 1).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(cart.shift(0, 0, c_int::MIN), Ok((MPI_PROC_NULL, MPI_PROC_NULL)));
    assert_eq!(cart.sub(-1, &[true, true]).map_err(class), Err(MPI_ERR_RANK));
}

#[test]
fn a_grid_without_dimensions_has_one_place() {
    let point = Cart::new(&[], &[], 3).unwrap();
    assert_eq!((point.size(), point.rank(&[])), (1, Ok(0)));
    assert_eq!(point.map(1), MPI_UNDEFINED);
    assert_eq!(point.neighbours(0), Ok(Neighbours::default()));
    let line = Cart::new(&[3], &[true], 3).unwrap();
    let sub = line.sub(2, &[false]).unwrap();
    assert_eq!((sub.cart, sub.color, sub.rank), (Cart::new(&[], &[], 1).unwrap(), 2, 0));
}

#[test]
fn the_example_of_a_graph_in_the_standard_holds() {
    // MPI 5.0, section 8.5.3: four processes, with these neighbours.
    let graph = Graph::new(&[2, 3, 4, 6], &[1, 3, 0, 3, 0, 2], 4).unwrap();
    let neighbours: Vec<_> = (0..4).map(|rank| graph.neighbours(rank).unwrap()).collect();
    assert_eq!(neighbours, [&[1, 3][..], &[0], &[3], &[0, 2]]);
    assert_eq!(graph.exchanges(1).unwrap().sources[..], [Neighbour { rank: 0, lane: 0 }]);
    assert_eq!((graph.map(3), graph.map(4)), (3, MPI_UNDEFINED));
}

#[test]
fn graphs_refuse_with_the_standard_classes() {
    let class = |error: TopologyError| error.class();
    assert_eq!(Graph::new(&[2, 1], &[0, 1], 2).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(Graph::new(&[-1], &[], 2).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(Graph::new(&[1, 2], &[0, 2], 4).map_err(class), Err(MPI_ERR_ARG));
    assert_eq!(Graph::new(&[0, 0, 0], &[], 2).map_err(class), Err(MPI_ERR_ARG));
    let graph = Graph::new(&[1], &[0], 2).unwrap();
    assert_eq!(graph.neighbours(1).map_err(class), Err(MPI_ERR_RANK));
    let given = Given { sources: &[0, 1], degrees: &[1, -1], destinations: &[1], weights: None };
    assert_eq!(given.edges(2).map_err(class), Err(MPI_ERR_ARG));
    let given = Given { degrees: &[1, 1], destinations: &[1, 2], ..given };
    assert_eq!(given.edges(2).map_err(class), Err(MPI_ERR_RANK));
    let given = Given { weights: Some(&[3, -2]), ..given };
    assert_eq!(given.edges(3).map_err(class), Err(MPI_ERR_ARG));
    let refused = DistGraph::adjacent(2, (&[2], None), (&[], None));
    assert_eq!(refused.map_err(class), Err(MPI_ERR_RANK));
    let refused = DistGraph::adjacent(2, (&[1], Some(&[-1])), (&[], None));
    assert_eq!(refused.map_err(class), Err(MPI_ERR_ARG));
}

#[test]
fn weights_are_kept_beside_their_edges() {
    let given = Given {
        sources: &[2, 0],
        degrees: &[2, 1],
        destinations: &[0, 1, 2],
        weights: Some(&[7, 8, 9]),
    };
    let edge = |source, destination, weight| Edge { source, destination, weight };
    let edges = given.edges(3).unwrap();
    assert_eq!(edges, [edge(2, 0, 7), edge(2, 1, 8), edge(0, 2, 9)]);
    let graph = DistGraph::from_edges(2, edges, true);
    assert_eq!(
        (&graph.outgoing.ranks[..], &graph.outgoing.weights[..]),
        (&[0, 1][..], &[7, 8][..])
    );
    assert_eq!((&graph.incoming.ranks[..], &graph.incoming.weights[..]), (&[0][..], &[9][..]));
}

#[test]
fn a_topology_answers_only_its_own_kind() {
    let topology = Topology::Cart(Arc::new(Cart::new(&[2], &[false], 2).unwrap()));
    assert_eq!(topology.kind(), MPI_CART);
    assert!(cart(Some(&topology)).is_ok());
    assert_eq!(graph(Some(&topology)).unwrap_err().class(), MPI_ERR_TOPOLOGY);
    let error = dist_graph(None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the communicator has no topology; the call needs a distributed graph"
    );
    assert!(checked_room("maxdims", 2, 2).is_ok());
    assert_eq!(checked_room("maxdims", -1, 0).unwrap_err().class(), MPI_ERR_ARG);
}
