//! What the order core and its driver hand each other: signals, tickets of barriers, and what is fixed
//! for a message. Plain values.

use super::clocks::Seq;
use super::schedule::StepIndex;
use super::{Clock, Epoch, GroupId};

/// What a signal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalKind {
    /// "I have got as far as step `step` of barrier `epoch`, and of all before it."
    Reached,
    /// "I lack *your* step `step` of barrier `epoch`: signal it again if you have." Only sent where
    /// signals may be lost.
    Ask,
}

/// A barrier signal between two ranks. Signals may be repeated, reordered and coalesced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// What it says.
    pub kind: SignalKind,
    /// The group whose barrier it is.
    pub group: GroupId,
    /// The step: of the sender's schedule in `Reached`, of the receiver's in `Ask`.
    pub step: StepIndex,
    /// The barrier, and all before it.
    pub epoch: Epoch,
    /// In `Reached`, how many barriers that include the receiver the sender had initiated, up to
    /// and with this one; lets the receiver notice that the two called them in different orders.
    /// 0 says nothing.
    pub clock: Clock,
}

/// A barrier that was initiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The group.
    pub group: GroupId,
    /// Its how-many-th barrier.
    pub epoch: Epoch,
    /// Its place among all barriers that this rank has initiated.
    pub seq: Seq,
}

/// What is fixed for a message when the program posts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Posted {
    /// The send clock toward the receiver.
    pub stamp: Clock,
    /// The place of the latest barrier initiated before; see [`super::Order::may_leave`].
    pub after: Seq,
}
