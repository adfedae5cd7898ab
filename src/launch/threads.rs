//! Ranks that are threads of this process, and what a rank does in any case.

use super::root_cause::{Failure, Listed, root};
use super::stall::OnStall;
use super::{LaunchError, shape_rules};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::message::{Config, TimeSlice};
use crate::sys::lock::Lock;
use crate::sys::{slice, thread};
use crate::verbs::Nic;

/// Runs the program with one rank on each of `nics`, as threads of this process. They must be
/// connected with one another, in the order of their ranks. Stalls are reported on standard error.
///
/// # Errors
///
/// As by [`launch`](super::launch()).
pub fn run_on<N: Nic, T: Send>(
    nics: Vec<N>,
    config: &Config,
    program: impl Fn(&Comm<N>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_all(nics, config, "", &OnStall::default(), program)
}

pub(super) fn run_all<N: Nic, T: Send>(
    nics: Vec<N>,
    config: &Config,
    shape_rules: &str,
    on_stall: &OnStall,
    program: impl Fn(&Comm<N>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let values: Vec<_> = nics.iter().map(|_| Lock::new(None)).collect();
    run_untyped(nics, config, shape_rules, on_stall, &|world| {
        let value = program(world)?;
        values[world.rank()].with(|place| *place = Some(value));
        Ok(())
    })?;
    let taken = values.iter().map(|value| value.with(Option::take));
    Ok(taken.map(|value| value.expect("a rank that succeeds has a value")).collect())
}

/// A program that has put its result away: what runs it is compiled once, and not once a program.
type Untyped<'a, N> = dyn Fn(&Comm<N>) -> Result<()> + Sync + 'a;

fn run_untyped<N: Nic>(
    nics: Vec<N>,
    config: &Config,
    shape_rules: &str,
    on_stall: &OnStall,
    program: &Untyped<N>,
) -> Result<()> {
    let ranks = nics.into_iter().enumerate();
    let ranks = ranks.map(|(rank, nic)| {
        let (config, on_stall) = (config.clone(), on_stall.clone());
        let run = move || untyped_rank(nic, config, shape_rules, on_stall, program);
        (format!("rank {rank}"), run)
    });
    let outcomes = thread::run_all(ranks).map_err(|(rank, error)| {
        let message = error.to_string();
        Error::from(LaunchError::Thread { rank, message })
    })?;
    let mut failures = Vec::new();
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => failures.push(Failure::error(rank, error)),
            Err(panic) => failures.push(Failure::panic(rank, panic)),
        }
    }
    root(&mut failures, Listed::ByRank).map_or(Ok(()), |failure| Err(failure.error))
}

/// Runs the program as one rank, from its network to the end of its world.
#[cfg(target_os = "linux")]
pub(super) fn one_rank<N: Nic, T: Send>(
    nic: N,
    config: Config,
    shape_rules: &str,
    on_stall: OnStall,
    program: &(impl Fn(&Comm<N>) -> Result<T> + Sync),
) -> Result<T> {
    let value = Lock::new(None);
    untyped_rank(nic, config, shape_rules, on_stall, &|world| {
        let returned = program(world)?;
        value.with(|place| *place = Some(returned));
        Ok(())
    })?;
    Ok(value.with(Option::take).expect("a rank that succeeds has a value"))
}

fn untyped_rank<N: Nic>(
    nic: N,
    config: Config,
    shape_rules: &str,
    on_stall: OnStall,
    program: &Untyped<N>,
) -> Result<()> {
    let world = begin_rank(nic, config, shape_rules, on_stall)?;
    let result = program(&world).map_err(|error| world.explained(error));
    let ended = world.end_explained(result.is_err());
    result?;
    ended
}

/// The world of a rank, from its network.
pub(super) fn begin_rank<N: Nic>(
    nic: N,
    config: Config,
    shape_rules: &str,
    on_stall: OnStall,
) -> Result<Comm<N>> {
    match config.time_slice {
        TimeSlice::System => {}
        // Where there is no choice, it goes as well without.
        TimeSlice::Auto => drop(slice::ask_for_shorter_slices(TimeSlice::SHORT)),
        TimeSlice::Of(time_slice) => slice::ask_for_slices(time_slice).map_err(|error| {
            let message = error.to_string();
            Error::from(LaunchError::Slice { time_slice, message })
        })?,
    }
    let rules = shape_rules::parse(shape_rules, nic.attributes().provider);
    let world = Comm::new(nic, config)?;
    world.set_shape_rules(rules);
    world.on_stall(move |report| on_stall.tell(report))?;
    Ok(world)
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::launch::Launch;

    /// Where the system offers it, a rank has short slices unless something else is chosen. (Planted: the default asks for
    /// nothing; it asks where the system's are chosen.)
    #[test]
    fn a_rank_has_short_slices_unless_something_else_is_chosen() {
        let long = Duration::from_millis(20);
        let has_choice = std::thread::spawn(move || slice::ask_for_slices(long).is_ok());
        let slices = |time_slice: TimeSlice| {
            let launch = Launch::new(2).threads().time_slice(time_slice);
            launch.collect(|_| slice::slices().map_err(Error::other))
        };
        let systems = slice::slices().expect("the system tells");
        if !has_choice.join().expect("no panic") {
            assert!(slices(TimeSlice::Of(long)).is_err());
            for chosen in [TimeSlice::Auto, TimeSlice::System] {
                assert_eq!(slices(chosen).expect("all succeed"), [systems; 2], "{chosen:?}");
            }
            return;
        }
        for (chosen, expected) in [
            (TimeSlice::Auto, TimeSlice::SHORT.min(systems)),
            (TimeSlice::System, systems),
            (TimeSlice::Of(long), long),
        ] {
            assert_eq!(slices(chosen).expect("all succeed"), [expected; 2], "{chosen:?}");
        }
    }
}
