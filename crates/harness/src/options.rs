//! The part of the command line that both programs have.

use std::path::PathBuf;

use clap::Args;
use runahead::{Algorithm, Error, Exchange, Result, Tree};

use super::barriers::Barriers;
use super::variant::{self, Techniques, Variant};

/// What both programs can be asked for.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// How many ranks work together
    #[arg(long, value_name = "RANKS", default_value_t = 8, value_parser = at_least_one)]
    pub ranks: usize,

    /// How many messages a rank may have in each peer's memory [default: what suits the ranks]
    #[arg(long, value_name = "MESSAGES", value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub window: Option<u32>,

    /// How often each variant is run; the run with the median time is shown
    #[arg(long, value_name = "RUNS", default_value_t = 7, value_parser = at_least_one)]
    pub runs: usize,

    /// What the random numbers start from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// Run so many competitors beside the ranks: threads that want a core all the time
    #[arg(long, value_name = "COUNT", default_value_t = 0, conflicts_with = "input")]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub competitors: u16,

    /// Draw the variants' times into an SVG file
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    pub plot: Option<PathBuf>,

    /// Run these variants: base, flat, nonblocking, smart, best [default: all of them]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = variant::named)]
    #[arg(conflicts_with_all = ["barrier", "tree", "exchange", "algorithm"])]
    pub only: Vec<Variant>,

    /// Run one combination, with these barriers
    #[arg(long, value_name = "KIND")]
    pub barrier: Option<Barriers>,

    /// Run one combination, with these trees: auto, flat, binary, binomial, chain
    #[arg(long, value_name = "SHAPE")]
    pub tree: Option<Tree>,

    /// Run one combination, with this exchange: pairwise, first-arrived
    #[arg(long, value_name = "KIND")]
    pub exchange: Option<Exchange>,

    /// Run one combination, with this barrier algorithm: butterfly, dissemination, ...;
    /// `cargo run -- info` lists them
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<Algorithm>,

    /// Read the numbers from a file, and run once
    #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "seed"])]
    pub input: Option<PathBuf>,

    /// Write the result to a file, in the format of the input
    #[arg(long, value_name = "FILE", requires = "input")]
    pub output: Option<PathBuf>,

    /// Compare the result for a file with that of a sequential program; without --input that is
    /// always done
    #[arg(long)]
    pub check: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 is needed".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

impl Options {
    /// What to compare: the one combination that was asked for, or the variants.
    pub fn variants(&self) -> Vec<Variant> {
        match self.combination() {
            Some(techniques) => vec![Variant { name: "as asked", techniques }],
            None if self.only.is_empty() => variant::all().to_vec(),
            None => self.only.clone(),
        }
    }

    /// What to run on a file.
    ///
    /// # Errors
    ///
    /// If several variants were asked for.
    pub fn techniques(&self) -> Result<Techniques> {
        match &self.only[..] {
            [] => Ok(self.combination().unwrap_or_else(variant::best)),
            [one] => Ok(one.techniques),
            _ => Err(Error::other("a file is worked on once: --only must name one variant")),
        }
    }

    /// The combination of the single options, the others as they are by default.
    fn combination(&self) -> Option<Techniques> {
        let best = variant::best();
        let chosen = Techniques {
            algorithm: self.algorithm.unwrap_or(best.algorithm),
            tree: self.tree.unwrap_or(best.tree),
            barriers: self.barrier.unwrap_or(best.barriers),
            exchange: self.exchange.unwrap_or(best.exchange),
        };
        let any = self.algorithm.is_some()
            || self.tree.is_some()
            || self.barrier.is_some()
            || self.exchange.is_some();
        any.then_some(chosen)
    }
}
