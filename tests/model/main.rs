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
//! | [`corpus`], [`generated`] | programs made by hand, and by rule |
//! | [`recorder`], [`collective`] | what the real collectives do, taken down and explored |
//! | [`fence`] | what a poll must see after a wait |
//! | [`hold`] | the hold queue alone, over every short sequence of arrivals |
//! | [`loss`] | signals that are lost |
//! | [`planted`] | faults that the check must find |
//! | [`literal`], [`errata`] | the thesis's own algorithms, and what is wrong with them |
#![allow(missing_docs)]

mod collective;
mod corpus;
mod errata;
mod explore;
mod fence;
mod generated;
mod hold;
mod literal;
mod loss;
mod machine;
mod nonblocking;
mod planted;
mod program;
mod protocol;
mod recorder;
mod reference;
mod refine;
