//! A way in for the fuzz targets to what this folder reads and others may have written: variables of
//! the environment, the sheets that the processes of a job share, and what ranks that meet tell each other.
//!
//! It decides nothing and is no part of the interface; without the feature `fuzzing` it is not there.

use std::ffi::OsString;

use super::environment::{self, Chosen};
use super::history::{History, replayed};
use super::ledger::Ledger;
use super::neighbours::Seat;
use super::ticket::Ticket;
use super::told::Told;
use super::verdict::verdict;
use super::{LaunchError, STALL_VARIABLE, meeting, stall, starter};
use crate::error::{Error, Result};
use crate::message::Config;
use crate::order::Rank;
use crate::sys::fd::OwnedFd;

/// What a rank process reads in its variable, written again.
pub fn ticket(text: &str) -> Option<String> {
    Ticket::read(text).map(|ticket| ticket.text())
}

/// What a launch takes from the environment.
///
/// # Errors
///
/// The variable that cannot be used, and why.
pub fn environment(value: impl Fn(&str) -> Option<OsString>) -> Result<Config, LaunchError> {
    let wrong = |(variable, error)| LaunchError::Environment { variable, error };
    let mut config = Config::new(4);
    environment::apply(&mut config, Chosen::default(), &value).map_err(wrong)?;
    environment::ranks(&value).map_err(wrong)?;
    environment::grace(&value).map_err(wrong)?;
    environment::fabric(&value).map_err(wrong)?;
    starter::place(&value).map_err(wrong)?;
    config.stall_after = stall::limit(value(STALL_VARIABLE))?;
    Ok(config)
}

/// The variables of other starters that a launch reads.
pub fn starters() -> impl Iterator<Item = &'static str> {
    starter::STARTERS.into_iter().flat_map(|(rank, size)| [rank, size])
}

/// What goes over the lines of a meeting of so many ranks, read and written again.
pub fn said(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    meeting::again(bytes, size)
}

/// What a rank that meets others tells them of where it is, read and written again.
pub fn seat(bytes: &[u8]) -> Option<Vec<u8>> {
    let seat: Seat = postcard::from_bytes(bytes).ok()?;
    postcard::to_stdvec(&seat).ok()
}

/// An error as one process tells it to another, read and written again.
pub fn told(bytes: &[u8]) -> Option<(Error, Vec<u8>)> {
    let told: Told = postcard::from_bytes(bytes).ok()?;
    let again = postcard::to_stdvec(&told).ok()?;
    Some((Error::from(told), again))
}

/// What a job comes to, by the ledger in this file.
///
/// # Errors
///
/// That of the rank that is nearest to the cause.
pub fn job(ledger: OwnedFd, size: usize) -> Result<Vec<Vec<u8>>> {
    let ledger = Ledger::of(ledger);
    let ended_here = |rank: Rank| ledger.has_joined(rank) && !ledger.is_complete(rank);
    verdict((0..size).map(|rank| (ledger.outcome(rank), ended_here(rank))).collect())
}

/// What the launches before returned, by the history in this file.
pub fn launches(history: OwnedFd) -> impl Iterator<Item = Result<Vec<Vec<u8>>>> {
    let mut history = History::of(history);
    std::iter::from_fn(move || history.next().map(replayed))
}
