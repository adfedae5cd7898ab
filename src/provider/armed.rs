//! How a rank sleeps over a device that tells a *channel* of the next completion, once each time it
//! is armed.
//!
//! Here is only the order of the steps, over anything that has them: [`super::ib`]'s queues, or a
//! model's (`host/models.rs`). What comes, and what it means, is theirs.
//!
//! # Correctness
//!
//! No wake-up is lost. The device tells the channel of completions after it was armed. The rank
//! rests on that channel, and a channel that was told before ends the rest at once. The look behind
//! the arming finds earlier completions. The channel is emptied only behind the rest: the caller
//! then looks for all that has come, and arms the device again for later completions.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

/// What a rank has of a device.
pub(super) trait Armed {
    /// Has the device tell the channel of the next that comes, by whatever queue. False if it
    /// cannot.
    fn arm(&mut self) -> bool;

    /// Whether something has come that the caller would find, or ought to see to.
    fn has_come(&mut self) -> bool;

    /// Rests until the channel is told something, or for so long. May end early.
    fn rest(&mut self, longest: Duration);

    /// Takes what the channel was told.
    fn drain(&mut self);
}

/// Rests for so long at most, unless something has come. False if it did not rest.
pub(super) fn rest(device: &mut impl Armed, longest: Duration) -> bool {
    if !device.arm() {
        return false;
    }
    // What came before it was armed is told to nobody.
    if device.has_come() {
        return false;
    }
    device.rest(longest);
    device.drain();
    true
}
