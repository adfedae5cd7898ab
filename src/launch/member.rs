//! A process that is a rank: it connects to the others, runs the closure, and hands over its
//! outcome.
//!
//! It knows nothing of launches before and after its own: see [`place`](super::place).

use std::io;

use serde::Serialize;

use super::bootstrap::{Client, Entered, Entry, OUTCOME, Outcome, Returned, meet};
use super::error_report::ErrorReport;
use super::job_handle::JobHandle;
use super::launcher::MeetingPlace;
use super::network::{Network, bytes_needed};
use super::root_cause::root_cause;
use super::threads::begin_rank;
use super::{Launch, LaunchError, environment, fabric, shape_rules};
use crate::comm::{Comm, HostNic};
use crate::error::{Error, Result};
use crate::message::TuneCache;
use crate::order::Rank;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::OwnedFd;
use crate::sys::process;
use crate::sys::stream::Door;
use crate::sys::thread::run_here;

/// A rank process of a job.
pub(super) struct Member {
    /// For which launch of the program, from 1; or 0 for the first.
    pub(super) launch: u64,
    pub(super) rank: Rank,
    size: usize,
    way: Way,
    found: Option<Found>,
}

/// How it connects to the others.
enum Way {
    /// By the launcher that has started it.
    Door(OwnedFd),
    /// By rank 0.
    Meeting(String),
}

/// Its connection to them.
struct Found {
    bootstrap: Client,
    /// From the launcher: the memory of all ranks, and the standard output.
    network: Option<Network>,
    stdout: Option<OwnedFd>,
    /// The shape rules, as text.
    shape_rules: String,
}

impl Member {
    /// One that has inherited the door of its launcher. None if it has not.
    pub(super) fn of(handle: JobHandle) -> Option<Member> {
        let door = process::adopt(handle.door).filter(Door::is_one)?;
        let JobHandle { launch, rank, size, .. } = handle;
        Some(Member { launch, rank, size, way: Way::Door(door), found: None })
    }

    /// One that meets the others.
    pub(super) fn meeting(place: MeetingPlace) -> Member {
        let MeetingPlace { rank, size, address } = place;
        Member { launch: 0, rank, size, way: Way::Meeting(address), found: None }
    }

    /// Whether the program has started it from itself.
    pub(super) fn is_own(&self) -> bool {
        self.launch != 0
    }

    /// Whether it meets the others.
    pub(super) fn meets(&self) -> bool {
        matches!(self.way, Way::Meeting(_))
    }

    /// The result of the next of the launches before its own.
    pub(super) fn next_returned(&mut self) -> Result<Returned> {
        let returned = self.enter()?.bootstrap.next_returned();
        Ok(returned.map_err(|_| LaunchError::Diverged)?)
    }

    /// Comes to its launch.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] if another process is this rank, or the others cannot be found.
    pub(super) fn join(&mut self, launch: &Launch) -> Result<()> {
        if self.meets() {
            // An error in the choices is reported before there are others to wait for.
            let launch = launch.of_size(self.size);
            launch.settled()?;
            bytes_needed(self.size, &launch.fabric()?)?;
            if fabric::rdma()?.is_some() && !fabric::IS_BUILT {
                return Err(LaunchError::NotBuilt.into());
            }
        }
        let found = self.enter()?;
        found.bootstrap.join().map_err(resources)?;
        if let Some(stdout) = &found.stdout {
            process::replace_stdout(stdout)?;
        }
        Ok(())
    }

    /// Finds the others, if it has not.
    fn enter(&mut self) -> Result<&Found> {
        let Member { rank, size, .. } = *self;
        let found = match (self.found.take(), &self.way) {
            (Some(found), _) => found,
            (None, Way::Door(door)) => {
                let stream = Door::enter(door).map_err(resources)?;
                let entry = Entry { rank, size, meeting: None };
                let Entered::In(bootstrap, fds) =
                    Client::enter(stream, entry).map_err(resources)?
                else {
                    return Err(LaunchError::RankTaken { rank }.into());
                };
                let mut fds = fds.into_iter();
                let segment = fds.next().ok_or(LaunchError::NotInherited { rank })?;
                let network = Some(Network::open(segment, size)?);
                let shape_rules = bootstrap.shape_rules().map_err(resources)?;
                Found { bootstrap, network, stdout: fds.next(), shape_rules }
            }
            (None, Way::Meeting(address)) => {
                let failed = |message: String| {
                    let address = address.clone();
                    LaunchError::Meeting { rank, address, message }
                };
                let text = || shape_rules::text(&environment::tune_cache());
                match meet(rank, size, address, text).map_err(|error| failed(error.to_string()))? {
                    Entered::In(bootstrap, _) => {
                        let shape_rules =
                            bootstrap.shape_rules().map_err(|error| failed(error.to_string()))?;
                        Found { bootstrap, network: None, stdout: None, shape_rules }
                    }
                    Entered::Taken => {
                        let message = format!("another process is rank {rank}, or was");
                        return Err(failed(message).into());
                    }
                }
            }
        };
        Ok(self.found.insert(found))
    }

    /// Runs the closure, and hands over its outcome.
    pub(super) fn run<T: Serialize + Send>(
        &mut self,
        launch: &Launch,
        program: &(impl Fn(&Comm) -> Result<T> + Sync),
    ) -> Outcome {
        // With -n of the command the job has another size than the program chose.
        let outcome = if self.is_own() && launch.size != self.size {
            Outcome::Elsewhere { size: launch.size }
        } else {
            self.outcome(launch, program)
        };
        if let Some(found) = &mut self.found {
            found.hand_over(self.rank, &outcome);
        }
        outcome
    }

    fn outcome<T: Serialize + Send>(
        &self,
        launch: &Launch,
        program: &(impl Fn(&Comm) -> Result<T> + Sync),
    ) -> Outcome {
        let run = || {
            let launch = launch.of_size(self.size);
            let (config, nic) = (launch.settled()?, self.nic(&launch)?);
            super::one_rank(
                nic,
                config,
                self.shape_rules(&launch),
                launch.on_stall.clone(),
                program,
            )
        };
        match run_here(run) {
            Ok(Ok(value)) => match bytes_of(&value) {
                Ok(bytes) => Outcome::Value(bytes),
                Err(error) => Outcome::Failed(ErrorReport::from(&error)),
            },
            Ok(Err(error)) => Outcome::Failed(ErrorReport::from(&error)),
            Err(message) => Outcome::Panicked(message),
        }
    }

    /// Its world, for a program that is no closure; it came to its launch before.
    pub(super) fn world(&self, launch: &Launch) -> Result<Comm> {
        let launch = launch.of_size(self.size);
        let (config, nic) = (launch.settled()?, self.nic(&launch)?);
        begin_rank(nic, config, self.shape_rules(&launch), launch.on_stall.clone())
    }

    /// As [`run`](Member::run) ends: hands over that the program has ended, well or with this error.
    pub(super) fn hand_over(&mut self, failed: Option<&Error>) {
        let outcome = match (failed, bytes_of(&())) {
            (None, Ok(bytes)) => Outcome::Value(bytes),
            (None, Err(error)) => Outcome::Failed(ErrorReport::from(&error)),
            (Some(error), _) => Outcome::Failed(ErrorReport::from(error)),
        };
        if let Some(found) = &mut self.found {
            found.hand_over(self.rank, &outcome);
        }
    }

    /// The shape rules, if the program goes by them. What the program chooses is the
    /// same at all ranks; what the environment says need not be.
    fn shape_rules(&self, launch: &Launch) -> &str {
        let goes_by_it = launch.options.tune_cache != Some(TuneCache::Off);
        let found = self.found.as_ref().filter(|_| goes_by_it);
        found.map_or("", |found| &found.shape_rules)
    }

    fn nic(&self, launch: &Launch) -> Result<HostNic> {
        let rank = self.rank;
        let Some(Found { bootstrap, network, .. }) = &self.found else {
            return Err(LaunchError::NotInherited { rank }.into());
        };
        let spec = launch.fabric()?;
        match (network, fabric::rdma()?) {
            (Some(network), None) => Ok(network.nic(rank, &spec)?),
            (Some(network), Some(rdma)) => fabric::join(&rdma, &spec, bootstrap, network),
            (None, rdma) => fabric::meet(rdma.as_ref(), &spec, bootstrap),
        }
    }

    /// Waits until all ranks have ended. Returns their values.
    ///
    /// # Errors
    ///
    /// The root cause, if a rank failed.
    pub(super) fn results(&mut self) -> Result<Vec<Vec<u8>>> {
        let outcomes = self.enter()?.bootstrap.clone().outcomes().map_err(resources)?;
        root_cause(outcomes.into_iter().map(|outcome| (outcome, false)).collect())
    }
}

impl Found {
    /// Puts the outcome of this rank, its last value.
    fn hand_over(&mut self, rank: Rank, outcome: &Outcome) {
        let bootstrap = &mut self.bootstrap;
        let bytes = outcome.encode().map_err(io::Error::other).map_err(BootstrapError::from);
        let result = bytes.and_then(|bytes| {
            bootstrap.put(OUTCOME, &bytes)?;
            bootstrap.commit()
        });
        if let Err(error) = result {
            eprintln!("runahead: rank {rank} cannot hand over what it came to: {error}");
            bootstrap.abort(None, &format!("its value cannot be handed over: {error}"));
        }
    }
}

pub(super) fn resources(error: impl ToString) -> LaunchError {
    LaunchError::Resources { message: error.to_string() }
}

/// The value that a rank returned, as bytes.
pub(super) fn bytes_of(value: &impl Serialize) -> Result<Vec<u8>> {
    let message = |error: postcard::Error| LaunchError::Value { message: error.to_string() };
    Ok(postcard::to_stdvec(value).map_err(message)?)
}
