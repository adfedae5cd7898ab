//! What the communicators of one rank share: its engine, which one call at a time may use.
//!
//! A rank is one sequential program, but its communicators may be moved to other threads. Two calls
//! at once are refused with [`Error::Busy`]; nothing ever waits for a lock. What must not be refused
//! (giving up a request, dropping a communicator) is left for the next call then.
//!
//! Keeps rule GRP-3 of SEMANTICS.md.

use crate::error::{Error, Result};
use crate::message::{Config, Engine, RecvId};
use crate::order::GroupId;
use crate::sys::shared::{AtomicRefCell, AtomicRefMut, Leftovers, SyncWrapper};
use crate::tune::choices::Choices;
use crate::verbs::Nic;

/// What is left for the next call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leftover {
    /// A receive was given up; its message stays receivable.
    Cancel(RecvId),
    /// A receive was given up with its message, which nobody else shall have.
    Discard(RecvId),
    /// A communicator was dropped.
    Drop(GroupId),
}

/// The engine of a rank.
pub(super) struct Home<N: Nic> {
    /// None when the world has ended.
    engine: AtomicRefCell<SyncWrapper<Option<Engine<N>>>>,
    config: Config,
    leftovers: Leftovers<Leftover>,
    /// Held while a group is made: the ids that the members agree on must not be used meanwhile.
    making: AtomicRefCell<()>,
    /// The algorithms that were found in this world.
    choices: AtomicRefCell<Choices>,
}

impl<N: Nic> Home<N> {
    pub(super) fn new(engine: Engine<N>) -> Home<N> {
        let config = engine.config().clone();
        Home {
            engine: AtomicRefCell::new(SyncWrapper::new(Some(engine))),
            config,
            leftovers: Leftovers::new(),
            making: AtomicRefCell::new(()),
            choices: AtomicRefCell::default(),
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Lets `see` see the algorithms that were found.
    pub(super) fn choices<T>(&self, see: impl FnOnce(&mut Choices) -> T) -> Result<T> {
        Ok(see(&mut *self.choices.try_borrow_mut().map_err(|_| Error::Busy)?))
    }

    /// The turn of a call that makes a group: until it is dropped, others like it are refused.
    pub(super) fn making(&self) -> Result<AtomicRefMut<'_, ()>> {
        self.making.try_borrow_mut().map_err(|_| Error::Busy)
    }

    /// The engine, for one call.
    pub(super) fn engine(&self) -> Result<AtomicRefMut<'_, Engine<N>>> {
        let engine = self.engine.try_borrow_mut().map_err(|_| Error::Busy)?;
        let engine = AtomicRefMut::filter_map(engine, |engine| engine.get_mut().as_mut());
        let mut engine = engine.ok_or(Error::Ended)?;
        if !self.leftovers.is_empty() {
            while let Some(leftover) = self.leftovers.take() {
                settle(&mut engine, leftover);
            }
        }
        Ok(engine)
    }

    /// Takes the engine away: the world ends for this rank.
    pub(super) fn take(&self) -> Result<Engine<N>> {
        drop(self.engine()?);
        let mut engine = self.engine.try_borrow_mut().map_err(|_| Error::Busy)?;
        engine.get_mut().take().ok_or(Error::Ended)
    }

    /// Does it now or, if another thread is in a call, with the next call.
    pub(super) fn leave(&self, leftover: Leftover) {
        match self.engine() {
            Ok(mut engine) => settle(&mut engine, leftover),
            Err(Error::Busy) => self.leftovers.leave(leftover),
            // The world has ended, and everything with it.
            Err(_) => {}
        }
    }
}

fn settle<N: Nic>(engine: &mut Engine<N>, leftover: Leftover) {
    match leftover {
        Leftover::Cancel(id) => engine.cancel_recv(id),
        Leftover::Discard(id) => engine.discard_recv(id),
        // What fails now fails again in the next call, which tells of it.
        Leftover::Drop(group) => drop(engine.drop_group(group)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::threads::{FabricSpec, QueueSpec, connect};

    #[test]
    fn one_group_is_made_at_a_time() {
        let config = Config::new(1);
        let queues = config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        let shared_words = config.shared_words(1);
        let nic =
            connect(1, &FabricSpec { queues: queues.to_vec(), shared_words }).unwrap().remove(0);
        let home = Home::new(Engine::new(nic, config).unwrap());
        let turn = home.making().unwrap();
        assert!(matches!(home.making(), Err(Error::Busy)));
        assert!(home.engine().is_ok(), "other calls go on");
        drop(turn);
        assert!(home.making().is_ok());
    }
}
