//! Runs an `mpirun` and its ranks on the cores in use, with a time limit. They end with this
//! command, however it ends.
//!
//! The hidden subcommand `bench-peer` asks the system to end it with its parent, and then becomes
//! `mpirun`. The ranks ask the system for the same with respect to `mpirun`, and have an alarm.

use std::ffi::OsString;
use std::io::{Read, Seek};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Args;
use runahead::{Error, Result};

use crate::sys::{self, File, Interrupts};

/// The name of the hidden subcommand.
pub(crate) const PEER: &str = "bench-peer";

/// The pause between two polls for its end: too long to disturb it.
const LOOK: Duration = Duration::from_millis(2);
/// How long an `mpirun` that was asked to end may take to end its ranks and remove its files.
const GRACE_NS: u64 = 5_000_000_000;

/// The command line of the hidden subcommand.
#[derive(Args, Clone, Debug)]
pub(crate) struct PeerArgs {
    #[arg(long)]
    parent: u32,
    #[arg(long, value_delimiter = ',')]
    cores: Vec<usize>,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// The hidden subcommand: becomes the command, on these cores, and ends with its parent.
///
/// # Errors
///
/// If it cannot.
pub(crate) fn as_peer(args: &PeerArgs) -> Result<()> {
    if !sys::asked_to_end_with_parent(args.parent) {
        return Err(Error::other("its parent has ended"));
    }
    sys::stay_on(&args.cores)?;
    let [program, rest @ ..] = &args.command[..] else { return Err(Error::other("no command")) };
    Err(Error::other(sys::become_program(Command::new(program).args(rest))))
}

/// How it ended, and its output.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None if the time limit expired.
    pub(crate) status: Option<std::process::ExitStatus>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs it until it ends, or the time limit expires.
///
/// # Errors
///
/// If it cannot be started, its output cannot be read, or `interrupts` has an interrupt.
pub(crate) fn run(
    line: &[OsString],
    environment: &[(&'static str, String)],
    cores: &[usize],
    limit: Duration,
    interrupts: &Interrupts,
) -> Result<Ended> {
    // Files without a name, unlike pipes, need no reader while it runs.
    let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(PEER).args(["--parent", &std::process::id().to_string()]);
    command.args(["--cores", &cores.join(","), "--"]).args(line);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let mut running = Running(command.spawn()?);
    let status = running.until(sys::now_ns() + limit.as_nanos() as u64, || interrupts.check())?;
    drop(running);
    Ok(Ended { status, out: text(out)?, err: text(err)? })
}

fn text(mut file: File) -> Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A process that ends when this is dropped, with all processes that it has started.
struct Running(Child);

impl Running {
    fn until(
        &mut self,
        end_ns: u64,
        goes_on: impl Fn() -> Result<()>,
    ) -> Result<Option<std::process::ExitStatus>> {
        loop {
            goes_on()?;
            match self.0.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if sys::now_ns() >= end_ns => return Ok(None),
                None => sys::sleep(LOOK),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        // The descendants are listed while the system still knows them. `mpirun` ends its own
        // ranks.
        let descendants = sys::descendants(self.0.id());
        sys::ask_to_end(self.0.id());
        if !matches!(self.until(sys::now_ns() + GRACE_NS, || Ok(())), Ok(Some(_))) {
            descendants.iter().for_each(|process| process.kill());
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
        descendants.iter().for_each(|process| process.kill());
    }
}
