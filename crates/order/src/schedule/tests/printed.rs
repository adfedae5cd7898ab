//! The algorithms as they are printed, slips included: the graph check must name what is wrong.

use std::num::NonZeroU8;

use super::faults::{changed, confirm, group, step, wait};
use super::*;
use crate::schedule::check::Fault;

fn of(number: usize) -> NonZeroU8 {
    NonZeroU8::new(number as u8).unwrap()
}

/// The schedules of a gathering tree in which each rank waits for `first` of its children before it
/// reports, and for the others only in the end.
fn hasty(algorithm: Algorithm, size: usize, first: usize) -> Vec<Schedule> {
    let steps = |schedule: &Schedule| {
        let mut steps = schedule.steps().to_vec();
        let children = steps[0].recv_from.len();
        let late = steps[0].recv_from.split_off(first.min(children));
        match steps.get_mut(1) {
            Some(last) => last.recv_from.extend(late),
            None => steps.push(step(&late, &[])),
        }
        steps
    };
    group(Schedule::all(algorithm, size).iter().map(steps).collect())
}

/// hoefler-2005 §2.2.6.1 takes `i` with `0 < i < n`, one less than its table 2.3.
#[test]
fn an_n_way_dissemination_with_a_way_less_is_unsafe() {
    for ways in 2..=4_usize {
        for size in ways + 1..=40 {
            // Rounds to the base `n + 1`, as there, and in each of them the farthest rank missing.
            let steps = |rank: Rank| {
                let unit = |round: StepIndex| (ways + 1).pow(round.into());
                let count = (0..).find(|&round| unit(round) >= size).unwrap();
                let peers = |round, back: bool| {
                    let distances = (1..ways).map(move |i| i * unit(round));
                    let fits = distances.filter(|&distance| distance < size);
                    let peer = |far| if back { rank + size - far } else { rank + far } % size;
                    fits.map(peer).collect()
                };
                rounds(count.into(), |round| peers(round, true), |round| peers(round, false))
            };
            let schedules = group((0..size).map(steps).collect());
            let fault = check(&schedules).expect_err("somebody is not heard of");
            assert!(matches!(fault, Fault::NotImplied { .. }), "{fault}");
            confirm(&schedules, &fault);
        }
    }
}

/// hoefler-2005 equation 2.1 as printed: distances beyond the size are taken modulo it.
#[test]
fn an_n_way_dissemination_that_goes_round_is_malformed() {
    let literal = |ways: usize, size: usize| {
        let steps = |rank: Rank| {
            let unit = |round: StepIndex| (ways + 1).pow(round.into());
            let count = (0..).find(|&round| unit(round) >= size).unwrap();
            let to = |round| (1..=ways).map(|i| (rank + i * unit(round)) % size).collect();
            let from = |round| {
                (1..=ways).map(move |i| (rank + i * size * unit(round) - i * unit(round)) % size)
            };
            rounds(count.into(), |round| from(round).collect(), to)
        };
        check(&group((0..size).map(steps).collect()))
    };
    assert!(literal(2, 9).is_ok());
    assert_eq!(literal(2, 6), Err(Fault::OwnRank { rank: 0, step: 1 }));
    assert_eq!(literal(3, 3), Err(Fault::OwnRank { rank: 0, step: 0 }));
    // Nothing comes back to its sender at 7; then what goes round is needless, not wrong.
    assert!(literal(3, 7).is_ok());
}

/// hoefler-2005 listing 2.9: the proxy of `r` is `r - P_m`, which need not be in the main group.
#[test]
fn an_exchange_with_proxies_outside_is_malformed() {
    let size = 8;
    let algorithm = Algorithm::NWiseExchange { partners: of(2) };
    // Rank 6 has the proxy 3 there, and 3 waits for nobody but its own.
    let schedules = changed(algorithm, size, 6, |steps| {
        steps[0].send_to = vec![3];
    });
    let found = Fault::NeverSent { rank: 0, step: 0, arrival: wait(6, 0) };
    assert_eq!(check(&schedules), Err(found));
}

/// The listing also lets the main group begin without those outside, if it is read as it stands.
#[test]
fn an_exchange_that_forgets_those_outside_is_unsafe() {
    for partners in 1..=4 {
        for size in 2..=40 {
            let algorithm = Algorithm::NWiseExchange { partners: of(partners) };
            let full = Schedule::all(algorithm, size);
            let outside = |rank: Rank| full[rank].steps()[0].recv_from.is_empty();
            let Some(proxy) = (0..size).find(|&rank| !outside(rank)) else { continue };
            // The proxy waits for its others only in the end, before it signals them back.
            let schedules = changed(algorithm, size, proxy, |steps| {
                let late = std::mem::take(&mut steps[0].recv_from);
                steps.last_mut().unwrap().recv_from.extend(late);
            });
            let fault = check(&schedules).expect_err("the others are not waited for");
            assert!(matches!(fault, Fault::NotImplied { .. }), "{fault}");
            confirm(&schedules, &fault);
        }
    }
}

/// hoefler-2005 listing 2.1: the counter starts at 1, as if rank 0 had entered. Then the last of the
/// others releases all without it.
#[test]
fn a_central_counter_that_counts_its_host_before_it_enters_is_unsafe() {
    for size in 3..=20 {
        // The counter is played by rank `size - 1`, which knows of all but rank 0.
        let last = size - 1;
        let steps = |rank: Rank| match rank {
            _ if rank == last => {
                let others: Vec<_> = (1..last).map(|rank| wait(rank, 0)).collect();
                vec![step(&others, &(0..last).collect::<Vec<_>>())]
            }
            0 => vec![step(&[wait(last, 0)], &[])],
            _ => vec![step(&[], &[last]), step(&[wait(last, 0)], &[])],
        };
        let schedules = group((0..size).map(steps).collect());
        let fault = Fault::NotImplied { complete: 1, missing: 0 };
        assert_eq!(check(&schedules), Err(fault.clone()), "at {size}");
        confirm(&schedules, &fault);
    }
}

/// hoefler-2005 listing 2.2 waits until `ctr == n`, in a group that has fewer members as well.
#[test]
fn a_combining_tree_that_expects_full_groups_never_completes() {
    for members in 2..=5 {
        for size in (members + 1..=40).filter(|size| size % members != 0) {
            let algorithm = Algorithm::GatherMulticast { fan_in: of(members - 1) };
            let first = size - size % members;
            let missing = size;
            let schedules = changed(algorithm, size, first, |steps| {
                steps[0].recv_from.push(wait(missing, 0));
            });
            let found = Fault::NoSuchRank { rank: first, step: 0, other: missing };
            assert_eq!(check(&schedules), Err(found));
        }
    }
}

/// hoefler-2005 listing 2.3: "I am the winner if rank > peer", and yet "node 0 ever wins".
#[test]
fn a_tournament_that_the_highest_wins_and_rank_0_ends_is_unsafe() {
    for size in 2..=64_usize {
        // In each round the one that lacks the bit loses; a rank without an opponent plays on.
        let opponent = |rank: Rank| {
            let bits = (0..ceil_lg(size)).filter(|bit| rank & (1 << bit) == 0);
            bits.map(|bit| rank | (1 << bit)).find(|&peer| peer < size)
        };
        let steps = |rank: Rank| {
            let losers: Vec<_> = (1..size)
                .filter(|&loser| opponent(loser) == Some(rank))
                .map(|loser| wait(loser, 0))
                .collect();
            if rank == 0 {
                return vec![step(&[], &(1..size).collect::<Vec<_>>())];
            }
            let report: Vec<_> = opponent(rank).into_iter().collect();
            vec![step(&losers, &report), step(&[wait(0, 0)], &[])]
        };
        let schedules = group((0..size).map(steps).collect());
        let fault = Fault::NotImplied { complete: 0, missing: 1 };
        assert_eq!(check(&schedules), Err(fault.clone()), "at {size}");
        confirm(&schedules, &fault);
    }
}

/// hoefler-2005 listing 2.4: a rank reports when `sum == 4`, whatever the number of children.
#[test]
fn an_mcs_tree_that_waits_for_four_is_right_for_four_children_alone() {
    for children in 5..=8 {
        for size in children + 1..=64 {
            let schedules = hasty(Algorithm::McsTree { children: of(children) }, size, 4);
            let fault = check(&schedules).expect_err("a child is not waited for");
            assert!(matches!(fault, Fault::NotImplied { .. }), "{fault}");
            confirm(&schedules, &fault);
        }
    }
    for size in 2..=64 {
        assert!(check(&hasty(Algorithm::McsTree { children: of(4) }, size, 4)).is_ok());
        // With fewer the sum is never reached: a leaf waits for flags that nobody can set.
        let leaf = size - 1;
        let schedules = changed(Algorithm::McsTree { children: of(3) }, size, leaf, |steps| {
            steps[0].recv_from.push(wait(0, 1));
        });
        let found = Fault::NeverSent { rank: leaf, step: 0, arrival: wait(0, 1) };
        assert_eq!(check(&schedules), Err(found));
    }
}

/// The same listing takes a child for present `if p >= (rank * n) + 1 + j`: one too many.
#[test]
fn an_mcs_tree_with_a_child_too_many_is_malformed() {
    for children in 1..=4 {
        for size in 2..=64 {
            let parent = (size - 1) / children;
            let algorithm = Algorithm::McsTree { children: of(children) };
            let schedules = changed(algorithm, size, parent, |steps| {
                steps[0].recv_from.push(wait(size, 0));
            });
            let found = Fault::NoSuchRank { rank: parent, step: 0, other: size };
            assert_eq!(check(&schedules), Err(found));
        }
    }
}

/// hoefler-2005 listing 2.5: `wait until array[rank] == 1`, which is true from the beginning.
#[test]
fn a_binomial_tree_that_waits_for_its_own_flag_is_unsafe() {
    // Of two ranks each signals the other and waits for it in the end: that is an exchange.
    for size in 3..=64 {
        let schedules = hasty(Algorithm::BinomialTree, size, 0);
        let fault = check(&schedules).expect_err("nobody waits");
        assert!(matches!(fault, Fault::NotImplied { .. }), "at {size}: {fault}");
        confirm(&schedules, &fault);
    }
}

/// In every gathering tree any report that comes too late is noticed, from whatever rank.
#[test]
fn a_report_that_is_not_waited_for_is_unsafe() {
    let gathering = variants().into_iter().filter(|algorithm| {
        use Algorithm::*;
        matches!(algorithm, GatherMulticast { .. } | McsTree { .. } | BinomialTree)
    });
    for algorithm in gathering {
        for size in 3..=24 {
            for schedule in Schedule::all(algorithm, size) {
                for place in 0..schedule.steps()[0].recv_from.len() {
                    let schedules = changed(algorithm, size, schedule.rank(), |steps| {
                        let late = steps[0].recv_from.remove(place);
                        match steps.get_mut(1) {
                            Some(last) => last.recv_from.push(late),
                            None => steps.push(step(&[late], &[])),
                        }
                    });
                    let fault = check(&schedules).expect_err("a report is not waited for");
                    assert!(matches!(fault, Fault::NotImplied { .. }), "{algorithm}: {fault}");
                    confirm(&schedules, &fault);
                }
            }
        }
    }
}
