//! What this process is when it comes to a launch: the one that starts the ranks, or one of them.
//!
//! A rank process runs the program from its beginning, and so comes to the launches before its own
//! first: those return here what they returned in the first process. In its own it runs the closure,
//! hands over what that returned, and ends. Only launches of the main thread count, and none that a
//! rank starts itself: else the processes would not agree which is which.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::ErrorKind;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::crew::{Command, Crew, OwnLaunch, Plan};
use super::history::{History, Returned, replayed};
use super::ledger::{Ledger, Outcome};
use super::meeting::Meeting;
use super::network::{Network, bytes_needed};
use super::ranks::is_harness;
use super::ticket::{JOB_VARIABLE, Ticket};
use super::told::{Said, Told};
use super::verdict::{failure, verdict};
use super::watch::{Orders, SeenRank, watch};
use super::{Launch, LaunchError, Ranks, environment, fabric, starter};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::sys::family::{descends_from, end_with};
use crate::sys::fd::{AsFd, Bell, OwnedFd};
use crate::sys::process::{self, Streams};
use crate::sys::thread::run_here;

thread_local! {
    /// Used by the main thread alone.
    static PLACE: RefCell<Place> = const { RefCell::new(Place::new()) };
}

/// What this process knows of itself.
struct Place {
    /// The launches that it has come to.
    launches: u64,
    /// Whether it is running a rank.
    inside: bool,
    /// Whether it has looked at its environment.
    known: bool,
    /// Whether it has been a rank of a job that a command has started.
    joined: bool,
    /// The job that it is a rank of, if it has not come to its launch yet.
    member: Option<Member>,
    /// What was returned by the launches that it started.
    history: Option<History>,
}

impl Place {
    const fn new() -> Place {
        Place {
            launches: 0,
            inside: false,
            known: false,
            joined: false,
            member: None,
            history: None,
        }
    }
}

/// A rank process of a job.
struct Member {
    /// For which launch of the program, from 1; or 0 for the first.
    launch: u64,
    rank: Rank,
    size: usize,
    way: Way,
    ledger: Ledger,
    bell: Bell,
    own: Option<(History, OwnedFd)>,
}

/// How it finds the others.
enum Way {
    /// They have inherited the same.
    Inherited(Network),
    /// They meet.
    Meets(starter::Place),
}

/// How it has found them.
enum Found<'a> {
    Inherited(&'a Network),
    Meeting(Meeting),
}

impl Member {
    /// Takes over what this process inherits.
    fn of(ticket: Ticket) -> Result<Member, LaunchError> {
        let lacking = || LaunchError::NotInherited { rank: ticket.rank };
        let adopt = |number| process::adopt(number).ok_or_else(lacking);
        let fds = ticket.fds;
        let [segment, ledger, bell] = [adopt(fds.segment)?, adopt(fds.ledger)?, adopt(fds.bell)?];
        let own = match fds.own {
            Some(own) => Some((History::of(adopt(own.history)?), adopt(own.stdout)?)),
            None => None,
        };
        let way = Way::Inherited(Network::open(segment, ticket.size)?);
        let Ticket { launch, rank, size, .. } = ticket;
        let (ledger, bell) = (Ledger::of(ledger), Bell::of(bell));
        Ok(Member { launch, rank, size, way, ledger, bell, own })
    }

    /// One that meets the others, and shares nothing with them.
    fn meeting(place: starter::Place) -> Result<Member, LaunchError> {
        let (ledger, bell) =
            (Ledger::create().map_err(resources)?, Bell::create().map_err(resources)?);
        let starter::Place { rank, size, .. } = place;
        Ok(Member { launch: 0, rank, size, way: Way::Meets(place), ledger, bell, own: None })
    }

    /// Runs the closure and hands over what became of it. Says whether the others will hear of that, and this rank of
    /// them.
    fn run<T: Serialize>(
        &self,
        launch: &Launch,
        program: &(impl Fn(&Comm) -> Result<T> + Sync),
    ) -> (Outcome, bool) {
        let &Member { rank, size, .. } = self;
        // Who belongs to the job of a command has claimed its rank, and so joined.
        let joined = if self.own.is_some() { self.ledger.join(rank) } else { Ok(()) };
        let found = joined.map_err(Error::from).and_then(|()| self.find(launch));
        let outcome = match &found {
            // With -n of the command the job has another size than the program has thought.
            Ok(_) if self.own.is_some() && launch.size != size => {
                Outcome::Elsewhere { size: launch.size }
            }
            Ok(found) => self.outcome(launch, found, program),
            Err(error) => Outcome::Failed(Told::from(error)),
        };
        if let Err(error) = self.ledger.hand_over(rank, &outcome) {
            let message = format!("its value cannot be handed over: {error}");
            let told = Told::from(Said::Other { message, culprit: None });
            // If there is no room for this either, the starter sees that nothing came.
            let _ = self.ledger.hand_over(rank, &Outcome::Failed(told));
        }
        self.bell.ring();
        if let Ok(Found::Meeting(meeting)) = &found
            && let Err(error) = meeting.end(&outcome)
        {
            eprintln!("runahead: rank {rank} cannot tell rank 0 what it came to: {error}");
        }
        (outcome, found.is_ok())
    }

    /// Comes to where the ranks meet, if they do.
    fn find(&self, launch: &Launch) -> Result<Found<'_>> {
        let place = match &self.way {
            Way::Inherited(network) => return Ok(Found::Inherited(network)),
            Way::Meets(place) => place,
        };
        let failed = |error: std::io::Error| {
            let starter::Place { rank, address, .. } = place.clone();
            let is_elsewhere = rank == 0 && error.kind() == ErrorKind::AddrNotAvailable;
            let hint = if is_elsewhere { ": it is to run there" } else { "" };
            LaunchError::Meeting { rank, address, message: format!("{error}{hint}") }
        };
        // What is wrong with the choices is known before there are others to wait for.
        let launch = launch.of_size(self.size);
        launch.settled()?;
        bytes_needed(self.size, &launch.fabric()?)?;
        if fabric::rdma()?.is_some() && !fabric::IS_BUILT {
            return Err(LaunchError::NotBuilt.into());
        }
        let ledger = self.ledger.another().map_err(resources)?;
        let bell = self.bell.another().map_err(resources)?;
        Ok(Found::Meeting(Meeting::come(place, ledger, bell).map_err(failed)?))
    }

    fn outcome<T: Serialize>(
        &self,
        launch: &Launch,
        found: &Found<'_>,
        program: &(impl Fn(&Comm) -> Result<T> + Sync),
    ) -> Outcome {
        let &Member { rank, size, .. } = self;
        let run = || {
            let launch = launch.of_size(size);
            let config = launch.settled()?;
            let spec = launch.fabric()?;
            let nic = match (found, fabric::rdma()?) {
                (Found::Inherited(network), None) => network.nic(rank, &spec)?,
                (Found::Inherited(network), Some(rdma)) => {
                    fabric::join(&rdma, (rank, size), &spec, (&self.ledger, network))?
                }
                (Found::Meeting(meeting), rdma) => {
                    fabric::meet(rdma.as_ref(), (rank, size), &spec, meeting)?
                }
            };
            super::one_rank(nic, config, launch.on_stall.clone(), program)
        };
        PLACE.with_borrow_mut(|place| place.inside = true);
        let outcome = run_here(run);
        PLACE.with_borrow_mut(|place| place.inside = false);
        match outcome {
            Ok(Ok(value)) => match bytes_of(&value) {
                Ok(bytes) => Outcome::Value(bytes),
                Err(error) => Outcome::Failed(Told::from(&error)),
            },
            Ok(Err(error)) => Outcome::Failed(Told::from(&error)),
            Err(said) => Outcome::Panicked(said),
        }
    }

    /// Waits until all ranks have handed something over, or have ended.
    fn wait_for_all(&self) -> Result<Vec<(Outcome, bool)>> {
        let size = self.size;
        while !(0..size).all(|rank| self.ledger.is_complete(rank)) {
            self.bell.wait()?;
        }
        Ok((0..size).map(|rank| (self.ledger.outcome(rank), false)).collect())
    }
}

/// What a launch is here.
enum Here {
    /// One that does not count: ranks are threads.
    Apart,
    /// One before that of this rank process.
    Before(Option<Returned>),
    /// That of this rank process.
    Mine(Box<Member>),
    /// One to be started; it counts.
    New,
}

/// Starts the ranks, or is one of them; see [`Launch::collect`].
pub(super) fn collect<T: Serialize + DeserializeOwned + Send>(
    launch: &Launch,
    program: impl Fn(&Comm) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    match here(launch)? {
        Here::Apart => match launch.wish()? {
            Ranks::Processes => Err(LaunchError::NotTheMainThread.into()),
            _ => launch.collect_in_threads(program),
        },
        Here::Before(returned) => {
            let values = returned.map_or(Err(LaunchError::Diverged.into()), replayed)?;
            values_of(values)
        }
        Here::Mine(member) => joined(launch, &member, &program),
        Here::New => started(launch, program),
    }
}

fn here(launch: &Launch) -> Result<Here> {
    if !process::on_main_thread() {
        return Ok(Here::Apart);
    }
    PLACE.with_borrow_mut(|place| {
        if place.inside {
            return Ok(Here::Apart);
        }
        if !place.known {
            place.member = match member(std::env::var_os(JOB_VARIABLE))? {
                None => met()?,
                member => member,
            };
            place.known = true;
        }
        let for_launch = place.member.as_ref().map(|member| member.launch);
        // In a job that was started by a command, ranks that the program itself wants to be threads
        // are so in each process: there is no first one that has run them before.
        if (for_launch == Some(0) || place.joined) && launch.ranks == Ranks::Threads {
            return Ok(Here::Apart);
        }
        if place.joined {
            return Err(LaunchError::SecondLaunch.into());
        }
        place.launches += 1;
        match (for_launch, &mut place.member) {
            (Some(number), Some(member)) if place.launches < number => {
                let history = member.own.as_mut().map(|(history, _)| history);
                Ok(Here::Before(history.and_then(History::next)))
            }
            (_, member) => {
                Ok(member.take().map_or(Here::New, |member| Here::Mine(Box::new(member))))
            }
        }
    })
}

/// The job that the environment names, if this process was started for it.
fn member(value: Option<OsString>) -> Result<Option<Member>, LaunchError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let Some(ticket) = value.to_str().and_then(Ticket::read) else {
        return Err(LaunchError::Job { value: value.to_string_lossy().into_owned() });
    };
    if process::started_by(ticket.starter) {
        if ticket.fds.own.is_some() {
            process::show_own_name();
        }
        return Member::of(ticket).map(Some);
    }
    // A process further down. Where a program has started its own ranks, one of those has started this
    // one. A command's rank may be started by a script; but what a rank starts is no rank.
    let Ticket { launch, rank, fds, starter, .. } = ticket;
    if launch != 0 || !descends_from(starter) {
        return Ok(None);
    }
    match Member::of(ticket) {
        Ok(member) if member.ledger.is_one() => {
            end_with(starter).map_err(resources)?;
            Ok(Some(member))
        }
        Err(_) if Ledger::has_joined_at(starter, fds.ledger, rank) => Ok(None),
        _ => Err(LaunchError::NotInherited { rank }),
    }
}

/// The rank that another starter than this library has made this process, if ranks are to meet.
fn met() -> Result<Option<Member>, LaunchError> {
    let place = starter::place(|name| std::env::var_os(name));
    let place = place.map_err(|(variable, error)| LaunchError::Environment { variable, error })?;
    place.map(Member::meeting).transpose()
}

fn resources(error: std::io::Error) -> LaunchError {
    LaunchError::Resources { message: error.to_string() }
}

/// In a rank process: never returns, except in rank 0 of a job that was started by a command.
fn joined<T: Serialize + DeserializeOwned>(
    launch: &Launch,
    member: &Member,
    program: &(impl Fn(&Comm) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    if let Some((_, stdout)) = &member.own {
        process::replace_stdout(stdout)?;
    }
    if member.own.is_none() {
        let rank = member.rank;
        // Also where another was the rank: what this process is in is a job of a command.
        PLACE.with_borrow_mut(|place| place.joined = true);
        if !member.ledger.claim(rank)? {
            return Err(LaunchError::RankTaken { rank }.into());
        }
    }
    let (outcome, is_heard) = member.run(launch, program);
    if let (Way::Meets(_), Some((_, error))) = (&member.way, failure(member.rank, &outcome, false))
    {
        if member.rank == 0 && !is_heard {
            return Err(error);
        }
        if member.rank != 0 {
            // What its starter says of it is not what went wrong.
            eprintln!("runahead: {error}");
        }
    }
    if member.own.is_some() || member.rank != 0 {
        process::exit(match outcome {
            Outcome::Value(_) => 0,
            Outcome::Panicked(_) => 101,
            _ => 1,
        });
    }
    values_of(member.wait_for_all().and_then(verdict)?)
}

/// In the process that starts the ranks.
fn started<T: Serialize + DeserializeOwned + Send>(
    launch: &Launch,
    program: impl Fn(&Comm) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let harness = || std::env::current_exe().is_ok_and(|path| is_harness(&path));
    match launch.wish()? {
        Ranks::Auto if harness() => launch.collect_in_threads(program),
        Ranks::Threads => {
            let result = launch.collect_in_threads(program);
            let returned = result.as_ref().map_err(Told::from).and_then(|values| {
                let bytes: Result<Vec<_>> = values.iter().map(bytes_of).collect();
                bytes.map_err(|error| Told::from(&error))
            });
            recorded(returned.as_deref().map_err(Told::clone))?;
            result
        }
        _ => {
            let returned = started_processes(launch);
            recorded(returned.as_deref().map_err(Told::from))?;
            values_of(returned?)
        }
    }
}

/// Starts the ranks as processes of this program, and waits until all have ended.
fn started_processes(launch: &Launch) -> Result<Vec<Vec<u8>>> {
    // What is wrong with the choices is said once, and not by each rank.
    launch.settled()?;
    bytes_needed(launch.size, &launch.fabric()?)?;
    let grace = environment::grace(|name| std::env::var_os(name))
        .map_err(|(variable, error)| LaunchError::Environment { variable, error })?;
    let number = PLACE.with_borrow(|place| place.launches);
    let history = PLACE.with_borrow_mut(|place| -> std::io::Result<History> {
        match place.history.take() {
            Some(history) => Ok(history),
            None => History::create(),
        }
    })?;
    let stdout = process::copy_of_stdout();
    let outcomes = stdout.map_err(Error::from).and_then(|stdout| {
        let (program, arg0, args) = process::own_command();
        let command = Command { program, arg0, args, env: Vec::new() };
        let own = OwnLaunch { number, history: history.as_fd(), stdout: stdout.as_fd() };
        let plan = Plan {
            size: launch.size,
            command: &command,
            own: Some(own),
            cores: &[],
            streams: Streams::Quiet,
        };
        let mut crew = Crew::start(&plan)?;
        let orders = Orders { limit: None, grace, commands: false, signals: None };
        let seen = watch(&mut crew, &orders, None)?;
        let ended = seen.ranks.iter().filter(|rank| rank.ended_here).count();
        if let Some(grace) = grace.filter(|_| ended > 0) {
            let (ranks, were) = if ended == 1 { ("rank", "was") } else { ("ranks", "were") };
            let grace = grace.as_secs();
            let line = format!(
                "runahead: {ended} {ranks} ran on {grace} s after a failure, and {were} ended\n"
            );
            eprint!("{line}");
        }
        Ok(seen.ranks.iter().map(SeenRank::came_to).collect())
    });
    PLACE.with_borrow_mut(|place| place.history = Some(history));
    outcomes.and_then(verdict)
}

/// Keeps what a launch returned, for the rank processes of later ones.
fn recorded(returned: Result<&[Vec<u8>], Told>) -> Result<()> {
    let returned = returned.map(<[Vec<u8>]>::to_vec);
    PLACE.with_borrow_mut(|place| -> Result<()> {
        let history = match &mut place.history {
            Some(history) => history,
            none => none.insert(History::create()?),
        };
        Ok(history.append(&returned)?)
    })
}

fn bytes_of(value: &impl Serialize) -> Result<Vec<u8>> {
    let message = |error: postcard::Error| LaunchError::Value { message: error.to_string() };
    Ok(postcard::to_stdvec(value).map_err(message)?)
}

/// The values of the ranks, from their bytes.
pub(super) fn values_of<T: DeserializeOwned>(values: Vec<Vec<u8>>) -> Result<Vec<T>> {
    let message = |error: postcard::Error| LaunchError::Value { message: error.to_string() };
    let values = values.iter().map(|bytes| postcard::from_bytes(bytes).map_err(message));
    Ok(values.collect::<Result<_, _>>()?)
}
