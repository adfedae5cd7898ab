//! Starting the ranks of a job, and ending them.
//!
//! Ranks are processes or threads ([`Ranks`]). A program needs no launcher: where they are
//! processes, it starts them by running itself again ([`launch`] says what that means for the rest
//! of the program). A command can start them as well, in a [`job`].

#[cfg(target_os = "linux")]
mod bootstrap;
mod builder;
#[cfg(target_os = "linux")]
pub(crate) mod command;
#[cfg(target_os = "linux")]
pub(crate) mod entry;
pub(crate) mod environment;
mod error;
#[cfg(target_os = "linux")]
mod error_report;
mod fabric;
#[cfg(all(fuzzing, target_os = "linux"))]
pub mod fuzzing;
#[cfg(target_os = "linux")]
pub mod job;
#[cfg(target_os = "linux")]
mod job_handle;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod member;
#[cfg(target_os = "linux")]
mod neighbours;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod outlet;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod processes;
mod ranks;
mod root_cause;
mod shape_rules;
mod stall;
mod threads;
#[cfg(target_os = "linux")]
mod watch;

pub use builder::Launch;
pub use error::LaunchError;
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub use job_handle::JOB_VARIABLE;
pub use ranks::Ranks;
#[cfg(target_os = "linux")]
use threads::one_rank;
#[doc(hidden)]
pub use threads::run_on;

use crate::comm::Comm;
use crate::error::Result;

/// Runs `program` once for each of `size` ranks (at most 256), and returns when all have ended. A
/// rank whose program returns an error or panics ends; those that need it get an error, and those
/// that do not go on. So one that waits for others that are still there is not interrupted, and the
/// error is returned when the last has ended. The whole of what a program needs to start:
///
/// ```
/// fn main() -> runahead::Result<()> {
///     runahead::launch(4, |world| {
///         let next = (world.rank() + 1) % world.size();
///         world.send(next, 0, &[world.rank() as u64])?;
///         world.barrier()?; // returns at once
///         let message = world.recv::<u64>(runahead::Source::Any, 0)?;
///         assert_eq!((message.data[0] as usize + 1) % world.size(), world.rank());
///         Ok(())
///     })
/// }
/// ```
///
/// # Ranks are processes
///
/// Each rank is a process (where it is a thread, [`Ranks::Auto`] says). The process that calls
/// `launch` is not one of them: it starts each by running its own program again, with the same
/// arguments and environment, and waits. That has consequences:
///
/// - **Code before `launch` runs in every rank's process as well**, from the beginning of `main`.
///   It must come to the same `launch`, with the same size. What it prints is not seen again: until
///   a rank comes to its launch, its standard output goes nowhere. Other effects happen again: what
///   it writes to standard error or into files, threads that it starts. What need not be done by
///   each rank belongs after `launch`, or into the closure.
/// - **The closure runs in the ranks' processes only.** It sees what the code before `launch` has
///   made there. What it changes, in a `Mutex` or a static, stays in that process: what others
///   should know, it returns ([`Launch::collect`]) or sends. The values come back through serde,
///   and so do not share anything.
/// - **Code after `launch` runs in the first process only.** A rank's process ends at the end of
///   the closure, when it has handed over its result. Destructors of values that were made before
///   `launch` do not run there.
/// - **A later `launch`** starts processes that run the program from its beginning again, and so
///   come to the earlier ones first. Those return there what they have returned in the first
///   process, and run nothing. (An error has the same message there, and is of the same kind if it
///   is a peer's end or loss.)
/// - A `launch` **within the closure** starts threads.
/// - **Standard input** is for rank 0; the others find its end there. It should be read within the
///   closure. Standard output and error are those of the first process.
/// - A rank that is killed, or calls [`std::process::exit`], is lost to the others: calls that need
///   it return an error that names it. Ranks end, killed, when the first process ends, however it
///   does. Nothing is left of a job: no file, no name, no process.
/// - When a rank has failed - it returned an error, panicked, or died - the others have 10 s to
///   end, so that those which need it can say so, and those which do not can finish their work.
///   Those that are left then are asked to end (SIGTERM), and killed 2 s later. `RUNAHEAD_GRACE_S`
///   in the environment says another time, or 0 for as long as they like. (Ranks that are threads
///   cannot be ended: there a launch waits for all.)
/// - **Errors** come back as values do. An error of this library that names a rank that has gone is
///   the same here; of any other, one of the program's own included, the message has come, and no
///   [`source`](std::error::Error::source) ([`Error::Reported`](crate::Error::Reported)).
/// - Signals from the terminal, such as that of Ctrl-C, reach all processes of the job.
/// - Ranks are listed (`ps`, `top`, `perf`) under the name of the program, from their launch on.
///
/// Started by `runahead run` ([`job`]), the program's processes join that job at the first `launch`
/// instead, with the number of ranks that the command says. Then all that they print before it is
/// seen, and code after it runs in rank 0. A later `launch` is an error there, as a second
/// `MPI_Init` is: the job has one. The same holds where `srun`, `mpirun` or `ssh` has started the
/// ranks, on any hosts, and they meet: the environment says where (`RUNAHEAD_MEET`), and
/// docs/RDMA.md how. Where the ranks are chosen to be threads ([`Launch::threads`]), each process
/// has threads of its own, in as many launches as it likes.
///
/// # Errors
///
/// [`Error::Launch`](crate::Error::Launch) if the ranks cannot be started;
/// [`Error::Rank`](crate::Error::Rank) naming the rank if the program returned an error there,
/// [`Error::Panicked`](crate::Error::Panicked) if it panicked,
/// [`Error::Killed`](crate::Error::Killed) or [`Error::Exited`](crate::Error::Exited) if its
/// process died. Of several, the one that the others followed from: first those that died.
pub fn launch(size: usize, program: impl Fn(&Comm) -> Result<()> + Sync) -> Result<()> {
    Launch::new(size).run(program)
}
