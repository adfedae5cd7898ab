//! Loads: processes that use cores while the samples are taken.
//!
//! They end however this process ends. Each holds the read end of a pipe from here, and ends when
//! the system closes the write end. The system also kills each when its parent dies. Neither needs
//! this process to do anything.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use clap::{Args, ValueEnum};
use runahead::{Error, Result};

use super::names::Load;
use crate::sys;

/// The name of the hidden subcommand.
pub(crate) const LOAD: &str = "bench-load";

/// The mean duration of a burst, and of the pause between two.
const BURST_MEAN_NS: f64 = 10e6;
/// The limit of both.
const BURST_MOST_NS: f64 = 100e6;

/// Loads that run until this is dropped.
#[derive(Debug)]
pub(crate) struct Loads(Vec<(Child, ChildStdin)>);

impl Loads {
    /// Starts the processes of `load` on `cores`, and returns when all of them run.
    ///
    /// # Errors
    ///
    /// If one cannot be started.
    pub(crate) fn start(load: Load, cores: &[usize]) -> Result<Loads> {
        Loads::start_seeded(load, cores, 0)
    }

    /// As [`start`](Loads::start), with other random times for each seed.
    ///
    /// # Errors
    ///
    /// If one cannot be started.
    pub(crate) fn start_seeded(load: Load, cores: &[usize], seed: u64) -> Result<Loads> {
        let (on, pattern) = match load {
            Load::None => (&cores[..0], Pattern::Spin),
            Load::Competitors => (cores, Pattern::Spin),
            Load::One => (&cores[..cores.len().min(1)], Pattern::Spin),
            Load::Burst => (cores, Pattern::Burst),
        };
        let mut loads = Loads(Vec::new());
        for &core in on {
            let failed = |error| Error::other(format!("the load on core {core}: {error}"));
            loads.add(core, pattern, seed).map_err(failed)?;
        }
        Ok(loads)
    }

    fn add(&mut self, core: usize, pattern: Pattern, seed: u64) -> io::Result<()> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(LOAD).args(["--core", &core.to_string(), "--pattern", &pattern.name()]);
        command.args(["--seed", &seed.to_string()]);
        command.args(["--parent", &std::process::id().to_string()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (hold, told) = (child.stdin.take(), child.stdout.take());
        let (Some(hold), Some(mut told)) = (hold, told) else {
            return Err(io::Error::other("it has no pipes"));
        };
        self.0.push((child, hold));
        let mut running = [0];
        told.read_exact(&mut running).map_err(|_| io::Error::other("it has ended"))
    }
}

impl Drop for Loads {
    fn drop(&mut self) {
        for (mut child, hold) in self.0.drain(..) {
            drop(hold);
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// When a load uses its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pattern {
    /// Always
    Spin,
    /// In turns
    Burst,
}

impl Pattern {
    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// The command line of a load.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoadArgs {
    #[arg(long)]
    core: usize,
    #[arg(long)]
    pattern: Pattern,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[arg(long)]
    parent: u32,
}

/// The hidden subcommand: uses a core until it is ended.
///
/// # Errors
///
/// If it cannot stay on its core, or its parent has ended.
pub(crate) fn as_load(args: &LoadArgs) -> Result<()> {
    if !sys::end_with_parent(args.parent) {
        return Err(Error::other("its parent has ended"));
    }
    // Before this thread is bound, so that the watching thread is not.
    sys::when_ended(io::stdin(), || std::process::exit(0))?;
    sys::stay_on(&[args.core])?;
    let mut out = io::stdout();
    out.write_all(b"r").and_then(|()| out.flush())?;
    let mut random = fastrand::Rng::with_seed((args.seed << 16) + args.core as u64 + 1);
    let mut duration_ns = || {
        let exponential = -BURST_MEAN_NS * (1.0 - random.f64()).ln();
        exponential.min(BURST_MOST_NS) as u64
    };
    loop {
        match args.pattern {
            Pattern::Spin => sys::spin_loop(),
            Pattern::Burst => {
                let end = sys::now_ns() + duration_ns();
                while sys::now_ns() < end {
                    sys::spin_loop();
                }
                sys::sleep(Duration::from_nanos(duration_ns()));
            }
        }
    }
}
