//! The values that the order core and its driver exchange: signals, handles of barriers, and the
//! stamp of a message.

use super::clocks::Seq;
use super::schedule::StepIndex;
use super::{Clock, Epoch, GroupId};

/// The meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalKind {
    /// "I have reached step `step` of barrier `epoch`, and of all before it."
    Reached,
    /// "I lack *your* step `step` of barrier `epoch`: signal it again, if you have reached it."
    /// Sent only if signals may be lost.
    Ask,
}

/// A barrier signal between two ranks. Signals may be repeated, reordered and coalesced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal {
    /// The meaning.
    pub kind: SignalKind,
    /// The group of the barrier.
    pub group: GroupId,
    /// The step: in the sender's schedule for `Reached`, in the receiver's for `Ask`.
    pub step: StepIndex,
    /// The barrier. The signal holds for all earlier ones too.
    pub epoch: Epoch,
    /// In `Reached`, the number of barriers that include the receiver and that the sender had
    /// initiated, up to and including this one. The receiver can notice from it that the two called
    /// them in different orders. 0 means unknown.
    pub clock: Clock,
}

/// A barrier that was initiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The group.
    pub group: GroupId,
    /// The index of the barrier in the group, from 1.
    pub epoch: Epoch,
    /// The place of the barrier among all that this rank has initiated.
    pub seq: Seq,
}

/// The stamp and place of a message, fixed when the program posts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Posted {
    /// The send clock toward the receiver.
    pub stamp: Clock,
    /// The place of the latest barrier initiated before; see [`super::Order::may_leave`].
    pub after: Seq,
}
