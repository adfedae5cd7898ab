//! A job to be started: the choices of its program, and the start.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stall::OnStall;
use super::threads::run_all;
use super::{LaunchError, Ranks, environment, fabric, shape_rules};
use crate::comm::{Comm, HostNic};
use crate::error::Result;
use crate::message::{
    Config, Notify, Options, Signals, StallReport, TimeSlice, TuneCache, world_options,
};
use crate::order::{Algorithm, Epoch, Ordering};
#[cfg(target_os = "linux")]
use crate::provider::shm as host_network;
#[cfg(not(target_os = "linux"))]
use crate::provider::threads as host_network;
use crate::provider::{FabricSpec, QueueSpec};

/// A job to be started, with its [`Options`]. The user of the program may choose the others by the
/// environment. Each option has a method here too.
///
/// ```
/// # fn main() -> runahead::Result<()> {
/// use runahead::{Algorithm, Launch};
/// let sums = Launch::new(3).algorithm(Algorithm::AllToAll).window_messages(4).collect(|world| {
///     let sum = world.reduce(0, &[world.rank() as u64], |a, b| a + b)?;
///     Ok(sum.map(|sum| sum[0]))
/// })?;
/// assert_eq!(sums, [Some(3), None, None]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Launch {
    pub(super) size: usize,
    pub(super) options: Options,
    pub(super) on_stall: OnStall,
    pub(super) ranks: Ranks,
}

impl Launch {
    /// A job of `size` ranks, with the defaults for that size.
    pub fn new(size: usize) -> Launch {
        let (options, on_stall) = (Options::new(), OnStall::default());
        Launch { size, options, on_stall, ranks: Ranks::Auto }
    }

    /// Takes all these choices. Those that are not made stay as they were.
    pub fn options(mut self, options: impl Into<Options>) -> Launch {
        self.options = self.options.replaced(options.into());
        self
    }

    /// What the ranks are. The user of the program may choose it, by `RUNAHEAD_RANKS`, where this
    /// is [`Ranks::Auto`].
    pub fn ranks(mut self, ranks: Ranks) -> Launch {
        self.ranks = ranks;
        self
    }

    /// The ranks are threads of this process: what the closure captures is shared with it.
    pub fn threads(self) -> Launch {
        self.ranks(Ranks::Threads)
    }

    /// The ranks are processes, also in tests: see [`launch`](super::launch()).
    pub fn processes(self) -> Launch {
        self.ranks(Ranks::Processes)
    }

    /// Hands reports of stalls to `handler`, instead of standard error. It is called at the rank
    /// that waits, in its process, once for each wait that is too long. The rank goes on waiting
    /// when it returns. Where ranks are processes, what it captures is that process's own; so in
    /// this example they are threads.
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

    /// Runs the program on all ranks; see [`launch`](super::launch()).
    ///
    /// # Errors
    ///
    /// As by [`launch`](super::launch()); [`Error::Option`](crate::Error::Option) if a value cannot
    /// be used.
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
        return super::place::collect(self, program);
        #[cfg(not(target_os = "linux"))]
        match self.request()? {
            Ranks::Processes => Err(LaunchError::Unsupported.into()),
            _ => self.collect_in_threads(program),
        }
    }

    pub(super) fn collect_in_threads<T: Send>(
        &self,
        program: impl Fn(&Comm) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let config = self.settled()?;
        let shape_rules = shape_rules::text(&config.tune_cache);
        run_all(self.connect()?, &config, &shape_rules, &self.on_stall, program)
    }

    /// What the ranks are to be: the program's choice, or the user's.
    pub(super) fn request(&self) -> Result<Ranks> {
        match self.ranks {
            Ranks::Auto => Ok(environment::ranks(|name| std::env::var_os(name))?),
            chosen => Ok(chosen),
        }
    }

    /// The sizes and choices, with those of the user where the program has left them open.
    pub(super) fn settled(&self) -> Result<Config> {
        let options = self.configured()?.or_environment(|name| std::env::var_os(name))?;
        Ok(options.settled(self.size))
    }

    /// The program's choices; fewer segments where the network would lock mere address
    /// space otherwise.
    fn configured(&self) -> Result<Options> {
        let options = self.options.clone();
        Ok(if fabric::rdma()?.is_some() { options.locking_little() } else { options })
    }

    /// The same job with another number of ranks.
    #[cfg(target_os = "linux")]
    pub(super) fn of_size(&self, size: usize) -> Launch {
        Launch { size, ..self.clone() }
    }

    /// The layout of the network between the ranks, for making one of another kind.
    ///
    /// # Errors
    ///
    /// As by [`connect`](Launch::connect).
    #[doc(hidden)]
    pub fn fabric(&self) -> Result<FabricSpec> {
        if self.size == 0 {
            return Err(LaunchError::NoRanks.into());
        }
        let config = self.configured()?.settled(self.size);
        config.check()?;
        let queues = config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        Ok(FabricSpec {
            queues: queues.to_vec(),
            shared_words: config.shared_words(self.size),
            heap_bytes: config.heap_bytes,
        })
    }

    /// The networks of ranks that are threads of this process, for wrapping them in others. They
    /// are of the kind that the environment says.
    ///
    /// # Errors
    ///
    /// As by [`run`](Launch::run).
    #[doc(hidden)]
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

/// Methods of [`Launch`] for each option.
macro_rules! launch_methods {
    ($(
        $name:ident: $type:ty = $default:expr, $shown:literal,
            $values:expr, $variable:literal, $flag:literal, $summary:literal;
        $(#[doc = $doc:literal])*
    )+) => {
        impl Launch {
            $(
                #[doc = concat!("As [`Options::", stringify!($name), "`](Options::", stringify!($name), "()): ", $summary, ".")]
                pub fn $name(mut self, $name: $type) -> Launch {
                    self.options.$name = Some($name);
                    self
                }
            )+
        }
    };
}
world_options!(launch_methods);
