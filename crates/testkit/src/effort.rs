//! How much the tests explore: `RUNAHEAD_TESTS` is `quick`, the default, `gate` or `long`.
//!
//! Every test runs in each of them, but for those that say `#[ignore]` with the reason. A test with a bound
//! takes it from here, so that one variable sets them all. Some bounds have a variable of their own besides,
//! which counts alone where it is set: to repeat one search, or to go further in it.

use std::env;

/// The variable.
pub const VARIABLE: &str = "RUNAHEAD_TESTS";

/// One of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// What a developer waits for: minutes on two cores, without optimisation.
    Quick,
    /// What a change must pass before it lands.
    Gate,
    /// All of it, in hours.
    Long,
}

/// How much this run explores.
///
/// # Panics
///
/// If the variable says something else: a misspelt one would explore less than was asked for.
pub fn effort() -> Effort {
    match env::var(VARIABLE).as_deref() {
        Err(env::VarError::NotPresent) | Ok("quick") => Effort::Quick,
        Ok("gate") => Effort::Gate,
        Ok("long") => Effort::Long,
        other => panic!("{VARIABLE} is {other:?}: expected quick, gate or long"),
    }
}

/// The bound of this run, of those for quick, gate and long.
pub fn bound<T: Copy>(bounds: [T; 3]) -> T {
    bounds[effort() as usize]
}

/// As [`bound`], unless `variable` sets the number.
///
/// # Panics
///
/// If that is set to what is no number.
pub fn number(variable: &str, bounds: [u64; 3]) -> u64 {
    match env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| {
            panic!("{variable} is {text:?}: expected a whole number");
        }),
        Err(_) => bound(bounds),
    }
}
