//! Ranks as processes: programs that start themselves, and jobs of `runahead run`.
//!
//! The programs are parts of this binary, which runs itself under a name that is no test harness's:
//! its ranks then start as those of a user's program do. The only time limit is the one that ends a
//! test that hangs.

/// A list of tests, each named after its function behind the prefix of its group.
#[cfg(target_os = "linux")]
macro_rules! tests {
    [$($prefix:literal: [$($test:ident),* $(,)?]),* $(,)?] => {
        &[$($((concat!($prefix, stringify!($test)), $test)),*),*]
    };
}

#[cfg(target_os = "linux")]
mod collectives;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod harness;
#[cfg(target_os = "linux")]
mod hosts;
#[cfg(target_os = "linux")]
mod losses;
#[cfg(target_os = "linux")]
mod measured;
#[cfg(target_os = "linux")]
mod meeting;
#[cfg(all(target_os = "linux", feature = "ib"))]
mod mixed;
#[cfg(target_os = "linux")]
mod over_hosts;
#[cfg(target_os = "linux")]
mod parts;
#[cfg(all(target_os = "linux", feature = "ib"))]
mod payloads;
#[cfg(target_os = "linux")]
mod places;
#[cfg(all(target_os = "linux", feature = "ib"))]
mod rdma;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod scripts;
#[cfg(target_os = "linux")]
mod values;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some(harness::PART) {
        let (name, args) = (args.next().expect("the name of a part"), args.collect::<Vec<_>>());
        return match parts::play(&name, &args) {
            Ok(()) => std::process::ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("Error: {error}");
                std::process::ExitCode::FAILURE
            }
        };
    }
    let mut arguments = libtest_mimic::Arguments::from_args();
    // They mostly wait for processes to start and to end.
    // CORES: any number will do.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(2 * cores);
    let mut tests =
        [values::TESTS, failures::TESTS, places::TESTS, run::TESTS, scripts::TESTS].concat();
    tests.extend(meeting::TESTS);
    tests.extend(measured::TESTS);
    tests.extend(collectives::TESTS);
    let trial = |(name, test): harness::Test| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    #[allow(unused_mut, reason = "without the feature there are no others")]
    let mut trials: Vec<_> = tests.into_iter().map(trial).collect();
    #[cfg(feature = "ib")]
    trials.extend(
        [rdma::TESTS, meeting::by_rdma::TESTS, payloads::TESTS, mixed::TESTS]
            .concat()
            .into_iter()
            .map(|test| trial(test).with_ignored_flag(true)),
    );
    let conclusion = libtest_mimic::run(&arguments, trials);
    harness::clean();
    conclusion.exit_code()
}
