//! A way in for the fuzz targets to what this folder reads and others may have written: variables
//! of the environment, and what the ranks of a job and its hub tell each other.
//!
//! It decides nothing and is no part of the interface; without the feature `fuzzing` it is not
//! there.

use std::ffi::OsString;
use std::time::Duration;

use serde_bytes::ByteBuf;

use super::bootstrap::{
    Decoder, GREETING, HELLO_BYTES, Hub, OUTCOME, Outcome, REQUESTS, ToHub, ToRank, encode,
};
use super::environment;
use super::error_report::ErrorReport;
use super::job_handle::JobHandle;
use super::launcher;
use super::neighbours::Seat;
use super::root_cause::root_cause;
use crate::error::{Error, Result};
use crate::message::{Config, Options};
use crate::options::InvalidOption;
use crate::order::Rank;
use crate::sys::process::End;
use crate::sys::time::Instant;

/// So long may be a frame, here.
const MOST_BYTES: u64 = 1 << 36;

/// What a rank process reads in its variable, written again.
pub fn job_handle(text: &str) -> Option<String> {
    JobHandle::read(text).map(|handle| handle.text())
}

/// What a launch takes from the environment.
///
/// # Errors
///
/// The variable that cannot be used, and why.
pub fn environment(value: impl Fn(&str) -> Option<OsString>) -> Result<Config, InvalidOption> {
    let options = Options::new().or_environment(&value)?;
    environment::ranks(&value)?;
    environment::grace(&value)?;
    environment::fabric(&value)?;
    launcher::place(&value)?;
    Ok(options.settled(4))
}

/// The variables of other launchers that a launch reads.
pub fn launchers() -> impl Iterator<Item = &'static str> {
    launcher::LAUNCHERS.into_iter().flat_map(|(rank, size)| [rank, size])
}

/// The first frame of these bytes, as one that a rank says, read and written again.
pub fn frame_of_rank(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = Decoder::default();
    decoder.handle_bytes(bytes);
    encode(&decoder.poll_frame::<ToHub>(MOST_BYTES).ok()??).ok()
}

/// The same as one that the hub says.
pub fn frame_of_hub(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = Decoder::default();
    decoder.handle_bytes(bytes);
    encode(&decoder.poll_frame::<ToRank>(MOST_BYTES).ok()??).ok()
}

/// A frame of what a rank came to, as another process would write it.
pub fn last_word(value: Result<&[u8], &str>) -> Vec<u8> {
    let outcome = match value {
        Ok(value) => Outcome::Value(value.to_vec()),
        Err(message) => Outcome::failed(message.to_owned()),
    };
    let pair = (OUTCOME.to_owned(), ByteBuf::from(outcome.encode().unwrap_or_default()));
    encode(&ToHub::Commit(vec![pair])).unwrap_or_default()
}

/// Frames that a rank says when it comes, and in a fence.
pub fn first_words(rank: Rank, size: usize, key: &str, value: &[u8]) -> Vec<u8> {
    let hello = ToHub::Hello { greeting: GREETING.to_owned(), rank, size };
    let fence = ToHub::Fence(vec![(key.to_owned(), ByteBuf::from(value))]);
    [encode(&hello), encode(&fence)].into_iter().flatten().flatten().collect()
}

/// What a job comes to whose ranks say this, in pieces, one after the other.
///
/// # Errors
///
/// That of the rank that is nearest to the cause.
pub fn job(pieces: &[(usize, &[u8])], size: usize) -> Result<Vec<Vec<u8>>> {
    let now = Instant::now();
    let mut hub = Hub::new(size, Some(Duration::from_secs(1)), now);
    let mut streams: Vec<_> = (0..size).map(|_| (Decoder::default(), None)).collect();
    for (index, bytes) in pieces {
        let index = index % size;
        let (decoder, rank) = &mut streams[index];
        decoder.handle_bytes(bytes);
        loop {
            let most = if rank.is_some() { MOST_BYTES } else { HELLO_BYTES };
            let frame = match decoder.poll_frame::<ToHub>(most) {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => {
                    if let Some(rank) = rank {
                        hub.handle_loss(*rank, &Outcome::failed(error.to_string()));
                    }
                    *decoder = Decoder::default();
                    break;
                }
            };
            match *rank {
                None => *rank = hub.handle_hello(frame).ok(),
                Some(rank) => {
                    if let Err(error) = hub.handle_frame(rank, frame, now) {
                        hub.handle_loss(rank, &Outcome::failed(error.to_string()));
                    }
                }
            }
        }
    }
    if let Some(timeout) = hub.poll_timeout() {
        hub.handle_timeout(timeout);
    }
    let mut kept = vec![0; size];
    while let Some((rank, bytes)) = hub.poll_send() {
        assert!(rank < size && frame_of_hub(&bytes).is_some());
        kept[rank] += 1;
    }
    // Nobody has read: the frames kept for each are bounded.
    assert!(kept.iter().all(|&kept| kept < REQUESTS + size), "{kept:?}");
    let ended = |joined| Outcome::Ended { end: End::Exited(0), joined };
    let outcome = |rank| match hub.outcome(rank) {
        Some(outcome) => (outcome, false),
        None => (ended(hub.has_joined(rank)), rank % 2 == 0),
    };
    root_cause((0..size).map(outcome).collect())
}

/// What a rank that meets others tells them of where it is, read and written again.
pub fn seat(bytes: &[u8]) -> Option<Vec<u8>> {
    let seat: Seat = postcard::from_bytes(bytes).ok()?;
    postcard::to_stdvec(&seat).ok()
}

/// An error as one process tells it to another, read and written again.
pub fn error_report(bytes: &[u8]) -> Option<(Error, Vec<u8>)> {
    let report: ErrorReport = postcard::from_bytes(bytes).ok()?;
    let again = postcard::to_stdvec(&report).ok()?;
    Some((Error::from(report), again))
}
