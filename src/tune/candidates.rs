//! The algorithms that are worth timing at a size.

use crate::order::{Algorithm, Schedule};

/// From this size on, algorithms in which a rank signals all others in one step are not tried:
/// their cells and credits alone would cost more than the budget.
const MANY_RANKS: usize = 128;

/// The short list, as users write it. The first is the default among them. Algorithms that are
/// never faster than a listed one, by their counts of hops and signals (docs/SCHEDULES.md), are
/// left out. The butterfly equals pairwise exchange where it is good. The binary tree releases as
/// slowly as it gathers.
const LISTED: [&str; 11] = [
    "dissemination",
    "n-way-dissemination:2",
    "n-way-dissemination:3",
    "n-way-dissemination:4",
    "pairwise-exchange",
    "all-to-all",
    "flat-tree",
    "gather-multicast:3",
    "gather-multicast:7",
    "mcs-tree",
    "binomial-tree",
];

/// The candidates for a group of `size` ranks, the default first. They are the short list without
/// algorithms whose schedules at this size equal those of an earlier one, and without all-to-all in
/// large groups. If the group has a place on the `board`, the board comes first; otherwise it is
/// not a candidate. Empty for a group of one, which has nothing to choose.
pub fn candidates(size: usize, board: bool) -> Vec<Algorithm> {
    let mut kept: Vec<(Algorithm, Vec<Schedule>)> = Vec::new();
    if size < 2 {
        return Vec::new();
    }
    let listed = LISTED.iter().filter_map(|name| name.parse().ok());
    for algorithm in listed {
        if size >= MANY_RANKS && algorithm == Algorithm::AllToAll {
            continue;
        }
        let schedules = Schedule::all(algorithm, size);
        if kept.iter().all(|(_, known)| *known != schedules) {
            kept.push((algorithm, schedules));
        }
    }
    // Its schedule equals that of all-to-all, but its ranks learn of each other in another way.
    let board = board.then_some(Algorithm::Board);
    board.into_iter().chain(kept.into_iter().map(|(algorithm, _)| algorithm)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(size: usize) -> Vec<String> {
        candidates(size, false).iter().map(Algorithm::to_string).collect()
    }

    #[test]
    fn every_listed_name_is_that_of_an_algorithm() {
        for name in LISTED {
            assert_eq!(name.parse::<Algorithm>().unwrap().name(), name.split(':').next().unwrap());
        }
    }

    #[test]
    fn equivalent_algorithms_are_tried_once() {
        assert!(candidates(0, true).is_empty() && candidates(1, false).is_empty());
        assert_eq!(names(2), ["dissemination", "flat-tree"]);
        assert_eq!(names(256).len(), 10);
        for size in [2, 3, 4, 8, 13, 16, 100, 256] {
            let with_board = candidates(size, true);
            let candidates = candidates(size, false);
            assert_eq!(candidates[0], Algorithm::default().by_signals());
            assert_eq!(with_board[0], Algorithm::default());
            assert_eq!(with_board[1..], candidates);
            assert!(candidates.len() >= 2, "at {size}");
            assert_eq!(candidates.contains(&Algorithm::AllToAll), (3..MANY_RANKS).contains(&size));
        }
    }
}
