//! The algorithms with a parameter and the gathering ones: their exact counts at every size, and
//! all names against what the papers predict.

use super::*;
use crate::schedule::names;
use std::num::NonZeroU8;

const PARAMETERS: [u8; 5] = [1, 2, 3, 4, 7];

fn of(number: u8) -> NonZeroU8 {
    NonZeroU8::new(number).unwrap()
}

/// The least `x` with `base^x >= number`.
fn ceil_log(base: usize, number: usize) -> usize {
    (0..).find(|&exponent| base.pow(exponent) >= number).unwrap() as usize
}

/// The signals of every step of every rank.
fn targets(algorithm: Algorithm, rank: Rank, size: usize) -> Vec<Vec<Rank>> {
    let schedule = Schedule::new(algorithm, rank, size);
    schedule.steps().iter().map(|step| step.send_to.clone()).collect()
}

fn waits(algorithm: Algorithm, rank: Rank, size: usize) -> Vec<Vec<Rank>> {
    let schedule = Schedule::new(algorithm, rank, size);
    let ranks = |step: &Step| step.recv_from.iter().map(|arrival| arrival.rank).collect();
    schedule.steps().iter().map(ranks).collect()
}

/// hoefler-2005 §2.2.6.1: `ceil(log_(n+1) P)` rounds of `n` signals. Left out are those of the last
/// round whose distance is not below `P`.
#[test]
fn n_way_dissemination_has_the_counts_of_the_paper() {
    for ways in PARAMETERS {
        let n = usize::from(ways);
        for size in 2..=LARGEST {
            let rounds = ceil_log(n + 1, size);
            let last = size.div_ceil((n + 1).pow(rounds as u32 - 1)) - 1;
            assert!((1..=n).contains(&last), "{last} of {n} at {size}");
            let sends = n * (rounds - 1) + last;
            let expected = Shape { signals: size * sends, hops: rounds, max_sends_per_rank: sends };
            let algorithm = Algorithm::NWayDissemination { ways: of(ways) };
            assert_eq!(shape(algorithm, size), expected, "{algorithm} at {size}");
        }
    }
}

/// "The original algorithm typifies the 1-way Dissemination Barrier" (hoefler-2005 §2.2.6.1), and
/// "the original pairwise exchange algorithm used n = 1" (§2.2.6.2).
#[test]
fn one_way_and_one_partner_are_the_originals() {
    for size in 1..=LARGEST {
        let one = Algorithm::NWayDissemination { ways: of(1) };
        assert_eq!(Schedule::all(one, size), Schedule::all(Algorithm::Dissemination, size));
        let one = Algorithm::NWiseExchange { partners: of(1) };
        assert_eq!(Schedule::all(one, size), Schedule::all(Algorithm::PairwiseExchange, size));
    }
}

/// With as many ways or partners as there are others, or more, both are all-to-all (hoefler-2005
/// §4.4.3: it "falls back" to that).
#[test]
fn as_many_as_there_are_others_is_all_to_all() {
    for size in (2..=24).chain([LARGEST]) {
        for number in [size as u8 - 1, size as u8, 255] {
            let dissemination = Algorithm::NWayDissemination { ways: of(number) };
            let exchange = Algorithm::NWiseExchange { partners: of(number) };
            for algorithm in [dissemination, exchange] {
                for rank in 0..size {
                    let same = targets(Algorithm::AllToAll, rank, size);
                    assert_eq!(targets(algorithm, rank, size), same);
                    // A dissemination waits for them in another order, which says nothing.
                    let mut awaited = waits(algorithm, rank, size);
                    awaited[1].sort_unstable();
                    let others: Vec<_> = (0..size).filter(|&other| other != rank).collect();
                    assert_eq!(awaited, [vec![], others]);
                }
            }
        }
    }
}

/// hoefler-2005 table 2.3 (`n = 2`, `P = 9`).
#[test]
fn two_way_dissemination_of_nine_is_that_of_the_table() {
    let algorithm = Algorithm::NWayDissemination { ways: of(2) };
    for (rank, speers, rpeers) in [
        (0, [vec![1, 2], vec![3, 6], vec![]], [vec![], vec![8, 7], vec![6, 3]]),
        (1, [vec![2, 3], vec![4, 7], vec![]], [vec![], vec![0, 8], vec![7, 4]]),
        (8, [vec![0, 1], vec![2, 5], vec![]], [vec![], vec![7, 6], vec![5, 2]]),
    ] {
        assert_eq!(targets(algorithm, rank, 9), speers, "rank {rank}");
        assert_eq!(waits(algorithm, rank, 9), rpeers, "rank {rank}");
    }
}

/// hoefler-2005 §2.2.6.2: `log_(n+1) P_m` rounds of `n` signals in the main group, and a round each
/// before and after for the others. As in pairwise exchange no chain is that long if there are few
/// others: it would need two proxies that differ in every digit.
#[test]
fn n_wise_exchange_has_the_counts_of_the_paper() {
    for partners in PARAMETERS {
        for size in 2..=LARGEST {
            let n = usize::from(partners).min(size - 1);
            let rounds = (0..).find(|&x| (n + 1).pow(x + 1) > size).unwrap() as usize;
            let main = (n + 1).pow(rounds as u32);
            let others = size - main;
            let hops = match others {
                0 => rounds,
                _ if others > main / (n + 1) => rounds + 2,
                _ => rounds + 1,
            };
            let expected = Shape {
                signals: main * rounds * n + 2 * others,
                hops,
                max_sends_per_rank: rounds * n + others.div_ceil(main),
            };
            let algorithm = Algorithm::NWiseExchange { partners: of(partners) };
            assert_eq!(shape(algorithm, size), expected, "{algorithm} at {size}");
        }
    }
}

/// With `n = 2` and `P = 8` the main group is 0, 1, 2, and each of them is proxy for one or two.
#[test]
fn two_wise_exchange_of_eight_has_proxies_for_more_than_the_main_group() {
    let algorithm = Algorithm::NWiseExchange { partners: of(2) };
    assert_eq!(waits(algorithm, 0, 8), [vec![3, 6], vec![1, 2]]);
    assert_eq!(targets(algorithm, 0, 8), [vec![1, 2], vec![3, 6]]);
    assert_eq!(targets(algorithm, 2, 8), [vec![0, 1], vec![5]]);
    assert_eq!(targets(algorithm, 6, 8), [vec![0], vec![]]);
    // hoefler-2005 listing 2.9 at 9: in round 1 rank 5 stands second in the group 2, 5, 8.
    assert_eq!(targets(algorithm, 5, 9), [vec![3, 4], vec![8, 2], vec![]]);
}

/// kini-2003 §3.3: `ceil(log_(l+1) N)` hops to the root and one more; hoefler-2005 table 2.1 for
/// the combining tree and the tournaments, with `n = l + 1`. Where the lowest rank all of whose
/// digits count lies outside the group, no chain takes part in every level.
#[test]
fn gathering_by_groups_has_the_counts_of_the_papers() {
    for fan_in in PARAMETERS {
        let base = usize::from(fan_in) + 1;
        for size in 2..=LARGEST {
            let levels = ceil_log(base, size);
            let ones = (base.pow(levels as u32) - 1) / (base - 1);
            let hops = levels + usize::from(size > ones);
            let expected = Shape { signals: 2 * (size - 1), hops, max_sends_per_rank: size - 1 };
            let algorithm = Algorithm::GatherMulticast { fan_in: of(fan_in) };
            assert_eq!(shape(algorithm, size), expected, "{algorithm} at {size}");
        }
    }
}

/// kini-2003 figure 5: 8 processes, `l = 3`, two stages. With one group for all it is a flat tree.
#[test]
fn gathering_of_eight_is_that_of_the_figure() {
    let algorithm = Algorithm::GatherMulticast { fan_in: of(3) };
    assert_eq!(waits(algorithm, 0, 8), [[1, 2, 3, 4]]);
    assert_eq!(waits(algorithm, 4, 8), [vec![5, 6, 7], vec![0]]);
    assert_eq!(targets(algorithm, 4, 8), [vec![0], vec![]]);
    assert_eq!(targets(algorithm, 0, 8), [[1, 2, 3, 4, 5, 6, 7]]);
    for size in 1..=LARGEST {
        let one = Algorithm::GatherMulticast { fan_in: of(127) };
        assert_eq!(Schedule::all(one, size), Schedule::all(Algorithm::FlatTree, size));
    }
}

/// hoefler-2005 §2.2.1.5: up the tree, and a broadcast. The paper has `ceil(log_n P)` for the depth.
#[test]
fn mcs_tree_has_its_depth() {
    for children in PARAMETERS {
        let n = usize::from(children);
        for size in 2..=LARGEST {
            // A level at a time: how many ranks a tree of that depth can have.
            let (mut depth, mut level, mut room) = (0, 1, 1);
            while room < size {
                (depth, level) = (depth + 1, level * n);
                room += level;
            }
            let expected =
                Shape { signals: 2 * (size - 1), hops: depth + 1, max_sends_per_rank: size - 1 };
            let algorithm = Algorithm::McsTree { children: of(children) };
            assert_eq!(shape(algorithm, size), expected, "{algorithm} at {size}");
        }
    }
    let algorithm = Algorithm::McsTree { children: of(2) };
    assert_eq!(waits(algorithm, 2, 6), [vec![5], vec![0]]);
    assert_eq!(targets(algorithm, 2, 6), [vec![0], vec![]]);
}

/// hoefler-2005 §2.2.1.6: `ceil(lg P)` steps to the root, since it takes one child a round, and a
/// broadcast. Hops count the reports below one another: the bits of a rank.
#[test]
fn binomial_tree_has_the_counts_of_the_paper() {
    for size in 2..=LARGEST {
        let bits = (0..size).map(|rank| rank.count_ones() as usize).max().unwrap();
        let expected =
            Shape { signals: 2 * (size - 1), hops: bits + 1, max_sends_per_rank: size - 1 };
        assert_eq!(shape(Algorithm::BinomialTree, size), expected, "at {size}");
        assert_eq!(waits(Algorithm::BinomialTree, 0, size)[0].len(), ceil_lg(size));
    }
    // Figure 2.10: a numbered binomial tree with 6 nodes.
    assert_eq!(waits(Algorithm::BinomialTree, 0, 6), [[1, 2, 4]]);
    assert_eq!(waits(Algorithm::BinomialTree, 1, 6), [vec![3, 5], vec![0]]);
    assert_eq!(targets(Algorithm::BinomialTree, 3, 6), [vec![1], vec![]]);
}

/// Rounds bound the hops from above, by at most one too many; signals are never exceeded. At a
/// power of the base both are reached.
#[test]
fn papers_predict_what_is_found() {
    for name in names::ALL {
        let numbers = match name.parameter {
            None => vec![None],
            Some(parameter) => (parameter.least..=4).map(Some).collect(),
        };
        for number in numbers {
            let algorithm = name.algorithm(number).unwrap();
            let parameter = number.unwrap_or(0);
            assert_eq!(name.predicted(parameter, 1), None);
            let base = match algorithm {
                Algorithm::McsTree { children } => children.get().into(),
                _ => usize::from(algorithm.parameter().map_or(1, NonZeroU8::get)) + 1,
            };
            for size in 2..=LARGEST {
                let found = shape(algorithm, size);
                let Some(predicted) = name.predicted(parameter, size) else {
                    // A tree in which everyone has one child has no logarithm to that base.
                    assert_eq!(algorithm, Algorithm::McsTree { children: of(1) });
                    continue;
                };
                if algorithm == Algorithm::Butterfly && !size.is_power_of_two() {
                    // Two rounds a stage in the paper, two signals in one step here.
                    assert_eq!(predicted.rounds, 2 * found.hops);
                    assert!(found.signals < predicted.signals);
                    continue;
                }
                let place = format!("{algorithm} at {size}: {found:?}, {predicted:?}");
                assert!(predicted.rounds - found.hops <= 1, "{place}");
                assert!(found.signals <= predicted.signals, "{place}");
                if size == base.pow(ceil_log(base, size) as u32) {
                    assert_eq!(found.hops, predicted.rounds, "{place}");
                    assert_eq!(found.signals, predicted.signals, "{place}");
                }
                let fewer = found.signals < predicted.signals;
                let may =
                    matches!(algorithm, Algorithm::Butterfly | Algorithm::NWayDissemination { .. });
                assert!(may || !fewer, "{place}");
            }
        }
    }
}

/// "falls back to a p-way dissemination barrier if n > p" (hoefler-2005 §4.4.3): one round, in which everyone signals
/// everyone else.
#[test]
fn more_ways_than_ranks_are_foretold_as_all_to_all() {
    let named = |sought: &str| names::ALL.iter().find(|name| name.name == sought).unwrap();
    let (wide, all) = (named("n-way-dissemination"), named("all-to-all"));
    for size in 2..=8_u8 {
        for ways in size - 1..size + 4 {
            let foretold = wide.predicted(ways, size.into());
            assert_eq!(foretold, all.predicted(0, size.into()), "{ways} ways of {size}");
        }
    }
}
