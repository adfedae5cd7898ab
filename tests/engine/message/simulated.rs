//! What tests of simulated networks share: an interface whose messages go by the network for threads, which loses nothing,
//! and that has one thing of its own, which all ranks share; and what is asked of a rank whatever a peer does.
//! Not here: what that thing is (`written`: words; `released`: datagrams to all).

use std::sync::{Arc, Mutex, MutexGuard};

use proptest::test_runner::TestCaseError;
use runahead::internals::message::{Engine, MessageError};
use runahead::internals::order::{GroupId, Rank, Ticket};
use runahead::internals::provider::threads::{self, FabricSpec, ThreadsNic};
use runahead::internals::verbs::Nic;
use runahead::{Config, Launch};

/// An interface of which `S` is simulated.
pub struct Wire<S> {
    pub inner: ThreadsNic,
    shared: Arc<Mutex<S>>,
}

impl<S> Wire<S> {
    /// What all ranks share.
    pub fn shared(&self) -> MutexGuard<'_, S> {
        self.shared.lock().unwrap()
    }
}

/// The interfaces of all ranks to the network for threads, without a board.
pub fn fabric(size: usize, config: &Config) -> Vec<ThreadsNic> {
    let spec = Launch::new(size).options(config.clone()).fabric().unwrap();
    threads::connect(size, &FabricSpec { shared_words: 0, ..spec }).unwrap()
}

/// The same, with `shared` between them.
pub fn wires<S>(size: usize, config: &Config, shared: S) -> (Vec<Wire<S>>, Arc<Mutex<S>>) {
    let shared = Arc::new(Mutex::new(shared));
    let wire = |inner| Wire { inner, shared: Arc::clone(&shared) };
    (fabric(size, config).into_iter().map(wire).collect(), shared)
}

/// A call of a rank to which anything may have come: by `then` it enters a barrier, looks at the last one, or makes
/// progress. False if that has ended its world, for what it says `from` has done; that is the one who may be blamed.
pub fn goes_on_or_names<N: Nic>(
    engine: &mut Engine<N>,
    ticket: &mut Option<Ticket>,
    then: u8,
    from: Rank,
) -> Result<bool, TestCaseError> {
    let result = match (then, *ticket) {
        (0, _) => engine.try_barrier(GroupId::WORLD).map(|made| *ticket = Some(made)),
        (1, Some(ticket)) => engine.test_barrier(ticket).map(drop),
        _ => engine.progress().map(drop),
    };
    match result {
        Ok(()) | Err(MessageError::Refused(_)) => Ok(true),
        Err(MessageError::Protocol { from: named, .. }) => {
            proptest::prop_assert_eq!(named, from);
            proptest::prop_assert!(engine.progress().is_err(), "it ends the world");
            Ok(false)
        }
        Err(error) => Err(TestCaseError::fail(error.to_string())),
    }
}
