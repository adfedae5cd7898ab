//! The command and the example programs, run as a user runs them: as processes, with arguments and
//! real files.
//!
//! This is one binary, since each links the whole crate. Tests that are ranks themselves are in
//! `launch` and `soak`.

#[cfg(target_os = "linux")]
mod bench;
mod examples;
mod schedules_page;
mod tuning;
