//! How many calls in a row may go the fast path, which does not serve others, before one looks for
//! what they may wait for.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

/// How often a call looks for what it waits for alone before it looks for everything: for about a
/// microsecond, some times as long as a peer that is waiting, too, takes to answer. (With 64 looks
/// most answers came just after, and went the general way.) In a model each look is a choice.
pub(super) const LOOKS: u32 = if cfg!(loom) { 1 } else { 512 };
/// How often a call lets others run, and looks for what it waits for alone. Each may take as long as
/// they compute, and meanwhile nobody is served.
pub(super) const FOR_OTHERS: u32 = if cfg!(loom) { 0 } else { 2 };
/// So many messages in a row may go by template, without a look for what others may wait for ...
pub(super) const TURNS: u32 = 64;
/// ... and so many calls may be served without one for everything, which takes in also messages
/// that are for later calls.
pub(super) const TURNS_IN_ALL: u32 = 128 * TURNS;

/// How many more there may be of each.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Calls without a look for everything. At multiples of [`TURNS`] no template is used.
    pub(super) in_all: u32,
    /// Messages sent by template without a look for what others may wait for.
    pub(super) to_send: u32,
    /// The same for barriers that are entered.
    pub(super) to_enter: u32,
}
