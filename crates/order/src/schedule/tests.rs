//! Every algorithm at every size, against the counts of the papers, and the faults that the graph
//! check must find. The oracle that runs schedules signal by signal is in [`oracle`].

mod counts;
mod epochs;
mod faults;
mod mutations;
mod names;
mod oracle;
mod printed;

use super::check::{Shape, check};
use super::*;

const LARGEST: usize = 128;

/// The number of rounds of a barrier by doubling: `ceil(lg P)`.
fn ceil_lg(size: usize) -> usize {
    (0..).find(|&rounds| 1 << rounds >= size).unwrap()
}

fn floor_lg(size: usize) -> usize {
    (0..).find(|&rounds| 2 << rounds > size).unwrap()
}

/// Every algorithm, those with a parameter with each from 1 to 4 and the default.
fn variants() -> Vec<Algorithm> {
    let own = super::names::ALL.iter().filter(|name| !name.is_alias());
    let numbers = own.flat_map(|name| {
        let few = name.parameter.map_or(0, |_| 4);
        let beyond = name.parameter.is_none_or(|parameter| parameter.default > few);
        let default = beyond.then_some(None);
        (1..=few).map(Some).chain(default).map(move |number| name.algorithm(number).unwrap())
    });
    numbers.collect()
}

fn shape(algorithm: Algorithm, size: usize) -> Shape {
    check(&Schedule::all(algorithm, size))
        .unwrap_or_else(|fault| panic!("{algorithm} at {size}: {fault}"))
}

#[test]
fn one_rank_alone_needs_no_signal() {
    for algorithm in variants() {
        assert_eq!(Schedule::new(algorithm, 0, 1).steps(), []);
        assert_eq!(shape(algorithm, 1), Shape { signals: 0, hops: 0, max_sends_per_rank: 0 });
    }
}

/// pakin-2001 §4.1, p. 26: stages `0..ceil(lg P)`, one message for each rank and stage; hoefler-2005
/// table 2.1: `2 (L + 2o) ceil(lg P)` at worst, so at most two for each rank and stage.
#[test]
fn butterfly_has_the_counts_of_the_papers() {
    for size in 2..=LARGEST {
        let found = shape(Algorithm::Butterfly, size);
        let stages = ceil_lg(size);
        assert_eq!(found.hops, stages, "at {size}");
        if size.is_power_of_two() {
            assert_eq!(found.signals, size * stages, "at {size}");
            assert_eq!(found.max_sends_per_rank, stages, "at {size}");
            continue;
        }
        // No more than the full butterfly has, though real ranks play the virtual ones.
        assert!(found.signals <= (1 << stages) * stages, "at {size}");
        assert!(found.max_sends_per_rank <= 2 * stages, "at {size}");
        for schedule in Schedule::all(Algorithm::Butterfly, size) {
            assert_eq!(schedule.steps().len(), stages + 1);
            for step in schedule.steps() {
                assert!(step.send_to.len() <= 2 && step.recv_from.len() <= 2, "at {size}");
            }
        }
    }
}

/// hoefler-2005 §2.2.2.1: "to synchronize 6 nodes, 2 additional virtual nodes are necessary". The
/// virtual ranks 6 and 7 are played by 2 and 3.
#[test]
fn butterfly_of_six_plays_ranks_six_and_seven() {
    let targets = |rank| {
        let schedule = Schedule::new(Algorithm::Butterfly, rank, 6);
        schedule.steps().iter().map(|step| step.send_to.clone()).collect::<Vec<_>>()
    };
    assert_eq!(targets(0), [vec![1], vec![2], vec![4], vec![]]);
    assert_eq!(targets(1), [vec![0], vec![3], vec![5], vec![]]);
    // As 2 with 3 and as 6 with 7, once; as 2 with 0 and as 6 with 4; as 2 with 6, itself.
    assert_eq!(targets(2), [vec![3], vec![0, 4], vec![], vec![]]);
    assert_eq!(targets(3), [vec![2], vec![1, 5], vec![], vec![]]);
    assert_eq!(targets(4), [vec![5], vec![2], vec![0], vec![]]);
    assert_eq!(targets(5), [vec![4], vec![3], vec![1], vec![]]);
}

/// hoefler-2005 §2.2.2.2 and table 2.1, kini-2003 §3.1: `lg P` steps for a power of two, else
/// `floor(lg P) + 2`. Those are rounds; the longest chain of signals is shorter by one where no
/// rank with a proxy lies opposite to another such one in the exchange.
#[test]
fn pairwise_exchange_has_the_counts_of_the_papers() {
    for size in 2..=LARGEST {
        let found = shape(Algorithm::PairwiseExchange, size);
        let exchanges = floor_lg(size);
        let inner = 1 << exchanges;
        let outer = size - inner;
        assert_eq!(found.signals, inner * exchanges + 2 * outer, "at {size}");
        assert_eq!(found.max_sends_per_rank, exchanges + usize::from(outer > 0), "at {size}");
        let rounds = if outer == 0 { exchanges } else { exchanges + 2 };
        let opposite = (0..outer).any(|proxy| inner - 1 - proxy < outer);
        let chain = if outer == 0 || opposite { rounds } else { rounds - 1 };
        assert_eq!(found.hops, chain, "at {size}");
        assert_eq!(opposite, 2 * size > 3 * inner, "at {size}");
    }
}

/// hoefler-2005 listing 2.6 at 6: ranks 4 and 5 have the proxies 0 and 1.
#[test]
fn pairwise_exchange_of_six_waits_for_the_proxied_first() {
    let schedule = Schedule::new(Algorithm::PairwiseExchange, 1, 6);
    let expected = [
        Step { recv_from: vec![Arrival { rank: 5, step: 0 }], send_to: vec![0] },
        Step { recv_from: vec![Arrival { rank: 0, step: 0 }], send_to: vec![3] },
        Step { recv_from: vec![Arrival { rank: 3, step: 1 }], send_to: vec![5] },
    ];
    assert_eq!(schedule.steps(), expected);
    let schedule = Schedule::new(Algorithm::PairwiseExchange, 5, 6);
    let expected = [
        Step { recv_from: vec![], send_to: vec![1] },
        Step { recv_from: vec![Arrival { rank: 1, step: 2 }], send_to: vec![] },
    ];
    assert_eq!(schedule.steps(), expected);
}

/// At a power of two the exchange is the butterfly (hoefler-2005 §2.2.2.1.1, last paragraph).
#[test]
fn pairwise_exchange_of_a_power_of_two_is_the_butterfly() {
    for size in [2, 4, 8, 16, 32, 64, 128] {
        let exchange = Schedule::all(Algorithm::PairwiseExchange, size);
        assert_eq!(exchange, Schedule::all(Algorithm::Butterfly, size));
    }
}

/// kini-2003 §3.2 and hoefler-2005 §2.2.2.3, table 2.1: `ceil(lg P)` rounds for every size.
#[test]
fn dissemination_has_the_counts_of_the_papers() {
    for size in 2..=LARGEST {
        let rounds = ceil_lg(size);
        let expected = Shape { signals: size * rounds, hops: rounds, max_sends_per_rank: rounds };
        assert_eq!(shape(Algorithm::Dissemination, size), expected, "at {size}");
    }
}

/// kini-2003 §3.2, figure 4: process `i` of 5 signals `i + 2^m` and waits for `i + N - 2^m`.
#[test]
fn dissemination_of_five_is_that_of_the_figure() {
    let schedule = Schedule::new(Algorithm::Dissemination, 1, 5);
    let expected = [
        Step { recv_from: vec![], send_to: vec![2] },
        Step { recv_from: vec![Arrival { rank: 0, step: 0 }], send_to: vec![3] },
        Step { recv_from: vec![Arrival { rank: 4, step: 1 }], send_to: vec![0] },
        Step { recv_from: vec![Arrival { rank: 2, step: 2 }], send_to: vec![] },
    ];
    assert_eq!(schedule.steps(), expected);
}

#[test]
fn all_to_all_is_one_hop() {
    for size in 2..=LARGEST {
        let expected = Shape { signals: size * (size - 1), hops: 1, max_sends_per_rank: size - 1 };
        assert_eq!(shape(Algorithm::AllToAll, size), expected, "at {size}");
    }
}

/// hoefler-2005 §2.2.1.1.2: `P - 1` transfers to the counter, and a broadcast to `P - 1`.
#[test]
fn flat_tree_has_the_counts_of_the_central_counter() {
    for size in 2..=LARGEST {
        let expected = Shape { signals: 2 * (size - 1), hops: 2, max_sends_per_rank: size - 1 };
        assert_eq!(shape(Algorithm::FlatTree, size), expected, "at {size}");
    }
}

/// Two signals an edge; up and down the depth of rank `P - 1` (pakin-2001 figure 5.3, p. 70).
#[test]
fn binary_tree_goes_up_and_down_its_depth() {
    for size in 2..=LARGEST {
        let mut depth = 0;
        let mut rank = size - 1;
        while rank > 0 {
            rank = (rank - 1) / 2;
            depth += 1;
        }
        assert_eq!(depth, floor_lg(size));
        let sends = match size {
            2 => 1,
            3 | 4 => 2,
            _ => 3,
        };
        let expected =
            Shape { signals: 2 * (size - 1), hops: 2 * depth, max_sends_per_rank: sends };
        assert_eq!(shape(Algorithm::BinaryTree, size), expected, "at {size}");
    }
}

/// The same by running it: keep one rank out and nobody completes; let it in, and all do.
#[test]
fn withholding_any_rank_withholds_the_barrier() {
    let mut rng = fastrand::Rng::with_seed(1);
    for algorithm in variants() {
        for size in (1..=24).chain([31, 32, 33, 63, 64, 65, 127, 128]) {
            let schedules = Schedule::all(algorithm, size);
            // In the larger groups a run of all-to-all takes long, and its ranks differ by a
            // rotation only: there some stand for all.
            let some = algorithm == Algorithm::AllToAll && size > 33;
            for withheld in (0..size).step_by(if some { size / 2 } else { 1 }) {
                let complete = oracle::run(&schedules, Some(withheld), &mut rng);
                assert!(!complete.contains(&true), "{algorithm} at {size} without {withheld}");
            }
            let complete = oracle::run(&schedules, None, &mut rng);
            assert!(!complete.contains(&false), "{algorithm} at {size}");
        }
    }
}

#[test]
#[should_panic(expected = "rank 3 is not in a group of 3")]
fn a_rank_outside_the_group_has_no_schedule() {
    Schedule::new(Algorithm::Dissemination, 3, 3);
}
