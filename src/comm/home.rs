//! What the communicators of one rank share: its engine, which one call at a time may use.
//!
//! A rank is one sequential program, but its communicators may be moved to other threads. Two calls
//! at once are refused with [`Error::Busy`]; nothing ever waits for a lock. What must not be refused
//! (giving up a request, dropping a communicator) is left for the next call then.
//!
//! Keeps rule GRP-3 of SEMANTICS.md.

use crate::error::{Error, Result};
use crate::message::{Config, Engine, Predicted, RecvId};
use crate::order::GroupId;
use crate::sys::shared::{Exclusive, InUse, Leftovers, OneAtATime, Shared};
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

/// The engine of a rank, as one of its communicators has it; none when the world has ended.
pub(super) struct Home<N: Nic>(Shared<Option<Predicted<N>>, Beside>);

/// What belongs to a rank besides its engine.
struct Beside {
    config: Config,
    leftovers: Leftovers<Leftover>,
    /// Held while a group is made: the ids that the members agree on must not be used meanwhile.
    making: OneAtATime<()>,
    /// The algorithms that were found in this world.
    choices: OneAtATime<Choices>,
}

impl<N: Nic> Clone for Home<N> {
    fn clone(&self) -> Home<N> {
        Home(self.0.clone())
    }
}

impl<N: Nic> Home<N> {
    pub(super) fn new(engine: Engine<N>) -> Home<N> {
        let config = engine.config().clone();
        let beside = Beside {
            config,
            leftovers: Leftovers::new(),
            making: OneAtATime::new(()),
            choices: OneAtATime::default(),
        };
        Home(Shared::new(Some(Predicted::new(engine)), beside))
    }

    pub(super) fn config(&self) -> &Config {
        &self.0.beside().config
    }

    /// Lets `see` see the algorithms that were found.
    pub(super) fn choices<T>(&self, see: impl FnOnce(&mut Choices) -> T) -> Result<T> {
        Ok(see(&mut *self.0.beside().choices.try_use().ok_or(Error::Busy)?))
    }

    /// The turn of a call that makes a group: until it is dropped, others like it are refused.
    pub(super) fn making(&self) -> Result<Exclusive<'_, ()>> {
        self.0.beside().making.try_use().ok_or(Error::Busy)
    }

    /// The engine, for one call.
    #[inline]
    pub(super) fn engine(&self) -> Result<InUse<'_, Predicted<N>>> {
        let Some(engine) = self.0.try_use() else { return Err(Error::Busy) };
        let Some(mut engine) = engine.part(Option::as_mut) else { return Err(Error::Ended) };
        if !self.0.beside().leftovers.is_empty() {
            self.settle_leftovers(&mut engine);
        }
        Ok(engine)
    }

    #[cold]
    fn settle_leftovers(&self, engine: &mut Engine<N>) {
        while let Some(leftover) = self.0.beside().leftovers.take() {
            settle(engine, leftover);
        }
    }

    /// Takes the engine away: the world ends for this rank.
    pub(super) fn take(&self) -> Result<Engine<N>> {
        drop(self.engine()?);
        let engine = self.0.try_use().ok_or(Error::Busy)?.take().ok_or(Error::Ended)?;
        Ok(engine.into_engine())
    }

    /// Does it now or, if another thread is in a call, with the next call.
    pub(super) fn leave(&self, leftover: Leftover) {
        match self.engine() {
            Ok(mut engine) => settle(&mut engine, leftover),
            Err(Error::Busy) => self.0.beside().leftovers.leave(leftover),
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
