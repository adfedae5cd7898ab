//! The receiver of stall reports. This is the one place that prints them.

use std::fmt;
use std::sync::Arc;

use crate::message::{StallHandler, StallReport};

/// The receiver of the reports: the program's handler, or standard error.
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

// Not derived: a handler is a function.
impl fmt::Debug for OnStall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "handler of the program" } else { "standard error" })
    }
}
