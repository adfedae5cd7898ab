//! What a program must say of itself to be run, timed and checked.

use runahead::{Comm, Error, Result};

use super::measure::{Sample, measure};
use super::number::Number;
use super::share;
use super::variant::Techniques;

/// A parallel program on numbers, and the sequential one that it must agree with.
pub trait Program: Sync {
    /// What it works on.
    type Number: Number;
    /// What it calls them: "keys".
    const ITEMS: &'static str;
    /// What it has done to them: "Sorted".
    const DONE: &'static str;
    /// The sequential program: "a sequential sort".
    const SEQUENTIAL: &'static str;

    /// The parallel program, at one rank: works on `mine`, its share of `total` numbers.
    ///
    /// # Errors
    ///
    /// Those of the messages.
    fn parallel(
        &self,
        world: &Comm,
        techniques: &Techniques,
        total: u64,
        mine: &mut [Self::Number],
    ) -> Result<()>;

    /// The sequential program.
    fn sequential(&self, all: &mut [Self::Number]);

    /// What was chosen for this program alone, in a few words.
    fn choices(&self) -> String;
}

/// Runs the program once. Rank 0 gives all numbers and gets the result, with how long it took.
///
/// # Errors
///
/// Those of the messages.
pub fn run_once<P: Program>(
    program: &P,
    techniques: &Techniques,
    world: &Comm,
    all: Option<&[P::Number]>,
) -> Result<Option<(Sample, Vec<P::Number>)>> {
    techniques.prepare(world);
    let (total, mut mine) = share::scatter(world, all)?;
    let ((), sample) = measure(world, || program.parallel(world, techniques, total, &mut mine))?;
    Ok(sample.zip(share::gather(world, mine)?))
}

/// Checks a result against that of the sequential program.
///
/// # Errors
///
/// If it is wrong, telling where first.
pub fn check<P: Program>(program: &P, all: &[P::Number], result: &[P::Number]) -> Result<()> {
    let mut right = all.to_vec();
    program.sequential(&mut right);
    if right.len() != result.len() {
        let (given, right) = (result.len(), right.len());
        return Err(Error::other(format!("wrong result: {given} {} of {right}", P::ITEMS)));
    }
    match right.iter().zip(result).position(|(right, given)| right != given) {
        None => Ok(()),
        Some(at) => Err(Error::other(format!(
            "wrong result: at index {at} there is {}; {} gives {}",
            result[at],
            P::SEQUENTIAL,
            right[at]
        ))),
    }
}
