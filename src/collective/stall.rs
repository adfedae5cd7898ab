//! Stall reports that name the collective in which a rank waits.
//!
//! The report itself is made in [`crate::message`], which knows collectives by their numbers.

use std::cell::RefMut;
use std::sync::Arc;

use super::call::Call;
use crate::comm::Comm;
use crate::message::{CallInfo, Engine, StallReport};
use crate::verbs::Nic;

/// The name of the collective with this code: the number of its [`Kind`](super::Kind).
fn name(code: u8) -> &'static str {
    match code {
        0 => "multicast",
        1 => "reduce",
        2 => "exchange",
        _ => "an unknown collective",
    }
}

impl<N: Nic> Comm<N> {
    /// From now on gives `handler` a report each time when this rank has waited inside one call for
    /// longer than [`Config::stall_after`](crate::Config::stall_after). The rank goes on waiting.
    ///
    /// Programs use [`Launch::on_stall`](crate::Launch::on_stall); this is for other networks, and
    /// for tests. Without a handler there are no reports.
    pub fn on_stall(&self, handler: impl Fn(&StallReport) + Send + Sync + 'static) {
        self.engine().on_stall(Arc::new(handler), name);
    }

    /// The engine, for a call of it that may wait on behalf of `call`.
    pub(super) fn engine_in(&self, call: &Call) -> RefMut<'_, Engine<N>> {
        let (kind, number, group) = (call.kind as u8, call.number(), self.group());
        let mut engine = self.engine();
        engine.set_call(CallInfo { kind, number, group, context: self.collective_context() });
        engine
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn codes_have_the_names_of_their_kinds() {
        for kind in [Kind::Multicast, Kind::Reduce, Kind::Exchange] {
            assert_eq!(name(kind as u8), kind.to_string());
        }
        assert_eq!(name(255), "an unknown collective");
    }
}
