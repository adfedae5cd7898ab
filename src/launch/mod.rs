//! Starting the ranks of a job, and ending them.
//!
//! Ranks are processes or threads ([`Ranks`]). A program needs no launcher: where they are processes,
//! it starts them by running itself again ([`launch`] says what that means for the rest of the
//! program). A command can start them as well, in a [`job`].

#[cfg(target_os = "linux")]
mod bootstrap;
pub mod environment;
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
mod place;
#[cfg(target_os = "linux")]
mod processes;
mod ranks;
mod root_cause;
mod stall;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(target_os = "linux")]
pub use job_handle::JOB_VARIABLE;
pub use ranks::Ranks;

use std::io;
use std::time::Duration;

use root_cause::{Failure, root};
use serde::Serialize;
use serde::de::DeserializeOwned;
use stall::OnStall;

use crate::comm::{Comm, HostNic};
use crate::error::{Error, Result};
use crate::message::{Config, Notify, Signals, StallReport, TuneCache};
use crate::order::{Algorithm, Epoch, Ordering, Rank};
use crate::provider::joined::InvalidHosts;
#[cfg(target_os = "linux")]
use crate::provider::shm as host_network;
#[cfg(not(target_os = "linux"))]
use crate::provider::threads as host_network;
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::{slice, thread};
use crate::verbs::{Nic, VerbsError};
use environment::{Chosen, InvalidValue};

/// The ranks of a job could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A job of no ranks.
    #[error("a job needs at least one rank; 0 were asked for")]
    NoRanks,
    /// The network cannot be made.
    #[error("the ranks cannot be connected: {0}")]
    Network(#[source] VerbsError),
    /// The network is to be RDMA, and the program was built without it.
    #[error(
        "a network of RDMA was asked for, and this program was built without it: runahead has a feature `ib`"
    )]
    NotBuilt,
    /// The ranks cannot be connected by RDMA.
    #[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
    #[error("the ranks cannot be connected by RDMA: {0}")]
    Ib(#[source] crate::provider::ib::IbError),
    /// Ranks that meet are on several hosts, or in several containers, and their network is memory of one.
    #[error(
        "rank {other} is on another host than rank {rank}, or in another container, and the network shm is for one: \
         set RUNAHEAD_FABRIC=mixed, or ib"
    )]
    OtherHost {
        /// Who says so.
        rank: Rank,
        /// The first that is elsewhere.
        other: Rank,
    },
    /// Ranks that meet are said to be on one host, and the one cannot have what it needs of the other.
    #[error(
        "rank {rank} and rank {other} are to share memory, and cannot: {message}; with RUNAHEAD_FABRIC=ib they need not"
    )]
    NotShared {
        /// Who says so.
        rank: Rank,
        /// The other.
        other: Rank,
        /// Why not.
        message: String,
    },
    /// Ranks that another starter has started cannot meet.
    #[error("rank {rank} cannot meet the others at {address}: {message}")]
    Meeting {
        /// The rank.
        rank: Rank,
        /// Where.
        address: String,
        /// What the system says.
        message: String,
    },
    /// It cannot be said which rank is on which host.
    #[error("the ranks cannot be connected: {0}")]
    Hosts(#[source] InvalidHosts),
    /// It was said which rank is on which host, and the network is one for all.
    #[error("hosts were named, which only the network mixed tells apart: `--fabric mixed`")]
    HostsUnused,
    /// A variable of the environment cannot be used.
    #[error("the environment variable {variable}: {error}")]
    Environment {
        /// Its name.
        variable: &'static str,
        /// What is wrong with its value.
        error: InvalidValue,
    },
    /// The environment says of a job what cannot be understood.
    #[error("RUNAHEAD_JOB is {value:?}; only a launcher sets it, for the processes that it starts")]
    Job {
        /// What it says.
        value: String,
    },
    /// The process was started as a rank and does not have what ranks inherit.
    #[error("rank {rank} has not inherited what its job shares: was it closed before the launch?")]
    NotInherited {
        /// The rank.
        rank: Rank,
    },
    /// A process came to a second launch after it was a rank of a job that a command has started, or of ranks that meet:
    /// that job is for one, as `MPI_Init` is called once.
    #[error(
        "a second launch in a job of `runahead run`, or of ranks that meet, which is for one: start the program by \
         itself, or do in one launch what both do"
    )]
    SecondLaunch,
    /// A process came to a launch as a rank of a job that a command has started, and another process
    /// was that rank before: a script runs several programs.
    #[error(
        "rank {rank} of this job of `runahead run` was another process before: a script that it starts \
         may run one program that comes to a launch"
    )]
    RankTaken {
        /// The rank.
        rank: Rank,
    },
    /// Ranks are to be processes, and are not started by the main thread, outside of all ranks.
    #[error("only the main thread can start ranks as processes, and no rank can")]
    NotTheMainThread,
    /// Ranks are to be processes, and the system is none on which they can be.
    #[error("ranks can be processes on Linux only")]
    Unsupported,
    /// The operating system has no room for what a job shares.
    #[error("the job cannot be started: {message}")]
    Resources {
        /// What the operating system says.
        message: String,
    },
    /// The process of a rank cannot be started.
    #[error("rank {rank} cannot be started: {program}: {message}")]
    Process {
        /// The rank.
        rank: Rank,
        /// The program.
        program: String,
        /// Why, for programs.
        kind: io::ErrorKind,
        /// What the operating system says.
        message: String,
    },
    /// The process of a rank ended before it came to the launch that it was started for. Processes
    /// that run the same program must come to the same launches.
    #[error("rank {rank} ended with exit code {code} before it came to its launch")]
    NeverCame {
        /// The rank.
        rank: Rank,
        /// Its exit code.
        code: i32,
    },
    /// The process of a rank came to another launch than the one that it was started for. Processes
    /// that run the same program must come to the same launches.
    #[error("rank {rank} came to another launch than it was started for: one of {size} ranks")]
    Elsewhere {
        /// The rank.
        rank: Rank,
        /// The size of the job that it came to.
        size: usize,
    },
    /// What an earlier launch has returned is not there, or was something else: in a rank process, which
    /// comes to launches that the first process has not.
    #[error("an earlier launch of this program is not known to this rank")]
    Diverged,
    /// What a closure returned cannot be turned into bytes, or back.
    #[error("what the ranks return cannot be passed on: {message}")]
    Value {
        /// Why.
        message: String,
    },
    /// The operating system gives no thread for a rank.
    #[error("rank {rank} cannot be started: {message}")]
    Thread {
        /// The rank.
        rank: Rank,
        /// What the operating system says.
        message: String,
    },
    /// The operating system gives no time slices of the length that was asked for.
    #[error("cannot set the scheduler time slice to {slice_us} us: {message}")]
    Slice {
        /// The length.
        slice_us: u32,
        /// What the operating system says.
        message: String,
    },
    /// The environment says something else than a time after which stalls are reported.
    #[error(
        "{} is {value:?}; it must be a whole number of seconds, 0 for no reports of stalls",
        STALL_VARIABLE
    )]
    StallLimit {
        /// What it says.
        value: String,
    },
}

/// The variable of the environment that says after how many seconds of waiting inside one call a
/// rank reports who is where, unless the program says it; 0 for never.
pub const STALL_VARIABLE: &str = "RUNAHEAD_STALL_S";

/// Runs `program` once for each of `size` ranks (at most 256), and returns when all have ended. A rank
/// whose program returns an error or panics ends; those that need it get an error, and those that do
/// not go on. So one that waits for others that are still there is not interrupted, and the error is
/// returned when the last has ended. The whole of what a program needs to start:
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
/// Each rank is a process (where it is a thread, [`Ranks::Auto`] says). The process that calls `launch`
/// is not one of them: it starts each by running its own program again, with the same arguments and
/// environment, and waits. That has consequences:
///
/// - **Code before `launch` runs in every rank's process as well**, from the beginning of `main`. It
///   must come to the same `launch`, with the same size. What it prints is not seen again: until a rank
///   comes to its launch, its standard output goes nowhere. Other effects happen again: what it writes
///   to standard error or into files, threads that it starts. What need not be done by each rank
///   belongs after `launch`, or into the closure.
/// - **The closure runs in the ranks' processes only.** It sees what the code before `launch` has made
///   there. What it changes, in a `Mutex` or a static, stays in that process: what others should know,
///   it returns ([`Launch::collect`]) or sends. The values come back through serde, and so do not
///   share anything.
/// - **Code after `launch` runs in the first process only.** A rank's process ends at the end of the
///   closure, when it has handed over what that returned. Destructors of what was made before
///   `launch` do not run there.
/// - **A later `launch`** starts processes that run the program from its beginning again, and so come
///   to the earlier ones first. Those return there what they have returned in the first process, and
///   run nothing. (An error has the same message there, and is of the same kind if it is a peer's end or
///   loss.)
/// - A `launch` **within the closure** starts threads.
/// - **Standard input** is for rank 0; the others find its end there. It should be read within the
///   closure. Standard output and error are those of the first process.
/// - A rank that is killed, or calls [`std::process::exit`], is lost to the others: calls that need it
///   return an error that names it. Ranks end, killed, when the first process ends, however it does.
///   Nothing is left of a job: no file, no name, no process.
/// - When a rank has failed - it returned an error, panicked, or died - the others have 10 s to end, so
///   that those which need it can say so, and those which do not can finish their work. Those that are
///   left then are asked to end (SIGTERM), and killed 2 s later. `RUNAHEAD_GRACE_S` in the
///   [`environment`] says another time, or 0 for as long as they like. (Ranks that are threads cannot be
///   ended: there a launch waits for all.)
/// - **Errors** come back as values do. An error of this library that names a rank that has gone is the
///   same here; of any other, one of the program's own included, the message has come, and no
///   [`source`](std::error::Error::source) ([`Error::Reported`]).
/// - Signals from the terminal, such as that of Ctrl-C, reach all processes of the job.
/// - Ranks are listed (`ps`, `top`, `perf`) under the name of the program, from their launch on.
///
/// Started by `runahead run` ([`job`]), the program's processes join that job at the first `launch`
/// instead, with the number of ranks that the command says. Then all that they print before it is seen,
/// and code after it runs in rank 0. A later `launch` is an error there, as a second `MPI_Init` is: the
/// job has one. The same holds where `srun`, `mpirun` or `ssh` has started the ranks, on any hosts, and they meet: the
/// [`environment`] says where (`RUNAHEAD_MEET`), and docs/RDMA.md how. Where the ranks are chosen to be threads ([`Launch::threads`]), each process has threads
/// of its own, in as many launches as it likes.
///
/// # Errors
///
/// [`Error::Launch`] if the ranks cannot be started; [`Error::Rank`] naming the rank if the program
/// returned an error there, [`Error::Panicked`] if it panicked, [`Error::Killed`] or [`Error::Exited`]
/// if its process died. Of several, the one that the others followed from: first those that died.
pub fn launch(size: usize, program: impl Fn(&Comm) -> Result<()> + Sync) -> Result<()> {
    Launch::new(size).run(program)
}

/// A job to be started, with its sizes and choices. What is not chosen here may be chosen by the user
/// of the program, in the [`environment`].
///
/// ```
/// # fn main() -> runahead::Result<()> {
/// use runahead::{Algorithm, Launch};
/// let sums = Launch::new(3).algorithm(Algorithm::AllToAll).window(4).collect(|world| {
///     let sum = world.reduce(0, &[world.rank() as u64], |a, b| a + b)?;
///     Ok(sum.map(|sum| sum[0]))
/// })?;
/// assert_eq!(sums, [Some(3), None, None]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Launch {
    size: usize,
    config: Config,
    on_stall: OnStall,
    chosen: Chosen,
    ranks: Ranks,
}

impl Launch {
    /// A job of `size` ranks, with the defaults for that size.
    pub fn new(size: usize) -> Launch {
        let (config, chosen) = (Config::new(size), Chosen::default());
        Launch { size, config, on_stall: OnStall::default(), chosen, ranks: Ranks::Auto }
    }

    /// What the ranks are. What is not chosen here may be chosen by the user of the program, in the
    /// [`environment`].
    pub fn ranks(mut self, ranks: Ranks) -> Launch {
        self.ranks = ranks;
        self
    }

    /// The ranks are threads of this process: what the closure captures is shared with it.
    pub fn threads(self) -> Launch {
        self.ranks(Ranks::Threads)
    }

    /// The ranks are processes, also in tests: see [`launch`].
    pub fn processes(self) -> Launch {
        self.ranks(Ranks::Processes)
    }

    /// The barrier algorithm: by default [`Algorithm::Board`], which is what its documentation says where ranks
    /// share no memory. With [`Algorithm::Auto`] the ranks find it themselves, by measurement or
    /// by what an earlier job has remembered.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Launch {
        self.config.algorithm = algorithm;
        self.chosen.algorithm = true;
        self
    }

    /// How barrier signals go between ranks that share no memory; [`Signals`] says which ways there are. What is not
    /// chosen here may be chosen by the user of the program, by `RUNAHEAD_SIGNALS` in the [`environment`].
    pub fn signals(mut self, signals: Signals) -> Launch {
        self.config.signals = signals;
        self.chosen.signals = true;
        self
    }

    /// How a rank that waits learns of news; [`Notify`] says what suits when. What is not chosen here may
    /// be chosen by the user of the program, by `RUNAHEAD_NOTIFY` in the [`environment`].
    pub fn notify(mut self, notify: Notify) -> Launch {
        self.config.notify = notify;
        self.chosen.notify = true;
        self
    }

    /// How long the time slices of each rank are to be: 100 to 100,000 microseconds, or 0 for what they
    /// are; see [`Config::slice_us`]. Linux from 6.12 on lets programs choose; elsewhere a choice is an
    /// error. What is not chosen here may be chosen by the user of the program, by `RUNAHEAD_SLICE_US`.
    pub fn slice_us(mut self, slice_us: u32) -> Launch {
        self.config.slice_us = slice_us;
        self.chosen.slice = true;
        self
    }

    /// Whether what [`Algorithm::Auto`] finds is remembered for the next job, in the user's cache
    /// directory; [`Config::tune_cache`] can name another file.
    pub fn remember(mut self, remember: bool) -> Launch {
        self.config.tune_cache = if remember { TuneCache::User } else { TuneCache::Off };
        self.chosen.tune_cache = true;
        self
    }

    /// How many messages a rank may have in each peer's memory: 1 to 16384.
    pub fn window(mut self, messages: u32) -> Launch {
        self.config.window_messages = messages;
        self
    }

    /// The longest payload that is sent without asking the receiver, in bytes.
    pub fn eager_bytes(mut self, bytes: usize) -> Launch {
        self.config.eager_bytes = bytes;
        self
    }

    /// How many barriers of a group may be open at once.
    pub fn open_barriers(mut self, barriers: usize) -> Launch {
        self.config.open_barriers = barriers;
        self
    }

    /// How groups are ordered against one another.
    pub fn ordering(mut self, ordering: Ordering) -> Launch {
        self.config.ordering = ordering;
        self
    }

    /// The epoch before the first barrier, and the clock before the first message: near 2^48 one sees
    /// stamps wrap around. (Epochs have 64 bits; near their end a barrier is refused.)
    pub fn first_epoch(mut self, epoch: Epoch) -> Launch {
        self.config.first_epoch = epoch;
        self
    }

    /// How long a rank waits inside one call before it reports who is where; zero for never. Else it
    /// is what the environment says ([`STALL_VARIABLE`]), or 60 s.
    pub fn stall_after(mut self, limit: Duration) -> Launch {
        self.config.stall_after = Some(limit);
        self
    }

    /// Who gets the reports, instead of standard error. `handler` is called at the rank that waits, in
    /// its process, once for each wait that is too long; the rank goes on waiting when it returns. Where
    /// ranks are processes, what it captures is that process's own; so in this example they are threads.
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::Duration;
    /// # fn main() -> runahead::Result<()> {
    /// let reports = Arc::new(Mutex::new(Vec::new()));
    /// let kept = Arc::clone(&reports);
    /// runahead::Launch::new(2)
    ///     .threads()
    ///     .stall_after(Duration::from_secs(5))
    ///     .on_stall(move |report| kept.lock().unwrap().push(report.to_string()))
    ///     .run(|world| world.barrier()?.wait())?;
    /// assert_eq!(reports.lock().unwrap().len(), 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_stall(mut self, handler: impl Fn(&StallReport) + Send + Sync + 'static) -> Launch {
        self.on_stall = OnStall::new(handler);
        self
    }

    /// All sizes and choices at once; the environment then chooses nothing but what is None.
    pub fn config(mut self, config: Config) -> Launch {
        self.config = config;
        self.chosen =
            Chosen { algorithm: true, signals: true, notify: true, slice: true, tune_cache: true };
        self
    }

    /// Runs the program on all ranks; see [`launch`].
    ///
    /// # Errors
    ///
    /// As by [`launch`]; [`Error::Config`] if a value cannot be used, and [`Error::Launch`] if one of
    /// the environment cannot.
    pub fn run(&self, program: impl Fn(&Comm) -> Result<()> + Sync) -> Result<()> {
        self.collect(program).map(drop)
    }

    /// As [`run`](Launch::run), and returns what the program returned at each rank, in their order.
    ///
    /// # Errors
    ///
    /// As by [`run`](Launch::run).
    pub fn collect<T: Serialize + DeserializeOwned + Send>(
        &self,
        program: impl Fn(&Comm) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        #[cfg(target_os = "linux")]
        return place::collect(self, program);
        #[cfg(not(target_os = "linux"))]
        match self.request()? {
            Ranks::Processes => Err(LaunchError::Unsupported.into()),
            _ => self.collect_in_threads(program),
        }
    }

    fn collect_in_threads<T: Send>(
        &self,
        program: impl Fn(&Comm) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let config = self.settled()?;
        run_all(self.connect()?, &config, &self.on_stall, program)
    }

    /// What the ranks are to be: the program's choice, or the user's.
    fn request(&self) -> Result<Ranks> {
        match self.ranks {
            Ranks::Auto => environment::ranks(|name| std::env::var_os(name))
                .map_err(|(variable, error)| LaunchError::Environment { variable, error }.into()),
            chosen => Ok(chosen),
        }
    }

    /// The sizes and choices, with those of the user where the program has left them open.
    fn settled(&self) -> Result<Config> {
        let mut config = self.configured()?;
        environment::apply(&mut config, self.chosen, |name| std::env::var_os(name)).map_err(
            |(variable, error)| Error::from(LaunchError::Environment { variable, error }),
        )?;
        config.stall_after = stall_after(&config)?;
        Ok(config)
    }

    /// As the program has it, but where its network would have to lock what is address space otherwise.
    fn configured(&self) -> Result<Config> {
        let config = self.config.clone();
        Ok(if fabric::rdma()?.is_some() { config.locking_little(self.size) } else { config })
    }

    /// The same job with another number of ranks, and the defaults for that.
    #[cfg(target_os = "linux")]
    fn of_size(&self, size: usize) -> Launch {
        let config = self.config.clone().resized(self.size, size);
        Launch { size, config, ..self.clone() }
    }

    /// The layout of the network between the ranks, for making one of another kind, as
    /// [`threads::connect`](crate::provider::threads::connect) does.
    ///
    /// # Errors
    ///
    /// As by [`connect`](Launch::connect).
    pub fn fabric(&self) -> Result<FabricSpec> {
        if self.size == 0 {
            return Err(LaunchError::NoRanks.into());
        }
        let config = self.configured()?;
        config.check()?;
        let queues = config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        Ok(FabricSpec { queues: queues.to_vec(), shared_words: config.shared_words(self.size) })
    }

    /// The networks of ranks that are threads of this process, for wrapping them in others before
    /// [`run_on`]. They are of the kind that the [`environment`] says.
    ///
    /// # Errors
    ///
    /// As by [`run`](Launch::run).
    pub fn connect(&self) -> Result<Vec<HostNic>> {
        let spec = self.fabric()?;
        if let Some(rdma) = fabric::rdma()? {
            return fabric::connect(&rdma, self.size, &spec);
        }
        let nics = host_network::connect(self.size, &spec).map_err(LaunchError::Network)?;
        // Where there is one kind only, it is this one.
        #[allow(clippy::useless_conversion)]
        Ok(nics.into_iter().map(HostNic::from).collect())
    }
}

/// Runs the program with one rank on each of `nics`, as threads of this process. They must be
/// connected with one another, in the order of their ranks. Stalls are reported on standard error.
///
/// # Errors
///
/// As by [`launch`].
pub fn run_on<N: Nic, T: Send>(
    nics: Vec<N>,
    config: &Config,
    program: impl Fn(&Comm<N>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_all(nics, config, &OnStall::default(), program)
}

fn run_all<N: Nic, T: Send>(
    nics: Vec<N>,
    config: &Config,
    on_stall: &OnStall,
    program: impl Fn(&Comm<N>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let config = Config { stall_after: stall_after(config)?, ..config.clone() };
    let program = &program;
    let ranks = nics.into_iter().enumerate();
    let ranks = ranks.map(|(rank, nic)| {
        let (config, on_stall) = (config.clone(), on_stall.clone());
        let run = move || one_rank(nic, config, on_stall, program);
        (format!("rank {rank}"), run)
    });
    let outcomes = thread::run_all(ranks).map_err(|(rank, error)| {
        let message = error.to_string();
        Error::from(LaunchError::Thread { rank, message })
    })?;
    let mut values = Vec::new();
    let mut failures = Vec::new();
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(Ok(value)) => values.push(value),
            Ok(Err(error)) => failures.push(Failure::error(rank, error)),
            Err(panic) => failures.push(Failure::panic(rank, panic)),
        }
    }
    root(failures).map_or(Ok(values), |failure| Err(failure.error))
}

/// After what time a rank reports: the program's word, or the environment's.
fn stall_after(config: &Config) -> Result<Option<Duration>> {
    match config.stall_after {
        Some(limit) => Ok(Some(limit)),
        None => Ok(stall::limit(std::env::var_os(STALL_VARIABLE))?),
    }
}

fn one_rank<N: Nic, T>(
    nic: N,
    config: Config,
    on_stall: OnStall,
    program: &(impl Fn(&Comm<N>) -> Result<T> + Sync),
) -> Result<T> {
    if config.slice_us != 0 {
        let slice_us = config.slice_us;
        slice::ask_for_slices(Duration::from_micros(slice_us.into())).map_err(|error| {
            let message = error.to_string();
            Error::from(LaunchError::Slice { slice_us, message })
        })?;
    }
    let world = Comm::new(nic, config)?;
    world.on_stall(move |report| on_stall.tell(report))?;
    let result = program(&world).map_err(|error| world.explained(error));
    let ended = world.end_explained(result.is_err());
    let value = result?;
    ended?;
    Ok(value)
}
