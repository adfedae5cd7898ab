//! The pieces of an exchange, which come from any rank: sends those that need no waiting, takes what has come, and
//! waits for either. A long payload may be offered where it lies, in place of its first piece.
//!
//! Keeps rules COL-4, COL-7, COL-10 and SAFE-1 of SEMANTICS.md.

use smallvec::SmallVec;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::blocks::RecvBlocks;
use super::call::Call;
use super::edge::{BEGINS, Lack};
use super::pieces::Piece;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::message::{Envelope, MemberSet, Pattern, Source, Tag};
use crate::order::Rank;
use crate::verbs::{Nic, OfferOf, RemoteBuffer};

/// The mark of one behind whose word the sender says where the payload lies: it offers it.
pub(super) const OFFERS: u8 = 1 << 6;

/// Where an offered payload lies, behind the word, little-endian.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Offered {
    address: U64,
    key: U32,
}

/// Where `from` offers a part of so many bytes, by what stands behind the word.
pub(super) fn offered_in(
    call: &Call,
    from: Rank,
    part_bytes: u64,
    behind: &[u8],
) -> Result<RemoteBuffer> {
    match Offered::read_from_bytes(behind) {
        Ok(Offered { address, key }) => Ok(RemoteBuffer { address: address.get(), key: key.get() }),
        Err(_) => Err(call.wrong_offer(from, part_bytes)),
    }
}

/// A piece that has come from any rank.
pub(super) struct CamePiece {
    pub(super) from: Rank,
    /// How many elements its sender had left before it.
    pub(super) left: u64,
    /// How many it has.
    pub(super) count: u64,
    /// What its sender offers instead.
    pub(super) offer: Option<RemoteBuffer>,
}

impl<N: Nic> Comm<N> {
    /// Sends a piece if that needs no waiting, and returns whether it did.
    pub(super) fn try_send_in<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        data: &[T],
        piece: &Piece,
    ) -> Result<bool> {
        let sent = self.with_piece(call, piece, data, |envelope, bytes| {
            Ok(self.engine()?.try_send_now(self.to_world(to), envelope, bytes)?)
        });
        self.sent_or_give_up(sent)
    }

    /// Offers `data` to a rank in place of the first piece, if it can read them and there is room for the
    /// message. From then on `data` must not change until the offer is withdrawn or accepted.
    pub(super) fn try_offer_in<T: Element>(
        &self,
        call: &Call,
        to: Rank,
        data: &[T],
    ) -> Result<Option<OfferOf<N>>> {
        let (world, word) = (self.to_world(to), call.word(size_of_val(data)));
        let context = self.collective_context();
        let envelope = Envelope { context, tag: call.number, element: BEGINS | OFFERS };
        let offered = self.engine()?.try_offer(world, data.as_bytes(), |engine, buffer| {
            let RemoteBuffer { address, key } = buffer;
            let offered = Offered { address: U64::new(address), key: U32::new(key) };
            let parts = [word.as_bytes(), offered.as_bytes()];
            self.collectives.scratch.with_message(parts, |message| {
                Ok::<_, Error>(engine.try_send_now(world, envelope, message)?)
            })
        });
        self.sent_or_give_up(offered)
    }

    /// Reads what `from` offers into `room`; false if it cannot, or that one has withdrawn.
    pub(super) fn accept_in<T: Element>(
        &self,
        from: Rank,
        buffer: RemoteBuffer,
        room: &mut [T],
    ) -> Result<bool> {
        let from = self.to_world(from);
        Ok(self.engine()?.accept_offer(from, buffer, room.as_mut_bytes()))
    }

    /// Takes a piece, if one from any rank has arrived, and hands it to `read`: its sender, how
    /// many elements that sender had left before it, and its elements' bytes. `left` says how many
    /// each is known to have, `counts` how many each must announce.
    pub(super) fn try_take_any<T: Element>(
        &self,
        call: &Call,
        left: &[Option<u64>],
        counts: RecvBlocks<'_>,
        read: impl FnOnce(Rank, u64, &[u8]),
    ) -> Result<Option<CamePiece>> {
        let deposits = (call.index, self.unheard(left));
        let deposited = self.engine()?.first_deposit(self.group_id(), deposits);
        if let Some(from) = deposited {
            let taken = self.take(call, from, true, MemberSet::NONE, |bytes| {
                self.check_piece::<T>(call, (from, BEGINS), left, counts, bytes, read)
            });
            return taken.map(Some);
        }
        let pattern = Pattern { source: Source::Any, tag: Tag::Exactly(call.number) };
        let taken = self.engine()?.try_recv::<_, Error>(
            self.collective_context(),
            pattern,
            |_| Ok(()),
            |info, bytes| {
                let from = self.local(info).source;
                self.check_piece::<T>(call, (from, info.element), left, counts, bytes, read)
            },
        )?;
        taken.transpose()
    }

    /// Checks a piece of `from`, and hands it to `read`, as [`try_take_any`](Comm::try_take_any).
    fn check_piece<T: Element>(
        &self,
        call: &Call,
        (from, marks): (Rank, u8),
        left: &[Option<u64>],
        counts: RecvBlocks<'_>,
        bytes: &[u8],
        read: impl FnOnce(Rank, u64, &[u8]),
    ) -> Result<CamePiece> {
        let element = size_of::<T>() as u64;
        let begins = marks & BEGINS != 0;
        self.collectives.note_heard(from, call.number);
        let (left, bytes) = match left[from] {
            None if begins => {
                let expected = counts.of(from).map(|count| count * size_of::<T>());
                call.check_word(from, bytes, expected)?
            }
            Some(left) if !begins && !bytes.is_empty() => (left * element, bytes),
            _ => return Err(call.wrong_piece(from, bytes.len(), 0)),
        };
        let (bytes, offer) = match marks & OFFERS {
            0 => (bytes, None),
            // It stands for all of a part, and for something.
            _ if begins && left > 0 => (&[][..], Some(offered_in(call, from, left, bytes)?)),
            _ => return Err(call.wrong_offer(from, left)),
        };
        let came = bytes.len() as u64;
        if !left.is_multiple_of(element) || !came.is_multiple_of(element) || came > left {
            return Err(call.wrong_piece(from, bytes.len(), left as usize));
        }
        if offer.is_none() {
            read(from, left / element, bytes);
        }
        Ok(CamePiece { from, left: left / element, count: came / element, offer })
    }

    /// The other members of whom nothing is known yet; none in a group that is too large to
    /// deposit.
    pub(super) fn unheard(&self, left: &[Option<u64>]) -> MemberSet {
        let heard = |&from: &Rank| left[from].is_some();
        let heard =
            self.other_members().iter().filter(heard).fold(MemberSet::NONE, MemberSet::with);
        self.other_members().without(heard)
    }

    /// Waits until a piece has arrived, if any is missing, or one can be sent to one of `to`.
    /// `lacking` are the ranks from which something must come; it is empty if nothing is missing.
    /// Fails if one of them has sent nothing in this call, and shows that it calls something else.
    /// Some may come as `deposits` of these members.
    pub(super) fn wait_for_piece(
        &self,
        call: &Call,
        lacking: &[(Rank, Lack)],
        unheard: &[Rank],
        deposits: MemberSet,
        to: &[Rank],
    ) -> Result<()> {
        let context = self.collective_context();
        let pattern = Pattern { source: Source::Any, tag: Tag::Exactly(call.number) };
        let pattern = (!lacking.is_empty()).then_some(pattern);
        let mut any_tag = false;
        for (at, &from) in unheard.iter().enumerate() {
            if at == 0 {
                // Any arrival wakes this rank.
                let any = Pattern { source: Source::Any, tag: Tag::Any };
                any_tag = self.engine()?.try_probe(context, any)?.is_none();
            }
            let any = Pattern { source: Source::Rank(self.to_world(from)), tag: Tag::Any };
            let first = self.engine()?.try_probe(context, any)?;
            let Some(info) = first else { continue };
            // Else it comes after a deposit that is held.
            if !self.engine()?.has_deposited(self.group_id(), (call.index, from)) {
                self.check_belongs(call, true, from, &info)?;
            }
        }
        let to: SmallVec<[Rank; 16]> = to.iter().map(|&to| self.to_world(to)).collect();
        let lacking = lacking.iter().map(|&(rank, lack)| (self.to_world(rank), lack));
        let mut engine = self.engine_in(call)?;
        engine.begin_deposit_wait(self.group_id(), (call.index, deposits));
        let result = engine.wait_any(context, pattern, any_tag, &to, lacking);
        engine.end_deposit_wait();
        result.map_err(|error| {
            let error = error.into();
            self.give_up(&mut engine, &error);
            error
        })
    }
}
