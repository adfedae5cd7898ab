//! Signals that are words: a rank reads those that others have written into its cells, and asks to
//! be woken for those that it lacks.
//!
//! Keeps rules BAR-1, BAR-4, GRP-3 and SAFE-1 of SEMANTICS.md.

use std::time::Duration;

use super::Barriers;
use super::cells::{Cells, NAP};
use crate::message::error::MessageError;
use crate::sys::time::Instant;
use crate::verbs::{Nic, VerbsError};

impl Barriers {
    /// Takes in the signals that others have written, and the releases that have come by multicast.
    /// Asks for releases that this rank has lacked for too long: at `now`, at which a rank that
    /// `is_waiting` looks now and then only. Returns whether anything was new.
    ///
    /// # Errors
    ///
    /// [`MessageError::Protocol`] if a rank has written what cannot be, [`MessageError::Verbs`] if
    /// the network failed.
    #[inline]
    pub(in crate::message) fn poll_cells<N: Nic>(
        &mut self,
        nic: &mut N,
        is_waiting: bool,
        now: impl Fn() -> Instant,
    ) -> Result<bool, MessageError> {
        if self.cells.as_ref().is_some_and(Cells::has_dropped) {
            self.retire_cells(nic)?;
        }
        if self.releases.is_empty() {
            self.look_at_cells(nic)
        } else {
            self.poll_releases(nic, is_waiting, now)
        }
    }

    /// As [`poll_cells`](Barriers::poll_cells), where some signals come by multicast.
    fn poll_releases<N: Nic>(
        &mut self,
        nic: &mut N,
        is_waiting: bool,
        now: impl Fn() -> Instant,
    ) -> Result<bool, MessageError> {
        let mut news = self.hear_releases(nic)?;
        loop {
            news |= self.look_at_cells(nic)?;
            if news || !self.ask_for_releases(nic, is_waiting, &now)? {
                return Ok(news);
            }
            news = true;
        }
    }

    #[inline(always)]
    fn look_at_cells<N: Nic>(&mut self, nic: &N) -> Result<bool, MessageError> {
        let Some(cells) = &self.cells else { return Ok(false) };
        Ok(self.order.look_at_cells(|place, from| cells.read(nic, place, from))?)
    }

    fn retire_cells<N: Nic>(&mut self, nic: &mut N) -> Result<(), MessageError> {
        self.seal_dropped(nic)?;
        let (order, releases) = (&self.order, &self.releases);
        if let Some(cells) = &mut self.cells {
            // What is forgotten is complete, and owes nothing.
            cells.retire(|group| order.progress_of(group).is_none() && !releases.holds(group));
        }
        Ok(())
    }

    /// Whether [`poll_cells`](Barriers::poll_cells) would do nothing.
    #[inline(always)]
    pub(in crate::message) fn are_cells_quiet<N: Nic>(&self, nic: &N) -> bool {
        let Some(cells) = &self.cells else { return true };
        self.releases.is_empty()
            && !cells.has_dropped()
            && self.order.are_cells_quiet(|place, from| cells.read(nic, place, from))
    }

    /// Asks to be woken for the signals that open barriers lack. Returns how long this rank may
    /// sleep.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the network failed.
    pub(in crate::message) fn ask_to_be_woken<N: Nic>(
        &mut self,
        nic: &mut N,
        now: impl FnOnce() -> Instant,
    ) -> Result<Option<Duration>, VerbsError> {
        let Barriers { order, cells: Some(cells), releases, .. } = self else { return Ok(None) };
        let mut longest = None;
        let now = (!releases.is_empty()).then(now);
        for lacking in order.lacking_words() {
            let left = now.and_then(|now| releases.asks_after(lacking, now));
            if left.is_none() {
                cells.ask_to_be_woken(nic, lacking)?;
            }
            longest = longest.into_iter().chain([left.unwrap_or(NAP)]).min();
        }
        if longest == Some(Duration::ZERO) {
            releases.look_soon();
        }
        // What came before the flags were set wakes nobody.
        let came = !order.are_cells_quiet(|place, from| cells.read(nic, place, from));
        Ok(if came { Some(Duration::ZERO) } else { longest })
    }
}
