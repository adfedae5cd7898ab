//! The result of a split: computes the group of each rank from the requests of all. Pure, and the
//! same at every rank.
//!
//! Keeps rules GRP-2 and GRP-4 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{I64, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::GroupError;
use super::request::Request;
use crate::message::Ids;
use crate::order::{GroupId, Rank};
use crate::tune::choices::Choices;

/// The table that rank 0 sends to all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// The requests agree: the lowest id that all can use, the places that are free at all ranks,
    /// each rank's color and key, and the algorithms that any rank knows.
    Agreed { base: GroupId, free: u64, wants: Vec<(Option<u32>, i64)>, known: Choices },
    /// The request of `rank` differs from that of rank 0.
    Disagreed { rank: Rank, theirs: String, ours: String },
    /// `rank` has gone without sending a request.
    Lacking { rank: Rank, gone: Gone },
}

/// How a rank has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    Ended,
    Failed,
    Lost,
}

/// The result of a split for one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) id: GroupId,
    /// The ranks of its group, in order, and its own rank among them; None if it asked for no
    /// group.
    pub(super) members: Option<(Vec<Rank>, Rank)>,
    /// No group with a lower id will be made from now on.
    pub(super) next: GroupId,
}

/// Why a split makes no group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPlan {
    Disagree(GroupError),
    Lacking(Rank, Gone),
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    /// Differs from every kind of a [`Request`], so that the two messages cannot be confused.
    outcome: u8,
    /// The lowest id, or the rank that disagrees or is lacking.
    number: U32,
    /// The length in bytes of the known choices, as text, or of `theirs`.
    len: U32,
    free: U64,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Want {
    colored: u8,
    color: U32,
    key: I64,
}

const AGREED: u8 = 11;
const DISAGREED: u8 = 12;
const LACKING: [(u8, Gone); 3] = [(13, Gone::Ended), (14, Gone::Failed), (15, Gone::Lost)];

impl Split {
    /// The table for these requests, one of each rank.
    pub(super) fn of(requests: &[Request]) -> Split {
        let first = &requests[0];
        for (rank, request) in requests.iter().enumerate() {
            if let Err(GroupError::Disagree { rank, theirs, ours }) =
                first.check_alike(rank, request)
            {
                return Split::Disagreed { rank, theirs, ours };
            }
        }
        let base = requests.iter().map(|request| request.next).max().unwrap_or(first.next);
        let wants = requests.iter().map(|request| (request.color, request.key)).collect();
        let mut known = Choices::default();
        requests.iter().for_each(|request| known.learn_from(&request.known));
        let free = requests.iter().fold(u64::MAX, |free, request| free & request.free);
        Split::Agreed { base, free, wants, known }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Split::Agreed { base, free, wants, known } => {
                let known = known.to_string();
                let (number, len) = (base.0.into(), (known.len() as u32).into());
                let head = Head { outcome: AGREED, number, len, free: (*free).into() };
                let mut bytes = [head.as_bytes(), known.as_bytes()].concat();
                for (color, key) in wants {
                    let want = Want {
                        colored: color.is_some().into(),
                        color: color.unwrap_or(0).into(),
                        key: (*key).into(),
                    };
                    bytes.extend_from_slice(want.as_bytes());
                }
                bytes
            }
            Split::Disagreed { rank, theirs, ours } => {
                let (number, len) = ((*rank as u32).into(), (theirs.len() as u32).into());
                let head = Head { outcome: DISAGREED, number, len, free: 0.into() };
                [head.as_bytes(), theirs.as_bytes(), ours.as_bytes()].concat()
            }
            Split::Lacking { rank, gone } => {
                let outcome = LACKING.iter().find(|(_, how)| how == gone).map_or(0, |&(o, _)| o);
                let number = (*rank as u32).into();
                Head { outcome, number, len: 0.into(), free: 0.into() }.as_bytes().to_vec()
            }
        }
    }

    /// None if the bytes are no table of rank 0 of `size` ranks.
    pub(super) fn decode(bytes: &[u8], size: usize) -> Option<Split> {
        let (head, rest) = Head::ref_from_prefix(bytes).ok()?;
        let (first, rest) = rest.split_at_checked(head.len.get() as usize)?;
        let text = |bytes: &[u8]| Some(std::str::from_utf8(bytes).ok()?.to_owned());
        if head.outcome == AGREED {
            let known = text(first)?.parse().ok()?;
            let wants = <[Want]>::ref_from_bytes(rest).ok().filter(|wants| wants.len() == size)?;
            let want =
                |want: &Want| ((want.colored != 0).then_some(want.color.get()), want.key.get());
            let wants = wants.iter().map(want).collect();
            let (base, free) = (GroupId(head.number.get()), head.free.get());
            return Some(Split::Agreed { base, free, wants, known });
        }
        let rank = Some(head.number.get() as Rank).filter(|&rank| rank < size)?;
        if let Some(&(_, gone)) = LACKING.iter().find(|(outcome, _)| *outcome == head.outcome) {
            return Some(Split::Lacking { rank, gone });
        }
        if head.outcome != DISAGREED {
            return None;
        }
        let (theirs, ours) = (text(first)?, text(rest)?);
        Some(Split::Disagreed { rank, theirs, ours })
    }

    /// The algorithms that any rank knows.
    pub(super) fn known(&self) -> Choices {
        match self {
            Split::Agreed { known, .. } => known.clone(),
            Split::Disagreed { .. } | Split::Lacking { .. } => Choices::default(),
        }
    }

    /// The places that are free at all ranks, one bit for each.
    pub(super) fn free(&self) -> u64 {
        match self {
            Split::Agreed { free, .. } => *free,
            Split::Disagreed { .. } | Split::Lacking { .. } => 0,
        }
    }

    /// The group of `rank` of `size`.
    ///
    /// # Errors
    ///
    /// [`NoPlan`] if the requests do not agree, or one is lacking.
    pub(super) fn plan_for(&self, rank: Rank, size: usize) -> Result<Plan, NoPlan> {
        let (base, wants) = match self {
            Split::Agreed { base, wants, .. } => (*base, wants),
            Split::Disagreed { rank, theirs, ours } => {
                let (rank, theirs, ours) = (*rank, theirs.clone(), ours.clone());
                return Err(NoPlan::Disagree(GroupError::Disagree { rank, theirs, ours }));
            }
            Split::Lacking { rank, gone } => return Err(NoPlan::Lacking(*rank, *gone)),
        };
        let mut colors: Vec<u32> = wants.iter().filter_map(|(color, _)| *color).collect();
        colors.sort_unstable();
        colors.dedup();
        let id = |nth: usize| Ids::nth(base, nth);
        let next = id(colors.len());
        let Some(color) = wants[rank].0 else {
            return Ok(Plan { id: base, members: None, next });
        };
        let mut members: Vec<Rank> =
            (0..size).filter(|&rank| wants[rank].0 == Some(color)).collect();
        // A stable sort: where keys are equal, the order of ranks remains.
        members.sort_by_key(|&rank| wants[rank].1);
        let own = members.iter().position(|&member| member == rank).unwrap_or(0);
        let id = id(colors.partition_point(|&other| other < color));
        Ok(Plan { id, members: Some((members, own)), next })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::order::Algorithm;

    proptest! {
        #[test]
        fn a_split_groups_the_ranks_of_each_color_in_the_order_of_keys(
            wants in vec((proptest::option::of(0..4u32), -2..3i64, 1..50u32), 1..14),
        ) {
            let request = |&(color, key, next): &(Option<u32>, i64, u32)| {
                let known = format!("{next}=mcs-tree:{}", 1 + next % 3).parse().unwrap();
                Request { next: GroupId(next), known, ..Request::split(color, key, Algorithm::Auto) }
            };
            let requests: Vec<Request> = wants.iter().map(request).collect();
            let split = Split::of(&requests);
            let size = wants.len();
            for request in &requests {
                prop_assert_eq!(split.known().known(request.next.0 as usize).is_some(), true);
            }
            prop_assert_eq!(Split::decode(&split.encode(), size), Some(split.clone()));
            prop_assert_eq!(Split::decode(&split.encode(), size + 1), None);
            let plans: Vec<Plan> =
                (0..size).map(|rank| split.plan_for(rank, size).unwrap()).collect();
            for (rank, plan) in plans.iter().enumerate() {
                // No rank has seen the id before, and it is used for no other group.
                prop_assert!(wants.iter().all(|&(.., next)| plan.id.0 >= next));
                prop_assert_eq!(plan.next, plans[0].next);
                let Some((members, own)) = &plan.members else {
                    prop_assert_eq!(wants[rank].0, None);
                    continue;
                };
                prop_assert!(plan.id < plan.next);
                prop_assert_eq!(members[*own], rank);
                let places: Vec<_> = members.iter().map(|&m| (wants[m].1, m)).collect();
                prop_assert!(places.is_sorted());
                for (other, theirs) in plans.iter().enumerate() {
                    let same = wants[other].0 == wants[rank].0;
                    prop_assert_eq!(members.contains(&other), same);
                    let alike = theirs.members.is_some() && theirs.id == plan.id;
                    prop_assert_eq!(alike, same);
                }
            }
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_a_usable_split_or_none(bytes in vec(any::<u8>(), 0..60), size in 1..5usize) {
            if let Some(split) = Split::decode(&bytes, size) {
                let _ = split.plan_for(size - 1, size);
                prop_assert_eq!(Split::decode(&split.encode(), size), Some(split));
            }
        }
    }

    #[test]
    fn every_rank_learns_which_rank_is_lacking() {
        for gone in [Gone::Ended, Gone::Failed, Gone::Lost] {
            let split = Split::Lacking { rank: 2, gone };
            let told = Split::decode(&split.encode(), 3).unwrap();
            assert_eq!(told.plan_for(1, 3), Err(NoPlan::Lacking(2, gone)));
            assert_eq!(Split::decode(&split.encode(), 2), None, "there is no rank 2");
        }
    }

    #[test]
    fn every_rank_learns_which_rank_disagrees() {
        let split = Request::split(Some(1), 0, Algorithm::Dissemination);
        let told = Split::of(&[split.clone(), split, Request::dup(Algorithm::AllToAll)]);
        let told = Split::decode(&told.encode(), 3).unwrap();
        let NoPlan::Disagree(error) = told.plan_for(1, 3).unwrap_err() else { panic!("{told:?}") };
        let error = error.to_string();
        assert!(error.contains("rank 2 wants a duplicate with barriers by all-to-all"), "{error}");
        assert!(error.ends_with("here it is a split with barriers by dissemination"), "{error}");
    }
}
