//! The part of this process in a launch: it starts the ranks, or it is one of them.
//!
//! A rank process runs the program from its beginning, and so comes to the launches before its own
//! first. These return here the values that they returned in the first process. In its own launch
//! it runs the closure, hands over the value, and ends. Only launches of the main thread count, and
//! none that a rank starts itself: else the processes would not agree on their order.
//!
//! Why earlier launches return their values again: the code between two launches may depend on the
//! values of the first, and it runs in every rank of the second. Without them it may come to
//! another launch.

use std::cell::RefCell;
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::bootstrap::{Outcome, Returned, ToRank, encode};
use super::environment::JOB;
use super::error_report::ErrorReport;
use super::job_handle::{JOB_VARIABLE, JobHandle};
use super::member::{Member, bytes_of, resources};
use super::network::bytes_needed;
use super::processes::{Command, OwnLaunch, Plan, ProcessGroup};
use super::ranks::is_harness;
use super::root_cause::{Failure, root_cause};
use super::watch::{Orders, SeenRank, watch};
use super::{Launch, LaunchError, Ranks, environment, launcher, shape_rules};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::sys::family::{descends_from, end_with, is_kept_above};
use crate::sys::lock::Lock;
use crate::sys::process::{self, Streams};

thread_local! {
    /// Used by the main thread alone, or by the thread that [enters](enter).
    static PLACE: RefCell<Place> = const { RefCell::new(Place::new()) };
}

/// Whether a thread has entered: another has a place of its own, and would take the same door again.
static HAS_ENTERED: OnceLock<Lock<bool>> = OnceLock::new();

/// The state of this process.
struct Place {
    /// The launches that it has come to.
    launches: u64,
    /// Whether it is running a rank.
    is_inside: bool,
    /// Whether it has looked at its environment.
    is_known: bool,
    /// Whether it has been a rank of a job of a command, or of a meeting.
    has_joined: bool,
    /// That rank, after its launch. It keeps its door, by which a process below sees that it is no
    /// rank itself.
    former: Option<Member>,
    /// The job that it is a rank of, if it has not come to its launch yet.
    member: Option<Member>,
    /// The results of launches that it started, as frames for the ranks of later ones.
    history: Vec<Arc<[u8]>>,
}

impl Place {
    const fn new() -> Place {
        Place {
            launches: 0,
            is_inside: false,
            is_known: false,
            has_joined: false,
            former: None,
            member: None,
            history: Vec::new(),
        }
    }
}

/// The job that this process is a rank of, if a command or another launcher has started it for one;
/// see [`enter`](super::entry::enter). It comes to its launch by this.
pub(super) fn enter() -> Result<Option<Box<Member>>> {
    HAS_ENTERED.get_or_init(Lock::default).with(|has_entered| {
        if *has_entered {
            return Err(LaunchError::SecondLaunch.into());
        }
        // Any thread may enter: there is one call of this in a process, and no other launch to be
        // counted.
        match here_in_this_thread(&Launch::new(1).ranks(Ranks::Processes))? {
            Here::Mine(member) => {
                *has_entered = true;
                PLACE.with_borrow_mut(|place| (place.has_joined, place.is_inside) = (true, true));
                Ok(Some(member))
            }
            _ => Ok(None),
        }
    })
}

/// The rank that this process was by [`enter`] has ended, or has come to nothing. It keeps its door.
pub(super) fn leave(member: Member) {
    PLACE.with_borrow_mut(|place| {
        place.former = Some(member);
        place.is_inside = false;
    });
}

/// The part of this process in a launch.
enum Here {
    /// One that does not count: ranks are threads.
    Apart,
    /// One before that of this rank process.
    Before(Returned),
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
        Here::Apart => match launch.request()? {
            Ranks::Processes => Err(LaunchError::NotTheMainThread.into()),
            _ => launch.collect_in_threads(program),
        },
        Here::Before(returned) => {
            let values = returned.map_err(Error::from)?;
            values_of(values.into_iter().map(ByteBuf::into_vec).collect())
        }
        Here::Mine(member) => joined(launch, *member, &program),
        Here::New => started(launch, program),
    }
}

fn here(launch: &Launch) -> Result<Here> {
    if !process::on_main_thread() {
        return Ok(Here::Apart);
    }
    here_in_this_thread(launch)
}

fn here_in_this_thread(launch: &Launch) -> Result<Here> {
    PLACE.with_borrow_mut(|place| {
        if place.is_inside {
            return Ok(Here::Apart);
        }
        if !place.is_known {
            place.member = match member(std::env::var_os(JOB_VARIABLE))? {
                None => meeting()?,
                member => member,
            };
            place.is_known = true;
        }
        // In a job that was started by a command, ranks that the program itself wants to be threads
        // are so in each process: there is no first one that has run them before.
        let is_of_another = place.member.as_ref().is_some_and(|member| !member.is_own());
        if (is_of_another || place.has_joined) && launch.ranks == Ranks::Threads {
            return Ok(Here::Apart);
        }
        if place.has_joined {
            return Err(LaunchError::SecondLaunch.into());
        }
        place.launches += 1;
        match &mut place.member {
            Some(member) if place.launches < member.launch => {
                Ok(Here::Before(member.next_returned()?))
            }
            member => Ok(member.take().map_or(Here::New, |member| Here::Mine(Box::new(member)))),
        }
    })
}

/// The job that the environment names, if this process was started for it.
fn member(value: Option<OsString>) -> Result<Option<Member>> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let Some(handle) = value.to_str().and_then(JobHandle::read) else {
        return Err(JOB.invalid(value.to_string_lossy()).into());
    };
    let JobHandle { launch, rank, door, launcher, .. } = handle;
    let lacking = LaunchError::NotInherited { rank };
    if process::started_by(launcher) {
        if launch != 0 {
            process::show_own_name();
        }
        return Ok(Some(Member::of(handle).ok_or(lacking)?));
    }
    // A process further down. Where a program has started its own ranks, one of those has started
    // this one. A command's rank may be started by a script; but what a rank starts is no rank.
    if launch != 0 || !descends_from(launcher) {
        return Ok(None);
    }
    match Member::of(handle) {
        Some(member) => {
            end_with(launcher).map_err(resources)?;
            Ok(Some(member))
        }
        None if is_kept_above(door, launcher) => Ok(None),
        None => Err(lacking.into()),
    }
}

/// The rank that another launcher than this library has made this process, if ranks are to meet.
fn meeting() -> Result<Option<Member>> {
    Ok(launcher::place(|name| std::env::var_os(name))?.map(Member::meeting))
}

/// In a rank process: never returns, except in rank 0 of a job that was not started by the program
/// itself.
fn joined<T: Serialize + DeserializeOwned + Send>(
    launch: &Launch,
    mut member: Member,
    program: &(impl Fn(&Comm) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    // Also where another was the rank: what this process is in is the job of a command.
    PLACE.with_borrow_mut(|place| place.has_joined = !member.is_own());
    let (rank, meets) = (member.rank, member.meets());
    let outcome = match member.join(launch) {
        Err(error) if member.is_own() || meets && rank != 0 => {
            // Only the user can learn of it.
            eprintln!("runahead: {}", Error::Rank { rank, error: Box::new(error) });
            process::exit(1);
        }
        Err(error) if meets => return Err(Error::Rank { rank, error: Box::new(error) }),
        Err(error) => return Err(error),
        Ok(()) => {
            PLACE.with_borrow_mut(|place| place.is_inside = true);
            let outcome = member.run(launch, program);
            PLACE.with_borrow_mut(|place| place.is_inside = false);
            outcome
        }
    };
    if member.is_own() || rank != 0 {
        if meets && let Some(failure) = Failure::of(rank, &outcome, false) {
            // Its launcher reports only that it failed.
            eprintln!("runahead: {}", failure.error);
        }
        process::exit(match outcome {
            Outcome::Value(_) => 0,
            Outcome::Panicked(_) => 101,
            _ => 1,
        });
    }
    let results = member.results();
    PLACE.with_borrow_mut(|place| place.former = Some(member));
    values_of(results?)
}

/// In the process that starts the ranks.
fn started<T: Serialize + DeserializeOwned + Send>(
    launch: &Launch,
    program: impl Fn(&Comm) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let harness = || std::env::current_exe().is_ok_and(|path| is_harness(&path));
    match launch.request()? {
        Ranks::Auto if harness() => launch.collect_in_threads(program),
        Ranks::Threads => {
            let result = launch.collect_in_threads(program);
            record(result.as_ref().map_err(ErrorReport::from).and_then(|values| {
                let bytes = values.iter().map(|value| bytes_of(value).map(ByteBuf::from));
                bytes.collect::<Result<_>>().map_err(|error| ErrorReport::from(&error))
            }))?;
            result
        }
        _ => {
            let returned = started_processes(launch);
            record(match &returned {
                Ok(values) => Ok(values.iter().map(|bytes| ByteBuf::from(&bytes[..])).collect()),
                Err(error) => Err(ErrorReport::from(error)),
            })?;
            values_of(returned?)
        }
    }
}

/// Starts the ranks as processes of this program, and waits until all have ended.
fn started_processes(launch: &Launch) -> Result<Vec<Vec<u8>>> {
    // An error in the choices is reported once, and not by each rank.
    let config = launch.settled()?;
    bytes_needed(launch.size, &launch.fabric()?)?;
    let grace = environment::grace(|name| std::env::var_os(name))?;
    let (number, history) = PLACE.with_borrow(|place| (place.launches, place.history.clone()));
    let (program, arg0, args) = process::own_command();
    let command = Command { program, arg0, args, env: Vec::new() };
    let own = OwnLaunch { number, history, stdout: process::copy_of_stdout()? };
    let streams = Streams::Quiet;
    let (size, command, own) = (launch.size, &command, Some(own));
    let shape_rules = shape_rules::text(&config.tune_cache);
    let plan = Plan { size, command, own, cores: &[], streams, shape_rules };
    let mut group = ProcessGroup::start(plan)?;
    let orders = Orders { limit: None, grace, commands: false, signals: None };
    let seen = watch(&mut group, &orders, None)?;
    let ended = seen.ranks.iter().filter(|rank| rank.ended_here).count();
    if let Some(grace) = grace.filter(|_| ended > 0) {
        let (ranks, were) = if ended == 1 { ("rank", "was") } else { ("ranks", "were") };
        let grace = grace.as_secs();
        let line = format!(
            "runahead: {ended} {ranks} ran on {grace} s after a failure, and {were} ended\n"
        );
        eprint!("{line}");
    }
    root_cause(seen.ranks.into_iter().map(SeenRank::came_to).collect())
}

/// Keeps the result of a launch, for the rank processes of later ones.
fn record(returned: Returned) -> Result<()> {
    let frame = encode(&ToRank::Returned(returned)).map_err(resources)?;
    PLACE.with_borrow_mut(|place| place.history.push(frame.into()));
    Ok(())
}

/// The values of the ranks, from their bytes.
pub(super) fn values_of<T: DeserializeOwned>(values: Vec<Vec<u8>>) -> Result<Vec<T>> {
    let message = |error: postcard::Error| LaunchError::Value { message: error.to_string() };
    let values = values.iter().map(|bytes| postcard::from_bytes(bytes).map_err(message));
    Ok(values.collect::<Result<_, _>>()?)
}
