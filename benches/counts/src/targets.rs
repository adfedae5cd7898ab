//! What must hold of the counts, whatever the compiler makes of the code: differences and ratios.

use crate::report::Report;
use crate::scenarios::{Kinds, Ranks, Scenario};

/// Stamps may add so much to a message: the greater of the two.
const ADDED_SHARE: f64 = 0.03;
const ADDED_INSTRUCTIONS: f64 = 12.0;

/// A barrier that a rank calls and waits for may cost it so much more than a message costs sender and receiver. (It was
/// 0.25 while a message took 602 instructions, 80 more than now.)
const BARRIER_PER_MESSAGE: f64 = 1.35;

/// A barrier on the board may cost so much more at one size than at another ...
const BOARD_SPREAD: f64 = 0.05;
/// ... and so much more than between two, whose calls do not look at the board: of two nobody can tell the other
/// anything that the other does not find with its first look. (It was 0.12 of 2,106 instructions until a call cost as
/// little after a detour as before it. That saved two 378 instructions, and 64 members 339.)
const BOARD_SPREAD_FROM_TWO: f64 = 0.17;

/// A step more of a barrier with signals may cost so much more at one size than at another.
const STEP_SPREAD: f64 = 0.10;
/// The same on shared memory. There a step more is also one more rank to hear from, whose ring each look at the
/// network looks into: about 20 instructions, some dozen times in a barrier. (It was 0.15, and then 0.16, when all else of
/// a step cost more.)
const STEP_SPREAD_WITH_RINGS: f64 = 0.17;

/// The targets that are missed, in words.
pub fn missed(report: &Report) -> Vec<String> {
    let mut missed = Vec::new();
    let counted = report.message(Scenario::Message).ok_or("no message was counted".to_owned());
    let message = counted.clone().map_or(0.0, |(with, _)| with);
    missed.extend(counted.and_then(|(with, without)| stamps(with, without)).err());
    missed.extend(steady(report.steady_barrier(), message).err());
    for ranks in [Ranks::Shm, Ranks::Flat] {
        for kind in [Kinds::Board, Kinds::Dissemination, Kinds::Butterfly] {
            let sizes: &[(Ranks, usize)] = match ranks {
                Ranks::Shm => &[(ranks, 2), (ranks, 8), (ranks, 64)],
                _ => &[(ranks, 2), (ranks, 8), (ranks, 64), (Ranks::Lone, 64), (Ranks::Lone, 1024)],
            };
            let cost = |&(ranks, size): &(Ranks, usize)| {
                let cost = report.whole_barrier(ranks, kind, size);
                cost.map(|cost| (size, cost))
            };
            let outcome = match sizes.iter().map(cost).collect::<Option<Vec<_>>>() {
                None => Err("some sizes were not counted".into()),
                Some(costs) if kind == Kinds::Board => flat(&costs),
                Some(costs) if ranks == Ranks::Shm => logarithmic(&costs, STEP_SPREAD_WITH_RINGS),
                Some(costs) => logarithmic(&costs, STEP_SPREAD),
            };
            missed.extend(outcome.err().map(|miss| format!("{kind:?} on {ranks:?}: {miss}")));
        }
    }
    missed
}

/// Stamping, checking and holding add little to a message.
fn stamps(with: f64, without: f64) -> Result<(), String> {
    let (added, most) = (with - without, ADDED_INSTRUCTIONS.max(ADDED_SHARE * without));
    if added <= most {
        return Ok(());
    }
    Err(format!(
        "stamps add {added:.1} instructions to a message of {without:.1}; at most {most:.1}"
    ))
}

/// A barrier takes the fast path, as a message does.
fn steady(barrier: Option<[f64; 4]>, message: f64) -> Result<(), String> {
    let parts = barrier.ok_or("no barriers were counted")?;
    let each = parts.iter().sum::<f64>() / 2.0;
    match each <= BARRIER_PER_MESSAGE * message {
        true => Ok(()),
        false => Err(format!("a barrier costs {each:.1} instructions, a message {message:.1}")),
    }
}

/// A barrier costs a rank the same at every size.
fn flat(costs: &[(usize, f64)]) -> Result<(), String> {
    let least = |sizes: std::ops::RangeFrom<usize>| {
        let costs = costs.iter().filter(|(size, _)| sizes.contains(size));
        costs.map(|&(_, cost)| cost).fold(f64::MAX, f64::min)
    };
    let (of_all, of_more) = (least(1..), least(3..));
    let most = (of_all * (1.0 + BOARD_SPREAD_FROM_TWO)).min(of_more * (1.0 + BOARD_SPREAD));
    match costs.iter().find(|&&(_, cost)| cost > most) {
        None => Ok(()),
        Some((size, cost)) => {
            Err(format!("{cost:.1} instructions at {size} members, {of_all:.1} elsewhere"))
        }
    }
}

/// Twice the members cost a rank one step more, which costs the same at every size.
fn logarithmic(costs: &[(usize, f64)], spread: f64) -> Result<(), String> {
    let steps = |size: usize| f64::from(size.ilog2());
    let grown = costs.windows(2).filter(|pair| pair[0].0 < pair[1].0);
    let each: Vec<(usize, f64)> = grown
        .map(|pair| (pair[1].0, (pair[1].1 - pair[0].1) / (steps(pair[1].0) - steps(pair[0].0))))
        .collect();
    let least = each.iter().map(|&(_, step)| step).fold(f64::MAX, f64::min);
    match each.iter().find(|&&(_, step)| step > least * (1.0 + spread)) {
        None => Ok(()),
        Some((size, step)) => {
            Err(format!("{step:.1} instructions a step at {size} members, {least:.1} elsewhere"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stamps_may_add_is_bounded() {
        for (with, without, ok) in [
            (112.0, 100.0, true),
            (112.5, 100.0, false),
            (1030.0, 1000.0, true),
            (1030.5, 1000.0, false),
            (90.0, 100.0, true),
        ] {
            assert_eq!(stamps(with, without).is_ok(), ok, "{with} for {without}");
        }
    }

    #[test]
    fn a_barrier_may_cost_little_more_than_a_message() {
        assert!(steady(Some([300.0, 700.0, 500.0, 100.0]), 600.0).is_ok());
        assert!(steady(Some([300.0, 730.0, 500.0, 100.0]), 600.0).is_err());
        assert!(steady(None, 600.0).is_err());
    }

    #[test]
    fn what_grows_with_the_members_is_not_flat() {
        assert!(flat(&[(2, 500.0), (8, 520.0), (1024, 510.0)]).is_ok());
        assert!(flat(&[(2, 500.0), (8, 560.0), (1024, 584.0)]).is_ok());
        assert!(flat(&[(2, 500.0), (8, 560.0), (1024, 586.0)]).is_err());
        assert!(flat(&[(2, 500.0), (8, 540.0), (1024, 566.0)]).is_ok());
        assert!(flat(&[(2, 500.0), (8, 540.0), (1024, 568.0)]).is_err());
        // A look at each member, of one instruction.
        assert!(flat(&[(2, 502.0), (8, 508.0), (64, 564.0)]).is_err());
        assert!(flat(&[(2, 540.0), (8, 508.0), (64, 540.0)]).is_err());
        // Nor is what costs more at a small size.
        assert!(flat(&[(2, 600.0), (1024, 500.0)]).is_err());
    }

    #[test]
    fn what_grows_faster_than_its_steps_is_not_logarithmic() {
        let barrier = |each: fn(f64) -> f64| {
            [2, 8, 64, 64, 1024].map(|size| (size, 300.0 + each(size as f64)))
        };
        assert!(logarithmic(&barrier(|size| 200.0 * size.log2()), STEP_SPREAD).is_ok());
        assert!(
            logarithmic(&barrier(|size| 200.0 * size.log2() + 0.5 * size), STEP_SPREAD).is_err()
        );
        assert!(logarithmic(&barrier(|size| 50.0 * size.log2().powi(2)), STEP_SPREAD).is_err());
    }
}
