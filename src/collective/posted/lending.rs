//! Long data that one rank gives one other in a nonblocking collective of bytes, lent: that one reads them where they lie, straight to
//! where they belong. That is one copy in place of two.
//!
//! Keeps rules COL-8, FLOW-4 and SAFE-1 of SEMANTICS.md.
//!
//! A library on top has the promise of its program that what it gives stays as it is until the call is complete. A rank that
//! completes its call waits for a reader that has not come for about as long as a copy takes. Then it keeps a copy, as it would have
//! at once. So nobody waits for a rank that is off its core. And it lends to one that does not come in time only now and then.
//!
//! # Correctness
//!
//! A call that has lent has its memory back when it is complete, when it is dropped, and when it could not be posted
//! ([`Comm::take_back`]). A post that finds its receiver gone has it back at once. Both ranks take what comes by message or by deposit,
//! so they need not agree on the way.

use super::edge::{Posting, Sent};
use crate::collective::Kind;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::message::{Engine, Envelope};
use crate::order::Rank;
use crate::sys::thread;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// From this length on a part is lent, in bytes. Where the data are new in each call, 64 KiB took 1.03 to 1.14 of the time of a deposit,
/// 128 KiB 0.97 to 1.16, and 256 KiB 0.84 to 0.91 (docs/EXPERIMENTS.md, *Data lent to their reader*).
const LENT_BYTES: usize = 192 << 10;

impl<N: Nic> Comm<N> {
    /// From how many bytes on a part may be lent that a rank gives in a call of this kind; None if none is. What several read is
    /// not, since one copy serves all of them; nor what they combine, which is best read where it was just written.
    #[doc(hidden)]
    pub fn lends_from(&self, kind: Kind) -> Option<usize> {
        let lends = match kind {
            Kind::Igather | Kind::Iscatter | Kind::IallToAll | Kind::IallToAllV => true,
            Kind::Ibroadcast | Kind::IallGather => self.size() == 2,
            _ => false,
        };
        let lends = lends && self.copies_payloads();
        lends.then(|| LENT_BYTES.max(self.eager_bytes() + 1))
    }

    /// Until when this rank waits for readers of what these messages have lent; None if it waits for none.
    pub(super) fn patience_with(&self, sent: &[Sent]) -> Result<Option<Instant>> {
        let lent = || sent.iter().filter(|sent| sent.is_lent);
        if lent().next().is_none() {
            return Ok(None);
        }
        let engine = self.engine()?;
        let longest = lent().filter_map(|sent| engine.patience_with(sent.id)).max();
        Ok(longest.and_then(|longest| Instant::now().after(longest)))
    }

    /// The program has back what was lent for a message; what has yet to be read is a copy. Its reader may come `until` then.
    ///
    /// # Errors
    ///
    /// As by [`Engine::progress`]; the program has its memory back all the same.
    pub(super) fn take_back(&self, sent: &Sent, until: Option<Instant>) -> Result<()> {
        loop {
            match self.engine() {
                Ok(mut engine) => return Ok(engine.take_back(sent.id, until)?),
                Err(Error::Busy) => thread::yield_now(),
                // The world has ended, and nothing is read any more.
                Err(_) => return Ok(()),
            }
        }
    }
}

impl Sent {
    /// Whether this rank still waits for its reader to take it where it lies.
    pub(super) fn stands<N: Nic>(&self, engine: &Engine<N>) -> bool {
        self.is_lent && engine.patience_with(self.id).is_some()
    }
}

/// Where the stack is unwound, nobody else would.
impl<N: Nic> Drop for Posting<'_, N> {
    fn drop(&mut self) {
        for lent in self.sent.iter().filter(|sent| sent.is_lent) {
            let _ = self.engine.take_back(lent.id, None);
        }
    }
}

impl<N: Nic> Posting<'_, N> {
    /// Whether a part of so many bytes is lent that one rank alone reads.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        let Posting { comm, call, .. } = self;
        call.stays && comm.lends_from(call.kind).is_some_and(|least| bytes >= least)
    }

    /// Lends a part to the only rank that reads it.
    pub(super) fn lend(&mut self, to: Rank, part: &[u8]) -> Result<()> {
        let Posting { comm, call, engine, sent, .. } = self;
        let element = call.bare_element();
        let envelope = Envelope { context: comm.collective_context(), tag: call.number, element };
        // SAFETY: it stays until the call is over, and who ends or drops the call takes it back before.
        let posted = unsafe { engine.lend_unless_in_vain(comm.to_world(to), envelope, part) }?;
        sent.extend(posted.map(|id| Sent { to, id, is_large: true, is_lent: true }));
        Ok(())
    }
}
