//! Posts the messages of a nonblocking collective, and detects messages that will not come. Each
//! receiver gets one message, which begins with the call's word. A payload above the eager limit
//! travels by rendezvous, and its transfer starts when the receiver has called.
//!
//! All messages of a call are posted when it returns (COL-8), so none of them comes after one of a
//! later call. A message of a later call therefore shows that a missing earlier one of the same
//! sender will not come.
//!
//! Keeps rules COL-4 and COL-8 of SEMANTICS.md.

use crate::collective::call::{Call, Word};
use crate::collective::edge::KEPT_PAYLOADS;
use crate::collective::pieces::Piece;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Engine, MessageError, Pattern, RecvId, SendId, Source, Tag};
use crate::order::Rank;
use crate::verbs::Nic;

/// A message that was posted.
pub(super) struct Sent {
    to: Rank,
    pub(super) id: SendId,
    is_large: bool,
}

/// A receive that was posted.
pub(super) struct Awaited {
    pub(super) from: Rank,
    pub(super) id: RecvId,
}

impl<N: Nic> Comm<N> {
    /// Fails if this many elements do not fit into one message.
    pub(super) fn check_one_message<T>(&self, count: usize) -> Result<()> {
        let limit = self.sizes().message_bytes;
        let len = count.saturating_mul(size_of::<T>()).saturating_add(Word::BYTES);
        if len <= limit { Ok(()) } else { Err(MessageError::TooLarge { len, limit }.into()) }
    }

    /// All other ranks, from the next one on, so that not all ranks send to the same one first.
    pub(in crate::collective) fn others(&self) -> impl Iterator<Item = Rank> + Clone + use<N> {
        let (rank, size) = (self.rank(), self.size());
        (1..size).map(move |distance| (rank + distance) % size)
    }

    /// Whether this message may be forgotten without waiting: it has left, or its large payload is
    /// one of a few that are kept for the receiver.
    pub(super) fn may_leave_behind(&self, engine: &Engine<N>, sent: &Sent) -> Result<bool> {
        Ok(engine.is_sent(sent.id) || self.may_keep(engine, sent)?)
    }

    /// Waits until the message may be forgotten, and forgets it.
    pub(super) fn leave_behind(&self, sent: &Sent) -> Result<()> {
        let mut engine = self.engine()?;
        if !engine.is_sent(sent.id) && self.may_keep(&engine, sent)? {
            self.collectives.kept()?.push((sent.to, sent.id));
            return Ok(());
        }
        Ok(engine.wait_sent(sent.id)?)
    }

    fn may_keep(&self, engine: &Engine<N>, sent: &Sent) -> Result<bool> {
        let mut kept = self.collectives.kept()?;
        kept.retain(|(_, id)| !engine.is_sent(*id));
        let count = kept.iter().filter(|(rank, _)| *rank == sent.to).count();
        Ok(sent.is_large && count < KEPT_PAYLOADS)
    }
}

/// A call whose messages are being posted. No other thread is in a call of this rank meanwhile, so
/// the call is refused as a whole or made as a whole.
pub(super) struct Posting<'p, N: Nic> {
    pub(super) comm: &'p Comm<N>,
    pub(super) call: Call,
    pub(super) engine: &'p mut Engine<N>,
    pub(super) sent: Vec<Sent>,
}

impl<N: Nic> Posting<'_, N> {
    /// Posts `data` to each of `to`. If one has ended, the others still get theirs. One copy of large data serves all
    /// on this host.
    pub(super) fn post_to<T: Element>(
        &mut self,
        to: impl Iterator<Item = Rank>,
        data: &[T],
    ) -> Result<()> {
        let Posting { comm, call, engine, sent } = self;
        let mut failed = None;
        let piece = Piece { begins: true, range: 0..data.len() };
        comm.with_piece(call, &piece, data, |envelope, bytes| {
            let is_large = bytes.len() > comm.eager_bytes();
            let to = to.map(|to| (to, comm.to_world(to)));
            engine.post_send_to_each(to, envelope, bytes, |to, posted| {
                match posted {
                    Ok(waiting) => sent.extend(waiting.map(|id| Sent { to, id, is_large })),
                    Err(error) => drop(failed.get_or_insert(error)),
                }
                Ok::<_, Error>(())
            })
        })?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Posts to each other rank its part.
    pub(super) fn post_parts<T: Element>(&mut self, parts: &[&[T]]) -> Result<()> {
        let mut posted = Ok(());
        for to in self.comm.others() {
            posted = posted.and(self.post_to(std::iter::once(to), parts[to]));
        }
        posted
    }

    /// Posts a receive for the message of `from`.
    pub(super) fn await_from(&mut self, from: Rank) -> Result<Awaited> {
        let source = Source::Rank(self.comm.to_world(from));
        let pattern = Pattern { source, tag: Tag::Exactly(self.call.number) };
        let id = self.engine.post_recv(self.comm.collective_context(), pattern)?;
        Ok(Awaited { from, id })
    }
}
