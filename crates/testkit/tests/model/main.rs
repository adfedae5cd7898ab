//! Exhaustive exploration: does a barrier that stops nobody look like one that stops everybody?
//!
//! Small programs are run in every possible way on the real order core ([`protocol::Real`] drives
//! `Order` and `Hold`; nothing of them is copied here), and in every possible way under blocking
//! barriers. What the ranks can observe in the first must be possible in the second.
//!
//! | module | holds |
//! |---|---|
//! | [`program`] | the language of the programs |
//! | [`reference`] | what blocking barriers allow |
//! | [`protocol`] | what the machine asks of a protocol; the real core behind it |
//! | [`machine`] | the states and steps of a program under a protocol |
//! | [`explore`] | breadth-first search |
//! | [`refine`] | the check, and counterexamples |
//! | [`corpus`] | programs made by hand |
//! | [`enumerate`], [`exhaustive`] | all small programs, each once |
//! | [`random`], [`generated`] | programs made by lot |
//! | [`recorder`], [`collective`] | what the real collectives do, taken down and explored |
//! | [`hosts`] | the same over hosts: trees, and all-gathers with relays |
//! | [`fence`] | what a poll must see after a wait |
//! | [`hold`] | the hold queue alone, over every short sequence of arrivals |
//! | [`loss`] | signals that are lost |
//! | [`planted`], [`planted_clauses`] | faults that the check must find |
//! | [`literal`], [`errata`] | the thesis's own algorithms, and what is wrong with them |
//! | [`hashing`], [`parallel`] | speed |
#![allow(missing_docs)]

mod collective;
mod corpus;
mod enumerate;
mod errata;
mod exhaustive;
mod explore;
mod fence;
mod generated;
mod hashing;
mod hold;
mod hosts;
mod literal;
mod loss;
mod machine;
mod nonblocking;
mod parallel;
mod planted;
mod planted_clauses;
mod program;
mod protocol;
mod random;
mod recorder;
mod reference;
mod refine;
mod searching;
