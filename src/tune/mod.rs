//! Which barrier algorithm is fastest here? The deciding of it, without the measuring.
//!
//! hoefler-2005 §4.1.1 times all its barriers when a communicator is made and keeps the fastest. Here
//! that is [`Algorithm::Auto`](crate::Algorithm::Auto): the members of a group time a short list, and
//! rank 0 decides and tells. What is decided lies in this folder and knows no network, no barrier and
//! no clock; [`crate::Comm`] runs the barriers and carries the words.
//!
//! # What is measured
//!
//! `barrier` and `wait` back to back on an otherwise idle communicator: how long a *traditional*
//! barrier takes. A program that does not wait is slowed by other things (signals to send, ranks that
//! must be scheduled in turn), and one whose ranks come at different times by others still. The
//! fastest traditional barrier is a fair guess for these, and no more.
//!
//! | module | holds |
//! |---|---|
//! | [`candidates`] | which algorithms are worth timing at a size |
//! | [`race`] | from times to the next lap, and to the choice |
//! | [`word`] | what rank 0 tells the others |
//! | [`choices`] | what was found in this world, by size |
//! | [`cache`] | what was found in earlier jobs, in a file |

pub mod cache;
pub mod candidates;
pub mod choices;
pub mod race;
pub mod word;

pub use race::{Measurement, Row};
