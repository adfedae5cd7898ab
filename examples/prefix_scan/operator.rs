//! The associative operators to scan with.

use clap::ValueEnum;

/// How two numbers are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operator {
    /// The sum, modulo 2^64
    Sum,
    /// The larger one
    Max,
    /// The smaller one
    Min,
    /// The bits in which they differ
    Xor,
}

impl Operator {
    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Sum => "sum",
            Operator::Max => "max",
            Operator::Min => "min",
            Operator::Xor => "xor",
        }
    }

    /// What it does.
    pub fn function(self) -> fn(u64, u64) -> u64 {
        match self {
            Operator::Sum => u64::wrapping_add,
            Operator::Max => u64::max,
            Operator::Min => u64::min,
            Operator::Xor => |a, b| a ^ b,
        }
    }

    /// The number that leaves others unchanged.
    pub fn identity(self) -> u64 {
        match self {
            Operator::Sum | Operator::Max | Operator::Xor => 0,
            Operator::Min => u64::MAX,
        }
    }
}
