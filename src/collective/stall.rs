//! Stall reports that name the collective in which a rank waits.
//!
//! [`crate::message`] makes the report. It knows collectives only by their codes.

use std::sync::Arc;

use super::Kind;
use super::call::Call;
use crate::comm::Comm;
use crate::error::Result;
use crate::message::{CallInfo, Engine, StallReport};
use crate::sys::shared::InUse;
use crate::verbs::Nic;

/// The name of the collective with this code: the number of its [`Kind`].
fn name(code: u8) -> &'static str {
    let found = Kind::ALL.into_iter().find(|kind| *kind as u8 == code);
    found.map_or("an unknown collective", Kind::name)
}

impl<N: Nic> Comm<N> {
    /// Sets the handler of stall reports. It gets one whenever this rank has waited inside one call
    /// for longer than [`Options::stall_after`](crate::Options::stall_after()). The rank goes on
    /// waiting.
    ///
    /// Programs use [`Launch::on_stall`](crate::Launch::on_stall). This method is for other
    /// networks, and for tests. Without a handler there are no reports.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`](crate::Error::Busy) if another thread is in a call of this rank's.
    pub fn on_stall(&self, handler: impl Fn(&StallReport) + Send + Sync + 'static) -> Result<()> {
        self.engine()?.on_stall(Arc::new(handler), name);
        Ok(())
    }

    /// The engine, for a call that may wait on behalf of `call`.
    pub(super) fn engine_in(&self, call: &Call) -> Result<InUse<'_, Engine<N>>> {
        let (kind, number, group) = (call.kind as u8, call.number, self.group_id());
        let mut engine = self.engine()?;
        engine.set_call(CallInfo { kind, number, group, context: self.collective_context() });
        Ok(engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_names_of_their_kinds() {
        for kind in Kind::ALL {
            assert_eq!(name(kind as u8), kind.to_string());
        }
        assert_eq!(name(255), "an unknown collective");
    }
}
