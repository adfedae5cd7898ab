//! The progress bar. It appears only on a terminal.

use std::fmt::Display;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that disappears when it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(steps: usize) -> Progress {
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len}, about {eta} left: {msg}");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// The next step begins.
    pub(crate) fn next(&self, step: impl Display) {
        self.0.set_message(step.to_string());
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
