//! Watching the processes of a job until the last has ended.
//!
//! One thread sleeps until a process ends, writes to a pipe or to the hub, or a signal is to be
//! sent. It waits for nothing else: not for a rank, and not for the reader of the output. It decides
//! nothing about the result of the job.

use std::io;
use std::time::Duration;

use super::bootstrap::Outcome;
use super::lines::Lines;
use super::processes::ProcessGroup;
use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, read_some, ready, ready_for};
use crate::sys::process::{End, SIGKILL, SIGTERM, TERMINAL};
use crate::sys::time::Instant;

/// How long the other ranks go on when one has failed, in a job that ends with its first failure.
/// In that time they learn of it and report it. Then they get SIGTERM, and after as long again they
/// are killed.
pub const GRACE: Duration = Duration::from_secs(2);

/// The default of the same in a job that a program has started itself. It is longer: a rank that
/// does not need the failed one may finish its work.
pub(super) const OWN_GRACE: Duration = Duration::from_secs(10);

/// The bit of a signal that the ranks have got already: it is only noted.
pub(super) const NOTED: u8 = 1 << 7;

/// How long a signal may be on its way from this process's handler.
const LISTENS: Duration = Duration::from_millis(200);

/// What [`watch`] is to do.
pub(super) struct Orders<'a> {
    /// All are killed when it has passed.
    pub(super) limit: Option<Duration>,
    /// How long the others go on when a rank has failed; None for as long as they like.
    pub(super) grace: Option<Duration>,
    /// Whether the ranks are any commands: then their exit codes count too, also of those that have
    /// handed a value over, and one that never comes to a launch may have ended well.
    pub(super) commands: bool,
    /// Signals for all ranks, one byte each, with or without [`NOTED`].
    pub(super) signals: Option<&'a OwnedFd>,
}

/// The ends of all ranks.
#[derive(Debug)]
pub(super) struct Seen {
    /// In the order of the ranks.
    pub(super) ranks: Vec<SeenRank>,
    /// Whether the time was up.
    pub(super) timed_out: bool,
    /// The signals that came for all ranks.
    pub(super) signals: Vec<i32>,
}

/// The end of a rank.
#[derive(Clone, Debug)]
pub(super) struct SeenRank {
    pub(super) end: End,
    pub(super) outcome: Outcome,
    /// How many outcomes were known before this one; of a rank that had handed a value over, how many processes had
    /// ended before its own.
    pub(super) place: usize,
    /// Whether it was asked to end, or killed, here.
    pub(super) ended_here: bool,
}

impl SeenRank {
    /// Its outcome, and whether it was ended here.
    pub(super) fn came_to(self) -> (Outcome, bool) {
        (self.outcome, self.ended_here)
    }
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
    group: &mut ProcessGroup,
    orders: &Orders<'_>,
    mut lines: Option<Lines>,
) -> io::Result<Seen> {
    let started = Instant::now();
    let deadline = orders.limit.and_then(|limit| started.after(limit));
    let size = group.children.len();
    let mut seen: Vec<Option<SeenRank>> = vec![None; size];
    let (mut stage, mut ended, mut timed_out) = (Stage::Running, 0, false);
    let mut asked = vec![false; size];
    let mut heard = Vec::new();
    while ended < size {
        let living: Vec<Rank> = (0..size).filter(|&rank| seen[rank].is_none()).collect();
        let wake = match stage {
            Stage::Grace(then) | Stage::Asked(then) => then,
            _ => None,
        };
        let wake = deadline.filter(|_| !timed_out).into_iter().chain(wake).min();
        let (exits, signals) = sleep(group, &living, orders.signals, lines.as_mut(), wake)?;
        for byte in signals {
            let signal = i32::from(byte & !NOTED);
            if byte & NOTED == 0 {
                group.signal(living.iter().copied(), signal);
            }
            if !heard.contains(&signal) {
                heard.push(signal);
            }
        }
        for rank in exits {
            let Some(end) = group.children[rank].end() else { continue };
            let (outcome, known) = group.ended(rank, end);
            let place = if matches!(outcome, Outcome::Value(_)) { ended } else { known };
            // A rank that has come to its launch and ends without a word has failed, whatever its
            // code.
            let well = match outcome {
                Outcome::Value(_) => !orders.commands || end == End::Exited(0),
                Outcome::Ended { joined: false, .. } => orders.commands && end == End::Exited(0),
                _ => false,
            };
            let failed = !well;
            seen[rank] = Some(SeenRank { end, outcome, place, ended_here: asked[rank] });
            ended += 1;
            if let (true, Some(grace), Stage::Running) = (failed, orders.grace, &stage) {
                stage = Stage::Grace(Instant::now().after(grace));
            }
        }
        let now = Instant::now();
        let past = |then: Option<Instant>| then.is_some_and(|then| now >= then);
        let mut end_all = |signal: i32| {
            let living = || (0..size).filter(|&rank| seen[rank].is_none());
            living().for_each(|rank| asked[rank] = true);
            group.signal(living(), signal);
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
    group.wait_for_ending()?;
    if let Some(lines) = &mut lines {
        lines.finish();
    }
    let ranks: Vec<SeenRank> = seen.into_iter().flatten().collect();
    if let Some(signals) = orders.signals.filter(|_| heard.is_empty() && ended_by_terminal(&ranks))
    {
        // The ranks may have been faster than this process's handler.
        ready(&[signals.as_fd()], Some(LISTENS))?;
        heard.extend(read_signals(signals)?.map(|byte| i32::from(byte & !NOTED)));
    }
    Ok(Seen { ranks, timed_out, signals: heard })
}

/// Whether a signal has ended a rank that the keys of a terminal send, or its end, to all
/// processes.
fn ended_by_terminal(ranks: &[SeenRank]) -> bool {
    let killed =
        |rank: &SeenRank| matches!(rank.end, End::Killed(signal) if TERMINAL.contains(&signal));
    ranks.iter().any(killed)
}

fn read_signals(signals: &OwnedFd) -> io::Result<impl Iterator<Item = u8> + use<>> {
    let mut bytes = [0; 64];
    let count = read_some(signals, &mut bytes)?.unwrap_or(0);
    Ok(bytes.into_iter().take(count))
}

/// Sleeps until something happens, and passes on the output. Returns the ranks that seem to
/// have ended and the signals that are to be sent.
fn sleep(
    group: &mut ProcessGroup,
    living: &[Rank],
    signals: Option<&OwnedFd>,
    lines: Option<&mut Lines>,
    wake: Option<Instant>,
) -> io::Result<(Vec<Rank>, Vec<u8>)> {
    let limit = wake.map(|wake| wake.saturating_since(Instant::now()));
    // A little longer, since a sleep that ends just before its time would be followed by another.
    let limit = limit.map(|limit| limit + Duration::from_millis(1));
    let exits = living.iter().map(|&rank| group.children[rank].ended());
    let mut fds: Vec<(BorrowedFd<'_>, bool)> = exits.map(|fd| (fd, false)).collect();
    fds.extend(signals.map(|signals| (signals.as_fd(), false)));
    let first_line = fds.len();
    fds.extend(lines.iter().flat_map(|lines| lines.fds()));
    let first_stream = fds.len();
    fds.extend(group.server.fds());
    let is_ready = ready_for(&fds, limit)?;
    drop(fds);
    if let Some(lines) = lines {
        lines.take(&is_ready[first_line..first_stream]);
    }
    group.server.progress(&is_ready[first_stream..]);
    let mut asked = Vec::new();
    if let Some(signals) = signals.filter(|_| is_ready[living.len()]) {
        asked.extend(read_signals(signals)?);
    }
    let exits = living.iter().zip(&is_ready).filter(|(_, ready)| **ready);
    Ok((exits.map(|(&rank, _)| rank).collect(), asked))
}
