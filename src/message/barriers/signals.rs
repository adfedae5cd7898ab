//! Signals: those that are due go as words where the group has cells, and as frames elsewhere.
//! Where frames may be lost, those that are missing are asked for.
//!
//! Keeps rules BAR-3, BAR-4 and SAFE-1 of SEMANTICS.md.

use super::Barriers;
use super::cells::Signalled;
use crate::message::Stats;
use crate::message::error::MessageError;
use crate::order::{ProtocolError, Rank, Signal};
use crate::verbs::Nic;

/// How signals travel as frames.
pub(in crate::message) trait Frames {
    /// Whether a peer has gone, and needs no signal.
    fn has_gone(&self, peer: Rank) -> bool;

    /// Sends a signal. False where the peer has no room for it now.
    ///
    /// # Errors
    ///
    /// [`MessageError::Post`] if the network failed.
    fn post_signal<N: Nic>(
        &mut self,
        nic: &mut N,
        to: Rank,
        signal: &Signal,
    ) -> Result<bool, MessageError>;
}

impl Barriers {
    /// A signal has come as a frame.
    ///
    /// # Errors
    ///
    /// As by [`Order::handle_signal`](crate::order::Order::handle_signal).
    #[inline]
    pub(in crate::message) fn handle_signal(
        &mut self,
        from: Rank,
        signal: Signal,
    ) -> Result<(), ProtocolError> {
        self.order.handle_signal(from, signal)
    }

    /// Sends the signals that are due, as far as there is room. The rest stays due.
    ///
    /// # Errors
    ///
    /// The first error of the network.
    pub(in crate::message) fn poll_signals<N: Nic>(
        &mut self,
        nic: &mut N,
        frames: &mut impl Frames,
    ) -> Result<(), MessageError> {
        let Barriers { order, cells, releases, stats, .. } = self;
        let mut post = |to, signal: Signal| -> Result<bool, MessageError> {
            if frames.has_gone(to) {
                return Ok(true);
            }
            if releases.is_root(signal.group) {
                releases.note_due(signal.group, signal.epoch);
                // A word, which the root writes down for all.
                return Ok(stats.count_written(Signalled::Silently));
            }
            if let Some(cells) = cells
                && let Some(posted) = cells.post(nic, to, &signal)?
            {
                return Ok(stats.count_written(posted));
            }
            let is_sent = frames.post_signal(nic, to, &signal)?;
            stats.signals_sent += u64::from(is_sent);
            Ok(is_sent)
        };
        let mut failed = None;
        order.poll_signals(|to, signal| {
            post(to, signal).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                false
            })
        });
        if let Some(cells) = cells
            && !releases.is_empty()
        {
            stats.releases_sent += releases.send(nic, cells)?;
        }
        failed.map_or(Ok(()), Err)
    }

    /// Asks for the signals that open barriers lack.
    ///
    /// # Errors
    ///
    /// The first error of the network.
    pub(in crate::message) fn post_asks<N: Nic>(
        &mut self,
        nic: &mut N,
        frames: &mut impl Frames,
    ) -> Result<(), MessageError> {
        let mut failed = None;
        self.ask_turn = self.ask_turn.wrapping_add(1);
        self.order.poll_asks(self.ask_turn, |to, ask| match frames.post_signal(nic, to, &ask) {
            Ok(is_taken) => self.stats.signals_asked += u64::from(is_taken),
            Err(error) => drop(failed.get_or_insert(error)),
        });
        failed.map_or(Ok(()), Err)
    }
}

impl Stats {
    /// Counts a signal that was written; returns whether it was.
    #[inline]
    fn count_written(&mut self, posted: Signalled) -> bool {
        let is_written = posted != Signalled::NoRoom;
        self.signals_sent += u64::from(is_written);
        self.signals_written += u64::from(is_written);
        self.signals_notified += u64::from(posted == Signalled::Waking);
        is_written
    }
}
