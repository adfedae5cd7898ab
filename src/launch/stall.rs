//! Stall reports: who gets them, and after what time, as the environment says it.
//!
//! This is the one place that prints them.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::LaunchError;
use crate::message::{StallHandler, StallReport};

/// Who gets the reports: the program's handler, or standard error.
#[derive(Clone, Default)]
pub(super) struct OnStall(Option<StallHandler>);

impl OnStall {
    pub(super) fn new(handler: impl Fn(&StallReport) + Send + Sync + 'static) -> OnStall {
        OnStall(Some(Arc::new(handler)))
    }

    pub(super) fn tell(&self, report: &StallReport) {
        match &self.0 {
            Some(handler) => handler(report),
            None => {
                // In one piece: other processes write there too.
                let line = format!("runahead: {report}\n");
                eprint!("{line}");
            }
        }
    }
}

impl fmt::Debug for OnStall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "handler of the program" } else { "standard error" })
    }
}

/// What the variable of the environment says; None if it is not set, or empty.
pub(super) fn limit(value: Option<OsString>) -> Result<Option<Duration>, LaunchError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let seconds = value.to_str().and_then(|text| text.trim().parse().ok());
    match seconds {
        Some(seconds) => Ok(Some(Duration::from_secs(seconds))),
        None => Err(LaunchError::StallLimit { value: value.to_string_lossy().into_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_seconds() {
        let said = |text: &str| limit(Some(text.into()));
        assert_eq!(limit(None), Ok(None));
        assert_eq!(said("5"), Ok(Some(Duration::from_secs(5))));
        assert_eq!(said(" 90 "), Ok(Some(Duration::from_secs(90))));
        assert_eq!(said("0"), Ok(Some(Duration::ZERO)));
        assert_eq!(said(&u64::MAX.to_string()), Ok(Some(Duration::from_secs(u64::MAX))));
        assert_eq!(said(""), Ok(None));
        for wrong in [" ", "soon", "-1", "1.5", "1 s", "18446744073709551616"] {
            let error = said(wrong).unwrap_err();
            assert_eq!(error, LaunchError::StallLimit { value: wrong.to_owned() });
            let message = error.to_string();
            assert!(
                message.contains("RUNAHEAD_STALL_S") && message.contains("seconds"),
                "{message}"
            );
        }
    }
}
