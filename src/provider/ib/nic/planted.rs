//! Faults of a device, for tests: that a queue pair fails, and that a read reads nothing.

use super::IbNic;
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

    /// Has the device say of the next read by `vi` that it is done, although it reads nothing; for tests.
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
        let line = self.aside.get_mut().lines.get_mut(peer).and_then(Option::as_mut);
        line.expect("there is such a peer").plant_empty_read();
    }
}
