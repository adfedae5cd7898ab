//! Providers, the cases of the suite, gates, and the watchdog.

#[path = "../shared/any_nic.rs"]
mod any_nic;
mod gate;
#[cfg_attr(guest, allow(dead_code))]
mod providers;
mod watchdog;

use std::fmt::Debug;
use std::time::Duration;

pub use any_nic::AnyNic;
pub use gate::Gate;
#[cfg(all(target_os = "linux", not(guest)))]
pub use providers::{Apart, Many, ManySlow, Mixed, MixedSlow};
#[cfg_attr(guest, allow(unused_imports))]
pub use providers::{Delayed, Host, Lossy, Provider, Threads};
#[cfg(not(guest))]
pub use providers::{Exposed, ExposedLate, Repaired, RepairedInCalls};
#[cfg(all(target_os = "linux", feature = "ib"))]
pub use providers::{Ib, MixedIb};
#[cfg(all(target_os = "linux", feature = "ib", not(guest_short)))]
pub use providers::{IbUc, IbUd};
pub use watchdog::Step;

use runahead::internals::collective::Hosts;
use runahead::launch::run_on;
use runahead::{Algorithm, Comm, Config, Error, MessageError, Result};
use runahead_testkit::effort::{self, Effort};

/// The sizes of the suite.
#[cfg(not(guest))]
pub const SIZES: [usize; 8] = [1, 2, 3, 4, 5, 7, 8, 13];
/// The sizes of the suite, where connections cost so much that making those of 13 ranks takes longer than the tests.
#[cfg(guest)]
pub const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// The world of a rank, on whichever provider.
pub type World = Comm<AnyNic>;

/// What tests are told of a provider, so that they need not be compiled for each: the same as [`Provider`] says.
#[derive(Clone, Copy)]
pub struct Network {
    pub causal: bool,
    pub shares_words: bool,
    pub writes_words: bool,
    pub multicasts: bool,
    pub reads: fn(size: usize, from: usize, to: usize, len: usize) -> bool,
    pub sees: fn(size: usize, rank: usize, other: usize) -> bool,
    pub default_algorithm: fn() -> Algorithm,
    pub connect: fn(size: usize, config: &Config) -> Vec<AnyNic>,
}

impl Network {
    fn of<P: Provider>() -> Network {
        Network {
            causal: P::CAUSAL,
            shares_words: P::SHARES_WORDS,
            writes_words: P::WRITES_WORDS,
            multicasts: P::MULTICASTS,
            reads: P::reads,
            sees: P::sees,
            default_algorithm: P::default_algorithm,
            connect: |size, config| P::connect(size, config).into_iter().map(AnyNic::new).collect(),
        }
    }
}

/// Runs each test on every provider with each receive window. A provider is one line here and one
/// impl of [`Provider`].
///
/// Quick tests take two of them: shared memory with the default window, and with a window of one message a network
/// that delays, loses and repeats signals. The other pairs, the *matrix*, run in the gate, which does not ignore
/// what is ignored.
macro_rules! suite {
    ($($test:ident),+ $(,)?) => {
        #[cfg(not(guest))]
        suite!(@ threads, Threads, 0, $($test),+; matrix, matrix);
        #[cfg(all(target_os = "linux", not(all(guest, feature = "ib"))))]
        suite!(@ shm, Host, 1, $($test),+; quick, matrix);
        #[cfg(all(target_os = "linux", feature = "ib"))]
        suite!(@ ib, Ib, 4, $($test),+; device, device);
        #[cfg(all(target_os = "linux", not(guest)))]
        suite!(@ mixed, Mixed, 7, $($test),+; matrix, matrix);
        #[cfg(not(guest))]
        suite!(@ delayed, Delayed, 2, $($test),+; matrix, matrix);
        #[cfg(not(guest))]
        suite!(@ lossy, Lossy, 3, $($test),+; matrix, quick);
        #[cfg(not(guest))]
        suite!(@ repaired, Repaired, 5, $($test),+; long, long);
    };
    (@ $module:ident, $provider:ident, $network:literal, $($test:ident),+; $default:ident, $one:ident) => {
        mod $module {
            use crate::harness::{Case, $provider};
            $(mod $test {
                use super::*;

                runs_in! { $default,
                    fn default_window() {
                        crate::harness::Case::on::<$provider>(module_path!(), None)
                            .numbered(2 * $network)
                            .test(super::super::$test);
                    }
                }

                runs_in! { $one,
                    fn window_of_one() {
                        Case::on::<$provider>(module_path!(), Some(1))
                            .numbered(2 * $network + 1)
                            .test(super::super::$test);
                    }
                }
            })+
        }
    };
}

/// A test that quick tests have, or one that they ignore, and why.
macro_rules! runs_in {
    (quick, $test:item) => {
        #[test]
        $test
    };
    (matrix, $test:item) => {
        #[test]
        #[ignore = "the matrix of networks and windows: runs in .ci/run, and with --include-ignored"]
        $test
    };
    (long, $test:item) => {
        #[test]
        #[ignore = "long: asked for by `--ignored ::repaired::`; what `in_calls!` lists runs always"]
        $test
    };
    // Asked for by name, since it needs a device, and then no test is left out.
    (device, $test:item) => {
        #[test]
        #[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
        $test
    };
}

/// Runs these besides on the layer that repairs what a network loses where nobody drives it: tests in which every rank
/// that is waited for calls the runtime.
macro_rules! in_calls {
    ($($test:ident),+ $(,)?) => {
        #[cfg(not(guest))]
        suite!(@ in_calls, RepairedInCalls, 6, $($test),+; matrix, quick);
        #[cfg(all(target_os = "linux", feature = "ib", not(guest_short)))]
        suite!(@ ib_uc, IbUc, 7, $($test),+; device, device);
        #[cfg(all(target_os = "linux", feature = "ib", not(guest_short)))]
        suite!(@ ib_ud, IbUd, 8, $($test),+; device, device);
    };
}

/// Runs these besides where receivers read large payloads by themselves.
macro_rules! exposed {
    ($($test:ident),+ $(,)?) => {
        #[cfg(not(guest))]
        suite!(@ exposed, Exposed, 9, $($test),+; matrix, quick);
        #[cfg(not(guest))]
        suite!(@ exposed_late, ExposedLate, 10, $($test),+; matrix, matrix);
    };
}

/// Runs these on all, and [`exposed!`].
macro_rules! suite_and_exposed {
    ($($test:ident),+ $(,)?) => {
        suite!($($test),+);
        exposed!($($test),+);
    };
}

/// Runs these besides with ranks on many hosts.
macro_rules! on_many_hosts {
    ($($test:ident),+ $(,)?) => {
        #[cfg(all(target_os = "linux", not(guest)))]
        suite!(@ mixed_many, Many, 11, $($test),+; matrix, quick);
        #[cfg(all(target_os = "linux", not(guest)))]
        suite!(@ mixed_many_slow, ManySlow, 12, $($test),+; matrix, matrix);
    };
}

/// Runs these besides with ranks on two hosts, by shared memory within each and by RDMA between them.
macro_rules! on_two_hosts {
    ($($test:ident),+ $(,)?) => {
        #[cfg(all(target_os = "linux", feature = "ib"))]
        suite!(@ mixed_ib, MixedIb, 8, $($test),+; device, device);
    };
}

/// One test on one provider with one receive window, for messages, signals and segments alike.
pub struct Case {
    name: &'static str,
    /// Its number among the cases of its test, which differ in provider and window.
    number: usize,
    window: Option<u32>,
    pub network: Network,
}

impl Case {
    pub fn on<P: Provider>(name: &'static str, window: Option<u32>) -> Case {
        Case { name, number: 0, window, network: Network::of::<P>() }
    }

    pub fn numbered(self, number: usize) -> Case {
        Case { number, ..self }
    }

    /// Whether ranks share words, and those of several hosts do not share theirs.
    pub fn has_hosts(&self, size: usize) -> bool {
        let apart = |rank| (0..size).any(|other| !(self.network.sees)(size, rank, other));
        self.network.shares_words && (0..size).any(apart)
    }

    /// Whether another rank is on the host of this one.
    pub fn has_mate(&self, size: usize, rank: usize) -> bool {
        (0..size).any(|other| other != rank && (self.network.sees)(size, rank, other))
    }

    /// Which of `size` ranks are on which host, as collectives see it.
    pub fn hosts(&self, size: usize) -> Hosts {
        let sees = |rank: usize, other: usize| (self.network.sees)(size, rank, other);
        Hosts::of((0..size).map(|rank| (0..rank).find(|&other| sees(rank, other)).unwrap_or(rank)))
    }

    /// How `size` ranks are spread over hosts.
    pub fn spread(&self, size: usize) -> Spread {
        Spread(self.hosts(size))
    }

    /// Whether this case has the `nth` part of a test that is too long for all cases to have all of
    /// it: each part falls to a quarter of the cases, in quick tests to a sixteenth, or with
    /// `RUNAHEAD_TESTS=long` to all.
    pub fn has_part(&self, nth: usize) -> bool {
        // The guest has one network, and each of its cases must have some part of a test of few.
        let of = effort::bound([if cfg!(guest) { 8 } else { 16 }, 4, 1]);
        // One of each `of` in a row, and not always the same where parts repeat after some rows.
        (nth + nth / of) % of == self.number % of
    }

    /// Whether this case has the `nth` part of a test of which quick tests have each part in half of
    /// the cases, and the gate in all: in quick tests on shared memory one half, and on the network that loses
    /// signals the other.
    pub fn has_half(&self, nth: usize) -> bool {
        effort::effort() > Effort::Quick || (nth + nth / 2) % 2 == self.number % 2
    }

    /// The same of a test of which all cases have all but in the guest, where to make a world takes longer than most
    /// tests.
    pub fn has_part_in_guest(&self, nth: usize) -> bool {
        !cfg!(guest) || self.has_part(nth)
    }

    /// How often what may go well by chance is tried again in a new world: so often, and in the guest once.
    pub fn times(&self, times: usize) -> usize {
        if cfg!(guest) && !is_whole() { 1 } else { times }
    }

    /// The sizes in which this case has a test that is made in all of `sizes`: those up to 5, and of the larger, which
    /// take most of the time, every other: each runs on each network, with one of the two windows. In
    /// quick tests they are those up to 3, and every third of the larger, others on another network. With `RUNAHEAD_TESTS=long`
    /// they are all.
    pub fn sizes(&self, sizes: &[usize]) -> impl Iterator<Item = usize> {
        let (window, network) = (self.number % 2, self.number / 2);
        let chosen = move |&(nth, size): &(usize, usize)| match effort::effort() {
            Effort::Quick => size <= 3 || (nth + 2 * network) % 3 == 0,
            Effort::Gate => size <= 5 || nth % 2 == window,
            Effort::Long => true,
        };
        sizes.iter().copied().enumerate().filter(chosen).map(|(_, size)| size)
    }

    pub fn test(&self, test: fn(&Case)) {
        test(self);
    }

    /// The configuration of this case for a world of `size` ranks.
    pub fn config(&self, size: usize) -> Config {
        let mut config = Config::new(size);
        // A rank that is to report a stall wakes for that. Without, a wake-up that is lost hangs the test, and does not
        // only delay it.
        config.stall_after = Duration::ZERO;
        if let Some(window) = self.window {
            config.window_messages = window;
            (config.signal_window, config.bulk_window) = (window, window);
        }
        config
    }

    /// Runs `program` on all ranks and returns what became of it.
    pub fn outcome<T: Send>(
        &self,
        config: &Config,
        size: usize,
        program: impl Fn(&World, &Step) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        self.outcome_watched(watchdog::watch(self.name, size), config, size, program)
    }

    /// As `outcome`, of a program that shows that nobody waits for ever: a run that does not end
    /// ends the process, with a report.
    pub fn ending_outcome<T: Send>(
        &self,
        config: &Config,
        size: usize,
        program: impl Fn(&World, &Step) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let watched = watchdog::watch(self.name, size).must_end();
        self.outcome_watched(watched, config, size, program)
    }

    fn outcome_watched<T: Send>(
        &self,
        watched: watchdog::Watched,
        config: &Config,
        size: usize,
        program: impl Fn(&World, &Step) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        run_on((self.network.connect)(size, config), config, |world| {
            let step = watched.step(world.rank());
            let result = program(world, &step);
            step.to("ending");
            result
        })
    }

    /// As `outcome`, of a program that must succeed.
    pub fn run_with<T: Send>(
        &self,
        config: &Config,
        size: usize,
        program: impl Fn(&World, &Step) -> Result<T> + Sync,
    ) -> Vec<T> {
        match self.outcome(config, size, program) {
            Ok(values) => values,
            Err(error) => panic!("{}, {size} ranks, {config:?}: {error}", self.name),
        }
    }

    /// As `run_with`, with the configuration of the case.
    pub fn run<T: Send>(
        &self,
        size: usize,
        program: impl Fn(&World, &Step) -> Result<T> + Sync,
    ) -> Vec<T> {
        self.run_with(&self.config(size), size, program)
    }
}

/// How ranks are spread over hosts, as tests of what goes over hosts see it.
pub struct Spread(Hosts);

impl Spread {
    /// The sizes of these tests.
    pub const SIZES: [usize; 5] = [2, 3, 5, 8, 13];

    /// So many elements are above what travels from host to host alone, by default.
    pub const LONG: usize = 5000;

    pub fn hosts(&self) -> usize {
        self.0.count()
    }

    /// Whether there are several hosts, and some have several ranks.
    pub fn is_shared(&self) -> bool {
        1 < self.0.count() && self.0.count() < self.0.members()
    }

    /// The ranks on the host of this one.
    fn on(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..self.0.members()).filter(move |&other| self.0.host(other) == self.0.host(rank))
    }

    /// How many others are on the host of this one.
    pub fn beside(&self, rank: usize) -> usize {
        self.on(rank).count() - 1
    }

    /// Of the ranks on other hosts, how many have this one to serve them on its host, where the ranks of each take turns.
    pub fn turns(&self, rank: usize) -> usize {
        let place = |rank| self.on(rank).position(|other| other == rank).expect("it is there");
        let away = (0..self.0.members()).filter(|&to| self.0.host(to) != self.0.host(rank));
        away.filter(|&to| place(to) % self.on(rank).count() == place(rank)).count()
    }
}

/// Whether all cases have all that there is.
fn is_whole() -> bool {
    effort::effort() == Effort::Long
}

/// The error of the message layer in `result`, which must hold one.
pub fn message_error<T: Debug>(result: Result<T>) -> MessageError {
    match result {
        Err(Error::Message(error)) => error,
        other => panic!("expected an error of the message layer, not {other:?}"),
    }
}

/// Ends a rank by a panic that prints nothing.
pub fn die(why: &str) -> ! {
    std::panic::resume_unwind(Box::new(why.to_owned()))
}
