//! Which algorithms are worth timing at a size.

use crate::order::{Algorithm, Schedule};

/// From this size on, algorithms in which a rank signals all others in one step are not tried: the
/// cells and credits alone would cost more than the budget.
const MANY_RANKS: usize = 128;

/// The short list, as users write it. The default comes first. Left out are those that are never
/// faster than one that is listed, by their counts of hops and signals (docs/SCHEDULES.md): the
/// butterfly, which is pairwise exchange where it is good; the binary tree, which goes down as slowly
/// as up.
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

/// The candidates for a group of `size` ranks, the default first: the short list, without those whose
/// schedules are the same at this size as those of one before, and without all-to-all in large groups.
/// Empty if there is nothing to choose from: for a group of one.
pub fn candidates(size: usize) -> Vec<Algorithm> {
    let mut kept: Vec<(Algorithm, Vec<Schedule>)> = Vec::new();
    if size < 2 {
        return Vec::new();
    }
    let listed = LISTED.iter().filter_map(|name| name.parse().ok());
    for algorithm in [Algorithm::default()].into_iter().chain(listed) {
        if size >= MANY_RANKS && algorithm == Algorithm::AllToAll {
            continue;
        }
        let schedules = Schedule::all(algorithm, size);
        if kept.iter().all(|(_, known)| *known != schedules) {
            kept.push((algorithm, schedules));
        }
    }
    kept.into_iter().map(|(algorithm, _)| algorithm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(size: usize) -> Vec<String> {
        candidates(size).iter().map(Algorithm::to_string).collect()
    }

    #[test]
    fn every_listed_name_is_one() {
        for name in LISTED {
            assert_eq!(name.parse::<Algorithm>().unwrap().name(), name.split(':').next().unwrap());
        }
    }

    #[test]
    fn those_that_are_the_same_are_tried_once() {
        assert!(candidates(0).is_empty() && candidates(1).is_empty());
        assert_eq!(names(2), ["dissemination", "flat-tree"]);
        assert_eq!(names(256).len(), 10);
        for size in [2, 3, 4, 8, 13, 16, 100, 256] {
            let candidates = candidates(size);
            assert_eq!(candidates[0], Algorithm::default());
            assert!(candidates.len() >= 2, "at {size}");
            assert_eq!(candidates.contains(&Algorithm::AllToAll), (3..MANY_RANKS).contains(&size));
        }
    }
}
