//! What the examples have in common: command line, files, distribution, timing. The sort and the scan
//! use most of it; the others name the files that they need, `two_ways.rs` among them.
//!
//! It is written as a user of the library writes it, on the public API alone. The ranks share no
//! memory: each has its slice of the data, and all that passes between them is messages.

pub mod barriers;
pub mod cluster_scan;
pub mod compare;
pub mod format;
pub mod load;
pub mod measure;
pub mod number;
pub mod one_file;
pub mod options;
pub mod output;
pub mod plot;
pub mod program;
pub mod report;
pub mod share;
pub mod terminal;
pub mod variant;
