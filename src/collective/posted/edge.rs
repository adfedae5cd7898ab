//! Posts what a rank gives in a nonblocking collective. Little goes by one deposit for all that read it, if
//! that can be at once. Else each receiver gets one message, which begins with the call's word. A payload
//! above the eager limit travels by rendezvous, and its transfer starts when the receiver has called.
//!
//! All of a call is posted when it returns (COL-8), so none of it comes after what belongs to a later call.
//! What comes of a later call therefore shows that what is missing of an earlier one will not come.
//!
//! Keeps rules COL-4, COL-8 and COL-9 of SEMANTICS.md.

use smallvec::SmallVec;
use zerocopy::IntoBytes;

use super::sharing::Sharing;
use crate::collective::blocks::SendBlocks;
use crate::collective::call::{Call, Word};
use crate::collective::edge::{ALONE, BEGINS, HAS_ROOM, KEPT_PAYLOADS};
use crate::collective::pieces::fits_behind_word;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{
    Contribution, Engine, Envelope, MessageError, Pattern, Readers, SendId, Source, Tag,
};
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// The call's word in a cache line of its own. Behind it a large payload, which readers find in place, begins a line: else every
/// other load of a vector takes two.
const HEAD_BYTES: usize = 64;

/// The payload in what stands behind the word of a message with this element byte. Nothing if that is shorter than its sender says.
pub(super) fn payload_behind(element: u8, behind: &[u8]) -> &[u8] {
    match element & ALONE {
        0 => behind,
        _ => behind.get(HEAD_BYTES - Word::BYTES..).unwrap_or_default(),
    }
}

/// A message that was posted.
pub(super) struct Sent {
    pub(super) to: Rank,
    pub(super) id: SendId,
    pub(super) is_large: bool,
    /// Whether its payload is [lent](super::lending).
    pub(super) is_lent: bool,
}

/// Messages that were posted and have not left. Of few nothing is allocated.
pub(super) type AllSent = SmallVec<[Sent; 4]>;

impl<N: Nic> Comm<N> {
    /// Fails if this many elements do not fit into one message.
    pub(super) fn check_one_message<T>(&self, count: usize) -> Result<()> {
        let limit = self.sizes().message_bytes;
        let len = count.saturating_mul(size_of::<T>()).saturating_add(Word::BYTES);
        if len <= limit { Ok(()) } else { Err(MessageError::TooLarge { len, limit }.into()) }
    }

    /// What stands before a large payload of so many bytes: the call's word, in a line of its own if there is room for that.
    fn head_of(&self, call: &Call, bytes: usize) -> SmallVec<[u8; HEAD_BYTES]> {
        let mut head = SmallVec::from_slice(call.word(bytes).as_bytes());
        if HEAD_BYTES + bytes <= self.sizes().message_bytes {
            head.resize(HEAD_BYTES, 0);
        }
        head
    }

    /// All other ranks, from the next one on, so that not all ranks send to the same one first.
    pub(in crate::collective) fn others(&self) -> impl Iterator<Item = Rank> + Clone + use<N> {
        let (rank, size) = (self.rank(), self.size());
        (1..size).map(move |distance| (rank + distance) % size)
    }

    /// Whether this message may be forgotten without waiting: it has left, or its large payload is
    /// one of a few that are kept for the receiver, and not lent to one that this rank still waits for.
    pub(super) fn may_leave_behind(&self, engine: &Engine<N>, sent: &Sent) -> Result<bool> {
        Ok(engine.is_sent(sent.id) || !sent.stands(engine) && self.may_keep(engine, sent)?)
    }

    /// Waits until the message may be forgotten, and forgets it. What it has lent its reader may take `until` then.
    pub(super) fn leave_behind(&self, sent: &Sent, until: Option<Instant>) -> Result<()> {
        if sent.is_lent {
            self.take_back(sent, until)?;
        }
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
    pub(super) sent: AllSent,
    /// What the call has of others, where ranks combine for each other.
    pub(super) sharing: Option<Box<Sharing<N>>>,
}

impl<N: Nic> Posting<'_, N> {
    /// Deposits what is for these ranks, if that can be now. Else nothing is done.
    fn deposit<T: Element>(
        &mut self,
        to: impl Iterator<Item = Rank>,
        outgoing: SendBlocks<'_, T>,
    ) -> Result<bool> {
        let Posting { comm, call, engine, .. } = self;
        if !call.is_deposited {
            return Ok(false);
        }
        // None in a group that is too large.
        let Some(readers) = Readers::of(comm.rank(), to) else { return Ok(false) };
        comm.with_contents(call, outgoing, |contents| {
            let of = (call.index, readers);
            Ok(engine.deposit_at_once(comm.group_id(), of, contents)?)
        })
    }

    /// Gives `data` to each of `to`. If one has ended, the others still get theirs. One copy of large data serves all
    /// on this host.
    pub(super) fn post_to<T: Element>(
        &mut self,
        to: impl Iterator<Item = Rank> + Clone,
        data: &[T],
    ) -> Result<()> {
        let mut first = to.clone();
        if let (Some(only), None) = (first.next(), first.next())
            && self.lends(size_of_val(data))
        {
            return self.lend(only, data.as_bytes());
        }
        let is_deposited = match self.sharing {
            None => self.deposit(to.clone(), SendBlocks::Same(data))?,
            Some(_) => self.deposit_before_room(to.clone(), data)?,
        };
        if is_deposited { Ok(()) } else { self.send_to(to, data) }
    }

    /// As [`deposit`](Self::deposit), of data that are shared.
    fn deposit_before_room<T: Element>(
        &mut self,
        to: impl Iterator<Item = Rank>,
        data: &[T],
    ) -> Result<bool> {
        let Posting { comm, call, engine, sharing: Some(sharing), .. } = self else {
            return Ok(false);
        };
        let Some(readers) = Readers::of(comm.rank(), to) else { return Ok(false) };
        let bytes = data.as_bytes();
        let (head, of) = (call.word(bytes.len()).words(), (call.index, readers));
        sharing.theirs.deposit(engine, (comm.group_id(), of), (&head, bytes), (bytes.len(), false))
    }

    fn send_to<T: Element>(
        &mut self,
        to: impl Iterator<Item = Rank> + Clone,
        data: &[T],
    ) -> Result<()> {
        // The last rank of a scan has nobody to give its data to.
        if to.clone().next().is_none() {
            return Ok(());
        }
        let (comm, bytes) = (self.comm, data.as_bytes());
        let (sizes, word) = (comm.sizes(), self.call.word(bytes.len()));
        if fits_behind_word(bytes.len(), (sizes.eager_bytes, sizes.message_bytes)) {
            let parts = [word.as_bytes(), bytes];
            let scratch = &comm.collectives.scratch;
            return scratch.with_message(parts, |message| {
                self.send_message(to, BEGINS, (&[], message), bytes.len())
            });
        }
        if self.call.goes_bare {
            // The word would have to be copied to where the payload is, or that to the word.
            let element = self.call.bare_element();
            return self.send_message(to, element, (&[], bytes), bytes.len());
        }
        let head = comm.head_of(&self.call, bytes.len());
        let element = if head.len() == HEAD_BYTES { BEGINS | ALONE } else { BEGINS };
        self.send_message(to, element, (&head, bytes), bytes.len())
    }

    /// Sends a message of the call to each of `to`, which has this element byte, and its payload of so many bytes at the end. If ranks
    /// combine for each other, there is a room for that behind it.
    fn send_message(
        &mut self,
        to: impl Iterator<Item = Rank> + Clone,
        element: u8,
        (head, rest): (&[u8], &[u8]),
        bytes: usize,
    ) -> Result<()> {
        let Posting { comm, call, engine, sent, sharing, .. } = self;
        let mut failed = None;
        let envelope = Envelope { context: comm.collective_context(), tag: call.number, element };
        let is_large = head.len() + rest.len() > comm.eager_bytes();
        let mut to = to.map(|to| (to, comm.to_world(to))).peekable();
        let note = |to, posted: std::result::Result<Option<SendId>, MessageError>| {
            match posted {
                Ok(waiting) => {
                    sent.extend(waiting.map(|id| Sent { to, id, is_large, is_lent: false }));
                }
                Err(error) => drop(failed.get_or_insert(error)),
            }
            Ok::<_, Error>(())
        };
        match sharing.as_mut().zip(to.peek()) {
            Some((sharing, &(_, first))) => {
                let joined = (!head.is_empty()).then(|| engine.copy_behind(head, rest));
                let message = joined.as_ref().map_or(rest, AsRef::as_ref);
                match sharing.theirs.open_room(engine, first, message, bytes) {
                    Some(key) => {
                        let envelope = Envelope { element: element | HAS_ROOM, ..envelope };
                        engine.post_with_room(key, to, envelope, message, note)?;
                    }
                    None => engine.post_send_to_each(to, envelope, message, note)?,
                }
            }
            None if head.is_empty() => engine.post_send_to_each(to, envelope, rest, note)?,
            None => engine.post_joined_to_each(to, envelope, [head, rest], note)?,
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Gives each other rank its block of `data`, all of one length.
    pub(super) fn post_blocks<T: Element>(&mut self, data: &[T]) -> Result<()> {
        let comm = self.comm;
        let block = data.len() / comm.size();
        let lends = self.lends(block * size_of::<T>());
        if !lends && self.deposit(comm.others(), SendBlocks::Shares(data))? {
            return Ok(());
        }
        self.send_parts(|to| &data[to * block..][..block])
    }

    /// Gives each other rank its part. Parts of one length that are little together are deposited.
    pub(super) fn post_parts<T: Element>(&mut self, parts: &[&[T]]) -> Result<()> {
        let comm = self.comm;
        let each = parts.first().map_or(0, |part| part.len());
        // More would be copied once too often.
        let together = each.saturating_mul(size_of::<T>()).saturating_mul(comm.size() - 1);
        let are_blocks = self.call.is_deposited
            && comm.is_in_slot(together)
            && parts.iter().all(|part| part.len() == each);
        let is_deposited = are_blocks
            && comm.collectives.scratch.with_room(each * parts.len(), |blocks: &mut [T]| {
                let places = blocks.chunks_exact_mut(each.max(1));
                places.zip(parts).for_each(|(place, part)| copy(part, place));
                self.deposit(comm.others(), SendBlocks::Shares(blocks))
            })?;
        if is_deposited { Ok(()) } else { self.send_parts(|to| parts[to]) }
    }

    fn send_parts<'t, T: Element>(&mut self, part: impl Fn(Rank) -> &'t [T]) -> Result<()> {
        let mut posted = Ok(());
        for to in self.comm.others() {
            let part = part(to);
            let sent = match self.lends(size_of_val(part)) {
                true => self.lend(to, part.as_bytes()),
                false => self.send_to(std::iter::once(to), part),
            };
            posted = posted.and(sent);
        }
        posted
    }

    /// What `from` gives in the call: posts a receive for its message, the payload of which may go to this room at once. The
    /// caller makes progress after the last.
    ///
    /// # Safety
    ///
    /// As for [`Engine::add_recv_into`].
    pub(super) unsafe fn await_from(
        &mut self,
        member: Rank,
        room: Option<*mut [u8]>,
    ) -> Contribution {
        let (comm, index) = (self.comm, self.call.index);
        let from = comm.to_world(member);
        let pattern = Pattern { source: Source::Rank(from), tag: Tag::Exactly(self.call.number) };
        let context = comm.collective_context();
        let id = match room {
            // SAFETY: the caller promises it.
            Some(room) => unsafe { self.engine.add_recv_into(context, pattern, room) },
            None => self.engine.add_recv(context, pattern),
        };
        Contribution { group: comm.group_id(), index, member, from, id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SEMANTICS: SAFE-1
    #[test]
    fn a_head_that_is_cut_short_leaves_no_payload() {
        let behind: Vec<u8> = (0..HEAD_BYTES as u8).collect();
        assert_eq!(payload_behind(BEGINS, &behind[..3]), &behind[..3]);
        let padding = HEAD_BYTES - Word::BYTES;
        for len in [0, 1, padding - 1, padding] {
            assert!(payload_behind(BEGINS | ALONE, &behind[..len]).is_empty());
        }
        assert_eq!(payload_behind(BEGINS | ALONE, &behind[..padding + 2]), &behind[padding..][..2]);
    }
}
