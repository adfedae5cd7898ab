//! Faults on a schedule: at random moments a random rank of a real program is killed, stopped for a
//! while, or made slow. The job must then give the right result or fail as documented. It must not
//! hang or leave processes or files behind.
//!
//! The programs are the examples, and a program with the same algorithms whose ranks report how
//! they end. That one has collectives of all kinds, too. They start themselves or are started by
//! `runahead run`. A failing case prints the command line that repeats it.
//!
//! - `RUNAHEAD_SOAK=50`: the number of cases of each fault with each program (by default 1, 2 or
//!   50, according to `RUNAHEAD_TESTS`);
//! - `RUNAHEAD_SOAK_SEED=7`: the seed of the cases (by default 1);
//! - `RUNAHEAD_SOAK_CASE=kill/stencil/12`: this case alone.
//!
//! The only time limits are generous ones that end a job that hangs. The time that ranks take to
//! learn of a kill is measured and shown, not judged. With `cargo test --test soak` alone, build
//! the examples first: `cargo build --examples`.

#[cfg(target_os = "linux")]
#[path = "../../../../examples/prefix_scan"]
mod prefix_scan {
    pub mod cluster;
    #[allow(dead_code, reason = "the tests of the examples have more use for it")]
    pub mod naive;
}
#[cfg(target_os = "linux")]
#[path = "../../../../examples/radix_sort"]
mod radix_sort {
    use crate::prefix_scan::cluster;
    pub mod sort;
}
#[cfg(target_os = "linux")]
#[path = "../../../../examples/stencil"]
mod stencil {
    #[allow(dead_code, reason = "the example has more use for it")]
    pub mod field;
    #[allow(dead_code, reason = "the example has more use for it")]
    pub mod heat;
}

#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod collectives;
#[cfg(target_os = "linux")]
mod input;
#[cfg(target_os = "linux")]
mod job;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod planted;
#[cfg(target_os = "linux")]
mod refused;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod traces;
#[cfg(target_os = "linux")]
mod witness;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some(job::PART) {
        return match witness::play(&args.collect::<Vec<_>>()) {
            Ok(()) => std::process::ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("Error: {error}");
                std::process::ExitCode::FAILURE
            }
        };
    }
    let mut arguments = libtest_mimic::Arguments::from_args();
    // Concurrent jobs would shift the moments of each other's faults.
    arguments.test_threads = Some(1);
    let (soaks, table) = soak::trials();
    let planted = planted::TESTS.iter().map(|&(name, test)| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, planted.chain(soaks).collect());
    runahead_testkit::programs::clean();
    let is_enough = soak::conclude(&table);
    if is_enough { conclusion.exit_code() } else { std::process::ExitCode::FAILURE }
}
