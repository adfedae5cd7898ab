//! Frames that carry no payload of the program: barrier signals, and what the message layers of
//! two ranks tell each other.
//!
//! Signals and control frames travel on VIs of their own, so that they never wait behind data.
//! Signals have credits, or travel on an unreliable VI and are asked for again. Control frames need
//! none: the protocol bounds how many of each kind can be under way to one peer at a time (see
//! [`CONTROL_DESCRIPTORS`]). They alone return credits: a count that also came by other ways, which
//! may overtake them, would let their number grow without bound.
//!
//! Keeps rules FLOW-2 and SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::Malformed;
use super::waiting::Activity;
use crate::order::{Clock, Epoch, GroupId, Rank, Signal, SignalKind};

/// The length of a signal or control frame in bytes.
pub const FRAME_BYTES: usize = 32;

/// Receive descriptors that hold every control frame that can be under way from one peer: two
/// `Credit` for each of three windows (see `links/credit.rs`), one each of `ClearToSend`
/// (the next follows the payload that the last one let go), `Query` (the next follows the answer),
/// `Answer` and `Ended`, and two `Closing` (the second takes back what the first had promised).
/// A wait that runs out of time and a stall report share their questions: see `Engine::ask`.
pub const CONTROL_DESCRIPTORS: u32 = 6 + 6;

/// Cumulative counts of what was consumed of each window, modulo 2^16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// Eager messages.
    pub eager: u16,
    /// Barrier signals.
    pub signal: u16,
    /// Segments of rendezvous payload, and what is said of exposed payloads.
    pub bulk: u16,
}

/// Why a rank may have failed to do its part, by its own word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A rank that was lost to it.
    Lost(Rank),
    /// A rank that had ended without entering a barrier.
    Ended {
        /// The rank.
        rank: Rank,
        /// The group of the barrier.
        group: GroupId,
        /// The barrier, modulo 2^32: far more than can be open in a group at a time.
        epoch: u32,
    },
}

impl Cause {
    /// The rank to which it goes back.
    pub fn rank(self) -> Rank {
        match self {
            Cause::Lost(rank) | Cause::Ended { rank, .. } => rank,
        }
    }

    /// As it goes on the wire: a flag, the rank counted from 1, so that 0 is none, group and epoch.
    fn to_wire(cause: Option<Cause>) -> (u8, u32, u32, u32) {
        let counted = |rank: Rank| u32::try_from(rank).ok().and_then(|rank| rank.checked_add(1));
        match cause {
            None => (0, 0, 0, 0),
            Some(Cause::Lost(rank)) => (0, counted(rank).unwrap_or(0), 0, 0),
            Some(Cause::Ended { rank, group, epoch }) => {
                (ENDED, counted(rank).unwrap_or(0), group.0, epoch)
            }
        }
    }

    /// As it was on the wire.
    fn from_wire(flag: u8, which: u32, group: u32, epoch: u32) -> Option<Cause> {
        let rank = which.checked_sub(1)? as Rank;
        match flag & ENDED {
            0 => Some(Cause::Lost(rank)),
            _ => Some(Cause::Ended { rank, group: GroupId(group), epoch }),
        }
    }
}

/// In the flag of [`Control::Closing`]: the program returned an error.
const FAILED: u8 = 1;
/// In the flag of [`Control::Closing`]: the cause is a rank that had ended.
const ENDED: u8 = 2;

/// What one message layer tells another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nothing but the credits that every control frame returns.
    Credit,
    /// There is room for the payload of your rendezvous `transfer`.
    ClearToSend {
        /// The transfer.
        transfer: u32,
    },
    /// Where are you, and how far have you entered the barriers of this group?
    Query {
        /// The group.
        group: GroupId,
        /// The epoch that is open.
        epoch: Epoch,
        /// How-many-th of the barriers that include you it is: it tells of a group that you have
        /// forgotten whether you completed it.
        clock: Clock,
    },
    /// Here, and so far.
    Answer {
        /// The group.
        group: GroupId,
        /// The latest epoch entered.
        entered: Epoch,
        /// What the rank is in.
        activity: Activity,
    },
    /// My program has returned: it will receive nothing more and call no more barriers.
    Closing {
        /// How many barriers that include you it has initiated; or, if it failed, how many of them
        /// can complete without it, since it has signalled all that its schedule holds.
        clock: Clock,
        /// Whether it returned an error.
        failed: bool,
        /// What it lacked itself: of which what is missing here may have followed.
        cause: Option<Cause>,
        /// The last word on what you had exposed to it, of which it reads nothing more.
        reads: u32,
    },
    /// I have handed over all that I owed, and go.
    Ended {
        /// How many eager messages I have sent you, requests included.
        eager: u64,
        /// How many segments of rendezvous payload I have sent you, and words on what you had exposed to me.
        segments: u64,
    },
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct ControlWire {
    kind: u8,
    flag: u8,
    eager: U16,
    signal: U16,
    bulk: U16,
    which: U32,
    small: U32,
    value: U64,
    second: U64,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct SignalWire {
    kind: u8,
    zero: u8,
    step: U16,
    zeros: U32,
    group: U32,
    zeros_too: U32,
    epoch: U64,
    clock: U64,
}

const _: () = assert!(size_of::<ControlWire>() == FRAME_BYTES);
const _: () = assert!(size_of::<SignalWire>() == FRAME_BYTES);

impl Control {
    /// The frame as it goes on the wire.
    pub fn encode(&self, returned: Returned) -> [u8; FRAME_BYTES] {
        let mut small = 0;
        let (kind, flag, which, value, second) = match *self {
            Control::Credit => (1, 0, 0, 0, 0),
            Control::ClearToSend { transfer } => (2, 0, transfer, 0, 0),
            Control::Query { group, epoch, clock } => (3, 0, group.0, epoch, clock),
            Control::Answer { group, entered, activity } => {
                let (code, number, large) = activity.to_wire();
                small = number;
                (4, code, group.0, entered, large)
            }
            Control::Closing { clock, failed, cause, reads } => {
                let (flag, which, group, epoch) = Cause::to_wire(cause);
                small = group;
                let failed = if failed { FAILED } else { 0 };
                (5, failed | flag, which, clock, u64::from(epoch) << 32 | u64::from(reads))
            }
            Control::Ended { eager, segments } => (6, 0, 0, eager, segments),
        };
        let wire = ControlWire {
            kind,
            flag,
            eager: returned.eager.into(),
            signal: returned.signal.into(),
            bulk: returned.bulk.into(),
            which: which.into(),
            small: small.into(),
            value: value.into(),
            second: second.into(),
        };
        zerocopy::transmute!(wire)
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if it has not the length or kind of a control frame, or is an answer of no known
    /// code.
    pub fn decode(frame: &[u8]) -> Result<(Control, Returned), Malformed> {
        let length = || Malformed::Length { stated: FRAME_BYTES, found: frame.len() };
        let wire = ControlWire::ref_from_bytes(frame).map_err(|_| length())?;
        let (which, value) = (wire.which.get(), wire.value.get());
        let control = match wire.kind {
            1 => Control::Credit,
            2 => Control::ClearToSend { transfer: which },
            3 => {
                let (group, clock) = (GroupId(which), wire.second.get());
                Control::Query { group, epoch: value, clock }
            }
            4 => {
                let (small, large) = (wire.small.get(), wire.second.get());
                let activity = Activity::from_wire(wire.flag, small, large)?;
                Control::Answer { group: GroupId(which), entered: value, activity }
            }
            5 => {
                let (small, second) = (wire.small.get(), wire.second.get());
                let cause = Cause::from_wire(wire.flag, which, small, (second >> 32) as u32);
                let failed = wire.flag & FAILED != 0;
                Control::Closing { clock: value, failed, cause, reads: second as u32 }
            }
            6 => {
                let segments = wire.second.get();
                Control::Ended { eager: value, segments }
            }
            kind => return Err(Malformed::Kind(kind)),
        };
        let returned =
            Returned { eager: wire.eager.get(), signal: wire.signal.get(), bulk: wire.bulk.get() };
        Ok((control, returned))
    }
}

/// A signal as it goes on the wire.
pub fn encode_signal(signal: &Signal) -> [u8; FRAME_BYTES] {
    let wire = SignalWire {
        kind: match signal.kind {
            SignalKind::Reached => 1,
            SignalKind::Ask => 2,
        },
        zero: 0,
        step: signal.step.into(),
        zeros: 0.into(),
        group: signal.group.0.into(),
        zeros_too: 0.into(),
        epoch: signal.epoch.into(),
        clock: signal.clock.into(),
    };
    zerocopy::transmute!(wire)
}

/// Reads a signal.
///
/// # Errors
///
/// [`Malformed`] if it has not the length or kind of a signal.
pub fn decode_signal(frame: &[u8]) -> Result<Signal, Malformed> {
    let length = || Malformed::Length { stated: FRAME_BYTES, found: frame.len() };
    let wire = SignalWire::ref_from_bytes(frame).map_err(|_| length())?;
    let kind = match wire.kind {
        1 => SignalKind::Reached,
        2 => SignalKind::Ask,
        kind => return Err(Malformed::Kind(kind)),
    };
    Ok(Signal {
        kind,
        group: GroupId(wire.group.get()),
        step: wire.step.get(),
        epoch: wire.epoch.get(),
        clock: wire.clock.get(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::waiting::activity::tests::activity;
    use super::*;

    fn cause() -> impl Strategy<Value = Cause> {
        (0..u32::MAX, any::<Option<(u32, u32)>>()).prop_map(|(rank, barrier)| {
            let rank = rank as Rank;
            match barrier {
                None => Cause::Lost(rank),
                Some((group, epoch)) => Cause::Ended { rank, group: GroupId(group), epoch },
            }
        })
    }

    fn control() -> impl Strategy<Value = Control> {
        let group = any::<u32>().prop_map(GroupId);
        prop_oneof![
            Just(Control::Credit),
            any::<u32>().prop_map(|transfer| Control::ClearToSend { transfer }),
            (group.clone(), any::<u64>(), any::<u64>())
                .prop_map(|(group, epoch, clock)| Control::Query { group, epoch, clock }),
            (group, any::<u64>(), activity()).prop_map(|(group, entered, activity)| {
                Control::Answer { group, entered, activity }
            }),
            (any::<u64>(), any::<bool>(), proptest::option::of(cause()), any::<u32>()).prop_map(
                |(clock, failed, cause, reads)| Control::Closing { clock, failed, cause, reads }
            ),
            (any::<u64>(), any::<u64>())
                .prop_map(|(eager, segments)| Control::Ended { eager, segments }),
        ]
    }

    /// Of any bytes, what must come of them, given the kinds there are.
    fn expected(frame: &[u8], kinds: u8) -> Result<(), Malformed> {
        match frame.first() {
            _ if frame.len() != FRAME_BYTES => {
                Err(Malformed::Length { stated: FRAME_BYTES, found: frame.len() })
            }
            Some(&kind) if !(1..=kinds).contains(&kind) => Err(Malformed::Kind(kind)),
            _ => Ok(()),
        }
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let len = prop_oneof![4 => Just(FRAME_BYTES), 1 => 0..70usize];
        (len, 0..9u8).prop_flat_map(|(len, kind)| {
            (vec(any::<u8>(), len), any::<bool>()).prop_map(move |(mut bytes, small)| {
                bytes.iter_mut().take(1).for_each(|first| *first = kind);
                bytes.iter_mut().skip(1).take(1).filter(|_| small).for_each(|code| *code %= 12);
                bytes
            })
        })
    }

    proptest! {
        #[test]
        fn an_encoded_control_frame_decodes_to_itself(control in control(), counts in any::<[u16; 3]>()) {
            let [eager, signal, bulk] = counts;
            let returned = Returned { eager, signal, bulk };
            let frame = control.encode(returned);
            prop_assert_eq!(Control::decode(&frame), Ok((control, returned)));
        }

        #[test]
        fn an_encoded_signal_decodes_to_itself(
            ask in any::<bool>(),
            group in any::<u32>().prop_map(GroupId),
            step in any::<u16>(),
            epoch in any::<u64>(),
            clock in any::<u64>(),
        ) {
            let kind = if ask { SignalKind::Ask } else { SignalKind::Reached };
            let signal = Signal { kind, group, step, epoch, clock };
            prop_assert_eq!(decode_signal(&encode_signal(&signal)), Ok(signal));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_a_control_frame_or_an_error(bytes in bytes()) {
            let answer_of_no_code = bytes.len() == FRAME_BYTES && bytes[0] == 4 && bytes[1] > 9;
            let control = match answer_of_no_code {
                true => Err(Malformed::Activity(bytes[1])),
                false => expected(&bytes, 6),
            };
            prop_assert_eq!(Control::decode(&bytes).map(drop), control);
            prop_assert_eq!(decode_signal(&bytes).map(drop), expected(&bytes, 2));
        }
    }
}
