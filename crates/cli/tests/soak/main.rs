//! Faults on a schedule: at random moments a random rank of a real program is killed, stopped for a
//! while, or made slow. Then the job must come to the right result, or fail as is documented; it must not
//! hang, and nothing of it must be left.
//!
//! The programs are the examples, and their algorithms in a program whose ranks say how they end; they
//! start themselves or are started by `runahead run`. Each case says, should it fail, what repeats it.
//!
//! - `RUNAHEAD_SOAK=50`: so many cases of each fault with each program (else as `RUNAHEAD_TESTS` says: 1, 2 or 50);
//! - `RUNAHEAD_SOAK_SEED=7`: what they are drawn from (else 1);
//! - `RUNAHEAD_SOAK_CASE=kill/stencil/12`: this case alone.
//!
//! No test has a limit to its time, except a generous one that ends a job that hangs. How long ranks take
//! to learn of a kill is measured and shown, and not judged. With `cargo test --test soak` alone, build the
//! examples first: `cargo build --examples`.

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
    // Jobs side by side would move each other's moments.
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
