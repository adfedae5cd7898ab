//! The names that users choose from: programs, loads, variants, ways of waiting; and their
//! meanings.

use std::fmt;

use clap::ValueEnum;
use runahead::Exchange;
use serde::{Deserialize, Serialize};

use crate::harness::barriers::Barriers;
use crate::harness::variant::{Techniques, all, best};

/// The programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum App {
    /// Sort 2^18 keys a rank by one bit at a time (algorithm 5.6 of the thesis)
    RadixSort,
    /// Sort the same keys as a program on MPI would: two collectives, messages, a barrier
    NaturalSort,
    /// 50 scans of 2^18 elements a rank (algorithm 5.4)
    PrefixScan,
    /// 1,000 steps of heat diffusion with halo exchange, about 200 us each
    Stencil,
    /// 2,000 times a barrier and 200 us of work (procedure 5.1)
    Barrier,
    /// 500 times 200 us of work and a reduction to all
    AllReduceLoop,
    /// 500 times an exchange of halos with two neighbours and 200 us of work
    HaloLoop,
}

/// The load beside the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Load {
    /// No additional load
    None,
    /// A spinning process on each core in use
    Competitors,
    /// A spinning process on the first core
    One,
    /// A process on each core in use that spins and sleeps in turn, for random times of 10 ms on
    /// average
    Burst,
}

/// The order of the actions in a step of the stencil (pakin-2001 §4.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Barrier, send, compute the interior, receive, compute the rim
    Overlap,
    /// Compute, send, barrier, receive at once: the worst case
    Fence,
}

/// Which techniques are on; see [`techniques`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Variant {
    /// Traditional barriers by a butterfly, binary trees
    Base,
    /// One more technique; it depends on the program, see below
    Flat,
    /// Nonblocking barriers by a butterfly
    Nonblocking,
    /// One more technique; see below
    Smart,
    /// All defaults of runahead
    Best,
}

/// How a rank waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Notify {
    /// Poll without a pause
    Poll,
    /// Poll, and yield between two polls
    Yield,
    /// Sleep until another rank wakes it
    Block,
    /// Poll for a while, then sleep
    SpinThenBlock,
    /// Whichever of these has paid lately
    Adaptive,
}

macro_rules! named {
    ($($kind:ty),*) => { $(
        impl $kind {
            /// The name for users.
            pub(crate) fn name(self) -> String {
                self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.name())
            }
        }
    )* };
}

named!(App, Load, Order, Variant, Notify);

/// A way to run a program: `variant/notify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Way {
    pub(crate) variant: Variant,
    pub(crate) notify: Notify,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.variant, self.notify))
    }
}

/// The meaning of the variants, for `--help`.
pub(crate) const VARIANTS: &str = "\
Variants, each with one more technique than the one before:
                radix-sort                      all other programs
  base          butterfly, wait, binary trees   butterfly, wait
  flat          the same, flat trees            default barrier algorithm, wait
  nonblocking   the same, no waiting            butterfly, no waiting
  smart         the same, smart exchange        default barrier algorithm, no waiting
  best          all defaults, no waiting        the same as smart

For the sort these are the cumulative variants of the thesis's table 5.8. The other programs have
no choice of trees or exchanges. For them, `flat` is the control that a sceptic asks for: the same
barrier algorithm as in `best`, in its traditional use. `smart` and `best` coincide. The loops have no
barrier: all variants of them are `best`.";

/// What a variant means for a program.
pub(crate) fn techniques(app: App, variant: Variant) -> Techniques {
    let [base, flat, nonblocking, smart, best] = match app {
        App::RadixSort => all().map(|variant| variant.techniques),
        App::NaturalSort | App::PrefixScan | App::Stencil | App::Barrier => {
            let butterfly = Techniques { exchange: Exchange::default(), ..all()[0].techniques };
            let flat = Techniques { barriers: Barriers::Traditional, ..best() };
            let nonblocking = Techniques { barriers: Barriers::Nonblocking, ..butterfly };
            [butterfly, flat, nonblocking, best(), best()]
        }
        // There is no barrier in it.
        App::AllReduceLoop | App::HaloLoop => [best(); 5],
    };
    match variant {
        Variant::Base => base,
        Variant::Flat => flat,
        Variant::Nonblocking => nonblocking,
        Variant::Smart => smart,
        Variant::Best => best,
    }
}

/// All variants that differ for a program, in their order.
pub(crate) fn distinct(app: App) -> Vec<Variant> {
    let mut distinct: Vec<Variant> = Vec::new();
    // From the last: where `smart` equals `best`, the name `best` stays.
    for &variant in Variant::value_variants().iter().rev() {
        let known = distinct.iter().any(|&had| techniques(app, had) == techniques(app, variant));
        if !known {
            distinct.insert(0, variant);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sort_has_five_distinct_variants_other_programs_four_and_loops_without_barriers_one() {
        assert_eq!(distinct(App::RadixSort), Variant::value_variants());
        for app in [App::NaturalSort, App::PrefixScan, App::Stencil, App::Barrier] {
            let four = [Variant::Base, Variant::Flat, Variant::Nonblocking, Variant::Best];
            assert_eq!(distinct(app), four);
            assert_eq!(techniques(app, Variant::Smart), techniques(app, Variant::Best));
        }
        for app in [App::AllReduceLoop, App::HaloLoop] {
            assert_eq!(distinct(app), [Variant::Best]);
        }
    }

    #[test]
    fn only_base_and_flat_wait_at_barriers() {
        let with_barriers = |app: &&App| distinct(**app).len() > 1;
        for &app in App::value_variants().iter().filter(with_barriers) {
            for &variant in Variant::value_variants() {
                let waits = techniques(app, variant).barriers == Barriers::Traditional;
                assert_eq!(waits, matches!(variant, Variant::Base | Variant::Flat));
            }
        }
    }
}
