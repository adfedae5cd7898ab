//! Faults of a device, for tests: that a queue pair fails, that a read reads nothing, and that it
//! dies.

use std::time::Duration;

use super::{CqInbox, IbNic};
use crate::order::Rank;
use crate::verbs::Vi;

impl IbNic {
    /// Has the queue pair of `vi` fail in the device, behind this interface's back; for tests.
    ///
    /// # Panics
    ///
    /// If there is no such VI, or the device refuses.
    pub fn plant_error(&mut self, vi: Vi) {
        let index = self.index(vi);
        let Some(Some(end)) = self.ends.get_mut(index) else { panic!("there is no {vi:?}") };
        end.pair.plant_error().expect("a queue pair may fail at any time");
    }

    /// Has the device say of the next read by `vi` that it is done, although it reads nothing; for
    /// tests.
    ///
    /// # Panics
    ///
    /// If there is no such VI.
    pub fn plant_empty_read(&mut self, vi: Vi) {
        let index = self.index(vi);
        let Some(Some(end)) = self.ends.get_mut(index) else { panic!("there is no {vi:?}") };
        end.pair.plant_empty_read();
    }

    /// The same of the next word that is read at a peer.
    ///
    /// # Panics
    ///
    /// If there is no such peer.
    pub fn plant_empty_fetch(&mut self, peer: Rank) {
        let link = self.control.get_mut().links.get_mut(peer).and_then(Option::as_mut);
        link.expect("there is such a peer").plant_empty_read();
    }

    /// Has the device of this rank die: nothing comes on any of its queues any more, and it says
    /// nothing of that. It is given up after `limit`.
    pub fn plant_death(&mut self, limit: Duration) {
        let control = self.control.get_mut();
        let inboxes = self.inboxes.iter().map(CqInbox::cq);
        inboxes
            .chain([&self.sends, &control.sends, &control.receives])
            .for_each(|cq| cq.plant_death());
        control.device.plant_limit(limit);
    }
}
