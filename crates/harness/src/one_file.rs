//! Runs a program once, on the numbers of a file.

use std::path::Path;

use runahead::Result;

use super::format::{self, Format};
use super::options::Options;
use super::output::Output;
use super::program::{Program, check, run_once};
use super::report::{milliseconds, share};
use super::terminal::print;

/// Reads `input` at rank 0, runs the program on all ranks, and writes the result at rank 0.
///
/// # Errors
///
/// If a file cannot be read or written, the run fails, or its result is wrong; then no output is
/// left behind.
pub fn one_file<P: Program>(
    program: &P,
    options: &Options,
    input: &Path,
    format: Option<Format>,
) -> Result<()> {
    let how = options.techniques()?;
    let format = format::choose::<P::Number>(format, input, options.output.as_deref())?;
    how.job(options.ranks, options.window).run(|world| {
        let (mut all, mut output) = (None, None);
        if world.rank() == 0 {
            all = Some(format::read(input, format)?);
            output = options.output.as_deref().map(Output::create).transpose()?;
        }
        let outcome = run_once(program, &how, world, all.as_deref())?;
        let Some(((sample, result), all)) = outcome.zip(all) else { return Ok(()) };
        if options.check {
            check(program, &all, &result)?;
        }
        if let Some(output) = output {
            output.finish(&format::to_bytes(&result, format))?;
        }
        let checked = match options.check {
            true => format!("\nChecked: the result is that of {}.", P::SEQUENTIAL),
            false => String::new(),
        };
        print(format_args!(
            "{} {} {} on {} ranks, {}, in {}; {} of it waiting{checked}",
            P::DONE,
            result.len(),
            P::ITEMS,
            world.size(),
            program.choices(),
            milliseconds(sample.time_ns),
            share(&sample),
        ))
    })
}
