//! What a member has heard of the releases of a group whose root sends them to all at once, by a network that may
//! lose, repeat and delay them (kini-2003 §3.3, §4.3).
//!
//! A release says "all have entered epoch e", so the newest says all that those before it said: one that comes twice
//! or late changes nothing, and of one that is lost the next says the same. What is missing is the last one, and for
//! that a member does not rely on the network: it reads what the root says of itself, or the root writes it into the
//! member's cell. All three ways end here, and the largest counts.
//!
//! Unlike a cell ([`super::written`]) this is no memory that a peer writes into: an older release cannot take the
//! place of a newer one. It knows neither how releases travel, nor when a member asks.
//!
//! Keeps rules BAR-1, BAR-3 and SAFE-1 of SEMANTICS.md.

use super::written::{Said, is_torn, read, word_of};
use super::{Epoch, GroupId, ProtocolError, Rank};

/// What a release that goes to all at once consists of: the group and the epoch, both in full. So one that comes
/// late is told from a newer one, however late it is.
pub type Datagram = [u64; 2];

/// The release of `epoch`.
pub const fn datagram_of(group: GroupId, epoch: Epoch) -> Datagram {
    [group.0 as u64, epoch]
}

/// The group and the epoch of a release; None if there can be no such group.
pub fn read_datagram(datagram: Datagram) -> Option<(GroupId, Epoch)> {
    Some((GroupId(u32::try_from(datagram[0]).ok()?), datagram[1]))
}

/// The newest release of a group that a member has heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Released {
    group: GroupId,
    root: Rank,
    epoch: Epoch,
    /// The same as a signal.
    word: u64,
    /// The root's cell here, as it was seen last. What lies there may be much older than the newest release.
    cell: u64,
}

impl Released {
    /// Nothing was released beyond `first`. `cell` is what lies in the root's cell.
    pub const fn new(group: GroupId, root: Rank, first: Epoch, cell: u64) -> Released {
        Released { group, root, epoch: first, word: 0, cell }
    }

    /// The root of the group, which alone releases it.
    pub const fn root(&self) -> Rank {
        self.root
    }

    /// The signal of the root, as if it stood in its cell.
    #[inline]
    pub const fn word(&self) -> u64 {
        self.word
    }

    /// A release of `epoch` has come by the network, from `from`, to a member that has entered `entered`. Returns
    /// whether it was news.
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if another than the root has sent it, or if this member itself has not entered that epoch.
    pub fn handle_datagram(
        &mut self,
        from: Rank,
        epoch: Epoch,
        entered: Epoch,
    ) -> Result<bool, ProtocolError> {
        let Released { group, root, .. } = *self;
        if from != root {
            return Err(ProtocolError::UnexpectedStep { from, group, step: 0 });
        }
        if epoch > entered {
            return Err(ProtocolError::ImpossibleEpoch { from, group, epoch, limit: entered });
        }
        Ok(self.advance(epoch, word_of(group, epoch, 0)))
    }

    /// This stands in the root's cell here. Returns whether it was news. What cannot be is kept, for the look at the
    /// cells to tell.
    #[inline]
    pub fn handle_cell(&mut self, word: u64, entered: Epoch) -> bool {
        // What has not changed was read when it came, and may be too old to be read again.
        if word == self.cell || is_torn(word) {
            return false;
        }
        self.cell = word;
        match read(word, self.group, entered, 0) {
            Said::Nothing => false,
            Said::Reached { epoch, .. } => self.advance(epoch, word),
            Said::Later => {
                self.word = word;
                true
            }
        }
    }

    /// This the root says of itself: what it has sent to this member, or was about to. Returns whether it was news.
    pub fn handle_answer(&mut self, word: u64, entered: Epoch) -> bool {
        match read(word, self.group, entered, 0) {
            Said::Reached { epoch, .. } if !is_torn(word) => self.advance(epoch, word),
            // Of a later group says nothing, either: the root may be done with this one.
            _ => false,
        }
    }

    #[inline]
    fn advance(&mut self, epoch: Epoch, word: u64) -> bool {
        let is_news = epoch > self.epoch;
        if is_news {
            (self.epoch, self.word) = (epoch, word);
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: GroupId = GroupId(5);

    /// SEMANTICS: BAR-3
    #[test]
    fn an_old_release_takes_nothing_back() {
        let mut released = Released::new(GROUP, 2, 0, 0);
        assert_eq!(released.word(), 0);
        assert_eq!(released.handle_datagram(2, 3, 4), Ok(true));
        let three = released;
        for (epoch, entered) in [(1, 4), (3, 4), (2, 3000)] {
            assert_eq!(released.handle_datagram(2, epoch, entered), Ok(false));
        }
        assert!(!released.handle_answer(word_of(GROUP, 2, 7), 4));
        assert!(!released.handle_answer(0, 4));
        assert_eq!(released, three);
        assert!(released.handle_answer(word_of(GROUP, 4, 7), 4));
        assert_eq!(released.word(), word_of(GROUP, 4, 7));
    }

    /// The cell keeps what the root has written there once, while releases come by the network for so long that
    /// the epoch in it could be any.
    /// SEMANTICS: BAR-3
    #[test]
    fn a_cell_counts_when_it_changes() {
        let old = word_of(GroupId(4), 9, 9);
        let mut released = Released::new(GROUP, 2, 0, old);
        assert!(!released.handle_cell(old, 1));
        assert!(released.handle_cell(word_of(GROUP, 1, 1), 1));
        for epoch in 2..3000 {
            assert_eq!(released.handle_datagram(2, epoch, epoch), Ok(true));
            assert!(!released.handle_cell(word_of(GROUP, 1, 1), epoch));
            assert_eq!(released.word(), word_of(GROUP, epoch, 0));
        }
        // It comes after the release that says the same.
        assert!(!released.handle_cell(word_of(GROUP, 2999, 8), 3000));
        assert!(released.handle_cell(word_of(GROUP, 3000, 8), 3000));
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn what_nobody_can_have_released_names_its_sender() {
        let mut released = Released::new(GROUP, 2, 0, 0);
        let group = GROUP;
        assert_eq!(
            released.handle_datagram(1, 1, 1),
            Err(ProtocolError::UnexpectedStep { from: 1, group, step: 0 })
        );
        assert_eq!(
            released.handle_datagram(2, 6, 5),
            Err(ProtocolError::ImpossibleEpoch { from: 2, group, epoch: 6, limit: 5 })
        );
        let foreign = word_of(GroupId(6), 1, 1);
        assert!(!released.handle_answer(foreign, 5));
        assert!(released.handle_cell(foreign, 5));
        assert_eq!(released.word(), foreign, "the look at the cells tells");
        assert_eq!(read_datagram(datagram_of(GROUP, 7)), Some((GROUP, 7)));
        assert_eq!(read_datagram([1 << 32, 7]), None);
    }
}
