//! Tests of the order core through its public face.
//!
//! | module | shows |
//! |---|---|
//! | `stories`, `groups`, `contain`, `errors` | courses of events, told in `testdata` in the language of `script` |
//! | `repairs` | faults that the core once had |
//! | `withhold` | no barrier completes without everyone, and every barrier with everyone |
//! | `clocks`, `hold`, `members` | the parts against naive oracles, which are shown to bite |
//! | `schedules` | every algorithm with any parameter is a barrier |
//! | `owed` | the signals of a rank that others still need |
//! | `questions` | the questions that a rank answers, against the definitions |
//! | `random` | whole jobs: overlapping groups, random delivery, repetition and loss |
//! | `written`, `released` | signals as words, and releases by multicast, under every interleaving; what both share is in `interleavings` |
//! | `copies` | a board of which each host has a copy, under every interleaving |
//! | `hosts` | what hosts tell each other: any number of them, and under every interleaving |
//! | `wide` | epochs and clocks about powers of two and at the end of their range |
//! | `cost` | no allocation once warm, and no cost that grows with the job |
//! | `arrivals` | every state of small barriers, under every order of arrival and loss |

mod arrivals;
mod clocks;
mod contain;
mod copies;
mod cost;
mod direct;
#[path = "../../../testkit/src/effort.rs"]
mod effort;
mod errors;
mod groups;
mod hold;
mod hosts;
mod interleavings;
mod members;
#[path = "../../../testkit/src/misreading.rs"]
mod misreading;
mod on_hosts;
mod owed;
mod questions;
mod random;
mod released;
mod repairs;
mod schedules;
mod script;
#[path = "../../../testkit/src/search.rs"]
mod search;
mod stories;
mod wide;
mod withhold;
mod world;
mod written;
