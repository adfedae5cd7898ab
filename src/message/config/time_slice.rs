//! How long the scheduler's time slices of a rank are.

use std::ffi::OsStr;
use std::time::Duration;

use crate::options::{InvalidOption, OptionInfo, Setting};

/// How long a rank's time slices are: for how long the system lets it run before it asks who is next.
///
/// With shorter slices a rank that was woken runs sooner, and takes turns from others more often. Its share of the core stays
/// the same. Processes and threads that a rank starts have its slices, and its thread keeps them when the world has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeSlice {
    /// Of [`TimeSlice::SHORT`], where the system offers a choice and gives longer ones; else as the system gives them.
    #[default]
    Auto,
    /// As they are: nothing is asked for. That is as the system gives them, unless the thread has asked before, or who has started it.
    System,
    /// Of this length, from 100 microseconds to 100 milliseconds. Where the system offers no choice, or the rank has another
    /// policy than the ordinary one and that of batches, this is an error.
    Of(Duration),
}

impl TimeSlice {
    /// The shortest that Linux has. (Of 100 and 300 microseconds the first gains more, beside other programs.)
    pub const SHORT: Duration = Duration::from_micros(100);
    const LONGEST: Duration = Duration::from_millis(100);
}

impl From<Duration> for TimeSlice {
    fn from(length: Duration) -> TimeSlice {
        TimeSlice::Of(length)
    }
}

impl Setting for TimeSlice {
    fn read(info: &OptionInfo, value: &OsStr) -> Result<TimeSlice, InvalidOption> {
        let text = info.text(value)?;
        let slice = match text.trim() {
            "auto" => TimeSlice::Auto,
            "0" => TimeSlice::System,
            number => {
                let us = number.parse().map_err(|_| info.invalid(text))?;
                TimeSlice::Of(Duration::from_micros(us))
            }
        };
        // By what the environment says, and not by the option's name.
        slice.check(info).map_err(|_| info.invalid(text))?;
        Ok(slice)
    }

    fn check(&self, info: &OptionInfo) -> Result<(), InvalidOption> {
        match *self {
            TimeSlice::Of(length) if !(TimeSlice::SHORT..=TimeSlice::LONGEST).contains(&length) => {
                // What is too short is so in whole microseconds, too, and what is too long.
                let us = match length < TimeSlice::SHORT {
                    true => length.as_micros(),
                    false => length.as_nanos().div_ceil(1000),
                };
                Err(InvalidOption { option: info.name, ..info.invalid(us.to_string()) })
            }
            _ => Ok(()),
        }
    }
}
