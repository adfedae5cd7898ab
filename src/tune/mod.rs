//! Chooses the barrier algorithm that is fastest here, from measured times.
//!
//! hoefler-2005 §4.1.1 times all its barriers when a communicator is created, and keeps the
//! fastest. Here that is [`Algorithm::Auto`](crate::Algorithm::Auto): the members of a group time a
//! short list, and rank 0 decides and tells the others. This folder decides. It knows no network,
//! no barrier and no clock: [`crate::Comm`] runs the barriers and sends the words.
//!
//! # What is measured
//!
//! The members call `barrier` and `wait` back to back on an otherwise idle communicator. That is
//! the duration of a *traditional* barrier. Other things slow a program that does not wait: signals
//! to send, ranks that must be scheduled in turn. Still others slow a program whose ranks arrive at
//! different times. The fastest traditional barrier is a fair guess for these, and no more.
//!
//! | module | contains |
//! |---|---|
//! | [`candidates`] | the algorithms that are worth timing at a size |
//! | [`race`] | the next lap, and the choice, from the times |
//! | [`word`] | the messages between rank 0 and the others |
//! | [`choices`] | the choices in this world, by size |
//! | [`cache`] | the choices of earlier jobs, in a file |

pub mod cache;
pub mod candidates;
pub mod choices;
pub mod race;
pub mod word;

pub use race::{Measurement, Row};
