//! Heat diffusion on a plate, by Jacobi's method: compute, exchange the rims, barrier, repeat.
//!
//! The rows are divided among the ranks. Each step has a barrier, as in many such programs,
//! traditional or nonblocking; how much the latter gains depends on what a step has to do between
//! its barrier and its next receive (pakin-2001 §4.4.3), which is what `--order` is about. Each
//! result is compared, bit for bit, with that of a sequential program.

mod brightness;
mod field;
mod heat;
mod pgm;
mod start;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use runahead::{Comm, Error, Result};
use runahead_harness::barriers::Barriers;
use runahead_harness::measure::{Sample, measure};
use runahead_harness::output::Output;
use runahead_harness::terminal::{exit, print};
use runahead_harness::two_ways::{Options, compare};
use serde::{Deserialize, Serialize};

use crate::field::{Field, difference};
use crate::heat::{Block, Order, sequential};
use crate::pgm::Picture;
use crate::start::Start;

/// Lets heat diffuse on a plate, and shows what run-ahead barriers are worth
///
/// Each cell becomes the mean of its four neighbours, in each step; those at the edges keep their
/// temperature. The start is a grey picture, white is hot: a PGM file, or a picture made here.
#[derive(Parser, Debug)]
#[command(name = "stencil")]
struct Args {
    /// Start from this picture: a PGM file, plain (P2) or raw (P5)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["start", "size", "width", "height"])]
    input: Option<PathBuf>,

    /// Write the end to this file, as PGM, in the format of the input
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Without --input, start from this
    #[arg(long, value_name = "PICTURE", default_value = "hot-edge")]
    start: Start,

    /// Make a picture of this width
    #[arg(long, value_name = "CELLS", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    width: u32,

    /// Make a picture of this height
    #[arg(long, value_name = "CELLS", default_value_t = 3000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    height: u32,

    /// Make a picture of this width and height
    #[arg(long, value_name = "CELLS", conflicts_with_all = ["width", "height"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 15))]
    size: Option<u32>,

    /// How many steps a run has
    #[arg(long, value_name = "STEPS", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,

    /// In which order a step does things
    #[arg(long, value_name = "ORDER", default_value = "overlap")]
    order: Order,

    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    exit(run(&Args::parse()))
}

/// What the sequential program has come to.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Alone {
    /// Of the field after the steps.
    digest: u64,
    time_ns: u64,
}

fn run(args: &Args) -> Result<()> {
    args.output.as_deref().map_or(Ok(()), Output::check)?;
    let (width, height) = size(args)?;
    let from = match &args.input {
        Some(path) => path.display().to_string(),
        None => args.start.name().to_owned(),
    };
    let order = args.order.name();
    let choices = format!("{width} x {height} cells ({from}), {} steps, {order}", args.steps);
    // What an earlier launch returned is told to the ranks of a later one.
    let mut known: Option<(Alone, usize)> = None;
    compare(&args.options, &choices, args.steps, |barriers| {
        let ranks = args
            .options
            .job()
            .collect(|world| one_run(args, barriers, world, known.map(|(alone, _)| alone)))?;
        let found = ranks.into_iter().flatten().next();
        let (alone, sample) = found.ok_or_else(|| Error::other("rank 0 measured nothing"))?;
        known = Some((alone, sample.ranks));
        Ok(sample)
    })?;
    let (time_ns, ranks) = known.map_or((0, 1), |(alone, ranks)| (alone.time_ns, ranks));
    let share_us = time_ns as f64 / 1e3 / f64::from(args.steps) / ranks as f64;
    print(format_args!(
        "The sequential program takes {share_us:.0} us a step for the cells of one rank.\nChecked: \
         in all runs the result was that of the sequential program, bit for bit."
    ))?;
    let Some(path) = &args.output else { return Ok(()) };
    // All results are this one.
    let picture = picture(args)?;
    let right = sequential(&Field::of_picture(&picture), args.steps);
    Output::create(path)?.finish(&right.to_picture(&picture).to_bytes())
}

/// The picture to start from.
fn picture(args: &Args) -> Result<Picture> {
    match &args.input {
        Some(path) => Picture::read(path).map_err(Error::other),
        None => {
            let (width, height) = args.size.map_or((args.width, args.height), |size| (size, size));
            Ok(args.start.picture(width as usize, height as usize))
        }
    }
}

fn field(args: &Args) -> Result<Field> {
    Ok(Field::of_picture(&picture(args)?))
}

/// Width and height of the picture; one that is made up need not be made for that.
fn size(args: &Args) -> Result<(usize, usize)> {
    if args.input.is_some() {
        let field = field(args)?;
        return Ok((field.width(), field.height()));
    }
    let (width, height) = args.size.map_or((args.width, args.height), |size| (size, size));
    Ok((width as usize, height as usize))
}

/// The sequential program.
fn alone(args: &Args, start: &Field) -> Alone {
    let begin = Instant::now();
    let digest = sequential(start, args.steps).digest();
    Alone { digest, time_ns: begin.elapsed().as_nanos() as u64 }
}

/// One run at one rank. Rank 0 has the field; it checks the one after the steps, and gets how long they took. What the
/// sequential program has come to it finds out in the first run, before anybody else is busy.
fn one_run(
    args: &Args,
    barriers: Barriers,
    world: &Comm,
    known: Option<Alone>,
) -> Result<Option<(Alone, Sample)>> {
    let start = (world.rank() == 0).then(|| field(args)).transpose()?;
    let known = start.as_ref().map(|start| known.unwrap_or_else(|| alone(args, start)));
    // Until here the others wait.
    world.barrier()?.wait()?;
    let _beside = args.options.beside(world)?;
    let mut block = Block::scatter(world, start.as_ref())?;
    let ((), sample) = measure(world, || block.run(args.steps, args.order, barriers.wait()))?;
    let gathered = block.gather(start.as_ref())?;
    let (Some(start), Some(result), Some(known)) = (&start, gathered, known) else {
        return Ok(None);
    };
    let wrong = (result.digest() != known.digest)
        .then(|| difference(&sequential(start, args.steps), &result))
        .flatten();
    match wrong {
        None => Ok(sample.map(|sample| (known, sample))),
        Some(what) => Err(Error::other(format!("wrong result: {what}"))),
    }
}
