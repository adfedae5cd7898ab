//! Watching the processes of a job until the last has ended.
//!
//! One thread sleeps until a process ends, writes, or somebody gives an order. It decides nothing
//! about what the job has come to.

use std::io;
use std::time::Duration;

use super::crew::Crew;
use super::ledger::Outcome;
use super::lines::Lines;
use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, read_some, ready};
use crate::sys::process::{End, SIGKILL, SIGTERM};
use crate::sys::time::Instant;

/// How long the others go on, in a job that ends with its first failure, when a rank has failed: time
/// enough to hear of it, and to say so. Then they are asked to end (SIGTERM), and after as long again
/// they are killed.
pub const GRACE: Duration = Duration::from_secs(2);

/// What the watching goes by.
pub(super) struct Orders<'a> {
    /// All are killed when it has passed.
    pub(super) limit: Option<Duration>,
    /// Whether the failure of a rank ends the job.
    pub(super) end_with_first: bool,
    /// Signals for all ranks, one byte each.
    pub(super) signals: Option<&'a OwnedFd>,
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Seen {
    /// In the order of the ranks.
    pub(super) ranks: Vec<SeenRank>,
    /// Whether the time was up.
    pub(super) timed_out: bool,
}

/// What was seen of a rank.
#[derive(Clone, Debug)]
pub(super) struct SeenRank {
    pub(super) end: End,
    pub(super) outcome: Outcome,
    /// How many had ended before.
    pub(super) place: usize,
    /// Whether it was asked to end, or killed, here.
    pub(super) ended_here: bool,
}

/// How far a job is that ends with its first failure.
enum Stage {
    Running,
    /// Until then the others may go on.
    Grace(Option<Instant>),
    /// They were asked to end, and are killed then.
    Asked(Option<Instant>),
    Killed,
}

/// Watches until all have ended.
///
/// # Errors
///
/// If the system cannot tell; the ranks should be killed then.
pub(super) fn watch(
    crew: &mut Crew,
    orders: &Orders<'_>,
    mut lines: Option<Lines>,
) -> io::Result<Seen> {
    let started = Instant::now();
    let deadline = orders.limit.and_then(|limit| started.after(limit));
    let size = crew.children.len();
    let mut seen: Vec<Option<SeenRank>> = vec![None; size];
    let (mut stage, mut ended, mut timed_out) = (Stage::Running, 0, false);
    let mut asked = vec![false; size];
    while ended < size {
        let living: Vec<Rank> = (0..size).filter(|&rank| seen[rank].is_none()).collect();
        let wake = match stage {
            Stage::Grace(then) | Stage::Asked(then) => then,
            _ => None,
        };
        let wake = deadline.filter(|_| !timed_out).into_iter().chain(wake).min();
        let (exits, signals) = sleep(crew, &living, orders.signals, lines.as_mut(), wake)?;
        for signal in signals {
            crew.signal(living.iter().copied(), signal);
        }
        for rank in exits {
            let Some(end) = crew.children[rank].end() else { continue };
            let outcome = crew.ended(rank, end);
            // A rank that has come to its launch and ends without a word has failed, whatever its code.
            let well = matches!(outcome, Outcome::Value(_) | Outcome::Ended { joined: false, .. });
            let failed = end != End::Exited(0) || !well;
            seen[rank] = Some(SeenRank { end, outcome, place: ended, ended_here: asked[rank] });
            ended += 1;
            if failed && orders.end_with_first && matches!(stage, Stage::Running) {
                stage = Stage::Grace(Instant::now().after(GRACE));
            }
        }
        let now = Instant::now();
        let past = |then: Option<Instant>| then.is_some_and(|then| now >= then);
        let mut end_all = |signal: i32| {
            let living = || (0..size).filter(|&rank| seen[rank].is_none());
            living().for_each(|rank| asked[rank] = true);
            crew.signal(living(), signal);
        };
        if past(deadline) && !timed_out {
            timed_out = true;
            end_all(SIGKILL);
            stage = Stage::Killed;
        }
        match stage {
            Stage::Grace(then) if past(then) => {
                end_all(SIGTERM);
                stage = Stage::Asked(now.after(GRACE));
            }
            Stage::Asked(then) if past(then) => {
                end_all(SIGKILL);
                stage = Stage::Killed;
            }
            _ => {}
        }
    }
    if let Some(lines) = &mut lines {
        lines.finish();
    }
    Ok(Seen { ranks: seen.into_iter().flatten().collect(), timed_out })
}

/// Sleeps until something happens, and passes on what was written. Returns the ranks that seem to have
/// ended and the signals that are to be sent.
fn sleep(
    crew: &Crew,
    living: &[Rank],
    signals: Option<&OwnedFd>,
    lines: Option<&mut Lines>,
    wake: Option<Instant>,
) -> io::Result<(Vec<Rank>, Vec<i32>)> {
    let limit = wake.map(|wake| wake.saturating_since(Instant::now()));
    // A little longer, since a sleep that ends just before its time would be followed by another.
    let limit = limit.map(|limit| limit + Duration::from_millis(1));
    let exits = living.iter().map(|&rank| crew.children[rank].ended());
    let mut fds: Vec<BorrowedFd<'_>> = exits.collect();
    fds.extend(signals.map(AsFd::as_fd));
    let first_stream = fds.len();
    fds.extend(lines.iter().flat_map(|lines| lines.fds()));
    let is_ready = ready(&fds, limit)?;
    drop(fds);
    if let Some(lines) = lines {
        lines.take(&is_ready[first_stream..]);
    }
    let mut asked = Vec::new();
    if let Some(signals) = signals.filter(|_| is_ready[living.len()]) {
        let mut bytes = [0; 64];
        let count = read_some(signals, &mut bytes)?.unwrap_or(0);
        asked.extend(bytes[..count].iter().map(|&signal| i32::from(signal)));
    }
    let exits = living.iter().zip(&is_ready).filter(|(_, ready)| **ready);
    Ok((exits.map(|(&rank, _)| rank).collect(), asked))
}
