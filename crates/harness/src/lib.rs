//! Runs a program in several ways, one after the other, and shows what each of them took: what the
//! examples and the command's `bench` have in common, and no part of any algorithm.
//!
//! It is written on the public interface alone, as a user of the library writes it. [`run`] is for
//! programs on numbers, such as a sort, in the variants of Pakin's thesis; [`two_ways`] is for
//! programs whose barriers wait or do not.

pub mod barriers;
pub mod compare;
pub mod format;
pub mod load;
pub mod measure;
pub mod number;
pub mod one_file;
pub mod options;
pub mod output;
pub mod plot;
pub mod program;
pub mod report;
pub mod share;
pub mod terminal;
pub mod two_ways;
pub mod variant;
pub mod work;

use std::process::ExitCode;

use format::Format;
use options::Options;
use program::Program;

/// Runs a program as its user asks: once on the numbers of a file, else in several variants on
/// random numbers, `each` a rank. Returns how the process ends.
pub fn run<P: Program>(
    program: &P,
    options: &Options,
    format: Option<Format>,
    each: u32,
) -> ExitCode {
    terminal::exit(match &options.input {
        Some(input) => one_file::one_file(program, options, input, format),
        None => compare::compare(program, options, each),
    })
}
