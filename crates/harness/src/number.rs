//! The numbers that the programs read, work on and write.

use std::fmt::{Debug, Display};

use runahead::Element;

/// An unsigned number that can be in a file and in a message.
pub trait Number: Element + Ord + Display + Debug + Sync {
    /// Its size in bytes.
    const BYTES: usize = size_of::<Self>();
    /// The largest there is.
    const LARGEST: Self;
    /// The name of the raw format: this type, little-endian.
    const RAW_NAME: &'static str;
    /// How names of raw files end.
    const RAW_ENDING: &'static str;

    /// The number that these decimal digits mean, if it is not too large.
    fn from_digits(digits: &str) -> Option<Self>;
    /// The number in the first [`Number::BYTES`] of `bytes`.
    fn from_raw(bytes: &[u8]) -> Self;
    /// Appends the number as raw bytes.
    fn append_raw(self, bytes: &mut Vec<u8>);
    /// Any number, all equally likely.
    fn random(source: &mut fastrand::Rng) -> Self;
}

impl Number for u32 {
    const LARGEST: u32 = u32::MAX;
    const RAW_NAME: &'static str = "u32le";
    const RAW_ENDING: &'static str = "u32";

    fn from_digits(digits: &str) -> Option<u32> {
        digits.parse().ok()
    }

    fn from_raw(bytes: &[u8]) -> u32 {
        bytes.iter().take(Self::BYTES).rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    fn append_raw(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn random(source: &mut fastrand::Rng) -> u32 {
        source.u32(..)
    }
}

impl Number for u64 {
    const LARGEST: u64 = u64::MAX;
    const RAW_NAME: &'static str = "u64le";
    const RAW_ENDING: &'static str = "u64";

    fn from_digits(digits: &str) -> Option<u64> {
        digits.parse().ok()
    }

    fn from_raw(bytes: &[u8]) -> u64 {
        bytes.iter().take(Self::BYTES).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn append_raw(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn random(source: &mut fastrand::Rng) -> u64 {
        source.u64(..)
    }
}
