//! `runahead bench`: what nonblocking barriers are worth on this machine.
//!
//! It starts jobs of real ranks beside real loads, takes their samples in turn, and prints them
//! side by side. docs/BENCH.md says how to read them. It measures the code of the examples. Its own
//! programs are the same ones on MPI, and what it compares with MPI besides.

mod app;
mod apps;
mod journal;
mod load;
mod long;
mod matrix;
mod micro;
mod names;
mod peers;
mod plot;
mod progress;
mod report;
mod sample;
mod slowdown;
mod start;
mod task;

use clap::Subcommand;
use runahead::Result;

pub(crate) use load::{LoadArgs, as_load};
pub(crate) use peers::{PeerArgs, as_peer};
pub(crate) use start::as_rank;

/// The measurements.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Bench {
    /// Run a program in several ways, in turn, and compare them.
    #[command(after_help = names::VARIANTS)]
    App(app::AppArgs),
    /// Measure single operations: messages, barriers.
    ///
    /// RUNAHEAD_BARRIER and RUNAHEAD_NOTIFY choose the barrier and the way of waiting.
    Micro(micro::MicroArgs),
    /// Compare runahead with the MPIs of this machine.
    Peers(peers::PeersArgs),
    /// Compare the default with the best fixed combination, in many cells.
    Matrix(matrix::MatrixArgs),
    /// Compare the default with and without competitors.
    Slowdown(slowdown::SlowdownArgs),
}

/// Measures and prints.
///
/// # Errors
///
/// If something cannot be measured or written.
pub(crate) fn run(bench: &Bench) -> Result<()> {
    match bench {
        Bench::App(args) => app::run(args),
        Bench::Micro(args) => micro::run(args),
        Bench::Peers(args) => peers::run(args),
        Bench::Matrix(args) => matrix::run(args),
        Bench::Slowdown(args) => slowdown::run(args),
    }
}
