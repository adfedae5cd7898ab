//! Runs the variants on random numbers, in turn, and shows them side by side.

use std::num::NonZero;
use std::thread::available_parallelism;

use runahead::{Comm, Error, Result};

use super::load::Competitors;
use super::number::Number;
use super::options::Options;
use super::plot;
use super::program::{Program, check, run_once};
use super::report::Journal;
use super::terminal::print;

/// Runs each variant `options.runs` times, one after the other and then all again, so that a change
/// of the machine's load meets all of them alike.
///
/// # Errors
///
/// If a run fails or its result is wrong.
pub fn compare<P: Program>(program: &P, options: &Options, each: u32) -> Result<()> {
    let variants = options.variants();
    options.plot.as_deref().map_or(Ok(()), plot::prepare)?;
    let mut journal = Journal::new(&variants);
    for run in 0..options.runs {
        for (index, variant) in variants.iter().enumerate() {
            let first = run + index == 0;
            let how = &variant.techniques;
            let ranks = how.job(options.ranks, options.window).collect(|world| {
                let all = (world.rank() == 0).then(|| random(options, each, world.size()));
                let all = all.transpose()?;
                if first && all.is_some() {
                    announce(program, options, each, world)?;
                }
                let competitors = Competitors::beside(world, options.competitors.into())?;
                let outcome = run_once(program, how, world, all.as_deref())?;
                drop(competitors);
                let Some(((sample, result), all)) = outcome.zip(all) else { return Ok(None) };
                check(program, &all, &result)?;
                Ok(Some(sample))
            })?;
            let Some(sample) = ranks.into_iter().flatten().next() else {
                return Err(Error::other("rank 0 measured nothing"));
            };
            journal.add(index, sample);
        }
    }
    let ranks = journal.ranks().unwrap_or(options.ranks);
    conclude::<P>(&journal, ranks)?;
    match &options.plot {
        Some(path) => plot::plot(path, &title(program, options, each, ranks), &journal.samples()),
        None => Ok(()),
    }
}

fn title<P: Program>(program: &P, options: &Options, each: u32, ranks: usize) -> String {
    let competitors = options.competitors;
    let cores = available_parallelism().map_or(ranks, NonZero::get);
    let (items, choices) = (P::ITEMS, program.choices());
    format!(
        "{ranks} ranks, {cores} cores, {competitors} competitors: {each} {items} a rank, {choices}"
    )
}

fn random<T: Number>(options: &Options, each: u32, ranks: usize) -> Result<Vec<T>> {
    let mut source = fastrand::Rng::with_seed(options.seed);
    let count = each as usize * ranks;
    let mut all = Vec::new();
    let no_memory = |_| Error::other(format!("there is no memory for {count} numbers"));
    all.try_reserve_exact(count).map_err(no_memory)?;
    all.extend((0..count).map(|_| T::random(&mut source)));
    Ok(all)
}

fn announce<P: Program>(program: &P, options: &Options, each: u32, world: &Comm) -> Result<()> {
    let beside = match options.competitors {
        0 => String::new(),
        competitors => format!(", {competitors} competitors"),
    };
    print(format_args!(
        "{each} {} on each of {} ranks, {}, window {}, seed {}{beside}",
        P::ITEMS,
        world.size(),
        program.choices(),
        world.config().window_messages,
        options.seed,
    ))
}

fn conclude<P: Program>(journal: &Journal, ranks: usize) -> Result<()> {
    print(journal.table())?;
    let cores = available_parallelism().map_or(ranks, NonZero::get);
    let shared = if ranks > cores {
        format!(
            "\nThe {ranks} ranks share {cores} cores, and also wait for one another's turn there."
        )
    } else {
        String::new()
    };
    print(format_args!(
        "Time: the slowest rank's, in the median run. Waiting: inside calls, the mean over the \
         ranks.{shared}\nChecked: in all {} runs the result was that of {}.",
        journal.runs(),
        P::SEQUENTIAL
    ))
}
