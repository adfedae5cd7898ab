//! What a command that starts [jobs](super::job) asks before it does: cores, memory, and whether it
//! is itself below such a job. For the `runahead` command; no part of the interface.

use std::io;

use super::Launch;
use super::job_handle::{JOB_VARIABLE, JobHandle};
use super::member::resources;
use super::network::bytes_needed;
use crate::error::Result;
use crate::sys::family::descends_from;
use crate::sys::process::allowed_cores;
use crate::sys::process_memory;

/// How many cores the ranks of a job may use: those that this process may.
///
/// # Errors
///
/// [`Error::Launch`](crate::Error::Launch) if the system gives no answer.
pub fn cores() -> Result<usize> {
    Ok(allowed_cores().map_err(resources)?.len())
}

/// Reads the memory of another process of this host, as ranks do.
///
/// # Errors
///
/// The system's, if it does not allow it, or nothing is there.
pub fn read_process(process: u32, address: u64, room: &mut [u8]) -> io::Result<()> {
    process_memory::try_read_process(process, address, room)
}

/// What Yama allows, with the file that says it; None if the system has no Yama.
pub fn ptrace_scope() -> Option<(String, &'static str)> {
    Some((process_memory::ptrace_scope()?, process_memory::PTRACE_SCOPE))
}

/// Whether this process belongs to a job that a command has started, as a rank or below one: then a
/// job that it starts is one of many, if the other ranks do the same.
pub fn is_within() -> bool {
    let handle = std::env::var(JOB_VARIABLE).ok().and_then(|value| JobHandle::read(&value));
    handle.is_some_and(|handle| handle.launch == 0 && descends_from(handle.launcher))
}

/// About how much memory the network of a job of `size` ranks takes, in bytes, if the program does
/// not choose other sizes than the defaults of [`Options`](crate::Options).
///
/// # Errors
///
/// As by [`Launch::connect`].
pub fn network_bytes(size: usize) -> Result<usize> {
    let spec = Launch::new(size).fabric()?;
    Ok(bytes_needed(size, &spec)?)
}
