//! The names of the algorithms for users, with parameters, summaries, and the papers' formulas.
//!
//! There are more names than algorithms. Several algorithms of the papers have the same schedule
//! and differ only in the memory in which a rank learns of the others. They share one [`Algorithm`]
//! with several names. An *alias* is a name that is not the algorithm's own: it can be parsed, and
//! the algorithm then prints under its own name.
//!
//! [`AUTO`] is the one name that stands for no schedule, so it is not among [`ALL`].

use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

use super::Algorithm;
use super::papers::{self, Formulas, Prediction};

/// A name for an algorithm, or for a family of algorithms with a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The name, as users write it.
    pub name: &'static str,
    /// The parameter, which users write after a colon; None if there is none.
    pub parameter: Option<Parameter>,
    /// What the algorithm does, in one line.
    pub summary: &'static str,
    /// What the papers predict, with `n` for the parameter as it is written under this name.
    pub formulas: Formulas,
    /// The algorithm for a parameter in range, or for any number if there is no parameter.
    make: fn(NonZeroU8) -> Algorithm,
}

/// The parameter of a family of algorithms. The largest is always 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// What the parameter counts, in one word.
    pub counts: &'static str,
    /// The smallest value.
    pub least: u8,
    /// The value if the name stands alone.
    pub default: u8,
}

impl Name {
    /// The algorithm of this name, with `parameter`, or with the default if that is None.
    ///
    /// # Errors
    ///
    /// [`InvalidAlgorithm`] if the parameter is out of range, or if the name takes none.
    pub fn algorithm(&self, parameter: Option<u8>) -> Result<Algorithm, InvalidAlgorithm> {
        let Some(given) = parameter else {
            return Ok(self.default_algorithm());
        };
        let taken = self.parameter.filter(|taken| given >= taken.least);
        taken
            .and(NonZeroU8::new(given))
            .map(self.make)
            .ok_or_else(|| self.refused(&given.to_string()))
    }

    /// The algorithm of this name with the default parameter.
    pub fn default_algorithm(&self) -> Algorithm {
        let number = self.parameter.map_or(1, |parameter| parameter.default);
        (self.make)(NonZeroU8::new(number).unwrap_or(NonZeroU8::MIN))
    }

    /// Whether this is a second name: the algorithm has another name of its own.
    pub fn is_alias(&self) -> bool {
        self.default_algorithm().name() != self.name
    }

    /// What the papers predict for this name, a parameter in range (ignored if the name takes none)
    /// and a size. None where their formula is undefined: for one rank, or for a logarithm to base
    /// 1.
    pub fn predicted(&self, parameter: u8, size: usize) -> Option<Prediction> {
        let parameter = self.parameter.map_or(0, |_| parameter.into());
        if size < 2 { None } else { (self.formulas.predict)(parameter, size) }
    }

    fn refused(&self, given: &str) -> InvalidAlgorithm {
        let (name, given) = (self.name, given.to_owned());
        match self.parameter {
            None => InvalidAlgorithm::NoParameter { name, given },
            Some(Parameter { counts, least, .. }) => {
                InvalidAlgorithm::OutOfRange { name, counts, least, most: u8::MAX, given }
            }
        }
    }
}

/// A text that does not name an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidAlgorithm {
    /// No algorithm has this name; the message lists those that there are.
    #[error("unknown barrier algorithm {0:?}: expected one of {known}", known = known())]
    Unknown(String),
    /// The algorithm takes no parameter, and one was given.
    #[error("barrier algorithm {name} takes no parameter, but {given:?} was given")]
    NoParameter {
        /// The algorithm.
        name: &'static str,
        /// What was given.
        given: String,
    },
    /// The parameter is not a number, or is out of range.
    #[error(
        "invalid number of {counts} {given:?} for barrier algorithm {name}: \
         expected {least} to {most}"
    )]
    OutOfRange {
        /// The algorithm.
        name: &'static str,
        /// What the parameter counts.
        counts: &'static str,
        /// The smallest value.
        least: u8,
        /// The largest value.
        most: u8,
        /// What was given.
        given: String,
    },
}

fn known() -> String {
    format!("{}, {AUTO}", ALL.map(|name| name.name).join(", "))
}

impl Algorithm {
    /// The name by which users choose it, without its parameter.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Board => "board",
            Algorithm::Butterfly => "butterfly",
            Algorithm::PairwiseExchange => "pairwise-exchange",
            Algorithm::Dissemination => "dissemination",
            Algorithm::AllToAll => "all-to-all",
            Algorithm::FlatTree => "flat-tree",
            Algorithm::BinaryTree => "binary-tree",
            Algorithm::NWayDissemination { .. } => "n-way-dissemination",
            Algorithm::NWiseExchange { .. } => "n-wise-exchange",
            Algorithm::GatherMulticast { .. } => "gather-multicast",
            Algorithm::McsTree { .. } => "mcs-tree",
            Algorithm::BinomialTree => "binomial-tree",
            Algorithm::Auto => AUTO,
        }
    }

    /// What the algorithm does, in one line.
    pub fn summary(self) -> &'static str {
        if self == Algorithm::Auto {
            return "the fastest of a short list, measured when the group is created";
        }
        let own = ALL.iter().find(|name| name.name == self.name());
        own.map_or("", |name| name.summary)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter() {
            Some(parameter) => write!(f, "{}:{parameter}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}

impl FromStr for Algorithm {
    type Err = InvalidAlgorithm;

    fn from_str(text: &str) -> Result<Algorithm, InvalidAlgorithm> {
        let (name, given) = match text.split_once(':') {
            Some((name, given)) => (name, Some(given)),
            None => (text, None),
        };
        if name == AUTO {
            return match given {
                None => Ok(Algorithm::Auto),
                Some(given) => {
                    Err(InvalidAlgorithm::NoParameter { name: AUTO, given: given.to_owned() })
                }
            };
        }
        let found = ALL.iter().find(|known| known.name == name);
        let found = found.ok_or_else(|| InvalidAlgorithm::Unknown(text.to_owned()))?;
        match given {
            None => found.algorithm(None),
            Some(given) => match given.parse() {
                Ok(number) => found.algorithm(Some(number)),
                Err(_) => Err(found.refused(given)),
            },
        }
    }
}

/// The name of [`Algorithm::Auto`].
pub const AUTO: &str = "auto";

/// All names of schedules, in the order in which users see them: first the algorithms' own names,
/// in the order of [`Algorithm::ALL`], then the aliases.
pub const ALL: [Name; 16] = [
    Name {
        name: "board",
        parameter: None,
        summary: "each rank stores one word and looks at all others; where ranks share memory",
        formulas: Formulas {
            source: "-",
            rounds: "1",
            signals: "P (P - 1)",
            predict: papers::all_to_all,
        },
        make: |_| Algorithm::Board,
    },
    Name {
        name: "butterfly",
        parameter: None,
        summary: "pairs at distance 1, 2, 4 ...; lg P steps",
        formulas: Formulas {
            source: "hoefler-2005 table 2.1, pakin-2001 §4.1",
            rounds: "k, 2 k unless P = 2^k",
            signals: "P k, 2 P k unless P = 2^k",
            predict: papers::butterfly,
        },
        make: |_| Algorithm::Butterfly,
    },
    Name {
        name: "pairwise-exchange",
        parameter: None,
        summary: "butterfly on a power of two, proxies for the rest",
        formulas: Formulas {
            source: "hoefler-2005 table 2.1, kini-2003 §3.1",
            rounds: "z, +2 unless P = 2^z",
            signals: "2^z z + 2 (P - 2^z)",
            predict: papers::exchange,
        },
        make: |_| Algorithm::PairwiseExchange,
    },
    Name {
        name: "dissemination",
        parameter: None,
        summary: "signal the rank 1, 2, 4 ... further on; lg P steps, any size",
        formulas: Formulas {
            source: "hoefler-2005 table 2.1, kini-2003 §3.2",
            rounds: "k",
            signals: "P k",
            predict: papers::dissemination,
        },
        make: |_| Algorithm::Dissemination,
    },
    Name {
        name: "all-to-all",
        parameter: None,
        summary: "each rank signals all others; one step, no rank forwards",
        formulas: Formulas {
            source: "-",
            rounds: "1",
            signals: "P (P - 1)",
            predict: papers::all_to_all,
        },
        make: |_| Algorithm::AllToAll,
    },
    Name {
        name: "flat-tree",
        parameter: None,
        summary: "all ranks signal rank 0, which signals all",
        formulas: Formulas {
            source: "pakin-2001 figure 5.3 (shape)",
            rounds: "2",
            signals: "2 (P - 1)",
            predict: papers::central_counter,
        },
        make: |_| Algorithm::FlatTree,
    },
    Name {
        name: "binary-tree",
        parameter: None,
        summary: "gather up a binary tree, release down it",
        formulas: Formulas {
            source: "pakin-2001 figure 5.3 (shape)",
            rounds: "2 z",
            signals: "2 (P - 1)",
            predict: papers::binary_tree,
        },
        make: |_| Algorithm::BinaryTree,
    },
    Name {
        name: "n-way-dissemination",
        // Two interfaces of a network adapter (hoefler-2005 §2.2.6, figure 2.22).
        parameter: Some(Parameter { counts: "ways", least: 1, default: 2 }),
        summary: "dissemination with n signals a round",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.6.1",
            rounds: "ceil(log_(n+1) P)",
            signals: "P n ceil(log_(n+1) P)",
            predict: papers::dissemination,
        },
        make: |ways| Algorithm::NWayDissemination { ways },
    },
    Name {
        name: "n-wise-exchange",
        // As above (hoefler-2005 figure 2.24).
        parameter: Some(Parameter { counts: "partners", least: 1, default: 2 }),
        summary: "exchange with n ranks a round on a power of n + 1, proxies for the rest",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.6.2",
            rounds: "x = floor(log_(n+1) P), +2 unless P = (n+1)^x",
            signals: "(n+1)^x x n + 2 (P - (n+1)^x)",
            predict: papers::exchange,
        },
        make: |partners| Algorithm::NWiseExchange { partners },
    },
    Name {
        name: "gather-multicast",
        // The best one measured (kini-2003 §6, figure 6).
        parameter: Some(Parameter { counts: "fan-in", least: 1, default: 7 }),
        summary: "gather level by level in groups of n + 1, rank 0 signals all",
        formulas: Formulas {
            source: "kini-2003 §3.3",
            rounds: "ceil(log_(n+1) P) + 1",
            signals: "2 (P - 1)",
            predict: papers::gather_multicast,
        },
        make: |fan_in| Algorithm::GatherMulticast { fan_in },
    },
    Name {
        name: "mcs-tree",
        // The 4 of hoefler-2005 listing 2.4.
        parameter: Some(Parameter { counts: "children", least: 1, default: 4 }),
        summary: "gather up a tree with n children a rank, rank 0 signals all",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.5, table 2.1",
            rounds: "ceil(log_n P) + 1",
            signals: "2 (P - 1)",
            predict: papers::gather,
        },
        make: |children| Algorithm::McsTree { children },
    },
    Name {
        name: "binomial-tree",
        parameter: None,
        summary: "gather up a binomial tree, rank 0 signals all",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.6, table 2.1 (BST)",
            rounds: "k + 1",
            signals: "2 (P - 1)",
            predict: papers::lg_gather,
        },
        make: |_| Algorithm::BinomialTree,
    },
    Name {
        name: "central-counter",
        parameter: None,
        summary: "all ranks report to rank 0, which counts and signals all",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.1, table 2.1",
            rounds: "1 + 1",
            signals: "2 (P - 1)",
            predict: papers::central_counter,
        },
        make: |_| Algorithm::FlatTree,
    },
    Name {
        name: "combining-tree",
        // Yew's, and the best one measured (hoefler-2005 §2.2.1.2, §2.2.5.2).
        parameter: Some(Parameter { counts: "members", least: 2, default: 4 }),
        summary: "count in groups of n, then in groups of their firsts; rank 0 signals all",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.2, table 2.1",
            rounds: "ceil(log_n P) + 1",
            signals: "2 (P - 1)",
            predict: papers::gather,
        },
        make: with_firsts,
    },
    Name {
        name: "tournament",
        parameter: None,
        summary: "the higher of two reports to the lower, which plays on; rank 0 signals all",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.3, table 2.1",
            rounds: "k + 1",
            signals: "2 (P - 1)",
            predict: papers::lg_gather,
        },
        make: |_| Algorithm::GatherMulticast { fan_in: NonZeroU8::MIN },
    },
    Name {
        name: "f-way-tournament",
        // hoefler-2005 figure 2.7.
        parameter: Some(Parameter { counts: "players", least: 2, default: 4 }),
        summary: "tournament with n players a game",
        formulas: Formulas {
            source: "hoefler-2005 §2.2.1.4, table 2.1",
            rounds: "ceil(log_n P) + 1",
            signals: "2 (P - 1)",
            predict: papers::gather,
        },
        make: with_firsts,
    },
];

/// Groups whose size counts the first member, as in hoefler-2005; kini-2003 counts the others only.
fn with_firsts(members: NonZeroU8) -> Algorithm {
    let others = NonZeroU8::new(members.get() - 1);
    Algorithm::GatherMulticast { fan_in: others.unwrap_or(NonZeroU8::MIN) }
}
