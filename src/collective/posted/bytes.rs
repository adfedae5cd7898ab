//! Nonblocking collectives of bytes, for a library on top whose data have types of their own.
//!
//! Keeps rules COL-3, COL-4, COL-8 and COL-9 of SEMANTICS.md.

use std::ops::Range;

use super::edge::Posting;
use super::{Assembly, CollectiveRequest, Records};
use crate::collective::Kind;
use crate::collective::call::Call;
use crate::comm::Comm;
use crate::error::Result;
use crate::order::Rank;
use crate::verbs::Nic;

/// What a rank gives in a collective of bytes.
#[derive(Clone, Debug)]
pub enum Given<'g> {
    /// Nothing.
    Nothing,
    /// The same to each of these ranks, itself left out.
    Same(Range<Rank>, &'g [u8]),
    /// To each other rank its part. There is one part for each rank.
    Parts(&'g [&'g [u8]]),
    /// The same, of parts that are equally long and lie one behind the other.
    Blocks(&'g [u8]),
}

impl<N: Nic> Comm<N> {
    /// Calls the nonblocking collective `kind`, with this root if it has one, and the operator of this code, which is
    /// 0 if ranks cannot tell it from others; and its name. This rank gives `given`, and takes
    /// what each of `count` ranks from `first` on gives, in this order, itself included. `assembly` says how. None if
    /// it takes nothing, and all that it gives has left: the call is complete. Else its record is one of `records`,
    /// to which [`wait_in`](CollectiveRequest::wait_in) gives it back.
    ///
    /// Ranks that disagree about the kind or a length are told so, and below the eager limit those that disagree
    /// about the root or the operator. A longer payload goes without the call's word, so that neither is copied: it
    /// says of which kind it is.
    ///
    /// Of what is given `stays` says whether it is as it is until the call is complete or dropped. Then [what is
    /// long](Comm::lends_from) may be read where it lies. What comes of others may be written at once where the assembly says.
    ///
    /// # Errors
    ///
    /// As by [`ibroadcast`](Comm::ibroadcast).
    ///
    /// # Safety
    ///
    /// If it `stays`, nobody writes to it, and it can be read, until the request is waited for or dropped, or this call has failed.
    /// Until then the rooms of the assembly can be written, and nobody else uses them. No other thread of the rank is in a call when
    /// the request is dropped.
    #[doc(hidden)]
    pub unsafe fn post_bytes<A: Assembly>(
        &self,
        (kind, root): (Kind, Rank),
        (operator, name): (u32, &'static str),
        (given, stays): (Given<'_>, bool),
        from: (Rank, usize),
        assembly: A,
        records: &Records<A, N>,
    ) -> Result<Option<CollectiveRequest<A, N>>> {
        match &given {
            Given::Nothing => {}
            Given::Same(_, bytes) => self.check_one_message::<u8>(bytes.len())?,
            Given::Parts(parts) => {
                parts.iter().try_for_each(|part| self.check_one_message::<u8>(part.len()))?;
            }
            Given::Blocks(all) => self.check_one_message::<u8>(all.len() / self.size())?,
        }
        let call = Call::uncounted::<u8, N>(self, kind, root)?;
        let call = call.with_operator_of(operator, name).of_bytes();
        // SAFETY: the caller promises it.
        let call = if stays { unsafe { call.of_what_stays() } } else { call };
        let post = |posting: &mut Posting<'_, N>| match given {
            Given::Nothing => Ok(()),
            Given::Same(to, bytes) => {
                posting.post_to(self.others().filter(|rank| to.contains(rank)), bytes)
            }
            Given::Parts(parts) => posting.post_parts(parts),
            Given::Blocks(all) => posting.post_blocks(all),
        };
        match from.1 {
            0 => CollectiveRequest::give_in(records, self, call, assembly, post),
            _ => {
                let post = |posting: &mut Posting<'_, N>, _: &A| post(posting);
                CollectiveRequest::start_in(records, self, call, assembly, from, post).map(Some)
            }
        }
    }
}
