//! What a rank is in: its answer to others that have waited for too long.
//!
//! A call that waits names what it waits for ([`WaitsFor`]). Only when a rank asks is that turned
//! into an [`Activity`], which fits into a control frame. A collective is a number here; its name is
//! [`crate::collective`]'s.
//!
//! Keeps rule SAFE-1 of SEMANTICS.md.

use std::fmt;

use crate::message::Malformed;
use crate::message::matching::{Context, Lane, Pattern, RecvId, Source, Tag};
use crate::order::clocks::Seq;
use crate::order::{Epoch, GroupId, Rank};

/// What a rank is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activity {
    /// Not in a call that waits: it has answered while it passed through one that does not.
    Nothing,
    /// It waits until a barrier completes. If several are open, this is the oldest.
    Barrier {
        /// The group.
        group: GroupId,
        /// The barrier.
        epoch: Epoch,
    },
    /// It waits until a message to a rank can leave.
    Send {
        /// The rank.
        to: Rank,
    },
    /// It waits for a message.
    Receive {
        /// The sender it names.
        source: Source,
        /// With which tag.
        tag: Tag,
        /// In which communicator and lane.
        context: Context,
    },
    /// It waits for the payload of a large message to be taken by a rank, or to come from it.
    Rendezvous {
        /// The rank.
        peer: Rank,
    },
    /// It waits inside a collective.
    Collective {
        /// Which collective, as a code of the layer above.
        kind: u8,
        /// The how-many-th call of its communicator.
        number: u32,
        /// The group of the communicator.
        group: GroupId,
        /// Whom it waits for, where that is one rank.
        peer: Option<Rank>,
    },
    /// Its program has returned; it completes its barriers and hands over what it owes.
    Ending,
}

/// A collective that is under way; see [`Engine::set_call`](crate::message::Engine::set_call).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallInfo {
    /// Which collective.
    pub kind: u8,
    /// The how-many-th call of its communicator.
    pub number: u32,
    /// The group of the communicator.
    pub group: GroupId,
    /// The context in which its messages travel; no others may travel there.
    pub context: Context,
}

/// Tells the names of collectives by their codes.
pub type CallNames = fn(u8) -> &'static str;

/// What a call waits for, as it can be said at no cost when the wait begins.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) enum WaitsFor {
    /// Barriers: all up to a place in the own order, or None for any that completes.
    Barriers { through: Option<Seq> },
    /// Room for a message, or its end of being contained.
    Send { to: Rank, context: Option<Context> },
    /// A message.
    Receive { context: Context, pattern: Pattern },
    /// The message of a posted receive.
    Posted { id: RecvId, source: Source },
    /// The payload of a rendezvous with `peer`.
    Payload { peer: Rank, context: Context },
    /// What keeps the rank from ending.
    HandOver,
    /// That the others end, of which nobody is told.
    Leaving,
}

/// Rank 2^24 - 1 and above do not exist: it stands for none.
const NO_PEER: u64 = (1 << 24) - 1;

impl Activity {
    /// A code, and two numbers whose meaning depends on it.
    pub(in crate::message) fn to_wire(self) -> (u8, u32, u64) {
        match self {
            Activity::Nothing => (0, 0, 0),
            Activity::Barrier { group, epoch } => (1, group.0, epoch),
            Activity::Send { to } => (2, to as u32, 0),
            Activity::Rendezvous { peer } => (3, peer as u32, 0),
            Activity::Receive { source, tag, context } => {
                let (any_source, source) = match source {
                    Source::Any => (1, 0),
                    Source::Rank(rank) => (0, rank as u32),
                };
                let (any_tag, tag) = match tag {
                    Tag::Any => (2, 0),
                    Tag::Exactly(tag) => (0, tag),
                };
                (4 + any_source + any_tag, context.bits(), u64::from(tag) << 32 | u64::from(source))
            }
            Activity::Collective { kind, number, group, peer } => {
                let peer = peer.map_or(NO_PEER, |peer| (peer as u64).min(NO_PEER));
                (8, group.0, u64::from(kind) << 56 | peer << 32 | u64::from(number))
            }
            Activity::Ending => (9, 0, 0),
        }
    }

    /// # Errors
    ///
    /// [`Malformed::Activity`] if there is no such code. The numbers may be any: they are shown, and
    /// nothing is looked up by them.
    pub(in crate::message) fn from_wire(
        code: u8,
        small: u32,
        large: u64,
    ) -> Result<Activity, Malformed> {
        Ok(match code {
            0 => Activity::Nothing,
            1 => Activity::Barrier { group: GroupId(small), epoch: large },
            2 => Activity::Send { to: small as Rank },
            3 => Activity::Rendezvous { peer: small as Rank },
            4..=7 => {
                let source =
                    if code & 1 == 1 { Source::Any } else { (large as u32 as Rank).into() };
                let tag = if code & 2 == 2 { Tag::Any } else { ((large >> 32) as u32).into() };
                Activity::Receive { source, tag, context: Context::from_bits(small) }
            }
            8 => {
                let (kind, number) = ((large >> 56) as u8, large as u32);
                let peer = Some(large >> 32 & NO_PEER).filter(|&peer| peer != NO_PEER);
                let (group, peer) = (GroupId(small), peer.map(|peer| peer as Rank));
                Activity::Collective { kind, number, group, peer }
            }
            9 => Activity::Ending,
            code => return Err(Malformed::Activity(code)),
        })
    }

    /// Writes it, with the names of the collectives.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, names: CallNames) -> fmt::Result {
        match *self {
            Activity::Nothing => write!(f, "not in a call that waits"),
            Activity::Barrier { group, epoch } => write!(f, "in barrier {epoch} of {group}"),
            Activity::Send { to } => write!(f, "in a send to rank {to}"),
            Activity::Receive { source, tag, context } => {
                let group = context.group();
                let what = match context.lane() {
                    Some(Lane::Program) => "receive",
                    Some(Lane::Collective) => "collective",
                    Some(Lane::Making) => return write!(f, "making a group out of {group}"),
                    Some(Lane::Library) => "receive of a library",
                    None => "receive in an unknown lane",
                };
                match source {
                    Source::Any => write!(f, "in a {what} from any rank")?,
                    Source::Rank(rank) => write!(f, "in a {what} from rank {rank}")?,
                }
                match tag {
                    Tag::Any => write!(f, " with any tag")?,
                    // The tag of a collective's messages is its number.
                    Tag::Exactly(tag) if context.lane() == Some(Lane::Collective) => {
                        write!(f, " number {tag}")?;
                    }
                    Tag::Exactly(tag) => write!(f, " with tag {tag}")?,
                }
                if group == GroupId::WORLD { Ok(()) } else { write!(f, " of {group}") }
            }
            Activity::Rendezvous { peer } => {
                write!(f, "in the transfer of a large message with rank {peer}")
            }
            Activity::Collective { kind, number, group, peer } => {
                write!(f, "in {} number {number} of {group}", names(kind))?;
                peer.map_or(Ok(()), |peer| write!(f, ", for rank {peer}"))
            }
            Activity::Ending => write!(f, "at the end of its program"),
        }
    }
}

#[cfg(test)]
pub(in crate::message) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn activity() -> impl Strategy<Value = Activity> {
        let group = || any::<u32>().prop_map(GroupId);
        let rank = || any::<u32>().prop_map(|rank| rank as Rank);
        let source = prop_oneof![Just(Source::Any), rank().prop_map(Source::Rank)];
        let tag = prop_oneof![Just(Tag::Any), any::<u32>().prop_map(Tag::Exactly)];
        let peer = prop::option::of(0..NO_PEER as Rank);
        prop_oneof![
            Just(Activity::Nothing),
            (group(), any::<u64>()).prop_map(|(group, epoch)| Activity::Barrier { group, epoch }),
            rank().prop_map(|to| Activity::Send { to }),
            rank().prop_map(|peer| Activity::Rendezvous { peer }),
            (source, tag, any::<u32>()).prop_map(|(source, tag, context)| {
                let context = Context::from_bits(context);
                Activity::Receive { source, tag, context }
            }),
            (any::<u8>(), any::<u32>(), group(), peer).prop_map(|(kind, number, group, peer)| {
                Activity::Collective { kind, number, group, peer }
            }),
            Just(Activity::Ending),
        ]
    }

    proptest! {
        #[test]
        fn an_encoded_activity_decodes_to_itself(activity in activity()) {
            let (code, small, large) = activity.to_wire();
            prop_assert_eq!(Activity::from_wire(code, small, large), Ok(activity));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_numbers_gives_an_activity_or_an_error(code: u8, small: u32, large: u64) {
            match Activity::from_wire(code, small, large) {
                Ok(activity) => {
                    let (code, small, large) = activity.to_wire();
                    prop_assert_eq!(Activity::from_wire(code, small, large), Ok(activity));
                }
                Err(error) => {
                    prop_assert!(code > 9);
                    prop_assert_eq!(error, Malformed::Activity(code));
                }
            }
        }
    }
}
