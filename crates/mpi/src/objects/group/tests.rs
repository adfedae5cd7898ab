//! Groups against lists and sets that are searched step by step.
//! Rules: each operation equals its definition in MPI 5.0, section 7.3, on random groups; each error case has a test.
//! The reference is shown to reject a union that has lost its order.

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

use super::*;

/// A group of some of 12 processes, in any order.
fn group() -> impl Strategy<Value = Group> {
    subsequence((0..12).collect::<Vec<Rank>>(), 0..=12).prop_shuffle().prop_map(Group::new)
}

/// Some ranks of a group of `size`, without repetition, in any order.
fn some_ranks(size: usize, picks: &[Index]) -> Vec<c_int> {
    let mut ranks = Vec::new();
    for pick in picks.iter().filter(|_| size > 0) {
        let rank = pick.index(size) as c_int;
        if !ranks.contains(&rank) {
            ranks.push(rank);
        }
    }
    ranks
}

fn listed(group: Group) -> Vec<Rank> {
    group.members().to_vec()
}

fn naive_union(a: &[Rank], b: &[Rank]) -> Vec<Rank> {
    let mut all = a.to_vec();
    for process in b {
        if !all.contains(process) {
            all.push(*process);
        }
    }
    all
}

proptest! {
    #[test]
    fn set_operations_equal_their_definitions(a in group(), b in group()) {
        let (x, y) = (a.members().to_vec(), b.members().to_vec());
        prop_assert_eq!(listed(a.union(&b)), naive_union(&x, &y));
        let both: Vec<Rank> = x.iter().copied().filter(|p| y.contains(p)).collect();
        prop_assert_eq!(listed(a.intersection(&b)), both);
        let only: Vec<Rank> = x.iter().copied().filter(|p| !y.contains(p)).collect();
        prop_assert_eq!(listed(a.difference(&b)), only);
    }

    #[test]
    fn ranks_are_positions(a in group(), b in group(), process in 0_usize..14) {
        prop_assert_eq!(a.rank_of(process), a.members().iter().position(|p| *p == process));
        for (rank, process) in a.members().iter().enumerate() {
            let there = b.members().iter().position(|p| p == process);
            let expected = there.map_or(MPI_UNDEFINED, |rank| rank as c_int);
            prop_assert_eq!(a.translate(rank as c_int, &b), Ok(expected));
        }
    }

    #[test]
    fn comparison_is_of_order_and_members(a in group(), b in group()) {
        let sorted = |group: &Group| {
            let mut members = group.members().to_vec();
            members.sort_unstable();
            members
        };
        let expected = if a.members() == b.members() {
            Comparison::Ident
        } else if sorted(&a) == sorted(&b) {
            Comparison::Similar
        } else {
            Comparison::Unequal
        };
        prop_assert_eq!(a.compare(&b), expected);
    }

    #[test]
    fn include_and_exclude_share_the_group(a in group(), picks: Vec<Index>) {
        let ranks = some_ranks(a.size(), &picks);
        let chosen: Vec<Rank> = ranks.iter().map(|rank| a.members()[*rank as usize]).collect();
        let included = a.include(&ranks).unwrap();
        prop_assert_eq!(included.members(), chosen);
        let excluded = a.exclude(&ranks).unwrap();
        prop_assert_eq!(listed(excluded), listed(a.difference(&included)));
    }

    #[test]
    fn a_range_lists_its_ranks(a in group(), first in -2..14, last in -2..14, stride in -5..6) {
        let mut ranks = Vec::new();
        let mut at = first;
        while stride != 0 && if stride > 0 { at <= last } else { at >= last } {
            ranks.push(at);
            at += stride;
        }
        let range = [[first, last, stride]];
        if ranks.is_empty() {
            prop_assert_eq!(a.include_ranges(&range).unwrap_err().class(), MPI_ERR_ARG);
            return Ok(());
        }
        let class = |error: GroupError| error.class();
        prop_assert_eq!(
            a.include_ranges(&range).map(listed).map_err(class),
            a.include(&ranks).map(listed).map_err(class)
        );
        prop_assert_eq!(
            a.exclude_ranges(&range).map(listed).map_err(class),
            a.exclude(&ranks).map(listed).map_err(class)
        );
    }
}

#[test]
fn errors_have_the_standard_classes() {
    let group = Group::world(4);
    assert_eq!(group.include(&[0, 4]), Err(GroupError::RankOutOfRange { rank: 4, size: 4 }));
    assert_eq!(group.include(&[-1]).unwrap_err().class(), MPI_ERR_RANK);
    assert_eq!(group.include(&[2, 1, 2]), Err(GroupError::Twice { rank: 2 }));
    assert_eq!(group.exclude(&[3, 3]).unwrap_err().class(), MPI_ERR_RANK);
    assert_eq!(group.translate(4, &group).unwrap_err().class(), MPI_ERR_RANK);
    assert_eq!(group.translate(MPI_PROC_NULL, &group), Ok(MPI_PROC_NULL));
    assert_eq!(group.include_ranges(&[[0, 2, 0]]).unwrap_err().class(), MPI_ERR_ARG);
    assert_eq!(group.include_ranges(&[[0, 1, 1], [1, 3, 1]]), Err(GroupError::Twice { rank: 1 }));
    assert_eq!(group.exclude_ranges(&[[0, 4, 1]]).unwrap_err().class(), MPI_ERR_RANK);
}

#[test]
fn a_range_may_stop_before_its_last_rank() {
    // The last rank named, 5, is none of the group, and the range does not reach it.
    let group = Group::world(5).include_ranges(&[[0, 5, 4]]).unwrap();
    assert_eq!(group.members(), [0, 4]);
}

#[test]
fn a_range_of_any_length_is_refused_at_once() {
    let group = Group::world(4);
    let range = [c_int::MIN, c_int::MAX, 1];
    assert_eq!(group.include_ranges(&[range]).unwrap_err().class(), MPI_ERR_RANK);
    let range = [0, c_int::MAX, 1];
    assert_eq!(group.exclude_ranges(&[range]).unwrap_err().class(), MPI_ERR_RANK);
}

#[test]
fn nothing_is_a_group() {
    let empty = Group::empty();
    assert_eq!(empty.compare(&Group::world(0)), Comparison::Ident);
    assert_eq!(empty.rank_of(0), None);
    assert_eq!(Group::world(3).include(&[]).unwrap().compare(&empty), Comparison::Ident);
}

#[test]
fn the_reference_rejects_a_union_that_has_lost_its_order() {
    let (a, b) = (Group::new(vec![5, 1]), Group::new(vec![3, 1]));
    let mut sorted = a.union(&b).members().to_vec();
    sorted.sort_unstable();
    assert_ne!(sorted, naive_union(a.members(), b.members()));
}

impl PartialEq for Group {
    fn eq(&self, other: &Group) -> bool {
        self.members() == other.members()
    }
}
