//! Payloads that one rank has exposed to others: copies, under a lock, since other threads read
//! them.
//!
//! It stands in for a device that reads memory by itself, so that remote read can be tested
//! everywhere. It is no faster than messages, and locks: nobody but tests asks for it.

use std::sync::Arc;

use crate::order::Rank;
use crate::sys::lock::Lock;
use crate::verbs::RemoteBuffer;

/// What a rank has exposed.
#[derive(Default)]
pub(super) struct Exposures(Lock<State>);

#[derive(Default)]
struct State {
    /// The key of the last one.
    last: u32,
    exposed: Vec<Exposure>,
}

struct Exposure {
    to: Rank,
    buffer: RemoteBuffer,
    payload: Arc<[u8]>,
}

impl Exposures {
    pub(super) fn expose(&self, to: Rank, payload: &[u8]) -> RemoteBuffer {
        let address = payload.as_ptr().addr() as u64;
        let payload = payload.into();
        self.0.with(|state| {
            state.last = state.last.wrapping_add(1);
            let buffer = RemoteBuffer { address, key: state.last };
            state.exposed.push(Exposure { to, buffer, payload });
            buffer
        })
    }

    pub(super) fn revoke(&self, to: Rank, buffer: RemoteBuffer) {
        self.0.with(|state| state.exposed.retain(|it| (it.to, it.buffer) != (to, buffer)));
    }

    /// What was exposed to a rank so, if it is exposed still.
    pub(super) fn find(&self, to: Rank, buffer: RemoteBuffer) -> Option<Arc<[u8]>> {
        self.0.with(|state| {
            let found = state.exposed.iter().find(|it| (it.to, it.buffer) == (to, buffer));
            found.map(|exposure| Arc::clone(&exposure.payload))
        })
    }
}
