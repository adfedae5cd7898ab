//! Heat diffusion on a plate, by Jacobi's method: compute, exchange the rims, barrier, repeat.
//!
//! The rows are divided among the ranks. Each step has a barrier, as in many such programs,
//! traditional or nonblocking; how much the latter gains depends on what a step has to do between
//! its barrier and its next receive (pakin-2001 §4.4.3), which is what `--order` is about. Each
//! result is compared, bit for bit, with that of a sequential program.

#[path = "../shared/barriers.rs"]
mod barriers;
mod block;
mod brightness;
mod field;
#[path = "../shared/load.rs"]
mod load;
#[path = "../shared/measure.rs"]
mod measure;
#[path = "../shared/output.rs"]
mod output;
mod pgm;
#[path = "../shared/plot.rs"]
mod plot;
mod start;
#[path = "../shared/terminal.rs"]
mod terminal;
#[path = "../shared/two_ways.rs"]
mod two_ways;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use runahead::{Comm, Error, Result};

use crate::barriers::Barriers;
use crate::block::{Block, Order};
use crate::field::{Field, difference, sequential};
use crate::measure::{Sample, measure};
use crate::output::Output;
use crate::pgm::Picture;
use crate::start::Start;
use crate::terminal::{exit, print};
use crate::two_ways::{Options, compare};

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

fn run(args: &Args) -> Result<()> {
    let picture = match &args.input {
        Some(path) => Picture::read(path).map_err(Error::other)?,
        None => {
            let (width, height) = args.size.map_or((args.width, args.height), |size| (size, size));
            args.start.picture(width as usize, height as usize)
        }
    };
    let output = args.output.as_deref().map(Output::create).transpose()?;

    let start = Field::of_picture(&picture);
    let begin = Instant::now();
    let right = sequential(&start, args.steps);
    let alone_ns = begin.elapsed().as_nanos() as f64;
    let share_us = alone_ns / 1e3 / f64::from(args.steps) / f64::from(args.options.ranks);

    let from = match &args.input {
        Some(path) => path.display().to_string(),
        None => args.start.name().to_owned(),
    };
    let choices = format!(
        "{} x {} cells ({from}), {} steps, {}",
        picture.width,
        picture.height,
        args.steps,
        args.order.name()
    );
    compare(&args.options, &choices, args.steps, |barriers| {
        let job = args.options.job();
        let ranks = job.collect(|world| {
            one_run(args, barriers, world, (world.rank() == 0).then_some(&start))
        })?;
        let Some((sample, result)) = ranks.into_iter().flatten().next() else {
            return Err(Error::other("rank 0 measured nothing"));
        };
        match difference(&right, &result) {
            None => Ok(sample),
            Some(what) => Err(Error::other(format!("wrong result: {what}"))),
        }
    })?;
    print(format_args!(
        "The sequential program takes {share_us:.0} us a step for the cells of one rank.\nChecked: \
         in all runs the result was that of the sequential program, bit for bit."
    ))?;
    match output {
        // All results are this one.
        Some(output) => output.finish(&right.to_picture(&picture).to_bytes()),
        None => Ok(()),
    }
}

/// One run at one rank. Rank 0 gives the field; it gets that after the steps, and how long they
/// took.
fn one_run(
    args: &Args,
    barriers: Barriers,
    world: &Comm,
    start: Option<&Field>,
) -> Result<Option<(Sample, Field)>> {
    let mut block = Block::scatter(world, start)?;
    let ((), sample) = measure(world, || block.run(args.steps, args.order, barriers))?;
    Ok(sample.zip(block.gather(start)?))
}
