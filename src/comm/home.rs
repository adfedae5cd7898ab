//! The engine of a rank, which its communicators and requests share. One call at a time may use it.
//!
//! A rank is one sequential program, but its communicators and requests may be moved to other
//! threads. Of two calls at once the second is refused with [`Error::Busy`]; no call waits for a
//! lock. Giving up a request and dropping a communicator must not be refused: they are left for the
//! next call.
//!
//! A [`Home`] keeps the engine alive; communicators and receives have one. A [`Visit`] does not,
//! and costs nothing to copy or to drop. Barriers and sends have one: they are the hot path, and
//! the engine need not learn when they are dropped.
//!
//! Keeps rule GRP-3 of SEMANTICS.md.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use super::making::GivenUp;
use crate::error::{Error, Result};
use crate::message::{Config, Contribution, Engine, Held, RecvId, RoomKey};
use crate::order::{GroupId, Rank};
use crate::sys::shared::{Exclusive, InUse, Leftovers, OneAtATime, Place, Refusal, Weak};
use crate::sys::thread;
use crate::sys::time::Deadline;
use crate::tune::choices::Choices;
use crate::verbs::{Nic, RoomOf};

/// For so long an end waits for the call that another thread of the rank is in. One that takes longer waits for
/// other ranks, and they may wait for this end.
const END_WAITS: Duration = Duration::from_secs(2);

/// A task that is left for the next call.
pub(super) enum Leftover<N: Nic> {
    /// A receive was given up; its message stays receivable.
    Cancel(RecvId),
    /// A receive was given up with its message, which no other call may receive.
    Discard(RecvId),
    /// What a member gives in a collective was given up.
    DropGiven(Contribution),
    /// All of a nonblocking collective was, which has this index in its group.
    EndPending(GroupId, u64),
    /// A communicator was dropped.
    Drop(GroupId),
    /// A group that this rank has proposed an id for was made here, or will not be.
    Settle(GroupId),
    /// A call of a collective ended with these payloads of others, and with a room of this rank.
    Release(Vec<Held<N>>, Option<(RoomKey, RoomOf<N>)>),
}

/// The engine of a rank, as one of its communicators has it; none when the world has ended.
pub(super) struct Home<N: Nic> {
    visit: Visit<N>,
    keeper: Arc<Keeper<N>>,
}

/// A reference to the engine of a rank, for as long as that lives.
pub(super) struct Visit<N: Nic>(Place<Living<N>>);

struct Living<N: Nic> {
    engine: Engine<N>,
    leftovers: Arc<Leftovers<Leftover<N>>>,
    keeper: Weak<Keeper<N>>,
}

/// The owner of an engine: the engine is dropped with it.
struct Keeper<N: Nic> {
    visit: Visit<N>,
    config: Config,
    /// By rank of the world, whether large payloads between that rank and this one are copied where
    /// the receiver reads them.
    copies: Box<[bool]>,
    /// By rank of the world, its host.
    host_of: Box<[usize]>,
    leftovers: Arc<Leftovers<Leftover<N>>>,
    /// Held while a group is made: the ids that the members agree on must not be used meanwhile.
    making: OneAtATime<()>,
    /// Groups whose requests were dropped before they were made.
    given_up: Leftovers<GivenUp<N>>,
    /// The algorithms that were found in this world.
    choices: OneAtATime<Choices>,
}

/// The engine, for one call that may wait. Nothing takes the engine away meanwhile.
pub(super) struct Kept<N: Nic> {
    // Dropped first: dropping the keeper may have to take the engine away.
    engine: InUse<'static, Engine<N>>,
    _keeper: Arc<Keeper<N>>,
}

impl<N: Nic> Copy for Visit<N> {}

impl<N: Nic> Clone for Visit<N> {
    fn clone(&self) -> Visit<N> {
        *self
    }
}

/// Whether both are of one engine.
impl<N: Nic> PartialEq for Visit<N> {
    fn eq(&self, other: &Visit<N>) -> bool {
        self.0 == other.0
    }
}

impl<N: Nic> Visit<N> {
    /// The engine, for a call that does not wait.
    #[inline(always)]
    pub(super) fn engine(self) -> Result<InUse<'static, Engine<N>>> {
        match self.0.try_use(Living::settle) {
            Ok(living) => Ok(living.part(|living| &mut living.engine)),
            Err(refusal) => Err(refused(refusal)),
        }
    }

    /// The engine, for a call that may wait.
    pub(super) fn engine_kept(self) -> Result<Kept<N>> {
        let living = self.0.try_use(Living::settle).map_err(refused)?;
        let keeper = living.keeper.upgrade().ok_or(Error::Ended)?;
        Ok(Kept { engine: living.part(|living| &mut living.engine), _keeper: keeper })
    }
}

#[cold]
fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Busy => Error::Busy,
        Refusal::Gone => Error::Ended,
    }
}

impl<N: Nic> Living<N> {
    /// Does the work that was left. There is some where another thread had the engine.
    fn settle(&mut self) {
        if !self.leftovers.is_empty() {
            while let Some(leftover) = self.leftovers.take() {
                settle(&mut self.engine, leftover);
            }
        }
    }
}

impl<N: Nic> Deref for Kept<N> {
    type Target = Engine<N>;
    fn deref(&self) -> &Engine<N> {
        &self.engine
    }
}

impl<N: Nic> DerefMut for Kept<N> {
    fn deref_mut(&mut self) -> &mut Engine<N> {
        &mut self.engine
    }
}

impl<N: Nic> Clone for Home<N> {
    fn clone(&self) -> Home<N> {
        Home { visit: self.visit, keeper: self.keeper.clone() }
    }
}

impl<N: Nic> Drop for Keeper<N> {
    fn drop(&mut self) {
        // Only a visit can be in a call now, and one that waits would keep this.
        while let Err(Refusal::Busy) = self.visit.0.take(|_| {}).map(drop) {
            thread::yield_now();
        }
    }
}

impl<N: Nic> Home<N> {
    pub(super) fn new(engine: Engine<N>) -> Home<N> {
        let config = engine.config().clone();
        let copies = (0..engine.size()).map(|peer| engine.copies_payloads_to(peer)).collect();
        let host_of = (0..engine.size()).map(|peer| engine.host_of(peer)).collect();
        let leftovers = Arc::new(Leftovers::new());
        let keeper = Arc::new_cyclic(|keeper| Keeper {
            visit: Visit(Place::new(Living {
                engine,
                leftovers: leftovers.clone(),
                keeper: keeper.clone(),
            })),
            config,
            copies,
            host_of,
            leftovers,
            making: OneAtATime::new(()),
            given_up: Leftovers::new(),
            choices: OneAtATime::default(),
        });
        Home { visit: keeper.visit, keeper }
    }

    pub(super) fn visit(&self) -> Visit<N> {
        self.visit
    }

    pub(super) fn config(&self) -> &Config {
        &self.keeper.config
    }

    /// Whether large payloads between this rank and a rank of the world are copied where the
    /// receiver reads them. Of two ranks both say the same.
    pub(super) fn copies_payloads_to(&self, peer: Rank) -> bool {
        self.keeper.copies[peer]
    }

    /// The number of ranks of the world.
    pub(super) fn size(&self) -> usize {
        self.keeper.host_of.len()
    }

    /// The host of a rank of the world, by a number. All ranks say the same.
    pub(super) fn host_of(&self, peer: Rank) -> usize {
        self.keeper.host_of[peer]
    }

    /// Lets `see` see the algorithms that were found.
    pub(super) fn choices<T>(&self, see: impl FnOnce(&mut Choices) -> T) -> Result<T> {
        Ok(see(&mut *self.keeper.choices.try_use().ok_or(Error::Busy)?))
    }

    /// The turn of a call that makes a group: until it is dropped, others like it are refused.
    pub(super) fn making(&self) -> Result<Exclusive<'_, ()>> {
        self.keeper.making.try_use().ok_or(Error::Busy)
    }

    /// Keeps what a dropped request leaves to be done, for a later call that makes a group.
    pub(super) fn give_up(&self, given_up: GivenUp<N>) {
        // Where the world has ended, nobody would look for it.
        if !matches!(self.engine(), Err(Error::Ended)) {
            self.keeper.given_up.leave(given_up);
        }
    }

    /// Completes what was given up and can be completed; the caller has the turn.
    pub(super) fn complete_given_up(&self) {
        if self.keeper.given_up.is_empty() {
            return;
        }
        let all: Vec<_> = std::iter::from_fn(|| self.keeper.given_up.take()).collect();
        let pending = all.into_iter().filter_map(GivenUp::completed);
        pending.for_each(|pending| self.keeper.given_up.leave(pending));
    }

    /// The engine, for one call.
    #[inline(always)]
    pub(super) fn engine(&self) -> Result<InUse<'_, Engine<N>>> {
        self.visit.engine()
    }

    /// Takes the engine away: the world ends for this rank. What another thread has lent it is its own again
    /// before that thread can see this. A call that another thread is in is waited for, for [`END_WAITS`].
    pub(super) fn take(&self) -> Result<Engine<N>> {
        let last = |living: &mut Living<N>| {
            living.settle();
            living.engine.reclaim_all();
        };
        let deadline = Deadline::after(Some(END_WAITS));
        let taken = loop {
            match self.visit.0.take(last) {
                // An end cannot be repeated by the program: `launch` makes it.
                Err(Refusal::Busy) if !deadline.is_past() => thread::yield_now(),
                taken => break taken,
            }
        };
        let living = taken.map_err(refused)?;
        // They keep this, so it would never be dropped.
        while self.keeper.given_up.take().is_some() {}
        Ok(living.engine)
    }

    /// Does it now or, if another thread is in a call, with the next call.
    pub(super) fn leave(&self, leftover: Leftover<N>) {
        match self.engine() {
            Ok(mut engine) => settle(&mut engine, leftover),
            // This thread has been refused, so no call comes through the gate any more, and the
            // next one looks for it.
            Err(Error::Busy) => self.keeper.leftovers.leave(leftover),
            // The world has ended, and everything with it.
            Err(_) => {}
        }
    }
}

fn settle<N: Nic>(engine: &mut Engine<N>, leftover: Leftover<N>) {
    match leftover {
        Leftover::Cancel(id) => engine.cancel_recv(id),
        Leftover::Discard(id) => engine.discard_recv(id),
        Leftover::DropGiven(given) => engine.drop_given(given),
        Leftover::EndPending(group, index) => engine.end_pending(group, index),
        // What fails now fails again in the next call, which returns it.
        Leftover::Drop(group) => drop(engine.drop_group(group)),
        Leftover::Settle(proposal) => drop(engine.settle_group(proposal)),
        Leftover::Release(held, room) => {
            if let Some((key, room)) = room {
                engine.close_room(key, room);
            }
            held.into_iter().for_each(|held| engine.release_held(held));
            engine.tell_released();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::threads::{FabricSpec, QueueSpec, connect};

    fn alone() -> Home<impl Nic> {
        let config = Config::new(1);
        let queues = config.vi_specs().map(|spec| QueueSpec {
            recv_descriptors: spec.recv_descriptors,
            descriptor_bytes: spec.descriptor_bytes,
        });
        let shared_words = config.shared_words(1);
        let nic = connect(1, &FabricSpec { queues: queues.to_vec(), shared_words, heap_bytes: 0 })
            .unwrap()
            .remove(0);
        Home::new(Engine::new(nic, config).unwrap())
    }

    /// SEMANTICS: END-1
    #[test]
    fn an_end_waits_for_the_call_of_another_thread() {
        let home = alone();
        let (begun, begins) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let engine = home.engine().unwrap();
                begun.send(()).unwrap();
                // For a while the end is refused. Where this begins late, it is not, and nothing is shown.
                std::thread::sleep(Duration::from_millis(20));
                drop(engine);
            });
            begins.recv().unwrap();
            assert!(home.take().is_ok());
        });
        assert!(matches!(home.engine(), Err(Error::Ended)));
    }

    /// SEMANTICS: END-1
    #[test]
    fn an_end_is_refused_while_a_call_lasts() {
        let home = alone();
        let engine = home.engine().unwrap();
        assert!(matches!(home.take(), Err(Error::Busy)));
        drop(engine);
        assert!(home.take().is_ok());
    }

    #[test]
    fn one_group_is_made_at_a_time() {
        let home = alone();
        let turn = home.making().unwrap();
        assert!(matches!(home.making(), Err(Error::Busy)));
        assert!(home.engine().is_ok(), "other calls go on");
        drop(turn);
        assert!(home.making().is_ok());
    }
}
