//! The request of one rank when a group is made, and its encoding for the others. Pure.

use zerocopy::byteorder::little_endian::{I64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::GroupError;
use super::plan::Split;
use crate::message::Proposal;
use crate::order::{Algorithm, GroupId, Rank};
use crate::tune::choices::Choices;

/// The call that makes the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Split,
    Dup,
    Group,
    /// A duplicate in a call that does not wait.
    Idup,
}

/// The request of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) kind: Kind,
    pub(super) color: Option<u32>,
    pub(super) key: i64,
    pub(super) algorithm: Algorithm,
    /// The lowest id that the rank can use; of a [`Kind::Idup`] the one that it proposes.
    pub(super) next: GroupId,
    /// The places that are free at the rank, one bit for each.
    pub(super) free: u64,
    /// The listed members; empty unless this is a [`Kind::Group`].
    pub(super) ranks: Vec<Rank>,
    /// The algorithms that the rank knows, if one is to be chosen.
    pub(super) known: Choices,
}

/// Followed by the algorithm's name, the choices as text, and the ranks, each as a [`U32`].
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Wire {
    kind: u8,
    colored: u8,
    name_len: U16,
    known_len: U32,
    color: U32,
    key: I64,
    next: U32,
    free: U64,
}

impl Request {
    pub(super) fn split(color: Option<u32>, key: i64, algorithm: Algorithm) -> Request {
        let (ranks, known) = (Vec::new(), Choices::default());
        let (next, free) = (GroupId::WORLD, 0);
        Request { kind: Kind::Split, color, key, algorithm, next, free, ranks, known }
    }

    pub(super) fn dup(algorithm: Algorithm) -> Request {
        Request { kind: Kind::Dup, ..Request::split(Some(0), 0, algorithm) }
    }

    pub(super) fn idup(algorithm: Algorithm, proposal: Proposal, known: Choices) -> Request {
        let (kind, next, free) = (Kind::Idup, proposal.id, proposal.places);
        Request { kind, next, free, known, ..Request::split(Some(0), 0, algorithm) }
    }

    pub(super) fn group(ranks: &[Rank], algorithm: Algorithm, next: GroupId) -> Request {
        let ranks = ranks.to_vec();
        Request { kind: Kind::Group, next, ranks, ..Request::split(None, 0, algorithm) }
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let (name, known) = (self.algorithm.to_string(), self.known.to_string());
        let wire = Wire {
            kind: match self.kind {
                Kind::Split => 1,
                Kind::Dup => 2,
                Kind::Group => 3,
                Kind::Idup => 4,
            },
            colored: self.color.is_some().into(),
            name_len: (name.len() as u16).into(),
            known_len: (known.len() as u32).into(),
            color: self.color.unwrap_or(0).into(),
            key: self.key.into(),
            next: self.next.0.into(),
            free: self.free.into(),
        };
        let mut bytes = [wire.as_bytes(), name.as_bytes(), known.as_bytes()].concat();
        bytes.extend(self.ranks.iter().flat_map(|&rank| (rank as u32).to_le_bytes()));
        bytes
    }

    /// None if the bytes are no request.
    pub(super) fn decode(bytes: &[u8]) -> Option<Request> {
        let (wire, rest) = Wire::ref_from_prefix(bytes).ok()?;
        let (name, rest) = rest.split_at_checked(wire.name_len.get().into())?;
        let (known, ranks) = rest.split_at_checked(wire.known_len.get() as usize)?;
        let kind = match wire.kind {
            1 => Kind::Split,
            2 => Kind::Dup,
            3 => Kind::Group,
            4 => Kind::Idup,
            _ => return None,
        };
        let color = match wire.colored {
            0 => None,
            1 => Some(wire.color.get()),
            _ => return None,
        };
        let ranks = <[U32]>::ref_from_bytes(ranks).ok()?;
        Some(Request {
            kind,
            color,
            key: wire.key.get(),
            algorithm: std::str::from_utf8(name).ok()?.parse().ok()?,
            next: GroupId(wire.next.get()),
            free: wire.free.get(),
            ranks: ranks.iter().map(|rank| rank.get() as Rank).collect(),
            known: std::str::from_utf8(known).ok()?.parse().ok()?,
        })
    }

    /// Reads what `rank`, of a communicator of `size` ranks, has sent to each of the others.
    ///
    /// # Errors
    ///
    /// [`GroupError`] if it is no request, or one for another group than this one.
    pub(super) fn read(&self, rank: Rank, told: &[u8], size: usize) -> Result<Request, GroupError> {
        let theirs = match (Request::decode(told), Split::decode(told, size)) {
            (Some(theirs), _) => theirs,
            // Rank 0 is in a split, and has found that this rank is not.
            (None, Some(Split::Disagreed { ours, .. })) => return Err(self.disagree(rank, ours)),
            _ => return Err(GroupError::Unreadable { rank }),
        };
        self.check_alike(rank, &theirs)?;
        Ok(theirs)
    }

    /// Fails if the request of `rank` is for another group than this one.
    pub(super) fn check_alike(&self, rank: Rank, theirs: &Request) -> Result<(), GroupError> {
        let alike = |request: &Request| (request.kind, request.algorithm, request.ranks.clone());
        if alike(self) == alike(theirs) {
            return Ok(());
        }
        Err(self.disagree(rank, theirs.describe()))
    }

    /// The error that the request of `rank` differs from this one.
    pub(super) fn disagree(&self, rank: Rank, theirs: String) -> GroupError {
        GroupError::Disagree { rank, theirs, ours: self.describe() }
    }

    pub(super) fn describe(&self) -> String {
        let kind = self.kind.describe();
        let of = match self.kind {
            Kind::Group => format!(" of the ranks {:?}", self.ranks),
            _ => String::new(),
        };
        format!("{kind}{of} with barriers by {}", self.algorithm)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn request() -> impl Strategy<Value = Request> {
        let kinds = &[Kind::Split, Kind::Dup, Kind::Group, Kind::Idup];
        let kind = proptest::sample::select(kinds.as_slice());
        let algorithm = prop_oneof![
            Just(Algorithm::Dissemination),
            Just("n-way-dissemination:3".parse().unwrap()),
            Just(Algorithm::AllToAll),
            Just(Algorithm::Auto)
        ];
        let known = prop_oneof![Just(""), Just("4=all-to-all"), Just("2=flat-tree,8=mcs-tree:3")]
            .prop_map(|text| text.parse().unwrap());
        let (color, next) = (any::<Option<u32>>(), any::<u32>().prop_map(GroupId));
        let numbers = (any::<i64>(), any::<u64>());
        (kind, color, numbers, algorithm, next, vec(0..256usize, 0..9), known).prop_map(
            |(kind, color, (key, free), algorithm, next, ranks, known)| Request {
                kind,
                color,
                key,
                algorithm,
                next,
                free,
                ranks,
                known,
            },
        )
    }

    proptest! {
        #[test]
        fn an_encoded_request_decodes_to_itself(request in request()) {
            prop_assert_eq!(Request::decode(&request.encode()), Some(request));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_a_request_or_none(request in request(), cut in 0..80usize, at in 0..80usize, to: u8) {
            let mut bytes = request.encode();
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            bytes.truncate(cut.max(at));
            if let Some(request) = Request::decode(&bytes) {
                prop_assert_eq!(Request::decode(&request.encode()), Some(request));
            }
        }
    }

    #[test]
    fn a_rank_with_another_request_is_named() {
        let request = |ranks: &[Rank]| Request::group(ranks, Algorithm::Dissemination, GroupId(3));
        assert_eq!(request(&[0, 1]).check_alike(1, &request(&[0, 1])), Ok(()));
        let error = request(&[0, 1]).check_alike(1, &request(&[1, 0])).unwrap_err().to_string();
        assert_eq!(
            error,
            "the ranks disagree about the group: rank 1 wants a group of the ranks [1, 0] with \
             barriers by dissemination; here it is a group of the ranks [0, 1] with barriers by \
             dissemination"
        );
    }
}
