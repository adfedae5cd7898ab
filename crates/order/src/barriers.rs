//! The barriers of one group, whichever way its members learn of each other: by signals
//! ([`Epochs`]), or by what they publish ([`Published`]). This module chooses between the two and
//! decides nothing itself.

use super::epochs::Epochs;
use super::published::Published;
use super::{Clock, Epoch, Rank};

/// The state of all barriers of one group at one of its ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Barriers {
    /// By signals, as a schedule says.
    Signalled(Epochs),
    /// By words that all members can read, at this place of the driver's.
    Published(usize, Published),
}

impl Barriers {
    #[inline]
    pub(super) fn entered(&self) -> Epoch {
        match self {
            Barriers::Signalled(epochs) => epochs.entered(),
            Barriers::Published(_, published) => published.entered(),
        }
    }

    #[inline]
    pub(super) fn complete(&self) -> Epoch {
        match self {
            Barriers::Signalled(epochs) => epochs.complete(),
            Barriers::Published(_, published) => published.complete(),
        }
    }

    /// The others can do without this rank in this epoch and those before.
    #[inline]
    pub(super) fn signalled(&self) -> Epoch {
        match self {
            Barriers::Signalled(epochs) => epochs.signalled(),
            Barriers::Published(_, published) => published.signalled(),
        }
    }

    /// Whether something is left that the others are to learn.
    #[inline]
    pub(super) fn owes(&self) -> bool {
        match self {
            Barriers::Signalled(epochs) => epochs.has_signals(),
            Barriers::Published(_, published) => published.has_news(),
        }
    }

    /// Whether this rank is to say on its host what is complete.
    #[inline]
    pub(super) fn has_found(&self) -> bool {
        match self {
            Barriers::Signalled(_) => false,
            Barriers::Published(_, published) => published.has_found(),
        }
    }

    #[inline]
    pub(super) fn handle_enter(&mut self) {
        match self {
            Barriers::Signalled(epochs) => epochs.handle_enter(),
            Barriers::Published(_, published) => published.handle_enter(),
        }
    }

    /// Whether `member` itself is known to have entered `epoch`.
    pub(super) fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        match self {
            Barriers::Signalled(epochs) => epochs.has_heard(member, epoch),
            Barriers::Published(_, published) => published.has_heard(member, epoch),
        }
    }

    /// Whether something that `member` says of itself is missing for `epoch`: a signal, or what it
    /// publishes.
    pub(super) fn lacks(&self, member: Rank, epoch: Epoch) -> bool {
        match self {
            Barriers::Signalled(epochs) => epochs.lacking(epoch).any(|(from, ..)| from == member),
            Barriers::Published(_, published) => !published.has_heard(member, epoch),
        }
    }

    /// What others have said of their own count for `epoch`; nothing where they publish.
    #[inline]
    pub(super) fn claims(&self, epoch: Epoch) -> impl Iterator<Item = (Rank, Clock)> + '_ {
        let signalled = match self {
            Barriers::Signalled(epochs) => Some(epochs),
            Barriers::Published(..) => None,
        };
        signalled.into_iter().flat_map(move |epochs| epochs.claims(epoch))
    }

    /// Whether another rank is known to have entered `epoch` or a later one.
    pub(super) fn has_heard_of(&self, epoch: Epoch) -> bool {
        match self {
            Barriers::Signalled(epochs) => epochs.has_heard_of(epoch),
            Barriers::Published(_, published) => published.has_heard_of(epoch),
        }
    }
}
