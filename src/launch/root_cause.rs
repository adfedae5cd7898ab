//! What a job comes to, from what its ranks came to: their values, or the error that the others
//! followed from.

use super::LaunchError;
use super::bootstrap::Outcome;
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::sys::process::End;

/// How near to the cause of a job's failure a rank's failure is: the least is the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// It died: none of its errors follows from another's.
    Died,
    /// It failed, and that may follow from so much; see `Error::distance`.
    Failed(u8),
    /// The launcher has ended it.
    Ended,
}

/// The error of a rank, and how near to the cause it is; None for one that returned a value.
/// `ended_here` says that the launcher has ended it.
pub(super) fn failure(
    rank: Rank,
    outcome: &Outcome,
    ended_here: bool,
) -> Option<(Nearness, Error)> {
    let (nearness, error) = match outcome {
        Outcome::Value(_) => return None,
        Outcome::Failed(report) => {
            let error = Box::new(Error::from(report.clone()));
            (Nearness::Failed(error.distance()), Error::Rank { rank, error })
        }
        Outcome::Panicked(message) => {
            (Nearness::Failed(0), Error::Panicked { rank, message: message.clone() })
        }
        Outcome::Elsewhere { size } => {
            let error = LaunchError::Elsewhere { rank, size: *size };
            (Nearness::Failed(0), error.into())
        }
        &Outcome::Ended { end: End::Killed(signal), .. } => {
            (Nearness::Died, Error::Killed { rank, signal })
        }
        &Outcome::Ended { end: End::Exited(code), joined: true } => {
            (Nearness::Died, Error::Exited { rank, code })
        }
        &Outcome::Ended { end: End::Exited(code), joined: false } => {
            (Nearness::Died, LaunchError::NeverCame { rank, code }.into())
        }
    };
    Some((if ended_here { Nearness::Ended } else { nearness }, error))
}

/// The values of all ranks. Of each it is said what it came to, and whether the launcher has ended it.
///
/// # Errors
///
/// That of the rank that is nearest to the cause; of several, the first.
pub(super) fn root_cause(outcomes: Vec<(Outcome, bool)>) -> Result<Vec<Vec<u8>>> {
    let mut values = Vec::new();
    let mut nearest: Option<(Nearness, Error)> = None;
    for (rank, (outcome, ended_here)) in outcomes.into_iter().enumerate() {
        match failure(rank, &outcome, ended_here) {
            Some(found) if nearest.as_ref().is_none_or(|nearest| found.0 < nearest.0) => {
                nearest = Some(found);
            }
            Some(_) => {}
            None => values.extend(match outcome {
                Outcome::Value(bytes) => Some(bytes),
                _ => None,
            }),
        }
    }
    nearest.map_or(Ok(values), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::super::error_report::Said;
    use super::*;

    fn told(error: &str) -> Outcome {
        Outcome::Failed(Said::Other { message: error.into(), culprit: None }.into())
    }

    fn said(outcomes: Vec<Outcome>) -> String {
        let outcomes = outcomes.into_iter().map(|outcome| (outcome, false));
        root_cause(outcomes.collect()).unwrap_err().to_string()
    }

    #[test]
    fn what_the_others_followed_from_comes_first() {
        let lost = || Outcome::Failed(Said::PeerLost { rank: 2 }.into());
        let ended = || Outcome::Failed(Said::PeerEnded { rank: 1, failed: false }.into());
        let exit = |code, joined| Outcome::Ended { end: End::Exited(code), joined };
        let value = || Outcome::Value(vec![1]);
        let values = vec![(value(), false), (value(), false)];
        assert_eq!(root_cause(values).unwrap(), [[1], [1]]);
        // It was ended since another had failed.
        let killed = || Outcome::Ended { end: End::Killed(15), joined: true };
        let outcomes = vec![(killed(), true), (lost(), false), (told("own"), false)];
        assert_eq!(root_cause(outcomes).unwrap_err().to_string(), "rank 2: own");
        assert_eq!(said(vec![lost(), value(), told("own")]), "rank 2: own");
        assert!(said(vec![lost(), ended()]).starts_with("rank 1: "));
        // Who has seen it itself knows more than who has heard of it.
        let followed = || Outcome::Failed(Said::PeerEnded { rank: 1, failed: true }.into());
        let seen = || Outcome::Failed(Said::Unreachable { rank: 2, why: "a verb".into() }.into());
        let (rank, group, epoch) = (0, 0, 1);
        let lacked = || Outcome::Failed(Said::EndedBeforeBarrier { rank, group, epoch }.into());
        let outcomes = vec![followed(), lacked(), lost(), seen()];
        assert_eq!(said(outcomes), "rank 3: rank 2 is lost: a verb");
        assert!(said(vec![followed(), lacked()]).starts_with("rank 1: "));
        assert!(said(vec![followed(), lost()]).starts_with("rank 1: "));
        assert!(said(vec![ended(), ended()]).starts_with("rank 0: "));
        let killed = Outcome::Ended { end: End::Killed(9), joined: true };
        let message = said(vec![told("own"), lost(), killed, Outcome::Panicked("oh".into())]);
        assert_eq!(message, "rank 2 was killed by signal 9 (SIGKILL)");
        assert_eq!(said(vec![Outcome::Panicked("oh".into()), told("own")]), "rank 0 panicked: oh");
        let message = said(vec![told("own"), exit(3, true)]);
        assert_eq!(message, "rank 1 ended by itself, with exit code 3");
        let message = said(vec![told("own"), exit(3, false)]);
        assert_eq!(message, "rank 1 ended with exit code 3 before it came to its launch");
        let message = said(vec![value(), Outcome::Elsewhere { size: 7 }]);
        assert!(message.contains("rank 1") && message.contains("7 ranks"), "{message}");
    }
}
