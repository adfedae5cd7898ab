//! Starting the ranks of a job, and ending them.
//!
//! For now all ranks are threads of the calling process.

pub mod environment;
mod stall;

use std::time::Duration;

use stall::OnStall;

use crate::comm::{Comm, HostNic};
use crate::error::{Error, Result};
use crate::message::{Config, Notify, StallReport, TuneCache};
use crate::order::{Algorithm, Epoch, Ordering, Rank};
use crate::provider::threads::{self, FabricSpec, QueueSpec};
use crate::sys::thread;
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
    Network(VerbsError),
    /// A variable of the environment cannot be used.
    #[error("the environment variable {variable}: {error}")]
    Environment {
        /// Its name.
        variable: &'static str,
        /// What is wrong with its value.
        error: InvalidValue,
    },
    /// The operating system gives no thread for a rank.
    #[error("rank {rank} cannot be started: {message}")]
    Thread {
        /// The rank.
        rank: Rank,
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

/// Runs `program` once for each of `size` ranks (at most 256), as threads of this process, and
/// returns when all have ended. A rank whose program returns an error or panics ends; those that need
/// it get an error, and those that do not go on. So one that waits for others that are still there
/// is not interrupted, and the error is returned when the last has ended. The whole of what a program needs to start:
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
/// # Errors
///
/// [`Error::Launch`] if the ranks cannot be started; [`Error::Rank`] naming the rank if the program
/// returned an error there, [`Error::Panicked`] if it panicked. Of several, the one that the others
/// followed from.
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
}

impl Launch {
    /// A job of `size` ranks, with the defaults for that size.
    pub fn new(size: usize) -> Launch {
        let (config, chosen) = (Config::new(size), Chosen::default());
        Launch { size, config, on_stall: OnStall::default(), chosen }
    }

    /// The barrier algorithm. With [`Algorithm::Auto`] the ranks find it themselves, by measurement or
    /// by what an earlier job has remembered.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Launch {
        self.config.algorithm = algorithm;
        self.chosen.algorithm = true;
        self
    }

    /// How a rank that waits learns of news.
    pub fn notify(mut self, notify: Notify) -> Launch {
        self.config.notify = notify;
        self.chosen.notify = true;
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

    /// Who gets the reports, instead of standard error. `handler` is called at the rank that waits,
    /// once for each wait that is too long; the rank goes on waiting when it returns.
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use std::time::Duration;
    /// # fn main() -> runahead::Result<()> {
    /// let reports = Arc::new(Mutex::new(Vec::new()));
    /// let kept = Arc::clone(&reports);
    /// runahead::Launch::new(2)
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
        self.chosen = Chosen { algorithm: true, notify: true, tune_cache: true };
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
    pub fn collect<T: Send>(&self, program: impl Fn(&Comm) -> Result<T> + Sync) -> Result<Vec<T>> {
        let mut config = self.config.clone();
        environment::apply(&mut config, self.chosen, |name| std::env::var_os(name)).map_err(
            |(variable, error)| Error::from(LaunchError::Environment { variable, error }),
        )?;
        run_all(self.connect()?, &config, &self.on_stall, program)
    }

    /// The networks of the ranks, for wrapping them in others before [`run_on`].
    ///
    /// # Errors
    ///
    /// As by [`run`](Launch::run).
    pub fn connect(&self) -> Result<Vec<HostNic>> {
        if self.size == 0 {
            return Err(LaunchError::NoRanks.into());
        }
        self.config.check()?;
        let queues = self.config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        let spec = FabricSpec {
            queues: queues.to_vec(),
            shared_words: self.config.shared_words(self.size),
        };
        crate::provider::shm::connect(self.size, &spec)
            .map_err(|error| LaunchError::Network(error).into())
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
    let stall_after = match config.stall_after {
        Some(limit) => Some(limit),
        None => stall::limit(std::env::var_os(STALL_VARIABLE))?,
    };
    let config = Config { stall_after, ..config.clone() };
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
    let mut errors = Vec::new();
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(Ok(value)) => values.push(value),
            Ok(Err(error)) => errors.push((error.distance(), rank, Some(error), None)),
            Err(panic) => errors.push((0, rank, None, Some(panic))),
        }
    }
    // An error that follows from another rank's is not what the user must know first.
    errors.sort_by_key(|&(distance, rank, ..)| (distance, rank));
    match errors.into_iter().next() {
        None => Ok(values),
        Some((_, rank, Some(error), _)) => Err(Error::Rank { rank, error: Box::new(error) }),
        Some((_, rank, _, panic)) => {
            Err(Error::Panicked { rank, message: panic.unwrap_or_default() })
        }
    }
}

fn one_rank<N: Nic, T>(
    nic: N,
    config: Config,
    on_stall: OnStall,
    program: &(impl Fn(&Comm<N>) -> Result<T> + Sync),
) -> Result<T> {
    let world = Comm::new(nic, config)?;
    world.on_stall(move |report| on_stall.tell(report))?;
    let result = program(&world);
    let ended = world.end(result.is_err());
    let value = result?;
    ended?;
    Ok(value)
}
