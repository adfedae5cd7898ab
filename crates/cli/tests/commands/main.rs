//! The command and the example programs, run as a user runs them: as processes, with arguments and real files.
//!
//! One binary, since each links the whole crate. What must run as ranks itself is in `launch` and `soak`.

#[cfg(target_os = "linux")]
mod bench;
mod examples;
mod schedules_page;
mod tuning;
