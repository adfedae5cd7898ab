//! The root cause of a job's failure: the failure of a rank that the others followed from.
//!
//! A rank that was killed is the cause. Else it is a rank that ended by itself, or whose error is a cause by
//! its [severity](Severity): the first, if the order is known. Where all errors are consequences, each names
//! its culprit, and what that rank says itself is nearer to the cause.

#[cfg(target_os = "linux")]
use super::LaunchError;
#[cfg(target_os = "linux")]
use super::bootstrap::Outcome;
#[cfg(target_os = "linux")]
use crate::error::Result;
use crate::error::{Error, Severity};
use crate::order::Rank;
#[cfg(target_os = "linux")]
use crate::sys::process::End;

/// How near to the root cause the failure of a rank is: the least is the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// It was killed: none of its errors follows from another's.
    #[cfg(target_os = "linux")]
    Killed,
    /// It ended by itself, without a word. Its program may have done so since another had failed.
    #[cfg(target_os = "linux")]
    Exited,
    /// Its program failed.
    Failed(Severity),
    /// It had returned a value before it died: that follows from another's failure, if there is
    /// one.
    #[cfg(target_os = "linux")]
    Returned,
    /// The launcher has ended it.
    #[cfg(target_os = "linux")]
    Ended,
}

/// In which order failures are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// As the launcher has heard of them. A rank that ends since another has failed comes behind that one, of which it
    /// has heard by the launcher.
    #[cfg(target_os = "linux")]
    InTime,
    /// By ranks.
    ByRank,
}

/// The failure of a rank.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) rank: Rank,
    pub(super) nearness: Nearness,
    pub(super) error: Error,
}

impl Failure {
    /// The program returned an error.
    pub(super) fn error(rank: Rank, error: Error) -> Failure {
        let nearness = Nearness::Failed(error.severity());
        Failure { rank, nearness, error: Error::Rank { rank, error: Box::new(error) } }
    }

    /// The program panicked.
    pub(super) fn panic(rank: Rank, message: String) -> Failure {
        let nearness = Nearness::Failed(Severity::Cause);
        Failure { rank, nearness, error: Error::Panicked { rank, message } }
    }

    /// The failure that a process came to, if it failed. `ended_here` says that the launcher has
    /// ended it.
    #[cfg(target_os = "linux")]
    pub(super) fn of(rank: Rank, outcome: &Outcome, ended_here: bool) -> Option<Failure> {
        let exited = |error| Failure { rank, nearness: Nearness::Exited, error };
        let failure = match outcome {
            Outcome::Value(_) => return None,
            Outcome::Failed(report) => Failure::error(rank, Error::from(report.clone())),
            Outcome::Panicked(message) => Failure::panic(rank, message.clone()),
            &Outcome::Elsewhere { size } => Failure {
                rank,
                nearness: Nearness::Failed(Severity::Cause),
                error: LaunchError::Elsewhere { rank, size }.into(),
            },
            &Outcome::Ended { end: End::Killed(signal), .. } => {
                let error = Error::Killed { rank, signal };
                Failure { rank, nearness: Nearness::Killed, error }
            }
            &Outcome::Ended { end: End::Exited(code), joined: true } => {
                exited(Error::Exited { rank, code })
            }
            &Outcome::Ended { end: End::Exited(code), joined: false } => {
                exited(LaunchError::NeverCame { rank, code }.into())
            }
        };
        let nearness = if ended_here { Nearness::Ended } else { failure.nearness };
        Some(Failure { nearness, ..failure })
    }
}

/// Takes out the failure that the others followed from. Of several that are as near, it is the
/// first in the list; of several consequences, one whose culprit tells nothing nearer.
pub(super) fn root(failures: &mut Vec<Failure>, listed: Listed) -> Option<Failure> {
    let nearness = |failure: &Failure| match failure.nearness {
        // Which of the two came first tells more.
        #[cfg(target_os = "linux")]
        Nearness::Exited if listed == Listed::InTime => Nearness::Failed(Severity::Cause),
        nearness => nearness,
    };
    let nearest = failures.iter().map(nearness).min()?;
    let place = |is: &dyn Fn(&Failure) -> bool| {
        failures.iter().position(|failure| nearness(failure) == nearest && is(failure))
    };
    let mut root = place(&|_| true)?;
    if nearest == Nearness::Failed(Severity::Consequence) {
        // Ranks that blame each other in a circle are passed once.
        for _ in 1..failures.len() {
            let culprit = failures[root].error.culprit();
            root = place(&|failure| Some(failure.rank) == culprit).unwrap_or(root);
        }
    }
    Some(failures.remove(root))
}

/// What the lowest rank says that needed one that died, and says in words of its own: the rank that
/// died cannot say what the program was doing. `others` are the failures without the root cause.
#[cfg(target_os = "linux")]
pub(super) fn witness_of(root: &Failure, others: Vec<Failure>) -> Option<Failure> {
    let said = |failure: &Failure| match failure.error.cause() {
        Error::Reported { culprit, .. } => *culprit,
        _ => None,
    };
    let died = [Nearness::Killed, Nearness::Exited].contains(&root.nearness);
    let told = others.into_iter().filter(|failure| died && said(failure).is_some());
    // One that blames the dead rank itself is nearer than one that blames another survivor.
    told.min_by_key(|failure| (said(failure) != Some(root.rank), failure.rank))
}

/// The values of all ranks. Of each it is said what it came to, and whether the launcher has ended
/// it.
///
/// # Errors
///
/// The root cause, if a rank failed.
#[cfg(target_os = "linux")]
pub(super) fn root_cause(outcomes: Vec<(Outcome, bool)>) -> Result<Vec<Vec<u8>>> {
    let mut values = Vec::new();
    let mut failures = Vec::new();
    for (rank, (outcome, ended_here)) in outcomes.into_iter().enumerate() {
        failures.extend(Failure::of(rank, &outcome, ended_here));
        if let Outcome::Value(bytes) = outcome {
            values.push(bytes);
        }
    }
    root(&mut failures, Listed::ByRank).map_or(Ok(values), |failure| Err(failure.error))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::error_report::Innermost;
    use super::*;

    fn other(error: &str) -> Outcome {
        Outcome::Failed(Innermost::Other { message: error.into(), culprit: None }.into())
    }

    fn said(outcomes: Vec<Outcome>) -> String {
        let outcomes = outcomes.into_iter().map(|outcome| (outcome, false));
        root_cause(outcomes.collect()).unwrap_err().to_string()
    }

    #[test]
    fn the_error_that_others_followed_from_is_the_root_cause() {
        let lost = || Outcome::Failed(Innermost::PeerLost { rank: 2 }.into());
        let ended = || Outcome::Failed(Innermost::PeerEnded { rank: 1, failed: false }.into());
        let exit = |code, joined| Outcome::Ended { end: End::Exited(code), joined };
        let value = || Outcome::Value(vec![1]);
        let values = vec![(value(), false), (value(), false)];
        assert_eq!(root_cause(values).unwrap(), [[1], [1]]);
        // It was ended since another had failed.
        let killed = || Outcome::Ended { end: End::Killed(15), joined: true };
        let outcomes = vec![(killed(), true), (lost(), false), (other("own"), false)];
        assert_eq!(root_cause(outcomes).unwrap_err().to_string(), "rank 2: own");
        assert_eq!(said(vec![lost(), value(), other("own")]), "rank 2: own");
        assert!(said(vec![lost(), ended()]).starts_with("rank 1: "));
        // The network's own reason is nearer than what a rank was told.
        let followed = || Outcome::Failed(Innermost::PeerEnded { rank: 1, failed: true }.into());
        let seen =
            || Outcome::Failed(Innermost::Unreachable { rank: 2, why: "a verb".into() }.into());
        let (rank, group, epoch) = (0, 0, 1);
        let lacked =
            || Outcome::Failed(Innermost::EndedBeforeBarrier { rank, group, epoch }.into());
        let outcomes = vec![followed(), lacked(), lost(), seen()];
        assert_eq!(said(outcomes), "rank 3: rank 2 is lost: a verb");
        assert!(said(vec![followed(), lacked()]).starts_with("rank 1: "));
        assert!(said(vec![followed(), lost()]).starts_with("rank 1: "));
        // Rank 0 blames 3, and that blames 2, which does not fail; rank 1 follows from rank 0.
        let to = |rank| Outcome::Failed(Innermost::PeerEnded { rank, failed: true }.into());
        assert!(said(vec![to(3), to(0), value(), lost()]).starts_with("rank 3: "));
        assert!(said(vec![ended(), ended()]).starts_with("rank 0: "));
        let killed = Outcome::Ended { end: End::Killed(9), joined: true };
        let message = said(vec![other("own"), lost(), killed, Outcome::Panicked("oh".into())]);
        assert_eq!(message, "rank 2 was killed by signal 9 (SIGKILL)");
        assert_eq!(said(vec![Outcome::Panicked("oh".into()), other("own")]), "rank 0 panicked: oh");
        let message = said(vec![other("own"), exit(3, true)]);
        assert_eq!(message, "rank 1 ended by itself, with exit code 3");
        let message = said(vec![other("own"), exit(3, false)]);
        assert_eq!(message, "rank 1 ended with exit code 3 before it came to its launch");
        let message = said(vec![value(), Outcome::Elsewhere { size: 7 }]);
        assert!(message.contains("rank 1") && message.contains("7 ranks"), "{message}");
    }

    /// A rank that aborts is told from those that end since it has, and from one that aborts since another has ended. One that
    /// was killed is the cause, whatever was heard before: others see its end themselves. (Planted: ranks that ended by
    /// themselves are nearer; they never are; those that were killed are not.)
    #[test]
    fn of_those_that_end_by_themselves_and_fail_the_first_is_the_root_cause() {
        let first = |outcomes: Vec<(Rank, Outcome)>, listed| {
            let failures = outcomes.iter();
            let failures =
                failures.filter_map(|(rank, outcome)| Failure::of(*rank, outcome, false));
            root(&mut failures.collect(), listed).unwrap().error.to_string()
        };
        let exited = |code| Outcome::Ended { end: End::Exited(code), joined: true };
        let killed = || Outcome::Ended { end: End::Killed(9), joined: true };
        let lost = || Outcome::Failed(Innermost::PeerLost { rank: 0 }.into());
        let aborts_first = || vec![(2, lost()), (1, other("it aborts")), (0, exited(1))];
        assert_eq!(first(aborts_first(), Listed::InTime), "rank 1: it aborts");
        let by_itself = "rank 0 ended by itself, with exit code 1";
        assert_eq!(first(aborts_first(), Listed::ByRank), by_itself);
        let exits_first = vec![(2, lost()), (0, exited(1)), (1, other("it aborts"))];
        assert_eq!(first(exits_first, Listed::InTime), by_itself);
        let mut kill_last = aborts_first();
        kill_last.push((3, killed()));
        assert_eq!(first(kill_last, Listed::InTime), "rank 3 was killed by signal 9 (SIGKILL)");
    }

    #[test]
    fn the_lowest_rank_that_needed_one_that_died_is_its_witness() {
        let killed = || Outcome::Ended { end: End::Killed(9), joined: true };
        let lost = || Outcome::Failed(Innermost::PeerLost { rank: 1 }.into());
        let said = |message: &str, culprit| {
            Outcome::Failed(Innermost::Other { message: message.into(), culprit }.into())
        };
        let witness = |outcomes: Vec<Outcome>| {
            let failures = outcomes.iter().enumerate();
            let failures = failures.rev().filter_map(|(rank, came)| Failure::of(rank, came, false));
            let mut failures = failures.collect();
            let root = root(&mut failures, Listed::InTime).unwrap();
            witness_of(&root, failures).map(|failure| failure.error.to_string())
        };
        let blames = |rank| said("a call", Some(rank));
        let of = |rank: Rank| Some(format!("rank {rank}: a call"));
        assert_eq!(witness(vec![blames(1), killed(), blames(1)]), of(0));
        assert_eq!(witness(vec![blames(2), killed(), blames(1)]), of(2));
        assert_eq!(witness(vec![blames(2), killed(), lost()]), of(0));
        // What names nobody is about something else, and what only names the lost rank tells nothing new.
        assert_eq!(witness(vec![said("own", None), killed(), lost()]), None);
        // Who has failed by itself says so itself.
        assert_eq!(witness(vec![blames(1), said("own", None), blames(1)]), None);
    }
}
